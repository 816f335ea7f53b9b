// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks up from the roots of each stage to memory and to what earlier stages have stored.
#include "stitch/stage_reads.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

bool InMemory(const RegionInfo& info, const PhaseDraft& phase, const Instruction* value) {
  return !info.IsComputed(value) ||
         std::find(phase.reads.begin(), phase.reads.end(), value) != phase.reads.end();
}

// Calls VISIT with what evaluating ROOT reads: values of memory, and of earlier stages.
template <typename Visit>
void ForEachRead(const RegionInfo& info, const PhaseDraft& phase, const RootDraft& root,
                 const absl::flat_hash_set<const Instruction*>& stored, Visit visit) {
  if (root.kind == RootKind::kStore && stored.contains(root.value)) return visit(root.value);
  std::vector<const Instruction*> stack = {root.value};
  absl::flat_hash_set<const Instruction*> seen;
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    for (const Instruction* operand : info.OperandsOf(value, root.kind)) {
      if (!seen.insert(operand).second) continue;
      const Instruction* reduce = RegionInfo::ReduceOf(operand);
      if (InMemory(info, phase, operand) || stored.contains(reduce != nullptr ? reduce : operand)) {
        visit(operand);
      } else {
        stack.push_back(operand);
      }
    }
  }
}

}  // namespace

void KeepRowResults(const RegionInfo& info, const PhaseDraft& phase,
                    absl::flat_hash_map<const Instruction*, Home>& homes) {
  absl::flat_hash_set<const Instruction*> stored;
  absl::flat_hash_map<const Instruction*, bool> along_rows;
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      ForEachRead(info, phase, root, stored, [&](const Instruction* read) {
        const Instruction* reduce = RegionInfo::ReduceOf(read);
        const auto it = along_rows.find(reduce);
        if (it == along_rows.end() || it->second == stage.along_rows) return;
        Home& home = homes[read];
        if (home == Home::kLocal) home = Home::kRegional;
      });
    }
    for (const RootDraft& root : stage.roots) {
      stored.insert(root.value);
      if (root.kind == RootKind::kReduce) along_rows[root.value] = stage.along_rows;
    }
  }
}

void FindReadsAgain(const RegionInfo& info, PhaseDraft& phase) {
  absl::flat_hash_map<const Instruction*, int> sweeps;
  absl::flat_hash_set<const Instruction*> stored;
  std::vector<const Instruction*> in_chunks;
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    const StageDraft& stage = phase.stages[s];
    absl::flat_hash_set<const Instruction*> here;
    for (const RootDraft& root : stage.roots)
      ForEachRead(info, phase, root, stored, [&](const Instruction* read) { here.insert(read); });
    for (const Instruction* read : here) ++sweeps[read];
    for (const RootDraft& root : stage.roots) {
      stored.insert(root.value);
      if (stage.chunked && root.kind != RootKind::kReduce) in_chunks.push_back(root.value);
    }
    const bool ends = std::any_of(stage.roots.begin(), stage.roots.end(),
                                  [](const auto& root) { return root.kind == RootKind::kReduce; });
    if (stage.chunked && !ends && s + 1 < phase.stages.size() && phase.stages[s + 1].chunked)
      continue;
    for (const Instruction* value : in_chunks) stored.erase(value);
    in_chunks.clear();
  }
  phase.reads_again.clear();
  for (const Instruction* read : phase.reads) {
    if (sweeps[read] > 1) phase.reads_again.push_back(read);
  }
}

}  // namespace astitch
