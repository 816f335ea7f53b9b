// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One walk a stage, from its roots to what they read, with how often each value is wanted.
#include "stitch/stage_work.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/gather_dims.h"
#include "ir/window_form.h"
#include "plan/kernel_flow.h"
#include "stitch/op_class.h"
#include "stitch/region_info.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

double Elements(const Instruction& value) {
  return static_cast<double>(ArrayShapeOf(value).num_elements());
}
double Width(const Instruction& value) { return ByteWidth(ArrayShapeOf(value).element_type()); }

// Elements of a window of VALUE that is no scan; 1 of others.
double WindowElements(const Instruction& value) {
  if (value.opcode() != Opcode::kReduceWindow || ScannedDim(value).has_value()) return 1;
  double elements = 1;
  for (const WindowDim& dim : value.as<WindowAttributes>().window)
    elements *= static_cast<double>(dim.size);
  return elements;
}

// Index vectors of a scatter.
double IndexVectors(const Instruction& scatter) {
  double vectors = 1;
  const Shape& updates = scatter.operand(scatter.num_operands() - 1)->shape();
  for (int64_t d : ScatterDimsOf(scatter).batch_dims)
    vectors *= static_cast<double>(updates.dim(d));
  return vectors;
}

// Windows of a scatter that are apart.
double Places(const Instruction& scatter) {
  const GatherDims dims = ScatterDimsOf(scatter);
  double places = 1;
  for (const std::vector<int64_t>& chosen : {dims.start_index_map, dims.operand_batching_dims}) {
    for (int64_t d : chosen) places *= static_cast<double>(scatter.operand(0)->shape().dim(d));
  }
  return places;
}

// Lane operations of one element of VALUE on MACHINE.
class OperationCosts {
 public:
  explicit OperationCosts(const MachineModel& machine) : machine_(machine) {}

  double Of(const Instruction& value) const {
    double cost = 0;
    if (value.opcode() == Opcode::kReduce || value.opcode() == Opcode::kReduceWindow) {
      for (const auto& inner : value.called()[0]->instructions()) cost += ElementCost(*inner);
      if (value.opcode() == Opcode::kReduceWindow)
        cost = (cost + kWindowStep) * WindowElements(value);
    } else {
      cost = DividesByConstant(value) ? kByConstant : ElementCost(value);
    }
    // Where it is no root, every element looks at all windows.
    if (value.opcode() == Opcode::kScatter && !machine_.is_host())
      cost = IndexVectors(value) * (OfComparing(value) + 1);
    if (!machine_.is_host() && UsesSpecialUnit(value))
      cost = std::max(cost, machine_.fp32_lanes_per_sm / machine_.special_lanes_per_sm);
    if (cost == 0) return IsLookedUp(value.opcode()) ? kLookUp : 0;
    return cost * TypeFactor(ArrayShapeOf(value).element_type()) + Rounding(value);
  }

  // Of a scatter's windows whose place a row compares with its own, each by a lane.
  double OfComparing(const Instruction& scatter) const {
    return kCompare * static_cast<double>(ScatterDimsOf(scatter).start_index_map.size());
  }

  // Of taking one element from memory or a slot, or bringing it there, VECTOR at a time. The host's
  // arithmetic takes one operand from memory by itself.
  double OfAccess(double vector) const { return machine_.is_host() ? kHostAccess : 1 / vector; }

 private:
  // Of a scan an exchange, of a window a look at its edges.
  static constexpr double kWindowStep = 8;
  static constexpr double kCompare = 2;  // a load of several indices, each compared
  static constexpr double kLookUp = 4;   // an address of its own
  static constexpr double kHostAccess = 0.5;
  static constexpr double kByConstant = 4;  // an integer divided by a constant: a multiplication
  static constexpr double kRound = 3;       // f32 to a narrow float
  static constexpr double kWideInteger = 3;

  static bool DividesByConstant(const Instruction& value) {
    if (value.opcode() != Opcode::kDivide && value.opcode() != Opcode::kRemainder) return false;
    const Instruction* by = value.operand(1);
    if (by->opcode() == Opcode::kBroadcast) by = by->operand(0);
    return IsInteger(value.shape().element_type()) && IsImmediate(*by);
  }
  static bool UsesSpecialUnit(const Instruction& value) {
    const Opcode opcode = value.opcode();
    return IsFloat(ArrayShapeOf(value).element_type()) &&
           (opcode == Opcode::kDivide || opcode == Opcode::kSqrt || opcode == Opcode::kRsqrt);
  }
  static bool IsLookedUp(Opcode opcode) {
    return opcode == Opcode::kGather || opcode == Opcode::kDynamicSlice ||
           opcode == Opcode::kDynamicUpdateSlice || opcode == Opcode::kScatter;
  }
  static bool IsNarrowFloat(const Instruction& value) {
    const ElementType type = ArrayShapeOf(value).element_type();
    return IsFloat(type) && ByteWidth(type) < 4;
  }
  double TypeFactor(ElementType type) const {
    if (ByteWidth(type) < 8) return 1;
    if (machine_.is_host()) return 2;
    return IsFloat(type) ? machine_.fp32_lanes_per_sm / machine_.fp64_lanes_per_sm : kWideInteger;
  }
  // Narrow floats are computed in f32 and rounded after each operation.
  double Rounding(const Instruction& value) const { return IsNarrowFloat(value) ? kRound : 0; }

  const MachineModel& machine_;
};

class Counter {
 public:
  Counter(const KernelPlan& kernel, const MachineModel& machine)
      : kernel_(kernel),
        machine_(machine),
        costs_(machine),
        inputs_(kernel.inputs.begin(), kernel.inputs.end()) {
    for (const Placement& place : kernel.placements) places_.emplace(place.value, &place);
    for (const Phase& phase : kernel.phases) {
      for (const Stage& stage : phase.stages) {
        for (const Root& root : stage.roots) {
          if (root.kind == RootKind::kScatter) scattered_.insert(root.value);
        }
      }
    }
  }

  std::vector<std::vector<StageWork>> Run() {
    std::vector<std::vector<StageWork>> works;
    for (const Phase& phase : kernel_.phases) works.emplace_back(phase.stages.size());
    const KernelFlow flow = FlowOf(kernel_);
    for (const KernelFlow::Sweep& sweep : flow.sweeps) {
      if (sweep.at.stage == 0) read_.clear();
      number_ = sweep.at.phase;
      phase_ = &kernel_.phases[number_];
      stage_ = &phase_->stages[sweep.at.stage];
      work_ = &works[sweep.at.phase][sweep.at.stage];
      CountStage(sweep);
      if (phase_->repeated) Repeat(static_cast<double>(kernel_.launch.grid));
    }
    return works;
  }

 private:
  void CountStage(const KernelFlow::Sweep& sweep) {
    wanted_.clear();
    stored_.clear();
    here_ = {sweep.values.begin(), sweep.values.end()};
    for (const Root& root : stage_->roots) CountRoot(root);
    // Readers before what they read.
    for (auto it = sweep.values.rbegin(); it != sweep.values.rend(); ++it) {
      const Instruction* value = *it;
      const double count = std::max(1.0, wanted_[value]);
      if (inputs_.contains(value)) {
        Read(value, count);
      } else {
        if (!scattered_.contains(value) || machine_.is_host())
          work_->operations += count * costs_.Of(*value);
        if (value->opcode() == Opcode::kGetTupleElement && !here_.contains(value->operand(0)))
          Read(value, count);  // an element of what was stored before has the home
        for (int64_t i = 0; i < value->num_operands(); ++i) {
          if (ReadsOperand(*value, i)) Want(value, value->operand(i), count);
        }
      }
    }
    for (const Instruction* value : stored_) Read(value, wanted_[value]);
  }

  // What each of BLOCKS does for itself: memory gives it once, the caches each time.
  void Repeat(double blocks) {
    work_->operations *= blocks;
    work_->moved_bytes *= blocks;
    work_->slot_bytes *= blocks;
  }

  void CountRoot(const Root& root) {
    const Instruction& value = *root.value;
    const double results = Elements(value);
    double& wanted = wanted_[root.value];
    const Placement* place = PlaceOf(&value);
    switch (root.kind) {
      case RootKind::kReduce:
        wanted = std::max(wanted, Elements(*value.operand(0)));
        work_->folds_columns |= root.over != ReduceOver::kRows;
        Parts(root, /*written=*/root.partial);
        if (root.partial) return;
        break;
      case RootKind::kCombine:
        Parts(root, false);
        work_->operations += results * static_cast<double>(root.parts) * costs_.Of(value);
        wanted = 1;
        break;
      case RootKind::kScan:
        wanted = std::max(wanted, results);
        work_->folds_columns = true;
        Parts(root, root.partial);
        if (root.partial) return;
        break;
      case RootKind::kScatter:
        wanted = std::max(wanted, Elements(*value.operand(value.num_operands() - 1)));
        work_->written_bytes += wanted * Width(value);
        if (!machine_.is_host()) Search(value, wanted);
        return;
      case RootKind::kTurn:
        wanted = std::max(wanted, results);
        work_->slot_bytes += results * Width(value);
        return;
      case RootKind::kStore:
        wanted = std::max(wanted, results);
        if (place != nullptr && place->keep == Keep::kShared)
          work_->slot_bytes += results * Width(value);
        break;
    }
    Write(value, place);
  }

  // Each row looks at the rows before it until it finds one with its place, and else at all others.
  // UPDATES: elements, which are combined with what is stored.
  void Search(const Instruction& scatter, double updates) {
    constexpr double kAtOnce = 256;  // rows that a warp looks at in a round
    const double rows = IndexVectors(scatter);
    const double looked_at = std::min(rows, 2 * Places(scatter));
    const auto parts = static_cast<double>(phase_->col_tasks());
    work_->operations += parts * rows * looked_at * costs_.OfComparing(scatter);
    work_->operations += 2 * updates * costs_.OfAccess(stage_->vector);
    work_->moved_bytes += 2 * updates * Width(scatter);
    work_->search_rounds = looked_at / kAtOnce;
  }

  // A tuple's elements have places of their own.
  void Write(const Instruction& value, const Placement* place) {
    if (value.shape().IsTuple()) {
      for (const Instruction* user : value.users()) {
        if (user->opcode() == Opcode::kGetTupleElement) Write(*user, PlaceOf(user));
      }
      return;
    }
    if (place == nullptr || place->home == Home::kLocal) return;
    const double bytes = Elements(value) * Width(value);
    work_->operations += Elements(value) * costs_.OfAccess(stage_->vector);
    if (IsOnChip(place->home)) {
      work_->slot_bytes += bytes;
    } else {
      work_->written_bytes += bytes;
      work_->moved_bytes += bytes;
    }
  }

  void Parts(const Root& root, bool written) {
    if (!written && !root.takes_parts()) return;
    const auto parts = static_cast<double>(root.parts);
    double results = Elements(*root.value);
    // Every task that scans a part of a row reads what all the others have left of it.
    if (root.kind == RootKind::kScan)
      results = static_cast<double>(root.partial_inner) * (written ? 1 : parts);
    const double bytes = results * parts * AccumulatorBytesOf(ArrayShapeOf(*root.value));
    (written ? work_->written_bytes : work_->first_bytes) += bytes;
    work_->moved_bytes += bytes;
  }

  // A scatter that is updated in place is first a copy of what it scatters into, then the updates.
  bool ReadsOperand(const Instruction& value, int64_t i) const {
    if (!scattered_.contains(&value)) return true;
    const bool copies = std::none_of(
        stage_->roots.begin(), stage_->roots.end(),
        [&](const Root& root) { return root.kind == RootKind::kScatter && root.value == &value; });
    return copies == (i < (value.num_operands() - 1) / 2);
  }

  // VALUE, evaluated COUNT times, wants its OPERAND.
  void Want(const Instruction* value, const Instruction* operand, double count) {
    if (IsImmediate(*operand)) return;
    if (operand->shape().IsArray() && operand->shape().num_elements() == 1) count = 1;
    count = Wanted(*value, *operand, count);
    // Elements that an index map picks are others for every reader; else they are those at hand.
    const bool adds =
        KindOf(value->opcode()) == OpKind::kIndexMap && value->opcode() != Opcode::kBroadcast;
    const auto [it, fresh] = wanted_.emplace(operand, 0);
    if (fresh && !here_.contains(operand)) stored_.push_back(operand);
    double& wanted = it->second;
    wanted = adds ? wanted + count : std::max(wanted, count);
  }

  // Of COUNT evaluations of VALUE, how many need another element of OPERAND.
  double Wanted(const Instruction& value, const Instruction& operand, double count) const {
    const double share = Elements(operand) / std::max(1.0, Elements(value));
    switch (value.opcode()) {
      case Opcode::kBroadcast: {
        const std::vector<int64_t>& kept = value.as<DimensionsAttributes>().dimensions;
        double inner = 1;  // of the loops inside of what names an element of OPERAND
        const int64_t last = kept.empty() ? -1 : kept.back();
        for (int64_t d = last + 1; d < value.shape().rank(); ++d)
          inner *= static_cast<double>(value.shape().dim(d));
        // The threads, or lanes, that share a row have each its own.
        const double sharing = machine_.is_host() ? machine_.vector_bytes / 4.0
                                                  : static_cast<double>(phase_->threads_per_row);
        return count * std::min(1.0, sharing / inner);
      }
      case Opcode::kReduceWindow:
        return &operand == value.operand(0) ? count * WindowElements(value) : 1;
      case Opcode::kConcatenate:
      case Opcode::kPad:
        return count * std::min(1.0, share);
      case Opcode::kScatter:
        if (!machine_.is_host() && &operand != value.operand(0)) return Elements(operand);
        return &operand == value.operand(0) ? count : count * std::min(1.0, share);
      case Opcode::kGather:
        return &operand == value.operand(0) ? count : count * std::min(1.0, share);
      default:
        return count;
    }
  }

  // COUNT elements of what lies in memory or in a slot.
  void Read(const Instruction* value, double count) {
    const Placement* place = PlaceOf(value);
    const double width = Width(*value);
    const bool computed = !inputs_.contains(value);
    if (computed && (place == nullptr || place->home == Home::kLocal)) return;
    if (computed && IsOnChip(place->home)) {
      work_->operations += count * costs_.OfAccess(stage_->vector);
      work_->slot_bytes += count * width;
      return;
    }
    if (place != nullptr && !computed) {
      const double stays = kernel_.StayingShare(*place, number_);
      work_->slot_bytes += stays * count * width;
      work_->operations += stays * count * costs_.OfAccess(stage_->vector);
      count *= 1 - stays;
      if (count == 0) return;
    }
    const bool first = read_.insert(value).second;
    const bool kept = place != nullptr && place->keep != Keep::kNone && !computed;
    if (!first && kept && place->keep == Keep::kRegisters) return;
    work_->operations += count * costs_.OfAccess(stage_->vector);
    if (!first && kept) {
      work_->slot_bytes += count * width;
      return;
    }
    const double bytes = width * std::min(count, Elements(*value));
    (first ? work_->first_bytes : work_->again_bytes) += bytes;
    // Each block reads it once, as the first-level cache has it then, and no more than is wanted.
    const double blocks = static_cast<double>(std::max<int64_t>(1, kernel_.launch.grid));
    work_->moved_bytes += std::min(width * count, width * Elements(*value) * blocks);
  }

  static bool IsOnChip(Home home) {
    return home == Home::kRegional || home == Home::kCluster || home == Home::kBlock;
  }

  const Placement* PlaceOf(const Instruction* value) const {
    const auto it = places_.find(value);
    return it == places_.end() ? nullptr : it->second;
  }

  const KernelPlan& kernel_;
  const MachineModel& machine_;
  const OperationCosts costs_;
  const absl::flat_hash_set<const Instruction*> inputs_;
  absl::flat_hash_set<const Instruction*> scattered_;  // copied, and updated later
  absl::flat_hash_map<const Instruction*, const Placement*> places_;
  size_t number_ = 0;  // of the phase
  const Phase* phase_ = nullptr;
  const Stage* stage_ = nullptr;
  StageWork* work_ = nullptr;
  absl::flat_hash_set<const Instruction*> here_, read_;  // of the stage, of the phase
  std::vector<const Instruction*> stored_;               // what the stage reads of earlier ones
  absl::flat_hash_map<const Instruction*, double> wanted_;
};

}  // namespace

std::vector<std::vector<StageWork>> WorkOf(const KernelPlan& kernel, const MachineModel& machine) {
  return Counter(kernel, machine).Run();
}

}  // namespace astitch
