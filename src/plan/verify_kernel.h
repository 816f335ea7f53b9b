// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the checks of one kernel share: look-ups over its plan, words for places in it, and the
// checks themselves, in the order in which they run: each may take for granted what those before it
// have found right.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "plan/index_map.h"
#include "plan/kernel_plan.h"
#include "plan/verify.h"

namespace astitch::plan_check {

// A stage of a kernel; stage -1: the phase as a whole, phase -1: the kernel.
struct PlanPlace {
  int64_t phase = -1, stage = -1;
};

class KernelView {
 public:
  explicit KernelView(const KernelPlan& kernel);

  const KernelPlan& kernel() const { return kernel_; }
  bool IsInput(const Instruction* value) const { return inputs_.contains(value); }
  // The home of an element of VALUE (0 of an array): its own, or that of the get-tuple-element
  // which opens it. Null: none.
  const Placement* HomeOf(const Instruction* value, int64_t leaf) const;
  // A scatter that a later phase updates in place: what stores it stores its operand.
  bool IsScattered(const Instruction* value) const { return scattered_.contains(value); }
  // One thread does everything: what it wrote, it can read.
  bool one_thread() const { return kernel_.launch.block == 1; }

  // "kernel k0: phase 1: stage 2: %x: WORDS".
  absl::Status Fault(PlanPlace place, const Instruction* value, absl::string_view words) const;

 private:
  const KernelPlan& kernel_;
  absl::flat_hash_set<const Instruction*> inputs_, scattered_;
  absl::flat_hash_map<std::pair<const Instruction*, int64_t>, const Placement*> homes_;
};

int64_t NumElementsOf(const std::vector<int64_t>& extents);
// As much as there is where the product does not fit.
int64_t ProductOrMost(int64_t a, int64_t b);
// Rows, then columns.
std::vector<int64_t> AxesOf(const Phase& phase, const Stage& stage);
// Columns of STAGE that a task or chunk has at once.
int64_t PartOfColumns(const Phase& phase, const Stage& stage);
// Stages that run together, chunk after chunk: [first, last].
std::pair<int64_t, int64_t> ChunkGroup(const Phase& phase, int64_t stage);
// Whether tasks may run past a barrier: the strongest one after phase FROM and up to phase TO.
PhaseBarrier BarrierBetween(const KernelPlan& kernel, int64_t from, int64_t to);
// Whether the threads of each block have met after phase FROM and before phase TO.
bool BlockWaitsBetween(const KernelPlan& kernel, int64_t from, int64_t to);

// What evaluation reads where.
struct KernelUses {
  struct Slot {  // of shared or tile memory
    const Placement* home;
    int64_t phase, first, last;  // stages; first -1: before all
  };
  std::vector<Slot> slots;
  struct Array {
    const Placement* home;
    int64_t first, last;  // phases
  };
  std::vector<Array> scratch;
  std::vector<Array> blocks;  // of shared or tile memory: what each block has for itself
};

absl::Status CheckStructure(const KernelView& view);
absl::StatusOr<KernelUses> WalkKernel(const KernelView& view, bool complete);
absl::Status CheckReductions(const KernelView& view);
absl::Status CheckStores(const KernelView& view);
absl::Status CheckMemory(const KernelView& view, const KernelUses& uses);
absl::Status CheckLaunch(const KernelView& view, const PlanLimits& limits);

// ---- of the whole plan
absl::Status CheckProgram(const Plan& plan);
absl::Status CheckLedger(const Plan& plan);

}  // namespace astitch::plan_check
