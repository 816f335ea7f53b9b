// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Checks that every operation has a step, groups them, and puts the groups in order.
#include "stitch/scope.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "stitch/baseline_groups.h"
#include "stitch/op_class.h"
#include "stitch/scope_graph.h"
#include "stitch/stitch_groups.h"

namespace astitch {
namespace {

// The interpreter has values of SHAPE.
bool IsPlain(const Shape& shape) {
  const std::vector<const Shape*> leaves = shape.Leaves();
  return std::all_of(leaves.begin(), leaves.end(), [](const Shape* leaf) {
    return leaf->IsArray() && !leaf->has_dynamic_dims();
  });
}

absl::Status CheckEvaluated(const Instruction& i) {
  if (ClassOf(i) == StitchClass::kRefused)
    return ErrorAt(i, "no kernel, library call or evaluation for this operation");
  if (IsPlain(i.shape())) return absl::OkStatus();
  return ErrorAt(i,
                 absl::StrCat("expected arrays of known dimensions, got ", i.shape().ToString()));
}

// That the interpreter knows CALL and all that it calls. SEEN: computations that have been looked at.
absl::Status CheckReference(const Instruction& call,
                            absl::flat_hash_set<const Computation*>& seen) {
  ASTITCH_RETURN_IF_ERROR(CheckEvaluated(call));
  std::vector<const Computation*> open(call.called().begin(), call.called().end());
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    if (!seen.insert(computation).second) continue;
    for (const auto& inner : computation->instructions()) {
      ASTITCH_RETURN_IF_ERROR(CheckEvaluated(*inner));
      open.insert(open.end(), inner->called().begin(), inner->called().end());
    }
  }
  return absl::OkStatus();
}

// A tuple over what a reference call reads, or part of what it gives.
bool IsOfReference(const ScopeGraph& scope, const Instruction& i) {
  if (i.opcode() == Opcode::kGetTupleElement) return scope.CallOf(&i) != nullptr;
  return std::all_of(i.users().begin(), i.users().end(), [&](const Instruction* user) {
    return user->opcode() == Opcode::kTuple || ScopeGraph::IsReference(user);
  });
}

absl::Status CheckSteps(const ScopeGraph& scope) {
  const Instruction* root = scope.graph().entry()->root();
  if (root->shape().IsTuple() && root->opcode() != Opcode::kTuple)
    return ErrorAt(*root,
                   "expected arrays or a tuple of them as results, got a tuple that is computed");
  absl::flat_hash_set<const Computation*> evaluated;
  for (const Instruction* i : scope.order()) {
    const StitchClass c = ClassOf(*i);
    if (c == StitchClass::kRefused)
      return ErrorAt(*i, "no kernel, library call or evaluation for this operation");
    if (c == StitchClass::kReference) {
      ASTITCH_RETURN_IF_ERROR(CheckReference(*i, evaluated));
    }
    if (c == StitchClass::kTuple && !ScopeGraph::IsReduceElement(*i) &&
        i != scope.graph().entry()->root() && !IsOfReference(scope, *i)) {
      return ErrorAt(*i, "tuples are planned only at the root of the graph");
    }
  }
  return absl::OkStatus();
}

class StepMaker {
 public:
  StepMaker(const ScopeGraph& scope, Groups& groups) : scope_(scope), groups_(groups) {}

  absl::StatusOr<std::vector<ScopeStep>> Run() {
    // A unit is a library call or a group; units are ordered by their dependences, ties by first
    // appearance.
    absl::flat_hash_map<int64_t, int64_t> unit_of;  // group or library id -> unit
    std::vector<std::vector<const Instruction*>> members;
    std::vector<int64_t> unit(scope_.id_bound(), -1);
    for (const Instruction* i : scope_.order()) {
      const bool library = scope_.IsLibrary(i);
      if (!library && (!scope_.InRegion(i) || groups_.IsInlined(i))) continue;
      const int64_t key = library ? scope_.CallOf(i)->id() : groups_.Of(i);
      const auto [it, added] = unit_of.emplace(key, static_cast<int64_t>(members.size()));
      if (added) members.emplace_back();
      members[it->second].push_back(i);
      unit[i->id()] = it->second;
    }
    for (auto& list : members) list = WithInlined(list);
    FindReadElsewhere(members, unit);
    ASTITCH_ASSIGN_OR_RETURN(const std::vector<int64_t> sorted, Sort(members, unit));
    std::vector<ScopeStep> steps;
    for (int64_t u : sorted) {
      ScopeStep step;
      step.library = scope_.CallOf(members[u].back());
      if (step.library == nullptr) {
        step.region = MakeRegion(members[u], unit, u);
        if (step.region.outputs.empty()) continue;  // dead
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

 private:
  // MEMBERS and the inlined operations they read, operands first.
  std::vector<const Instruction*> WithInlined(
      const std::vector<const Instruction*>& members) const {
    std::vector<const Instruction*> out, stack = members;
    absl::flat_hash_set<const Instruction*> seen(members.begin(), members.end());
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      out.push_back(i);
      for (const Instruction* operand : i->operands()) {
        if (groups_.IsInlined(operand) && seen.insert(operand).second) stack.push_back(operand);
      }
    }
    std::sort(out.begin(), out.end(), [this](const Instruction* a, const Instruction* b) {
      return scope_.position(a) < scope_.position(b);
    });
    return out;
  }

  void FindReadElsewhere(const std::vector<std::vector<const Instruction*>>& members,
                         const std::vector<int64_t>& unit) {
    read_elsewhere_.assign(unit.size(), false);
    for (size_t u = 0; u < members.size(); ++u) {
      for (const Instruction* i : members[u]) {
        for (const Instruction* operand : scope_.reads(i)) {
          if (unit[operand->id()] != static_cast<int64_t>(u)) read_elsewhere_[operand->id()] = true;
        }
      }
    }
  }

  // Kahn's algorithm, smallest unit first. A cycle would be a fault of the ranks: reported, never
  // run.
  absl::StatusOr<std::vector<int64_t>> Sort(
      const std::vector<std::vector<const Instruction*>>& members,
      const std::vector<int64_t>& unit) const {
    std::vector<std::vector<int64_t>> after(members.size());
    std::vector<int64_t> waits(members.size(), 0);
    for (size_t u = 0; u < members.size(); ++u) {
      for (const Instruction* i : members[u]) {
        for (const Instruction* operand : scope_.reads(i)) {
          const int64_t from = unit[operand->id()];
          if (from >= 0 && from != static_cast<int64_t>(u)) {
            after[from].push_back(static_cast<int64_t>(u));
            ++waits[u];
          }
        }
      }
    }
    std::map<int64_t, bool> ready;
    for (size_t u = 0; u < members.size(); ++u) {
      if (waits[u] == 0) ready[static_cast<int64_t>(u)] = true;
    }
    std::vector<int64_t> sorted;
    while (!ready.empty()) {
      const int64_t u = ready.begin()->first;
      ready.erase(ready.begin());
      sorted.push_back(u);
      for (int64_t next : after[u]) {
        if (--waits[next] == 0) ready[next] = true;
      }
    }
    if (sorted.size() != members.size())
      return absl::InternalError("regions wait for each other in a cycle");
    return sorted;
  }

  Region MakeRegion(const std::vector<const Instruction*>& members,
                    const std::vector<int64_t>& unit, int64_t u) {
    Region region;
    region.values = members;
    absl::flat_hash_set<const Instruction*> seen;
    const Instruction* largest = nullptr;
    for (const Instruction* i : members) {
      for (const Instruction* operand : i->operands()) {
        if (unit[operand->id()] == u || IsImmediate(*operand) || groups_.IsInlined(operand))
          continue;
        if (!seen.insert(operand).second) continue;
        region.inputs.push_back(operand);
      }
      const bool read_after = scope_.IsResult(i) || read_elsewhere_[i->id()];
      if (read_after && i->shape().IsArray() && unit[i->id()] == u) {
        region.outputs.push_back(i);
        largest = i;
      }
    }
    if (largest != nullptr) region.name = largest->name();
    for (const Instruction* i : members) {
      if (ScopeGraph::IsSolo(i)) region.solo_reason = absl::StrCat(ToString(i->opcode()), "-alone");
    }
    return region;
  }

  const ScopeGraph& scope_;
  Groups& groups_;
  std::vector<bool> read_elsewhere_;  // by id: read by a unit that it is not in
};

}  // namespace

bool IsImmediate(const Instruction& i) {
  return i.opcode() == Opcode::kConstant && i.shape().IsScalar();
}

std::vector<const Instruction*> GraphResults(const Graph& graph) {
  const Instruction* root = graph.entry()->root();
  if (root->opcode() != Opcode::kTuple) return {root};
  std::vector<const Instruction*> results;
  std::vector<const Instruction*> stack = {root};
  while (!stack.empty()) {
    const Instruction* i = stack.back();
    stack.pop_back();
    if (i->opcode() == Opcode::kTuple) {
      for (int64_t k = i->num_operands(); k-- > 0;) stack.push_back(i->operand(k));
    } else {
      results.push_back(i);
    }
  }
  return results;
}

absl::StatusOr<std::vector<ScopeStep>> FindScope(const Graph& graph, Fusion fusion,
                                                 const LibraryCalls* calls,
                                                 const MachineModel& machine) {
  const ScopeGraph scope(graph, calls);
  ASTITCH_RETURN_IF_ERROR(CheckSteps(scope));
  Groups groups =
      fusion == Fusion::kStitch ? StitchGroups(scope, machine) : BaselineGroups(scope, fusion);
  return StepMaker(scope, groups).Run();
}

}  // namespace astitch
