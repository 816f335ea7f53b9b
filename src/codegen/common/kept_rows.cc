// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What stays in shared memory while a tile is swept several times: rows of inputs, copied before the
// first stage, and the parts of rows that the blocks of a cluster have for each other. Rows may stay for
// later phases, too: those copy them only where a block comes to another task in between.
//
//   input        | row 0 | row 1 | row 2 | row 3 |      tile of 4 rows, kept_rows=2: rows 0 and 1 are
//                +-------+-------+-------+-------+      read from the slot, 2 and 3 from the input,
//   slot         | row 0 | row 1 |                      which nobody writes: a read that is not known
//                                                       to be of the row under way is right, too
#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "codegen/common/homes.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

// The stages of PHASE that read INPUT by evaluation, not from what an earlier stage stored.
int64_t StagesThatRead(const Phase& phase, const Instruction* input) {
  int64_t count = 0;
  absl::flat_hash_set<const Instruction*> stored;
  for (const Stage& stage : phase.stages) {
    absl::flat_hash_set<const Instruction*> seen;
    std::vector<const Instruction*> stack;
    for (const Root& root : stage.roots) {
      if (root.kind == RootKind::kCombine) continue;
      if (root.value == input) stack.push_back(input);
      stack.insert(stack.end(), root.value->operands().begin(), root.value->operands().end());
    }
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!seen.insert(value).second || stored.contains(value)) continue;
      stack.insert(stack.end(), value->operands().begin(), value->operands().end());
    }
    count += seen.contains(input);
    for (const Root& root : stage.roots) stored.insert(root.value);
  }
  return count;
}

}  // namespace

void Homes::FindKept(size_t number) {
  const Phase& phase = *phase_;
  int64_t columns = 1;
  for (const Stage& stage : phase.stages) columns = std::max(columns, ProductOf(stage.columns));
  for (const Instruction* input : emission_.plan.inputs) {
    const Placement* home = HomeOf(*input, 0);
    if (home == nullptr || home->keep != Keep::kShared) continue;
    if (input->shape().num_elements() != phase.num_rows() * columns) continue;
    const bool there = emission_.plan.StaysIn(*home, number);
    const bool copies = home->stays_from < 0 || home->stays_from == static_cast<int64_t>(number);
    if (!there && !copies) continue;
    if (StagesThatRead(phase, input) < (home->stays_from < 0 ? 2 : 1)) continue;
    KeptInput kept{input, home, columns, columns, phase.tile_rows, there};
    if (home->kept_rows > 0) kept.rows = std::min(home->kept_rows, phase.tile_rows);
    if (IsSplit()) kept.width = std::min(phase.cols_per_task, columns);
    const int64_t bytes = kept.rows * kept.width * ByteWidth(input->shape().element_type());
    if (bytes > home->bytes) {
      Fail(ErrorAt(*input, absl::StrCat("keeps ", kept.rows, " rows in ", bytes,
                                        " bytes, the plan has ", home->bytes)));
    }
    kept_.push_back(kept);
  }
}

void Homes::FillKept(const Tile& tile) {
  IndexBuilder& indices = emission_.indices;
  std::vector<TileCopy> copies, again;
  for (const KeptInput& kept : kept_) {
    const Array array = BufferArray(inputs_.at(kept.value), *kept.value);
    TileCopy copy;
    copy.source = array.pointer;
    copy.element_bytes = ByteWidth(array.type);
    copy.pitch = kept.columns;
    copy.slot_width = kept.width;
    copy.contiguous = kept.width == kept.columns;
    copy.offset = kept.placement->offset;
    Digit row = indices.FromValue(tile.begin, std::max<int64_t>(1, phase_->num_rows()));
    row.multiple = tile.begin_multiple;
    Digit first = indices.Affine(row, kept.columns, 0, array.elements);
    copy.rows = indices.Constant(kept.rows);
    copy.rows_multiple = kept.rows;
    if (!tile.full) {
      copy.rows = indices.Min(copy.rows, indices.Sub(tile.end, tile.begin));
      copy.rows_multiple = 1;
    }
    copy.width = indices.Constant(kept.width);
    copy.width_multiple = kept.width;
    if (tile.column_part != nullptr && kept.width < kept.columns) {
      const Value begin = indices.Mul(tile.column_part, kept.width);
      first.base = indices.Add(first.base, begin);
      first.multiple = std::gcd(first.multiple, kept.width);
      if (kept.columns % kept.width != 0) {
        copy.width = indices.Min(copy.width, indices.Sub(indices.Constant(kept.columns), begin));
        copy.width_multiple = std::gcd(kept.width, kept.columns);
      }
    }
    copy.first = first;
    (kept.there ? again : copies).push_back(copy);
  }
  if (!copies.empty()) target_.CopyToTile(copies);
  if (again.empty()) return;
  emission_.scopes.If(target_.HasMoreTasks(phase_->num_tasks()),
                      [&] { target_.CopyToTile(again); });
}

int Homes::IsAmong(const Digit& in_tile, int64_t kept) {
  const int64_t most = in_tile.most >= 0 ? in_tile.most : in_tile.extent - 1;
  if (most < kept) return 1;
  return in_tile.least >= kept ? 0 : -1;
}

bool Homes::IsColumnUnderWay(const Digit& column) const {
  return column.base == column_.base && column.stride == column_.stride &&
         column.lanes == column_.lanes && column.extent == column_.extent;
}

Digit Homes::InPart(const Digit& column, int64_t width) {
  if (tile_.column_part == nullptr) return column;
  IndexBuilder& indices = emission_.indices;
  Digit out = column;
  out.base = indices.Sub(column.base, indices.Mul(tile_.column_part, width));
  out.multiple = std::gcd(column.multiple, width);
  out.extent = width;
  out.ForgetBounds();
  return out;
}

Value Homes::ReadKept(const KeptInput& kept, const Array& array, const Digit& position) {
  IndexBuilder& indices = emission_.indices;
  auto from_input = [&] { return LoadAt(0, array, position); };
  auto [row, column] = indices.Split(position, kept.columns);
  const bool one_row = phase_->num_rows() <= 1;
  const bool same_row = one_row || (row.base == row_.row.base && row.uniform());
  if (!same_row || stage_ == nullptr) return from_input();
  if (kept.width < kept.columns) {
    if (!IsColumnUnderWay(column)) return from_input();
    column = InPart(column, kept.width);
  }
  Digit in_tile = row_.in_tile;
  const int among = IsAmong(in_tile, kept.rows);
  if (among == 0) return from_input();
  // A row past the end repeats the last one, wherever that lies in the tile.
  if (!tile_.full)
    in_tile.base = one_row ? indices.Constant(0) : indices.Sub(row.base, tile_.begin);
  const Value number = in_tile.base;
  in_tile.extent = kept.rows;
  column.extent = kept.width;
  const Array slot = TileArray(array.type, kept.placement->offset, kept.rows * kept.width);
  auto from_slot = [&] { return LoadAt(tile_depth_, slot, indices.JoinAll({in_tile, column})); };
  if (among == 1) return from_slot();
  const Value there = indices.Compare(llvm::CmpInst::ICMP_SLT, number, indices.Constant(kept.rows));
  return emission_.scopes.Conditional(there, from_slot, from_input);
}

int64_t Homes::ClusterWidth(const Root& root) const {
  const bool of_row = root.kind == RootKind::kReduce || root.kind == RootKind::kCombine;
  if (of_row || stage_ == nullptr || ProductOf(stage_->columns) == 1) return 1;
  return phase_->cols_per_task;
}

// Every part lies with the block that computed it: the column says which.
Value Homes::ReadCluster(const Stored& stored, int leaf, const Placement& home, IndexRef index) {
  IndexBuilder& indices = emission_.indices;
  const std::vector<Digits> axes = Recover(stored, *index);
  bool same_row = false;
  const Digit in_tile = TilePosition(stored, axes, &same_row);
  const ElementType type = LeafShape(*stored.root.value, leaf).element_type();
  Digits columns;
  for (size_t a = phase_->rows.size(); a < axes.size(); ++a)
    columns.insert(columns.end(), axes[a].begin(), axes[a].end());
  Digit column = indices.JoinAll(columns);
  const bool of_row = stored.root.kind != RootKind::kStore;
  if (of_row || ProductOf(stored.stage.columns) == 1)
    return LoadAt(tile_depth_, TileArray(type, home.offset, phase_->tile_rows), in_tile);
  const int64_t width = phase_->cols_per_task, elements = phase_->tile_rows * width;
  const Array own = TileArray(type, home.offset, elements);
  if (IsColumnUnderWay(column))
    return LoadAt(tile_depth_, own, indices.JoinAll({in_tile, InPart(column, width)}));
  column.extent = phase_->cluster * width;
  const auto [rank, local] = indices.Split(column, width);
  const Digit position = indices.JoinAll({in_tile, local});
  auto load = [&](Value of_rank, const Digit& at) {
    Array remote = own;
    remote.pointer = target_.ClusterMemory(home.offset, of_rank);
    return LoadAt(tile_depth_, remote, at);
  };
  if (rank.uniform()) return load(rank.base, position);
  // Lanes of several blocks: one after the other.
  llvm::IRBuilderBase& b = emission_.context.builder;
  const Value ranks = indices.Materialize(rank), places = indices.Materialize(position);
  Value all = nullptr;
  Scopes& scopes = emission_.scopes;
  auto lane_of = [&](Value lanes, int64_t lane) {
    return scopes.At(scopes.depth(), [&] { return b.CreateExtractElement(lanes, lane); });
  };
  for (int64_t lane = 0; lane < rank.lanes; ++lane) {
    Value one = load(lane_of(ranks, lane), indices.FromValue(lane_of(places, lane), elements));
    if (all == nullptr)
      all = llvm::PoisonValue::get(llvm::FixedVectorType::get(one->getType(), rank.lanes));
    all = scopes.At(scopes.depth(), [&] { return b.CreateInsertElement(all, one, lane); });
  }
  return all;
}

}  // namespace astitch::codegen
