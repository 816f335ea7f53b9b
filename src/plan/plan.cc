// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Words of the plan's enums, derived sizes, look-ups and comparison.
#include "plan/plan.h"

#include <algorithm>

#include "base/checked_math.h"
#include "plan/plan_text.h"
#include "plan/reference_call.h"

namespace astitch {
namespace {

int64_t Product(const std::vector<int64_t>& extents, size_t count) {
  int64_t product = 1;
  for (size_t i = 0; i < std::min(count, extents.size()); ++i) product *= extents[i];
  return product;
}

// The steps that are of one of KINDS.
template <typename... Kinds>
int64_t Count(const std::vector<PlanStep>& steps) {
  return std::count_if(steps.begin(), steps.end(), [](const PlanStep& step) {
    return (std::holds_alternative<Kinds>(step) || ...);
  });
}

}  // namespace

absl::string_view ToString(Home home) {
  switch (home) {
    case Home::kLocal:
      return "local";
    case Home::kRegional:
      return "regional";
    case Home::kCluster:
      return "cluster";
    case Home::kBlock:
      return "block";
    case Home::kGlobal:
      return "global";
    case Home::kOutput:
      return "output";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(Keep keep) {
  switch (keep) {
    case Keep::kNone:
      return "none";
    case Keep::kRegisters:
      return "registers";
    case Keep::kShared:
      return "shared";
    case Keep::kCache:
      return "cache";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(RootKind kind) {
  switch (kind) {
    case RootKind::kStore:
      return "store";
    case RootKind::kReduce:
      return "reduce";
    case RootKind::kCombine:
      return "combine";
    case RootKind::kScatter:
      return "scatter";
    case RootKind::kScan:
      return "scan";
    case RootKind::kTurn:
      return "turn";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(ReduceOver over) {
  switch (over) {
    case ReduceOver::kNone:
      return "none";
    case ReduceOver::kColumns:
      return "columns";
    case ReduceOver::kRows:
      return "rows";
    case ReduceOver::kAll:
      return "all";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(StageBarrier barrier) {
  switch (barrier) {
    case StageBarrier::kNone:
      return "none";
    case StageBarrier::kWarp:
      return "warp";
    case StageBarrier::kBlock:
      return "block";
    case StageBarrier::kCluster:
      return "cluster";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(Peel peel) {
  switch (peel) {
    case Peel::kNone:
      return "none";
    case Peel::kTail:
      return "tail";
    case Peel::kBoth:
      return "both";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(PhaseBarrier barrier) {
  switch (barrier) {
    case PhaseBarrier::kNone:
      return "none";
    case PhaseBarrier::kBlock:
      return "block";
    case PhaseBarrier::kGrid:
      return "grid";
    case PhaseBarrier::kFlags:
      return "flags";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "memory";
    case Bound::kCache:
      return "cache";
    case Bound::kArithmetic:
      return "arithmetic";
    case Bound::kLatency:
      return "latency";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kAdd:
      return "add";
    case EpilogueKind::kScale:
      return "scale";
    case EpilogueKind::kRelu:
      return "relu";
    case EpilogueKind::kGeluTanh:
      return "gelu-tanh";
    case EpilogueKind::kGeluErf:
      return "gelu-erf";
  }
  ASTITCH_UNREACHABLE();
}

absl::string_view ToString(BufferPlan::Space space) {
  switch (space) {
    case BufferPlan::Space::kInput:
      return "input";
    case BufferPlan::Space::kOutput:
      return "output";
    case BufferPlan::Space::kArena:
      return "arena";
    case BufferPlan::Space::kConstant:
      return "constant";
  }
  ASTITCH_UNREACHABLE();
}

int64_t AccumulatorBytesOf(const Shape& shape) {
  const int64_t width = ByteWidth(shape.element_type());
  return IsFloat(shape.element_type()) ? std::max<int64_t>(4, width) : width;
}

int64_t Phase::num_rows() const { return Product(rows, rows.size()); }
int64_t Phase::num_batches() const { return Product(rows, batch_axes); }

int64_t Phase::split_columns() const {
  int64_t columns = 1;
  for (const Stage& stage : stages)
    columns = std::max(columns, Product(stage.columns, stage.columns.size()));
  return columns;
}

int64_t Phase::row_tasks_per_batch() const {
  return rows_per_task <= 0 ? 0 : CeilDiv(rows_per_batch(), rows_per_task);
}
int64_t Phase::col_tasks() const {
  return cols_per_task <= 0 ? 1 : CeilDiv(split_columns(), cols_per_task);
}

int64_t Phase::columns_per_task(const Stage& stage) const {
  const int64_t columns = Product(stage.columns, stage.columns.size());
  if (cols_per_task <= 0) return columns;
  return std::min(columns, stage.cols_per_task > 0 ? stage.cols_per_task : cols_per_task);
}

bool SamePartition(const Phase& a, const Phase& b) {
  return a.rows == b.rows && a.batch_axes == b.batch_axes && a.rows_per_task == b.rows_per_task &&
         a.tile_rows == b.tile_rows && a.split_columns() == b.split_columns() &&
         a.cols_per_task == b.cols_per_task && a.backward == b.backward && a.slice == b.slice &&
         a.cluster == b.cluster;
}

bool KernelPlan::StaysIn(const Placement& place, size_t p) const {
  return place.stays_from >= 0 && p > static_cast<size_t>(place.stays_from) &&
         phases[p].slice == 0 && SamePartition(phases[place.stays_from], phases[p]);
}

double KernelPlan::StayingShare(const Placement& place, size_t p) const {
  if (!StaysIn(place, p) || phases[p].num_tasks() > launch.grid) return 0;
  const auto rows = static_cast<double>(phases[p].rows_per_task);
  return place.kept_rows > 0 ? std::min(1.0, static_cast<double>(place.kept_rows) / rows) : 1;
}

std::pair<size_t, size_t> KernelPlan::SlicedWith(size_t p) const {
  const auto together = [&](const Phase& phase) {
    return phase.slice > 0 && phase.slice == phases[p].slice && !phase.rows.empty() &&
           !phases[p].rows.empty() && phase.rows[0] == phases[p].rows[0];
  };
  size_t first = p, last = p;
  while (first > 0 && together(phases[first - 1])) --first;
  while (last + 1 < phases.size() && together(phases[last + 1])) ++last;
  return {first, last};
}

const Placement* KernelPlan::FindPlacement(const Instruction* value) const {
  for (const Placement& placement : placements) {
    if (placement.value == value) return &placement;
  }
  return nullptr;
}

const Prediction& PredictionOf(const PlanStep& step) {
  return std::visit([](const auto& of) -> const Prediction& { return of.predicted; }, step);
}

void ReadsAndWrites(const PlanStep& step, std::vector<const Instruction*>& reads,
                    std::vector<const Instruction*>& writes) {
  if (const auto* kernel = std::get_if<KernelPlan>(&step)) {
    reads = kernel->inputs;
    writes = kernel->outputs;
  } else if (const auto* dot = std::get_if<DotCall>(&step)) {
    reads = {dot->lhs.value, dot->rhs.value};
    for (const EpilogueOp& op : dot->epilogue) {
      if (op.addend.value != nullptr) reads.push_back(op.addend.value);
    }
    writes = {dot->out.value};
  } else if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
    reads = {call->convolution->operand(0), call->convolution->operand(1)};
    writes = {call->convolution};
  } else if (const auto* copy = std::get_if<CopyCall>(&step)) {
    reads = {copy->from};
  } else if (const auto* reference = std::get_if<ReferenceCall>(&step)) {
    reads = ReferenceInputs(*reference->instruction);
    writes = ReferenceOutputs(*reference->instruction);
  }
}

const BufferPlan* Plan::FindBuffer(const Instruction* value) const {
  for (const BufferPlan& buffer : buffers) {
    if (buffer.value == value) return &buffer;
  }
  return nullptr;
}

int64_t Plan::num_kernels() const { return Count<KernelPlan>(steps); }
int64_t Plan::num_library_calls() const { return Count<DotCall, ConvolutionCall>(steps); }
int64_t Plan::num_reference_calls() const { return Count<ReferenceCall>(steps); }
int64_t Plan::num_copies() const { return Count<CopyCall>(steps); }

Traffic Plan::total_traffic() const {
  Traffic total;
  for (const PlanStep& step : steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) {
      total.read += kernel->traffic.read;
      total.written += kernel->traffic.written;
      total.bound += kernel->traffic.bound;
    }
  }
  return total;
}

int64_t Plan::predicted_kernels_ns() const {
  int64_t ns = 0;
  for (const PlanStep& step : steps)
    ns += std::holds_alternative<KernelPlan>(step) ? PredictionOf(step).ns : 0;
  return ns;
}

int64_t Plan::predicted_others_ns() const {
  int64_t ns = 0;
  for (const PlanStep& step : steps)
    ns += std::holds_alternative<KernelPlan>(step) ? 0 : PredictionOf(step).ns;
  return ns;
}

bool PlansEqual(const Plan& a, const Plan& b) { return PlanLines(a) == PlanLines(b); }

}  // namespace astitch
