// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel is told by a text in which values have numbers instead of names.
#include "report/kernel_groups.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace astitch {
namespace {

std::string StagesText(const std::vector<StageId>& stages) {
  return absl::StrJoin(stages, ",", [](std::string* out, StageId at) {
    absl::StrAppend(out, at.phase, ".", at.stage);
  });
}

std::string PhaseText(const Phase& phase) {
  std::string text =
      absl::StrCat("phase ", absl::StrJoin(phase.rows, ","), " ", phase.rows_per_task, " ",
                   phase.tile_rows, " ", phase.cols_per_task, " ", ToString(phase.barrier), "\n");
  for (const Stage& stage : phase.stages) {
    absl::StrAppend(&text, "stage ", absl::StrJoin(stage.columns, ","), " ", stage.vector, " ",
                    stage.chunk, " ", ToString(stage.barrier), "\n");
  }
  return text;
}

std::string TextOf(const KernelPlan& kernel, const KernelFlow& flow) {
  absl::flat_hash_map<const Instruction*, size_t> numbers;
  absl::flat_hash_map<const Instruction*, const Placement*> places;
  for (const Placement& place : kernel.placements) places.emplace(place.value, &place);
  std::string text = absl::StrCat(kernel.launch.grid, " ", kernel.launch.block, " ",
                                  kernel.launch.shared_bytes, " ", kernel.traffic.read, " ",
                                  kernel.traffic.written, " ", kernel.traffic.bound, "\n");
  for (const Phase& phase : kernel.phases) text += PhaseText(phase);
  for (const KernelFlow::Value& value : flow.values) {
    numbers.emplace(value.value, numbers.size());
    absl::StrAppend(&text, value.input ? "in " : "", ToString(value.value->opcode()), " ",
                    value.value->shape().ToString(false), " at ", StagesText(value.stages));
    const auto place = places.find(value.value);
    if (place != places.end())
      absl::StrAppend(&text, " ", ToString(place->second->home), " ",
                      ToString(place->second->keep));
    for (const Instruction* operand : value.value->operands()) {
      const auto number = numbers.find(operand);
      if (value.input) break;
      absl::StrAppend(&text, " ", number == numbers.end() ? "-" : absl::StrCat(number->second));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::vector<int>> GroupKernels(const PlanFacts& facts) {
  std::vector<std::vector<int>> groups;
  absl::flat_hash_map<std::string, size_t> group_of;
  for (size_t s = 0; s < facts.plan().steps.size(); ++s) {
    const int step = static_cast<int>(s);
    const KernelPlan* kernel = facts.KernelOf(step);
    if (kernel == nullptr) continue;
    const auto [it, fresh] = group_of.emplace(TextOf(*kernel, facts.FlowOf(step)), groups.size());
    if (fresh) groups.emplace_back();
    groups[it->second].push_back(step);
  }
  return groups;
}

}  // namespace astitch
