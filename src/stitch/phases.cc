// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The loop over phases: rows, status of every value under them, what is done now, what must be
// stored for later.
#include "stitch/phases.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "ir/fold_order.h"
#include "ir/window_form.h"
#include "stitch/barriers.h"
#include "stitch/op_class.h"
#include "stitch/phase_order.h"
#include "stitch/repeat.h"
#include "stitch/stage_rates.h"
#include "stitch/stages.h"
#include "stitch/stored.h"
#include "stitch/turn.h"

namespace astitch {
namespace {

bool Subset(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](int32_t x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}
bool SameSet(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  return a.size() == b.size() && Subset(a, b);
}
std::vector<int32_t> Minus(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  std::vector<int32_t> out;
  for (int32_t x : a) {
    if (std::find(b.begin(), b.end(), x) == b.end()) out.push_back(x);
  }
  return out;
}

class PhaseBuilder {
 public:
  PhaseBuilder(const RegionInfo& info, const MachineModel& machine, Fusion fusion, PhaseRules rules)
      : info_(info), machine_(machine), fusion_(fusion), rules_(rules) {}

  absl::StatusOr<KernelDraft> Run() {
    FindStored();
    for (const Instruction* value : info_.values()) {
      const bool result = info_.IsOutput(value) && RegionInfo::ReduceOf(value) == nullptr;
      if (result || Folds(*value) || IsScatter(*value)) pending_.push_back(value);
    }
    draft_.launch.row_is_block = fusion_ == Fusion::kXla && !machine_.is_host();
    while (!pending_.empty()) {
      const size_t pending = pending_.size(), begun = partial_.size() + copied_.size();
      BuildPhase();
      if (pending_.size() == pending && partial_.size() + copied_.size() == begun) {
        return ErrorAt(*pending_.front(), "the planner finds no phase for this operation");
      }
    }
    for (const Instruction* value : info_.values()) draft_.homes.try_emplace(value, Home::kLocal);
    SetBarriers(info_, draft_);
    TurnPhases(info_, machine_, draft_);
    return std::move(draft_);
  }

 private:
  enum class Status : uint8_t { kFree, kRow, kBlocked };
  // Whether an element is computed from a scan of the phase, or from one that goes backward.
  enum class Scanned : uint8_t { kNot, kForward, kBackward };

  // ---- what is stored in any case

  // A scatter is made in memory; so is what is looked up there, unless a few operations make it.
  void FindStored() {
    for (const Instruction* value : FindLookedUpValues(info_, RegistersOnly(fusion_))) {
      looked_up_.insert(value);
      StoreFirst(value, "looked-up", "");
    }
    for (const Instruction* value : info_.values()) {
      if (IsScatter(*value) && !info_.IsOutput(value)) draft_.homes[value] = Home::kGlobal;
    }
    if (!rules_.costly_first || RegistersOnly(fusion_)) return;
    for (const Instruction* value : FindCostly(info_, looked_up_, machine_)) {
      if (looked_up_.contains(value)) continue;
      costly_.push_back(value);
      StoreFirst(value, "costly-before-broadcast", "stored once for all its readers");
    }
  }

  void StoreFirst(const Instruction* value, absl::string_view reason, absl::string_view detail) {
    if (info_.IsOutput(value)) return;
    draft_.homes[value] = Home::kGlobal;
    draft_.ledger.push_back({value, nullptr, "global", std::string(reason),
                             value->shape().byte_size(), std::string(detail)});
    if (!IsMade(*value)) pending_.push_back(value);
  }

  // Whether READER cannot take its operand I before that is in memory.
  bool WaitsFor(const Instruction* reader, int64_t i) const {
    const Instruction* operand = reader->operand(i);
    return looked_up_.contains(operand) && !available_.contains(operand) &&
           LooksUp(info_, *reader, i);
  }

  // ---- rows

  // By number: values that wait for a reduction, scan or scatter among their ancestors, or for one that is
  // looked up. A scatter may become what it starts from before its indices are there.
  std::vector<bool> FindWaiting() const {
    std::vector<bool> waits(info_.values().size(), false);
    for (size_t n = 0; n < info_.values().size(); ++n) {
      const Instruction* value = info_.values()[n];
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        const Instruction* operand = value->operand(i);
        if (!info_.IsComputed(operand) || available_.contains(operand)) continue;
        const bool looks = !IsScatter(*value) && WaitsFor(value, i);
        if (IsMade(*operand) || looks || waits[info_.number(operand)]) waits[n] = true;
      }
    }
    return waits;
  }

  // What phases may begin with: of each kind the most telling target, null if none is ready.
  struct Targets {
    const Instruction* largest = nullptr;   // a reduction or scan
    std::vector<const Instruction*> ready;  // all reductions
    const Instruction* copied = nullptr;    // a scatter that is not yet what it starts from
    const Instruction* looked_up = nullptr;
    const Instruction* combined = nullptr;  // a reduction of which there are parts
    const Instruction* updated = nullptr;   // a scatter that is what it starts from
    const Instruction* output = nullptr;
  };

  Targets FindTargets() const {
    const std::vector<bool> waits = FindWaiting();
    const auto is_ready = [&](const Instruction* target) {
      return !waits[info_.number(target)] || partial_.contains(target);
    };
    const bool others = std::any_of(pending_.begin(), pending_.end(), [&](const Instruction* i) {
      return Folds(*i) && is_ready(i) && !waiting_.contains(i);
    });
    const auto keep_larger = [](const Instruction*& largest, const Instruction* target) {
      const auto elements = [](const Instruction* i) { return i->shape().num_elements(); };
      if (largest == nullptr || elements(target) > elements(largest)) largest = target;
    };
    Targets out;
    for (const Instruction* target : pending_) {
      if ((others && waiting_.contains(target)) || !is_ready(target)) continue;
      if (IsScatter(*target)) {
        const bool begun = copied_.contains(target);
        const bool there = !WaitsFor(target, 1) && !WaitsFor(target, 2);
        if (!begun && (there || info_.IsUpdated(target))) keep_larger(out.copied, target);
        if (begun && there) keep_larger(out.updated, target);
      } else if (!Folds(*target)) {
        keep_larger(info_.IsOutput(target) ? out.output : out.looked_up, target);
      } else if (partial_.contains(target)) {
        if (out.combined == nullptr) out.combined = target;
      } else {
        if (target->opcode() == Opcode::kReduce) out.ready.push_back(target);
        if (out.largest == nullptr || IsLarger(*target, *out.largest)) out.largest = target;
      }
    }
    return out;
  }

  bool IsLarger(const Instruction& target, const Instruction& largest) const {
    const int64_t elements = target.operand(0)->shape().num_elements();
    const int64_t most = largest.operand(0)->shape().num_elements();
    return elements > most || (elements == most && AlongMemory(target) && !AlongMemory(largest));
  }

  RowSpace RowsFor(const Instruction& reduce) const {
    if (rules_.in_one_place && IsSmallReduction(reduce)) return RowsOfResults(info_, reduce);
    RowSpace space = RowsForReduce(info_, reduce, machine_);
    if (rules_.whole_rows && !space.rows.empty()) {
      space.split_columns = false;
      space.cluster = 1;
    }
    return space;
  }

  // Reductions first, and then what a phase behind a barrier takes: all of those share one.
  RowSpace ChooseRows() const {
    for (const Instruction* value : costly_) {
      if (available_.contains(value)) continue;
      RowSpace space;
      space.rows = info_.axes().Of(value);
      space.results_only = true;
      return space;
    }
    const Targets targets = FindTargets();
    if (targets.largest != nullptr && !RegistersOnly(fusion_)) {
      const RowSpace space = RowsFor(*targets.largest);
      const Instruction* first = SmallReductionFirst(info_, {pending_, available_}, targets.ready,
                                                     *targets.largest, space.rows);
      return first == nullptr ? space : RowsFor(*first);
    }
    if (targets.largest != nullptr) {
      RowSpace space = RowsFor(*targets.largest);
      if (draft_.launch.row_is_block && !space.rows.empty()) space.split_columns = false;
      return space;
    }
    if (targets.copied != nullptr) return RowsForCopy(info_, *targets.copied, machine_);
    if (targets.looked_up != nullptr) return RowsForOutput(info_, *targets.looked_up, machine_);
    if (targets.combined != nullptr) return CombineRows(*targets.combined);
    if (targets.updated != nullptr) return RowsForUpdates(info_, *targets.updated);
    return RowsForOutput(info_, *targets.output, machine_);
  }

  // Whether the reduction folds what lies side by side in its largest input.
  bool AlongMemory(const Instruction& reduce) const {
    const std::vector<int32_t> folded = AxesOf(info_, reduce).folded;
    const Instruction* largest = nullptr;
    for (const Instruction* input : info_.region().inputs) {
      if (input->shape().IsArray() &&
          (largest == nullptr || input->shape().byte_size() > largest->shape().byte_size()))
        largest = input;
    }
    if (largest == nullptr) return false;
    const std::vector<int32_t>& axes = info_.axes().Of(largest);
    return !axes.empty() && std::find(folded.begin(), folded.end(), axes.back()) != folded.end();
  }

  // The phase that finishes a split row goes on with that row, split as before.
  RowSpace CombineRows(const Instruction& reduce) const {
    const auto it = split_rows_.find(&reduce);
    if (IsScan(reduce)) return it->second;
    const bool same_axes = it != split_rows_.end() && info_.axes().Aligned(&reduce, 0);
    return !same_axes ? RowsForCombine(info_, reduce, machine_) : it->second;
  }

  // ---- status under the rows of the phase

  // What READER sees of operand I: blocked when the rows differ.
  Status Seen(const Instruction* reader, int64_t i) const {
    const Instruction* operand = reader->operand(i);
    if (!info_.IsComputed(operand) || available_.contains(operand)) return Status::kFree;
    if (WaitsFor(reader, i)) return Status::kBlocked;
    const Status status = status_[info_.number(operand)];
    if (status != Status::kRow) return status;
    // Of what a scan leaves in a row, a reader has the element in its own place.
    const bool scanned = scanned_[info_.number(operand)] != Scanned::kNot;
    if (scanned && !SeesScanned(reader, i)) return Status::kBlocked;
    if (rows_.empty()) return status;
    if (!info_.axes().Aligned(reader, i) || ElsewhereInRows(operand, reader))
      return Status::kBlocked;
    if (Folds(*reader)) return status;  // its own check of the rows follows
    return Subset(rows_, info_.axes().Of(reader)) ? status : Status::kBlocked;
  }

  // Whether READER has its operand I, computed from a scan, in a thread's hands: in its own place, and
  // where tasks share rows, in columns that the same task has. Those of a scan that goes backward are
  // counted from the end.
  bool SeesScanned(const Instruction* reader, int64_t i) const {
    const Instruction* operand = reader->operand(i);
    if (!info_.axes().Aligned(reader, i)) return false;
    if (!phase_.space.split_columns) return true;
    if (scanned_[info_.number(operand)] == Scanned::kBackward) return false;
    if (Folds(*reader)) return !IsScan(*reader) || !ScansBackward(*reader);
    return SameSet(info_.axes().Of(reader), info_.axes().Of(operand));
  }

  // Whether OPERAND was folded in rows that are not its own axes: some value has both, so that the
  // axes of the reduction and of what it folds could not be related. Its results are in memory for
  // later phases, and not where its readers look for them now.
  bool ElsewhereInRows(const Instruction* operand, const Instruction* reader) const {
    const Instruction* reduce = RegionInfo::ReduceOf(operand);
    if (reduce == nullptr || reader->opcode() == Opcode::kGetTupleElement) return false;
    return !partial_.contains(reduce) && !info_.axes().Aligned(reduce, 0);
  }

  void Classify() {
    rows_ = phase_.space.rows;
    status_.assign(info_.values().size(), Status::kFree);
    scanned_.assign(info_.values().size(), Scanned::kNot);
    roots_.clear();
    on_the_way_.clear();
    for (size_t n = 0; n < info_.values().size(); ++n) {
      const Instruction* value = info_.values()[n];
      if (available_.contains(value)) continue;
      Status status = Status::kFree;
      for (int64_t i = 0; i < value->num_operands(); ++i) status = std::max(status, Seen(value, i));
      if (value->opcode() == Opcode::kReduce) status = ClassifyReduce(*value, status);
      if (IsScan(*value)) status = ClassifyScan(*value, status);
      if (IsScatter(*value)) status = Status::kBlocked;  // to its readers
      status_[n] = status;
      scanned_[n] = ScannedOf(value);
    }
    // The single task of a short reduction had better not store large arrays as well: they have phases
    // of their own, of many tasks, and a barrier costs what a block moves of some tens of KB.
    constexpr int64_t kMostOfOneTask = 64 << 10;
    const bool one_task =
        rows_.empty() && !phase_.space.split_columns && !RegistersOnly(fusion_) && !roots_.empty();
    for (const Instruction* target : pending_) {
      if (Folds(*target)) continue;
      const Status status = StatusOfTarget(target);
      const std::vector<int32_t>& axes = info_.axes().Of(target);
      const bool rows_match =
          phase_.space.results_only ? SameSet(rows_, axes) : Subset(rows_, axes);
      if (status == Status::kBlocked || !rows_match) continue;
      const bool other = phase_.space.copies_only && !IsScatter(*target);
      const bool large = one_task && target->shape().byte_size() > kMostOfOneTask;
      (other || large ? on_the_way_ : roots_).push_back({target});
    }
  }

  Status StatusOfTarget(const Instruction* target) const {
    if (!IsScatter(*target)) return status_[info_.number(target)];
    if (copied_.contains(target)) return Status::kBlocked;
    if (info_.IsUpdated(target)) return Seen(target, 0);
    const bool there = Seen(target, 1) == Status::kFree && Seen(target, 2) == Status::kFree;
    return there ? Seen(target, 0) : Status::kBlocked;
  }

  Scanned ScannedOf(const Instruction* value) const {
    if (IsScan(*value)) return ScansBackward(*value) ? Scanned::kBackward : Scanned::kForward;
    Scanned scanned = Scanned::kNot;
    if (value->opcode() == Opcode::kReduce) return scanned;
    for (const Instruction* operand : value->operands()) {
      if (info_.IsComputed(operand) && !available_.contains(operand))
        scanned = std::max(scanned, scanned_[info_.number(operand)]);
    }
    return scanned;
  }

  // Drops partial reductions that a later phase does with less reading.
  void LetWait() {
    if (RegistersOnly(fusion_)) return;
    std::vector<const Instruction*> roots, now;
    for (const RootDraft& root : roots_) {
      roots.push_back(root.value);
      if (root.kind == RootKind::kReduce && root.partial) now.push_back(root.value);
    }
    for (const Instruction* reduce :
         ReductionsThatCanWait(info_, machine_, {pending_, available_}, roots, now, rows_)) {
      std::erase_if(roots_, [&](const RootDraft& root) { return root.value == reduce; });
      waiting_.insert(reduce);
    }
    const auto waits = [&](const RootDraft& root) {
      return root.kind == RootKind::kStore && IsFoldedLater(root.value);
    };
    if (std::all_of(roots_.begin(), roots_.end(), waits)) return;
    std::copy_if(roots_.begin(), roots_.end(), std::back_inserter(on_the_way_), waits);
    std::erase_if(roots_, waits);
  }

  // Whether an element of VALUE is computed from that of OUTPUT in its own place, by a few operations of
  // one operand each.
  bool IsMadeOf(const Instruction* value, const Instruction* output) const {
    constexpr int kMost = 4;
    for (int steps = 0; steps < kMost && value != output; ++steps) {
      if (value->num_operands() != 1 || !info_.IsComputed(value) || Folds(*value) ||
          !info_.axes().Aligned(value, 0))
        return false;
      value = value->operand(0);
    }
    return value == output;
  }

  // Whether a later phase folds OUTPUT, in rows that it has: stored there, it need not be read again.
  bool IsFoldedLater(const Instruction* output) const {
    const int64_t cache = machine_.is_host() ? machine_.l3_bytes : machine_.l2_bytes;
    if (!info_.IsOutput(output) || IsScatter(*output)) return false;
    if (output->shape().byte_size() <= cache) return false;
    for (const Instruction* reduce : pending_) {
      const bool now = std::any_of(roots_.begin(), roots_.end(),
                                   [&](const RootDraft& root) { return root.value == reduce; });
      if (reduce->opcode() != Opcode::kReduce || now || partial_.contains(reduce)) continue;
      if (Subset(AxesOf(info_, *reduce).kept, info_.axes().Of(output)) &&
          IsMadeOf(reduce->operand(0), output))
        return true;
    }
    return false;
  }

  // Whether the reduction runs in this phase, and whether its result is there for the same rows.
  Status ClassifyReduce(const Instruction& reduce, Status operands) {
    const ReduceAxes axes = AxesOf(info_, reduce);
    if (partial_.contains(&reduce)) {
      if (!SameSet(info_.axes().Of(&reduce), rows_)) return Status::kBlocked;
      roots_.push_back({&reduce, RootKind::kCombine, ReduceOver::kColumns, false});
      return Status::kRow;
    }
    if (operands == Status::kBlocked || !Subset(rows_, axes.operand)) return Status::kBlocked;
    if (phase_.space.results_only && axes.operand.size() != rows_.size() &&
        (!SameSet(axes.kept, rows_) ||
         info_.axes().ExtentOf(axes.folded) > phase_.space.most_folded))
      return Status::kBlocked;
    RootDraft root{&reduce, RootKind::kReduce, ReduceOver::kColumns, false};
    const bool any_order = FoldsInAnyOrder(*reduce.called()[0]);
    if (SameSet(axes.kept, rows_)) {
      root.partial = phase_.space.split_columns && !axes.folded.empty();
      if (root.partial && !any_order) return Status::kBlocked;
      roots_.push_back(root);
      return root.partial ? Status::kBlocked : Status::kRow;
    }
    const std::vector<int32_t> batch(rows_.begin(), rows_.begin() + phase_.space.batch_axes);
    const std::vector<int32_t> columns = Minus(axes.operand, rows_);
    if (!any_order || !Subset(batch, axes.kept) || !Subset(Minus(rows_, batch), axes.folded))
      return Status::kBlocked;
    // Rows without columns: one result a batch, and lanes may run along the rows.
    if (Subset(columns, axes.folded)) {
      root.over = ReduceOver::kAll;
    } else if (Subset(Minus(columns, info_.folded_columns()), axes.kept)) {
      root.over = ReduceOver::kRows;
    } else {
      return Status::kBlocked;
    }
    root.partial = true;
    roots_.push_back(root);
    return Status::kBlocked;
  }

  // Whether the scan runs in this phase: whole rows of it, or, where tasks share rows, its parts first
  // and then all of it.
  Status ClassifyScan(const Instruction& scan, Status operands) {
    const ReduceAxes axes = AxesOf(info_, scan);
    const bool whole_rows = SameSet(axes.kept, rows_) && phase_.space.batch_axes == 0;
    if (operands == Status::kBlocked || !whole_rows || phase_.space.results_only)
      return Status::kBlocked;
    RootDraft root{&scan, RootKind::kScan, ReduceOver::kNone, false};
    const bool parts = partial_.contains(&scan);
    if (parts && (!phase_.space.split_columns || TakesOtherParts(scan))) return Status::kBlocked;
    if (phase_.space.split_columns && !parts) {
      if (!RowsFor(scan).split_columns) return Status::kBlocked;
      root.partial = true;
    }
    roots_.push_back(root);
    return root.partial ? Status::kBlocked : Status::kRow;
  }

  // Whether a scan of this phase goes on with the parts of other tasks than SCAN would.
  bool TakesOtherParts(const Instruction& scan) const {
    return std::any_of(roots_.begin(), roots_.end(), [&](const RootDraft& root) {
      const auto it = parts_made_in_.find(root.value);
      return it != parts_made_in_.end() && it->second != parts_made_in_.at(&scan);
    });
  }

  // ---- the phase

  void BuildPhase() {
    phase_ = PhaseDraft();
    phase_.space = ChooseRows();
    if (phase_.space.scatter != nullptr) {
      roots_ = {{phase_.space.scatter, RootKind::kScatter}};
    } else {
      Classify();
      LetWait();
      StoreForLater();
      TakeOnTheWay();
    }
    const StageResult stages =
        BuildStages(info_, machine_, fusion_, phase_.space, roots_, available_);
    phase_.stages = stages.stages;
    phase_.reads = stages.read;
    phase_.reads_again = stages.read_again;
    for (const Instruction* value : stages.regional) {
      if (info_.IsOutput(value)) {
        roots_.push_back({value});  // kept where it belongs: there it is for good
      } else {
        draft_.homes.try_emplace(value, Home::kRegional);
      }
    }
    for (const LedgerEntry& entry : stages.ledger) {
      const auto home = draft_.homes.find(entry.producer);
      if (home != draft_.homes.end() && home->second == Home::kRegional)
        draft_.ledger.push_back(entry);
    }
    draft_.phases.push_back(std::move(phase_));
    Finish();
  }

  // Results that are evaluated on the way to other roots in any case are stored here.
  void TakeOnTheWay() {
    if (on_the_way_.empty()) return;
    absl::flat_hash_set<const Instruction*> seen;
    std::vector<const Instruction*> stack;
    for (const RootDraft& root : roots_) stack.push_back(root.value);
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      for (const Instruction* operand : info_.OperandsOf(value, RootKind::kStore)) {
        if (info_.IsComputed(operand) && !available_.contains(operand) &&
            seen.insert(operand).second)
          stack.push_back(operand);
      }
    }
    for (const RootDraft& root : on_the_way_) {
      if (seen.contains(root.value)) roots_.push_back(root);
    }
  }

  // A value of this phase that something in a later phase needs gets a Global home, at the point
  // where that costs least.
  void StoreForLater() {
    absl::flat_hash_set<const Instruction*> now;
    for (const RootDraft& root : roots_) {
      if (!root.partial) now.insert(root.value);
    }
    std::vector<const Instruction*> stack;
    absl::flat_hash_set<const Instruction*> seen;
    for (const Instruction* target : pending_) {
      bool done_here = now.contains(target);
      for (const RootDraft& root : roots_) done_here |= root.value == target && !IsScan(*target);
      // What parts of a reduction come to, is all that folding them reads; a scan is gone over again.
      const bool in_parts = partial_.contains(target) && !IsScan(*target);
      done_here = done_here && !info_.IsUpdated(target);
      if (!done_here && !in_parts) stack.push_back(target);
    }
    // What a scatter starts from is stored once; what has been taken by every element is not wanted again.
    const auto takes = [&](const Instruction* value, int64_t i) {
      if (!IsScatter(*value)) return true;
      if (!info_.IsUpdated(value)) return !now.contains(value);
      return i > 0 || !(now.contains(value) || copied_.contains(value));
    };
    absl::flat_hash_set<const Instruction*> stored;
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        const Instruction* operand = value->operand(i);
        if (!info_.IsComputed(operand) || available_.contains(operand) || !takes(value, i) ||
            !seen.insert(operand).second)
          continue;
        // An element of a reduction is where the reduction is, whatever its own axes.
        const Instruction* reduce = RegionInfo::ReduceOf(operand);
        const Instruction* source = reduce != nullptr ? reduce : operand;
        if (status_[info_.number(source)] != Status::kRow) {
          if (reduce == nullptr) stack.push_back(operand);
          continue;
        }
        // A phase of results stores results: what spreads them over the data is done again there.
        const bool result = reduce != nullptr || SameSet(info_.axes().Of(operand), rows_);
        if (phase_.space.results_only && !result) {
          stack.push_back(operand);
          continue;
        }
        if (source == operand && !Folds(*operand) && now.contains(operand)) continue;
        Store(operand, stored);
      }
    }
  }

  void Store(const Instruction* value, absl::flat_hash_set<const Instruction*>& stored) {
    for (const Instruction* leaf : StorePoints(value)) {
      if (!stored.insert(leaf).second || info_.IsOutput(leaf)) continue;
      draft_.homes[leaf] = Home::kGlobal;
      if (RegionInfo::ReduceOf(leaf) == nullptr && !IsScan(*leaf)) roots_.push_back({leaf});
      draft_.ledger.push_back(
          {leaf, nullptr, "global", "other-rows-later", leaf->shape().byte_size(), ""});
    }
  }

  // The value itself, or the reductions under it when the way up from them is cheap and they are
  // smaller.
  std::vector<const Instruction*> StorePoints(const Instruction* value) const {
    if (RegionInfo::ReduceOf(value) != nullptr || IsScan(*value)) return {value};
    std::vector<const Instruction*> leaves, stack = {value};
    absl::flat_hash_set<const Instruction*> seen = {value};
    // An element of VALUE; what has fewer elements is computed once for many of them.
    double cost = 0;
    const auto elements = static_cast<double>(std::max<int64_t>(value->shape().num_elements(), 1));
    int64_t bytes = 0;
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      const double each = static_cast<double>(ArrayShapeOf(*i).num_elements()) / elements;
      cost += ElementCost(*i) * std::min(each, 1.0);
      for (int64_t k = 0; k < i->num_operands(); ++k) {
        const Instruction* operand = i->operand(k);
        if (!seen.insert(operand).second || IsImmediate(*operand) || operand->shape().IsTuple())
          continue;
        const bool memory = !info_.IsComputed(operand) || available_.contains(operand);
        if (memory || RegionInfo::ReduceOf(operand) != nullptr || IsScan(*operand)) {
          bytes += BytesTaken(*i, k);
          if (!memory) leaves.push_back(operand);
        } else {
          stack.push_back(operand);
        }
      }
    }
    const int64_t own = value->shape().byte_size();
    // Again rather than stored when that takes less time than to memory and back.
    return cost < OperationsOfRoundTrip(*value, machine_) && bytes <= own + own / 8
               ? leaves
               : std::vector<const Instruction*>{value};
  }

  // Takes what the phase did off the list and makes its stored values available.
  void Finish() {
    for (const RootDraft& root : roots_) {
      if (root.partial) {
        partial_.insert(root.value);
        draft_.ledger.push_back({root.value, nullptr, "global", "reduction-crosses-blocks", 0,
                                 "parts in scratch, folded in order behind the barrier"});
        if (root.kind == RootKind::kScan) parts_made_in_[root.value] = draft_.phases.size();
        if (root.over == ReduceOver::kColumns || root.kind == RootKind::kScan)
          split_rows_[root.value] = draft_.phases.back().space;
        continue;
      }
      if (root.kind == RootKind::kStore && info_.IsUpdated(root.value)) {
        copied_.insert(root.value);
        continue;
      }
      pending_.erase(std::remove(pending_.begin(), pending_.end(), root.value), pending_.end());
      if (root.kind == RootKind::kStore || root.kind == RootKind::kScan ||
          root.kind == RootKind::kScatter) {
        MakeAvailable(root.value);
        continue;
      }
      for (const Instruction* result : info_.ResultsOf(root.value)) MakeAvailable(result);
      if (root.value->shape().IsTuple()) finished_tuples_.insert(root.value);
    }
    for (const Instruction* tuple : finished_tuples_) available_.insert(tuple);
  }

  void MakeAvailable(const Instruction* value) {
    const auto it = draft_.homes.find(value);
    if (info_.IsOutput(value)) {
      draft_.homes[value] = Home::kOutput;
      available_.insert(value);
    } else if (it != draft_.homes.end() && it->second == Home::kGlobal) {
      available_.insert(value);
    } else if (RegionInfo::ReduceOf(value) != nullptr) {
      draft_.homes[value] = machine_.is_host() ? Home::kRegional : Home::kLocal;
      // Nobody needs it later: StoreForLater would have made it Global.
      available_.insert(value);
    } else if (IsScan(*value)) {
      available_.insert(value);
    }
  }

  const RegionInfo& info_;
  const MachineModel& machine_;
  const Fusion fusion_;
  const PhaseRules rules_;
  KernelDraft draft_;
  PhaseDraft phase_;
  absl::flat_hash_set<const Instruction*> looked_up_;  // not before they are in memory
  std::vector<const Instruction*> costly_;             // stored before all else, in graph order
  std::vector<const Instruction*> pending_;  // reductions, scatters and stores still to do
  absl::flat_hash_set<const Instruction*> available_;  // in memory, from an earlier phase
  absl::flat_hash_set<const Instruction*> partial_;    // reductions whose parts are in memory
  absl::flat_hash_set<const Instruction*> copied_;     // scatters that are what they start from
  absl::flat_hash_map<const Instruction*, RowSpace> split_rows_;
  absl::flat_hash_map<const Instruction*, size_t> parts_made_in_;  // scans: phases until then
  absl::flat_hash_set<const Instruction*> finished_tuples_;
  absl::flat_hash_set<const Instruction*> waiting_;  // reductions that a later phase does as well
  std::vector<int32_t> rows_;
  std::vector<Status> status_;
  std::vector<Scanned> scanned_;
  std::vector<RootDraft> roots_;
  // Better stored by a later phase, unless this one evaluates them anyway.
  std::vector<RootDraft> on_the_way_;
};

bool InClusters(const PhaseDraft& phase) { return phase.space.cluster > 1; }

// Whether the blocks of a cluster can share the rows of PHASE: whole rows, all of the same columns.
bool SuitsClusters(const RegionInfo& info, const PhaseDraft& phase) {
  int64_t columns = 0;
  for (const StageDraft& stage : phase.stages) {
    if (!stage.columns.empty()) {
      const int64_t extent = info.axes().ExtentOf(stage.columns);
      if (columns != 0 && extent != columns) return false;
      columns = extent;
    }
    for (const RootDraft& root : stage.roots) {
      const bool whole = root.kind == RootKind::kReduce && root.over == ReduceOver::kColumns;
      if (root.partial || !(whole || root.kind == RootKind::kStore)) return false;
    }
  }
  return columns > 0;
}

}  // namespace

absl::StatusOr<KernelDraft> BuildPhases(const RegionInfo& info, const MachineModel& machine,
                                        Fusion fusion, PhaseRules rules) {
  MachineModel without = machine;
  without.max_cluster = 1;
  if (machine.max_cluster > 1 && rules.clusters && !RegistersOnly(fusion)) {
    ASTITCH_ASSIGN_OR_RETURN(KernelDraft draft, PhaseBuilder(info, machine, fusion, rules).Run());
    const auto& phases = draft.phases;
    if (std::none_of(phases.begin(), phases.end(), InClusters)) return draft;
    // Which blocks of clusters are resident at once is the device's secret: no barrier waits for them.
    const bool suits = std::all_of(phases.begin(), phases.end(), [&](const PhaseDraft& phase) {
      return phase.barrier == PhaseBarrier::kNone &&
             phase.space.cluster == phases[0].space.cluster && SuitsClusters(info, phase);
    });
    if (suits) return draft;
  }
  return PhaseBuilder(info, without, fusion, rules).Run();
}

}  // namespace astitch
