// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sweeps with rows in their lanes that store along columns: a transposition. A vector of rows would
// be stored element by element, each to another cache line. Instead squares of as many columns as
// there are lanes are evaluated column by column, turned in registers, and stored row by row.
//
//   column 0: r0 r1 r2 r3        row 0: c0 c1 c2 c3
//   column 1: r0 r1 r2 r3   ->   row 1: c0 c1 c2 c3
#include <algorithm>
#include <numeric>

#include "codegen/common/register_types.h"
#include "codegen/common/stage_emitter.h"

namespace astitch::codegen {
namespace {

// The transposed square: for each bit of the numbers, from the highest, the elements whose row and
// column differ in it change places.
std::vector<Value> Turned(llvm::IRBuilderBase& builder, std::vector<Value> square) {
  const int n = static_cast<int>(square.size());
  for (int bit = n / 2; bit > 0; bit /= 2) {
    std::vector<int> low(n), high(n);
    for (int lane = 0; lane < n; ++lane) {
      low[lane] = (lane & bit) != 0 ? n + lane - bit : lane;
      high[lane] = (lane & bit) != 0 ? n + lane : lane + bit;
    }
    for (int i = 0; i < n; ++i) {
      if ((i & bit) != 0) continue;
      Value a = square[i], b = square[i | bit];
      square[i] = builder.CreateShuffleVector(a, b, low);
      square[i | bit] = builder.CreateShuffleVector(a, b, high);
    }
  }
  return square;
}

}  // namespace

// Stores whose last dimension ends in the last column axis lie along the columns.
void StageEmitter::FindTurned() {
  const int lanes = sweep_.row_lanes();
  if (!target_.TurnsSquares() || lanes == 1 || (lanes & (lanes - 1)) != 0 || sweep_.serial ||
      stage_.columns.empty() || stage_.columns.back() % lanes != 0)
    return;
  const int32_t last_axis = static_cast<int32_t>(phase_.rows.size() + stage_.columns.size()) - 1;
  for (RootState& state : roots_) {
    const Root& root = *state.root;
    if (root.kind != RootKind::kStore || !root.value->shape().IsArray() || root.map.empty() ||
        root.map.back().empty() || root.map.back().back() != last_axis)
      continue;
    const Placement* home = emission_.plan.FindPlacement(root.value);
    if (home == nullptr || (home->home != Home::kOutput && home->home != Home::kGlobal)) continue;
    const ElementType type = root.value->shape().element_type();
    if (IsPred(type)) continue;
    llvm::BasicBlock& entry = builder().GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    llvm::Type* column = RegisterType(top.getContext(), type, lanes);
    state.square = top.CreateAlloca(llvm::ArrayType::get(column, lanes));
    turns_ = true;
  }
}

// Four squares of each row at once, where columns divide so: memory likes runs of 256 bytes better
// than single cache lines.
Sweep StageEmitter::SquareSweep() const {
  Sweep squares = sweep_;
  squares.along_columns = true;
  squares.squares = 4;
  auto divides = [&] {
    auto whole = [&](int64_t columns) { return columns % squares.column_lanes() == 0; };
    return whole(stage_.columns.back()) &&
           std::all_of(squares.cuts.begin(), squares.cuts.end(), whole);
  };
  while (squares.squares > 1 && !divides()) squares.squares /= 2;
  return squares;
}

// Nothing but stores: column by column, and all rows of the tile inside, so that a page of what
// runs along the rows is used up before the next.
void StageEmitter::EmitSquaresOuter(const Tile& tile) {
  auto sweep = [&](bool nontemporal) {
    target_.ForEachColumn(tile, SquareSweep(), [&](const ColumnPoint& column) {
      target_.ForEachRow(tile, sweep_,
                         [&](const RowPoint& row) { EmitSquare(row, column, nontemporal); });
    });
  };
  SweepStreaming(sweep);
}

void StageEmitter::EmitSquares(const Tile& tile, const RowPoint& row) {
  SweepStreaming([&](bool nontemporal) {
    target_.ForEachColumn(tile, SquareSweep(),
                          [&](const ColumnPoint& column) { EmitSquare(row, column, nontemporal); });
  });
}

void StageEmitter::EmitSquare(const RowPoint& row, const ColumnPoint& columns, bool nontemporal) {
  ColumnPoint point = columns;
  point.copy = 0;
  const int lanes = row.row.lanes;
  if (lanes == 1 || columns.column.lanes == 1)  // what is left beside the squares
    return EmitPoint({&row, 1}, point, nontemporal);
  IndexBuilder& indices = emission_.indices;
  point.column.lanes = lanes;
  emission_.scopes.Loop(indices.Constant(0), indices.Constant(columns.column.lanes),
                        indices.Constant(lanes), true, [&](Value offset) {
                          point.column.base = indices.Add(columns.column.base, offset);
                          point.column.multiple = std::gcd(columns.column.multiple, int64_t{lanes});
                          EmitOneSquare(row, point, nontemporal);
                        });
}

void StageEmitter::EmitOneSquare(const RowPoint& row, const ColumnPoint& columns,
                                 bool nontemporal) {
  const int lanes = row.row.lanes;
  IndexBuilder& indices = emission_.indices;
  auto slot = [&](const RootState& state, Value k) {
    llvm::Type* type = state.square->getAllocatedType();
    return builder().CreateInBoundsGEP(type, state.square, {indices.Constant(0), k});
  };
  emission_.scopes.Loop(
      indices.Constant(0), indices.Constant(lanes), indices.Constant(1), true, [&](Value k) {
        ColumnPoint point;
        point.column = columns.column;
        point.column.base = indices.Add(columns.column.base, k);
        point.column.stride = 0;
        point.column.multiple = 1;
        point.column.lanes = 1;
        homes_.EnterRow(row);
        for (RootState& state : roots_) {
          if (state.square == nullptr) {
            EmitRoot(state, {&row, 1}, point, nontemporal);
            continue;
          }
          const IndexRef index = IndexAt(*state.root, &row, &point.column);
          Value value = ElementOf(*state.root, 0, index);
          builder().CreateStore(SplatLanes(builder(), value, lanes), slot(state, k));
        }
      });
  for (RootState& state : roots_) {
    if (state.square == nullptr) continue;
    std::vector<Value> square;
    llvm::Type* column = state.square->getAllocatedType()->getArrayElementType();
    for (int k = 0; k < lanes; ++k)
      square.push_back(builder().CreateLoad(column, slot(state, indices.Constant(k))));
    square = Turned(builder(), std::move(square));
    for (int r = 0; r < lanes; ++r) StoreTurned(state, row, r, columns, square[r], nontemporal);
  }
}

void StageEmitter::StoreTurned(RootState& state, const RowPoint& rows, int lane,
                               const ColumnPoint& columns, Value value, bool nontemporal) {
  IndexBuilder& indices = emission_.indices;
  auto one = [&](Digit digit) {
    digit.base = indices.Add(digit.base, indices.Constant(lane));
    digit.stride = 0;
    digit.multiple = 1;
    digit.lanes = 1;
    return digit;
  };
  RowPoint row = rows;
  row.row = one(rows.row);
  row.in_tile = one(rows.in_tile);
  const IndexRef index = IndexAt(*state.root, &row, &columns.column);
  const Homes::Place place = homes_.StorePlace(*state.root, 0, index, row, &columns.column);
  if (place.array.pointer == nullptr) return;
  const Digit& at = place.position;
  const bool whole = !at.per_lane && at.stride == 1 && at.multiple % at.lanes == 0;
  StoreElements(emission_.context, indices, place.array, at, value, nontemporal && whole);
}

}  // namespace astitch::codegen
