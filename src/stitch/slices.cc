// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Grows a run of phases as long as none of them knows of other indices of the axis, then asks
// whether the barriers that slices add cost less than what they save.
#include "stitch/slices.h"

#include <algorithm>

#include "base/checked_math.h"

namespace astitch {
namespace {

class SliceFinder {
 public:
  SliceFinder(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine)
      : info_(info), draft_(draft), machine_(machine), slices_(draft.phases.size(), 0) {}

  std::vector<int64_t> Run() {
    for (size_t p = 0; p < draft_.phases.size(); ++p) {
      Evaluate(p);
      for (const StageDraft& stage : draft_.phases[p].stages) {
        for (const RootDraft& root : stage.roots) {
          if (root.partial) {
            parts_from_[root.value] = p;
          } else {
            for (const Instruction* value : info_.ResultsOf(root.value)) written_.emplace(value, p);
          }
        }
      }
    }
    for (size_t first = 0; first < draft_.phases.size();) {
      size_t last = first;
      while (last + 1 < draft_.phases.size() && MayJoin(first, last + 1)) ++last;
      if (last > first) Choose(first, last);
      first = last + 1;
    }
    return slices_;
  }

 private:
  // What phase P evaluates: from its roots down to memory.
  void Evaluate(size_t p) {
    const PhaseDraft& phase = draft_.phases[p];
    const absl::flat_hash_set<const Instruction*> memory(phase.reads.begin(), phase.reads.end());
    std::vector<const Instruction*>& out = evaluated_.emplace_back();
    absl::flat_hash_set<const Instruction*> seen;
    std::vector<const Instruction*> stack;
    for (const StageDraft& stage : phase.stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.kind != RootKind::kCombine && seen.insert(root.value).second)
          stack.push_back(root.value);
      }
    }
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      out.push_back(value);
      for (const Instruction* operand : info_.OperandsOf(value, RootKind::kStore)) {
        const bool here = info_.IsComputed(operand) && !memory.contains(operand);
        if (here && seen.insert(operand).second) stack.push_back(operand);
      }
    }
  }

  bool Has(const Instruction* value, int32_t axis) const {
    return value->shape().IsArray() && Contains(info_.axes().Of(value), axis);
  }

  // Whether phases FIRST to P may run slice by slice, given that those before P may.
  bool MayJoin(size_t first, size_t p) const {
    if (draft_.phases[first].space.rows.empty() || draft_.phases[p].space.rows.empty())
      return false;
    const int32_t axis = draft_.phases[first].space.rows[0];
    if (draft_.phases[p].space.rows[0] != axis) return false;
    if (draft_.phases[first].repeated || draft_.phases[p].repeated) return false;
    if (p == first + 1 && !KnowsItsOwnOnly(first, first, axis)) return false;
    return KnowsItsOwnOnly(first, p, axis);
  }

  bool KnowsItsOwnOnly(size_t first, size_t p, int32_t axis) const {
    for (const StageDraft& stage : draft_.phases[p].stages) {
      if (stage.serial) return false;
      for (const RootDraft& root : stage.roots) {
        const bool plain = root.kind == RootKind::kStore || root.kind == RootKind::kReduce ||
                           root.kind == RootKind::kCombine || root.kind == RootKind::kTurn;
        if (!plain || info_.IsUpdated(root.value)) return false;
        if (root.kind != RootKind::kCombine) continue;
        const auto from = parts_from_.find(root.value);
        if (from == parts_from_.end() || from->second < first) continue;
        if (root.over != ReduceOver::kColumns || !Has(info_.ResultsOf(root.value)[0], axis))
          return false;
      }
    }
    return std::all_of(evaluated_[p].begin(), evaluated_[p].end(), [&](const Instruction* value) {
      return ReadsItsOwn(value, first, p, axis);
    });
  }

  // Whether VALUE, evaluated in phase P, takes from the run no more than its own index of AXIS.
  bool ReadsItsOwn(const Instruction* value, size_t first, size_t p, int32_t axis) const {
    const bool reduces = value->opcode() == Opcode::kReduce;
    const bool keeps = Has(reduces ? info_.ResultsOf(value)[0] : value, axis);
    for (int64_t i = 0; i < value->num_operands(); ++i) {
      const Instruction* operand = value->operand(i);
      if (!info_.IsComputed(operand)) continue;
      const auto written = written_.find(operand);
      const bool of_run =
          written != written_.end() && written->second >= first && written->second < p;
      if (!Has(operand, axis)) {
        if (of_run) return false;
        continue;
      }
      if (reduces && !keeps) continue;  // for a phase behind all slices
      const bool opens = value->opcode() == Opcode::kGetTupleElement;
      if (!opens && (!keeps || !info_.axes().Aligned(value, i))) return false;
    }
    return true;
  }

  // Bytes of ARRAY that belong to AXIS.
  int64_t SlicedBytes(const Instruction* array, int32_t axis) const {
    return Has(array, axis) ? array->shape().byte_size() : 0;
  }

  // What nobody reads takes no room in the cache: it is stored around it, or leaves it first.
  bool ReadLater(const Instruction* value, size_t p) const {
    for (size_t q = p + 1; q < draft_.phases.size(); ++q) {
      const std::vector<const Instruction*>& reads = draft_.phases[q].reads;
      if (std::find(reads.begin(), reads.end(), value) != reads.end()) return true;
    }
    return false;
  }

  void Choose(size_t first, size_t last) {
    const int32_t axis = draft_.phases[first].space.rows[0];
    absl::flat_hash_set<const Instruction*> arrays;
    int64_t bytes = 0, again = 0;
    int64_t barriers = 0;
    for (size_t p = first; p <= last; ++p) {
      barriers += p > first && draft_.phases[p].barrier == PhaseBarrier::kGrid;
      const auto touch = [&](const Instruction* array) {
        const int64_t of = SlicedBytes(array, axis);
        (arrays.insert(array).second ? bytes : again) += of;
      };
      for (const Instruction* read : draft_.phases[p].reads) touch(read);
      for (const StageDraft& stage : draft_.phases[p].stages) {
        for (const RootDraft& root : stage.roots) {
          const bool stores = root.kind == RootKind::kStore && root.value->shape().IsArray();
          if (stores && ReadLater(root.value, p)) touch(root.value);
        }
      }
    }
    const int64_t indices = info_.axes().extent(axis);
    const int64_t cache = machine_.last_cache_bytes() / 4 * 3;
    if (bytes <= cache || again == 0 || indices <= 1) return;
    int64_t slice = cache / CeilDiv(bytes, indices);
    while (slice > 0 && indices % slice != 0) --slice;
    if (slice == 0) return;
    const double saved_us =
        static_cast<double>(again) / (machine_.dram_gb_per_s * machine_.reachable_share) / 1e3;
    const double cost_us =
        static_cast<double>((indices / slice - 1) * barriers) * machine_.grid_barrier_us;
    if (cost_us > saved_us) return;
    for (size_t p = first; p <= last; ++p) slices_[p] = slice;
  }

  const RegionInfo& info_;
  const KernelDraft& draft_;
  const MachineModel& machine_;
  std::vector<int64_t> slices_;
  std::vector<std::vector<const Instruction*>> evaluated_;                // by phase
  absl::flat_hash_map<const Instruction*, size_t> written_, parts_from_;  // phase
};

}  // namespace

std::vector<int64_t> FindSlices(const RegionInfo& info, const KernelDraft& draft,
                                const MachineModel& machine) {
  if (machine.is_host()) return std::vector<int64_t>(draft.phases.size(), 0);
  return SliceFinder(info, draft, machine).Run();
}

}  // namespace astitch
