// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The ledger for people and for programs.
#pragma once

#include <string>

#include "plan/plan.h"

namespace astitch {

// A heading a kernel, then one line an edge: producer, consumer, home, reason, bytes.
std::string LedgerText(const Plan& plan);

// {"schema": 1, "target": ..., "fusion": ..., "summary": {...}, "steps": [...], "edges": [...]};
// keys in a fixed order.
std::string LedgerJson(const Plan& plan);

}  // namespace astitch
