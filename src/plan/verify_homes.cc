// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The rules of kernel_plan.h, home by home. A block owns rows; what lies in its slots or in the
// registers of a row is there for that row only. Rows are compared exactly, columns only where one
// thread's own columns spare a barrier.
#include "plan/verify_homes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/window_form.h"

namespace astitch::plan_check {
namespace {

constexpr int64_t kWarp = 32;

std::string PlaceWords(PlanPlace place) {
  return absl::StrCat("phase ", place.phase, ", stage ", place.stage);
}

bool IsRowResult(const Root& root) {
  return root.kind == RootKind::kReduce || root.kind == RootKind::kCombine;
}

}  // namespace

absl::Status HomeReader::OtherRow(const Element& element, absl::string_view where) const {
  return view_.Fault(at_, element.value,
                     absl::StrCat("expected to be read at the row under way, since it lives in ",
                                  where, ", got another row"));
}

HomeReader::Position HomeReader::Locate(const Element& element, const Writer& writer) {
  const Phase& from = view_.kernel().phases[writer.place.phase];
  const std::vector<int64_t> extents = AxesOf(from, StageOf(writer));
  const IndexMap map = ResultMap(*writer.root);
  const std::vector<AxisDigits> dims = indices_.Dims(element.index);
  std::vector<AxisDigits> columns(extents.size());
  Position out;
  for (size_t d = 0; d < map.size() && d < dims.size(); ++d) {
    std::vector<int64_t> radices;
    for (int32_t axis : map[d]) radices.push_back(extents[axis]);
    const std::vector<AxisDigits> digits = indices_.Regroup(dims[d], radices);
    for (size_t k = 0; k < digits.size(); ++k) {
      const auto axis = static_cast<size_t>(map[d][k]);
      if (axis == 0 && !from.rows.empty() && !phase().rows.empty())
        out.own_slice = digits[k] == indices_.Axis(0);
      if (axis < from.rows.size()) {
        out.own_row = out.own_row && axis < phase().rows.size() &&
                      digits[k] == indices_.Axis(static_cast<int32_t>(axis));
      } else {
        columns[axis] = digits[k];
        out.columns *= extents[axis];
      }
    }
  }
  AxisDigits at, own;
  for (const AxisDigits& digits : columns) at.insert(at.end(), digits.begin(), digits.end());
  for (size_t c = 0; c < stage().columns.size(); ++c) {
    const AxisDigits axis = indices_.Axis(static_cast<int32_t>(phase().rows.size() + c));
    own.insert(own.end(), axis.begin(), axis.end());
  }
  // What goes backward has counted its columns from the end.
  const bool backward = writer.root->kind == RootKind::kScan && ScansBackward(*writer.root->value);
  const bool same_parts = PartOfColumns(from, StageOf(writer)) == PartOfColumns(phase(), stage());
  out.own_columns = !backward && (same_parts || from.col_tasks() == 1) &&
                    indices_.Canonical(at) == indices_.Canonical(own);
  return out;
}

// Whether the threads that have a row now had it when WRITER swept.
bool HomeReader::SameThreadsARow(const Writer& writer) const {
  return phase().threads_per_row == 1 || StageOf(writer).vector_rows == stage().vector_rows;
}

bool HomeReader::SameThread(const Writer& writer, const Position& position) const {
  if (!SameThreadsARow(writer) || !position.own_row) return false;
  if (phase().threads_per_row == 1) return true;
  const Stage &a = StageOf(writer), &b = stage();
  return position.own_columns && !IsRowResult(*writer.root) && a.vector == b.vector &&
         a.unroll == b.unroll && a.peel == b.peel && a.chunk == b.chunk &&
         NumElementsOf(a.columns) == NumElementsOf(b.columns);
}

absl::Status HomeReader::CheckStageBarrier(const Element& element, const Writer& writer,
                                           const Position& position, bool global) const {
  if (view_.one_thread()) return absl::OkStatus();
  StageBarrier strongest = StageBarrier::kNone;
  for (int64_t s = writer.place.stage + 1; s <= at_.stage; ++s)
    strongest = std::max(strongest, phase().stages[s].barrier);
  // Threads without a row repeat the tile's last one, whose owner may be in another warp; what they
  // compute is dropped, but they must not read while it is written. Where threads share rows along
  // which lanes run, the last row's owner is a lane of the same warp.
  const bool repeats = phase().rows_per_batch() % phase().tile_rows != 0 ||
                       phase().rows_per_task % phase().tile_rows != 0;
  const bool lanes_share_rows = phase().threads_per_row > 1 && stage().vector_rows;
  const bool in_warp = position.own_row && SameThreadsARow(writer) && !lanes_share_rows &&
                       kWarp % phase().threads_per_row == 0 && !(global && repeats);
  StageBarrier needed = in_warp ? StageBarrier::kWarp : StageBarrier::kBlock;
  if (SameThread(writer, position) && (lanes_share_rows || !(global && repeats)))
    needed = StageBarrier::kNone;
  if (strongest >= needed) return absl::OkStatus();
  return view_.Fault(at_, element.value,
                     absl::StrCat("expected a barrier of the ", ToString(needed), " behind ",
                                  PlaceWords(writer.place), ", which writes it for other threads, ",
                                  "got ", ToString(strongest)));
}

absl::Status HomeReader::CheckPhaseBarrier(const Element& element, const Writer& writer) {
  const PhaseBarrier barrier = BarrierBetween(view_.kernel(), writer.place.phase, at_.phase);
  if (barrier == PhaseBarrier::kGrid) {
    const auto [first, last] = view_.kernel().SlicedWith(at_.phase);
    const bool sliced = phase().slice > 0 && static_cast<int64_t>(first) <= writer.place.phase;
    if (!sliced || Locate(element, writer).own_slice) return absl::OkStatus();
    return view_.Fault(at_, element.value,
                       absl::StrCat("expected to be read in the slice under way, since ",
                                    PlaceWords(writer.place), " writes it slice by slice"));
  }
  if (barrier != PhaseBarrier::kFlags)
    return view_.Fault(
        at_, element.value,
        absl::StrCat("expected a barrier of the grid behind ", PlaceWords(writer.place),
                     ", which writes it, got ", ToString(barrier)));
  const Phase& from = view_.kernel().phases[writer.place.phase];
  const bool same_tasks = !phase().repeated && from.rows == phase().rows &&
                          from.batch_axes == phase().batch_axes &&
                          from.rows_per_task == phase().rows_per_task;
  if (same_tasks && Locate(element, writer).own_row) return absl::OkStatus();
  return view_.Fault(
      at_, element.value,
      absl::StrCat("expected a barrier of the grid behind ", PlaceWords(writer.place),
                   ", which writes it in other rows, got ", "flags"));
}

// What each block has for itself waits for its own threads only.
absl::Status HomeReader::CheckBlockBarrier(const Element& element, const Writer& writer) const {
  if (view_.one_thread() || BlockWaitsBetween(view_.kernel(), writer.place.phase, at_.phase))
    return absl::OkStatus();
  return view_.Fault(
      at_, element.value,
      absl::StrCat("expected a barrier of the block behind ", PlaceWords(writer.place),
                   ", which writes it for each block, ", "got none that all of its threads meet"));
}

// What a slot of this tile has.
absl::StatusOr<Reading> HomeReader::ReadSlot(const Element& element, const Writer& writer,
                                             const Placement& home) {
  const Position position = Locate(element, writer);
  const bool computed = home.home == Home::kRegional;
  const bool some_rows = computed && home.keep == Keep::kShared && home.kept_rows > 0;
  if (some_rows && !position.own_row) return Reading::kAgain;
  const Stage& from = StageOf(writer);
  // Other columns are another task's, or of a chunk that is gone.
  const bool in_part =
      position.columns > 1 && PartOfColumns(phase(), from) < NumElementsOf(from.columns);
  if (in_part && (from.chunk != stage().chunk || !position.own_columns)) return Reading::kAgain;
  if (!position.own_row) return OtherRow(element, "a slot of the tile");
  ASTITCH_RETURN_IF_ERROR(CheckStageBarrier(element, writer, position, false));
  return some_rows ? Reading::kEither : Reading::kHome;
}

// What this phase has stored in memory: tasks know of their own rows only.
absl::StatusOr<Reading> HomeReader::ReadMemoryHere(const Element& element, const Writer& writer) {
  const Position position = Locate(element, writer);
  const bool stored = writer.root->kind == RootKind::kStore;
  // Results of a row stay with its threads, too.
  const bool in_registers = (IsRowResult(*writer.root) || position.columns == 1) &&
                            position.own_row && SameThreadsARow(writer) && !view_.one_thread();
  if (in_registers) return Reading::kHome;
  if (stored && (!position.own_row || phase().cols_per_task > 0)) return Reading::kAgain;
  if (!position.own_row) return OtherRow(element, "what this phase has of its rows");
  if (phase().col_tasks() > 1 && position.columns > 1 && !position.own_columns)
    return view_.Fault(at_, element.value,
                       "expected to be read in the columns that the task has written, got others");
  ASTITCH_RETURN_IF_ERROR(CheckStageBarrier(element, writer, position, true));
  return Reading::kHome;
}

absl::StatusOr<Reading> HomeReader::Read(const Element& element, const Writer& writer,
                                         const Placement& home) {
  const bool here = writer.place.phase == at_.phase;
  const auto [first, last] = ChunkGroup(phase(), at_.stage);
  if (here && stage().chunk > 0 && IsRowResult(*writer.root) && writer.place.stage >= first &&
      writer.place.stage <= last)
    return view_.Fault(at_, element.value,
                       "expected to be read behind all chunks of columns, got between them");
  switch (home.home) {
    case Home::kLocal: {
      if (!here || writer.root->kind == RootKind::kStore) return Reading::kAgain;
      if (writer.root->kind == RootKind::kScan)
        return view_.Fault(
            at_, element.value,
            "expected a slot, since another sweep than that which scans it reads it");
      if (!Locate(element, writer).own_row) return OtherRow(element, "registers of its row");
      if (!view_.one_thread() && !SameThreadsARow(writer))
        return view_.Fault(at_, element.value,
                           "expected the threads that have the row in registers, got lanes along "
                           "the other axis");
      return Reading::kHome;
    }
    case Home::kRegional:
      if (!here) return Reading::kAgain;
      return ReadSlot(element, writer, home);
    case Home::kCluster: {
      if (!here) return Reading::kAgain;
      const Position position = Locate(element, writer);
      if (!position.own_row) return OtherRow(element, "slots of the cluster");
      if (IsRowResult(*writer.root)) return Reading::kHome;
      StageBarrier strongest = StageBarrier::kNone;
      for (int64_t s = writer.place.stage + 1; s <= at_.stage; ++s)
        strongest = std::max(strongest, phase().stages[s].barrier);
      if (strongest == StageBarrier::kCluster) return Reading::kHome;
      return view_.Fault(at_, element.value,
                         absl::StrCat("expected a barrier of the cluster behind ",
                                      PlaceWords(writer.place), ", got ", ToString(strongest)));
    }
    case Home::kBlock:
      if (here) return ReadMemoryHere(element, writer);
      ASTITCH_RETURN_IF_ERROR(CheckBlockBarrier(element, writer));
      return Reading::kHome;
    case Home::kGlobal:
    case Home::kOutput: {
      if (writer.root->kind == RootKind::kTurn) {
        if (!here) return Reading::kAgain;
        return ReadSlot(element, writer, home);
      }
      if (here) return ReadMemoryHere(element, writer);
      ASTITCH_RETURN_IF_ERROR(CheckPhaseBarrier(element, writer));
      return Reading::kHome;
    }
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace astitch::plan_check
