// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks and threads: by bytes of a row and rows to fill the machine (the tables of design notes on
// row and column reductions; block sizes of 128 to 256 rather than the paper's 1024, which leave
// registers for persistent rows).
#include <algorithm>

#include "base/checked_math.h"
#include "ir/fold_order.h"
#include "ir/gather_dims.h"
#include "ir/window_form.h"
#include "stitch/mapping_rules.h"
#include "stitch/residency.h"

namespace astitch {
namespace {

constexpr int32_t kWarp = 32;
constexpr int32_t kTurnedBlock = 256;    // where lanes run along rows that several threads share
constexpr int64_t kSharedByWarps = 384;  // columns that the 8 warps of such a block hold

int32_t PowerOfTwoAtMost(int64_t value) {
  int32_t power = 1;
  while (int64_t{power} * 2 <= value) power *= 2;
  return power;
}

// Elements of one access: 16 bytes of the widest type (32 from sm_100 on), as long as every row is
// whole accesses; fewer where an element takes many registers.
int32_t WidestVector(const PhaseShape& shape, const MachineModel& machine) {
  constexpr int32_t kMostOfLongArithmetic = 2;  // such a kernel waits for its own arithmetic
  constexpr int64_t kManyBuffers = 16;  // whose wide vectors would be more than the registers
  constexpr int32_t kMostLanes = 8;     // narrow floats are computed in f32
  // In slots and where parts of columns meet, lanes 32 bytes apart would meet in banks.
  const bool meets = shape.column_reduction || shape.slot_bytes > 0;
  const bool wide = machine.sm >= 100 && shape.buffers <= kManyBuffers && !meets;
  const int64_t bytes = wide ? 32 : 16;
  const auto vector = static_cast<int32_t>(std::max<int64_t>(1, bytes / shape.element_bytes));
  if (shape.long_arithmetic) return std::min(vector, kMostOfLongArithmetic);
  return bytes > 16 ? std::min(vector, kMostLanes) : vector;
}

int32_t VectorFor(int64_t columns, const PhaseShape& shape, const MachineModel& machine) {
  int32_t vector = WidestVector(shape, machine);
  while (vector > 1 && columns % vector != 0) vector /= 2;
  return vector;
}

// Rows that are no whole accesses, but long: single elements up to an aligned address, whole
// accesses, single elements. Not where rows have slots: there, too, they would start anywhere, and
// lanes' vectors would meet in banks.
bool PeelsRows(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine) {
  constexpr int64_t kLongRow = 512;  // bytes
  return !draft.space.split_columns && shape.cluster == 1 && !shape.column_reduction &&
         !shape.lanes_along_rows && shape.regional.empty() && !shape.scans &&
         shape.columns * shape.element_bytes >= kLongRow &&
         VectorFor(shape.columns, shape, machine) < WidestVector(shape, machine);
}

// Threads that share a row: bytes of a row per table; more when there are few rows.
int32_t ThreadsPerRow(const PhaseShape& shape, const MachineModel& machine, int32_t block,
                      int32_t vector, int64_t held_registers) {
  const int64_t bytes = shape.columns * shape.element_bytes;
  int64_t threads = kWarp;
  if (bytes <= 512) threads = CeilDiv(shape.columns, vector);
  if (bytes > 12 << 10) threads = 64;
  if (bytes > 24 << 10) threads = 128;
  if (bytes > 64 << 10) threads = 256;
  const int64_t half = machine.num_sms * machine.max_threads_per_sm / 2;
  while (threads < block && shape.rows * threads < half &&
         CeilDiv(shape.columns, threads * vector) >= 2)
    threads *= 2;
  // Registers that hold columns of the row: a wider team holds fewer each.
  while (threads < block &&
         CeilDiv(shape.columns, threads * vector) * vector * shape.held > held_registers) {
    threads *= 2;
  }
  threads = std::clamp<int64_t>(threads, 1, block);
  int32_t power = PowerOfTwoAtMost(threads);
  if (power < threads && power < block) power *= 2;
  return power;
}

// Threads that share VECTORS of a row, of which tasks take all: a warp, or fewer if those have more to
// do in their last sweep, and hold no more than a few vectors.
int32_t ThreadsOfWholeColumns(int64_t vectors) {
  constexpr int32_t kLeast = 8;  // 128 bytes
  constexpr int64_t kMostHeld = 4;
  const auto idle = [&](int32_t threads) { return RoundUp(vectors, threads) - vectors; };
  int32_t best = kWarp;
  for (int32_t threads = kWarp; threads >= kLeast; threads /= 2) {
    if (vectors <= kMostHeld * threads && 8 * (idle(best) - idle(threads)) > vectors)
      best = threads;
  }
  return best;
}

// What rows side by side have of each column meets in shared memory. Where that would take more than
// half of it, wider teams have fewer rows side by side.
int32_t WidenForColumns(const PhaseShape& shape, const PhaseDraft& draft,
                        const MachineModel& machine, int32_t block, int32_t threads) {
  int64_t column_bytes = 0;
  for (const StageDraft& stage : draft.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.over != ReduceOver::kRows) continue;
      const Shape& of = root.value->shape();
      const std::vector<Shape> leaves = of.IsTuple() ? of.elements() : std::vector<Shape>{of};
      int64_t bytes = 0;
      for (const Shape& leaf : leaves) bytes += std::max(4, ByteWidth(leaf.element_type()));
      column_bytes = std::max(column_bytes, bytes);
    }
  }
  const int64_t room = machine.shared_bytes_per_block / 2;
  while (threads < block && block / threads * shape.columns * column_bytes > room) threads *= 2;
  return threads;
}

}  // namespace

int64_t KeptRegisters(const MachineModel& machine, int64_t block, int64_t more) {
  constexpr int64_t kMost = 96, kOwn = 56;
  return std::min(kMost, machine.registers_per_sm / block - kOwn - more);
}

int32_t BlockSizeOnGpu(const std::vector<PhaseShape>& shapes, const MachineModel& machine,
                       const LaunchRules& rules) {
  constexpr int64_t kLargest = 1024;
  constexpr int32_t kLong = 256, kLonger = 512;
  int64_t widest = 0, longest = 0;
  bool columns = false, longer = false;
  for (const PhaseShape& shape : shapes) {
    if (shape.turn == Turn::kRows && shape.columns > kSharedByWarps) return 2 * kTurnedBlock;
    if (shape.turn != Turn::kNone) return kTurnedBlock;
    if (shape.cluster > 1) columns = true;
    if (shape.row_reduction) {
      widest = std::max(widest, shape.columns * shape.element_bytes);
      longest = std::max(longest, shape.columns);
    }
    columns |= shape.column_reduction;
    // A row that several sweeps read, too long for the registers of 256 threads.
    longer |= shape.row_reduction && !shape.split_columns &&
              shape.again_words > kLong * KeptRegisters(machine, kLong, shape.more_registers) &&
              shape.again_words <= kLonger * KeptRegisters(machine, kLonger, shape.more_registers);
  }
  if (rules.row_is_block && longest > 0) {
    const int32_t power = PowerOfTwoAtMost(std::min(longest, kLargest));
    return std::max(kWarp, power < std::min(longest, kLargest) ? 2 * power : power);
  }
  if (rules.block > 0) return rules.block;
  if (longer) return kLonger;
  return widest > (24 << 10) || columns || widest == 0 ? 256 : 128;
}

namespace {

// Rows of a tile along which lanes run: 128 bytes of memory, as far as elements of two bytes.
int64_t TurnedRows(const PhaseShape& shape) {
  const int64_t element = shape.widest_slot > 0 ? shape.widest_slot : shape.element_bytes;
  return element >= 4 ? kWarp : 2 * kWarp;
}

// Columns that tasks or chunks of so many BYTES of slots take at once; 0: all.
int64_t TurnedColumns(const PhaseShape& shape, int64_t tile_rows, int64_t bytes) {
  constexpr int64_t kMost = 256;
  int64_t columns = kWarp;
  while (columns < kMost && 2 * columns * tile_rows * shape.slot_bytes <= bytes) columns *= 2;
  return columns >= shape.columns ? 0 : columns;
}

// Slots that are written along rows and read along columns, without bank conflicts: where a lane
// takes W words, 32 / W lanes share a row, and the W rows of a warp are an odd number of banks apart.
void MapTile(const PhaseShape& shape, int32_t block, bool one_sweep, Phase& phase) {
  constexpr int64_t kTaskBytes = 8 << 10, kChunkBytes = 16 << 10;
  constexpr int64_t kAccess = 16, kBank = 4;
  int64_t vector = std::max<int64_t>(1, kAccess / shape.element_bytes);
  if (shape.mixed_slots || shape.long_arithmetic) vector = 1;
  while (vector > 1 && shape.columns % vector != 0) vector /= 2;
  const int64_t words = std::max<int64_t>(1, vector * shape.widest_slot / kBank);
  const int64_t lanes = shape.mixed_slots ? kWarp : std::max<int64_t>(1, kWarp / words);
  phase.threads_per_row = static_cast<int32_t>(lanes);
  phase.rows_at_once = static_cast<int32_t>(block / lanes);
  phase.tile_rows = std::max<int64_t>(TurnedRows(shape), phase.rows_at_once);
  const int64_t part = TurnedColumns(shape, phase.tile_rows, one_sweep ? kTaskBytes : kChunkBytes);
  if (one_sweep) phase.cols_per_task = part;
  for (Stage& stage : phase.stages) {
    const bool one = stage.vector_rows || stage.columns.empty();
    stage.vector = one ? 1 : static_cast<int32_t>(vector);
    if (stage.chunk > 0) stage.chunk = part;
  }
}

// Rows of a tile whose columns the threads can hold for the sweeps to come, if fewer make that
// possible: each of a whole sector of memory still.
int64_t HeldRows(const PhaseShape& shape, const MachineModel& machine, int32_t block) {
  constexpr int64_t kSector = 32;
  const int64_t most = TurnedRows(shape), words = shape.again_words / shape.columns;
  if (words == 0) return most;
  for (int64_t rows = most; rows * shape.element_bytes >= kSector; rows /= 2) {
    const int64_t sweeps = CeilDiv(shape.columns, block / rows);
    if (sweeps <= kMostKeptSweeps &&
        sweeps * words <= KeptRegisters(machine, block, shape.more_registers))
      return rows;
  }
  return most;
}

// Lanes along rows, which several threads share.
void MapSharedRows(const PhaseShape& shape, const MachineModel& machine, int32_t block,
                   Phase& phase) {
  phase.tile_rows = HeldRows(shape, machine, block);
  phase.threads_per_row = static_cast<int32_t>(block / phase.tile_rows);
  phase.rows_at_once = static_cast<int32_t>(phase.tile_rows);
  const int64_t tasks = CeilDiv(shape.rows, phase.tile_rows), wanted = WantedTasks(machine);
  const bool whole = phase.stages.size() > 1 || shape.row_reduction;
  if ((whole && !shape.scan_parts) || tasks >= wanted) return;
  const int64_t part =
      RoundUp(CeilDiv(shape.columns, CeilDiv(wanted, tasks)), int64_t{phase.threads_per_row});
  if (part < shape.columns) phase.cols_per_task = part;
}

// Tasks that share a row: as many as blocks are resident, but none of less than some sweeps, since
// every part is written, read and folded again, and by each task where all need the result. What the
// last level of cache does not hold is taken in rounds of tasks, so that a later phase can begin
// with the round that is still there.
int64_t PartsOfColumns(const PhaseShape& shape, const MachineModel& machine, int64_t resident,
                       int64_t slices, int64_t sweep) {
  constexpr int64_t kRounds = 4, kSweeps = 4;
  const int64_t rounds = slices == 1 && shape.bytes > machine.l2_bytes ? kRounds : 1;
  const int64_t rows = shape.rows / slices;
  const int64_t most = std::max<int64_t>(1, shape.columns / (kSweeps * sweep));
  const int64_t parts = CeilDiv(rounds * resident, rows);
  // Whole rounds, so that blocks end together.
  if (parts > most)
    return std::max<int64_t>(
        1, most * rows > resident ? most * rows / resident * resident / rows : most);
  const auto rounds_of = [&](int64_t parts) { return CeilDiv(parts * rows, resident); };
  const bool fewer = parts > 1 && rounds_of(parts - 1) * parts <= rounds_of(parts) * (parts - 1);
  return fewer ? parts - 1 : parts;
}

// Tasks that share so many SWEEPS over what nobody folds: a few rounds of the blocks that are RESIDENT,
// whole ones, so that blocks end together.
int64_t TasksOfOneRow(int64_t sweeps, int64_t most, int64_t resident) {
  if (sweeps <= most) return std::max<int64_t>(sweeps, 1);
  return std::max<int64_t>(most / resident, 1) * resident;
}

// Results whose parts are folded: lanes along results, which lie side by side, and a result's parts
// dealt to several threads while there are fewer results than the machine has threads.
bool MapCombine(const PhaseShape& shape, const MachineModel& machine, int32_t block, Phase& phase) {
  constexpr int64_t kFew = 8;
  if (shape.parts <= kFew || shape.rows >= WantedTasks(machine) * block) return false;
  phase.tile_rows = kWarp;
  while (phase.tile_rows > 1 && phase.tile_rows / 2 >= shape.rows) phase.tile_rows /= 2;
  phase.threads_per_row = static_cast<int32_t>(block / phase.tile_rows);
  phase.rows_at_once = static_cast<int32_t>(phase.tile_rows);
  phase.rows_per_task = std::min(phase.tile_rows, std::max<int64_t>(shape.rows_per_batch, 1));
  for (Stage& stage : phase.stages) stage.vector_rows = true;
  return true;
}

bool OneShape(const PhaseDraft& draft) {
  return std::all_of(draft.stages.begin(), draft.stages.end(), [&](const StageDraft& stage) {
    return stage.columns == draft.stages[0].columns;
  });
}

// Whether a stage of DRAFT goes over its columns from the end.
bool ScansAnyBackward(const PhaseDraft& draft) {
  for (const StageDraft& stage : draft.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.kind == RootKind::kScan && ScansBackward(*root.value)) return true;
    }
  }
  return false;
}

void MapTurned(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
               int32_t block, Phase& phase) {
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    phase.stages[s].vector_rows = draft.stages[s].along_rows;
    phase.stages[s].chunk = draft.stages[s].chunked ? 1 : 0;
  }
  if (draft.turn == Turn::kTile) {
    MapTile(shape, block, draft.space.split_columns, phase);
  } else {
    MapSharedRows(shape, machine, block, phase);
  }
  phase.rows_per_task = std::min(phase.tile_rows, std::max<int64_t>(shape.rows, 1));
  // Rows have other threads in the next stage, or another chunk is in their slots. But where all
  // stages have the same whole columns in the same order, a thread finds in slots what it stored.
  const bool mine = draft.turn == Turn::kRows && OneShape(draft) && !ScansAnyBackward(draft) &&
                    shape.columns % phase.threads_per_row == 0;
  bool shared = false;
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    Stage& stage = phase.stages[s];
    const bool others = s > 0 && stage.vector_rows != phase.stages[s - 1].vector_rows;
    if (shared || others || stage.chunk > 0) stage.barrier = StageBarrier::kBlock;
    for (const RootDraft& root : draft.stages[s].roots) {
      const bool slot = shape.regional.contains(root.value);
      shared |= (slot && !(mine && root.kind == RootKind::kStore)) ||
                shape.read_later.contains(root.value);
    }
  }
}

// Whether columns of a window lie side by side in the updates and in the operand.
bool WindowsRunAlongMemory(const Instruction& scatter) {
  const GatherDims dims = ScatterDimsOf(scatter);
  return !dims.offset_dims.empty() &&
         dims.offset_dims.back() == scatter.operand(2)->shape().rank() - 1 &&
         dims.window_dims.back() == scatter.shape().rank() - 1;
}

int64_t WordsOf(const PhaseShape& shape) { return std::max<int64_t>(1, shape.element_bytes / 4); }

// A warp takes an index vector, since 32 lanes look at 32 others at once, however few columns the
// window has. It holds all its columns; more are other tasks', as long windows of few index vectors are,
// for the machine to be busy: each of them looks at the others anew.
void MapUpdates(const PhaseShape& shape, const MachineModel& machine, int32_t block, Phase& phase) {
  constexpr int64_t kMostWords = 32;
  Stage& stage = phase.stages[0];
  const int64_t columns = std::max<int64_t>(shape.columns, 1);
  stage.vector = WindowsRunAlongMemory(*shape.scatter) ? VectorFor(columns, shape, machine) : 1;
  const int64_t sweep = int64_t{kWarp} * stage.vector;
  int64_t part = std::min(RoundUp(columns, sweep), kWarp * kMostWords / WordsOf(shape));
  phase.threads_per_row = kWarp;
  phase.rows_at_once = block / kWarp;
  phase.tile_rows = phase.rows_at_once;
  phase.rows_per_task = std::min(phase.tile_rows, shape.rows);
  const int64_t row_tasks = CeilDiv(shape.rows, phase.rows_per_task);
  while (part >= 2 * sweep && row_tasks * CeilDiv(columns, part) < WantedTasks(machine))
    part = RoundUp(part / 2, sweep);
  if (part < columns) phase.cols_per_task = part;
}

}  // namespace

int64_t RegistersOfUpdates(const PhaseShape& shape, const Phase& phase) {
  constexpr int64_t kOwn = 48;
  const int64_t columns = phase.cols_per_task > 0 ? phase.cols_per_task : shape.columns;
  return kOwn + CeilDiv(columns, int64_t{kWarp}) * WordsOf(shape);
}

void MapPhaseOnGpu(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                   Blocks blocks, const LaunchRules& rules, Phase& phase) {
  const int32_t block = blocks.threads;
  if (shape.scatter != nullptr) return MapUpdates(shape, machine, block, phase);
  if (draft.turn != Turn::kNone) return MapTurned(shape, draft, machine, block, phase);
  if (shape.parts > 0 && MapCombine(shape, machine, block, phase)) return;
  const int64_t rows = std::max<int64_t>(shape.rows_per_batch, 1);
  const int64_t batches = std::max<int64_t>(shape.rows / rows, 1);
  const int64_t columns = std::max<int64_t>(shape.columns, 1);
  const bool peels = PeelsRows(shape, draft, machine);
  const int32_t vector = peels ? WidestVector(shape, machine) : VectorFor(columns, shape, machine);
  const int64_t wanted = WantedTasks(machine);
  bool combine = false;
  for (const StageDraft& stage : draft.stages) combine |= stage.combine;
  if (shape.cluster > 1) {
    phase.cluster = shape.cluster;
    phase.threads_per_row = block;
    // Parts begin at lines of memory where rows do.
    constexpr int64_t kLine = 128;
    const int64_t part = CeilDiv(columns, int64_t{shape.cluster});
    phase.cols_per_task = RoundUp(part, std::max<int64_t>(vector, kLine / shape.element_bytes));
    phase.rows_per_task = 1;
  } else if (draft.space.split_columns) {
    phase.threads_per_row = block;
    const int64_t sweep = int64_t{block} * vector;
    const int64_t parts =
        shape.partial || combine
            ? PartsOfColumns(shape, machine, blocks.resident, phase.num_slices(), sweep)
            : TasksOfOneRow(CeilDiv(columns, sweep), 4 * wanted, blocks.resident);
    const int64_t least = shape.scan_parts ? 2 : 1;
    phase.cols_per_task = RoundUp(CeilDiv(columns, std::max(parts, least)), sweep);
    phase.rows_per_task = 1;
  } else if (shape.column_reduction && !shape.row_reduction) {
    phase.threads_per_row = shape.folds_columns
                                ? ThreadsOfWholeColumns(CeilDiv(columns, vector))
                                : static_cast<int32_t>(std::min<int64_t>(
                                      kWarp, PowerOfTwoAtMost(CeilDiv(columns, vector))));
    phase.cols_per_task = shape.folds_columns
                              ? columns
                              : std::min<int64_t>(int64_t{phase.threads_per_row} * vector, columns);
    const int64_t strips = batches * CeilDiv(columns, phase.cols_per_task);
    const int64_t at_once = block / phase.threads_per_row;
    const int64_t vectors = CeilDiv(phase.cols_per_task, int64_t{phase.threads_per_row} * vector);
    const int64_t parts = std::max<int64_t>(
        std::min(blocks.resident / strips, CeilDiv(rows * vectors, at_once * 8)), 1);
    phase.rows_per_task = CeilDiv(rows, parts);
    // The few tiles of such a task are full: the last takes as long as the others.
    if (shape.folds_columns) phase.rows_per_task = RoundUp(phase.rows_per_task, at_once);
    if (phase.cols_per_task == columns) phase.cols_per_task = 0;
  } else if ((shape.lanes_along_rows && rows >= kWarp) || (combine && !shape.column_reduction) ||
             (shape.scans_in_order && !shape.column_reduction) || columns == 1) {
    // Rows side by side leave their columns in shared memory, in the end.
    constexpr int64_t kMostInColumns = 32 << 10;
    phase.threads_per_row = 1;
    while (shape.column_reduction && phase.threads_per_row < block &&
           block / phase.threads_per_row * columns * 8 > kMostInColumns)
      phase.threads_per_row *= 2;
    phase.rows_per_task = std::min<int64_t>(block / phase.threads_per_row, rows);
  } else {
    phase.threads_per_row =
        rules.row_is_block && shape.row_reduction
            ? block
            : ThreadsPerRow(shape, machine, block, vector, rules.held_registers);
    phase.threads_per_row = WidenForColumns(shape, draft, machine, block, phase.threads_per_row);
    const int64_t at_once = block / phase.threads_per_row;
    phase.rows_per_task = std::min(at_once, rows);
    if (shape.column_reduction) {
      const int64_t per_batch =
          std::clamp<int64_t>(blocks.resident / batches, 1, CeilDiv(rows, at_once));
      phase.rows_per_task = RoundUp(CeilDiv(rows, per_batch), at_once);
    }
  }
  phase.rows_at_once = block / phase.threads_per_row;
  phase.tile_rows = phase.rows_at_once;
  // What an earlier stage of the tile has written for others: into shared memory, and elsewhere.
  // Whoever wrote a row's slot is in the reader's warp when the row is. Threads without a row repeat
  // the tile's last one, and find what it has in global memory only behind a barrier of all.
  bool slots = false, global = false;
  const bool repeats = rows % phase.tile_rows != 0 || phase.rows_per_task % phase.tile_rows != 0;
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    Stage& stage = phase.stages[s];
    if (slots || global) {
      const bool in_warp = phase.threads_per_row <= kWarp && !(global && repeats);
      stage.barrier = in_warp ? StageBarrier::kWarp : StageBarrier::kBlock;
    }
    for (const RootDraft& root : draft.stages[s].roots) {
      slots |= shape.regional.contains(root.value);
      global |= shape.read_later.contains(root.value);
    }
    const bool parts = !stage.roots.empty() && stage.roots[0].kind == RootKind::kCombine;
    int64_t extent = 1;
    for (int64_t e : stage.columns) extent *= e;
    stage.vector_rows = phase.threads_per_row == 1;
    stage.vector = stage.vector_rows || parts ? 1 : VectorFor(extent, shape, machine);
    if (peels && !stage.vector_rows && !parts && extent == columns) {
      stage.vector = vector;
      stage.peel = Peel::kBoth;
    }
    // A thread that scans a row by itself waits for memory, and for nobody else.
    constexpr int32_t kInFlight = 4;
    stage.unroll = shape.scans && stage.vector_rows && !draft.stages[s].serial ? kInFlight : 1;
  }
}

}  // namespace astitch
