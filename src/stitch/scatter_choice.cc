// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What may be chosen, and the line of the ledger.
#include "stitch/scatter_choice.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/gather_dims.h"
#include "stitch/op_class.h"

namespace astitch {

bool MayScatterByRows(const Instruction& scatter, const MachineModel& machine) {
  if (!IsScatter(scatter) || scatter.num_operands() != 3) return false;
  if (scatter.shape().num_elements() == 0 || scatter.operand(2)->shape().num_elements() == 0)
    return false;
  return machine.is_host() || WindowsAreSameOrApart(scatter);
}

Region RegionOf(const Instruction& scatter) {
  Region region;
  region.values = {&scatter};
  region.outputs = {&scatter};
  region.name = scatter.name();
  for (const Instruction* operand : scatter.operands()) {
    const auto& inputs = region.inputs;
    if (!IsImmediate(*operand) && std::find(inputs.begin(), inputs.end(), operand) == inputs.end())
      region.inputs.push_back(operand);
  }
  return region;
}

LedgerEntry ScatterEntry(const Instruction& scatter, Home home, const ScatterChoice& choice) {
  LedgerEntry entry;
  entry.producer = &scatter;
  entry.home = std::string(ToString(home));
  entry.reason = choice.by_rows() ? "updates-by-rows" : "updates-by-elements";
  entry.bytes = scatter.shape().byte_size();
  entry.detail = absl::StrFormat(
      "predicted %.1f us with a warp for each index vector, %.1f us with all "
      "index vectors for each element",
      static_cast<double>(choice.rows_ns) / 1e3, static_cast<double>(choice.elements_ns) / 1e3);
  return entry;
}

}  // namespace astitch
