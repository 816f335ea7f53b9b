// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Homes: where each value of the kernel is stored, when it may be read, and at which address.
//
// The emitter announces every store; from then on a read of the value at a logical index becomes a
// load from its home:
//   input, output, global   dense row-major array
//   regional                [row of the tile][column], both recovered from the index by the map of
//                           the root that stored it
//   result of a row         a register, when the index is that of the row under way; it is the only
//                           home of local ones
//   cluster                 as regional, but each block of a cluster has its part of the columns
//   input kept in shared    its rows of the tile are copied before the first stage (kept_rows.cc)
#pragma once

#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/kernel_target.h"

namespace astitch::codegen {

int64_t ProductOf(const std::vector<int64_t>& extents);

class Homes : public ValueSource {
 public:
  Homes(Emission& emission, KernelTarget& target);

  // ---- the place where emission stands
  void EnterPhase(size_t number);
  void EnterStage(const Stage& stage) { stage_ = &stage; }
  void EnterTile(const Tile& tile, int depth);
  // A chunk of the tile's columns: what rows have in registers stays.
  void EnterChunk(const Tile& tile, int depth) {
    tile_ = tile;
    tile_depth_ = depth;
  }
  void EnterRow(const RowPoint& row);
  // Emits the copies of what the phase keeps in shared memory.
  void FillKept(const Tile& tile);

  // ---- indices
  // The axes of the phase's rows and the stage's columns at a point, numbered as in IndexMap.
  std::vector<Digits> Axes(const RowPoint* row, const Digit* column);
  std::vector<Digits> Apply(const IndexMap& map, const std::vector<Digits>& axes) const;

  // ---- stores
  struct Place {
    Array array;
    Digit position;
    bool in_tile = false;  // of the block's own memory: every block of a cluster has one
  };
  // Where ROOT's value at INDEX goes; ROW and COLUMN: of the point (column null: a row's result).
  // The array has no pointer when the leaf is wanted by nobody.
  Place StorePlace(const Root& root, int leaf, IndexRef index, const RowPoint& row,
                   const Digit* column);
  // A part of a partial reduction; TYPE: of its accumulator.
  Place PartialPlace(const Root& root, int leaf, ElementType type, IndexRef result,
                     const Digit& part);
  // The result of a row stays with whoever computed it.
  bool IsRegister(const Instruction& value, int leaf) const;
  void DefineRow(const Root& root, int leaf, const RowPoint& row, Value result);
  // ROOT's value is complete: readers load it from now on.
  void Announce(const Root& root);

  // Slots that hold a chunk of the columns are read no more.
  void ForgetChunks();

  // Local slots of the host: bytes of tile memory beyond the plan's, from BASE on.
  int64_t PlanLocalSlots(int64_t base);

  Value Read(const Instruction& value, int leaf, IndexRef index) override;
  int floor() const override { return tile_depth_; }
  const absl::Status& status() const { return status_; }

 private:
  struct Stored {
    const Phase* phase;
    Stage stage;  // for the extents of its columns
    Root root;
  };
  Array BufferArray(int64_t number, const Instruction& value);
  Array ScratchArray(ElementType type, int64_t offset, int64_t elements);
  Array TileArray(ElementType type, int64_t offset, int64_t elements);
  Array Annotate(Array array, int64_t region);
  // The home of a leaf: its own, or that of the get-tuple-element that opens it. Null: none.
  const Placement* HomeOf(const Instruction& value, int leaf) const;
  // The row and column digits that INDEX of a value stored by ROOT stands for.
  std::vector<Digits> Recover(const Stored& stored, const Index& index);
  Digit TilePosition(const Stored& stored, const std::vector<Digits>& axes, bool* same_row);
  // INDEX lies in the row under way, and the task has all of its columns.
  bool IsOwnRow(const Stored& stored, const Index& index);
  // A slot of the value that a root of a stage stores: WIDTH elements of each row.
  struct Slot {
    Array array;
    int64_t width = 1, pitch = 1;
    bool in_part = false;  // it has the columns of the task or chunk only
  };
  Slot SlotOf(const Root& root, const Stage& stage, int leaf, int64_t offset);
  // Columns that a stage of the phase has of a part, when tasks split them or it takes chunks.
  int64_t PartWidth(const Stage& stage) const;
  Place InTileMemory(const Root& root, int leaf, const RowPoint& row, const Digit* column,
                     int64_t offset);
  Digit InSlot(const Slot& slot, const Digit& row, Digit column);
  // The columns of AXES that the value of ROOT has.
  Digit ColumnsOf(const Root& root, const std::vector<Digits>& axes);
  Value ReadRegional(const Stored& stored, int leaf, int64_t offset, IndexRef index);
  Value ReadRegister(const Stored& stored, int leaf, IndexRef index);
  // The value from a register of the row under way, null when it is in none.
  Value FindRegister(const Stored& stored, int leaf, IndexRef index);
  // ---- kept_rows.cc
  struct KeptInput {
    const Instruction* value;
    const Placement* placement;
    int64_t columns;     // of a row of the phase
    int64_t width;       // of a row of the slot
    int64_t rows;        // that fit
    bool there = false;  // already, unless the block has several tasks
  };
  void FindKept(size_t number);
  bool IsSplit() const { return phase_->cols_per_task > 0 && phase_->col_tasks() > 1; }
  Value ReadKept(const KeptInput& kept, const Array& array, const Digit& position);
  // Whether a row (its number in the tile) is among the KEPT first: 1, 0, or -1 when only some are.
  static int IsAmong(const Digit& in_tile, int64_t kept);
  // Elements of the cluster's slot of ROOT's value, and where COLUMN is in the part that owns it.
  int64_t ClusterWidth(const Root& root) const;
  Value ReadCluster(const Stored& stored, int leaf, const Placement& home, IndexRef index);
  // COLUMN in its part of WIDTH columns, which is that of the task or chunk.
  Digit InPart(const Digit& column, int64_t width);
  bool IsColumnUnderWay(const Digit& column) const;
  Value LoadAt(int min_depth, const Array& array, const Digit& position);
  // Fetches into the caches what the next tile reads of an input where this one reads POSITION.
  void FetchAhead(const Array& array, const Digit& position);
  void Fail(absl::Status status);

  Emission& emission_;
  KernelTarget& target_;
  const Phase* phase_ = nullptr;
  const Stage* stage_ = nullptr;
  Tile tile_;
  RowPoint row_;
  Digit column_;  // of the point under way
  int tile_depth_ = 0;
  std::vector<KeptInput> kept_;  // by the phase
  absl::flat_hash_map<const Instruction*, int64_t> inputs_;
  using Leaf = std::pair<const Instruction*, int>;
  absl::flat_hash_map<Leaf, const Placement*> placements_;
  absl::flat_hash_map<const Instruction*, Stored> stored_;
  absl::flat_hash_map<Leaf, int64_t> local_slots_;
  using RowKey = std::tuple<const Instruction*, int, Value, Value>;  // leaf, row, row in the tile
  absl::flat_hash_map<RowKey, Value> rows_;
  std::vector<llvm::MDNode*> regions_;  // alias scopes: buffers, then tile slots and scratch
  std::vector<llvm::MDNode*> region_scopes_, region_noalias_;
  absl::Status status_;
};

}  // namespace astitch::codegen
