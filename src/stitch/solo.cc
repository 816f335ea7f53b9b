// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatters are serial on worker threads. On a GPU, rows side by side need windows that are the same or
// apart, so that a place has one owner.
#include "stitch/solo.h"

#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "ir/gather_dims.h"
#include "stitch/mapping_rules.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

constexpr int64_t kCopyPart = 16384;  // elements of one task of the copy
constexpr int64_t kWindowPart = 64;   // columns of a window worth a task: whole cache lines
constexpr int32_t kLanes = 16;

KernelPlan Skeleton(const RegionInfo& info) {
  KernelPlan kernel;
  kernel.inputs = info.region().inputs;
  kernel.outputs = info.region().outputs;
  for (const Instruction* value : info.values()) {
    Placement place;
    place.value = value;
    if (value == kernel.outputs[0]) {
      place.home = Home::kOutput;
      place.output = 0;
      place.bytes = value->shape().byte_size();
    }
    kernel.placements.push_back(place);
  }
  return kernel;
}

// Dimension d of the mapped array is axis FIRST + d.
IndexMap Identity(int64_t rank, int32_t first) {
  IndexMap map;
  for (int64_t d = 0; d < rank; ++d) map.push_back({static_cast<int32_t>(first + d)});
  return map;
}

// Each array moves once.
void SetTraffic(KernelPlan& kernel) {
  int64_t bytes = 0;
  for (const Instruction* input : kernel.inputs) bytes += input->shape().byte_size();
  kernel.traffic.read = bytes;
  kernel.traffic.written = kernel.outputs[0]->shape().byte_size();
  kernel.traffic.bound = bytes + kernel.traffic.written;
}

Phase CopyOfOperand(const Instruction& scatter) {
  const Shape& shape = scatter.shape();
  Phase phase;
  Stage stage;
  stage.columns = shape.dims();
  Root root;
  root.value = &scatter;
  root.map = Identity(shape.rank(), 0);
  stage.roots.push_back(root);
  phase.stages.push_back(stage);
  return phase;
}

void MapCopyOnHost(Phase& phase) {
  Stage& stage = phase.stages[0];
  int64_t elements = 1;
  for (int64_t extent : stage.columns) elements *= extent;
  phase.cols_per_task = RoundUp(CeilDiv(elements, CeilDiv(elements, kCopyPart)), int64_t{64});
  stage.vector = kLanes;
  stage.unroll = 4;
  if (elements % kLanes != 0) stage.peel = Peel::kTail;
}

// Columns of a window that belong to one worker: windows of several index vectors may overlap where
// an index decides, and then the order of their updates counts. Workers share dimensions outside of
// all those, along which a column always means the same place.
int64_t ColumnsTogether(const GatherDims& dims, const Shape& updates) {
  int64_t together = 1;
  bool shared = true;
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const auto& indexed = dims.start_index_map;
    shared =
        shared && std::find(indexed.begin(), indexed.end(), dims.window_dims[k]) == indexed.end();
    if (!shared) together *= updates.dim(dims.offset_dims[k]);
  }
  return together;
}

// Rows are the index vectors, columns the elements of a window.
Phase Updates(const Instruction& scatter) {
  const Shape& updates = scatter.operand(2)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  Phase phase;
  phase.barrier = PhaseBarrier::kGrid;
  Stage stage;
  Root root;
  root.value = &scatter;
  root.kind = RootKind::kScatter;
  root.map.resize(updates.rank());
  int32_t axis = 0;
  for (int64_t d : dims.batch_dims) {
    phase.rows.push_back(updates.dim(d));
    root.map[d] = {axis++};
  }
  for (int64_t d : dims.offset_dims) {
    stage.columns.push_back(updates.dim(d));
    root.map[d] = {axis++};
  }
  stage.roots.push_back(root);
  phase.stages.push_back(stage);
  return phase;
}

// Rows in order, all of one task.
void MapUpdatesOnHost(const Instruction& scatter, const MachineModel& machine, Phase& phase) {
  const Shape& updates = scatter.operand(2)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  Stage& stage = phase.stages[0];
  stage.vector = kLanes;
  int64_t columns = 1;
  for (int64_t extent : stage.columns) columns *= extent;
  phase.rows_per_task = std::max<int64_t>(1, phase.num_rows());
  const int64_t together = std::lcm(ColumnsTogether(dims, updates), kWindowPart);
  const int64_t parts = std::min<int64_t>(machine.workers, columns / kWindowPart);
  if (parts > 1 && together < columns)
    phase.cols_per_task = RoundUp(CeilDiv(columns, parts), together);
  if (columns % kLanes != 0) stage.peel = Peel::kTail;
}

// Whether columns of a window lie side by side in the updates and in the operand.
bool WindowsRunAlongMemory(const Instruction& scatter) {
  const GatherDims dims = ScatterDimsOf(scatter);
  return !dims.offset_dims.empty() &&
         dims.offset_dims.back() == scatter.operand(2)->shape().rank() - 1 &&
         dims.window_dims.back() == scatter.shape().rank() - 1;
}

// Bytes of the result that updates are written to: of each index vector, unless the result has fewer.
int64_t UpdatedBytes(const Instruction& scatter) {
  return std::min(scatter.shape().byte_size(), scatter.operand(2)->shape().byte_size());
}

// Lines that were copied come and go once more, unless the last cache has them still.
void AddUpdates(const MachineModel& machine, const Instruction& scatter, KernelPlan& kernel) {
  if (scatter.shape().byte_size() <= machine.l2_bytes / 2) return;
  const bool uniform = scatter.operand(0)->opcode() == Opcode::kBroadcast;
  kernel.traffic.read += uniform ? 0 : UpdatedBytes(scatter);
  kernel.traffic.written += UpdatedBytes(scatter);
}

std::optional<KernelPlan> MapScatter(const RegionInfo& info, const Instruction& scatter,
                                     const MachineModel& machine, int64_t more_registers) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  if (width != 1 || !scatter.shape().IsArray()) return std::nullopt;
  if (scatter.shape().num_elements() == 0 || scatter.operand(2)->shape().num_elements() == 0)
    return std::nullopt;
  KernelPlan kernel = Skeleton(info);
  kernel.phases = {CopyOfOperand(scatter), Updates(scatter)};
  Phase &copy = kernel.phases[0], &updates = kernel.phases[1];
  if (!machine.is_host()) {
    if (!WindowsAreSameOrApart(scatter)) return std::nullopt;
    PhaseShape shape;
    shape.rows = shape.rows_per_batch = updates.num_rows();
    shape.columns = updates.split_columns();
    shape.element_bytes = ByteWidth(scatter.shape().element_type());
    shape.lanes_along_rows = !WindowsRunAlongMemory(scatter);
    shape.more_registers = more_registers;
    MapScatterOnGpu(shape, machine, kernel);
    return kernel;
  }
  MapCopyOnHost(copy);
  MapUpdatesOnHost(scatter, machine, updates);
  kernel.launch.grid = std::min<int64_t>(machine.workers, kernel.phases[0].num_tasks());
  return kernel;
}

}  // namespace

std::optional<KernelPlan> MapSolo(const RegionInfo& info, const MachineModel& machine,
                                  int64_t more_registers) {
  if (info.region().outputs.size() != 1) return std::nullopt;
  const Instruction& output = *info.region().outputs[0];
  if (output.opcode() != Opcode::kScatter) return std::nullopt;
  std::optional<KernelPlan> kernel = MapScatter(info, output, machine, more_registers);
  if (!kernel.has_value()) return std::nullopt;
  SetTraffic(*kernel);
  if (!machine.is_host()) AddUpdates(machine, output, *kernel);
  return kernel;
}

}  // namespace astitch
