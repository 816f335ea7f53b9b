// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A table from reason code to the sentence, and the figures of each.
#include "report/improve.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/checked_math.h"
#include "plan/reference_call.h"
#include "report/quantity_text.h"

namespace astitch {
namespace {

struct Line {
  PlanFacts& facts;
  const PlanLimits& limits;
  const LedgerEntry& entry;
  int step;
  const KernelPlan* kernel;  // null: the step is none

  // In which stages the line's producer is evaluated or read, and its consumer evaluated. Null: in
  // none.
  const KernelFlow::Value* Producer() const { return InKernel(entry.producer); }
  const KernelFlow::Value* Consumer() const { return InKernel(entry.consumer); }

 private:
  const KernelFlow::Value* InKernel(const Instruction* value) const {
    return kernel == nullptr ? nullptr : facts.InKernel(step, value);
  }
};

std::string RowsText(const Phase& phase) {
  return absl::StrCat("[", absl::StrJoin(phase.rows, ","), "]");
}

const Stage& StageAt(const KernelPlan& kernel, StageId at) {
  return kernel.phases[at.phase].stages[at.stage];
}

int64_t ColumnsOf(const Stage& stage) {
  int64_t columns = 1;
  for (int64_t extent : stage.columns) columns *= extent;
  return columns;
}

// Bytes of a tile of VALUE in the stage at AT, when its columns are the stage's.
int64_t TileBytes(const KernelPlan& kernel, StageId at, const Instruction& value) {
  const Phase& phase = kernel.phases[at.phase];
  const int64_t columns = phase.columns_per_task(StageAt(kernel, at));
  return columns * phase.tile_rows * ByteWidth(value.shape().element_type());
}

// What BYTES beside the launch's own would take: of a block, or of the blocks that share a
// multiprocessor.
std::string SharedMemory(const Line& line, int64_t bytes) {
  const Launch& launch = line.kernel->launch;
  const int64_t used = launch.shared_bytes;
  const int64_t limit = line.limits.shared_bytes_per_block;
  if (used + bytes <= limit) {
    const int64_t resident =
        line.limits.shared_bytes_per_sm / (used + bytes + line.limits.reserved_shared_bytes);
    return absl::StrCat(BytesText(bytes), " more of shared memory a block, which has ",
                        BytesText(limit - used), " to spare",
                        resident >= launch.blocks_per_sm
                            ? ""
                            : absl::StrCat("; then a multiprocessor has room for ", resident,
                                           " instead of ", launch.blocks_per_sm, " blocks"));
  }
  return absl::StrCat(BytesText(used + bytes - limit), " more of shared memory than the ",
                      BytesText(limit), " of a block");
}

// ---- between two kernels

std::string BetweenKernels(const Line& line) {
  const int from = line.facts.WriterOf(line.entry.producer);
  if (line.facts.KernelOf(from) == nullptr || line.kernel == nullptr || from == line.step)
    return "";
  const PlanFacts::Between between = line.facts.WhatLiesBetween(from, line.step);
  if (!between.known) return "";
  const Plan& plan = line.facts.plan();
  if (between.step != PlanFacts::kNone && line.facts.IsLibraryCall(between.step)) {
    return absl::StrCat(line.facts.StepName(between.step),
                        " runs between the two kernels; only an epilogue of the library could keep "
                        "the value");
  }
  if (plan.fusion != "stitch")
    return "--fusion=stitch: no library call lies between the two kernels";
  if (between.step != PlanFacts::kNone) {
    return absl::StrCat("one kernel that does the work of ", line.facts.StepName(between.step),
                        ", too, which runs between the two");
  }
  return absl::StrCat("one kernel for ", line.facts.StepName(from), " and ",
                      line.facts.StepName(line.step), ": nothing has to run between them");
}

// "scatter-alone".
std::string Alone(const Line& line) {
  const std::string operation(absl::StripSuffix(line.entry.reason, "-alone"));
  return absl::StrCat("a stage for ", operation,
                      " inside a stitched kernel; on this target it has a "
                      "kernel of its own");
}

// Which dimensions of an array of SHAPE the rows of PHASE run along, by what it stores and folds;
// nothing where that is not told.
std::optional<std::vector<size_t>> RowDims(const Phase& phase, const Shape& shape) {
  for (const Stage& stage : phase.stages) {
    for (const Root& root : stage.roots) {
      const Instruction& array =
          root.kind == RootKind::kReduce ? *root.value->operand(0) : *root.value;
      if (!array.shape().IsArray() || array.shape().dims() != shape.dims()) continue;
      if (root.map.size() != static_cast<size_t>(shape.rank())) continue;
      std::vector<size_t> dims;
      for (size_t d = 0; d < root.map.size(); ++d) {
        const bool row = std::any_of(root.map[d].begin(), root.map[d].end(), [&](int32_t axis) {
          return axis < static_cast<int32_t>(phase.rows.size());
        });
        if (row) dims.push_back(d);
      }
      return dims;
    }
  }
  return std::nullopt;
}

// ---- inputs

// Across a barrier.
std::string ReadAgainLater(const Line& line, StageId first, StageId last) {
  const Phase &a = line.kernel->phases[first.phase], &b = line.kernel->phases[last.phase];
  const Shape& shape = line.entry.producer->shape();
  const auto dims_a = RowDims(a, shape), dims_b = RowDims(b, shape);
  if (!dims_a.has_value() || !dims_b.has_value()) return "";
  if (a.rows != b.rows || *dims_a != *dims_b) {
    return absl::StrCat("the same rows in phases ", first.phase, " and ", last.phase,
                        ": the one has ", RowsText(a), " along dimensions {",
                        absl::StrJoin(*dims_a, ","), "} of the array, the other ", RowsText(b),
                        " along {", absl::StrJoin(*dims_b, ","), "}");
  }
  const int64_t share = CeilDiv(line.entry.bytes, std::max<int64_t>(1, line.kernel->launch.grid));
  if (line.limits.is_host)
    return absl::StrCat("a cache that holds the ", BytesText(share),
                        " of each worker across the barrier");
  return absl::StrCat("to keep a block's ", BytesText(share),
                      " of it across the barrier: ", SharedMemory(line, share));
}

std::string ReadAgain(const Line& line) {
  const KernelFlow::Value* value = line.Producer();
  const KernelFlow::Value* reader = line.Consumer();
  if (value == nullptr || reader == nullptr) return "";
  // Where planned traffic is the bound, or not for this array, it is read again from the cache.
  constexpr int64_t kShare = 100, kFew = 4096;
  const int64_t above = line.kernel->traffic.total() - line.kernel->traffic.bound;
  if (above <= 0 || line.entry.bytes < std::max(above / kShare, kFew)) return "";
  const StageId first = value->stages.front(), last = reader->stages.back();
  if (first.phase != last.phase) return ReadAgainLater(line, first, last);
  if (line.limits.is_host) return "";
  return absl::StrCat("to keep a tile of it between the sweeps: ",
                      SharedMemory(line, TileBytes(*line.kernel, first, *line.entry.producer)));
}

std::string KeptInPart(const Line& line) {
  const Placement* place =
      line.kernel == nullptr ? nullptr : line.kernel->FindPlacement(line.entry.producer);
  const KernelFlow::Value* value = line.Producer();
  if (place == nullptr || value == nullptr || place->kept_rows == 0) return "";
  const Phase& phase = line.kernel->phases[value->stages.front().phase];
  const int64_t rest = phase.tile_rows - place->kept_rows;
  if (rest <= 0) return "";
  return absl::StrCat("to keep the other ", rest, " rows of the tile: ",
                      SharedMemory(line, CeilDiv(place->bytes * rest, place->kept_rows)));
}

// ---- inside a kernel

std::string OtherRows(const Line& line) {
  const KernelFlow::Value* value = line.Producer();
  const KernelFlow::Value* reader = line.Consumer();
  if (value == nullptr || reader == nullptr) return "";
  // The last stage that makes it before the reader's: a reduction's parts are folded in the second.
  const StageId at = reader->stages.back();
  StageId from = value->stages.front();
  for (const StageId stage : value->stages) {
    if (stage.phase < at.phase) from = stage;
  }
  if (from.phase == at.phase) return "";
  const Phase &a = line.kernel->phases[from.phase], &b = line.kernel->phases[at.phase];
  // What folds everything has no rows to share.
  if (a.rows == b.rows || a.num_rows() == 1 || b.num_rows() == 1) return "";
  return absl::StrCat("the same rows on both sides: it is made in rows ", RowsText(a),
                      " and read in rows ", RowsText(b));
}

// ROOT folds parts of its rows or columns in tasks of PHASE.
std::string SplitBecause(const PlanLimits& limits, const Phase& phase, const Stage& stage,
                         const Root& root) {
  constexpr int64_t kWarp = 32;
  const int64_t rows = phase.num_rows(), columns = ColumnsOf(stage);
  const int64_t machine = limits.is_host ? limits.workers : limits.num_sms;
  const absl::string_view who = limits.is_host ? " workers: " : " multiprocessors: ";
  if (root.over == ReduceOver::kColumns && rows > 1 && rows < machine) {
    return absl::StrCat(machine, " rows, one for each of the ", machine, who, rows, " rows of ",
                        columns, " columns leave the rest idle unless they are split");
  }
  const bool folds_rows = root.over == ReduceOver::kRows && phase.num_batches() == 1;
  if (folds_rows && !limits.is_host && columns < machine * kWarp) {
    return absl::StrCat(machine * kWarp, " columns, a warp of them for each of the ", machine, who,
                        columns, " columns of ", rows,
                        " rows leave some idle unless tasks share them");
  }
  return "";
}

std::string SplitReduction(const Line& line) {
  if (line.kernel == nullptr) return "";
  for (const Phase& phase : line.kernel->phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.value == line.entry.producer && root.partial)
          return SplitBecause(line.limits, phase, stage, root);
      }
    }
  }
  return "";
}

// A value that the thread which stores it reads again could stay in its registers.
std::string SameRows(const Line& line) {
  if (line.limits.is_host) return "";
  const KernelFlow::Value* value = line.Producer();
  const KernelFlow::Value* reader = line.Consumer();
  if (value == nullptr || reader == nullptr) return "";
  const StageId from = value->stages.front(), at = reader->stages.back();
  const Phase& phase = line.kernel->phases[at.phase];
  const Stage &a = StageAt(*line.kernel, from), &b = StageAt(*line.kernel, at);
  const bool same_threads = from.phase == at.phase && a.columns == b.columns &&
                            a.vector == b.vector && a.unroll == b.unroll &&
                            a.vector_rows == b.vector_rows && a.chunk == b.chunk;
  const bool same_element =
      KindOf(line.entry.consumer->opcode()) == OpKind::kElementwise &&
      line.entry.consumer->shape().dims() == line.entry.producer->shape().dims();
  if (!same_threads || !same_element || a.columns.empty()) return "";
  int64_t columns = phase.columns_per_task(a);
  if (a.chunk > 0) columns = std::min(columns, a.chunk);
  const int64_t registers = CeilDiv(columns, int64_t{phase.threads_per_row} * a.vector) * a.vector *
                            std::max(4, ByteWidth(line.entry.producer->shape().element_type())) / 4;
  const int64_t most = std::min(line.limits.registers_per_thread,
                                line.limits.registers_per_sm / line.kernel->launch.block);
  if (registers > most) return "";
  return absl::StrCat(
      registers, " registers more of each of the ", phase.threads_per_row,
      " threads that share a row: the thread that stores an element reads it again");
}

std::string NoRoomInShared(const Line& line) {
  const KernelFlow::Value* value = line.Producer();
  if (value == nullptr) return "";
  const int64_t bytes = TileBytes(*line.kernel, value->stages.front(), *line.entry.producer);
  if (line.kernel->launch.shared_bytes + bytes <= line.limits.shared_bytes_per_block) return "";
  return absl::StrCat("to keep a tile of it: ", SharedMemory(line, bytes));
}

std::string OtherAxis(const Line&) {
  return "the same innermost dimension for what the phase reads and what it writes: then no lane "
         "needs another one's elements";
}

// What the interpreter does, or what reads it.
std::string NoKernel(const Line& line) {
  const Instruction* whole =
      WholeOf(line.kernel == nullptr ? line.entry.consumer : line.entry.producer);
  if (KindOf(whole->opcode()) == OpKind::kTuple) return "";
  return absl::StrCat("a kernel for ", ToString(whole->opcode()),
                      ": without one the interpreter evaluates it on the host, between kernels");
}

struct Row {
  absl::string_view reason;
  std::string (*improvement)(const Line& line);
};
constexpr Row kTable[] = {
    {"other-kernel", BetweenKernels},
    {"read-again", ReadAgain},
    {"other-rows", OtherRows},
    {"written-anyway", OtherRows},
    {"reduction-crosses-blocks", SplitReduction},
    {"same-rows", SameRows},
    {"shared-memory-full", NoRoomInShared},
    {"read-along-other-axis", OtherAxis},
    {"no-kernel", NoKernel},
};

}  // namespace

std::string ImprovementOf(PlanFacts& facts, const PlanLimits& limits, size_t n) {
  const LedgerEntry& entry = facts.plan().ledger[n];
  const int step = facts.StepOfLine(n);
  const Line line{facts, limits, entry, step, facts.KernelOf(step)};
  if (absl::EndsWith(entry.reason, "-alone")) return Alone(line);
  if (entry.home == "kept") return KeptInPart(line);
  for (const Row& row : kTable) {
    if (row.reason == entry.reason) return row.improvement(line);
  }
  return "";
}

}  // namespace astitch
