// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks for a reduction of few columns, for the width that suits vectors best, and whether all else
// in the region goes along.
#include "stitch/narrow_columns.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "ir/fold_order.h"

namespace astitch {
namespace {

// Few elements are not worth more columns than they have; a task has some rows to fold.
constexpr int64_t kLeastFolded = 2048, kLeastRows = 16;
constexpr int64_t kAccessBytes = 16;

// Columns that a reduction had better have.
struct Wanted {
  int64_t narrow = 0;  // fewer are few, unless they are whole vectors
  int64_t vector = 0;
  int64_t odd = 0;  // fewer are few where they are no whole accesses
  int64_t least = 0, most = 0;
  int64_t even = 0;  // a power of two that had better divide them
};

// A warp reads whole accesses of a row or of two, and holds some of each lane. A worker has whole
// vectors, but short rows, so that a tile has many of them; lanes that wrap around take operands of
// columns alone one by one, which is dearer than what is left of a row of a vector or more (measured:
// 3 inputs, 4 sums, 31 columns: 0.6 times as fast).
constexpr Wanted kOfGpu = {
    .narrow = 32, .vector = 16, .odd = 128, .least = 64, .most = 512, .even = 128};
constexpr Wanted kOfHost = {
    .narrow = 16, .vector = 16, .odd = 0, .least = 32, .most = 256, .even = 16};

using List = std::vector<int32_t>;

// The largest power of two that divides VALUE, up to MOST.
int64_t Evenness(int64_t value, int64_t most) {
  int64_t power = 1;
  while (power < most && value % (2 * power) == 0) power *= 2;
  return power;
}

// The axes of a column reduction, in the order of its operand.
struct Narrow {
  List folded;  // those side by side next to the kept ones
  List kept;    // inside of all folded ones
};

// Which axes become columns: some whole ones, and CUT elements of the next (1: none).
struct Width {
  size_t whole = 0;
  int64_t cut = 1;
  int64_t columns = 0;
};

class Widener {
 public:
  Widener(const Region& region, const Wanted& wanted, Axes& axes)
      : region_(region), wanted_(wanted), axes_(axes) {}

  List Run() {
    for (const Instruction* value : region_.values) {
      const std::optional<Narrow> narrow = NarrowOf(*value);
      if (narrow.has_value() && seen_.insert(narrow->folded.back()).second) {
        const int64_t element = ByteWidth(value->operand(0)->shape().element_type());
        Widen(*narrow, element);
      }
    }
    return columns_;
  }

 private:
  void Widen(const Narrow& narrow, int64_t element) {
    const std::optional<Width> width = BestWidth(narrow, element);
    if (!width.has_value()) return;
    const auto whole = static_cast<int64_t>(width->whole);
    const List beside(narrow.folded.end() - whole - (width->cut > 1 ? 1 : 0), narrow.folded.end());
    if (!AllGoAlong(beside, narrow.kept)) return;
    columns_.insert(columns_.end(), beside.end() - whole, beside.end());
    if (width->cut > 1) columns_.push_back(axes_.Cut(beside[0], width->cut));
    seen_.insert(columns_.end() - whole - (width->cut > 1 ? 1 : 0), columns_.end());
  }

  static bool Folds(const Instruction& reduce, int64_t d) {
    const std::vector<int64_t>& folded = reduce.dimensions();
    return std::find(folded.begin(), folded.end(), d) != folded.end();
  }

  std::optional<Narrow> NarrowOf(const Instruction& reduce) const {
    if (reduce.opcode() != Opcode::kReduce) return std::nullopt;
    Narrow narrow;
    int64_t elements = 1;
    for (int64_t d = 0; d < reduce.operand(0)->shape().rank(); ++d) {
      const List& list = axes_.OfDim(reduce.operand(0), d);
      if (list.empty()) continue;
      if (!Folds(reduce, d)) {
        narrow.kept.insert(narrow.kept.end(), list.begin(), list.end());
        continue;
      }
      if (!narrow.kept.empty()) narrow = {};
      narrow.folded.insert(narrow.folded.end(), list.begin(), list.end());
      elements *= axes_.ExtentOf(list);
    }
    const int64_t columns = axes_.ExtentOf(narrow.kept);
    if (narrow.kept.empty() || narrow.folded.empty() || elements < kLeastFolded)
      return std::nullopt;
    const int64_t bytes = columns * ByteWidth(reduce.operand(0)->shape().element_type());
    const bool few = columns < wanted_.narrow && columns % wanted_.vector != 0;
    const bool odd = columns < wanted_.odd && bytes % kAccessBytes != 0;
    if (!few && !odd) return std::nullopt;
    if (!FoldsInAnyOrder(*reduce.called()[0])) return std::nullopt;
    return narrow;
  }

  int64_t EvennessOf(int64_t columns) const { return Evenness(columns, wanted_.even); }

  // Whole axes from the innermost one outwards, and a divisor of the next; the most even product, and
  // the smallest of those. Nothing where none is whole accesses.
  std::optional<Width> BestWidth(const Narrow& narrow, int64_t element) const {
    std::optional<Width> best;
    int64_t rows = axes_.ExtentOf(narrow.folded), columns = axes_.ExtentOf(narrow.kept);
    for (size_t whole = 0; whole < narrow.folded.size(); ++whole) {
      const int64_t extent = axes_.extent(narrow.folded[narrow.folded.size() - 1 - whole]);
      for (int64_t cut = whole == 0 ? 2 : 1; cut < extent && cut * columns <= wanted_.most; ++cut) {
        const int64_t wide = cut * columns;
        if (extent % cut != 0 || rows / cut < kLeastRows || wide < wanted_.least) continue;
        if (EvennessOf(wide) * element < kAccessBytes) continue;
        if (!best.has_value() || EvennessOf(wide) > EvennessOf(best->columns))
          best = Width{whole, cut, wide};
      }
      rows /= extent;
      columns *= extent;
    }
    return best;
  }

  // Whether the axes BESIDE are followed by KEPT wherever they are, or by nothing where there is none
  // of KEPT, and are folded only together.
  bool AllGoAlong(const List& beside, const List& kept) const {
    const auto goes_along = [&](const Instruction* value) {
      const List& list = axes_.Of(value);
      const auto first = std::find_first_of(list.begin(), list.end(), beside.begin(), beside.end());
      if (first == list.end()) return true;
      const auto rest = list.end() - first;
      const auto size = static_cast<int64_t>(beside.size());
      if (rest < size || !std::equal(beside.begin(), beside.end(), first)) return false;
      const List behind(first + size, list.end());
      const bool none = std::none_of(list.begin(), list.end(),
                                     [&](int32_t axis) { return Contains(kept, axis); });
      return behind == kept || (behind.empty() && none);
    };
    const auto folded_together = [&](const Instruction* value) {
      if (value->opcode() != Opcode::kReduce) return true;
      for (int64_t d = 0; d < value->operand(0)->shape().rank(); ++d) {
        for (int32_t axis : axes_.OfDim(value->operand(0), d)) {
          if (Contains(beside, axis) && !Folds(*value, d)) return false;
        }
      }
      const bool has = Contains(axes_.Of(value->operand(0)), beside[0]);
      return !has || FoldsInAnyOrder(*value->called()[0]);
    };
    const auto arrays_go = [&](const std::vector<const Instruction*>& values) {
      return std::all_of(values.begin(), values.end(), [&](const Instruction* value) {
        return value->shape().IsTuple() || goes_along(value);
      });
    };
    return arrays_go(region_.inputs) && arrays_go(region_.values) &&
           std::all_of(region_.values.begin(), region_.values.end(), folded_together);
  }

  const Region& region_;
  const Wanted& wanted_;
  Axes& axes_;
  List columns_;
  absl::flat_hash_set<int32_t> seen_;  // axes beside kept ones that were tried, or made
};

}  // namespace

std::vector<int32_t> WidenNarrowColumns(const Region& region, const MachineModel& machine,
                                        Axes& axes) {
  return Widener(region, machine.is_host() ? kOfHost : kOfGpu, axes).Run();
}

}  // namespace astitch
