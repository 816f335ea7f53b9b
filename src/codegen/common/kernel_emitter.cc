// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks phases, tasks, tiles and stages once; what differs between machines is asked of the target.
#include "codegen/common/kernel_emitter.h"

#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/homes.h"
#include "codegen/common/stage_emitter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace astitch::codegen {
namespace {

class KernelEmitter {
 public:
  KernelEmitter(Emission& emission, KernelTarget& target)
      : emission_(emission),
        target_(target),
        homes_(emission, target),
        evaluator_(emission.context, emission.scopes, emission.indices, homes_) {
    emission_.scopes.OnClose([this](int depth) {
      emission_.indices.Forget(depth);
      evaluator_.Forget(depth);
    });
  }

  absl::Status Run() {
    target_.PlanTileMemory(homes_);
    const size_t phases = emission_.plan.phases.size();
    for (size_t p = 0; p < phases;) {
      const auto [first, last] = emission_.plan.SlicedWith(p);
      EnterPhase(p);
      ASTITCH_RETURN_IF_ERROR(emission_.plan.phases[p].slice > 0 ? EmitSlices(first, last)
                                                                 : EmitPhase(p, nullptr));
      p = last + 1;
    }
    ASTITCH_RETURN_IF_ERROR(homes_.status());
    return evaluator_.status();
  }

 private:
  void EnterPhase(size_t number) {
    if (emission_.plan.phases[number].barrier != astitch::PhaseBarrier::kNone) {
      target_.PhaseBarrier(number);
    } else if (number > 0) {
      target_.NextPhase(number);
    }
  }

  // Phases FIRST to LAST, slice after slice. Slices have nothing to do with each other, so that the
  // barrier before the first phase is that before the first slice.
  absl::Status EmitSlices(size_t first, size_t last) {
    IndexBuilder& indices = emission_.indices;
    absl::Status status;
    const int64_t slices = emission_.plan.phases[first].num_slices();
    emission_.scopes.Loop(indices.Constant(0), indices.Constant(slices), indices.Constant(1), true,
                          [&](Value slice) {
                            for (size_t p = first; p <= last; ++p) {
                              if (p > first) EnterPhase(p);
                              status.Update(EmitPhase(p, slice));
                            }
                            target_.NextPhase(last);
                          });
    return status;
  }

  std::string MarkOf(size_t phase, size_t stage) const {
    std::string mark = absl::StrCat("stage ", phase, ".", stage);
    for (const Root& root : emission_.plan.phases[phase].stages[stage].roots)
      absl::StrAppend(&mark, " %", root.value->name());
    return mark;
  }

  // SLICE: the number of the one under way; null: all.
  absl::Status EmitPhase(size_t number, Value slice) {
    const Phase& phase = emission_.plan.phases[number];
    homes_.EnterPhase(number);
    std::vector<std::unique_ptr<StageEmitter>> stages;
    bool finishes = false;
    for (size_t s = 0; s < phase.stages.size(); ++s) {
      const Stage& stage = phase.stages[s];
      for (const Root& root : stage.roots) {
        finishes = finishes || root.over == ReduceOver::kRows || root.over == ReduceOver::kAll;
      }
      stages.push_back(std::make_unique<StageEmitter>(emission_, target_, homes_, evaluator_, phase,
                                                      stage, MarkOf(number, s)));
      ASTITCH_RETURN_IF_ERROR(stages.back()->Prepare());
    }
    // A reduction over no rows still has results: one task a batch writes them.
    int64_t row_tasks = phase.row_tasks_per_batch(), col_tasks = phase.col_tasks();
    if (finishes) row_tasks = std::max<int64_t>(1, row_tasks);
    const int64_t tasks = phase.num_batches() * row_tasks * col_tasks / phase.num_slices();
    const std::vector<Phase>& phases = emission_.plan.phases;
    const bool waits = phase.barrier == astitch::PhaseBarrier::kFlags;
    const bool signals =
        number + 1 < phases.size() && phases[number + 1].barrier == astitch::PhaseBarrier::kFlags;
    if (tasks > 0) {
      target_.ForEachTask(tasks, phase.repeated, [&](Value t) {
        IndexBuilder& indices = emission_.indices;
        if (phase.backward) t = indices.Sub(indices.Constant(tasks - 1), t);
        if (slice != nullptr) t = indices.Add(indices.Mul(slice, tasks), t);
        const Task task = TaskAt(phase, t, row_tasks, col_tasks);
        Value row = emission_.indices.Div(t, col_tasks);
        if (waits) target_.WaitForRow(number, row);
        EmitTask(phase, task, stages);
        if (signals) target_.EndOfRow(number + 1, row, task.tile.column_part);
      });
    }
    for (auto& stage : stages) stage->AnnounceTask();
    return evaluator_.status();
  }

  // Batch, row part and column part of a task, and the rows they stand for.
  Task TaskAt(const Phase& phase, Value number, int64_t row_tasks, int64_t col_tasks) {
    IndexBuilder& indices = emission_.indices;
    Task task;
    task.tile.phase = &phase;
    Value rest = number;
    if (col_tasks > 1) {
      task.tile.column_part = indices.Rem(rest, col_tasks);
      rest = indices.Div(rest, col_tasks);
    }
    const bool one_batch = phase.num_batches() == 1, one_part = row_tasks == 1;
    task.row_part = one_part    ? indices.Constant(0)
                    : one_batch ? rest
                                : indices.Rem(rest, row_tasks);
    task.batch = one_batch ? indices.Constant(0) : indices.Div(rest, row_tasks);
    const int64_t rows = phase.rows_per_batch();
    Value first = indices.Mul(task.row_part, phase.rows_per_task);
    Value last = indices.Add(first, indices.Constant(phase.rows_per_task));
    if (rows % phase.rows_per_task != 0) last = indices.Min(last, indices.Constant(rows));
    Value batch_start = indices.Mul(task.batch, rows);
    task.tile.begin = indices.Add(batch_start, first);
    task.tile.end = indices.Add(batch_start, last);
    task.tile.begin_multiple = std::gcd(one_part ? 0 : phase.rows_per_task, one_batch ? 0 : rows);
    task.tile.full = rows % phase.rows_per_task == 0 && phase.rows_per_task % phase.tile_rows == 0;
    return task;
  }

  void EmitTask(const Phase& phase, const Task& task,
                std::vector<std::unique_ptr<StageEmitter>>& stages) {
    homes_.EnterTile(task.tile, emission_.scopes.depth());
    for (auto& stage : stages) stage->StartTask(task);
    if (phase.num_rows() > 0) EmitTiles(phase, task, stages);
    homes_.EnterTile(task.tile, emission_.scopes.depth());
    bool streamed = false;
    for (auto& stage : stages) {
      stage->FinishTask(task);
      streamed = streamed || stage->streams();
    }
    target_.EndTask(streamed);
  }

  void EmitTiles(const Phase& phase, const Task& task,
                 std::vector<std::unique_ptr<StageEmitter>>& stages) {
    IndexBuilder& indices = emission_.indices;
    auto emit = [&](Value begin) {
      Tile tile = task.tile;
      if (phase.backward && phase.rows_per_task > phase.tile_rows)
        begin = Mirrored(phase, task, begin);
      tile.begin = begin;
      tile.begin_multiple = std::gcd(task.tile.begin_multiple,
                                     phase.rows_per_task > phase.tile_rows ? phase.tile_rows : 0);
      tile.end = indices.Add(begin, indices.Constant(phase.tile_rows));
      if (!tile.full) tile.end = indices.Min(tile.end, task.tile.end);
      homes_.EnterTile(tile, emission_.scopes.depth());
      homes_.FillKept(tile);
      for (size_t s = 0; s < stages.size();) {
        size_t end = s + 1;
        const int64_t chunk = stages[s]->chunk();
        // A row's result is complete behind the last chunk.
        while (chunk > 0 && end < stages.size() && stages[end]->chunk() == chunk &&
               !stages[end - 1]->has_row_results())
          ++end;
        const absl::Span<const std::unique_ptr<StageEmitter>> group(&stages[s], end - s);
        chunk > 0 ? EmitChunks(tile, group) : EmitStages(tile, group);
        s = end;
      }
      target_.EndTile(phase);
    };
    if (phase.rows_per_task <= phase.tile_rows) return emit(task.tile.begin);
    emission_.scopes.Loop(task.tile.begin, task.tile.end, indices.Constant(phase.tile_rows), true,
                          emit);
  }

  // Where the tile begins that lies as far from the end of TASK as that at BEGIN from its beginning.
  Value Mirrored(const Phase& phase, const Task& task, Value begin) {
    IndexBuilder& indices = emission_.indices;
    Value last = indices.Constant((phase.rows_per_task - 1) / phase.tile_rows * phase.tile_rows);
    if (!task.tile.full) {
      Value rows = indices.Sub(task.tile.end, task.tile.begin);
      last = indices.Mul(indices.Div(indices.Sub(rows, indices.Constant(1)), phase.tile_rows),
                         phase.tile_rows);
    }
    Value first = indices.Add(task.tile.begin, last);
    return indices.Sub(first, indices.Sub(begin, task.tile.begin));
  }

  void EmitStages(const Tile& tile, absl::Span<const std::unique_ptr<StageEmitter>> stages) {
    for (auto& stage : stages) {
      stage->EmitTile(tile);
      stage->AnnounceTile();
    }
  }

  // STAGES over one chunk of the columns after the other, like tasks that split them.
  void EmitChunks(const Tile& tile, absl::Span<const std::unique_ptr<StageEmitter>> stages) {
    IndexBuilder& indices = emission_.indices;
    const int depth = emission_.scopes.depth();
    for (auto& stage : stages) stage->StartChunks(tile);
    emission_.scopes.Loop(indices.Constant(0), indices.Constant(stages[0]->num_chunks()),
                          indices.Constant(1), true, [&](Value number) {
                            Tile chunk = tile;
                            chunk.column_part = number;
                            homes_.EnterChunk(chunk, emission_.scopes.depth());
                            EmitStages(chunk, stages);
                          });
    homes_.EnterChunk(tile, depth);
    homes_.ForgetChunks();
    for (auto& stage : stages) stage->FinishChunks(tile);
  }

  Emission& emission_;
  KernelTarget& target_;
  Homes homes_;
  Evaluator evaluator_;
};

}  // namespace

absl::Status EmitKernel(const KernelPlan& plan, const TargetTraits& traits, llvm::Module& module,
                        KernelTarget& target) {
  llvm::IRBuilder<> builder(module.getContext());
  target.Begin(module, plan, builder);
  Scopes scopes(builder);
  IndexBuilder indices(scopes, target.IndexType(module.getContext(), plan));
  Emission emission{plan, EmitContext{builder, traits}, scopes, indices};
  target.Attach(emission);
  KernelEmitter emitter(emission, target);
  ASTITCH_RETURN_IF_ERROR(emitter.Run());
  target.End();
  std::string faults;
  llvm::raw_string_ostream out(faults);
  if (llvm::verifyFunction(*builder.GetInsertBlock()->getParent(), &out))
    return absl::InternalError(absl::StrCat("kernel ", plan.name, " is not valid IR: ", faults));
  return absl::OkStatus();
}

}  // namespace astitch::codegen
