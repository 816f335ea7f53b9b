// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ranks by one forward walk, sinking by one backward walk, regions by union-find inside a rank.
#include "stitch/scope.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "stitch/op_class.h"

namespace astitch {
namespace {

// Inputs smaller than this do not pull otherwise unrelated operations into one region.
constexpr int64_t kSharedInputBytes = 64 << 10;

bool Computes(const Instruction& i) {
  const StitchClass c = ClassOf(i);
  return c == StitchClass::kStitch || c == StitchClass::kReduce || c == StitchClass::kSolo;
}

// get-tuple-element of a variadic reduction belongs to it.
bool IsReduceElement(const Instruction& i) {
  return i.opcode() == Opcode::kGetTupleElement && Computes(*i.operand(0));
}

// Operand I of a stitched operation that must lie in memory before the operation runs: it is read
// at indices that depend on values, so that evaluating it in place would compute elements again and
// again.
bool NeedsMemory(const Instruction& reader, int64_t i) {
  return reader.opcode() == Opcode::kGather && i == 0;
}

class Scope {
 public:
  Scope(const Graph& graph, const ScopeOptions& options) : graph_(graph), options_(options) {
    for (Instruction* i : graph.entry()->post_order()) order_.push_back(i);
    rank_.assign(graph.entry()->id_bound(), 0);
    position_.assign(graph.entry()->id_bound(), 0);
    for (size_t n = 0; n < order_.size(); ++n) position_[order_[n]->id()] = static_cast<int64_t>(n);
    for (const Instruction* result : GraphResults(graph)) results_.insert(result);
    for (const Instruction* i : order_) {
      for (const Instruction* operand : i->operands()) readers_[operand].push_back(i);
    }
  }

  absl::StatusOr<std::vector<ScopeStep>> Run() {
    for (const Instruction* i : order_) {
      const StitchClass c = ClassOf(*i);
      if (c == StitchClass::kRefused)
        return ErrorAt(*i, "no kernel or library call for this operation");
      if (c == StitchClass::kTuple && !IsReduceElement(*i) && i != graph_.entry()->root()) {
        return ErrorAt(*i, "tuples are planned only at the root of the graph");
      }
    }
    Rank();
    if (!options_.one_kernel_per_op) Sink();
    return Steps();
  }

 private:
  bool InRegion(const Instruction* i) const { return Computes(*i) || IsReduceElement(*i); }
  bool Solo(const Instruction* i) const { return ClassOf(*i) == StitchClass::kSolo; }

  void Rank() {
    for (const Instruction* i : order_) {
      int64_t rank = 0;
      for (int64_t k = 0; k < i->num_operands(); ++k) {
        const Instruction* operand = i->operand(k);
        int64_t after = rank_[operand->id()];
        const bool computed = InRegion(operand);
        if (ClassOf(*operand) == StitchClass::kLibrary) ++after;
        if (computed && (Solo(operand) || Solo(i) || NeedsMemory(*i, k)) && !IsReduceElement(*i))
          ++after;
        rank = std::max(rank, after);
      }
      rank_[i->id()] = rank;
    }
  }

  // Moves what only later ranks read to the first rank that reads it.
  void Sink() {
    for (size_t n = order_.size(); n-- > 0;) {
      const Instruction* i = order_[n];
      if (!InRegion(i) || Solo(i) || IsReduceElement(*i) || results_.contains(i)) continue;
      int64_t first = -1;
      for (const Instruction* reader : readers_[i]) {
        bool here = InRegion(reader) && !Solo(reader);
        for (int64_t k = 0; k < reader->num_operands(); ++k)
          here &= reader->operand(k) != i || !NeedsMemory(*reader, k);
        const int64_t rank = here ? rank_[reader->id()] : rank_[i->id()];
        first = first < 0 ? rank : std::min(first, rank);
      }
      if (first > rank_[i->id()] && Shrinks(*i)) rank_[i->id()] = first;
    }
  }

  // Sinking a value trades its bytes for those of its operands; reductions stay, since their inputs
  // are larger.
  static bool Shrinks(const Instruction& i) {
    int64_t operand_bytes = 0;
    for (const Instruction* operand : i.operands()) {
      if (!IsImmediate(*operand) && operand->shape().IsArray())
        operand_bytes += operand->shape().byte_size();
    }
    return !i.shape().IsTuple() && operand_bytes <= 2 * i.shape().byte_size();
  }

  int64_t Root(int64_t n) {
    while (group_[n] != n) n = group_[n] = group_[group_[n]];
    return n;
  }
  void Join(const Instruction* a, const Instruction* b) {
    const int64_t x = Root(a->id()), y = Root(b->id());
    group_[std::max(x, y)] = std::min(x, y);
  }

  // The unfused baseline computes each operation by a kernel, but broadcasts and reshapes are views
  // there, as in every eager framework: evaluated by their readers, never stored unless somebody
  // needs them in memory.
  bool IsView(const Instruction* i) const {
    if (!options_.one_kernel_per_op || results_.contains(i)) return false;
    if (i->opcode() != Opcode::kBroadcast && i->opcode() != Opcode::kReshape) return false;
    const auto it = readers_.find(i);
    if (it == readers_.end()) return false;
    for (const Instruction* reader : it->second) {
      if (!InRegion(reader)) return false;
      for (int64_t k = 0; k < reader->num_operands(); ++k) {
        if (reader->operand(k) == i && NeedsMemory(*reader, k)) return false;
      }
    }
    return true;
  }

  // MEMBERS and the views they read, operands first.
  std::vector<const Instruction*> WithViews(const std::vector<const Instruction*>& members) const {
    if (!options_.one_kernel_per_op) return members;
    std::vector<const Instruction*> out, stack = members;
    absl::flat_hash_set<const Instruction*> seen(members.begin(), members.end());
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      out.push_back(i);
      for (const Instruction* operand : i->operands()) {
        if (IsView(operand) && seen.insert(operand).second) stack.push_back(operand);
      }
    }
    std::sort(out.begin(), out.end(), [this](const Instruction* a, const Instruction* b) {
      return position_[a->id()] < position_[b->id()];
    });
    return out;
  }

  void Group() {
    group_.resize(rank_.size());
    std::iota(group_.begin(), group_.end(), 0);
    absl::flat_hash_map<std::pair<const Instruction*, int64_t>, const Instruction*> first_reader;
    for (const Instruction* i : order_) {
      if (!InRegion(i)) continue;
      if (IsReduceElement(*i)) Join(i, i->operand(0));
      if (options_.one_kernel_per_op || Solo(i)) continue;
      for (const Instruction* operand : i->operands()) {
        if (InRegion(operand) && !Solo(operand) && rank_[operand->id()] == rank_[i->id()]) {
          Join(i, operand);
        } else if (!IsImmediate(*operand) && operand->shape().IsArray() &&
                   operand->shape().byte_size() >= kSharedInputBytes) {
          const auto [it, added] = first_reader.emplace(std::make_pair(operand, rank_[i->id()]), i);
          if (!added) Join(it->second, i);
        }
      }
    }
  }

  absl::StatusOr<std::vector<ScopeStep>> Steps() {
    Group();
    // A unit is a library call or a group; units are ordered by their dependences, ties by first
    // appearance.
    absl::flat_hash_map<int64_t, int64_t> unit_of;  // group root or library id -> unit
    std::vector<std::vector<const Instruction*>> members;
    std::vector<int64_t> unit(rank_.size(), -1);
    for (const Instruction* i : order_) {
      const bool library = ClassOf(*i) == StitchClass::kLibrary;
      if (!library && (!InRegion(i) || IsView(i))) continue;
      const int64_t key = library ? i->id() : Root(i->id());
      const auto [it, added] = unit_of.emplace(key, static_cast<int64_t>(members.size()));
      if (added) members.emplace_back();
      members[it->second].push_back(i);
      unit[i->id()] = it->second;
    }
    for (auto& list : members) list = WithViews(list);
    ASTITCH_ASSIGN_OR_RETURN(const std::vector<int64_t> sorted, Sort(members, unit));
    std::vector<ScopeStep> steps;
    for (int64_t u : sorted) {
      ScopeStep step;
      if (ClassOf(*members[u].back()) == StitchClass::kLibrary) {
        step.library = members[u].back();
      } else {
        step.region = MakeRegion(members[u], unit, u);
        if (step.region.outputs.empty()) continue;  // dead
      }
      steps.push_back(std::move(step));
    }
    return steps;
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
        for (const Instruction* operand : i->operands()) {
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
        if (unit[operand->id()] == u || IsImmediate(*operand) || IsView(operand)) continue;
        if (!seen.insert(operand).second) continue;
        region.inputs.push_back(operand);
      }
      bool read_after = results_.contains(i);
      for (const Instruction* reader : readers_[i]) {
        read_after |= IsView(reader) || (unit[reader->id()] != u && unit[reader->id()] >= 0);
      }
      if (read_after && i->shape().IsArray() && unit[i->id()] == u) {
        region.outputs.push_back(i);
        largest = i;
      }
    }
    if (largest != nullptr) region.name = largest->name();
    for (const Instruction* i : members) {
      if (Solo(i)) region.solo_reason = absl::StrCat(ToString(i->opcode()), "-alone");
    }
    return region;
  }

  const Graph& graph_;
  const ScopeOptions& options_;
  std::vector<const Instruction*> order_;
  std::vector<int64_t> rank_, position_, group_;
  absl::flat_hash_set<const Instruction*> results_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> readers_;
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

absl::StatusOr<std::vector<ScopeStep>> FindScope(const Graph& graph, const ScopeOptions& options) {
  return Scope(graph, options).Run();
}

}  // namespace astitch
