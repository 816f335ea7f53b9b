// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The sections of the report, each HTML of its own.
#pragma once

#include <string>
#include <vector>

#include "plan/verify.h"
#include "report/plan_facts.h"

namespace astitch {

// Title, target, totals.
std::string HeadSection(const PlanFacts& facts);
// A bar for each group of equal kernels: bytes read and written, with a mark at the bound.
std::string TrafficSection(const PlanFacts& facts, const std::vector<std::vector<int>>& groups);
// Edges that go through memory inside the plan, the largest first, with why and what would help.
std::string CutSection(PlanFacts& facts, const PlanLimits& limits);
// What two plans of a kernel were predicted to take, for each choice between them; empty if there is none.
std::string ChoiceSection(const PlanFacts& facts);
// The kernels, drawn, or told by class where a drawing would be too large.
std::string KernelSection(const PlanFacts& facts, const std::vector<std::vector<int>>& groups);

}  // namespace astitch
