// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How a library step is cut into parts. The cut is part of the plan and knows nothing of the
// machine, so that one image gives the same bits with 1 and with 64 workers.
#include <algorithm>

#include "artifact/step.h"
#include "base/checked_math.h"

namespace astitch {
namespace {

// Enough parts for 16 workers, few enough that each packs its operands for a good reason.
constexpr int64_t kMaxParts = 16;
// A part of 2M multiplications takes about 40 us on one core: handing it over costs 0.2 us, and
// packing the shared operand again a few percent.
constexpr double kMinPartMultiplications = 2e6;
constexpr int64_t kMinPartRows = 64;        // a few register tiles high
constexpr int64_t kMinPartColumns = 64;     // a few vectors wide
constexpr double kPackedBytes = 256 << 10;  // half of a small L2
constexpr int64_t kMaxPackedParts = 4096;
constexpr int64_t kMinPartImageRows =
    4;  // neighbours read the rows under the window's overlap twice

// A divisor-like share of WANT parts along a dimension of SIZE, at least MIN_PART long each.
int64_t PartsOf(int64_t size, int64_t min_part, int64_t want) {
  return std::clamp<int64_t>(size / min_part, 1, std::max<int64_t>(want, 1));
}

int64_t WantedParts(double multiplications) {
  return static_cast<int64_t>(
      std::clamp<double>(multiplications / kMinPartMultiplications, 1.0, double{kMaxParts}));
}

}  // namespace

void ChooseSplit(MatmulStep& step) {
  double batch = 1;
  for (int64_t dim : step.batch) batch *= static_cast<double>(dim);
  const double work = batch * static_cast<double>(step.m) * static_cast<double>(step.n) *
                      static_cast<double>(step.k);
  int64_t want = WantedParts(work);
  step.batch_parts = static_cast<int32_t>(
      PartsOf(static_cast<int64_t>(std::min<double>(batch, kMaxParts)), 1, want));
  want /= step.batch_parts;
  step.m_parts = static_cast<int32_t>(PartsOf(step.m, kMinPartRows, want));
  want /= step.m_parts;
  // A product of a few rows lives on the reading of rhs. One that is converted on the way should
  // still be in the cache when it is used.
  if (step.rhs.type != DataType::kF32 && step.batch_parts == 1 && step.m_parts == 1) {
    want = std::max<int64_t>(want, std::min<double>(step.k, 1e9) * std::min<double>(step.n, 1e9) *
                                       sizeof(float) / kPackedBytes);
    want = std::min(want, kMaxPackedParts);
  }
  step.n_parts = static_cast<int32_t>(PartsOf(step.n, kMinPartColumns, want));
}

void ChooseSplit(ConvolutionStep& step) {
  double work = static_cast<double>(step.batch) * static_cast<double>(step.out_channels) *
                static_cast<double>(step.in_channels) / static_cast<double>(step.groups);
  for (int64_t dim : step.out_spatial) work *= static_cast<double>(dim);
  for (int64_t dim : step.kernel_spatial) work *= static_cast<double>(dim);
  int64_t want = WantedParts(work);
  step.batch_parts = static_cast<int32_t>(PartsOf(step.batch, 1, want));
  want /= step.batch_parts;
  step.row_parts = static_cast<int32_t>(PartsOf(step.out_spatial[0], kMinPartImageRows, want));
}

}  // namespace astitch
