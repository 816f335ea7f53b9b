// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Extents, tasks, and maps.
//
// A sweep goes over rows x columns points. Each root's map has to take every point to an element of
// its own: an axis that is missing would write an element twice (or fold it twice), an axis that is
// there twice would leave elements out. What a reduction folds has to be what its OVER says.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "ir/window_form.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

absl::Status CheckOpcode(const KernelView& view, PlanPlace at, const Root& root) {
  const Opcode opcode = root.value->opcode();
  Opcode wanted = opcode;
  switch (root.kind) {
    case RootKind::kReduce:
    case RootKind::kCombine:
      wanted = Opcode::kReduce;
      break;
    case RootKind::kScatter:
      wanted = Opcode::kScatter;
      break;
    case RootKind::kScan:
      wanted = Opcode::kReduceWindow;
      break;
    case RootKind::kStore:
    case RootKind::kTurn:
      break;
  }
  const bool empty = root.value->shape().IsTuple() && root.value->shape().elements().empty();
  if (empty) return view.Fault(at, root.value, "expected a root with elements, got none");
  if (opcode != wanted)
    return view.Fault(at, root.value,
                      absl::StrCat("expected ", ToString(wanted), " for a root of kind ",
                                   ToString(root.kind), ", got ", ToString(opcode)));
  if (root.kind == RootKind::kScan && !ScannedDim(*root.value).has_value())
    return view.Fault(at, root.value,
                      "expected a cumulative window for a root of kind scan, got another window");
  return absl::OkStatus();
}

// The columns are the axes along which a scan runs.
absl::Status CheckScan(const KernelView& view, PlanPlace at, const Phase& phase, const Stage& stage,
                       const Root& root) {
  std::vector<int32_t> columns(stage.columns.size());
  std::iota(columns.begin(), columns.end(), static_cast<int32_t>(phase.rows.size()));
  if (root.kind != RootKind::kScan || root.map[*ScannedDim(*root.value)] == columns)
    return absl::OkStatus();
  return view.Fault(at, root.value, "expected columns along which it is scanned, got others");
}

// Every axis once, and the extents of dimensions; SEEN counts axes.
absl::Status CheckMap(const KernelView& view, PlanPlace at, const Root& root,
                      const std::vector<int64_t>& extents, std::vector<int>& seen) {
  const Shape& shape = MappedShape(root);
  if (static_cast<int64_t>(root.map.size()) != shape.rank())
    return view.Fault(at, root.value,
                      absl::StrCat("expected a map of ", shape.rank(), " dimensions for ",
                                   shape.ToString(false), ", got ", root.map.size()));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t product = 1;
    for (int32_t axis : root.map[d]) {
      if (axis < 0 || static_cast<size_t>(axis) >= extents.size())
        return view.Fault(
            at, root.value,
            absl::StrCat("expected one of ", extents.size(), " axes in the map, got axis ", axis));
      product = CheckedMul(product, extents[axis]).value_or(-1);
      ++seen[axis];
    }
    if (product != shape.dim(d))
      return view.Fault(at, root.value,
                        absl::StrCat("expected axes of ", shape.dim(d), " positions for dimension ",
                                     d, " of ", shape.ToString(false), ", got ", product));
  }
  return absl::OkStatus();
}

bool IsFolded(const Root& root, size_t d) {
  const std::vector<int64_t>& folded = root.value->dimensions();
  return std::find(folded.begin(), folded.end(), static_cast<int64_t>(d)) != folded.end();
}

// Whether OVER folds AXIS, if the first FOLDED_COLUMNS of the columns are folded beside rows.
bool Folds(ReduceOver over, const Phase& phase, int32_t axis, size_t folded_columns) {
  const bool column = static_cast<size_t>(axis) >= phase.rows.size();
  const bool batch = axis < phase.batch_axes;
  switch (over) {
    case ReduceOver::kNone:
      return false;
    case ReduceOver::kColumns:
      return column;
    case ReduceOver::kRows:
      return column ? axis - phase.rows.size() < folded_columns : !batch;
    case ReduceOver::kAll:
      return column || !batch;
  }
  ASTITCH_UNREACHABLE();
}

// How many column axes lie outside of the first that ROOT keeps.
size_t OuterFoldedColumns(const Phase& phase, const Root& root,
                          const std::vector<int64_t>& extents) {
  size_t first = extents.size();
  for (size_t d = 0; d < root.map.size(); ++d) {
    for (int32_t axis : root.map[d]) {
      const auto at = static_cast<size_t>(axis);
      if (at >= phase.rows.size() && extents[at] != 1 && !IsFolded(root, d))
        first = std::min(first, at);
    }
  }
  // With all of them folded, there is no column to have a result.
  return first == extents.size() ? 0 : first - phase.rows.size();
}

absl::Status CheckFolded(const KernelView& view, PlanPlace at, const Phase& phase, const Root& root,
                         const std::vector<int64_t>& extents) {
  if (root.over == ReduceOver::kNone)
    return view.Fault(at, root.value, "expected what the reduction is over, got none");
  const size_t outer = OuterFoldedColumns(phase, root, extents);
  if (root.over == ReduceOver::kRows && outer > 0 && phase.col_tasks() > 1)
    return view.Fault(at, root.value,
                      absl::StrCat("expected whole columns of a task, since some are folded, got ",
                                   phase.col_tasks(), " tasks that share them"));
  for (size_t d = 0; d < root.map.size(); ++d) {
    for (int32_t axis : root.map[d]) {
      if (extents[axis] == 1 || Folds(root.over, phase, axis, outer) == IsFolded(root, d)) continue;
      return view.Fault(at, root.value,
                        absl::StrCat("expected a reduction over ", ToString(root.over), " to ",
                                     IsFolded(root, d) ? "keep" : "fold", " axis ", axis,
                                     ", which belongs to dimension ", d, " of its operand"));
    }
  }
  return absl::OkStatus();
}

// Tasks that share rows have all columns, and those of the phase where others count on it.
absl::Status CheckShare(const KernelView& view, PlanPlace at, const Phase& phase,
                        const Stage& stage) {
  if (stage.cols_per_task == 0) return absl::OkStatus();
  const auto fault = [&](absl::string_view expected) {
    return view.Fault(
        at, nullptr,
        absl::StrCat("expected ", expected, ", got cols_per_task=", stage.cols_per_task));
  };
  if (stage.cols_per_task < 0 || stage.cols_per_task > phase.cols_per_task)
    return fault(absl::StrCat("0 to ", phase.cols_per_task, " columns of a task"));
  if (phase.col_tasks() < CeilDiv(NumElementsOf(stage.columns), stage.cols_per_task))
    return fault(absl::StrCat("columns for ", phase.col_tasks(), " tasks"));
  const auto& places = view.kernel().placements;
  const bool stays = std::any_of(places.begin(), places.end(), [](const Placement& place) {
    return place.home == Home::kLocal && place.keep == Keep::kShared;
  });
  const bool scans = std::any_of(stage.roots.begin(), stage.roots.end(),
                                 [](const Root& root) { return root.kind == RootKind::kScan; });
  if (phase.cluster > 1 || stays || scans)
    return fault("the columns of the phase, for clusters, scans and rows that stay");
  return absl::OkStatus();
}

absl::Status CheckRoot(const KernelView& view, PlanPlace at, const Phase& phase, const Stage& stage,
                       const Root& root) {
  ASTITCH_RETURN_IF_ERROR(CheckOpcode(view, at, root));
  const std::vector<int64_t> extents = AxesOf(phase, stage);
  std::vector<int> seen(extents.size(), 0);
  ASTITCH_RETURN_IF_ERROR(CheckMap(view, at, root, extents, seen));
  ASTITCH_RETURN_IF_ERROR(CheckScan(view, at, phase, stage, root));
  const bool combine = root.kind == RootKind::kCombine;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const int times = combine && axis >= phase.rows.size() ? 0 : 1;
    if (seen[axis] == times || (seen[axis] == 0 && extents[axis] == 1)) continue;
    return view.Fault(at, root.value,
                      absl::StrCat("expected axis ", axis, " of ", extents[axis], " positions ",
                                   times == 0 ? "of parts not in" : "once in", " the map, got it ",
                                   seen[axis], " times"));
  }
  if (root.kind == RootKind::kReduce) return CheckFolded(view, at, phase, root, extents);
  return absl::OkStatus();
}

// Slices are whole tasks of roots that know nothing of other slices.
absl::Status CheckSlices(const KernelView& view, int64_t p) {
  const Phase& phase = view.kernel().phases[p];
  const PlanPlace at{p, -1};
  if (phase.slice == 0) return absl::OkStatus();
  if (phase.slice < 0 || phase.rows.empty() || phase.rows[0] == 0 ||
      phase.rows[0] % phase.slice != 0)
    return view.Fault(
        at, nullptr,
        absl::StrCat("expected slices that divide the first row axis, got slice=", phase.slice));
  const int64_t rows = phase.num_rows() / phase.num_slices();
  if (phase.batch_axes == 0 && rows % phase.rows_per_task != 0)
    return view.Fault(at, nullptr,
                      absl::StrCat("expected whole tasks in a slice of ", rows,
                                   " rows, got rows_per_task=", phase.rows_per_task));
  const auto [first, last] = view.kernel().SlicedWith(p);
  for (size_t q = first; q <= last; ++q) {
    if (view.kernel().phases[q].barrier == PhaseBarrier::kFlags)
      return view.Fault(at, nullptr, "expected barriers of the grid beside slices, got flags");
  }
  for (const Stage& stage : phase.stages) {
    for (const Root& root : stage.roots) {
      if (root.kind == RootKind::kScan || root.kind == RootKind::kScatter)
        return view.Fault(at, root.value,
                          absl::StrCat("expected no slices of a ", ToString(root.kind)));
    }
  }
  return absl::OkStatus();
}

// Where a root of a phase that every block repeats has its results, no other block sees them.
absl::Status CheckRepeatedRoot(const KernelView& view, PlanPlace at, const Root& root) {
  const bool repeats = root.kind == RootKind::kStore || root.kind == RootKind::kReduce ||
                       root.kind == RootKind::kCombine;
  if (!repeats)
    return view.Fault(at, root.value,
                      absl::StrCat("expected store, reduce or combine in a phase that every block "
                                   "repeats, got ",
                                   ToString(root.kind)));
  if (root.over == ReduceOver::kRows || root.over == ReduceOver::kAll)
    return view.Fault(at, root.value,
                      absl::StrCat("expected a reduction over columns in a phase that every block "
                                   "repeats, got over=",
                                   ToString(root.over)));
  if (root.partial)
    return view.Fault(at, root.value,
                      "expected no parts from a phase that every block repeats, got partial=1");
  for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
    const Placement* home = view.HomeOf(root.value, leaf);
    if (home == nullptr || home->home == Home::kLocal || home->home == Home::kRegional ||
        home->home == Home::kBlock)
      continue;
    return view.Fault(at, root.value,
                      absl::StrCat("expected home local, regional or block in a phase that every "
                                   "block repeats, got ",
                                   ToString(home->home)));
  }
  return absl::OkStatus();
}

// Every block has all tasks of it, so that there is nobody with whom it could share any.
absl::Status CheckRepeated(const KernelView& view, int64_t p) {
  const Phase& phase = view.kernel().phases[p];
  const PlanPlace at{p, -1};
  if (!phase.repeated) return absl::OkStatus();
  const auto expect = [&](absl::string_view field, int64_t wanted, int64_t got) {
    if (wanted == got) return absl::OkStatus();
    return view.Fault(at, nullptr,
                      absl::StrCat("expected ", field, "=", wanted,
                                   " of a phase that every block repeats, got ", got));
  };
  ASTITCH_RETURN_IF_ERROR(expect("slice", 0, phase.slice));
  ASTITCH_RETURN_IF_ERROR(expect("cluster", 1, phase.cluster));
  ASTITCH_RETURN_IF_ERROR(expect("batch_axes", 0, phase.batch_axes));
  ASTITCH_RETURN_IF_ERROR(expect("cols_per_task", 0, phase.cols_per_task));
  ASTITCH_RETURN_IF_ERROR(expect("backward", 0, phase.backward));
  // Flags count the tasks of a row, each once.
  const std::vector<Phase>& phases = view.kernel().phases;
  const bool before = phase.barrier == PhaseBarrier::kFlags;
  const bool behind =
      static_cast<size_t>(p) + 1 < phases.size() && phases[p + 1].barrier == PhaseBarrier::kFlags;
  if (before || behind)
    return view.Fault(at, nullptr,
                      absl::StrCat("expected no flags ", before ? "before" : "behind",
                                   " a phase that every block repeats"));
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    for (const Root& root : phase.stages[s].roots)
      ASTITCH_RETURN_IF_ERROR(CheckRepeatedRoot(view, {p, static_cast<int64_t>(s)}, root));
  }
  return absl::OkStatus();
}

absl::Status CheckPhase(const KernelView& view, int64_t p) {
  const Phase& phase = view.kernel().phases[p];
  const PlanPlace at{p, -1};
  const auto expect = [&](bool holds, absl::string_view wanted, int64_t got) {
    if (holds) return absl::OkStatus();
    return view.Fault(at, nullptr, absl::StrCat("expected ", wanted, ", got ", got));
  };
  int64_t rows = 1;
  for (int64_t extent : phase.rows) rows = CheckedMul(rows, extent).value_or(-1);
  ASTITCH_RETURN_IF_ERROR(expect(rows >= 0, "rows that can be counted", rows));
  const auto axes = static_cast<int64_t>(phase.rows.size());
  ASTITCH_RETURN_IF_ERROR(expect(phase.batch_axes >= 0 && phase.batch_axes <= axes,
                                 absl::StrCat("at most ", axes, " batch_axes"), phase.batch_axes));
  ASTITCH_RETURN_IF_ERROR(
      expect(phase.rows_per_task >= 1, "at least one row a task", phase.rows_per_task));
  ASTITCH_RETURN_IF_ERROR(expect(phase.tile_rows >= 1, "at least one row a tile", phase.tile_rows));
  ASTITCH_RETURN_IF_ERROR(
      expect(phase.cols_per_task >= 0, "cols_per_task of 0 or more", phase.cols_per_task));
  ASTITCH_RETURN_IF_ERROR(
      expect(phase.threads_per_row >= 1, "at least one thread a row", phase.threads_per_row));
  ASTITCH_RETURN_IF_ERROR(
      expect(phase.rows_at_once >= 1, "at least one of rows_at_once", phase.rows_at_once));
  ASTITCH_RETURN_IF_ERROR(expect(phase.cluster >= 1, "a cluster of blocks", phase.cluster));
  ASTITCH_RETURN_IF_ERROR(expect(p > 0 || phase.barrier == PhaseBarrier::kNone,
                                 "no barrier before the first phase", 1));
  ASTITCH_RETURN_IF_ERROR(CheckRepeated(view, p));
  ASTITCH_RETURN_IF_ERROR(CheckSlices(view, p));
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    const Stage& stage = phase.stages[s];
    const PlanPlace here{p, static_cast<int64_t>(s)};
    int64_t points = 1;
    for (int64_t extent : AxesOf(phase, stage)) points = CheckedMul(points, extent).value_or(-1);
    if (points < 0) return view.Fault(here, nullptr, "expected points that can be counted");
    if (stage.vector < 1 || stage.unroll < 1 || stage.chunk < 0)
      return view.Fault(here, nullptr,
                        "expected vectors, unrolling and chunks that can be counted");
    ASTITCH_RETURN_IF_ERROR(CheckShare(view, here, phase, stage));
    for (const Root& root : stage.roots)
      ASTITCH_RETURN_IF_ERROR(CheckRoot(view, here, phase, stage, root));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckStructure(const KernelView& view) {
  for (size_t p = 0; p < view.kernel().phases.size(); ++p)
    ASTITCH_RETURN_IF_ERROR(CheckPhase(view, static_cast<int64_t>(p)));
  return absl::OkStatus();
}

}  // namespace astitch::plan_check
