// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps of the interpreter: so much an operation, so much an element, and the way to the host and back.
//
// Figures measured on two cores of a Xeon, within a factor of two but for what is said of loops.
#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "plan/reference_call.h"
#include "stitch/cost.h"

namespace astitch {
namespace {

constexpr double kStepNs = 5000;       // arrays in and out
constexpr double kOperationNs = 1500;  // however small: values are allocated
constexpr double kElementNs = 1;       // of operands and results
constexpr double kComparisonNs = 30;   // of a sort: a computation on scalars
constexpr double kChoiceNs = 5;        // of a top-k: numbers
constexpr double kProductNs = 1;       // of a dot or convolution
constexpr double kButterflyNs = 5;     // of a Fourier transform: a step of an element
// Of a loop that nobody counts. Estimate.
constexpr double kTurns = 16;
// Between a GPU and its host. Estimate: PCIe 4.0.
constexpr double kLinkGbPerS = 20;

double ElementsOf(const Shape& shape) {
  double elements = 0;
  for (const Shape* leaf : shape.Leaves())
    elements += leaf->IsArray() ? static_cast<double>(leaf->num_elements()) : 0;
  return elements;
}

// Comparisons of a merge sort of rows along dimension DIM of SHAPE.
double ComparisonsOf(const Shape& shape, int64_t dim) {
  return ElementsOf(shape) * std::log2(std::max<double>(2, static_cast<double>(shape.dim(dim))));
}

// Products of a dot, m * n * k of a matrix product; of a convolution each result with all of the lesser
// operand, at most.
double ProductsOf(const Instruction& i) {
  const double lhs = ElementsOf(i.operand(0)->shape()), rhs = ElementsOf(i.operand(1)->shape());
  const double results = ElementsOf(i.shape());
  return i.opcode() == Opcode::kDot ? std::sqrt(lhs * rhs * results) : results * std::min(lhs, rhs);
}

// INSTRUCTION by itself, without what it calls.
double OwnNs(const Instruction& i) {
  double ns = kOperationNs + kElementNs * ElementsOf(i.shape());
  for (const Instruction* operand : i.operands()) ns += kElementNs * ElementsOf(operand->shape());
  switch (i.opcode()) {
    case Opcode::kSort:
      return ns +
             kComparisonNs * ComparisonsOf(i.operand(0)->shape(), i.as<SortAttributes>().dimension);
    case Opcode::kTopK:
    case Opcode::kCustomCall: {
      const Shape& shape = i.operand(0)->shape();
      return shape.rank() == 0 ? ns : ns + kChoiceNs * ComparisonsOf(shape, shape.rank() - 1);
    }
    case Opcode::kFft: {
      double steps = 0;
      for (int64_t length : i.as<FftAttributes>().lengths)
        steps += std::log2(std::max<double>(2, static_cast<double>(length)));
      return ns + kButterflyNs * steps * ElementsOf(i.operand(0)->shape());
    }
    case Opcode::kConvolution:
    case Opcode::kDot:
      return ns + kProductNs * ProductsOf(i);
    default:
      return ns;
  }
}

// With all that it calls: bodies of loops a few times, computations on scalars as part of their caller.
double EvaluationNs(const Instruction& instruction) {
  struct Open {
    const Instruction* caller;
    double times;
  };
  double ns = OwnNs(instruction);
  absl::flat_hash_set<const Computation*> seen;
  std::vector<Open> open = {{&instruction, 1}};
  while (!open.empty()) {
    const auto [caller, before] = open.back();
    open.pop_back();
    if (KindOf(caller->opcode()) != OpKind::kControl) continue;
    const double times = before * (caller->opcode() == Opcode::kWhile ? kTurns : 1);
    for (const Computation* computation : caller->called()) {
      if (!seen.insert(computation).second) continue;
      for (const auto& inner : computation->instructions()) {
        if (KindOf(inner->opcode()) != OpKind::kTuple && inner->opcode() != Opcode::kParameter)
          ns += times * OwnNs(*inner);
        if (!inner->called().empty()) open.push_back({inner.get(), times});
      }
    }
  }
  return ns;
}

}  // namespace

Prediction PredictReference(const Instruction& instruction, const MachineModel& m) {
  double bytes = 0;
  for (const Instruction* input : ReferenceInputs(instruction))
    bytes += static_cast<double>(input->shape().byte_size());
  for (const Instruction* output : ReferenceOutputs(instruction))
    bytes += static_cast<double>(output->shape().byte_size());
  const double evaluation = EvaluationNs(instruction);
  const double latency = kStepNs + (m.is_host() ? 0 : bytes / kLinkGbPerS + 2e3 * m.launch_us);
  Prediction p;
  p.bound = evaluation > latency ? Bound::kArithmetic : Bound::kLatency;
  p.dram_bytes = std::llround(std::min(bytes, 9e18));
  p.operations = std::llround(std::min(evaluation / kElementNs, 9e18));
  p.latency_ns = std::llround(std::min(latency, 9e18));
  p.ns = std::llround(std::min(evaluation + latency, 9e18));
  return p;
}

}  // namespace astitch
