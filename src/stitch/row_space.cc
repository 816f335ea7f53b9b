// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The orientation rules, with their numbers.
#include "stitch/row_space.h"

#include <algorithm>

#include "ir/fold_order.h"
#include "ir/gather_dims.h"
#include "ir/window_form.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

// A row is split over tasks only when each part is worth handing out (codegen-notes: 8 KB a block,
// 64 KB a worker).
constexpr int64_t kMinPartBytesGpu = 8 << 10;
constexpr int64_t kMinPartBytesHost = 64 << 10;

// A row that tasks scan in parts.
constexpr int64_t kLeastOfScan = 32 << 10, kLeastBytesOfScan = 64 << 10;

// Where a result of a reduction comes back to values that have an axis that it folded.
struct Return {
  bool to_data = false;
  bool to_more = false;  // that have axes which what it folds has not
};

Return ReturnOf(const RegionInfo& info, const Instruction& reduce, const ReduceAxes& axes) {
  Return out;
  std::vector<const Instruction*> stack = {&reduce};
  absl::flat_hash_set<const Instruction*> seen = {&reduce};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    for (const Instruction* reader : info.readers(value)) {
      if (!seen.insert(reader).second) continue;
      bool returns = false, more = false;
      for (int32_t axis : info.axes().Of(reader)) {
        returns |= Contains(axes.folded, axis);
        more |= !Contains(axes.operand, axis);
      }
      out.to_data |= returns;
      out.to_more |= returns && more;
      if (!returns) stack.push_back(reader);
    }
  }
  return out;
}

// Rows that a block holds at once when lanes run along them: a whole cache line of the narrowest
// type.
constexpr int64_t kLaneRows = 16;

// A warp's access of the columns that a task folds, and elements of a column that one thread folds.
constexpr int64_t kColumnsOfATask = 128, kShortColumn = 32;

bool TileFits(const RegionInfo& info, const Instruction& reduce, const std::vector<int32_t>& folded,
              const MachineModel& machine) {
  const int64_t element = ByteWidth(reduce.operand(0)->shape().element_type());
  const int64_t bytes =
      kLaneRows * info.axes().ExtentOf(folded) * std::max<int64_t>(element, 4) * 2;
  return bytes <= (machine.is_host() ? machine.l2_bytes : machine.shared_bytes_per_block);
}

bool TooFewRows(const RegionInfo& info, const std::vector<int32_t>& rows, int64_t columns,
                int64_t element_bytes, const MachineModel& machine) {
  const int64_t num_rows = info.axes().ExtentOf(rows);
  const int64_t part_bytes = machine.is_host() ? kMinPartBytesHost : kMinPartBytesGpu;
  return num_rows < WantedTasks(machine) && columns * element_bytes >= 2 * part_bytes;
}

// Blocks of a cluster that share a row where rows are TooFewRows: as many as fill the machine, if those
// that every device launches do so at least in part; 1: none. Parts of a row are worth a block.
int32_t ClusterFor(int64_t rows, int64_t row_bytes, const MachineModel& machine) {
  constexpr int32_t kPortable = 8;  // CUDA C++ Programming Guide, thread block clusters
  const int32_t most = machine.is_host() ? 1 : std::min(machine.max_cluster, kPortable);
  int32_t blocks = 1;
  while (2 * blocks <= most && rows * blocks < WantedTasks(machine) / 8 * 7 &&
         row_bytes >= 2 * blocks * kMinPartBytesGpu)
    blocks *= 2;
  return rows * blocks >= machine.num_sms ? blocks : 1;
}

// AXES in the order in which the largest input has them in memory, if it has them all.
std::vector<int32_t> InMemoryOrder(const RegionInfo& info, const std::vector<int32_t>& axes) {
  std::vector<int32_t> order;
  int64_t largest = -1;
  for (const Instruction* input : info.region().inputs) {
    if (!input->shape().IsArray() || input->shape().byte_size() <= largest) continue;
    largest = input->shape().byte_size();
    order.clear();
    for (int32_t axis : info.axes().Of(input)) {
      if (Contains(axes, axis)) order.push_back(axis);
    }
  }
  return order.size() == axes.size() ? order : axes;
}

}  // namespace

int64_t WantedTasks(const MachineModel& machine) {
  return machine.is_host() ? machine.workers : 2 * machine.num_sms;
}

ReduceAxes AxesOf(const RegionInfo& info, const Instruction& reduce) {
  ReduceAxes out;
  const Instruction* operand = reduce.operand(0);
  const std::vector<int64_t> reduced =
      IsScan(reduce) ? std::vector<int64_t>{*ScannedDim(reduce)} : reduce.dimensions();
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const bool folded = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    for (int32_t axis : info.axes().OfDim(operand, d)) {
      out.operand.push_back(axis);
      (folded ? out.folded : out.kept).push_back(axis);
    }
  }
  return out;
}

RowSpace RowsForReduce(const RegionInfo& info, const Instruction& reduce,
                       const MachineModel& machine) {
  ReduceAxes axes = AxesOf(info, reduce);
  // A worker reads along memory, wherever the operation's dimensions lie.
  if (machine.is_host()) axes.operand = InMemoryOrder(info, axes.operand);
  const int64_t element = ByteWidth(reduce.operand(0)->shape().element_type());
  RowSpace space;
  if (!FoldsInAnyOrder(*reduce.called()[0])) {
    space.rows = axes.kept;
    return space;
  }
  const bool inner_folded = axes.operand.empty() || axes.kept.empty() ||
                            Contains(axes.folded, axes.operand.back()) || IsScan(reduce);
  if (inner_folded) {
    space.rows = axes.kept;
    const int64_t columns = info.axes().ExtentOf(axes.folded);
    space.split_columns = TooFewRows(info, axes.kept, columns, element, machine);
    // Parts of a scan are gone over twice.
    if (IsScan(reduce) && (columns < kLeastOfScan || columns * element < kLeastBytesOfScan))
      space.split_columns = false;
    if (!space.split_columns) return space;
    if (!IsScan(reduce))
      space.cluster = ClusterFor(info.axes().ExtentOf(axes.kept), columns * element, machine);
    space.split_columns = space.cluster == 1;
    return space;
  }
  const Return returns = ReturnOf(info, reduce, axes);
  if (!machine.is_host() && returns.to_data && !returns.to_more &&
      TileFits(info, reduce, axes.folded, machine)) {
    space.rows = axes.kept;
    return space;
  }
  // Too few columns to fill the machine, and short ones: to fold each in one place is quicker than
  // parts and a barrier.
  if (!machine.is_host() && info.axes().ExtentOf(axes.folded) <= kShortColumn &&
      info.axes().ExtentOf(axes.kept) < kColumnsOfATask * WantedTasks(machine)) {
    space.rows = axes.kept;
    space.results_only = true;
    space.most_folded = kShortColumn;
    return space;
  }
  // Columns: what lies inside of the innermost folded axis that is not among them itself. Kept axes
  // outside of it number the batches.
  const auto folds_as_row = [&](int32_t axis) {
    return Contains(axes.folded, axis) && !Contains(info.folded_columns(), axis);
  };
  size_t last = 0;
  for (size_t i = 0; i < axes.operand.size(); ++i) {
    if (folds_as_row(axes.operand[i])) last = i;
  }
  std::vector<int32_t> folded;
  for (size_t i = 0; i <= last; ++i) {
    (Contains(axes.folded, axes.operand[i]) ? folded : space.rows).push_back(axes.operand[i]);
  }
  space.batch_axes = static_cast<int64_t>(space.rows.size());
  space.rows.insert(space.rows.end(), folded.begin(), folded.end());
  return space;
}

RowSpace RowsOfResults(const RegionInfo& info, const Instruction& reduce) {
  const ReduceAxes axes = AxesOf(info, reduce);
  RowSpace space;
  space.rows = axes.kept;
  space.results_only = !axes.kept.empty();
  space.most_folded = info.axes().ExtentOf(axes.folded);
  return space;
}

RowSpace RowsForCombine(const RegionInfo& info, const Instruction& reduce,
                        const MachineModel& machine) {
  RowSpace space;
  space.rows = info.axes().Of(&reduce);
  // What reads the results may go on in the same phase, lanes along the rows, if that fills the
  // machine.
  // Workers would read the data in pieces of a cache line, far apart: to go on along memory is worth
  // a barrier of theirs.
  const int64_t lanes = 2 * kLaneRows;
  space.results_only =
      !space.rows.empty() &&
      (machine.is_host() || info.axes().ExtentOf(space.rows) < lanes * WantedTasks(machine));
  space.split_columns = space.rows.empty();
  return space;
}

RowSpace RowsForUpdates(const RegionInfo& info, const Instruction& scatter) {
  RowSpace space;
  space.scatter = &scatter;
  const Instruction* updates = scatter.operand(scatter.num_operands() - 1);
  for (int64_t d : ScatterDimsOf(scatter).batch_dims) {
    const std::vector<int32_t> axes = info.axes().OfDim(updates, d);
    space.rows.insert(space.rows.end(), axes.begin(), axes.end());
  }
  return space;
}

namespace {

// One FLAT row, or rows of the innermost axis of OUTPUT.
RowSpace RowsAlongMemory(const RegionInfo& info, const Instruction& output, bool flat,
                         const MachineModel& machine) {
  constexpr int64_t kShortColumns = 16;
  RowSpace space;
  const std::vector<int32_t>& axes = info.axes().Of(&output);
  size_t columns = 1;
  if (!axes.empty() && info.axes().extent(axes.back()) < kShortColumns) columns = 2;
  if (flat || axes.size() <= columns) {
    space.split_columns = true;
    return space;
  }
  space.rows.assign(axes.begin(), axes.end() - static_cast<int64_t>(columns));
  const int64_t element = ByteWidth(output.shape().element_type());
  const std::vector<int32_t> inner(axes.end() - static_cast<int64_t>(columns), axes.end());
  space.split_columns = TooFewRows(info, space.rows, info.axes().ExtentOf(inner), element, machine);
  return space;
}

// Whether elements of VALUE lie like those of OUTPUT. What is read both as it is and transposed has
// the axes of one of the two.
bool LiesLike(const RegionInfo& info, const Instruction& output, const Instruction& value) {
  const std::vector<int32_t>& axes = info.axes().Of(&value);
  const bool turned = value.opcode() == Opcode::kTranspose && info.IsComputed(&value) &&
                      !info.axes().Aligned(&value, 0);
  return !turned && (axes.empty() || axes == info.axes().Of(&output));
}

}  // namespace

RowSpace RowsForOutput(const RegionInfo& info, const Instruction& output,
                       const MachineModel& machine) {
  const auto like = [&](const Instruction* value) { return LiesLike(info, output, *value); };
  const std::vector<const Instruction*>& inputs = info.region().inputs;
  const bool flat = std::all_of(info.values().begin(), info.values().end(), like) &&
                    std::all_of(inputs.begin(), inputs.end(), like);
  return RowsAlongMemory(info, output, flat, machine);
}

RowSpace RowsForCopy(const RegionInfo& info, const Instruction& scatter,
                     const MachineModel& machine) {
  bool flat = true;
  std::vector<const Instruction*> stack = {scatter.operand(0)};
  absl::flat_hash_set<const Instruction*> seen(stack.begin(), stack.end());
  while (!stack.empty() && flat) {
    const Instruction* value = stack.back();
    stack.pop_back();
    flat = LiesLike(info, scatter, *value);
    if (!info.IsComputed(value) || IsScatter(*value)) continue;  // in memory
    for (const Instruction* operand : value->operands()) {
      if (!IsImmediate(*operand) && seen.insert(operand).second) stack.push_back(operand);
    }
  }
  RowSpace space = RowsAlongMemory(info, scatter, flat, machine);
  space.copies_only = true;
  return space;
}

}  // namespace astitch
