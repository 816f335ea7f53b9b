// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of a plan that look the same but for names, such as those of a model's equal layers.
#pragma once

#include <vector>

#include "report/plan_facts.h"

namespace astitch {

// Steps of equal kernels, each group and the groups in the order of the steps.
std::vector<std::vector<int>> GroupKernels(const PlanFacts& facts);

}  // namespace astitch
