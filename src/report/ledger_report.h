// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The ledger for people and for programs.
#pragma once

#include <string>

#include "plan/plan.h"
#include "plan/verify.h"

namespace astitch {

// A line an edge: producer, consumer, home, reason, bytes; under it, what would improve it, if known.
// LIMITS: what the plan's machine gives a kernel.
std::string LedgerText(const Plan& plan, const PlanLimits& limits);

// The whole plan for programs, as docs/ledger.schema.json describes it; keys in a fixed order.
std::string LedgerJson(const Plan& plan, const PlanLimits& limits);

}  // namespace astitch
