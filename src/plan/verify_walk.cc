// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Goes through the kernel as the emitter does, and through what every root evaluates as its
// evaluator does: a value that was stored is read from its home, any other one is evaluated from
// its operands, down to inputs and constants. Each element of a stage is looked at once.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/gather_dims.h"
#include "ir/window_form.h"
#include "plan/verify_homes.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

// Of one stage; more is a plan that evaluates without bound.
constexpr size_t kMostElements = 1 << 20;

bool HasOneElement(const Instruction& constant) {
  const auto bytes = constant.literal().bytes();
  const size_t width = ByteWidth(constant.shape().element_type());
  for (size_t at = width; at < bytes.size(); at += width) {
    if (!std::equal(bytes.begin(), bytes.begin() + width, bytes.begin() + at)) return false;
  }
  return true;
}

class Walker {
 public:
  Walker(const KernelView& view, bool complete) : view_(view), complete_(complete) {}

  absl::StatusOr<KernelUses> Run() {
    const std::vector<Phase>& phases = view_.kernel().phases;
    for (size_t p = 0; p < phases.size(); ++p) {
      for (size_t s = 0; s < phases[p].stages.size(); ++s) {
        at_ = {static_cast<int64_t>(p), static_cast<int64_t>(s)};
        ASTITCH_RETURN_IF_ERROR(WalkStage(phases[p], phases[p].stages[s]));
        Announce(phases[p].stages[s], true);
      }
      // Results of columns and of everything are there when the task is done.
      for (size_t s = 0; s < phases[p].stages.size(); ++s) {
        at_ = {static_cast<int64_t>(p), static_cast<int64_t>(s)};
        Announce(phases[p].stages[s], false);
      }
    }
    return std::move(uses_);
  }

 private:
  absl::Status WalkStage(const Phase& phase, const Stage& stage) {
    const std::vector<int64_t> extents = AxesOf(phase, stage);
    if (NumElementsOf(extents) == 0) return absl::OkStatus();
    AxisIndices indices(extents);
    HomeReader homes(view_, at_, indices);
    seen_.clear();
    scanned_.clear();
    for (const Root& root : stage.roots) {
      Start(indices, root);
      while (!stack_.empty()) {
        const Element element = stack_.back();
        stack_.pop_back();
        if (!element.value->shape().IsTuple() && element.value->shape().num_elements() == 0)
          continue;
        if (!seen_.insert(element).second) continue;
        if (seen_.size() > kMostElements)
          return view_.Fault(at_, root.value,
                             absl::StrCat("expected at most ", kMostElements,
                                          " elements of other values to be evaluated, got more"));
        ASTITCH_RETURN_IF_ERROR(Visit(indices, homes, element));
      }
      if (root.kind == RootKind::kScan && !root.partial && !ScansBackward(*root.value))
        scanned_.insert({root.value, 0, IndexOf(indices, root)});
    }
    return absl::OkStatus();
  }

  // Dimensions along which ROOT does not compute where its map says: what goes backward counts columns
  // from the end, and on a GPU a row of a scatter takes the updates of others, too.
  std::vector<int64_t> OtherPlaces(const Root& root) const {
    if (root.kind == RootKind::kScan && ScansBackward(*root.value))
      return {*ScannedDim(*root.value)};
    if (root.kind == RootKind::kScatter && !view_.one_thread())
      return ScatterDimsOf(*root.value).batch_dims;
    return {};
  }

  // Where ROOT computes.
  AxisIndices::Id IndexOf(AxisIndices& indices, const Root& root) const {
    std::vector<AxisDigits> dims;
    const std::vector<int64_t> others = OtherPlaces(root);
    for (const std::vector<int32_t>& axes : root.map) {
      const auto d = static_cast<int64_t>(dims.size());
      if (std::find(others.begin(), others.end(), d) != others.end()) {
        dims.push_back(AxisIndices::Unknown(MappedShape(root).dim(d)));
        continue;
      }
      AxisDigits digits;
      for (int32_t axis : axes) {
        const AxisDigits of = indices.Axis(axis);
        digits.insert(digits.end(), of.begin(), of.end());
      }
      dims.push_back(indices.Canonical(digits));
    }
    return indices.Number(dims);
  }

  // What the root itself evaluates.
  void Start(AxisIndices& indices, const Root& root) {
    const AxisIndices::Id at = IndexOf(indices, root), scalar = indices.Number({});
    const Instruction& value = *root.value;
    const int64_t width = value.num_operands() / 2;
    switch (root.kind) {
      case RootKind::kStore:
      case RootKind::kTurn:
        for (int64_t leaf = 0; leaf < NumLeaves(value); ++leaf) {
          // What will be updated starts as the operand, which a stage before may have turned.
          const bool operand = view_.IsScattered(&value) && !IsTurnedHere(value);
          stack_.push_back(operand ? Element{value.operand(leaf), 0, at}
                                   : Element{&value, leaf, at});
        }
        return;
      case RootKind::kReduce:
      case RootKind::kScan:
      case RootKind::kCombine:
        for (int64_t i = 0; i < width; ++i) {
          if (root.kind != RootKind::kCombine) Push(value, i, at);
          Push(value, width + i, scalar);
        }
        return;
      case RootKind::kScatter: {
        const Instruction* where = value.operand(width);
        std::vector<AxisDigits> anywhere;
        for (int64_t extent : where->shape().dims())
          anywhere.push_back(AxisIndices::Unknown(extent));
        Push(value, width, indices.Number(anywhere));
        for (int64_t i = width + 1; i < value.num_operands(); ++i) Push(value, i, at);
        return;
      }
    }
  }

  bool IsTurnedHere(const Instruction& value) const {
    const auto it = written_.find(&value);
    return it != written_.end() && it->second.place.phase == at_.phase &&
           it->second.root->kind == RootKind::kTurn;
  }

  void Push(const Instruction& reader, int64_t i, AxisIndices::Id at) {
    stack_.push_back({reader.operand(i), 0, at});
  }

  absl::Status Visit(AxisIndices& indices, HomeReader& homes, const Element& element) {
    if (view_.IsInput(element.value)) {
      const Placement* home = view_.HomeOf(element.value, 0);
      if (home != nullptr && home->keep == Keep::kShared) NoteSlot(home, -1, true);
      return absl::OkStatus();
    }
    if (scanned_.contains(element)) return absl::OkStatus();
    const auto it = written_.find(element.value);
    const Placement* home = view_.HomeOf(element.value, element.leaf);
    if (it == written_.end() || home == nullptr) return Evaluate(indices, element);
    ASTITCH_ASSIGN_OR_RETURN(const Reading reading, homes.Read(element, it->second, *home));
    if (reading != Reading::kAgain) NoteRead(home, it->second);
    return reading == Reading::kHome ? absl::OkStatus() : Evaluate(indices, element);
  }

  absl::Status Evaluate(AxisIndices& indices, const Element& element) {
    const Instruction& value = *element.value;
    if (value.opcode() == Opcode::kParameter)
      return view_.Fault(at_, &value, "expected to be an input of the kernel, which reads it");
    if (value.opcode() == Opcode::kConstant) {
      if (HasOneElement(value)) return absl::OkStatus();
      return view_.Fault(at_, &value,
                         "expected a constant of different elements to be an input of the kernel");
    }
    if (!IsEvaluated(value))
      return view_.Fault(at_, &value,
                         absl::StrCat("expected an operation that a kernel can evaluate, got ",
                                      ToString(value.opcode())));
    if (value.opcode() == Opcode::kReduce)
      return view_.Fault(at_, &value,
                         "expected a root before this that folds it, got none whose result is "
                         "there");
    if (complete_ && value.shape().IsArray() && view_.HomeOf(&value, 0) == nullptr)
      return view_.Fault(at_, &value, "expected a place for a value that the kernel computes");
    AppendOperands(indices, element, stack_);
    return absl::OkStatus();
  }

  // From now on readers find what the roots of STAGE have written.
  void Announce(const Stage& stage, bool of_rows) {
    for (const Root& root : stage.roots) {
      if (root.leaves_parts()) continue;
      const bool reduces = root.kind == RootKind::kReduce;
      if (reduces && ((root.over == ReduceOver::kColumns) != of_rows)) continue;
      if (!reduces && !of_rows) continue;
      written_[root.value] = {at_, &root};
      for (int64_t leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
        const Placement* home = view_.HomeOf(root.value, leaf);
        if (home == nullptr) continue;
        const bool slot = home->home == Home::kRegional || home->home == Home::kCluster ||
                          root.kind == RootKind::kTurn;
        if (slot) NoteSlot(home, at_.stage, false);
        NoteArray(home);
      }
    }
  }

  void NoteRead(const Placement* home, const Writer& writer) {
    const bool slot = home->home == Home::kRegional || home->home == Home::kCluster ||
                      writer.root->kind == RootKind::kTurn;
    if (slot) NoteSlot(home, at_.stage, true);
    NoteArray(home);
  }

  // A slot is taken from stage FIRST on, to this one; READ: it was before.
  void NoteSlot(const Placement* home, int64_t first, bool read) {
    const auto [from, to] =
        ChunkGroup(view_.kernel().phases[at_.phase], std::max<int64_t>(at_.stage, 0));
    if (first >= 0) first = std::min(first, from);
    const auto [it, fresh] = slots_.emplace(std::make_pair(home, at_.phase), uses_.slots.size());
    if (fresh) uses_.slots.push_back({home, at_.phase, first, to});
    KernelUses::Slot& slot = uses_.slots[it->second];
    if (!read) slot.first = std::min(slot.first, first);
    slot.last = std::max(slot.last, to);
  }

  // What is there from phase to phase.
  void NoteArray(const Placement* home) {
    if (home->home != Home::kGlobal && home->home != Home::kBlock) return;
    auto& arrays = home->home == Home::kGlobal ? uses_.scratch : uses_.blocks;
    const auto [it, fresh] = arrays_.emplace(home, arrays.size());
    if (fresh) arrays.push_back({home, at_.phase, at_.phase});
    arrays[it->second].last = std::max(arrays[it->second].last, at_.phase);
  }

  const KernelView& view_;
  const bool complete_;
  PlanPlace at_;
  absl::flat_hash_map<const Instruction*, Writer> written_;
  std::vector<Element> stack_;
  absl::flat_hash_set<Element> seen_;
  // Where scans of the stage leave what they come to, for the roots behind them.
  absl::flat_hash_set<Element> scanned_;
  KernelUses uses_;
  absl::flat_hash_map<std::pair<const Placement*, int64_t>, size_t> slots_;
  absl::flat_hash_map<const Placement*, size_t> arrays_;
};

}  // namespace

absl::StatusOr<KernelUses> WalkKernel(const KernelView& view, bool complete) {
  return Walker(view, complete).Run();
}

}  // namespace astitch::plan_check
