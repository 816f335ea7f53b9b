// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From the roots of each stage upwards, to what was stored before and to inputs.
#include "plan/kernel_flow.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

class Walk {
 public:
  explicit Walk(const KernelPlan& kernel)
      : kernel_(kernel), inputs_(kernel.inputs.begin(), kernel.inputs.end()) {
    for (const Placement& placement : kernel.placements)
      places_.emplace(placement.value, &placement);
    for (const Phase& phase : kernel.phases) {
      for (const Stage& stage : phase.stages) {
        for (const Root& root : stage.roots) {
          if (root.kind == RootKind::kScatter) scattered_.insert(root.value);
        }
      }
    }
  }

  KernelFlow Run() {
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      const std::vector<Stage>& stages = kernel_.phases[p].stages;
      for (size_t s = 0; s < stages.size(); ++s) {
        at_ = {static_cast<int32_t>(p), static_cast<int32_t>(s)};
        seen_.clear();
        flow_.sweeps.push_back({at_, {}});
        for (const Root& root : stages[s].roots) Evaluate(root);
        for (const Root& root : stages[s].roots) {
          if (!root.leaves_parts()) written_[root.value] = at_;
        }
      }
    }
    for (KernelFlow::Edge& edge : flow_.edges) edge.again = ReadsAgain(edge);
    return std::move(flow_);
  }

 private:
  // Operands first, without recursion: a value is told when it is met for the second time.
  void Evaluate(const Root& root) {
    std::vector<std::pair<const Instruction*, bool>> stack;
    // A slot of an earlier phase is gone: the value is made once more.
    const bool again =
        root.kind == RootKind::kStore && written_.contains(root.value) && IsStored(root.value);
    const bool turned = again && written_.at(root.value).phase == at_.phase;
    if (turned || (again && root.value->opcode() != Opcode::kScatter)) return;
    Open(root.value, &root, stack);
    while (!stack.empty()) {
      const auto [value, opened] = stack.back();
      stack.pop_back();
      if (opened) {
        Tell(value, false);
      } else if (inputs_.contains(value)) {
        if (seen_.insert(value).second) Tell(value, true);
      } else if (!IsStored(value)) {
        Open(value, nullptr, stack);
      }
    }
  }

  // Notes the edges into VALUE and what they need. ROOT: of which it is one; it may fold.
  void Open(const Instruction* value, const Root* root,
            std::vector<std::pair<const Instruction*, bool>>& stack) {
    if (!seen_.insert(value).second) return;
    stack.emplace_back(value, true);
    const int64_t width = value->num_operands() / 2;
    for (int64_t i = value->num_operands(); i-- > 0;) {
      if (root != nullptr && root->kind == RootKind::kCombine && i < width) continue;
      if (root != nullptr && root->kind == RootKind::kScatter && i < width) continue;
      if (root != nullptr && root->kind == RootKind::kStore && scattered_.contains(value) &&
          i >= width)
        continue;
      Read(value->operand(i), value);
      stack.emplace_back(value->operand(i), false);
    }
  }

  bool IsStored(const Instruction* value) const {
    if (value->opcode() == Opcode::kGetTupleElement && written_.contains(value->operand(0)))
      return false;  // opened: it has the home, its operand was stored
    const auto it = written_.find(value);
    if (it == written_.end()) return false;
    const Placement* place = PlaceOf(value);
    const bool slot = place != nullptr && place->home == Home::kRegional;
    return !slot || it->second.phase == at_.phase;  // slots are of one phase
  }

  const Placement* PlaceOf(const Instruction* value) const {
    const auto it = places_.find(value);
    return it == places_.end() ? nullptr : it->second;
  }

  void Read(const Instruction* operand, const Instruction* reader) {
    Home home = Home::kLocal;
    // An element of a tuple is read from the element's own home, by whoever reads the element.
    const bool element =
        operand->opcode() == Opcode::kGetTupleElement && written_.contains(operand->operand(0));
    if (element || (!operand->shape().IsTuple() && IsStored(operand))) {
      const Placement* place = PlaceOf(operand);
      if (place != nullptr) home = place->home;
    }
    const auto [it, fresh] = numbers_.emplace(std::make_pair(operand, reader), flow_.edges.size());
    if (fresh) flow_.edges.push_back({operand, reader, home, false, {}});
    KernelFlow::Edge& edge = flow_.edges[it->second];
    if (home != Home::kLocal) edge.home = home;
    if (edge.stages.empty() || !(edge.stages.back() == at_)) edge.stages.push_back(at_);
  }

  // What is kept is there for the later stages of its phase.
  bool ReadsAgain(const KernelFlow::Edge& edge) const {
    if (!inputs_.contains(edge.producer)) return false;
    const Placement* place = PlaceOf(edge.producer);
    const bool kept = place != nullptr && place->keep != Keep::kNone;
    const std::vector<StageId>& reads = flow_.values[told_.at(edge.producer)].stages;
    return std::any_of(edge.stages.begin(), edge.stages.end(), [&](StageId at) {
      if (at == reads.front()) return false;
      return !kept || at == *std::find_if(reads.begin(), reads.end(),
                                          [&](StageId read) { return read.phase == at.phase; });
    });
  }

  void Tell(const Instruction* value, bool input) {
    const auto [it, fresh] = told_.emplace(value, flow_.values.size());
    if (fresh) flow_.values.push_back({value, input, {}});
    flow_.values[it->second].stages.push_back(at_);
    flow_.sweeps.back().values.push_back(value);
  }

  const KernelPlan& kernel_;
  absl::flat_hash_set<const Instruction*> inputs_, scattered_;
  absl::flat_hash_map<const Instruction*, const Placement*> places_;
  StageId at_;
  absl::flat_hash_set<const Instruction*> seen_;
  absl::flat_hash_map<const Instruction*, StageId> written_;
  absl::flat_hash_map<std::pair<const Instruction*, const Instruction*>, size_t> numbers_;
  absl::flat_hash_map<const Instruction*, size_t> told_;
  KernelFlow flow_;
};

}  // namespace

KernelFlow FlowOf(const KernelPlan& kernel) { return Walk(kernel).Run(); }

}  // namespace astitch
