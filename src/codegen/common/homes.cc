// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads and writes of homes. An index is turned back into the point that stored the value through
// the map of its root; that is exact, so a plan that reads another tile's rows is found out here.
#include "codegen/common/homes.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked_math.h"
#include "codegen/common/register_types.h"
#include "llvm/IR/MDBuilder.h"

namespace astitch::codegen {
namespace {

constexpr int64_t kSlotAlignment = 64;  // of scratch and tile memory, and of what starts in them

}  // namespace

int64_t ProductOf(const std::vector<int64_t>& extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

Homes::Homes(Emission& emission, KernelTarget& target) : emission_(emission), target_(target) {
  const KernelPlan& plan = emission.plan;
  for (size_t i = 0; i < plan.inputs.size(); ++i) inputs_.emplace(plan.inputs[i], i);
  for (const Placement& placement : plan.placements) {
    const Instruction* value = placement.value;
    placements_[{value, 0}] = &placement;
    if (value->opcode() != Opcode::kGetTupleElement) continue;
    const int leaf = static_cast<int>(value->as<TupleIndexAttributes>().index);
    placements_[{value->operand(0), leaf}] = &placement;
  }
  // Arguments, then tile memory.
  const size_t regions = plan.inputs.size() + plan.outputs.size() + 2;
  llvm::LLVMContext& context = emission.context.builder.getContext();
  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain();
  for (size_t i = 0; i < regions; ++i) {
    regions_.push_back(metadata.createAnonymousAliasScope(domain));
  }
  // Lists of all the others grow with the square: past this many, only stores and tile memory know.
  constexpr size_t kMaxRegions = 64;
  for (size_t i = 0; i < regions; ++i) {
    std::vector<llvm::Metadata*> others;
    for (size_t j = 0; j < regions && regions <= kMaxRegions; ++j) {
      if (j != i) others.push_back(regions_[j]);
    }
    region_scopes_.push_back(llvm::MDNode::get(context, {regions_[i]}));
    region_noalias_.push_back(others.empty() ? nullptr : llvm::MDNode::get(context, others));
  }
}

void Homes::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void Homes::EnterPhase(size_t number) {
  phase_ = &emission_.plan.phases[number];
  rows_.clear();
  kept_.clear();
  if (target_.KeepsShared()) FindKept(number);
}

void Homes::EnterTile(const Tile& tile, int depth) {
  tile_ = tile;
  tile_depth_ = depth;
  rows_.clear();
}

void Homes::EnterRow(const RowPoint& row) { row_ = row; }

std::vector<Digits> Homes::Axes(const RowPoint* row, const Digit* column) {
  std::vector<Digits> axes(phase_->rows.size());
  if (row != nullptr && !phase_->rows.empty())
    axes = emission_.indices.Regroup({&row->row, 1}, phase_->rows);
  std::vector<Digits> columns(stage_->columns.size());
  if (column != nullptr) column_ = *column;
  if (column != nullptr && !columns.empty())
    columns = emission_.indices.Regroup({column, 1}, stage_->columns);
  axes.insert(axes.end(), columns.begin(), columns.end());
  return axes;
}

std::vector<Digits> Homes::Apply(const IndexMap& map, const std::vector<Digits>& axes) const {
  std::vector<Digits> dims(map.size());
  for (size_t d = 0; d < map.size(); ++d) {
    for (int32_t axis : map[d]) {
      dims[d].insert(dims[d].end(), axes[axis].begin(), axes[axis].end());
    }
  }
  return dims;
}

Array Homes::Annotate(Array array, int64_t region) {
  array.scope = region_scopes_[region];
  array.noalias = region_noalias_[region];
  return array;
}

Array Homes::BufferArray(int64_t number, const Instruction& value) {
  const Shape& shape = value.shape();
  Array array{.pointer = target_.Buffer(number),
              .type = shape.element_type(),
              .alignment = target_.BufferAlignment(shape.element_type()),
              .elements = shape.num_elements()};
  array.invariant = number < static_cast<int64_t>(emission_.plan.inputs.size());
  return Annotate(array, number);
}

Array Homes::TileArray(ElementType type, int64_t offset, int64_t elements) {
  Array array{
      .pointer = target_.TileMemory(offset),
      .type = type,
      .alignment = std::min(kSlotAlignment, offset == 0 ? kSlotAlignment : offset & -offset),
      .elements = elements};
  return Annotate(array, static_cast<int64_t>(region_scopes_.size()) - 1);
}

Array Homes::ScratchArray(ElementType type, int64_t offset, int64_t elements) {
  Value scratch = target_.Buffer(emission_.plan.inputs.size() + emission_.plan.outputs.size());
  Value pointer = emission_.scopes.At(0, [&] {
    llvm::IRBuilderBase& b = emission_.context.builder;
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scratch, offset);
  });
  Array array{
      .pointer = pointer,
      .type = type,
      .alignment = std::min(kSlotAlignment, offset == 0 ? kSlotAlignment : offset & -offset),
      .elements = elements};
  return Annotate(array, static_cast<int64_t>(region_scopes_.size()) - 2);
}

const Placement* Homes::HomeOf(const Instruction& value, int leaf) const {
  const auto it = placements_.find({&value, leaf});
  return it == placements_.end() ? nullptr : it->second;
}

int64_t Homes::PlanLocalSlots(int64_t base) {
  for (const Phase& phase : emission_.plan.phases) {
    if (!target_.LocalsNeedMemory(phase)) continue;
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        for (int leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
          const Leaf key(root.value, leaf);
          if (!IsRegister(*root.value, leaf) || local_slots_.contains(key)) continue;
          base = RoundUp(base, kSlotAlignment);
          local_slots_[key] = base;
          base += phase.tile_rows * ByteWidth(LeafShape(*root.value, leaf).element_type());
        }
      }
    }
  }
  return base;
}

bool Homes::IsRegister(const Instruction& value, int leaf) const {
  const Placement* home = HomeOf(value, leaf);
  return home != nullptr && home->home == Home::kLocal;
}

Homes::Place Homes::StorePlace(const Root& root, int leaf, IndexRef index, const RowPoint& row,
                               const Digit* column) {
  const Instruction& value = *root.value;
  const Placement* home = HomeOf(value, leaf);
  if (home == nullptr) {
    if (!value.shape().IsTuple()) Fail(ErrorAt(value, "is a root without a home"));
    return {};
  }
  IndexBuilder& indices = emission_.indices;
  const KernelPlan& plan = emission_.plan;
  const Shape& shape = LeafShape(value, leaf);
  switch (home->home) {
    case Home::kOutput: {
      if (root.kind == RootKind::kTurn) return InTileMemory(root, leaf, row, column, home->offset);
      if (home->output < 0 || static_cast<size_t>(home->output) >= plan.outputs.size()) {
        Fail(ErrorAt(value, absl::StrCat("has output ", home->output, " as home, of ",
                                         plan.outputs.size())));
        return {};
      }
      const int64_t number = static_cast<int64_t>(plan.inputs.size()) + home->output;
      return {BufferArray(number, *plan.outputs[home->output]), indices.Linear(*index)};
    }
    case Home::kGlobal:
      return {ScratchArray(shape.element_type(), home->offset, shape.num_elements()),
              indices.Linear(*index)};
    case Home::kBlock:
      return {TileArray(shape.element_type(), home->offset, shape.num_elements()),
              indices.Linear(*index)};
    case Home::kLocal:
    case Home::kRegional: {
      const auto slot = local_slots_.find({&value, leaf});
      const int64_t offset = slot == local_slots_.end() ? home->offset : slot->second;
      return InTileMemory(root, leaf, row, column, offset);
    }
    case Home::kCluster: {
      const int64_t width = ClusterWidth(root), elements = phase_->tile_rows * width;
      const int64_t bytes = elements * ByteWidth(shape.element_type());
      if (phase_->cluster == 1) Fail(ErrorAt(value, "has a cluster home in a phase without"));
      if (home->bytes != 0 && bytes > home->bytes) {
        Fail(ErrorAt(value,
                     absl::StrCat("needs ", bytes, " bytes a tile, the plan has ", home->bytes)));
      }
      Digits where = {row.in_tile};
      if (width > 1 && column != nullptr) where.push_back(InPart(*column, phase_->cols_per_task));
      return {TileArray(shape.element_type(), home->offset, elements),
              emission_.indices.JoinAll(where), true};
    }
  }
  ASTITCH_UNREACHABLE();
}

Homes::Place Homes::InTileMemory(const Root& root, int leaf, const RowPoint& row,
                                 const Digit* column, int64_t offset) {
  const Instruction& value = *root.value;
  const Placement* home = HomeOf(value, leaf);
  const Slot slot = SlotOf(root, *stage_, leaf, offset);
  if (home->home == Home::kRegional && home->keep == Keep::kShared && home->kept_rows > 0) {
    const int among = IsAmong(row.in_tile, home->kept_rows);
    if (among == 0) return {};
    if (among < 0)
      Fail(ErrorAt(value, absl::StrCat("keeps ", home->kept_rows,
                                       " rows, no multiple of the rows side by side")));
  }
  const int64_t bytes = slot.array.elements * ByteWidth(slot.array.type);
  if (home->home != Home::kLocal && home->bytes != 0 && bytes > home->bytes) {
    Fail(
        ErrorAt(value, absl::StrCat("needs ", bytes, " bytes a tile, the plan has ", home->bytes)));
  }
  return {slot.array, InSlot(slot, row.in_tile, ColumnsOf(root, Axes(&row, column))), true};
}

Homes::Place Homes::PartialPlace(const Root& root, int leaf, ElementType type, IndexRef result,
                                 const Digit& part) {
  const Instruction& value = *root.value;
  const Placement* home = HomeOf(value, leaf);
  if (home == nullptr) return {};
  const int64_t inner = std::max<int64_t>(1, root.partial_inner);
  const int64_t results =
      root.kind == RootKind::kScan ? inner : LeafShape(value, leaf).num_elements();
  const int64_t bytes = results * root.parts * ByteWidth(type);
  if (bytes > home->partial_bytes || results % inner != 0) {
    Fail(ErrorAt(value,
                 absl::StrCat("has ", results, " results of ", root.parts, " parts, ", inner,
                              " apart: ", bytes, " bytes, the plan has ", home->partial_bytes)));
    return {};
  }
  IndexBuilder& indices = emission_.indices;
  const auto [outer, within] = indices.Split(indices.Linear(*result), inner);
  return {ScratchArray(type, home->partial_offset, results * root.parts),
          indices.JoinAll({outer, part, within})};
}

void Homes::DefineRow(const Root& root, int leaf, const RowPoint& row, Value result) {
  emission_.scopes.NoteDepth(result);
  rows_[{root.value, leaf, row.row.base, row.in_tile.base}] = result;
}

void Homes::Announce(const Root& root) {
  stored_.insert_or_assign(root.value, Stored{phase_, *stage_, root});
}

void Homes::ForgetChunks() {
  absl::erase_if(stored_, [&](const auto& entry) {
    const Stored& stored = entry.second;
    if (stored.phase != phase_ || stored.stage.chunk == 0) return false;
    const Placement* home = HomeOf(*entry.first, 0);
    const bool slot = home != nullptr && home->home == Home::kRegional;
    return stored.root.kind == RootKind::kTurn || (slot && stored.root.kind == RootKind::kStore);
  });
}

Value Homes::LoadAt(int min_depth, const Array& array, const Digit& position) {
  const int depth =
      std::max({min_depth, emission_.scopes.guard_depth(), emission_.scopes.DepthOf(position.base),
                emission_.scopes.DepthOf(array.pointer)});
  return emission_.scopes.At(
      depth, [&] { return LoadElements(emission_.context, emission_.indices, array, position); });
}

// Only of inputs that are laid out like the sweep. A wrong guess would cost time, but be no error:
// nothing is read, and an address behind the end is harmless.
void Homes::FetchAhead(const Array& array, const Digit& position) {
  if (stage_ == nullptr || !stage_->fetch_ahead || !target_.CanFetchAhead()) return;
  if (position.per_lane || position.stride != 1) return;
  const int64_t columns = ProductOf(stage_->columns);
  if (array.elements != phase_->num_rows() * columns) return;
  // Where lanes are rows, of the next square (stage_emitter_turned.cc): columns are far apart.
  const int64_t next =
      stage_->vector_rows ? position.lanes * phase_->rows.back() : phase_->tile_rows * columns;
  constexpr int64_t kLineBytes = 64;
  const int64_t line = std::max<int64_t>(1, kLineBytes / ByteWidth(array.type));
  llvm::IRBuilderBase& b = emission_.context.builder;
  llvm::Type* element = MemoryType(b.getContext(), array.type, 1);
  for (int64_t lane = 0; lane < position.lanes; lane += line) {
    Value at = b.CreateAdd(position.base, emission_.indices.Constant(next + lane));
    FetchLine(b, b.CreateGEP(element, array.pointer, at));
  }
}

std::vector<Digits> Homes::Recover(const Stored& stored, const Index& index) {
  const IndexMap map = ResultMap(stored.root);
  std::vector<int64_t> extents = phase_->rows;
  extents.insert(extents.end(), stored.stage.columns.begin(), stored.stage.columns.end());
  std::vector<Digits> axes(extents.size());
  if (!phase_->rows.empty()) {
    const std::vector<Digits> rows = emission_.indices.Regroup({&row_.row, 1}, phase_->rows);
    std::copy(rows.begin(), rows.end(), axes.begin());
  }
  for (size_t d = 0; d < map.size(); ++d) {
    std::vector<int64_t> radices;
    for (int32_t axis : map[d]) radices.push_back(extents[axis]);
    const std::vector<Digits> digits = emission_.indices.Regroup(index.dims[d], radices);
    for (size_t k = 0; k < map[d].size(); ++k) axes[map[d][k]] = digits[k];
  }
  return axes;
}

// The row of the tile; SAME_ROW: it is the row under way.
Digit Homes::TilePosition(const Stored& stored, const std::vector<Digits>& axes, bool* same_row) {
  IndexBuilder& indices = emission_.indices;
  Digits rows;
  for (size_t a = 0; a < phase_->rows.size(); ++a)
    rows.insert(rows.end(), axes[a].begin(), axes[a].end());
  const Digit row = indices.JoinAll(rows);
  *same_row =
      phase_->num_rows() <= 1 ||
      (row.base == row_.row.base && row.stride == row_.row.stride && row.lanes == row_.row.lanes);
  if (*same_row) return row_.in_tile;
  Value begin = tile_.begin;
  if (row.per_lane) begin = indices.Splat(begin, row.lanes);
  Digit in_tile = row;
  in_tile.base = indices.Sub(row.base, begin);
  in_tile.multiple = 1;
  in_tile.extent = phase_->tile_rows;
  return in_tile;
}

bool Homes::IsOwnRow(const Stored& stored, const Index& index) {
  if (phase_->cols_per_task > 0) return false;
  bool same_row = false;
  TilePosition(stored, Recover(stored, index), &same_row);
  return same_row;
}

int64_t Homes::PartWidth(const Stage& stage) const {
  const int64_t columns = ProductOf(stage.columns);
  if (stage.chunk > 0) return std::min(stage.chunk, columns);
  return IsSplit() ? phase_->columns_per_task(stage) : columns;
}

Digit Homes::ColumnsOf(const Root& root, const std::vector<Digits>& axes) {
  Digits columns;
  for (int32_t axis : ColumnsIn(ResultMap(root), phase_->rows.size()))
    columns.insert(columns.end(), axes[axis].begin(), axes[axis].end());
  return emission_.indices.JoinAll(columns);
}

Homes::Slot Homes::SlotOf(const Root& root, const Stage& stage, int leaf, int64_t offset) {
  const Placement* home = HomeOf(*root.value, leaf);
  Slot slot;
  for (int32_t axis : ColumnsIn(ResultMap(root), phase_->rows.size()))
    slot.width *= stage.columns[axis - phase_->rows.size()];
  const int64_t part = PartWidth(stage);
  slot.in_part = slot.width > 1 && part < ProductOf(stage.columns);
  if (slot.in_part) {
    if (slot.width != ProductOf(stage.columns))
      Fail(ErrorAt(*root.value, "has some of the columns that the plan splits"));
    slot.width = part;
  }
  slot.pitch = home != nullptr && home->pitch > 0 ? home->pitch : slot.width;
  if (slot.pitch < slot.width) {
    Fail(ErrorAt(*root.value,
                 absl::StrCat("has rows of ", slot.width, " elements ", slot.pitch, " apart")));
  }
  const bool some = home != nullptr && home->home == Home::kRegional &&
                    home->keep == Keep::kShared && home->kept_rows > 0;
  const int64_t rows = some ? home->kept_rows : phase_->tile_rows;
  slot.array = TileArray(LeafShape(*root.value, leaf).element_type(), offset, rows * slot.pitch);
  return slot;
}

// A slot holds row after row, but column after column where all sweeps of the phase have rows in
// their lanes.
Digit Homes::InSlot(const Slot& slot, const Digit& row, Digit column) {
  if (slot.in_part) column = InPart(column, slot.width);
  bool lanes_along_rows = slot.pitch == slot.width;
  for (const Stage& stage : phase_->stages)
    lanes_along_rows = lanes_along_rows && (stage.vector_rows || stage.columns.empty());
  if (lanes_along_rows) return emission_.indices.JoinAll({column, row});
  if (slot.pitch != slot.width) column.extent = slot.pitch;
  return emission_.indices.JoinAll({row, column});
}

Value Homes::ReadRegional(const Stored& stored, int leaf, int64_t offset, IndexRef index) {
  const std::vector<Digits> axes = Recover(stored, *index);
  bool same_row = false;
  const Digit in_tile = TilePosition(stored, axes, &same_row);
  const Placement* home = HomeOf(*stored.root.value, leaf);
  if (home != nullptr && home->keep == Keep::kShared && home->kept_rows > 0 &&
      (!same_row || IsAmong(in_tile, home->kept_rows) != 1)) {
    return nullptr;  // evaluated again
  }
  const Slot slot = SlotOf(stored.root, stored.stage, leaf, offset);
  const Digit column = ColumnsOf(stored.root, axes);
  // Other columns are another task's, or of a chunk that is gone: evaluated again.
  const bool gone = stage_ == nullptr || stored.stage.chunk != stage_->chunk;
  if (slot.in_part && (gone || !IsColumnUnderWay(column))) return nullptr;
  return LoadAt(tile_depth_, slot.array, InSlot(slot, in_tile, column));
}

Value Homes::FindRegister(const Stored& stored, int leaf, IndexRef index) {
  const auto it = rows_.find({stored.root.value, leaf, row_.row.base, row_.in_tile.base});
  if (it == rows_.end()) return nullptr;
  bool same_row = false;
  TilePosition(stored, Recover(stored, *index), &same_row);
  return same_row ? it->second : nullptr;
}

Value Homes::ReadRegister(const Stored& stored, int leaf, IndexRef index) {
  if (Value kept = FindRegister(stored, leaf, index)) return kept;
  Fail(ErrorAt(*stored.root.value,
               "lives in registers of its row, but another row reads it in this plan"));
  return NullValue(emission_.context.builder.getContext(),
                   LeafShape(*stored.root.value, leaf).element_type());
}

Value Homes::Read(const Instruction& value, int leaf, IndexRef index) {
  const auto input = inputs_.find(&value);
  if (input != inputs_.end()) {
    const Array array = BufferArray(input->second, value);
    const Digit position = emission_.indices.Linear(*index);
    for (const KeptInput& kept : kept_) {
      if (kept.value == &value) return ReadKept(kept, array, position);
    }
    FetchAhead(array, position);
    return LoadAt(0, array, position);
  }
  const auto it = stored_.find(&value);
  if (it == stored_.end()) return nullptr;
  const Stored& stored = it->second;
  const Placement* home = HomeOf(value, leaf);
  if (home == nullptr) return nullptr;
  const bool here = stored.phase == phase_;  // tiles and rows are gone with their phase
  switch (home->home) {
    case Home::kLocal: {
      if (!here || stored.root.kind == RootKind::kStore) return nullptr;
      const auto slot = local_slots_.find({&value, leaf});
      if (slot != local_slots_.end()) return ReadRegional(stored, leaf, slot->second, index);
      return ReadRegister(stored, leaf, index);
    }
    case Home::kRegional:
      return here ? ReadRegional(stored, leaf, home->offset, index) : nullptr;
    case Home::kBlock:
    case Home::kGlobal:
    case Home::kOutput: {
      if (stored.root.kind == RootKind::kTurn)
        return here ? ReadRegional(stored, leaf, home->offset, index) : nullptr;
      // Memory is written by one thread of the row, and nobody waits for it here.
      if (Value kept = here ? FindRegister(stored, leaf, index) : nullptr) return kept;
      // Other tasks may not have written theirs yet: it is computed again.
      if (here && stored.root.kind == RootKind::kStore && !IsOwnRow(stored, *index)) return nullptr;
      const Place place = StorePlace(stored.root, leaf, index, row_, nullptr);
      if (place.array.pointer == nullptr) return nullptr;
      // Flags wait inside the task.
      const bool in_task = here || phase_->barrier == astitch::PhaseBarrier::kFlags;
      return LoadAt(in_task ? tile_depth_ : 0, place.array, place.position);
    }
    case Home::kCluster:
      return here ? ReadCluster(stored, leaf, *home, index) : nullptr;
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace astitch::codegen
