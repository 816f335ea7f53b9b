// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What may be repeated by its sizes; what is worth it, the planner asks the cost model.
#include "stitch/repeat.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "stitch/barriers.h"
#include "stitch/traffic.h"

namespace astitch {
namespace {

constexpr int64_t kMostElements = 32 << 10;    // that one block goes over
constexpr int64_t kMostRead = 128 << 10;       // bytes
constexpr int64_t kMostResultBytes = 8 << 10;  // in the shared memory of each block
constexpr size_t kMostTried = 4;               // groups of phases in a kernel
constexpr size_t kMostTogether = 4;            // phases of a group

bool MayBeRepeated(const RegionInfo& info, const KernelDraft& draft, const PhaseDraft& phase) {
  const RowSpace& space = phase.space;
  if (phase.repeated || space.split_columns || space.cluster > 1 || space.batch_axes > 0 ||
      space.scatter != nullptr || phase.turn == Turn::kTile)
    return false;
  int64_t read = 0, results = 0;
  for (const Instruction* value : phase.reads) read += TouchedBytes(info, value);
  for (const StageDraft& stage : phase.stages) {
    if (stage.chunked) return false;
    const int64_t elements = info.axes().ExtentOf(space.rows) * info.axes().ExtentOf(stage.columns);
    if (elements > kMostElements) return false;
    for (const RootDraft& root : stage.roots) {
      const bool folds_rows = root.over == ReduceOver::kRows || root.over == ReduceOver::kAll;
      const bool plain = root.kind == RootKind::kStore || root.kind == RootKind::kReduce ||
                         root.kind == RootKind::kCombine;
      if (root.partial || folds_rows || !plain || info.IsUpdated(root.value)) return false;
      for (const Instruction* result : info.ResultsOf(root.value)) {
        const auto home = draft.homes.find(result);
        if (home == draft.homes.end()) continue;
        if (home->second == Home::kOutput) return false;
        if (home->second == Home::kGlobal) results += result->shape().byte_size();
      }
    }
  }
  return read <= kMostRead && results > 0 && results <= kMostResultBytes;
}

int64_t NumGridBarriers(const KernelDraft& draft) {
  return std::count_if(draft.phases.begin(), draft.phases.end(), [](const PhaseDraft& phase) {
    return phase.barrier == PhaseBarrier::kGrid;
  });
}

void Repeat(const RegionInfo& info, PhaseDraft& phase, KernelDraft& draft) {
  phase.repeated = true;
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      for (const Instruction* result : info.ResultsOf(root.value)) {
        const auto home = draft.homes.find(result);
        if (home == draft.homes.end() || home->second != Home::kGlobal) continue;
        home->second = Home::kBlock;
        std::erase_if(draft.ledger, [&](const LedgerEntry& entry) {
          return entry.producer == result && entry.home == "global";
        });
        draft.ledger.push_back(
            {result, nullptr, "block", "repeated-in-each-block", result->shape().byte_size(), ""});
      }
    }
  }
}

}  // namespace

bool IsSmallReduction(const Instruction& reduce) {
  return reduce.opcode() == Opcode::kReduce &&
         reduce.operand(0)->shape().num_elements() <= kMostElements;
}

std::vector<std::vector<size_t>> RepeatablePhases(const RegionInfo& info,
                                                  const KernelDraft& draft) {
  const int64_t barriers = NumGridBarriers(draft);
  const auto spare = [&](const std::vector<size_t>& phases) {
    return NumGridBarriers(WithRepeated(info, draft, phases)) < barriers;
  };
  std::vector<std::vector<size_t>> groups;
  std::vector<size_t> together;  // since the last barrier, none of which spares one alone
  for (size_t p = 0; p < draft.phases.size() && groups.size() < kMostTried; ++p) {
    if (draft.phases[p].barrier == PhaseBarrier::kGrid) together.clear();
    if (!MayBeRepeated(info, draft, draft.phases[p])) continue;
    if (spare({p})) {
      groups.push_back({p});
    } else if (together.size() < kMostTogether) {
      together.push_back(p);
      if (together.size() > 1 && spare(together)) groups.push_back(std::exchange(together, {}));
    }
  }
  return groups;
}

std::string RepeatDetail(int64_t repeated_ns, int64_t barriers_ns) {
  return absl::StrFormat("predicted %.1f us so, %.1f us behind a barrier of the grid",
                         static_cast<double>(repeated_ns) / 1e3,
                         static_cast<double>(barriers_ns) / 1e3);
}

KernelDraft WithRepeated(const RegionInfo& info, KernelDraft draft,
                         const std::vector<size_t>& phases) {
  for (size_t p : phases) Repeat(info, draft.phases[p], draft);
  SetBarriers(info, draft);
  return draft;
}

}  // namespace astitch
