// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The report: one page of HTML that shows a plan. Nothing is loaded from elsewhere and nothing runs;
// what is long folds by itself.
#pragma once

#include <string>

#include "plan/plan.h"
#include "plan/verify.h"

namespace astitch {

// LIMITS: what the plan's machine gives a kernel.
std::string ReportHtml(const Plan& plan, const PlanLimits& limits);

}  // namespace astitch
