// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Library calls: a dot as a batched strided matrix product.
#pragma once

#include "absl/status/statusor.h"
#include "plan/plan.h"

namespace astitch {

// Groups the dimensions of a dot into batch, m, n and k. Error: the free or contracted dimensions
// of an operand do not lie evenly in memory, so that no single stride walks them (passes transpose
// such operands before planning).
absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot);

}  // namespace astitch
