// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatters on worker threads only: on a GPU one thread after the other would do what is serial there.
#include "stitch/solo.h"

#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "ir/gather_dims.h"
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

// What two phases read comes twice, unless the last cache holds it.
void SetTraffic(const MachineModel& machine, KernelPlan& kernel) {
  int64_t bytes = 0;
  for (const Instruction* input : kernel.inputs) bytes += input->shape().byte_size();
  const bool twice = !machine.is_host() && kernel.phases.size() > 1 && bytes > machine.l2_bytes / 2;
  kernel.traffic.read = twice ? 2 * bytes : bytes;
  kernel.traffic.written = kernel.outputs[0]->shape().byte_size();
  kernel.traffic.bound = bytes + kernel.traffic.written;
}

Phase CopyOfOperand(const Instruction& scatter) {
  const Shape& shape = scatter.shape();
  Phase phase;
  const int64_t elements = shape.num_elements();
  phase.cols_per_task = RoundUp(CeilDiv(elements, CeilDiv(elements, kCopyPart)), int64_t{64});
  Stage stage;
  stage.columns = shape.dims();
  stage.vector = kLanes;
  stage.unroll = 4;
  if (elements % kLanes != 0) stage.peel = Peel::kTail;
  Root root;
  root.value = &scatter;
  root.map = Identity(shape.rank(), 0);
  stage.roots.push_back(root);
  phase.stages.push_back(stage);
  return phase;
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

// Rows are the index vectors in order, one task goes through all of them. Several workers share the
// columns of the windows.
Phase Updates(const Instruction& scatter, const MachineModel& machine) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  const Shape& updates = scatter.operand(width + 1)->shape();
  const GatherDims dims = GatherDimsOf(scatter.as<ScatterAttributes>(),
                                       scatter.operand(0)->shape().rank(), updates.rank());
  Phase phase;
  phase.barrier = PhaseBarrier::kGrid;
  Stage stage;
  stage.vector = kLanes;
  Root root;
  root.value = &scatter;
  root.kind = RootKind::kScatter;
  root.map.resize(updates.rank());
  int32_t axis = 0;
  for (int64_t d : dims.batch_dims) {
    phase.rows.push_back(updates.dim(d));
    root.map[d] = {axis++};
  }
  int64_t columns = 1;
  for (int64_t d : dims.offset_dims) {
    stage.columns.push_back(updates.dim(d));
    columns *= updates.dim(d);
    root.map[d] = {axis++};
  }
  phase.rows_per_task = std::max<int64_t>(1, phase.num_rows());
  const int64_t together = std::lcm(ColumnsTogether(dims, updates), kWindowPart);
  const int64_t parts = std::min<int64_t>(machine.workers, columns / kWindowPart);
  if (parts > 1 && together < columns)
    phase.cols_per_task = RoundUp(CeilDiv(columns, parts), together);
  if (columns % kLanes != 0) stage.peel = Peel::kTail;
  stage.roots.push_back(root);
  phase.stages.push_back(stage);
  return phase;
}

std::optional<KernelPlan> MapScatter(const RegionInfo& info, const Instruction& scatter,
                                     const MachineModel& machine) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  if (width != 1 || !scatter.shape().IsArray()) return std::nullopt;
  if (scatter.shape().num_elements() == 0 || scatter.operand(2)->shape().num_elements() == 0)
    return std::nullopt;
  KernelPlan kernel = Skeleton(info);
  kernel.phases = {CopyOfOperand(scatter), Updates(scatter, machine)};
  kernel.launch.grid = std::min<int64_t>(machine.workers, kernel.phases[0].num_tasks());
  return kernel;
}

}  // namespace

std::optional<KernelPlan> MapSolo(const RegionInfo& info, const MachineModel& machine) {
  if (info.region().outputs.size() != 1) return std::nullopt;
  const Instruction& output = *info.region().outputs[0];
  std::optional<KernelPlan> kernel;
  if (output.opcode() == Opcode::kScatter && machine.is_host())
    kernel = MapScatter(info, output, machine);
  if (kernel.has_value()) SetTraffic(machine, *kernel);
  return kernel;
}

}  // namespace astitch
