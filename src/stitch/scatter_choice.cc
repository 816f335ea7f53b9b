// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The line of the ledger.
#include "stitch/scatter_choice.h"

#include "absl/strings/str_format.h"

namespace astitch {

LedgerEntry ScatterEntry(const Instruction& scatter, const ScatterChoice& choice) {
  LedgerEntry entry;
  entry.producer = &scatter;
  entry.home = "output";
  entry.reason = choice.by_rows() ? "updates-by-rows" : "updates-by-elements";
  entry.bytes = scatter.shape().byte_size();
  entry.detail = absl::StrFormat(
      "predicted %.1f us with a warp for each index vector, %.1f us with all "
      "index vectors for each element",
      static_cast<double>(choice.rows_ns) / 1e3, static_cast<double>(choice.elements_ns) / 1e3);
  return entry;
}

}  // namespace astitch
