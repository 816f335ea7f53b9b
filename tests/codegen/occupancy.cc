// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/occupancy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/codegen/assembler.h"

namespace astitch::testing {

std::string CheckOccupancy(const KernelPlan& plan, const PtxKernel& ptx,
                           const MachineModel& machine) {
  const auto assembled = AssembleHere(ptx.text, machine.sm);
  if (!assembled.ok()) return std::string(assembled.status().message());
  if (assembled->spilled_bytes > 0) return absl::StrCat("spills ", assembled->spilled_bytes);
  const Launch& launch = plan.launch;
  if (launch.registers > 0 && assembled->registers > launch.registers)
    return absl::StrCat(assembled->registers, " registers, planned ", launch.registers);
  constexpr int64_t kGranule = 8;
  const int64_t shared =
      ptx.shared_bytes + assembled->static_shared_bytes + machine.reserved_shared_bytes();
  const int64_t registers = (assembled->registers + kGranule - 1) / kGranule * kGranule;
  int64_t fit = std::min(machine.shared_bytes_per_sm / std::max<int64_t>(1, shared),
                         machine.registers_per_sm / (registers * launch.block));
  fit = std::min(fit, machine.max_threads_per_sm / int64_t{launch.block});
  if (fit >= launch.blocks_per_sm) return "";
  return absl::StrCat(fit, " blocks fit on an SM, planned ", launch.blocks_per_sm);
}

}  // namespace astitch::testing
