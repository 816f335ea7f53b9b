// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps by one forward walk, uses by one backward walk, repeated until nothing new is kept.
#include "stitch/stages.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/fold_order.h"
#include "ir/window_form.h"
#include "stitch/op_class.h"

namespace astitch {
namespace {

// Evaluating a value a second time in another stage is cheaper than a slot below this many simple
// operations an element. On a GPU a slot of columns also takes the shared memory of other blocks.
constexpr int kKeepCost = 8, kKeepCostOnGpu = 14;

class StageBuilder {
 public:
  StageBuilder(const RegionInfo& info, const MachineModel& machine, Fusion fusion,
               const RowSpace& space, const std::vector<RootDraft>& roots,
               const absl::flat_hash_set<const Instruction*>& available)
      : info_(info), machine_(machine), fusion_(fusion), space_(space), available_(available) {
    for (const RootDraft& root : roots) roots_[root.value] = root;
  }

  StageResult Run() {
    FindNeeded();
    FindDisplaced();
    if (!RegistersOnly(fusion_)) {
      FindRowScalars();
      FindScannedInputs();
    }
    // Keeping a value changes the steps of what reads it; a few rounds settle it, and any round is
    // a right plan.
    for (int round = 0; round < 4; ++round) {
      FindSteps();
      FindUses();
      if (!KeepMore()) break;
    }
    FindSteps();
    FindUses();
    MakeStages();
    JoinScans();
    KeepScanned();
    ListReads();
    return std::move(result_);
  }

 private:
  bool InMemory(const Instruction* value) const {
    return !info_.IsComputed(value) || available_.contains(value);
  }
  bool IsRoot(const Instruction* value) const { return roots_.contains(value); }
  // The root that makes VALUE's bits available to later steps, or null: a reduction's element
  // speaks for its reduction.
  const RootDraft* Stored(const Instruction* value) const {
    const Instruction* reduce = RegionInfo::ReduceOf(value);
    const auto it = roots_.find(reduce != nullptr ? reduce : value);
    return it == roots_.end() ? nullptr : &it->second;
  }

  std::vector<int32_t> Columns(const Instruction* value) const {
    std::vector<int32_t> out;
    for (int32_t axis : info_.axes().Of(value)) {
      if (std::find(space_.rows.begin(), space_.rows.end(), axis) == space_.rows.end())
        out.push_back(axis);
    }
    return out;
  }
  std::vector<int32_t> RootColumns(const RootDraft& root) const {
    if (root.kind == RootKind::kCombine) return {};
    if (root.kind == RootKind::kReduce) return Columns(root.value->operand(0));
    return Columns(root.kind == RootKind::kScatter ? root.value->operand(2) : root.value);
  }
  // What evaluating VALUE in this phase takes of its operands.
  absl::Span<Instruction* const> OperandsOf(const Instruction* value) const {
    const auto it = roots_.find(value);
    return info_.OperandsOf(value, it == roots_.end() ? RootKind::kStore : it->second.kind);
  }
  bool HasAllRows(const Instruction* value) const {
    const std::vector<int32_t>& axes = info_.axes().Of(value);
    return std::all_of(space_.rows.begin(), space_.rows.end(), [&](int32_t row) {
      return std::find(axes.begin(), axes.end(), row) != axes.end();
    });
  }

  // Marks what the roots evaluate in this phase.
  void FindNeeded() {
    needed_.assign(info_.values().size(), false);
    std::vector<const Instruction*> stack;
    for (const Instruction* value : info_.values()) {
      if (IsRoot(value)) stack.push_back(value);
    }
    absl::flat_hash_set<const Instruction*> seen(stack.begin(), stack.end());
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      needed_[info_.number(value)] = true;
      const auto it = roots_.find(value);
      if (it != roots_.end() && it->second.kind == RootKind::kCombine)
        continue;  // reads parts only
      for (const Instruction* operand : OperandsOf(value)) {
        if (!InMemory(operand) && seen.insert(operand).second) stack.push_back(operand);
      }
    }
  }

  // A value with one element a row that a row of elements needs: worth a sweep of its own over the
  // rows, once a row.
  void FindRowScalars() {
    if (space_.rows.empty() || space_.split_columns || space_.scatter != nullptr) return;
    for (const Instruction* value : info_.values()) {
      if (!Candidate(value) || !Columns(value).empty()) continue;
      // The lanes of a GPU that share a row evaluate it side by side for free, unless it is long.
      const bool expensive = ChainCost(value) >= 2 * kKeepCost;
      if (!machine_.is_host() && !expensive) continue;
      if (ChainCost(value) == 0) continue;
      bool widens = false;
      for (const Instruction* reader : info_.readers(value)) {
        widens |= needed_[info_.number(reader)] && !Columns(reader).empty();
      }
      if (widens) Keep(value, "once-per-row");
    }
  }

  // displaced_: values that a reader of this phase takes at another position than its own, itself or
  // through values that it evaluates.
  void FindDisplaced() {
    displaced_.assign(info_.values().size(), false);
    for (size_t n = info_.values().size(); n-- > 0;) {
      const Instruction* value = info_.values()[n];
      for (const Instruction* reader : info_.readers(value)) {
        // What a reduction folds lies in its own row, wherever its result is read.
        const int64_t r = info_.number(reader);
        bool displaced = reader->opcode() != Opcode::kReduce && needed_[r] && displaced_[r];
        // A scatter is not computed from its updates where it is what it starts from.
        const int64_t operands = info_.IsUpdated(reader) ? 1 : reader->num_operands();
        for (int64_t i = 0; i < operands; ++i)
          displaced |= reader->operand(i) == value && !info_.axes().Aligned(reader, i);
        if (displaced) displaced_[n] = true;
      }
    }
  }

  // A slot has the tile's rows only: nobody may read another element than its own.
  bool ReadInPlace(const Instruction* value) const { return !displaced_[info_.number(value)]; }

  bool Candidate(const Instruction* value) const {
    return needed_[info_.number(value)] && !InMemory(value) && Stored(value) == nullptr &&
           value->shape().IsArray() && HasAllRows(value) && ReadInPlace(value);
  }

  void Keep(const Instruction* value, absl::string_view reason) {
    roots_[value] = RootDraft{value};
    result_.regional.push_back(value);
    const int64_t columns = static_cast<int64_t>(Columns(value).size());
    result_.ledger.push_back(
        {value, nullptr, "regional", std::string(reason), 0,
         columns == 0 ? "one element a row of the tile" : "a row of the tile"});
  }

  // Cost of evaluating VALUE once more, from what is stored.
  int ChainCost(const Instruction* value) const {
    constexpr int kEnough = 100;  // more than any threshold
    int cost = 0;
    std::vector<const Instruction*> stack = {value};
    absl::flat_hash_set<const Instruction*> seen = {value};
    while (!stack.empty() && cost < kEnough) {
      const Instruction* i = stack.back();
      stack.pop_back();
      cost += ElementCost(*i);
      for (const Instruction* operand : i->operands()) {
        if (!InMemory(operand) && Stored(operand) == nullptr && seen.insert(operand).second)
          stack.push_back(operand);
      }
    }
    return cost;
  }

  // step_: of a root, the sweep it belongs to; of any other value, the first sweep that can
  // evaluate it.
  void FindSteps() {
    step_.assign(info_.values().size(), 0);
    for (size_t n = 0; n < info_.values().size(); ++n) {
      if (!needed_[n]) continue;
      const Instruction* value = info_.values()[n];
      const auto root = roots_.find(value);
      if (root != roots_.end() && root->second.kind == RootKind::kCombine) continue;
      int64_t step = 0;
      for (const Instruction* operand : OperandsOf(value)) {
        if (!InMemory(operand)) step = std::max(step, StepAfter(operand, value));
      }
      step_[n] = step;
    }
  }

  int64_t StepAfter(const Instruction* operand, const Instruction* reader) const {
    const RootDraft* root = Stored(operand);
    const int64_t step = step_[info_.number(root != nullptr ? root->value : operand)];
    if (root == nullptr) return step;
    if (root->kind != RootKind::kStore) return step + 1;
    // A stored element is in a register for readers in the same sweep, and in its slot for those in
    // another.
    return Columns(root->value) ==
                       Columns(reader->opcode() == Opcode::kReduce ? operand : reader) &&
                   info_.axes().Aligned(reader, 0)
               ? step
               : step + 1;
  }

  // uses_: the sweeps that evaluate a value (or read it, if it is stored).
  void FindUses() { WalkUses(false); }

  // Values evaluated in several sweeps, nearest to their readers, if evaluating them again is
  // expensive. What a value is computed from, has to be there once if that is kept.
  bool KeepMore() {
    if (space_.split_columns || RegistersOnly(fusion_)) return false;
    return WalkUses(true);
  }

  // From readers to operands; KEEPS: what is worth it, on the way. Whether anything was.
  bool WalkUses(bool keeps) {
    bool changed = false;
    uses_.assign(info_.values().size(), {});
    memory_uses_.clear();
    for (size_t n = info_.values().size(); n-- > 0;) {
      if (!needed_[n]) continue;
      const Instruction* value = info_.values()[n];
      if (IsRoot(value) && roots_.at(value).kind == RootKind::kCombine) continue;
      if (keeps && IsWorthKeeping(value)) {
        Keep(value, "needed-in-several-sweeps");
        changed = true;
      }
      const std::set<int64_t> evaluated = IsRoot(value) ? std::set<int64_t>{step_[n]} : uses_[n];
      for (const Instruction* operand : OperandsOf(value)) {
        std::set<int64_t>& uses =
            InMemory(operand) ? memory_uses_[operand] : uses_[info_.number(operand)];
        uses.insert(evaluated.begin(), evaluated.end());
      }
    }
    return changed;
  }

  bool IsWorthKeeping(const Instruction* value) const {
    if (!Candidate(value) || uses_[info_.number(value)].size() < 2) return false;
    bool frontier = false;
    for (const Instruction* reader : info_.readers(value)) {
      const int64_t r = info_.number(reader);
      if (needed_[r]) frontier |= IsRoot(reader) || uses_[r].size() < 2;
    }
    const bool columns = !Columns(value).empty();
    const int cheap = columns && !machine_.is_host() ? kKeepCostOnGpu : kKeepCost;
    return frontier && ChainCost(value) >= cheap;
  }

  void MakeStages() {
    for (const Instruction* value : info_.values()) {
      const auto it = roots_.find(value);
      if (it == roots_.end()) continue;
      const RootDraft& root = it->second;
      const std::vector<int32_t> columns = RootColumns(root);
      const int64_t step = step_[info_.number(value)];
      const bool combine = root.kind == RootKind::kCombine;
      const bool scans = root.kind == RootKind::kScan && !root.partial;
      const bool serial =
          (root.kind == RootKind::kReduce || scans) && !FoldsInAnyOrder(*root.value->called()[0]);
      const bool one_by_one = scans && machine_.is_host();
      const auto same = [&](const StageDraft& stage) {
        return stage.step == step && stage.columns == columns && stage.combine == combine &&
               stage.serial == serial && stage.one_by_one == one_by_one;
      };
      auto stage = std::find_if(result_.stages.begin(), result_.stages.end(), same);
      if (stage == result_.stages.end()) {
        StageDraft fresh;
        fresh.step = step;
        fresh.columns = columns;
        fresh.combine = combine;
        fresh.serial = serial;
        fresh.one_by_one = one_by_one;
        result_.stages.push_back(std::move(fresh));
        stage = result_.stages.end() - 1;
      }
      stage->roots.push_back(root);
    }
    std::stable_sort(
        result_.stages.begin(), result_.stages.end(), [](const StageDraft& a, const StageDraft& b) {
          return std::make_pair(a.step, !a.combine) < std::make_pair(b.step, !b.combine);
        });
  }

  // ---- scans

  // A worker scans element after element: what would be computed so, had better be there.
  void FindScannedInputs() {
    if (!machine_.is_host() || space_.split_columns) return;
    for (const Instruction* value : info_.values()) {
      if (!IsRoot(value) || !IsScan(*value)) continue;
      const Instruction* input = value->operand(0);
      if (!InMemory(input) && Candidate(input) && ChainCost(input) >= kKeepCost)
        Keep(input, "scanned-in-order");
    }
  }

  // By number: the values whose elements are computed from those of the root SOURCE, without another
  // root between; IN_PLACE: from the element in its own place.
  std::vector<bool> ComputedFrom(const Instruction* source, std::vector<bool>* in_place) const {
    std::vector<bool> from(info_.values().size(), false);
    in_place->assign(info_.values().size(), true);
    from[info_.number(source)] = true;
    for (size_t n = info_.number(source) + 1; n < info_.values().size(); ++n) {
      const Instruction* value = info_.values()[n];
      if (!needed_[n]) continue;
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        const Instruction* operand = value->operand(i);
        if (InMemory(operand)) continue;
        const int64_t o = info_.number(operand);
        // Tasks that share a row do not read what others of the phase have stored, but compute it again.
        const bool stored = operand != source && IsRoot(operand) && !space_.split_columns;
        if (!from[o] || stored) continue;
        from[n] = true;
        if (!(*in_place)[o] || !info_.axes().Aligned(value, i)) (*in_place)[n] = false;
      }
    }
    return from;
  }

  // Threads of a GPU have what they scan in registers: what is computed from it, element by element,
  // joins the sweep.
  void JoinScans() {
    if (machine_.is_host() || RegistersOnly(fusion_)) return;
    bool joined = false;
    for (size_t s = 0; s < result_.stages.size(); ++s) {
      for (size_t r = 0; r < result_.stages[s].roots.size(); ++r) {
        const RootDraft root = result_.stages[s].roots[r];
        const bool whole = root.kind == RootKind::kScan && !root.partial;
        if (whole && !ScansBackward(*root.value)) joined |= JoinReaders(root.value, s);
      }
    }
    if (!joined) return;
    std::erase_if(result_.stages, [](const StageDraft& stage) { return stage.roots.empty(); });
    DropUnread();
    FindUses();
  }

  // What was kept for sweeps that have joined the one that makes it, needs no slot.
  void DropUnread() {
    const std::vector<const Instruction*> kept = result_.regional;
    for (const Instruction* value : kept) {
      if (ReadElsewhere(value)) continue;
      for (StageDraft& stage : result_.stages)
        std::erase_if(stage.roots, [&](const RootDraft& root) { return root.value == value; });
      std::erase(result_.regional, value);
      std::erase_if(result_.ledger,
                    [&](const LedgerEntry& entry) { return entry.producer == value; });
      roots_.erase(value);
    }
  }

  // Whether another stage than that of the root VALUE computes with its elements.
  bool ReadElsewhere(const Instruction* value) const {
    std::vector<bool> in_place;
    const std::vector<bool> from = ComputedFrom(value, &in_place);
    return std::any_of(result_.stages.begin(), result_.stages.end(), [&](const StageDraft& stage) {
      const bool reads =
          std::any_of(stage.roots.begin(), stage.roots.end(), [&](const RootDraft& root) {
            return root.value != value && from[info_.number(root.value)];
          });
      return reads && (!IsIn(stage, value) || (IsScan(*value) && ScansBackward(*value)));
    });
  }

  // Roots of later stages that read SCAN, of stage S, in place, and nothing else that is made meanwhile.
  bool JoinReaders(const Instruction* scan, size_t s) {
    bool joined = false;
    std::vector<bool> in_place;
    const std::vector<bool> from = ComputedFrom(scan, &in_place);
    StageDraft& home = result_.stages[s];
    for (size_t t = s + 1; t < result_.stages.size(); ++t) {
      StageDraft& stage = result_.stages[t];
      if (stage.columns != home.columns || stage.combine || stage.serial) continue;
      std::vector<RootDraft> stay;
      for (const RootDraft& root : stage.roots) {
        const int64_t n = info_.number(root.value);
        const bool joins = from[n] && in_place[n] && root.kind != RootKind::kScan &&
                           WaitsForNoOther(root.value, home);
        if (joins) step_[n] = home.step;
        (joins ? home.roots : stay).push_back(root);
        joined |= joins;
      }
      stage.roots = std::move(stay);
    }
    return joined;
  }

  // Whether all that evaluating VALUE takes from other roots is there before the stage HOME, or made in
  // it by scans.
  bool WaitsForNoOther(const Instruction* value, const StageDraft& home) const {
    std::vector<const Instruction*> stack = {value};
    absl::flat_hash_set<const Instruction*> seen;
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      for (const Instruction* operand : i->operands()) {
        if (InMemory(operand) || !seen.insert(operand).second) continue;
        const RootDraft* root = Stored(operand);
        if (root == nullptr) {
          stack.push_back(operand);
          continue;
        }
        const bool in_register = root->kind == RootKind::kStore ||
                                 (root->kind == RootKind::kScan && !ScansBackward(*operand));
        if (in_register && IsIn(home, operand)) continue;
        if (step_[info_.number(root->value)] >= home.step) return false;
      }
    }
    return true;
  }

  static bool IsIn(const StageDraft& stage, const Instruction* value) {
    return std::any_of(stage.roots.begin(), stage.roots.end(),
                       [&](const RootDraft& root) { return root.value == value; });
  }

  // What other sweeps of the phase read of a scan has a slot.
  void KeepScanned() {
    for (const StageDraft& stage : result_.stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.kind != RootKind::kScan || root.partial) continue;
        if (ReadElsewhere(root.value)) {
          result_.regional.push_back(root.value);
          result_.ledger.push_back({root.value, nullptr, "regional", "needed-in-several-sweeps", 0,
                                    "a row of the tile"});
        }
      }
    }
  }

  void ListReads() {
    absl::flat_hash_set<const Instruction*> seen;
    for (size_t n = 0; n < info_.values().size(); ++n) {
      if (!needed_[n]) continue;
      for (const Instruction* operand : OperandsOf(info_.values()[n])) {
        if (!InMemory(operand) || IsImmediate(*operand) || !memory_uses_.contains(operand))
          continue;
        if (!seen.insert(operand).second) continue;
        result_.read.push_back(operand);
        if (memory_uses_[operand].size() > 1) result_.read_again.push_back(operand);
        if (HasAllRows(operand)) MarkLastReader(*memory_uses_[operand].rbegin());
      }
    }
  }

  void MarkLastReader(int64_t step) {
    for (StageDraft& stage : result_.stages)
      stage.last_reader |= stage.step == step && !stage.columns.empty();
  }

  const RegionInfo& info_;
  const MachineModel& machine_;
  const Fusion fusion_;
  const RowSpace& space_;
  const absl::flat_hash_set<const Instruction*>& available_;
  absl::flat_hash_map<const Instruction*, RootDraft> roots_;
  StageResult result_;
  std::vector<bool> needed_, displaced_;
  std::vector<int64_t> step_;
  std::vector<std::set<int64_t>> uses_;
  absl::flat_hash_map<const Instruction*, std::set<int64_t>> memory_uses_;
};

}  // namespace

StageResult BuildStages(const RegionInfo& info, const MachineModel& machine, Fusion fusion,
                        const RowSpace& space, const std::vector<RootDraft>& roots,
                        const absl::flat_hash_set<const Instruction*>& available) {
  return StageBuilder(info, machine, fusion, space, roots, available).Run();
}

}  // namespace astitch
