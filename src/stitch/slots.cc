// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Lives by one walk from the roots of each stage; then slot after slot, in the order of their stages, each
// at the lowest offset that none of those has which live at the same time.
#include "stitch/slots.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/checked_math.h"
#include "stitch/region_info.h"

namespace astitch {
namespace {

constexpr int64_t kSlotAlign = 64;

// Stages FIRST to LAST of a phase.
struct Life {
  size_t phase = 0, first = 0, last = 0;
};

struct Slot {
  Placement* place = nullptr;
  std::vector<Life> lives;  // one a phase
};

class SlotPacker {
 public:
  SlotPacker(const MachineModel& machine, KernelPlan& kernel)
      : machine_(machine), kernel_(kernel) {}

  void Run() {
    for (Placement& place : kernel_.placements) {
      if (place.home == Home::kGlobal || place.home == Home::kOutput || place.home == Home::kBlock)
        in_arrays_.insert(place.value);
      const bool slot = place.home == Home::kRegional || place.home == Home::kCluster ||
                        (place.home == Home::kOutput && place.keep == Keep::kShared);
      if (!slot) continue;
      number_[place.value] = slots_.size();
      slots_.push_back({&place, {}});
    }
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      FindStored(p);
      for (size_t s = 0; s < kernel_.phases[p].stages.size(); ++s) FindReads(p, s);
    }
    Assign();
  }

 private:
  // The slots of what VALUE, a root, leaves: its own, or those of its elements.
  std::vector<size_t> SlotsOf(const Instruction* value) const {
    std::vector<size_t> out;
    if (const auto it = number_.find(value); it != number_.end()) out.push_back(it->second);
    if (!value->shape().IsTuple()) return out;
    for (const Instruction* user : value->users()) {
      const auto it = number_.find(user);
      if (user->opcode() == Opcode::kGetTupleElement && it != number_.end())
        out.push_back(it->second);
    }
    return out;
  }

  void FindStored(size_t p) {
    const Phase& phase = kernel_.phases[p];
    for (size_t s = 0; s < phase.stages.size(); ++s) {
      for (const Root& root : phase.stages[s].roots) {
        if (root.leaves_parts()) continue;
        for (size_t number : SlotsOf(root.value)) {
          std::vector<Life>& lives = slots_[number].lives;
          if (lives.empty() || lives.back().phase != p) lives.push_back({p, s, s});
        }
        // In memory for the phases to come.
        stored_in_.try_emplace(root.value, p);
      }
    }
  }

  Life* LifeIn(const Instruction* value, size_t p) {
    const auto it = number_.find(value);
    if (it == number_.end()) return nullptr;
    std::vector<Life>& lives = slots_[it->second].lives;
    return lives.empty() || lives.back().phase != p ? nullptr : &lives.back();
  }

  // Whether what an earlier stage has stored of VALUE is all that a reader takes: else it is evaluated
  // again, too.
  bool IsWhole(const Instruction* value, const Phase& phase, const Stage& stage) const {
    const Placement& place = *slots_[number_.at(value)].place;
    return place.kept_rows == 0 && phase.cols_per_task == 0 && stage.chunk == 0;
  }

  bool FromEarlierPhase(const Instruction* value, size_t p) const {
    const Instruction* reduce = RegionInfo::ReduceOf(value);
    const auto it = stored_in_.find(reduce != nullptr ? reduce : value);
    return it != stored_in_.end() && it->second < p && in_arrays_.contains(value);
  }

  // Lengthens the lives of what evaluating the roots of stage S reads.
  void FindReads(size_t p, size_t s) {
    const Phase& phase = kernel_.phases[p];
    std::vector<const Instruction*> stack;
    absl::flat_hash_set<const Instruction*> seen;
    for (const Root& root : phase.stages[s].roots) {
      // What goes to its home by way of a slot is read from there.
      if (root.kind == RootKind::kStore) stack.push_back(root.value);
      if (root.kind == RootKind::kCombine) continue;
      stack.insert(stack.end(), root.value->operands().begin(), root.value->operands().end());
    }
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!seen.insert(value).second || inputs_.contains(value) || FromEarlierPhase(value, p))
        continue;
      Life* life = LifeIn(value, p);
      if (life != nullptr && life->first < s) {
        life->last = std::max(life->last, s);
        if (IsWhole(value, phase, phase.stages[s])) continue;
      }
      stack.insert(stack.end(), value->operands().begin(), value->operands().end());
    }
  }

  // Chunks run stage after stage, chunk after chunk: what one of them needs, it needs to the last.
  Life InChunks(const Life& life) const {
    const std::vector<Stage>& stages = kernel_.phases[life.phase].stages;
    Life out = life;
    while (out.first > 0 && stages[out.first].chunk > 0 && stages[out.first - 1].chunk > 0)
      --out.first;
    while (out.last + 1 < stages.size() && stages[out.last].chunk > 0 &&
           stages[out.last + 1].chunk > 0)
      ++out.last;
    return out;
  }

  bool Apart(const Life& a, const Life& b) const {
    if (a.phase != b.phase) return true;
    const Life x = InChunks(a), y = InChunks(b);
    const Life &early = x.first <= y.first ? x : y, &late = x.first <= y.first ? y : x;
    if (early.last >= late.first) return false;
    if (machine_.is_host()) return true;
    const std::vector<Stage>& stages = kernel_.phases[a.phase].stages;
    return std::any_of(stages.begin() + static_cast<int64_t>(early.last) + 1,
                       stages.begin() + static_cast<int64_t>(late.first) + 1,
                       [](const Stage& stage) { return stage.barrier >= StageBarrier::kBlock; });
  }

  bool Apart(const Slot& a, const Slot& b) const {
    for (const Life& x : a.lives) {
      for (const Life& y : b.lives) {
        if (!Apart(x, y)) return false;
      }
    }
    return true;
  }

  void Assign() {
    int64_t end = 0;
    std::vector<const Slot*> done;  // by offset
    for (Slot& slot : slots_) {
      int64_t offset = 0;
      for (const Slot* other : done) {
        if (Apart(slot, *other) || other->place->offset + other->place->bytes <= offset) continue;
        if (other->place->offset >= offset + slot.place->bytes) break;
        offset = RoundUp(other->place->offset + other->place->bytes, kSlotAlign);
      }
      slot.place->offset = offset;
      end = std::max(end, RoundUp(offset + slot.place->bytes, kSlotAlign));
      const auto at = std::upper_bound(
          done.begin(), done.end(), &slot,
          [](const Slot* a, const Slot* b) { return a->place->offset < b->place->offset; });
      done.insert(at, &slot);
    }
    for (Placement& place : kernel_.placements) {  // which live from phase to phase
      if (place.home != Home::kBlock) continue;
      place.offset = end;
      end = RoundUp(end + place.bytes, kSlotAlign);
    }
    kernel_.launch.shared_bytes = end;
  }

  const MachineModel& machine_;
  KernelPlan& kernel_;
  const absl::flat_hash_set<const Instruction*> inputs_{kernel_.inputs.begin(),
                                                        kernel_.inputs.end()};
  absl::flat_hash_set<const Instruction*> in_arrays_;  // values whose homes outlive their phases
  std::vector<Slot> slots_;
  absl::flat_hash_map<const Instruction*, size_t> number_;
  absl::flat_hash_map<const Instruction*, size_t> stored_in_;  // the first phase that stores it
};

}  // namespace

void PackSlots(const MachineModel& machine, KernelPlan& kernel) {
  SlotPacker(machine, kernel).Run();
}

}  // namespace astitch
