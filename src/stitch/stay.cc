// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The phase that reads first gives the partition: its parts of reductions are counted already. Those
// that only store, or fold whole rows, take any.
#include "stitch/stay.h"

#include <algorithm>

#include "base/checked_math.h"
#include "plan/exchange.h"

namespace astitch {
namespace {

constexpr int64_t kSlotAlign = 64;
// Passes over the rows of a tile are written out, and with them what they read and write of each array:
// as much as registers allow to be under way.
constexpr int64_t kMostPasses = 32, kMostAccesses = 60;

class StayFinder {
 public:
  StayFinder(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
             KernelPlan kernel)
      : info_(info), draft_(draft), machine_(machine), kernel_(std::move(kernel)) {}

  KernelPlan Run() {
    for (size_t first = 0; first + 1 < kernel_.phases.size(); ++first) {
      if (!MayKeep(first) || kernel_.phases[first].num_tasks() > kernel_.launch.grid) continue;
      std::vector<size_t> group = {first};
      for (size_t p = first + 1; p < kernel_.phases.size(); ++p) {
        if (MayKeep(p) && MayFollow(kernel_.phases[first], kernel_.phases[p])) group.push_back(p);
      }
      const std::vector<const Instruction*> inputs = InputsOf(group);
      if (inputs.empty() || !Keep(group, inputs)) continue;
      break;
    }
    return std::move(kernel_);
  }

 private:
  // Sweeps of whole columns by the threads of a row.
  bool MayKeep(size_t p) const {
    const Phase& phase = kernel_.phases[p];
    if (phase.slice > 0 || phase.cluster > 1 || phase.repeated ||
        draft_.phases[p].turn != Turn::kNone)
      return false;
    if (phase.barrier == PhaseBarrier::kFlags) return false;
    for (const Stage& stage : phase.stages) {
      if (stage.chunk > 0 || stage.vector_rows) return false;
      for (const Root& root : stage.roots) {
        if (root.kind != RootKind::kStore && root.kind != RootKind::kReduce &&
            root.kind != RootKind::kCombine)
          return false;
      }
    }
    return !phase.stages.empty();
  }

  // Whether a LATER phase has the tasks of the FIRST, or may take them.
  static bool MayFollow(const Phase& first, const Phase& later) {
    if (later.rows != first.rows || later.split_columns() != first.split_columns() ||
        later.cols_per_task != first.cols_per_task || later.rows_at_once != first.rows_at_once)
      return false;
    if (later.rows_per_task == first.rows_per_task && later.batch_axes == first.batch_axes)
      return true;
    for (const Stage& stage : later.stages) {
      for (const Root& root : stage.roots) {
        const bool any_tasks =
            root.kind == RootKind::kStore || (root.kind == RootKind::kReduce && !root.partial);
        if (!any_tasks || root.over == ReduceOver::kRows || root.over == ReduceOver::kAll)
          return false;
      }
    }
    return true;
  }

  // Read by the first of GROUP and by another, an element at each row and column; and by none of them
  // in several sweeps, of which the rows that do not fit would be read again.
  std::vector<const Instruction*> InputsOf(const std::vector<size_t>& group) const {
    const Phase& first = kernel_.phases[group[0]];
    std::vector<const Instruction*> inputs;
    for (const Instruction* read : draft_.phases[group[0]].reads) {
      if (!info_.IsInput(read) || kernel_.FindPlacement(read) != nullptr) continue;
      if (read->shape().num_elements() != first.num_rows() * first.split_columns()) continue;
      const auto among = [&](const std::vector<const Instruction*>& values) {
        return std::find(values.begin(), values.end(), read) != values.end();
      };
      const bool later = std::any_of(group.begin() + 1, group.end(),
                                     [&](size_t p) { return among(draft_.phases[p].reads); });
      const bool swept = std::any_of(group.begin(), group.end(),
                                     [&](size_t p) { return among(draft_.phases[p].reads_again); });
      if (later && !swept && !ReadByAllBlocks(read)) inputs.push_back(read);
    }
    return inputs;
  }

  // Whether a phase that every block repeats, whatever its rows, reads INPUT.
  bool ReadByAllBlocks(const Instruction* input) const {
    return std::any_of(draft_.phases.begin(), draft_.phases.end(), [&](const PhaseDraft& phase) {
      return phase.repeated &&
             std::find(phase.reads.begin(), phase.reads.end(), input) != phase.reads.end();
    });
  }

  // The most arrays with an element at each row and column that a phase of GROUP reads and writes.
  int64_t ArraysOf(const std::vector<size_t>& group) const {
    const Phase& first = kernel_.phases[group[0]];
    const int64_t elements = first.num_rows() * first.split_columns();
    int64_t most = 0;
    for (size_t p : group) {
      int64_t arrays = 0;
      const auto count = [&](const Instruction* array) {
        arrays += array->shape().IsArray() && array->shape().num_elements() == elements;
      };
      for (const Instruction* read : draft_.phases[p].reads) count(read);
      for (const Stage& stage : kernel_.phases[p].stages) {
        for (const Root& root : stage.roots) {
          if (root.kind == RootKind::kStore) count(root.value);
        }
      }
      most = std::max(most, arrays);
    }
    return most;
  }

  // Bytes of a block's shared memory that may be taken without fewer blocks being resident.
  int64_t FreeBytes() const {
    const Launch& launch = kernel_.launch;
    const int64_t of_block = machine_.shared_bytes_per_sm / std::max(1, launch.blocks_per_sm) -
                             machine_.reserved_shared_bytes();
    return std::min(of_block, machine_.shared_bytes_per_block) - SharedBytesOf(kernel_) -
           kSlotAlign;
  }

  // Whether tiles of so many ROWS would need larger slots than the phases of GROUP have.
  bool OutgrowsSlots(const std::vector<size_t>& group, int64_t rows) const {
    for (size_t p : group) {
      if (kernel_.phases[p].tile_rows >= rows) continue;
      for (const Stage& stage : kernel_.phases[p].stages) {
        for (const Root& root : stage.roots) {
          for (const Instruction* result : info_.ResultsOf(root.value)) {
            const Placement* place = kernel_.FindPlacement(result);
            if (place != nullptr &&
                (place->home == Home::kRegional || place->home == Home::kCluster ||
                 place->keep == astitch::Keep::kShared))
              return true;
          }
        }
      }
    }
    return false;
  }

  bool Keep(const std::vector<size_t>& group, const std::vector<const Instruction*>& inputs) {
    const Phase first = kernel_.phases[group[0]];
    const int64_t columns = first.split_columns();
    const int64_t width =
        first.cols_per_task > 0 ? std::min(first.cols_per_task, columns) : columns;
    const int64_t passes = CeilDiv(first.rows_per_task, int64_t{first.rows_at_once});
    int64_t pass_bytes = 0;
    for (const Instruction* input : inputs)
      pass_bytes += first.rows_at_once * width * ByteWidth(input->shape().element_type());
    const int64_t slots = static_cast<int64_t>(inputs.size());
    const int64_t fit = (FreeBytes() - slots * kSlotAlign) / std::max<int64_t>(1, pass_bytes);
    if (passes > kMostPasses || passes * ArraysOf(group) > kMostAccesses || fit < 1) return false;
    if (OutgrowsSlots(group, passes * first.rows_at_once)) return false;
    for (size_t p : group) {
      Phase& phase = kernel_.phases[p];
      phase.batch_axes = first.batch_axes;
      phase.rows_per_task = first.rows_per_task;
      phase.tile_rows = passes * first.rows_at_once;
      phase.backward = false;
    }
    // Whoever has a row, has the columns that it keeps of it.
    for (Phase& phase : kernel_.phases) {
      for (Stage& stage : phase.stages) stage.cols_per_task = 0;
    }
    const int64_t rows = std::min(fit, passes) * first.rows_at_once;
    for (const Instruction* input : inputs) {
      Placement place;
      place.value = input;
      place.keep = astitch::Keep::kShared;
      place.kept_rows = fit < passes ? rows : 0;
      place.stays_from = static_cast<int32_t>(group[0]);
      place.bytes = rows * width * ByteWidth(input->shape().element_type());
      place.offset = RoundUp(kernel_.launch.shared_bytes, kSlotAlign);
      kernel_.launch.shared_bytes = place.offset + place.bytes;
      kernel_.placements.push_back(place);
    }
    return true;
  }

  const RegionInfo& info_;
  const KernelDraft& draft_;
  const MachineModel& machine_;
  KernelPlan kernel_;
};

}  // namespace

KernelPlan KeepRowsAcrossPhases(const RegionInfo& info, const KernelDraft& draft,
                                const MachineModel& machine, KernelPlan kernel) {
  if (machine.is_host() || !kernel.launch.cooperative) return kernel;
  return StayFinder(info, draft, machine, std::move(kernel)).Run();
}

}  // namespace astitch
