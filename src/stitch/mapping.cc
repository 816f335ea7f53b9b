// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Axes become numbers here: extents, index maps, tile slots, scratch; the rules of the machine give
// the rest.
#include "stitch/mapping.h"

#include <algorithm>
#include <map>

#include "base/checked_math.h"
#include "plan/exchange.h"
#include "plan/index_map.h"
#include "stitch/keep.h"
#include "stitch/mapping_rules.h"
#include "stitch/pitch.h"
#include "stitch/residency.h"
#include "stitch/reuse.h"
#include "stitch/slices.h"
#include "stitch/slots.h"

namespace astitch {
namespace {

constexpr int64_t kSlotAlign = 64;

class KernelMapper {
 public:
  // RESIDENT: blocks that are expected to be resident.
  KernelMapper(const RegionInfo& info, const KernelDraft& draft, const LaunchRules& rules,
               const MachineModel& machine, int64_t resident)
      : info_(info), draft_(draft), rules_(rules), machine_(machine), resident_(resident) {}

  // After Run: blocks that are, and whether the registers that a block is expected to need are there.
  int64_t resident() const { return resident_; }
  bool registers_fit() const { return registers_fit_; }

  KernelPlan Run() {
    kernel_.name = info_.region().name;
    kernel_.inputs = info_.region().inputs;
    kernel_.outputs = info_.region().outputs;
    std::vector<PhaseShape> shapes;
    for (const PhaseDraft& phase : draft_.phases) {
      kernel_.phases.push_back(Skeleton(phase));
      shapes.push_back(ShapeOf(phase));
    }
    const int32_t block = machine_.is_host() ? 1 : BlockSizeOnGpu(shapes, machine_, rules_);
    const std::vector<int64_t> slices = rules_.slices ? FindSlices(info_, draft_, machine_)
                                                      : std::vector<int64_t>(shapes.size(), 0);
    for (size_t p = 0; p < shapes.size(); ++p) {
      shapes[p].parts = CombinedParts(draft_.phases[p]);
      kernel_.phases[p].slice = slices[p];
      if (machine_.is_host()) {
        MapPhaseOnHost(shapes[p], draft_.phases[p], machine_, kernel_.phases[p]);
      } else {
        MapPhaseOnGpu(shapes[p], draft_.phases[p], machine_, {block, resident_}, rules_,
                      kernel_.phases[p]);
      }
      TakePartsOfScan(p);
      KeepTasksInSlices(kernel_.phases[p]);
      OrderTasks(info_, draft_, machine_, p, kernel_);
      SetParts(kernel_.phases[p]);
    }
    Place();
    Streaming(shapes);
    EvictResultsFirst(info_, draft_, machine_, kernel_);
    KeepInputs(info_, draft_, machine_, shapes, kernel_);
    ShareColumns(shapes);
    SetLaunch(shapes, block);
    return std::move(kernel_);
  }

 private:
  // A root of the kernel, and where it is.
  struct RootAt {
    size_t phase = 0;
    const Stage* stage = nullptr;
    const Root* root = nullptr;
  };

  // ---- structure

  Phase Skeleton(const PhaseDraft& draft) const {
    Phase phase;
    for (int32_t axis : draft.space.rows) phase.rows.push_back(info_.axes().extent(axis));
    phase.batch_axes = draft.space.batch_axes;
    phase.barrier = draft.barrier;
    phase.repeated = draft.repeated;
    for (const StageDraft& stage_draft : draft.stages) {
      Stage stage;
      for (int32_t axis : stage_draft.columns) stage.columns.push_back(info_.axes().extent(axis));
      for (const RootDraft& root : stage_draft.roots)
        stage.roots.push_back(MakeRoot(root, draft, stage_draft));
      phase.stages.push_back(std::move(stage));
    }
    return phase;
  }

  Root MakeRoot(const RootDraft& draft, const PhaseDraft& phase, const StageDraft& stage) const {
    Root root;
    root.value = draft.value;
    root.kind = draft.kind;
    root.over = draft.over;
    root.partial = draft.partial;
    const Instruction* indexed = draft.value;
    if (draft.kind == RootKind::kReduce) indexed = draft.value->operand(0);
    if (draft.kind == RootKind::kScatter) indexed = draft.value->operand(2);
    for (const std::vector<int32_t>& axes : info_.axes().MapOf(indexed)) {
      std::vector<int32_t>& dim = root.map.emplace_back();
      for (int32_t axis : axes) dim.push_back(Position(axis, phase, stage));
    }
    return root;
  }

  static int32_t Position(int32_t axis, const PhaseDraft& phase, const StageDraft& stage) {
    const auto row = std::find(phase.space.rows.begin(), phase.space.rows.end(), axis);
    if (row != phase.space.rows.end()) return static_cast<int32_t>(row - phase.space.rows.begin());
    const auto column = std::find(stage.columns.begin(), stage.columns.end(), axis);
    ASTITCH_CHECK(column != stage.columns.end());
    return static_cast<int32_t>(phase.space.rows.size() + (column - stage.columns.begin()));
  }

  // ---- sizes

  PhaseShape ShapeOf(const PhaseDraft& draft) const {
    PhaseShape shape;
    shape.rows = info_.axes().ExtentOf(draft.space.rows);
    const std::vector<int32_t> batch(draft.space.rows.begin(),
                                     draft.space.rows.begin() + draft.space.batch_axes);
    shape.rows_per_batch = shape.rows / std::max<int64_t>(1, info_.axes().ExtentOf(batch));
    shape.element_bytes = 1;
    shape.turn = draft.turn;
    shape.split_columns = draft.space.split_columns;
    shape.cluster = draft.space.cluster;
    shape.scatter = draft.space.scatter;
    absl::flat_hash_set<const Instruction*> seen;
    int64_t largest = -1;
    for (const StageDraft& stage : draft.stages) {
      shape.columns = std::max(shape.columns, info_.axes().ExtentOf(stage.columns));
      shape.scalars |= stage.columns.empty() && !draft.space.rows.empty();
      for (int32_t axis : stage.columns)
        shape.folds_columns |= Contains(info_.folded_columns(), axis);
      for (const RootDraft& root : stage.roots) {
        shape.scans |= root.kind == RootKind::kScan && !root.partial;
        shape.scans_in_order |= root.kind == RootKind::kScan && stage.serial;
        shape.scan_parts |= root.kind == RootKind::kScan && draft.space.split_columns;
        shape.row_reduction |=
            (root.over == ReduceOver::kColumns && root.kind == RootKind::kReduce) ||
            root.kind == RootKind::kScan;
        shape.column_reduction |= root.over == ReduceOver::kRows || root.over == ReduceOver::kAll;
        shape.partial |= root.partial;
        shape.held += root.over == ReduceOver::kRows;
        const auto home = draft_.homes.find(root.value);
        const bool regional = home != draft_.homes.end() && home->second == Home::kRegional;
        if (regional || root.kind == RootKind::kTurn) AddSlot(root, stage, shape);
        if (root.kind == RootKind::kCombine) continue;
        Touch(root, draft, seen, shape, largest);
      }
    }
    AddReadLater(draft, shape.read_later);
    if (shape.column_reduction) shape.lanes_along_rows = false;
    if (shape.scatter != nullptr)
      shape.element_bytes = ByteWidth(shape.scatter->shape().element_type());
    for (const Instruction* read : draft.reads_again) {
      if (!rules_.holds_inputs || !info_.IsInput(read) || info_.axes().Of(read).empty()) continue;
      ++shape.held;
      shape.again_words += CeilDiv(shape.columns, int64_t{shape.cluster}) *
                           std::max(4, ByteWidth(read->shape().element_type())) / 4;
    }
    // Of arrays beyond a few, each has an address and a value on its way.
    constexpr int64_t kFewBuffers = 4, kRegistersOfBuffer = 4;
    shape.more_registers = rules_.more_registers +
                           std::max<int64_t>(shape.buffers - kFewBuffers, 0) * kRegistersOfBuffer;
    return shape;
  }

  static void AddSlot(const RootDraft& root, const StageDraft& stage, PhaseShape& shape) {
    shape.regional.insert(root.value);
    if (stage.columns.empty() || root.kind == RootKind::kReduce) return;
    const int64_t element = ByteWidth(root.value->shape().element_type());
    shape.slot_bytes += element;
    shape.mixed_slots |= shape.widest_slot != 0 && shape.widest_slot != element;
    shape.widest_slot = std::max(shape.widest_slot, element);
  }

  // Values with a home that are in it.
  struct Stored {
    absl::flat_hash_set<const Instruction*> all;
    absl::flat_hash_set<const Instruction*> here;  // all elements, by this phase
  };

  // Adds the roots with columns and a home in global memory that a later stage of the phase reads.
  // Results of a row stay with its threads.
  void AddReadLater(const PhaseDraft& draft, absl::flat_hash_set<const Instruction*>& found) const {
    Stored stored;
    for (const PhaseDraft& phase : draft_.phases) {
      if (&phase == &draft) break;
      for (const StageDraft& stage : phase.stages) AddStored(stage, true, stored);
    }
    stored.here.clear();
    for (const StageDraft& stage : draft.stages) {
      if (!stored.here.empty()) {
        absl::flat_hash_set<const Instruction*> seen;
        for (const RootDraft& root : stage.roots) {
          if (root.kind != RootKind::kCombine) AddRead(root, stored, seen, found);
        }
      }
      AddStored(stage, false, stored);
    }
  }

  bool IsInArray(const Instruction* value) const {
    const auto home = draft_.homes.find(value);
    return home != draft_.homes.end() &&
           (home->second == Home::kOutput || home->second == Home::kGlobal ||
            home->second == Home::kBlock);
  }

  // EARLIER: of an earlier phase, whose slots are gone.
  void AddStored(const StageDraft& stage, bool earlier, Stored& stored) const {
    for (const RootDraft& root : stage.roots) {
      if (root.partial) continue;
      for (const Instruction* result : info_.ResultsOf(root.value)) {
        if (!earlier || IsInArray(result)) stored.all.insert(result);
      }
      if (IsInArray(root.value) && root.kind != RootKind::kReduce && !stage.columns.empty())
        stored.here.insert(root.value);
    }
  }

  // Adds to FOUND what evaluating ROOT reads of this phase's memory. A value that later stages or
  // phases will store is evaluated on the way.
  void AddRead(const RootDraft& root, const Stored& stored,
               absl::flat_hash_set<const Instruction*>& seen,
               absl::flat_hash_set<const Instruction*>& found) const {
    const absl::Span<Instruction* const> operands = info_.OperandsOf(root.value, root.kind);
    std::vector<const Instruction*> stack(operands.begin(), operands.end());
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!seen.insert(value).second || !info_.IsComputed(value)) continue;
      const auto home = draft_.homes.find(value);
      const bool local = home == draft_.homes.end() || home->second == Home::kLocal;
      if (stored.here.contains(value)) {
        found.insert(value);
      } else if (local || !stored.all.contains(value)) {
        stack.insert(stack.end(), value->operands().begin(), value->operands().end());
      }
    }
  }

  // Adds what evaluating ROOT reads and writes, each buffer once.
  void Touch(const RootDraft& root, const PhaseDraft& draft,
             absl::flat_hash_set<const Instruction*>& seen, PhaseShape& shape,
             int64_t& largest) const {
    std::vector<const Instruction*> stack = {root.value};
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!seen.insert(value).second || !value->shape().IsArray()) {
        if (!value->shape().IsArray() && value == root.value) {
          for (const Instruction* operand : value->operands()) {
            if (!IsImmediate(*operand)) stack.push_back(operand);
          }
        }
        continue;
      }
      const bool computed = info_.IsComputed(value);
      const auto home = draft_.homes.find(value);
      const bool stored = computed && home != draft_.homes.end() && home->second != Home::kLocal;
      if (!computed || stored) Count(value, draft, shape, largest, !computed);
      if (!computed || (stored && value != root.value && home->second != Home::kRegional)) continue;
      shape.long_arithmetic |= IsLongArithmetic(value->opcode());
      for (const Instruction* operand : info_.OperandsOf(value, root.kind)) {
        if (!IsImmediate(*operand)) stack.push_back(operand);
      }
    }
  }

  // What reduces an angle first: a lane of it takes some ten registers.
  static bool IsLongArithmetic(Opcode opcode) {
    return opcode == Opcode::kSine || opcode == Opcode::kCosine || opcode == Opcode::kTan;
  }

  void Count(const Instruction* value, const PhaseDraft& draft, PhaseShape& shape, int64_t& largest,
             bool input) const {
    const int64_t element = ByteWidth(value->shape().element_type());
    const std::vector<int32_t>& axes = info_.axes().Of(value);
    int64_t columns = 1;
    bool in_rows = false;
    for (int32_t axis : axes) {
      if (Contains(draft.space.rows, axis)) {
        in_rows = true;
      } else {
        columns *= info_.axes().extent(axis);
      }
    }
    if (in_rows || draft.space.rows.empty()) {
      shape.row_bytes += columns * element;
      shape.streams += input;
    }
    ++shape.buffers;
    const int64_t bytes = value->shape().byte_size();
    shape.bytes += bytes;
    shape.element_bytes = std::max(shape.element_bytes, element);
    if (input && bytes > largest && !axes.empty()) {
      largest = bytes;
      shape.lanes_along_rows = Contains(draft.space.rows, axes.back()) && columns > 1;
    }
  }

  static void KeepTasksInSlices(Phase& phase) {
    if (phase.slice == 0 || phase.batch_axes > 0) return;
    const int64_t rows = phase.num_rows() / phase.num_slices();
    if (rows % phase.rows_per_task == 0) return;
    while (rows % phase.rows_per_task != 0) --phase.rows_per_task;
    // Threads without a row repeat the last of others.
    for (Stage& stage : phase.stages) {
      if (stage.barrier == StageBarrier::kWarp) stage.barrier = StageBarrier::kBlock;
    }
  }

  // The most parts of a result of PHASE, if it does no more than finish results; else 0.
  int64_t CombinedParts(const PhaseDraft& phase) const {
    int64_t parts = 0;
    for (const StageDraft& stage : phase.stages) {
      if (!stage.combine && !stage.columns.empty()) return 0;
      for (const RootDraft& root : stage.roots) {
        const auto found = parts_.find(root.value);
        if (root.kind == RootKind::kCombine && found != parts_.end())
          parts = std::max(parts, found->second.parts);
      }
    }
    return parts;
  }

  // The tasks of a phase that scans what an earlier one has folded part by part are those of that phase.
  void TakePartsOfScan(size_t p) {
    for (const StageDraft& stage : draft_.phases[p].stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.kind != RootKind::kScan) continue;
        const auto [from, first] = scanned_in_.emplace(root.value, p);
        if (first) continue;
        const Phase& parts = kernel_.phases[from->second];
        Phase& phase = kernel_.phases[p];
        phase.cols_per_task = parts.cols_per_task;
        phase.rows_per_task = parts.rows_per_task;
        phase.tile_rows = parts.tile_rows;
        phase.threads_per_row = parts.threads_per_row;
        phase.rows_at_once = parts.rows_at_once;
      }
    }
  }

  // How many parts each partial reduction has, once tasks are known; its combine takes the same.
  void SetParts(Phase& phase) {
    for (Stage& stage : phase.stages) {
      for (Root& root : stage.roots) {
        if (root.kind == RootKind::kScan) {
          if (!root.partial && !parts_.contains(root.value)) continue;
          root.parts = phase.col_tasks();
          root.partial_inner = phase.num_rows();
          parts_[root.value] = {root.parts, root.partial_inner};
        } else if (root.kind == RootKind::kReduce && root.partial) {
          root.parts = root.over == ReduceOver::kColumns ? phase.col_tasks()
                       : root.over == ReduceOver::kRows
                           ? phase.row_tasks_per_batch()
                           : phase.row_tasks_per_batch() * phase.col_tasks();
          root.partial_inner = root.over == ReduceOver::kColumns ? phase.num_rows()
                               : root.over == ReduceOver::kRows  ? KeptColumns(phase, stage, root)
                                                                 : 1;
          parts_[root.value] = {root.parts, root.partial_inner};
        } else if (root.kind == RootKind::kCombine) {
          root.parts = parts_[root.value].parts;
          root.partial_inner = parts_[root.value].inner;
        }
      }
    }
    SplitCombines(phase);
  }

  // A sweep over parts for each number of parts.
  static void SplitCombines(Phase& phase) {
    std::vector<Stage> stages;
    for (Stage& stage : phase.stages) {
      if (stage.roots.empty() || stage.roots[0].kind != RootKind::kCombine) {
        stages.push_back(std::move(stage));
        continue;
      }
      std::map<int64_t, Stage> by_parts;
      for (const Root& root : stage.roots) {
        Stage& of = by_parts.try_emplace(root.parts, stage).first->second;
        if (of.columns.empty()) of.roots.clear();
        of.columns = {root.parts};
        of.roots.push_back(root);
      }
      for (auto& [parts, of] : by_parts) stages.push_back(std::move(of));
    }
    phase.stages = std::move(stages);
  }

  // ---- memory

  void Place() {
    int64_t scratch = 0;
    FindRoots();
    for (const Instruction* value : info_.values()) {
      if (!value->shape().IsArray()) continue;
      Placement p;
      p.value = value;
      p.home = draft_.homes.at(value);
      if (p.home == Home::kRegional) {
        SetSlot(p);
      } else if (p.home == Home::kGlobal) {
        p.bytes = value->shape().byte_size();
        p.offset = scratch;
        scratch += RoundUp(p.bytes, kSlotAlign);
      } else if (p.home == Home::kBlock) {
        p.bytes = value->shape().byte_size();
      } else if (p.home == Home::kOutput) {
        const auto& outputs = kernel_.outputs;
        p.output = static_cast<int32_t>(std::find(outputs.begin(), outputs.end(), value) -
                                        outputs.begin());
        p.bytes = value->shape().byte_size();
        if (IsTurned(value)) {
          p.keep = Keep::kShared;
          SetSlot(p);
        }
      }
      if (const int64_t parts = PartialElements(value); parts > 0) {
        p.partial_bytes = parts * AccumulatorBytesOf(value->shape());
        p.partial_offset = scratch;
        scratch += RoundUp(p.partial_bytes, kSlotAlign);
      }
      kernel_.placements.push_back(p);
    }
    kernel_.launch.scratch_bytes = scratch;
    PackSlots(machine_, kernel_);
  }

  void FindRoots() {
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      for (const Stage& stage : kernel_.phases[p].stages) {
        for (const Root& root : stage.roots) roots_of_[root.value].push_back({p, &stage, &root});
      }
    }
  }

  const std::vector<RootAt>& RootsOf(const Instruction* value) const {
    static const auto& none = *new std::vector<RootAt>;
    const auto it = roots_of_.find(value);
    return it == roots_of_.end() ? none : it->second;
  }

  bool IsTurned(const Instruction* value) const {
    const std::vector<RootAt>& roots = RootsOf(value);
    return std::any_of(roots.begin(), roots.end(),
                       [](const RootAt& at) { return at.root->kind == RootKind::kTurn; });
  }

  // A slot for the largest tile of the phases that store P's value; several may, each for itself.
  void SetSlot(Placement& p) const {
    const Instruction* reduce = RegionInfo::ReduceOf(p.value);
    const int64_t element = ByteWidth(p.value->shape().element_type());
    int64_t elements = 1, pitch = 1, rows = 1;
    bool padded = false;
    for (const RootAt& at : RootsOf(reduce != nullptr ? reduce : p.value)) {
      if (at.root->partial) continue;
      const Phase& phase = kernel_.phases[at.phase];
      const int64_t width = reduce != nullptr ? 1 : WidthOf(*at.stage, phase);
      const int64_t apart = PitchOf(at.phase, *at.stage, width, element);
      padded |= apart > width;
      pitch = std::max(pitch, apart);
      rows = std::max(rows, phase.tile_rows);
      elements = std::max(elements, phase.tile_rows * width);
    }
    if (padded) {
      p.pitch = pitch;
      elements = rows * p.pitch;
    }
    p.bytes = elements * element;
  }

  // Elements from row to row of a slot that STAGE of phase NUMBER stores. A slot holds column after
  // column where one thread has a row.
  int64_t PitchOf(size_t number, const Stage& stage, int64_t width, int64_t element) const {
    const Phase& phase = kernel_.phases[number];
    const Turn turn = draft_.phases[number].turn;
    if (machine_.is_host() || width == 1 || turn == Turn::kRows || phase.threads_per_row == 1)
      return width;
    if (turn == Turn::kTile) return TurnedPitch(width, element);
    return SideBySidePitch(width, element, phase.threads_per_row, stage.vector);
  }

  // Columns of a row of STAGE that a task or chunk has.
  static int64_t WidthOf(const Stage& stage, const Phase& phase) {
    int64_t columns = 1;
    for (int64_t extent : stage.columns) columns *= extent;
    if (stage.chunk > 0) return std::min(columns, stage.chunk);
    return phase.columns_per_task(stage);
  }

  int64_t PartialElements(const Instruction* value) const {
    const Instruction* reduce = RegionInfo::ReduceOf(value);
    for (const RootAt& at : RootsOf(reduce != nullptr ? reduce : value)) {
      if (!at.root->partial) continue;
      if (at.root->kind == RootKind::kScan) return at.root->parts * at.root->partial_inner;
      return at.root->parts * value->shape().num_elements();
    }
    return 0;
  }

  // Non-temporal stores on the host: outputs that no cache would hold until they are read, and that
  // no later sweep reads again.
  void Streaming(const std::vector<PhaseShape>& shapes) {
    if (!machine_.is_host()) return;
    for (size_t p = 0; p < shapes.size(); ++p) {
      for (Stage& stage : kernel_.phases[p].stages) {
        bool output = false, read_later = false;
        int64_t bytes = 0;
        const bool last = p + 1 == shapes.size() && &stage == &kernel_.phases[p].stages.back();
        for (const Root& root : stage.roots) {
          const auto home = draft_.homes.find(root.value);
          if (root.kind != RootKind::kStore || home == draft_.homes.end() ||
              home->second != Home::kOutput)
            continue;
          output = true;
          const bool again = !info_.readers(root.value).empty() || info_.IsUpdated(root.value);
          read_later = read_later || (!last && again);
          bytes += root.value->shape().byte_size();
        }
        const bool along_columns = !stage.vector_rows || !stage.columns.empty();
        stage.streaming = output && !read_later && along_columns &&
                          bytes >= machine_.l3_bytes / 2 && shapes[p].bytes > machine_.l3_bytes;
      }
    }
  }

  // Where tasks share rows, sweeps of fewer columns than others are shared by as many tasks: else the
  // first tasks would have all of them. Nothing but memory may know who has which columns.
  void ShareColumns(const std::vector<PhaseShape>& shapes) {
    for (const Placement& place : kernel_.placements) {
      if (place.home == Home::kLocal && place.keep == Keep::kShared) return;
    }
    for (size_t p = 0; p < shapes.size(); ++p) {
      const PhaseDraft& draft = draft_.phases[p];
      if (!shapes[p].split_columns || draft.turn != Turn::kNone || shapes[p].scan_parts ||
          shapes[p].slot_bytes > 0 || !draft.reads_again.empty())
        continue;
      for (Stage& stage : kernel_.phases[p].stages) ShareColumns(kernel_.phases[p], stage);
    }
  }

  void ShareColumns(const Phase& phase, Stage& stage) const {
    constexpr int64_t kLine = 64;
    const bool combines = stage.roots[0].kind == RootKind::kCombine;
    if (combines || stage.columns.empty() || stage.vector_rows) return;
    int64_t columns = 1;
    for (int64_t extent : stage.columns) columns *= extent;
    const int64_t grain =
        machine_.is_host() ? kLine : int64_t{phase.threads_per_row} * stage.vector;
    const int64_t share = RoundUp(CeilDiv(columns, phase.col_tasks()), grain);
    if (share < phase.cols_per_task && share < columns) stage.cols_per_task = share;
  }

  // ---- launch

  void SetLaunch(const std::vector<PhaseShape>& shapes, int32_t block) {
    Launch& launch = kernel_.launch;
    int64_t tasks = 1, bytes = 0;
    bool barrier = false;
    for (size_t p = 0; p < shapes.size(); ++p) {
      if (!kernel_.phases[p].repeated) tasks = std::max(tasks, kernel_.phases[p].num_tasks());
      bytes += shapes[p].bytes;
      barrier |= kernel_.phases[p].waits_for_blocks();
    }
    if (machine_.is_host()) {
      constexpr int64_t kSerialBytes =
          128 << 10;  // below this a second worker costs more than it brings
      launch.grid = bytes < kSerialBytes ? 1 : std::min<int64_t>(machine_.workers, tasks);
      return;
    }
    launch.block = block;
    launch.cooperative = barrier;
    // Assume what the held columns need.
    const int64_t registers = AssumedRegisters(shapes);
    registers_fit_ = registers * block <= machine_.registers_per_sm;
    resident_ = SetResidency(machine_, registers, tasks, MostThatReadAgain(), kernel_);
    SetUnroll(shapes, int64_t{launch.blocks_per_sm} * block);
  }

  // Blocks whose tiles find in the last cache what a sweep before has read, if nothing else keeps it;
  // 0: any number, or never.
  int64_t MostThatReadAgain() const {
    int64_t most = 0;
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      int64_t bytes = 0;
      for (const Instruction* read : draft_.phases[p].reads_again) {
        const Placement* place = kernel_.FindPlacement(read);
        const bool kept = place != nullptr && place->keep != Keep::kNone;
        if (!kept && read->shape().IsArray() &&
            read->shape().byte_size() > RereadableBytes(machine_))
          bytes += TileBytesOf(*read, kernel_.phases[p]);
      }
      if (bytes == 0) continue;
      const int64_t blocks = RereadableBytes(machine_) / bytes;
      if (blocks >= machine_.num_sms && (most == 0 || blocks < most)) most = blocks;
    }
    return most;
  }

  // Vectors in flight a thread, so that THREADS of an SM have what DRAM delivers in 9.5 ns of the
  // whole machine's bandwidth under way; as far as sweeps are long and registers free. Where columns are
  // kept in registers, all are in flight as it is.
  void SetUnroll(const std::vector<PhaseShape>& shapes, int64_t threads) {
    constexpr double kLatencyNs = 9.5;
    constexpr int64_t kMost = 8, kFreeRegisters = 16;
    constexpr int64_t kOther = 24;  // registers for indices, addresses and temporaries
    const auto holds = [&](const Instruction* read) {
      const Placement* place = kernel_.FindPlacement(read);
      return place != nullptr && place->keep == Keep::kRegisters;
    };
    for (size_t p = 0; p < shapes.size(); ++p) {
      const std::vector<const Instruction*>& again = draft_.phases[p].reads_again;
      if (std::any_of(again.begin(), again.end(), holds)) continue;
      Phase& phase = kernel_.phases[p];
      const int64_t streams = std::max<int64_t>(shapes[p].streams, 1);
      const int64_t columns = RegistersOfColumns(shapes[p], phase, 0);
      const int64_t free =
          kernel_.launch.registers - columns - (columns > 0 ? OwnRegisters() : kOther);
      for (Stage& stage : phase.stages) {
        const bool of_columns =  // every column is in flight
            std::any_of(stage.roots.begin(), stage.roots.end(),
                        [](const Root& root) { return root.over == ReduceOver::kRows; });
        // The threads of a row meet at every vector that they scan.
        if (phase.threads_per_row == 1 || of_columns || shapes[p].scans) continue;
        if (shapes[p].scatter != nullptr) continue;
        // Threads that share a row's columns; and half of the time a tile is only written.
        const bool turns = draft_.phases[p].turn == Turn::kTile;
        const int64_t shares = stage.vector_rows ? kernel_.launch.block / phase.tile_rows
                                                 : int64_t{phase.threads_per_row};
        const int64_t sweeps = WidthOf(stage, phase) / (shares * stage.vector);
        const int64_t registers =
            std::max<int64_t>(1, stage.vector * shapes[p].element_bytes / 4) * streams;
        const double in_flight =
            static_cast<double>(threads * stage.vector * shapes[p].element_bytes * streams);
        const double wanted = (turns ? 2 : 1) * kLatencyNs * machine_.dram_gb_per_s / in_flight;
        int32_t unroll = 1;
        const int64_t lanes = stage.vector * streams;  // narrow floats are computed in f32
        const int64_t held =
            (columns > 0 ? std::max(registers, lanes) : registers) + AccumulatorRegisters(stage);
        while (unroll < kMost && unroll < wanted && (turns ? 2 : 4) * unroll <= sweeps &&
               (2 * unroll - 1) * registers <= kFreeRegisters && 2 * unroll * held <= free)
          unroll *= 2;
        stage.unroll = unroll;
      }
    }
  }

  // Registers in which one vector of STAGE is folded: narrow floats are in f32.
  static int64_t AccumulatorRegisters(const Stage& stage) {
    int64_t registers = 0;
    for (const Root& root : stage.roots) {
      if (root.kind != RootKind::kReduce) continue;
      const Shape& shape = root.value->shape();
      const int64_t results = shape.IsTuple() ? static_cast<int64_t>(shape.elements().size()) : 1;
      const int64_t bytes = ByteWidth(ArrayShapeOf(*root.value).element_type());
      registers += results * stage.vector * std::max<int64_t>(1, bytes / 4);
    }
    return registers;
  }

  // Registers of a thread for its columns of PHASE: of KEPT inputs, and of what it folds over rows.
  static int64_t RegistersOfColumns(const PhaseShape& shape, const Phase& phase, int64_t kept) {
    int32_t vector = 1;
    int64_t held = kept;
    for (const Stage& stage : phase.stages) {
      vector = std::max(vector, stage.vector);
      for (const Root& root : stage.roots) held += root.over == ReduceOver::kRows;
    }
    const int64_t columns = phase.cols_per_task > 0 ? phase.cols_per_task : shape.columns;
    return held * CeilDiv(columns, int64_t{phase.threads_per_row} * vector) * vector;
  }

  // Registers of a thread for addresses, indices and an expression's temporaries. A little more where
  // eight lanes are computed at once and where many buffers have addresses: else the assembler spills
  // (measured over the performance suite: up to 80 registers).
  int64_t OwnRegisters() const {
    constexpr int64_t kOwn = 64, kMore = 80, kManyBuffers = 64;
    bool more = static_cast<int64_t>(kernel_.inputs.size() + kernel_.outputs.size()) > kManyBuffers;
    for (const Phase& phase : kernel_.phases) {
      for (const Stage& stage : phase.stages) more |= stage.vector >= 8;
    }
    return more ? kMore : kOwn;
  }

  // Registers of a thread: its own, and the columns that it holds.
  int64_t AssumedRegisters(const std::vector<PhaseShape>& shapes) const {
    constexpr int64_t kMost = 224;
    constexpr int64_t kBesideKept = 8;  // where registers are kept, before sm_80
    constexpr int64_t kFoldsWide = 16;  // where eight lanes are computed beside sums of columns
    int64_t own = OwnRegisters(), kept = 0, most = 0;
    for (const Placement& placement : kernel_.placements)
      kept += placement.keep == Keep::kRegisters;
    if (kept > 0 && machine_.sm < 80) own += kBesideKept;
    int64_t updates = 0;
    for (size_t p = 0; p < shapes.size(); ++p) {
      const Phase& phase = kernel_.phases[p];
      if (shapes[p].scatter != nullptr) {
        updates = std::max(updates, RegistersOfUpdates(shapes[p], phase));
        continue;
      }
      const bool wide = std::any_of(phase.stages.begin(), phase.stages.end(),
                                    [](const Stage& stage) { return stage.vector >= 8; });
      const bool folds_wide = wide && RegistersOfColumns(shapes[p], phase, 0) > 0;
      most = std::max(most,
                      RegistersOfColumns(shapes[p], phase, kept) + (folds_wide ? kFoldsWide : 0));
    }
    return std::min(RoundUp(rules_.more_registers + std::max(own + most, updates), 8), kMost);
  }

  const RegionInfo& info_;
  const KernelDraft& draft_;
  absl::flat_hash_map<const Instruction*, std::vector<RootAt>> roots_of_;
  // Of each partial reduction: how many parts, and the distance of two.
  struct Parts {
    int64_t parts = 1, inner = 1;
  };

  const LaunchRules rules_;
  const MachineModel& machine_;
  int64_t resident_;
  bool registers_fit_ = true;
  KernelPlan kernel_;
  absl::flat_hash_map<const Instruction*, Parts> parts_;
  absl::flat_hash_map<const Instruction*, size_t> scanned_in_;  // the first phase with a root of it
};

// Sets KERNEL, and returns whether the registers that a block is expected to need are there.
bool MapBy(const LaunchRules& rules, const RegionInfo& info, const KernelDraft& draft,
           const MachineModel& machine, KernelPlan& kernel) {
  const int64_t expected = 2 * WantedTasks(machine);
  KernelMapper mapper(info, draft, rules, machine, expected);
  kernel = mapper.Run();
  // Whose tasks share rows by how many blocks are resident.
  const bool in_parts =
      kernel.launch.cooperative ||
      std::any_of(kernel.phases.begin(), kernel.phases.end(), [&](const Phase& phase) {
        return phase.rows.empty() && phase.num_tasks() > kernel.launch.grid;
      });
  if (!in_parts || mapper.resident() == expected) return mapper.registers_fit();
  KernelMapper again(info, draft, rules, machine, mapper.resident());
  kernel = again.Run();
  return again.registers_fit();
}

}  // namespace

KernelPlan MapKernel(const RegionInfo& info, const KernelDraft& draft,
                     const MachineModel& machine) {
  KernelPlan kernel;
  LaunchRules rules = draft.launch;
  const bool fits = MapBy(rules, info, draft, machine, kernel);
  if (fits || rules.block == 0) return kernel;
  rules.block = 0;
  MapBy(rules, info, draft, machine, kernel);
  return kernel;
}

}  // namespace astitch
