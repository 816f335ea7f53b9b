// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps of libraries: operations over the share of the peak that libraries reach, bytes over memory,
// whichever takes longer.
#include <algorithm>
#include <cmath>

#include "ir/convolution_dims.h"
#include "stitch/cost.h"

namespace astitch {
namespace {

// Share of the peak that libraries reach with large products. Estimate.
constexpr double kLibraryShare = 0.7;
// A library's own work before and after a call on the host: descriptors, threads. Estimate.
constexpr double kHostCallNs = 3000;

double Bytes(const Instruction& value) {
  return value.shape().IsArray() ? static_cast<double>(value.shape().byte_size()) : 0;
}

// Multiply-adds, two operations each, of TYPE a nanosecond.
double PeakOperations(ElementType type, const MachineModel& m) {
  const double matrix = 1e3 * m.matrix_tflops;
  if (m.is_host()) return ByteWidth(type) == 8 ? matrix / 2 : matrix;
  const auto sms = static_cast<double>(m.num_sms);
  if (ByteWidth(type) == 8) return 2 * m.fp64_lanes_per_sm * sms * m.clock_ghz;
  return ByteWidth(type) == 4 ? 2 * m.fp32_lanes_per_sm * sms * m.clock_ghz : matrix;
}

Prediction PredictCall(double operations, double bytes, ElementType type, const MachineModel& m) {
  const double gb_per_s = m.is_host() ? std::min(m.dram_gb_per_s * m.reachable_share,
                                                 m.worker_dram_gb_per_s * m.workers)
                                      : m.dram_gb_per_s * m.reachable_share;
  const double memory = bytes / gb_per_s;
  const double arithmetic = operations / (PeakOperations(type, m) * kLibraryShare);
  const double launch = 1e3 * m.launch_us + (m.is_host() ? kHostCallNs : 0);
  Prediction p;
  p.dram_bytes = std::llround(bytes);
  p.operations = std::llround(std::min(operations, 9e18));
  p.latency_ns = std::llround(launch);
  p.ns = std::llround(std::max(memory, arithmetic) + launch);
  p.bound = launch > std::max(memory, arithmetic) ? Bound::kLatency
            : arithmetic > memory                 ? Bound::kArithmetic
                                                  : Bound::kMemory;
  return p;
}

}  // namespace

Prediction PredictDot(const DotCall& call, const MachineModel& machine) {
  double operations =
      2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
  for (int64_t extent : call.batch) operations *= static_cast<double>(extent);
  double bytes = Bytes(*call.lhs.value) + Bytes(*call.rhs.value) + Bytes(*call.out.value);
  for (const EpilogueOp& op : call.epilogue)
    bytes += op.addend.value != nullptr ? Bytes(*op.addend.value) : 0;
  return PredictCall(operations, bytes, call.lhs.value->shape().element_type(), machine);
}

Prediction PredictConvolution(const Instruction& convolution, const MachineModel& machine) {
  const Instruction &lhs = *convolution.operand(0), &rhs = *convolution.operand(1);
  double operations = 2.0 * static_cast<double>(convolution.shape().num_elements());
  const absl::StatusOr<ConvolutionDims> dims =
      ParseConvolutionDims(convolution.as<ConvolutionAttributes>().dim_labels);
  // Each result is a sum over the kernel but for its output features.
  if (dims.ok()) {
    operations *=
        static_cast<double>(rhs.shape().num_elements()) /
        static_cast<double>(std::max<int64_t>(1, rhs.shape().dim(dims->rhs_output_feature)));
  }
  return PredictCall(operations, Bytes(lhs) + Bytes(rhs) + Bytes(convolution),
                     lhs.shape().element_type(), machine);
}

Prediction PredictCopy(const Instruction& from, const MachineModel& machine) {
  Prediction p = PredictCall(0, 2 * Bytes(from), ElementType::kF32, machine);
  return p;
}

}  // namespace astitch
