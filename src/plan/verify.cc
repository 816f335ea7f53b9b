// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The checks in order, and what they share.
#include "plan/verify.h"

#include <algorithm>
#include <limits>

#include "base/checked_math.h"
#include "plan/verify_kernel.h"

namespace astitch {
namespace plan_check {

KernelView::KernelView(const KernelPlan& kernel)
    : kernel_(kernel), inputs_(kernel.inputs.begin(), kernel.inputs.end()) {
  for (const Placement& placement : kernel.placements) {
    const Instruction* value = placement.value;
    homes_[{value, 0}] = &placement;
    if (value->opcode() != Opcode::kGetTupleElement) continue;
    homes_[{value->operand(0), value->as<TupleIndexAttributes>().index}] = &placement;
  }
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.kind == RootKind::kScatter) scattered_.insert(root.value);
      }
    }
  }
}

const Placement* KernelView::HomeOf(const Instruction* value, int64_t leaf) const {
  const auto it = homes_.find({value, leaf});
  return it == homes_.end() ? nullptr : it->second;
}

absl::Status KernelView::Fault(PlanPlace place, const Instruction* value,
                               absl::string_view words) const {
  std::string text = absl::StrCat("kernel ", kernel_.name, ": ");
  if (place.phase >= 0) absl::StrAppend(&text, "phase ", place.phase, ": ");
  if (place.stage >= 0) absl::StrAppend(&text, "stage ", place.stage, ": ");
  if (value != nullptr) absl::StrAppend(&text, "%", value->name(), ": ");
  return absl::InvalidArgumentError(absl::StrCat(text, words));
}

int64_t NumElementsOf(const std::vector<int64_t>& extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

int64_t ProductOrMost(int64_t a, int64_t b) {
  return CheckedMul(a, b).value_or(std::numeric_limits<int64_t>::max());
}

std::vector<int64_t> AxesOf(const Phase& phase, const Stage& stage) {
  std::vector<int64_t> extents = phase.rows;
  extents.insert(extents.end(), stage.columns.begin(), stage.columns.end());
  return extents;
}

int64_t PartOfColumns(const Phase& phase, const Stage& stage) {
  const int64_t columns = NumElementsOf(stage.columns);
  if (stage.chunk > 0) return std::min(stage.chunk, columns);
  return phase.columns_per_task(stage);
}

std::pair<int64_t, int64_t> ChunkGroup(const Phase& phase, int64_t stage) {
  const int64_t chunk = phase.stages[stage].chunk;
  int64_t first = stage, last = stage;
  if (chunk == 0) return {first, last};
  while (first > 0 && phase.stages[first - 1].chunk == chunk) --first;
  while (last + 1 < static_cast<int64_t>(phase.stages.size()) &&
         phase.stages[last + 1].chunk == chunk)
    ++last;
  return {first, last};
}

PhaseBarrier BarrierBetween(const KernelPlan& kernel, int64_t from, int64_t to) {
  PhaseBarrier strongest = PhaseBarrier::kNone;
  for (int64_t p = from + 1; p <= to; ++p) {
    const PhaseBarrier barrier = kernel.phases[p].barrier;
    if (barrier == PhaseBarrier::kGrid) return barrier;
    strongest = std::max(strongest, barrier);  // flags know of more than the block
  }
  return strongest;
}

// Behind flags only blocks with a task meet, and not before what they read for all of their tasks.
bool BlockWaitsBetween(const KernelPlan& kernel, int64_t from, int64_t to) {
  for (int64_t p = from + 1; p <= to; ++p) {
    const PhaseBarrier barrier = kernel.phases[p].barrier;
    if (barrier == PhaseBarrier::kBlock || barrier == PhaseBarrier::kGrid) return true;
  }
  return false;
}

namespace {

absl::Status Check(const KernelPlan& kernel, const VerifyOptions& options) {
  const KernelView view(kernel);
  ASTITCH_RETURN_IF_ERROR(CheckStructure(view));
  ASTITCH_RETURN_IF_ERROR(CheckReductions(view));
  ASTITCH_RETURN_IF_ERROR(CheckStores(view));
  ASTITCH_ASSIGN_OR_RETURN(const KernelUses uses, WalkKernel(view, options.complete));
  ASTITCH_RETURN_IF_ERROR(CheckMemory(view, uses));
  return options.limits.has_value() ? CheckLaunch(view, *options.limits) : absl::OkStatus();
}

}  // namespace
}  // namespace plan_check

absl::Status VerifyKernel(const KernelPlan& kernel, const VerifyOptions& options) {
  return plan_check::Check(kernel, options);
}

absl::Status VerifyPlan(const Plan& plan, const VerifyOptions& options) {
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) continue;
    ASTITCH_RETURN_IF_ERROR(plan_check::Check(*kernel, options));
  }
  ASTITCH_RETURN_IF_ERROR(plan_check::CheckProgram(plan));
  return options.complete ? plan_check::CheckLedger(plan) : absl::OkStatus();
}

}  // namespace astitch
