// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What would bring an edge nearer: of each line of the ledger whose value is not at its best home, the
// smallest change that would improve it, with figures of the plan and the machine.
//
// Nothing is said where nothing is to be gained, and where it is not known what would help.
#pragma once

#include <string>

#include "plan/verify.h"
#include "report/plan_facts.h"

namespace astitch {

// Of line LINE of the plan's ledger; empty: nothing. LIMITS: what the plan's machine gives a kernel.
std::string ImprovementOf(PlanFacts& facts, const PlanLimits& limits, size_t line);

}  // namespace astitch
