// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Memory of a kernel: whether each slot, each value in scratch and each array of parts has room,
// lies within the launch's bytes on an address that its elements allow, and has its bytes for itself
// as long as it is needed.
//
// Slots live within a tile, from the stage that writes to the last one that reads. Where one takes
// over bytes of another, a barrier of the block has to stand between. What each block has for itself
// lives there from phase to phase. So does scratch; phases of one kernel overlap as far as barriers
// let them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

// Bytes that somebody needs from stage or phase FIRST to LAST.
struct Life {
  const Instruction* value = nullptr;
  int64_t offset = 0, bytes = 0, first = 0, last = 0;
};

bool Apart(const Life& a, const Life& b) {
  return a.bytes == 0 || b.bytes == 0 || a.offset + a.bytes <= b.offset ||
         b.offset + b.bytes <= a.offset;
}

class MemoryChecker {
 public:
  MemoryChecker(const KernelView& view, const KernelUses& uses) : view_(view), uses_(uses) {}

  absl::Status Run() {
    ASTITCH_RETURN_IF_ERROR(CheckSizes());
    for (size_t p = 0; p < view_.kernel().phases.size(); ++p)
      ASTITCH_RETURN_IF_ERROR(CheckSlots(static_cast<int64_t>(p)));
    ASTITCH_RETURN_IF_ERROR(CheckBlockArrays());
    return CheckScratch();
  }

 private:
  absl::Status CheckRoom(PlanPlace at, const Instruction* value, absl::string_view what,
                         int64_t offset, int64_t bytes, int64_t wanted, int64_t room,
                         int64_t alignment) const {
    if (bytes < wanted)
      return view_.Fault(at, value,
                         absl::StrCat("expected ", wanted, " bytes of ", what, ", got ", bytes));
    if (offset < 0 || offset > room || bytes > room - offset)
      return view_.Fault(at, value,
                         absl::StrCat("expected to lie in the ", room, " bytes of ", what, ", got ",
                                      bytes, " from byte ", offset));
    if (bytes == 0 || offset % std::max<int64_t>(1, alignment) == 0) return absl::OkStatus();
    return view_.Fault(at, value,
                       absl::StrCat("expected an offset in ", what, " that is a multiple of ",
                                    alignment, ", got ", offset));
  }

  // ---- sizes, root by root

  absl::Status CheckSizes() const {
    const KernelPlan& kernel = view_.kernel();
    for (size_t p = 0; p < kernel.phases.size(); ++p) {
      const Phase& phase = kernel.phases[p];
      for (size_t s = 0; s < phase.stages.size(); ++s) {
        for (const Root& root : phase.stages[s].roots)
          ASTITCH_RETURN_IF_ERROR(CheckRoot({static_cast<int64_t>(p), static_cast<int64_t>(s)},
                                            phase, phase.stages[s], root));
      }
    }
    for (const Placement& place : kernel.placements) ASTITCH_RETURN_IF_ERROR(CheckStaying(place));
    for (const KernelUses::Slot& slot : uses_.slots) {
      if (slot.first >= 0) continue;
      const Placement& home = *slot.home;
      const bool elsewhere = home.stays_from >= 0 && slot.phase != home.stays_from &&
                             !kernel.StaysIn(home, static_cast<size_t>(slot.phase));
      if (elsewhere) continue;
      ASTITCH_RETURN_IF_ERROR(CheckKept(slot));
    }
    return absl::OkStatus();
  }

  // The phase that rows stay from has to read the input: else nobody copies them.
  absl::Status CheckStaying(const Placement& place) const {
    if (place.stays_from == -1) return absl::OkStatus();
    const bool copied =
        std::any_of(uses_.slots.begin(), uses_.slots.end(), [&](const KernelUses::Slot& slot) {
          return slot.home == &place && slot.first < 0 && slot.phase == place.stays_from;
        });
    if (copied) return absl::OkStatus();
    return view_.Fault({}, place.value,
                       absl::StrCat("expected to stay in shared memory from a phase that reads it "
                                    "as a kept input, got stays_from=",
                                    place.stays_from));
  }

  absl::Status CheckRoot(PlanPlace at, const Phase& phase, const Stage& stage,
                         const Root& root) const {
    const Launch& launch = view_.kernel().launch;
    for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
      const Placement* home = view_.HomeOf(root.value, leaf);
      if (home == nullptr) continue;
      const Shape& shape = LeafShape(*root.value, leaf);
      const int64_t element = ByteWidth(shape.element_type());
      if (root.leaves_parts()) {
        ASTITCH_RETURN_IF_ERROR(CheckRoom(at, root.value, "scratch", home->partial_offset,
                                          home->partial_bytes, 0, launch.scratch_bytes,
                                          AccumulatorBytesOf(shape)));
        continue;
      }
      if (home->home == Home::kBlock) {
        ASTITCH_RETURN_IF_ERROR(CheckDense(at, root, *home));
        ASTITCH_RETURN_IF_ERROR(CheckRoom(at, root.value, "shared memory", home->offset,
                                          home->bytes, shape.byte_size(), launch.shared_bytes,
                                          element));
      } else if (home->home == Home::kGlobal) {
        ASTITCH_RETURN_IF_ERROR(CheckRoom(at, root.value, "scratch", home->offset, home->bytes,
                                          shape.byte_size(), launch.scratch_bytes, element));
      } else if (home->home == Home::kRegional || home->home == Home::kCluster ||
                 root.kind == RootKind::kTurn) {
        ASTITCH_ASSIGN_OR_RETURN(const int64_t elements,
                                 SlotElements(at, phase, stage, root, *home));
        ASTITCH_RETURN_IF_ERROR(CheckRoom(at, root.value, "shared memory", home->offset,
                                          home->bytes, ProductOrMost(elements, element),
                                          launch.shared_bytes, element));
      }
    }
    return absl::OkStatus();
  }

  // All elements, row after row, as long as it is needed.
  absl::Status CheckDense(PlanPlace at, const Root& root, const Placement& home) const {
    if (home.pitch != 0)
      return view_.Fault(
          at, root.value,
          absl::StrCat("expected a dense array for each block, got pitch=", home.pitch));
    if (home.keep == Keep::kNone) return absl::OkStatus();
    return view_.Fault(at, root.value,
                       absl::StrCat("expected keep=none, since each block has all of it, got ",
                                    ToString(home.keep)));
  }

  absl::StatusOr<int64_t> SlotElements(PlanPlace at, const Phase& phase, const Stage& stage,
                                       const Root& root, const Placement& home) const {
    int64_t width = 1;
    for (int32_t axis : ColumnsIn(ResultMap(root), phase.rows.size()))
      width *= stage.columns[axis - phase.rows.size()];
    const int64_t part = PartOfColumns(phase, stage), columns = NumElementsOf(stage.columns);
    if (width > 1 && part < columns) {
      if (width != columns)
        return view_.Fault(at, root.value, "expected all of the columns that are split, got some");
      width = part;
    }
    if (home.pitch != 0 && home.pitch < width)
      return view_.Fault(at, root.value,
                         absl::StrCat("expected rows at least ", width,
                                      " elements apart, got pitch=", home.pitch));
    const bool some = home.home == Home::kRegional && home.keep == Keep::kShared;
    const int64_t rows = some && home.kept_rows > 0 ? home.kept_rows : phase.tile_rows;
    return ProductOrMost(rows, std::max(width, home.pitch));
  }

  // An input that does not have the rows of the phase is read from memory all the same.
  bool IsKept(const KernelUses::Slot& slot) const {
    const Phase& phase = view_.kernel().phases[slot.phase];
    return slot.home->value->shape().num_elements() == phase.num_rows() * phase.split_columns();
  }

  // Rows of an input, copied before the first stage.
  absl::Status CheckKept(const KernelUses::Slot& slot) const {
    constexpr int64_t kCopyAlignment = 16;
    const Phase& phase = view_.kernel().phases[slot.phase];
    const Shape& shape = slot.home->value->shape();
    const int64_t columns = phase.split_columns();
    if (!IsKept(slot)) return absl::OkStatus();
    if (phase.repeated)
      return view_.Fault({slot.phase, -1}, slot.home->value,
                         "expected no rows that are kept for the tasks of a block, in a phase that "
                         "every block repeats");
    const int64_t kept = slot.home->kept_rows;
    const int64_t rows = kept > 0 ? std::min(kept, phase.tile_rows) : phase.tile_rows;
    const int64_t width =
        phase.cols_per_task > 0 ? std::min(phase.cols_per_task, columns) : columns;
    return CheckRoom({slot.phase, -1}, slot.home->value, "shared memory", slot.home->offset,
                     slot.home->bytes, ProductOrMost(rows, width * ByteWidth(shape.element_type())),
                     view_.kernel().launch.shared_bytes, kCopyAlignment);
  }

  // ---- lives

  Life WholePhase(const Placement& place, int64_t p) const {
    return {place.value, place.offset, place.bytes, -1,
            static_cast<int64_t>(view_.kernel().phases[p].stages.size())};
  }

  absl::Status CheckSlots(int64_t p) const {
    std::vector<Life> lives;
    for (const Placement& place : view_.kernel().placements) {
      if (place.stays_from >= 0 && p >= place.stays_from)  // from phase to phase
        lives.push_back(WholePhase(place, p));
    }
    for (const KernelUses::Slot& slot : uses_.slots) {
      if (slot.home->stays_from >= 0) continue;
      if (slot.phase == p && (slot.first >= 0 || IsKept(slot)))
        lives.push_back(
            {slot.home->value, slot.home->offset, slot.home->bytes, slot.first, slot.last});
    }
    for (const KernelUses::Array& array : uses_.blocks) {
      if (array.first <= p && p <= LastSlice(array)) lives.push_back(WholePhase(*array.home, p));
    }
    std::stable_sort(lives.begin(), lives.end(),
                     [](const Life& a, const Life& b) { return a.offset < b.offset; });
    for (size_t i = 0; i < lives.size(); ++i) {
      int64_t end = lives[i].offset + lives[i].bytes;
      for (size_t j = i + 1; j < lives.size() && lives[j].offset < end; ++j)
        ASTITCH_RETURN_IF_ERROR(CheckPair(p, lives[i], lives[j]));
    }
    return absl::OkStatus();
  }

  absl::Status CheckPair(int64_t p, const Life& a, const Life& b) const {
    if (Apart(a, b)) return absl::OkStatus();
    const Life &early = a.first <= b.first ? a : b, &late = a.first <= b.first ? b : a;
    const PlanPlace at{p, std::max<int64_t>(0, late.first)};
    const std::vector<Stage>& stages = view_.kernel().phases[p].stages;
    if (early.last >= static_cast<int64_t>(stages.size()))
      return view_.Fault(at, late.value,
                         absl::StrCat("expected bytes of its own in shared memory, got some of %",
                                      early.value->name(), ", which the whole phase has"));
    if (early.last >= late.first)
      return view_.Fault(
          at, late.value,
          absl::StrCat("expected bytes of its own in shared memory, got some of %",
                       early.value->name(), ", which is read until stage ", early.last));
    if (view_.one_thread()) return absl::OkStatus();
    for (int64_t s = early.last + 1; s <= late.first; ++s) {
      if (stages[s].barrier >= StageBarrier::kBlock) return absl::OkStatus();
    }
    return view_.Fault(at, late.value,
                       absl::StrCat("expected a barrier of the block before it takes bytes of %",
                                    early.value->name(), ", which stage ", early.last, " reads"));
  }

  // The last phase that the next slice may follow with a reader of ARRAY.
  int64_t LastSlice(const KernelUses::Array& array) const {
    return static_cast<int64_t>(view_.kernel().SlicedWith(array.last).second);
  }

  // Nobody but phase barriers waits between what a block has for itself and what other phases have in
  // the same bytes.
  absl::Status CheckBlockArrays() const {
    if (view_.one_thread()) return absl::OkStatus();
    std::vector<Life> arrays, all;
    for (const KernelUses::Array& use : uses_.blocks)
      arrays.push_back(
          {use.home->value, use.home->offset, use.home->bytes, use.first, LastSlice(use)});
    all = arrays;
    for (const KernelUses::Slot& slot : uses_.slots) {
      if (slot.first >= 0 || IsKept(slot))
        all.push_back(
            {slot.home->value, slot.home->offset, slot.home->bytes, slot.phase, slot.phase});
    }
    for (const Life& a : arrays) {
      for (const Life& b : all) {
        const Life &early = a.first < b.first ? a : b, &late = a.first < b.first ? b : a;
        if (Apart(a, b) || early.last >= late.first) continue;  // seen phase by phase
        if (BlockWaitsBetween(view_.kernel(), early.last, late.first)) continue;
        return view_.Fault(
            {late.first, -1}, late.value,
            absl::StrCat("expected a barrier of the block before it takes bytes of %",
                         early.value->name(), ", which phase ", early.last, " reads"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckScratch() const {
    std::vector<Life> lives;
    for (const KernelUses::Array& use : uses_.scratch)
      lives.push_back({use.home->value, use.home->offset, use.home->bytes, use.first, use.last});
    AddParts(lives);
    for (Life& life : lives) {  // every slice begins anew
      life.first = static_cast<int64_t>(view_.kernel().SlicedWith(life.first).first);
      life.last = static_cast<int64_t>(view_.kernel().SlicedWith(life.last).second);
    }
    std::stable_sort(lives.begin(), lives.end(),
                     [](const Life& a, const Life& b) { return a.offset < b.offset; });
    for (size_t i = 0; i < lives.size(); ++i) {
      const int64_t end = lives[i].offset + lives[i].bytes;
      for (size_t j = i + 1; j < lives.size() && lives[j].offset < end; ++j) {
        const Life &a = lives[i], &b = lives[j];
        if (Apart(a, b)) continue;
        const Life &early = a.first <= b.first ? a : b, &late = a.first <= b.first ? b : a;
        const bool waits =
            early.last < late.first &&
            BarrierBetween(view_.kernel(), early.last, late.first) == PhaseBarrier::kGrid;
        if (!waits)
          return view_.Fault(
              {late.first, -1}, late.value,
              absl::StrCat("expected bytes of its own in scratch, got some of %",
                           early.value->name(), ", which is needed in phase ", early.last));
      }
    }
    return absl::OkStatus();
  }

  // Parts live from the phase that folds them to the last that combines them.
  void AddParts(std::vector<Life>& lives) const {
    absl::flat_hash_map<const Instruction*, std::pair<int64_t, int64_t>> spans;
    std::vector<const Instruction*> order;
    const std::vector<Phase>& phases = view_.kernel().phases;
    for (size_t p = 0; p < phases.size(); ++p) {
      for (const Stage& stage : phases[p].stages) {
        for (const Root& root : stage.roots) {
          if (!root.leaves_parts() && !root.takes_parts()) continue;
          const auto now = static_cast<int64_t>(p);
          const auto [it, fresh] = spans.emplace(root.value, std::make_pair(now, now));
          if (fresh) order.push_back(root.value);
          it->second.second = now;
        }
      }
    }
    for (const Instruction* value : order) {
      for (int64_t leaf = 0; leaf < NumLeaves(*value); ++leaf) {
        const Placement* home = view_.HomeOf(value, leaf);
        if (home == nullptr) continue;
        lives.push_back({home->value, home->partial_offset, home->partial_bytes, spans[value].first,
                         spans[value].second});
      }
    }
  }

  const KernelView& view_;
  const KernelUses& uses_;
};

}  // namespace

absl::Status CheckMemory(const KernelView& view, const KernelUses& uses) {
  return MemoryChecker(view, uses).Run();
}

}  // namespace astitch::plan_check
