// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every value of a stage is tagged with the orders in which evaluating it reads memory. A root whose
// lanes run along columns needs slots for the largest values under it that are read along rows only,
// and the other way round.
#include "stitch/turn.h"

#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "ir/fold_order.h"
#include "stitch/read_order.h"

namespace astitch {
namespace {

constexpr int64_t kFewRows = 16;          // whose lanes would be mostly idle
constexpr int64_t kTileRows = 32;         // of a tile, at the least
constexpr int64_t kWholeRows = 48 << 10;  // bytes of slots that hold whole rows rather than chunks

constexpr uint8_t kRowOrder = 1, kColumnOrder = 2, kBoth = 3;

class PhaseTurner {
 public:
  PhaseTurner(const RegionInfo& info, KernelDraft& draft, PhaseDraft& phase)
      : info_(info), draft_(draft), phase_(phase) {}

  void Run() {
    rows_ = Extent(phase_.space.rows);
    if (rows_ < kFewRows || !IsPlain()) return;
    FindNeeded();
    MoveRowAxis();
    uint8_t orders = 0;
    for (const StageDraft& stage : phase_.stages) {
      for (const RootDraft& root : stage.roots) orders |= OrderOf(root, stage) | TagOf(root, stage);
      for (const RootDraft& root : stage.roots) stored_.insert(root.value);
    }
    stored_.clear();
    if ((orders & kRowOrder) == 0) return;
    if (orders == kRowOrder) {
      DropLargeSlots();
      phase_.turn = Turn::kRows;
      phase_.space.split_columns = false;
      for (StageDraft& stage : phase_.stages) stage.along_rows = true;
      return;
    }
    TurnStages();
  }

 private:
  int64_t Extent(const std::vector<int32_t>& axes) const {
    int64_t product = 1;
    for (int32_t axis : axes) product *= info_.axes().extent(axis);
    return product;
  }
  static bool Has(const std::vector<int32_t>& axes, int32_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
  std::vector<int32_t> ColumnsOf(const Instruction* value) const {
    std::vector<int32_t> columns;
    for (int32_t axis : info_.axes().Of(value)) {
      if (!Has(phase_.space.rows, axis)) columns.push_back(axis);
    }
    return columns;
  }

  // Nothing but whole stores and reductions of rows.
  bool IsPlain() const {
    if (phase_.space.batch_axes > 0 || phase_.space.results_only) return false;
    for (const StageDraft& stage : phase_.stages) {
      if (stage.combine || stage.serial) return false;
      for (const RootDraft& root : stage.roots) {
        const bool reduces = root.kind == RootKind::kReduce && root.over == ReduceOver::kColumns;
        if (root.partial || (root.kind != RootKind::kStore && !reduces)) return false;
        if (root.kind == RootKind::kStore && !root.value->shape().IsArray()) return false;
      }
    }
    return true;
  }

  // ---- orders

  uint8_t OrderAlong(int32_t axis, const StageDraft& stage) const {
    if (!phase_.space.rows.empty() && axis == phase_.space.rows.back()) return kRowOrder;
    if (!stage.columns.empty() && axis == stage.columns.back()) return kColumnOrder;
    return 0;
  }

  bool InMemory(const Instruction* value) const {
    return !info_.IsComputed(value) || Has(phase_.reads, value);
  }
  static bool Has(const std::vector<const Instruction*>& list, const Instruction* value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  // Of operand I of READER, which is read from memory: only where that is much of the stage's data.
  uint8_t OrderOfRead(const Instruction* reader, int64_t i, const StageDraft& stage) const {
    const Shape& shape = reader->operand(i)->shape();
    if (!shape.IsArray() || IsImmediate(*reader->operand(i))) return 0;
    if (2 * shape.num_elements() < rows_ * Extent(stage.columns)) return 0;
    if (stage.columns.empty()) return 0;
    return OrderAlong(MemoryAxis(info_, reader, i), stage);
  }

  // Orders in which evaluating VALUE reads memory. Values stored by earlier stages are in slots.
  uint8_t Tag(const Instruction* value, const StageDraft& stage) {
    std::vector<const Instruction*> stack = {value};
    while (!stack.empty()) {
      const Instruction* at = stack.back();
      if (tags_.contains(at)) {
        stack.pop_back();
        continue;
      }
      const size_t before = stack.size();
      uint8_t tag = 0;
      for (int64_t i = 0; i < at->num_operands(); ++i) {
        const Instruction* operand = at->operand(i);
        if (InMemory(operand)) {
          tag |= OrderOfRead(at, i, stage);
        } else if (!IsStored(operand)) {
          const auto it = tags_.find(operand);
          if (it == tags_.end()) {
            stack.push_back(operand);
          } else {
            tag |= it->second;
          }
        }
      }
      if (stack.size() > before) continue;
      tags_[at] = tag;
      stack.pop_back();
    }
    return tags_[value];
  }
  uint8_t TagOf(const RootDraft& root, const StageDraft& stage) {
    tags_.clear();
    return Tag(root.value, stage);
  }

  bool IsStored(const Instruction* value) const {
    const Instruction* reduce = RegionInfo::ReduceOf(value);
    return stored_.contains(reduce != nullptr ? reduce : value);
  }

  Home HomeOf(const Instruction* value) const {
    const auto it = draft_.homes.find(value);
    return it == draft_.homes.end() ? Home::kLocal : it->second;
  }

  // In which order ROOT itself is stored; 0: it does not matter.
  uint8_t OrderOf(const RootDraft& root, const StageDraft& stage) const {
    if (root.kind != RootKind::kStore || stage.columns.empty()) return 0;
    const Home home = HomeOf(root.value);
    if (home != Home::kOutput && home != Home::kGlobal) return 0;
    return OrderAlong(MemoryAxis(info_, root.value), stage);
  }

  // Rows may be in any order: the last axis is that along which most bytes lie.
  void MoveRowAxis() {
    std::vector<int32_t>& rows = phase_.space.rows;
    absl::flat_hash_map<int32_t, int64_t> bytes;
    auto count = [&](int32_t axis, const Instruction* value) {
      if (Has(rows, axis)) bytes[axis] += value->shape().byte_size();
    };
    for (const Instruction* value : info_.values()) {
      if (!value->shape().IsArray()) continue;
      if (info_.IsOutput(value)) count(MemoryAxis(info_, value), value);
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        if (Has(phase_.reads, value->operand(i)) && !ColumnsOf(value).empty())
          count(MemoryAxis(info_, value, i), value->operand(i));
      }
    }
    auto best = rows.end();
    for (auto it = rows.begin(); it != rows.end(); ++it) {
      const auto found = bytes.find(*it);
      if (found != bytes.end() && (best == rows.end() || found->second >= bytes[*best])) best = it;
    }
    if (best != rows.end()) std::rotate(best, best + 1, rows.end());
  }

  // ---- slots

  // What the phase evaluates.
  void FindNeeded() {
    std::vector<const Instruction*> stack;
    for (const StageDraft& stage : phase_.stages) {
      for (const RootDraft& root : stage.roots) stack.push_back(root.value);
    }
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!needed_.insert(value).second) continue;
      for (const Instruction* operand : value->operands()) {
        if (!InMemory(operand)) stack.push_back(operand);
      }
    }
  }

  bool MayHaveSlot(const Instruction* value, const StageDraft& stage) const {
    if (!value->shape().IsArray() || ColumnsOf(value) != stage.columns) return false;
    const auto needed = [&](const Instruction* reader) { return needed_.contains(reader); };
    if (!ReadInPlace(info_, value, needed)) return false;
    const std::vector<int32_t> axes = info_.axes().Of(value);
    return std::all_of(phase_.space.rows.begin(), phase_.space.rows.end(),
                       [&](int32_t row) { return Has(axes, row); });
  }

  // VALUE, or what it is computed from alone, if that is narrower.
  const Instruction* Narrowest(const Instruction* value, const StageDraft& stage, uint8_t other) {
    const Instruction* narrowest = value;
    const auto width = [](const Instruction* i) { return ByteWidth(i->shape().element_type()); };
    for (const Instruction* at = value; at != nullptr;) {
      const Instruction* only = nullptr;
      int tagged = 0;
      for (int64_t i = 0; i < at->num_operands(); ++i) {
        const Instruction* operand = at->operand(i);
        const bool memory = InMemory(operand);
        const bool reads = memory ? OrderOfRead(at, i, stage) == other
                                  : !IsStored(operand) && (tags_[operand] & other) != 0;
        tagged += reads;
        if (reads) only = memory ? nullptr : operand;
      }
      at = tagged == 1 ? only : nullptr;
      const bool fits = at != nullptr && HomeOf(at) == Home::kLocal && MayHaveSlot(at, stage);
      if (fits && width(at) < width(narrowest)) narrowest = at;
    }
    return narrowest;
  }

  // The largest values under ROOT that are read in the order OTHER only.
  void FindSlots(const RootDraft& root, const StageDraft& stage, uint8_t other,
                 std::vector<RootDraft>& slots) {
    TagOf(root, stage);
    const Home home = HomeOf(root.value);
    const bool stores = root.kind == RootKind::kStore;
    if (stores && tags_[root.value] == other && home == Home::kOutput &&
        MayHaveSlot(root.value, stage)) {
      const Instruction* narrow = Narrowest(root.value, stage, other);
      const bool itself = narrow == root.value;
      slots.push_back({narrow, itself ? RootKind::kTurn : RootKind::kStore});
      return;
    }
    std::vector<const Instruction*> stack = {root.value};
    absl::flat_hash_set<const Instruction*> seen;
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (value != root.value && tags_[value] == other && HomeOf(value) == Home::kLocal &&
          MayHaveSlot(value, stage)) {
        slots.push_back({Narrowest(value, stage, other)});
        continue;
      }
      for (const Instruction* operand : value->operands()) {
        if (InMemory(operand) || IsStored(operand) || (tags_[operand] & other) == 0) continue;
        if (seen.insert(operand).second) stack.push_back(operand);
      }
    }
  }

  // Of SLOTS, those go that the others make easy to compute.
  void DropNested(const StageDraft& stage, uint8_t other, std::vector<RootDraft>& slots) {
    std::sort(slots.begin(), slots.end(), [&](const RootDraft& a, const RootDraft& b) {
      return info_.number(a.value) < info_.number(b.value);
    });
    const absl::flat_hash_set<const Instruction*> before = stored_;
    const auto same = [](const RootDraft& a, const RootDraft& b) { return a.value == b.value; };
    slots.erase(std::unique(slots.begin(), slots.end(), same), slots.end());
    for (size_t n = slots.size(); n-- > 0;) {
      stored_ = before;
      for (size_t m = 0; m < n; ++m) stored_.insert(slots[m].value);
      if ((TagOf(slots[n], stage) & other) == 0) slots.erase(slots.begin() + n);
    }
    stored_ = before;
  }

  // ---- stages

  // Lanes of ROOT, which WHOLE phases (whose slots hold whole rows) have along columns wherever a
  // slot makes that possible.
  uint8_t LanesOf(const RootDraft& root, const StageDraft& stage, bool whole) {
    const uint8_t stored = OrderOf(root, stage), read = TagOf(root, stage);
    if (stored != 0) return stored;
    if (stage.columns.empty()) return whole ? kColumnOrder : kRowOrder;
    const bool reduces = root.kind == RootKind::kReduce;
    if (read == kRowOrder && whole && reduces) {
      std::vector<RootDraft> slots;
      FindSlots(root, stage, kRowOrder, slots);
      return slots.empty() ? kRowOrder : kColumnOrder;
    }
    return read == kRowOrder ? kRowOrder : kColumnOrder;
  }

  bool OneSweep() const {
    return phase_.stages.size() == 1 &&
           std::all_of(phase_.stages[0].roots.begin(), phase_.stages[0].roots.end(),
                       [](const RootDraft& root) { return root.kind == RootKind::kStore; });
  }

  // What would be kept for later sweeps is computed again where a block has no room for its rows.
  void DropLargeSlots() {
    for (StageDraft& stage : phase_.stages) {
      std::erase_if(stage.roots, [&](const RootDraft& root) {
        if (root.kind != RootKind::kStore || HomeOf(root.value) != Home::kRegional) return false;
        const int64_t element = ByteWidth(root.value->shape().element_type());
        if (element * Extent(stage.columns) * kTileRows <= kWholeRows) return false;
        draft_.homes[root.value] = Home::kLocal;
        std::erase_if(draft_.ledger, [&](const LedgerEntry& entry) {
          return entry.producer == root.value && entry.home == "regional";
        });
        return true;
      });
    }
    std::erase_if(phase_.stages, [](const StageDraft& stage) { return stage.roots.empty(); });
  }

  struct Turned {
    std::vector<StageDraft> stages;
    std::vector<RootDraft> slots;
    int64_t bytes = 0;  // of slots of whole rows
  };

  // WHOLE: slots hold whole rows; else chunks of them, unless the phase is ONE_SWEEP of stores.
  Turned Assemble(bool whole, bool one_sweep) {
    Turned out;
    stored_.clear();
    for (const StageDraft& stage : phase_.stages) {
      std::vector<RootDraft> along_rows, along_columns, row_slots, column_slots;
      for (const RootDraft& root : stage.roots) {
        const uint8_t lanes = LanesOf(root, stage, whole);
        const bool rows = lanes == kRowOrder;
        (rows ? along_rows : along_columns).push_back(root);
        FindSlots(root, stage, kBoth - lanes, rows ? column_slots : row_slots);
      }
      DropNested(stage, kRowOrder, row_slots);
      DropNested(stage, kColumnOrder, column_slots);
      const bool chunked = !one_sweep && !whole && !(row_slots.empty() && column_slots.empty());
      auto add = [&](const std::vector<RootDraft>& roots, bool rows, bool in_chunks) {
        if (roots.empty()) return;
        StageDraft part = stage;
        part.roots = roots;
        part.along_rows = rows;
        part.chunked = in_chunks;
        out.stages.push_back(std::move(part));
      };
      add(row_slots, true, chunked);
      add(column_slots, false, chunked);
      add(along_columns, false, chunked && !row_slots.empty());
      add(along_rows, true, chunked && !column_slots.empty());
      for (const RootDraft& root : stage.roots) stored_.insert(root.value);
      for (const std::vector<RootDraft>* slots : {&row_slots, &column_slots}) {
        for (const RootDraft& slot : *slots) {
          out.slots.push_back(slot);
          out.bytes +=
              ByteWidth(slot.value->shape().element_type()) * Extent(stage.columns) * kTileRows;
          if (!chunked) stored_.insert(slot.value);  // what chunks had in slots is gone
        }
      }
    }
    return out;
  }

  void TurnStages() {
    const bool one_sweep = OneSweep();
    Turned turned = Assemble(!one_sweep, one_sweep);
    if (!one_sweep && turned.bytes > kWholeRows) {
      DropLargeSlots();
      turned = Assemble(false, false);
    }
    phase_.stages = std::move(turned.stages);
    phase_.turn = Turn::kTile;
    phase_.space.split_columns = one_sweep;
    Keep(turned.slots);
    KeepRowResults();
    FindReadsAgain();
  }

  void Keep(const std::vector<RootDraft>& slots) {
    absl::flat_hash_set<const Instruction*> seen;
    for (const RootDraft& slot : slots) {
      if (!seen.insert(slot.value).second) continue;
      if (slot.kind != RootKind::kTurn) draft_.homes[slot.value] = Home::kRegional;
      draft_.ledger.push_back({slot.value, nullptr, "regional", "read-along-other-axis", 0,
                               "written along one axis, read along the other"});
    }
  }

  // Calls VISIT with what evaluating ROOT reads: values of memory, and of earlier stages.
  template <typename Visit>
  void ForEachRead(const RootDraft& root, const absl::flat_hash_set<const Instruction*>& stored,
                   Visit visit) const {
    if (root.kind == RootKind::kStore && stored.contains(root.value)) return visit(root.value);
    std::vector<const Instruction*> stack = {root.value};
    absl::flat_hash_set<const Instruction*> seen;
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      for (const Instruction* operand : value->operands()) {
        if (!seen.insert(operand).second) continue;
        const Instruction* reduce = RegionInfo::ReduceOf(operand);
        if (InMemory(operand) || stored.contains(reduce != nullptr ? reduce : operand)) {
          visit(operand);
        } else {
          stack.push_back(operand);
        }
      }
    }
  }

  // A row's result is in the registers of its threads, which are others where lanes run along the
  // other axis: it gets a slot if it is read there.
  void KeepRowResults() {
    absl::flat_hash_set<const Instruction*> stored;
    absl::flat_hash_map<const Instruction*, bool> along_rows;
    for (const StageDraft& stage : phase_.stages) {
      for (const RootDraft& root : stage.roots) {
        ForEachRead(root, stored, [&](const Instruction* read) {
          const Instruction* reduce = RegionInfo::ReduceOf(read);
          const auto it = along_rows.find(reduce);
          if (it == along_rows.end() || it->second == stage.along_rows) return;
          Home& home = draft_.homes[read];
          if (home == Home::kLocal) home = Home::kRegional;
        });
      }
      for (const RootDraft& root : stage.roots) {
        stored.insert(root.value);
        if (root.kind == RootKind::kReduce) along_rows[root.value] = stage.along_rows;
      }
    }
  }

  void FindReadsAgain() {
    absl::flat_hash_map<const Instruction*, int> sweeps;
    absl::flat_hash_set<const Instruction*> stored;
    std::vector<const Instruction*> in_chunks;
    for (size_t s = 0; s < phase_.stages.size(); ++s) {
      const StageDraft& stage = phase_.stages[s];
      absl::flat_hash_set<const Instruction*> here;
      for (const RootDraft& root : stage.roots)
        ForEachRead(root, stored, [&](const Instruction* read) { here.insert(read); });
      for (const Instruction* read : here) ++sweeps[read];
      for (const RootDraft& root : stage.roots) {
        stored.insert(root.value);
        if (stage.chunked && root.kind != RootKind::kReduce) in_chunks.push_back(root.value);
      }
      const bool ends = std::any_of(stage.roots.begin(), stage.roots.end(), [](const auto& root) {
        return root.kind == RootKind::kReduce;
      });
      if (stage.chunked && !ends && s + 1 < phase_.stages.size() && phase_.stages[s + 1].chunked)
        continue;
      for (const Instruction* value : in_chunks) stored.erase(value);
      in_chunks.clear();
    }
    phase_.reads_again.clear();
    for (const Instruction* read : phase_.reads) {
      if (sweeps[read] > 1) phase_.reads_again.push_back(read);
    }
  }

  const RegionInfo& info_;
  KernelDraft& draft_;
  PhaseDraft& phase_;
  int64_t rows_ = 1;
  absl::flat_hash_set<const Instruction*> needed_;
  absl::flat_hash_map<const Instruction*, uint8_t> tags_;
  absl::flat_hash_set<const Instruction*> stored_;  // by stages before the one under way
};

}  // namespace

void TurnPhases(const RegionInfo& info, const MachineModel& machine, KernelDraft& draft) {
  if (machine.is_host()) return;
  for (PhaseDraft& phase : draft.phases) PhaseTurner(info, draft, phase).Run();
}

}  // namespace astitch
