// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions in parts: a task folds what it has; as many parts as tasks, in the order of tasks, and
// a combine in a later phase that folds them all.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

struct Parts {
  PlanPlace place;
  const Root* root = nullptr;
  int64_t combines = 0;
};

class ReductionChecker {
 public:
  explicit ReductionChecker(const KernelView& view) : view_(view) {}

  absl::Status Run() {
    const std::vector<Phase>& phases = view_.kernel().phases;
    for (size_t p = 0; p < phases.size(); ++p) {
      for (size_t s = 0; s < phases[p].stages.size(); ++s) {
        const PlanPlace at{static_cast<int64_t>(p), static_cast<int64_t>(s)};
        for (const Root& root : phases[p].stages[s].roots) {
          ASTITCH_RETURN_IF_ERROR(CheckRoot(at, phases[p], phases[p].stages[s], root));
        }
      }
    }
    for (const Instruction* value : order_) {
      const Parts& parts = parts_.at(value);
      if (parts.combines == 0)
        return view_.Fault(parts.place, value, "expected a combine of its parts, got none");
    }
    return absl::OkStatus();
  }

 private:
  // Tasks whose parts make one result.
  static int64_t TasksOf(const Phase& phase, ReduceOver over) {
    switch (over) {
      case ReduceOver::kNone:
        return 1;
      case ReduceOver::kColumns:
        return phase.col_tasks();
      case ReduceOver::kRows:
        return phase.row_tasks_per_batch();
      case ReduceOver::kAll:
        return phase.row_tasks_per_batch() * phase.col_tasks();
    }
    ASTITCH_UNREACHABLE();
  }

  absl::Status CheckRoot(PlanPlace at, const Phase& phase, const Stage& stage, const Root& root) {
    if (root.kind == RootKind::kReduce) return CheckReduce(at, phase, stage, root);
    if (root.kind == RootKind::kCombine) return CheckCombine(at, stage, root);
    if (root.kind == RootKind::kScan) return CheckScan(at, phase, root);
    return absl::OkStatus();
  }

  absl::Status Expect(PlanPlace at, const Root& root, absl::string_view what, int64_t wanted,
                      int64_t got) const {
    if (wanted == got) return absl::OkStatus();
    return view_.Fault(at, root.value, absl::StrCat("expected ", what, "=", wanted, ", got ", got));
  }

  absl::Status CheckReduce(PlanPlace at, const Phase& phase, const Stage& stage, const Root& root) {
    int64_t tasks = TasksOf(phase, root.over);
    if (!root.partial) {
      // Blocks of a cluster hand each other what they have of a row.
      if (phase.cluster > 1 && root.over != ReduceOver::kRows) tasks /= phase.col_tasks();
      if (tasks <= 1) return absl::OkStatus();
      return view_.Fault(at, root.value,
                         absl::StrCat("expected to be partial, since ", tasks,
                                      " tasks fold parts of one result, got partial=0"));
    }
    ASTITCH_RETURN_IF_ERROR(Expect(at, root, "parts", tasks, root.parts));
    const int64_t inner = root.over == ReduceOver::kColumns ? phase.num_rows()
                          : root.over == ReduceOver::kRows  ? KeptColumns(phase, stage, root)
                                                            : 1;
    ASTITCH_RETURN_IF_ERROR(Expect(at, root, "partial_inner", inner, root.partial_inner));
    ASTITCH_RETURN_IF_ERROR(AddParts(at, root));
    for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
      const Placement* home = view_.HomeOf(root.value, leaf);
      const Shape& shape = LeafShape(*root.value, leaf);
      const int64_t bytes =
          ProductOrMost(root.parts, shape.num_elements() * AccumulatorBytesOf(shape));
      if (home == nullptr)
        return view_.Fault(
            at, root.value,
            absl::StrCat("expected a place for the parts of result ", leaf, ", got none"));
      if (home->partial_bytes < bytes)
        return view_.Fault(
            at, root.value,
            absl::StrCat("expected partial_bytes=", bytes, " for ", root.parts, " parts of ",
                         shape.ToString(false), ", got ", home->partial_bytes));
    }
    return absl::OkStatus();
  }

  absl::Status AddParts(PlanPlace at, const Root& root) {
    if (!parts_.emplace(root.value, Parts{at, &root}).second)
      return view_.Fault(at, root.value, "expected one root that folds its parts, got another");
    order_.push_back(root.value);
    return absl::OkStatus();
  }

  // Tasks that share a row leave what their columns come to, in one phase, and start from what those
  // before them left, in another.
  absl::Status CheckScan(PlanPlace at, const Phase& phase, const Root& root) {
    if (root.partial) {
      ASTITCH_RETURN_IF_ERROR(Expect(at, root, "parts", phase.col_tasks(), root.parts));
      ASTITCH_RETURN_IF_ERROR(
          Expect(at, root, "partial_inner", phase.num_rows(), root.partial_inner));
      const Shape& shape = root.value->shape();
      if (!shape.IsArray())
        return view_.Fault(at, root.value, "expected an array, whose scan may have parts");
      const Placement* home = view_.HomeOf(root.value, 0);
      const int64_t bytes = ProductOrMost(root.parts, phase.num_rows() * AccumulatorBytesOf(shape));
      if (home == nullptr || home->partial_bytes < bytes)
        return view_.Fault(at, root.value,
                           absl::StrCat("expected partial_bytes=", bytes, " for ", root.parts,
                                        " parts of ", phase.num_rows(), " rows, got ",
                                        home == nullptr ? 0 : home->partial_bytes));
      return AddParts(at, root);
    }
    if (!root.takes_parts())
      return Expect(at, root, "one task that has a row, col_tasks", 1, phase.col_tasks());
    const auto it = parts_.find(root.value);
    if (it == parts_.end())
      return view_.Fault(at, root.value, "expected a partial scan in an earlier phase, got none");
    Parts& parts = it->second;
    const Phase& from = view_.kernel().phases[parts.place.phase];
    ASTITCH_RETURN_IF_ERROR(Expect(at, root, "parts", parts.root->parts, root.parts));
    ASTITCH_RETURN_IF_ERROR(
        Expect(at, root, "partial_inner", parts.root->partial_inner, root.partial_inner));
    if (from.rows != phase.rows || from.cols_per_task != phase.cols_per_task ||
        parts.root->map != root.map)
      return view_.Fault(at, root.value,
                         "expected the rows, parts and map of its partial scan, got others");
    ++parts.combines;
    return CheckBarrier(at, root, parts);
  }

  absl::Status CheckCombine(PlanPlace at, const Stage& stage, const Root& root) {
    const auto it = parts_.find(root.value);
    if (it == parts_.end())
      return view_.Fault(at, root.value, "expected a partial reduce in an earlier phase, got none");
    Parts& parts = it->second;
    ASTITCH_RETURN_IF_ERROR(Expect(at, root, "parts", parts.root->parts, root.parts));
    ASTITCH_RETURN_IF_ERROR(
        Expect(at, root, "partial_inner", parts.root->partial_inner, root.partial_inner));
    ASTITCH_RETURN_IF_ERROR(Expect(at, root, "columns", root.parts, NumElementsOf(stage.columns)));
    for (const Root& other : stage.roots) {
      if (other.kind != RootKind::kCombine)
        return view_.Fault(at, other.value, "expected a stage of its own, got one that combines");
    }
    ++parts.combines;
    return CheckBarrier(at, root, parts);
  }

  // Whether axis 0 is outermost in the same dimension of both.
  static bool BothBegin(const IndexMap& a, const IndexMap& b) {
    for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
      if (!a[d].empty() && !b[d].empty() && a[d][0] == 0 && b[d][0] == 0) return true;
    }
    return false;
  }

  // Slices know of their own rows only. Flags are enough where the parts of a row are folded by the
  // tasks of that row.
  absl::Status CheckBarrier(PlanPlace at, const Root& root, const Parts& parts) const {
    const std::vector<Phase>& phases = view_.kernel().phases;
    const PhaseBarrier barrier = BarrierBetween(view_.kernel(), parts.place.phase, at.phase);
    const auto [first, last] = view_.kernel().SlicedWith(at.phase);
    const bool sliced =
        static_cast<int64_t>(first) <= parts.place.phase && phases[at.phase].slice > 0;
    // The sliced axis is a row's of its own, or one that no task crosses.
    const bool kept =
        parts.root->over == ReduceOver::kColumns || phases[parts.place.phase].batch_axes > 0;
    if (barrier == PhaseBarrier::kGrid &&
        (!sliced || (kept && BothBegin(ResultMap(*parts.root), root.map))))
      return absl::OkStatus();
    const Phase &from = phases[parts.place.phase], &to = phases[at.phase];
    const bool same_rows = parts.root->over == ReduceOver::kColumns && !to.repeated &&
                           from.rows == to.rows && from.rows_per_task == to.rows_per_task &&
                           ResultMap(*parts.root) == root.map;
    if (barrier == PhaseBarrier::kFlags && same_rows) return absl::OkStatus();
    return view_.Fault(
        at, root.value,
        absl::StrCat("expected a barrier of the grid between phase ", parts.place.phase,
                     ", which folds the parts, and this one, or one slice's parts, got ",
                     ToString(barrier)));
  }

  const KernelView& view_;
  absl::flat_hash_map<const Instruction*, Parts> parts_;
  std::vector<const Instruction*> order_;
};

}  // namespace

absl::Status CheckReductions(const KernelView& view) { return ReductionChecker(view).Run(); }

}  // namespace astitch::plan_check
