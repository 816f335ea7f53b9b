// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The ledger leaves out no edge of the graph.
#include "absl/strings/str_cat.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {

absl::Status CheckLedger(const Plan& plan) {
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> told;
  for (const LedgerEntry& entry : plan.ledger) told.insert({entry.producer, entry.consumer});
  for (const Instruction* reader : plan.graph->entry()->post_order()) {
    for (const Instruction* operand : reader->operands()) {
      if (told.contains({operand, reader})) continue;
      return absl::InvalidArgumentError(absl::StrCat("expected a line of the ledger for %",
                                                     operand->name(), " -> %", reader->name(),
                                                     ", got none"));
    }
  }
  return absl::OkStatus();
}

}  // namespace astitch::plan_check
