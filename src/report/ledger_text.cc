// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The ledger as a table.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/improve.h"
#include "report/ledger_report.h"

namespace astitch {

std::string LedgerText(const Plan& plan, const PlanLimits& limits) {
  std::string out = absl::StrFormat("%-32s %-32s %-10s %-26s %12s\n", "producer", "consumer",
                                    "home", "reason", "bytes");
  PlanFacts facts(plan);
  for (size_t n = 0; n < plan.ledger.size(); ++n) {
    const LedgerEntry& entry = plan.ledger[n];
    absl::StrAppend(
        &out,
        absl::StrFormat("%-32s %-32s %-10s %-26s %12d", absl::StrCat("%", entry.producer->name()),
                        entry.consumer != nullptr ? absl::StrCat("%", entry.consumer->name()) : "-",
                        entry.home, entry.reason, entry.bytes));
    if (!entry.detail.empty()) absl::StrAppend(&out, "  ", entry.detail);
    out += "\n";
    const std::string improve = ImprovementOf(facts, limits, n);
    if (!improve.empty()) absl::StrAppend(&out, "    improve: ", improve, "\n");
  }
  return out;
}

}  // namespace astitch
