// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which thread sees which row and column.
#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "codegen/nvptx/nvptx_target.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

int64_t PartsOf(const Sweep& sweep) {
  return sweep.stage->chunk > 0 ? CeilDiv(sweep.columns, sweep.chunk) : sweep.phase->col_tasks();
}

// Every task or chunk has as many columns of the stage.
bool EvenParts(const Sweep& sweep) { return sweep.columns == PartsOf(sweep) * sweep.chunk; }

bool Scatters(const Sweep& sweep) {
  return sweep.stage->roots.size() == 1 && sweep.stage->roots[0].kind == RootKind::kScatter;
}

int CopiesOf(const Sweep& sweep) { return sweep.serial ? 1 : std::max(1, sweep.stage->unroll); }

}  // namespace

// The thread's own row of those side by side, for every pass over the tile; all are written out, so
// that what a row keeps in registers lasts from stage to stage.
void NvptxTarget::ForEachRow(const Tile& tile, const Sweep& sweep,
                             absl::FunctionRef<void(const RowPoint&)> body) {
  IndexBuilder& indices = emission_->indices;
  const Phase& phase = *tile.phase;
  const int64_t tile_rows = phase.tile_rows;
  const int64_t at_once = DealsRows(sweep) ? tile_rows : phase.rows_at_once;
  Value thread_row = DealsRows(sweep) ? indices.Rem(thread_, tile_rows)
                                      : indices.Div(thread_, phase.threads_per_row);
  for (int64_t first = 0; first < tile_rows; first += at_once) {
    RowPoint point;
    Value in_tile = indices.Add(thread_row, indices.Constant(first));
    const bool beyond = first + at_once > tile_rows;
    if (at_once == 1) in_tile = indices.Constant(first);
    if (beyond) {
      point.valid = indices.Compare(Predicate::ICMP_SLT, in_tile, indices.Constant(tile_rows));
      point.has_slot = point.valid;
      in_tile = indices.Min(in_tile, indices.Constant(tile_rows - 1));
    }
    point.in_tile = indices.FromValue(in_tile, tile_rows);
    point.in_tile.least = first;
    point.in_tile.most = std::min<int64_t>(first + at_once, tile_rows) - 1;
    Value row = indices.Add(tile.begin, in_tile);
    if (!tile.full) {
      point.valid = indices.And(point.valid, indices.Compare(Predicate::ICMP_SLT, row, tile.end));
      row = indices.Min(row, indices.Sub(tile.end, indices.Constant(1)));
    }
    point.row = indices.FromValue(row, std::max<int64_t>(1, phase.num_rows()));
    row_ = point.row;
    body(point);
  }
}

int NvptxTarget::RowsTogether(const Sweep& sweep) const {
  if (sweep.stage->chunk == 0 || DealsRows(sweep)) return 1;
  return static_cast<int>(CeilDiv(sweep.phase->tile_rows, sweep.phase->rows_at_once));
}

void NvptxTarget::ForEachRowGroup(const Tile& tile, const Sweep& sweep,
                                  absl::FunctionRef<void(absl::Span<const RowPoint>)> body) {
  if (RowsTogether(sweep) == 1) return KernelTarget::ForEachRowGroup(tile, sweep, body);
  std::vector<RowPoint> rows;
  ForEachRow(tile, sweep, [&](const RowPoint& row) { rows.push_back(row); });
  body(rows);
}

int64_t NvptxTarget::ThreadsOf(const Sweep& sweep) const {
  return DealsRows(sweep) ? Block() / sweep.phase->tile_rows : sweep.phase->threads_per_row;
}

// Stages with fewer columns than the widest one have no part in the last tasks.
NvptxTarget::Range NvptxTarget::ColumnsOf(const Tile& tile, const Sweep& sweep) {
  IndexBuilder& indices = emission_->indices;
  if (sweep.chunk == 0 || tile.column_part == nullptr)
    return {indices.Constant(0), indices.Constant(sweep.columns), 0, sweep.columns};
  Value columns = indices.Constant(sweep.columns);
  Value begin = indices.Mul(tile.column_part, sweep.chunk);
  if ((PartsOf(sweep) - 1) * sweep.chunk > sweep.columns) begin = indices.Min(begin, columns);
  Value end = indices.Add(begin, indices.Constant(sweep.chunk));
  if (!EvenParts(sweep)) end = indices.Min(end, columns);
  return {begin, end, sweep.chunk, EvenParts(sweep) ? sweep.chunk : -1};
}

bool NvptxTarget::UnrollsAll(const Sweep& sweep) const {
  const int64_t length = sweep.chunk > 0 ? sweep.chunk : sweep.columns;
  const int64_t stride = ThreadsOf(sweep) * sweep.column_lanes();
  for (const Root& root : sweep.stage->roots) {
    if (root.over == ReduceOver::kRows || root.kind == RootKind::kScatter) return true;
  }
  if (CeilDiv(length, stride) > kMostKeptSweeps) return false;
  for (const Placement& placement : emission_->plan.placements) {
    if (placement.keep == Keep::kRegisters) return true;
  }
  return false;
}

std::vector<int> NvptxTarget::Copies(const Sweep& sweep) {
  if (Scatters(sweep)) return PointLanes(sweep);
  std::vector<int> copies(CopiesOf(sweep), sweep.column_lanes());
  if (sweep.columns % sweep.column_lanes() != 0) copies.push_back(1);
  return copies;
}

Value NvptxTarget::LaneOf(const Tile& tile, const Sweep& sweep) {
  Value& lane = lanes_[{tile.begin, DealsRows(sweep)}];
  if (lane != nullptr) return lane;
  const int64_t threads = ThreadsOf(sweep);
  Value whole = DealsRows(sweep)     ? emission_->indices.Div(thread_, tile.phase->tile_rows)
                : threads == Block() ? thread_
                                     : emission_->indices.Rem(thread_, threads);
  // An operation of no effect that stands in the tile's scope.
  lane = emission_->scopes.At(emission_->scopes.DepthOf(tile.begin), [&] {
    return builder().CreateOr(whole, emission_->indices.Constant(0));
  });
  return lane;
}

Digit NvptxTarget::ColumnDigit(const Sweep& sweep, Value base, int64_t multiple, int lanes) const {
  return {.base = base,
          .extent = sweep.columns,
          .stride = lanes > 1 ? 1 : 0,
          .multiple = multiple,
          .lanes = lanes};
}

void NvptxTarget::SweepSerially(const Sweep& sweep, const Range& range,
                                absl::FunctionRef<void(ColumnPoint)> emit) {
  emission_->scopes.Loop(range.begin, range.end, emission_->indices.Constant(1), false,
                         [&](Value column) {
                           ColumnPoint point;
                           point.column = ColumnDigit(sweep, column, 1, 1);
                           emit(point);
                         });
}

// A loop whose rounds have all the vectors in flight, over as many of COUNT as make whole rounds,
// unless all are unrolled: calls EMIT with FIRST, FIRST + STEP, ... Returns how many that were.
int64_t NvptxTarget::LoopInFlight(const Sweep& sweep, Value first, int64_t step, int64_t count,
                                  bool as_is, absl::FunctionRef<void(Value, int64_t)> emit) {
  IndexBuilder& indices = emission_->indices;
  const int64_t copies = CopiesOf(sweep);
  if (UnrollsAll(sweep) || count <= copies) return 0;
  const int64_t looped = count / copies * copies;
  emission_->scopes.Loop(
      indices.Constant(0), indices.Constant(looped * step), indices.Constant(copies * step), true,
      [&](Value offset) {
        for (int64_t copy = 0; copy < copies; ++copy)
          emit(indices.Add(indices.Add(first, offset), indices.Constant(copy * step)), copy);
      },
      as_is);
  return looped;
}

// Full sweeps of all lanes; one of some lanes; single columns.
void NvptxTarget::SweepKnown(const Tile& tile, const Sweep& sweep, Range range,
                             absl::FunctionRef<void(ColumnPoint)> emit) {
  IndexBuilder& indices = emission_->indices;
  const int lanes = sweep.column_lanes();
  const int64_t threads = ThreadsOf(sweep);
  const int64_t stride = threads * lanes;
  const int64_t full = range.length / stride;
  const int64_t copies = CopiesOf(sweep);
  Value lane = LaneOf(tile, sweep);
  int number = 0;
  auto point_at = [&](Value base, int width, int64_t copy, Value valid) {
    ColumnPoint point;
    const int64_t multiple = std::gcd(range.multiple, static_cast<int64_t>(width));
    point.column = ColumnDigit(sweep, base, multiple, width);
    point.valid = valid;
    point.copy = static_cast<int>(copy);
    point.number = number++;
    emit(point);
  };
  Value first = indices.Add(range.begin, indices.Mul(lane, lanes));
  int64_t done =
      LoopInFlight(sweep, first, stride, full, lanes * copies > 1,
                   [&](Value base, int64_t copy) { point_at(base, lanes, copy, nullptr); });
  for (; done < full; ++done)
    point_at(indices.Add(first, indices.Constant(done * stride)), lanes, done % copies, nullptr);
  const int64_t some = (range.length - full * stride) / lanes;
  if (some > 0) {
    Value clamped = indices.Min(lane, indices.Constant(some - 1));
    Value base = indices.Add(indices.Add(range.begin, indices.Constant(full * stride)),
                             indices.Mul(clamped, lanes));
    Value valid = indices.Compare(Predicate::ICMP_SLT, lane, indices.Constant(some));
    point_at(base, lanes, full % copies, valid);
  }
  const int64_t tail = range.length % lanes;
  for (int64_t at = 0; at < tail; at += threads) {
    Value element = indices.Add(lane, indices.Constant(at));
    Value clamped = indices.Min(element, indices.Constant(tail - 1));
    Value base =
        indices.Add(indices.Add(range.begin, indices.Constant(range.length - tail)), clamped);
    point_at(base, 1, copies,
             indices.Compare(Predicate::ICMP_SLT, element, indices.Constant(tail)));
  }
}

// A part that may be shorter than the others: every vector asks whether it is there.
void NvptxTarget::SweepUnknown(const Tile& tile, const Sweep& sweep, const Range& range,
                               absl::FunctionRef<void(ColumnPoint)> emit) {
  IndexBuilder& indices = emission_->indices;
  const int lanes = sweep.column_lanes();
  const int64_t stride = ThreadsOf(sweep) * lanes;
  const int64_t sweeps = CeilDiv(sweep.chunk, stride);
  const int64_t copies = CopiesOf(sweep);
  Value first = indices.Add(range.begin, indices.Mul(LaneOf(tile, sweep), lanes));
  Value last = indices.Sub(range.end, indices.Constant(lanes));
  int number = 0;
  auto emit_at = [&](Value start, int64_t copy) {
    ColumnPoint point;
    point.valid = indices.Compare(Predicate::ICMP_SLT, start, range.end);
    point.column = ColumnDigit(sweep, indices.Min(start, last), lanes, lanes);
    point.copy = static_cast<int>(copy);
    point.number = number++;
    emit(point);
  };
  int64_t done = LoopInFlight(sweep, first, stride, sweeps, lanes * copies > 1, emit_at);
  for (; done < sweeps; ++done)
    emit_at(indices.Add(first, indices.Constant(done * stride)), done % copies);
}

bool NvptxTarget::Peels(const Sweep& sweep) {
  const int64_t lanes = sweep.column_lanes();
  if (sweep.stage->peel != Peel::kBoth || lanes == 1 || sweep.columns % lanes == 0) return false;
  for (const Root& root : sweep.stage->roots) {
    if (root.over == ReduceOver::kRows) return false;  // a column is some thread's for all rows
  }
  const int64_t parts = sweep.chunk > 0 ? CeilDiv(sweep.columns, sweep.chunk) : 1;
  return sweep.columns - (parts - 1) * std::max<int64_t>(sweep.chunk, 0) >= 2 * lanes;
}

// Single columns up to the first vector that is aligned in memory, whole vectors, single columns:
//   row 1 of f32[2,9]      | 9 | 10 11 | 12 13 14 15 | 16 17 |
// Which columns these are depends on the row; how many sweeps they take does not.
void NvptxTarget::SweepPeeled(const Tile& tile, const Sweep& sweep, const Range& range,
                              absl::FunctionRef<void(ColumnPoint)> emit) {
  IndexBuilder& indices = emission_->indices;
  const int64_t lanes = sweep.column_lanes(), threads = ThreadsOf(sweep);
  const int64_t copies = CopiesOf(sweep);
  const int64_t parts = sweep.chunk > 0 ? CeilDiv(sweep.columns, sweep.chunk) : 1;
  const int64_t most = sweep.chunk > 0 ? sweep.chunk : sweep.columns;
  const int64_t least = sweep.columns - (parts - 1) * sweep.chunk;
  Value lane = LaneOf(tile, sweep);
  Value row_start = indices.Mul(row_.base, sweep.columns);
  Value off = indices.Rem(indices.Add(row_start, range.begin), lanes);
  Value head = indices.Rem(indices.Sub(indices.Constant(lanes), off), lanes);
  Value first = indices.Add(range.begin, head);
  Value vectors = indices.Div(indices.Sub(range.end, first), lanes);
  int number = 0;
  auto single = [&](Value base, Value valid) {
    emit({.column = ColumnDigit(sweep, base, 1, 1),
          .valid = valid,
          .copy = static_cast<int>(copies),
          .number = number++});
  };
  auto vector = [&](Value which, int64_t copy, Value valid) {
    Digit column = ColumnDigit(sweep, indices.Add(first, indices.Mul(which, lanes)), 1,
                               static_cast<int>(lanes));
    Digit flat = column;
    flat.base = indices.Add(row_start, column.base);
    flat.extent = row_.extent * sweep.columns;
    flat.multiple = lanes;
    if (tile.phase->num_rows() <= 1) {
      column.multiple = lanes;
    } else {
      indices.Declare(row_, column, flat);
    }
    emit({.column = column, .valid = valid, .copy = static_cast<int>(copy), .number = number++});
  };
  for (int64_t at = 0; at < lanes - 1; at += threads) {
    Value which = indices.Add(lane, indices.Constant(at));
    Value clamped = indices.Min(which, indices.Constant(lanes - 1));
    single(indices.Add(range.begin, clamped), indices.Compare(Predicate::ICMP_SLT, which, head));
  }
  const int64_t sure = (least - (lanes - 1)) / lanes / threads;  // sweeps that find all vectors
  const int64_t sweeps = CeilDiv(most / lanes, threads);
  int64_t done = LoopInFlight(sweep, lane, threads, sure, true,
                              [&](Value which, int64_t copy) { vector(which, copy, nullptr); });
  for (; done < sweeps; ++done) {
    Value which = indices.Add(lane, indices.Constant(done * threads));
    if (done < sure) {
      vector(which, done % copies, nullptr);
      continue;
    }
    Value last = indices.Sub(vectors, indices.Constant(1));
    vector(indices.Min(which, last), done % copies,
           indices.Compare(Predicate::ICMP_SLT, which, vectors));
  }
  Value tail = indices.Add(first, indices.Mul(vectors, lanes));
  for (int64_t at = 0; at < lanes - 1; at += threads) {
    Value column = indices.Add(tail, indices.Add(lane, indices.Constant(at)));
    Value clamped = indices.Min(column, indices.Sub(range.end, indices.Constant(1)));
    single(clamped, indices.Compare(Predicate::ICMP_SLT, column, range.end));
  }
}

void NvptxTarget::ForEachColumn(const Tile& tile, const Sweep& sweep,
                                absl::FunctionRef<void(const ColumnPoint&)> body) {
  const Range range = ColumnsOf(tile, sweep);
  if (sweep.serial) return SweepSerially(sweep, range, body);
  if (Peels(sweep)) return SweepPeeled(tile, sweep, range, body);
  if (range.length >= 0) return SweepKnown(tile, sweep, range, body);
  SweepUnknown(tile, sweep, range, body);
}

std::vector<int> NvptxTarget::PointLanes(const Sweep& sweep) const {
  const int lanes = sweep.column_lanes();
  const int64_t threads = ThreadsOf(sweep);
  const int64_t length = sweep.chunk > 0 ? sweep.chunk : sweep.columns;
  const bool known = sweep.chunk == 0 || EvenParts(sweep);
  std::vector<int> points;
  const int64_t vectors = known ? length / lanes : CeilDiv(length, lanes);
  points.assign(CeilDiv(vectors, threads), lanes);
  if (known && length % lanes != 0)
    points.insert(points.end(), CeilDiv(length % lanes, threads), 1);
  return points;
}

}  // namespace astitch::codegen
