// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// KernelPlan: everything that code generation needs to know of one stitched kernel, decided. The
// emitter only spells it.
//
//   Kernel ── phases, with a barrier of the whole grid (or worker team) between them
//     └─ Phase ── one iteration space of rows, cut into tasks; a block (worker) runs whole tasks,
//        │        a task runs tile after tile
//        └─ Stage ── one sweep over the tile's rows and the stage's own columns; has roots
//             └─ Root ── a value that the sweep stores or reduces; all else is computed in
//                        registers where it is needed
//
//            columns of the stage (its own axes)
//           +---------------------------+
//      rows |  tile: tile_rows rows     |   A phase's rows are the product of its row axes,
//        of | ------------------------- |   outermost first. A task owns rows_per_task consecutive
//       the |  next tile                |   rows of one batch, and columns [k*cols_per_task, ...)
//     phase | ------------------------- |   when columns are split too. Everything a stage reads
//           |  ...                      |   from a Regional home lies in the rows of the same tile:
//           +---------------------------+   that is what block locality means.
//
// The kernel computes instructions of the plan's graph. An instruction that is no root and has no
// stored home is evaluated at the index at which a root needs it (and as often as the plan's stages
// need it, which the ledger records).
//
// Plain data: copy, compare, print (plan_text.h), parse.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "plan/prediction.h"

namespace astitch {

// Where a value lives between its producer and its readers (AStitch, ASPLOS 2022, table 2; Cluster
// is ours).
enum class Home : uint8_t {
  kLocal,     // registers: evaluated at the reader's index, or kept by the thread (see
              // Placement::keep)
  kRegional,  // shared memory of the block / cache-resident tile of the worker
  kCluster,   // distributed shared memory of a thread-block cluster: each block has its columns
  kBlock,     // shared memory of the block / tile memory of the worker, all elements: each block
              // computes them for itself in a repeated phase, and its later phases read any of them
  kGlobal,    // global scratch behind a grid barrier
  kOutput,    // an output buffer of the kernel (readable by later phases, like Global)
};
absl::string_view ToString(Home home);

// How much of a kept value stays on chip between the stages of a tile.
enum class Keep : uint8_t {
  kNone,       // evaluated again where it is read
  kRegisters,  // the thread's registers, columns fully unrolled (GPU)
  kShared,     // shared memory, as many leading rows of the tile as Placement::kept_rows says: rows
               // of an input, copied before the first stage; of a Regional value, the rows stored
  kCache,      // host: left to the worker's cache, the tile is sized for it
};
absl::string_view ToString(Keep keep);

// Sweeps of a row by its threads that are unrolled, so that Keep::kRegisters holds what they read.
inline constexpr int64_t kMostKeptSweeps = 64;

// The home of one value in the kernel.
//   Regional: slot of tile_rows x (product of the value's column axes) elements at OFFSET of shared
//   memory / tile memory; of columns that tasks split or stages take chunk by chunk, only those of
//   the task or chunk. Two rows lie PITCH elements apart. Block: dense row-major array at OFFSET of
//   the same memory; no slot overlaps it in the phases from that which writes it to the last that
//   reads it. Global: dense row-major array (or, for a partial reduction, [tasks along the reduced
//   axes] x result) at OFFSET of scratch. Output with keep=shared: OFFSET, BYTES and PITCH are of a
//   slot, too, which a kTurn root fills.
struct Placement {
  const Instruction* value = nullptr;
  Home home = Home::kLocal;
  Keep keep = Keep::kNone;
  int64_t kept_rows = 0;  // kShared: rows of the tile that fit; 0 means all
  // kShared, of an input: the phase that copies the rows. They stay for later phases of its partition,
  // as long as each block has one task; -1: every phase copies them for itself.
  int32_t stays_from = -1;
  int64_t offset = 0;   // bytes, in shared / tile memory or in scratch
  int64_t bytes = 0;    // size there
  int64_t pitch = 0;    // of a slot: elements from row to row; 0: as many as a row has
  int32_t output = -1;  // kOutput: which output of the kernel
  // A partial reduction's parts: bytes in scratch, beside the home of the finished result.
  int64_t partial_offset = 0;
  int64_t partial_bytes = 0;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// Which axes make up each logical dimension of a value, outermost first, in mixed radix: dimension
// d has index
// ((axis[0]) * extent[1] + axis[1]) * ... ; an empty list is index 0 (extent 1). Axes are numbered
// over the phase's row axes, then the stage's column axes.
using IndexMap = std::vector<std::vector<int32_t>>;

enum class RootKind : uint8_t {
  kStore,   // the value at every index goes to its home
  kReduce,  // a reduce instruction: MAP is the index of its array operands; the axes of its reduced
            // dimensions are folded
  kCombine,  // finishes a partial kReduce of an earlier phase: columns are the parts, MAP is the
             // index of the result
  kScatter,  // a scatter: rows are the index vectors, columns are the window's elements. Host: rows in
             // order and serially. GPU: rows side by side, a warp each, of which the first with a
             // window takes the updates of all with the same, in order
  kScan,  // a cumulative reduce-window along the columns of the stage, carried from column to column;
          // if it goes forward, the roots behind it in the stage have its elements in registers
  kTurn,  // the value goes to its slot (keep=shared), and from there, by the kStore of a later
          // stage, to its home: written by lanes along one axis, read by lanes along the other
};
absl::string_view ToString(RootKind kind);

enum class ReduceOver : uint8_t {
  kNone,
  kColumns,  // all column axes of the stage: one result a row
  kRows,     // the row axes after the batch axes: one result a column (and batch), accumulated over
             // the task's tiles. Leading column axes of folded dimensions are folded, too, when the
             // task ends: one result for each of the other columns
  kAll,      // both: one result a batch
};
absl::string_view ToString(ReduceOver over);

struct Root {
  const Instruction* value = nullptr;
  RootKind kind = RootKind::kStore;
  ReduceOver over = ReduceOver::kNone;
  // kReduce: the task folds only its part, without the init value, into the placement's
  // partial_offset of scratch, an array of PARTS results:
  //   over kColumns: [part][row], part = the column task;
  //   over kRows:    [batch][part][kept column], part = the row task of the batch;
  //   over kAll:     [batch][part], part = row task * col_tasks + column task.
  // The kCombine of a later phase folds the parts in ascending order and then init once. Its stage
  // has columns = [parts], which are never split over tasks, its MAP is the index of the result
  // over the phase's row axes, and where it reads is given by the result's linear index (as row, or
  // as batch and column, of the phase that made the parts: PARTIAL_INNER results lie between two
  // parts of one batch).
  // kScan: a row whose columns tasks share is scanned in two phases. A partial root folds each task's
  // columns, in the order of the scan, into [part][row]; the root of the later phase starts each task
  // from the parts before its own.
  bool partial = false;
  int64_t parts = 1;  // how many parts, of a partial kReduce and of its kCombine
  int64_t partial_inner =
      1;  // of both: the distance of two parts: rows (kColumns), kept columns (kRows), 1 (kAll)
  IndexMap map;
  bool leaves_parts() const {
    return partial && (kind == RootKind::kReduce || kind == RootKind::kScan);
  }
  bool takes_parts() const {
    return kind == RootKind::kCombine || (kind == RootKind::kScan && !partial && parts > 1);
  }
  friend bool operator==(const Root&, const Root&) = default;
};

// Bytes of one element of SHAPE in a fold under way, and in its parts: narrow floats are folded in
// f32.
int64_t AccumulatorBytesOf(const Shape& shape);

enum class StageBarrier : uint8_t { kNone, kWarp, kBlock, kCluster };
absl::string_view ToString(StageBarrier barrier);

// What to do where a row does not start or end on a vector.
enum class Peel : uint8_t {
  kNone,  // every row is whole aligned vectors
  kTail,  // vector body, then single elements (or a masked vector)
  kBoth,  // single elements to alignment, body, tail
};
absl::string_view ToString(Peel peel);

struct Stage {
  std::vector<int64_t>
      columns;  // extents of the stage's column axes, outermost first; empty: one column
  StageBarrier barrier = StageBarrier::kNone;  // before the stage
  int32_t vector = 1;  // elements a lane handles at once, along the last column axis, or along rows
                       // if vector_rows
  // Lanes run along consecutive rows, columns are serial. GPU, of several threads a row: neighbours
  // in the block have consecutive rows of the tile, and block / tile_rows threads share one.
  bool vector_rows = false;
  // Columns taken at once, 0: all. Stages that follow each other with the same chunk run together,
  // chunk after chunk, so that what they exchange needs slots of a chunk only.
  int64_t chunk = 0;
  // Columns of a task, where those of the phase would leave tasks without any; 0: those of the phase.
  int64_t cols_per_task = 0;
  int32_t unroll = 1;  // vectors in flight a lane
  Peel peel = Peel::kNone;
  // Outputs are stored around the caches (host: non-temporal), or are the first to leave them (GPU:
  // evict-first).
  bool streaming = false;
  // Host: inputs that the stage reads are fetched for the next tile, too: while a tile is computed,
  // memory would be idle.
  bool fetch_ahead = false;
  std::vector<Root> roots;
  Prediction predicted = {};  // by itself
  friend bool operator==(const Stage&, const Stage&) = default;
};

enum class PhaseBarrier : uint8_t {
  kNone,   // nothing that the phase reads is made by others since the last barrier
  kBlock,  // the threads of the block: what they have at home in it (host: nothing)
  kGrid,   // every block of the grid
  kFlags,  // the tasks that share a row wait for each other (split rows)
};
absl::string_view ToString(PhaseBarrier barrier);

struct Phase {
  PhaseBarrier barrier = PhaseBarrier::kNone;  // before the phase
  std::vector<int64_t> rows;  // extents of the row axes, outermost first; empty: one row
  int64_t batch_axes = 0;     // leading row axes that no task crosses
  int64_t rows_per_task = 1;  // of one batch; the last task of a batch may have fewer
  int64_t tile_rows =
      1;  // rows between which Regional values are exchanged; divides the work of a task into tiles
  int64_t cols_per_task =
      0;  // 0: every task has all columns. Otherwise all stages with columns share them
  int32_t threads_per_row = 1;  // GPU: threads that sweep one row together
  int32_t rows_at_once = 1;     // GPU: rows that a block sweeps side by side (horizontal packing)
  int32_t cluster = 1;          // GPU: blocks that share a row through distributed shared memory
  // Every block (host: worker) does all tasks, for itself: what the phase stores has homes that no other
  // block sees (Local, Regional, Block).
  bool repeated = false;
  // Tasks, and the tiles of a task, are taken last to first: what an earlier phase came to last is
  // still in the last level of cache.
  bool backward = false;
  // Indices of the first row axis taken at once, 0: all. Phases that follow each other with the same
  // slices run together, slice after slice, so that what they exchange and read again stays in the
  // last level of cache. It divides the axis, no task crosses a slice, and what one of these phases
  // reads of another has the same index of that axis.
  int64_t slice = 0;
  std::vector<Stage> stages;

  int64_t num_rows() const;     // product of rows
  int64_t num_batches() const;  // product of the batch axes
  int64_t rows_per_batch() const { return num_batches() == 0 ? 0 : num_rows() / num_batches(); }
  // Columns of the stages that are split; 1 when none is.
  int64_t split_columns() const;
  int64_t row_tasks_per_batch() const;
  int64_t col_tasks() const;
  // Columns of STAGE, one of the phase's, that a task has at the most.
  int64_t columns_per_task(const Stage& stage) const;
  // Task t covers batch t / (row_tasks * col_tasks), row part (t / col_tasks) % row_tasks, column
  // part t % col_tasks.
  int64_t num_tasks() const { return num_batches() * row_tasks_per_batch() * col_tasks(); }
  int64_t num_slices() const { return slice > 0 ? rows[0] / slice : 1; }
  // Whether blocks wait for each other before the phase.
  bool waits_for_blocks() const { return barrier > PhaseBarrier::kBlock; }
  friend bool operator==(const Phase&, const Phase&) = default;
};

// Whether equal tasks of the two are the same rows and columns, in the same tiles.
bool SamePartition(const Phase& a, const Phase& b);

struct Launch {
  int64_t grid = 1;           // GPU: blocks; host: workers that may take part (1: serial)
  int32_t block = 1;          // GPU: threads a block
  int32_t registers = 0;      // GPU: cap a thread, 0 for none
  int64_t shared_bytes = 0;   // GPU: dynamic shared memory a block; host: tile memory a worker
  int64_t scratch_bytes = 0;  // global scratch
  bool cooperative = false;   // all blocks resident at once
  int32_t blocks_per_sm = 0;  // what the planner's occupancy figure says
  friend bool operator==(const Launch&, const Launch&) = default;
};

// Bytes that the kernel moves from and to DRAM, as planned, and the least it could: each input and
// output once.
struct Traffic {
  int64_t read = 0, written = 0, bound = 0;
  int64_t total() const { return read + written; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct KernelPlan {
  std::string name;
  // In argument order: inputs, outputs, then (when scratch_bytes > 0) scratch, then (GPU, when
  // cooperative) barrier state.
  std::vector<const Instruction*> inputs, outputs;
  std::vector<Placement> placements;  // every computed value of the kernel, in graph order
  std::vector<Phase> phases;
  Launch launch;
  Traffic traffic;
  Prediction predicted = {};  // of the whole kernel, launch included

  // The phases [first, second] that run together with phase P, slice after slice.
  std::pair<size_t, size_t> SlicedWith(size_t p) const;
  // Whether the rows of an input that PLACE keeps are in the slot already when phase P begins, if no
  // block has more than one task.
  bool StaysIn(const Placement& place, size_t p) const;
  // The share of its rows that is: 0 where blocks have more.
  double StayingShare(const Placement& place, size_t p) const;
  // Null when VALUE has none (inputs, scalar constants).
  const Placement* FindPlacement(const Instruction* value) const;
  friend bool operator==(const KernelPlan&, const KernelPlan&) = default;
};

}  // namespace astitch
