// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every home has its writer: an output, a value in scratch and one that each block has for itself one
// root of the kernel, a slot at most one of a phase. That a root writes each element once is what its map says (verify_structure.cc).
#include "absl/strings/str_cat.h"
#include "ir/gather_dims.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

class StoreChecker {
 public:
  explicit StoreChecker(const KernelView& view) : view_(view) {}

  absl::Status Run() {
    ASTITCH_RETURN_IF_ERROR(CheckOutputs());
    const std::vector<Phase>& phases = view_.kernel().phases;
    for (size_t p = 0; p < phases.size(); ++p) {
      for (size_t s = 0; s < phases[p].stages.size(); ++s) {
        for (const Root& root : phases[p].stages[s].roots)
          ASTITCH_RETURN_IF_ERROR(Count({static_cast<int64_t>(p), static_cast<int64_t>(s)}, root));
      }
    }
    for (const Placement& placement : view_.kernel().placements) {
      const bool computed = placement.home != Home::kLocal;
      if (computed && !stores_.contains(&placement))
        return view_.Fault({}, placement.value,
                           absl::StrCat("expected a root that stores it in its home ",
                                        ToString(placement.home), ", got none"));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckOutputs() const {
    const std::vector<const Instruction*>& outputs = view_.kernel().outputs;
    for (size_t k = 0; k < outputs.size(); ++k) {
      const Placement* home = view_.kernel().FindPlacement(outputs[k]);
      if (home == nullptr || home->home != Home::kOutput)
        return view_.Fault({}, outputs[k],
                           absl::StrCat("expected home output for output ", k, ", got ",
                                        home == nullptr ? "none" : ToString(home->home)));
    }
    absl::flat_hash_set<const Instruction*> placed;
    for (const Placement& placement : view_.kernel().placements) {
      if (!placed.insert(placement.value).second)
        return view_.Fault({}, placement.value, "expected one place, got another");
      if (placement.home != Home::kOutput) continue;
      const int64_t k = placement.output;
      if (k < 0 || k >= static_cast<int64_t>(outputs.size()) || outputs[k] != placement.value)
        return view_.Fault({}, placement.value,
                           absl::StrCat("expected the number of its output, got ", k));
    }
    return absl::OkStatus();
  }

  absl::Status Count(PlanPlace at, const Root& root) {
    if (root.leaves_parts()) return absl::OkStatus();
    if (root.kind == RootKind::kScatter) return CheckScatter(at, root);
    bool stored = false;
    for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
      const Placement* home = view_.HomeOf(root.value, leaf);
      if (home == nullptr) continue;
      stored = true;
      if (root.kind == RootKind::kTurn) {
        ASTITCH_RETURN_IF_ERROR(CheckTurn(at, root, *home));
        continue;
      }
      const auto [it, fresh] = stores_.emplace(home, at);
      if (home->home == Home::kBlock && !view_.kernel().phases[at.phase].repeated)
        return view_.Fault(
            at, root.value,
            "expected a phase that every block repeats for a value that each has for "
            "itself, got one whose tasks they share");
      const bool slot =
          home->home != Home::kOutput && home->home != Home::kGlobal && home->home != Home::kBlock;
      if (!fresh && (!slot || it->second.phase == at.phase))
        return view_.Fault(at, root.value,
                           absl::StrCat("expected one root that stores it, got another after ",
                                        "phase ", it->second.phase, ", stage ", it->second.stage));
      it->second = at;
    }
    if (!stored) return view_.Fault(at, root.value, "expected a place for a root, got none");
    return absl::OkStatus();
  }

  // Updated in place, behind everybody who stored a part of the operand there.
  absl::Status CheckScatter(PlanPlace at, const Root& root) const {
    for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
      const Placement* home = view_.HomeOf(root.value, leaf);
      const auto it = home == nullptr ? stores_.end() : stores_.find(home);
      if (it == stores_.end())
        return view_.Fault(at, root.value, "expected a store of its operand in an earlier phase");
      if (home->home != Home::kGlobal && home->home != Home::kOutput)
        return view_.Fault(
            at, root.value,
            absl::StrCat("expected home global or output for what all blocks update, "
                         "got ",
                         ToString(home->home)));
      const PhaseBarrier barrier = BarrierBetween(view_.kernel(), it->second.phase, at.phase);
      if (barrier != PhaseBarrier::kGrid)
        return view_.Fault(
            at, root.value,
            absl::StrCat("expected a barrier of the grid behind phase ", it->second.phase,
                         ", which stores its operand, got ", ToString(barrier)));
    }
    const Phase& phase = view_.kernel().phases[at.phase];
    if (!view_.one_thread()) return CheckRowsSideBySide(at, root, phase);
    if (phase.row_tasks_per_batch() * phase.num_batches() <= 1) return absl::OkStatus();
    return view_.Fault(at, root.value,
                       "expected one task that goes through all index vectors, got several");
  }

  // On a GPU a place is its first row's, whose warp looks at all others.
  absl::Status CheckRowsSideBySide(PlanPlace at, const Root& root, const Phase& phase) const {
    constexpr int64_t kWarp = 32;
    const Stage& stage = phase.stages[at.stage];
    if (!root.value->shape().IsArray())
      return view_.Fault(at, root.value, "expected a scatter of one result, got several");
    if (!WindowsAreSameOrApart(*root.value))
      return view_.Fault(at, root.value,
                         "expected windows that are the same or apart, for rows side by side, got "
                         "some that may overlap in part");
    if (phase.threads_per_row != kWarp || stage.vector_rows)
      return view_.Fault(
          at, root.value,
          absl::StrCat("expected a warp for each index vector, got ", phase.threads_per_row,
                       " threads", stage.vector_rows ? " with lanes along rows" : ""));
    if (stage.roots.size() > 1)
      return view_.Fault(at, root.value,
                         absl::StrCat("expected a stage of its own for a scatter, got ",
                                      stage.roots.size(), " roots"));
    if (stage.chunk > 0 || stage.peel == Peel::kBoth)
      return view_.Fault(at, root.value, "expected whole columns of a task, got chunks or a peel");
    return absl::OkStatus();
  }

  absl::Status CheckTurn(PlanPlace at, const Root& root, const Placement& home) const {
    if (home.home == Home::kOutput && home.keep == Keep::kShared) return absl::OkStatus();
    return view_.Fault(at, root.value,
                       "expected an output that is kept in shared memory for a root of kind turn");
  }

  const KernelView& view_;
  absl::flat_hash_map<const Placement*, PlanPlace> stores_;
};

}  // namespace

absl::Status CheckStores(const KernelView& view) { return StoreChecker(view).Run(); }

}  // namespace astitch::plan_check
