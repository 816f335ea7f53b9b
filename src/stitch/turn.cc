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
#include "stitch/stage_reads.h"
#include "stitch/sweep_orders.h"

namespace astitch {
namespace {

constexpr int64_t kFewRows = 16;          // whose lanes would be mostly idle
constexpr int64_t kTileRows = 32;         // of a tile, at the least
constexpr int64_t kWholeRows = 48 << 10;  // bytes of slots that hold whole rows rather than chunks

class PhaseTurner {
 public:
  PhaseTurner(const RegionInfo& info, KernelDraft& draft, PhaseDraft& phase)
      : info_(info), draft_(draft), phase_(phase), orders_(info, phase) {}

  void Run() {
    if (info_.axes().ExtentOf(phase_.space.rows) < kFewRows || !IsPlain()) return;
    if (phase_.space.cluster > 1) return;
    FindNeeded();
    MoveRowAxis();
    uint8_t orders = 0;
    for (const StageDraft& stage : phase_.stages) {
      for (const RootDraft& root : stage.roots)
        orders |= OrderOf(root, stage) | orders_.Find(root.value, stage);
      for (const RootDraft& root : stage.roots) orders_.stored().insert(root.value);
    }
    orders_.stored().clear();
    if ((orders & kRowOrder) == 0) return;
    if (orders != kRowOrder && HasScans()) return;
    if (orders == kRowOrder) {
      DropLargeSlots();
      phase_.turn = Turn::kRows;
      if (!HasScans()) phase_.space.split_columns = false;
      for (StageDraft& stage : phase_.stages) stage.along_rows = true;
      return;
    }
    TurnStages();
  }

 private:
  std::vector<int32_t> ColumnsOf(const Instruction* value) const {
    std::vector<int32_t> columns;
    for (int32_t axis : info_.axes().Of(value)) {
      if (!Contains(phase_.space.rows, axis)) columns.push_back(axis);
    }
    return columns;
  }

  // Nothing but whole stores and reductions of rows.
  bool IsPlain() const {
    if (phase_.space.batch_axes > 0) return false;
    if (phase_.space.results_only && phase_.space.most_folded == 0) return false;
    for (const StageDraft& stage : phase_.stages) {
      if (stage.combine || stage.serial) return false;
      for (const RootDraft& root : stage.roots) {
        const bool reduces = root.kind == RootKind::kReduce && root.over == ReduceOver::kColumns;
        const bool stores = root.kind == RootKind::kStore || root.kind == RootKind::kScan;
        const bool part = root.partial && root.kind != RootKind::kScan;
        if (part || (!stores && !reduces)) return false;
        if (stores && !root.value->shape().IsArray()) return false;
      }
    }
    return true;
  }

  bool HasScans() const {
    return std::any_of(phase_.stages.begin(), phase_.stages.end(), [](const StageDraft& stage) {
      return std::any_of(stage.roots.begin(), stage.roots.end(),
                         [](const RootDraft& root) { return root.kind == RootKind::kScan; });
    });
  }

  // ---- orders

  Home HomeOf(const Instruction* value) const {
    const auto it = draft_.homes.find(value);
    return it == draft_.homes.end() ? Home::kLocal : it->second;
  }

  // In which order ROOT itself is stored; 0: it does not matter.
  uint8_t OrderOf(const RootDraft& root, const StageDraft& stage) const {
    const bool stores = root.kind == RootKind::kStore || root.kind == RootKind::kScan;
    if (!stores || stage.columns.empty()) return 0;
    const Home home = HomeOf(root.value);
    if (home != Home::kOutput && home != Home::kGlobal) return 0;
    return orders_.Along(MemoryAxis(info_, root.value), stage);
  }

  // Rows may be in any order: the last axis is that along which most bytes lie.
  void MoveRowAxis() {
    std::vector<int32_t>& rows = phase_.space.rows;
    absl::flat_hash_map<int32_t, int64_t> bytes;
    auto count = [&](int32_t axis, const Instruction* value) {
      if (Contains(rows, axis)) bytes[axis] += value->shape().byte_size();
    };
    for (const Instruction* value : info_.values()) {
      if (!value->shape().IsArray()) continue;
      if (info_.IsOutput(value)) count(MemoryAxis(info_, value), value);
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        const std::vector<const Instruction*>& reads = phase_.reads;
        const bool read = std::find(reads.begin(), reads.end(), value->operand(i)) != reads.end();
        if (read && !ColumnsOf(value).empty())
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
      for (const Instruction* operand : info_.OperandsOf(value, RootKind::kStore)) {
        if (!orders_.InMemory(operand)) stack.push_back(operand);
      }
    }
  }

  bool MayHaveSlot(const Instruction* value, const StageDraft& stage) const {
    if (!value->shape().IsArray() || ColumnsOf(value) != stage.columns) return false;
    const auto needed = [&](const Instruction* reader) { return needed_.contains(reader); };
    if (!ReadInPlace(info_, value, needed)) return false;
    const std::vector<int32_t>& axes = info_.axes().Of(value);
    return std::all_of(phase_.space.rows.begin(), phase_.space.rows.end(),
                       [&](int32_t row) { return Contains(axes, row); });
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
        const bool memory = orders_.InMemory(operand);
        const bool reads =
            memory ? orders_.OfRead(at, i, stage) == other
                   : !orders_.IsStored(operand) && (orders_.Found(operand) & other) != 0;
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
    orders_.Find(root.value, stage);
    const Home home = HomeOf(root.value);
    const bool stores = root.kind == RootKind::kStore;
    if (stores && orders_.Found(root.value) == other && home == Home::kOutput &&
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
      if (value != root.value && orders_.Found(value) == other && HomeOf(value) == Home::kLocal &&
          MayHaveSlot(value, stage)) {
        slots.push_back({Narrowest(value, stage, other)});
        continue;
      }
      for (const Instruction* operand : value->operands()) {
        if (orders_.InMemory(operand) || orders_.IsStored(operand) ||
            (orders_.Found(operand) & other) == 0)
          continue;
        if (seen.insert(operand).second) stack.push_back(operand);
      }
    }
  }

  // Of SLOTS, those go that the others make easy to compute.
  void DropNested(const StageDraft& stage, uint8_t other, std::vector<RootDraft>& slots) {
    std::sort(slots.begin(), slots.end(), [&](const RootDraft& a, const RootDraft& b) {
      return info_.number(a.value) < info_.number(b.value);
    });
    const absl::flat_hash_set<const Instruction*> before = orders_.stored();
    const auto same = [](const RootDraft& a, const RootDraft& b) { return a.value == b.value; };
    slots.erase(std::unique(slots.begin(), slots.end(), same), slots.end());
    for (size_t n = slots.size(); n-- > 0;) {
      orders_.stored() = before;
      for (size_t m = 0; m < n; ++m) orders_.stored().insert(slots[m].value);
      if ((orders_.Find(slots[n].value, stage) & other) == 0) slots.erase(slots.begin() + n);
    }
    orders_.stored() = before;
  }

  // ---- stages

  // Lanes of ROOT, which WHOLE phases (whose slots hold whole rows) have along columns wherever a
  // slot makes that possible.
  uint8_t LanesOf(const RootDraft& root, const StageDraft& stage, bool whole) {
    const uint8_t stored = OrderOf(root, stage), read = orders_.Find(root.value, stage);
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
        if (element * info_.axes().ExtentOf(stage.columns) * kTileRows <= kWholeRows) return false;
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
    orders_.stored().clear();
    for (const StageDraft& stage : phase_.stages) {
      std::vector<RootDraft> along_rows, along_columns, row_slots, column_slots;
      for (const RootDraft& root : stage.roots) {
        const uint8_t lanes = LanesOf(root, stage, whole);
        const bool rows = lanes == kRowOrder;
        (rows ? along_rows : along_columns).push_back(root);
        FindSlots(root, stage, kBothOrders - lanes, rows ? column_slots : row_slots);
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
      for (const RootDraft& root : stage.roots) orders_.stored().insert(root.value);
      for (const std::vector<RootDraft>* slots : {&row_slots, &column_slots}) {
        for (const RootDraft& slot : *slots) {
          out.slots.push_back(slot);
          out.bytes += ByteWidth(slot.value->shape().element_type()) *
                       info_.axes().ExtentOf(stage.columns) * kTileRows;
          if (!chunked) orders_.stored().insert(slot.value);  // what chunks had in slots is gone
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
    KeepRowResults(info_, phase_, draft_.homes);
    FindReadsAgain(info_, phase_);
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

  const RegionInfo& info_;
  KernelDraft& draft_;
  PhaseDraft& phase_;
  absl::flat_hash_set<const Instruction*> needed_;
  SweepOrders orders_;
};

}  // namespace

void TurnPhases(const RegionInfo& info, const MachineModel& machine, KernelDraft& draft) {
  if (machine.is_host()) return;
  for (PhaseDraft& phase : draft.phases) PhaseTurner(info, draft, phase).Run();
}

}  // namespace astitch
