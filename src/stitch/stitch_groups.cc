// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ranks by one forward walk, sinking by one backward walk, groups by union-find inside a rank.
#include "stitch/stitch_groups.h"

#include <algorithm>

#include "stitch/scope.h"

namespace astitch {
namespace {

// Inputs smaller than this do not pull otherwise unrelated operations into one region.
constexpr int64_t kSharedInputBytes = 64 << 10;

class Stitcher {
 public:
  explicit Stitcher(const ScopeGraph& scope)
      : scope_(scope), rank_(scope.id_bound(), 0), groups_(scope.id_bound()) {}

  Groups Run() {
    Rank();
    Sink();
    Group();
    return std::move(groups_);
  }

 private:
  void Rank() {
    for (const Instruction* i : scope_.order()) {
      int64_t rank = 0;
      for (int64_t k = 0; k < i->num_operands(); ++k) {
        const Instruction* operand = i->operand(k);
        int64_t after = rank_[operand->id()];
        const bool computed = ScopeGraph::InRegion(operand);
        if (ScopeGraph::IsLibrary(operand)) ++after;
        const bool alone =
            ScopeGraph::IsSolo(operand) || ScopeGraph::IsSolo(i) || ScopeGraph::NeedsMemory(*i, k);
        if (computed && alone && !ScopeGraph::IsReduceElement(*i)) ++after;
        rank = std::max(rank, after);
      }
      rank_[i->id()] = rank;
    }
  }

  // Moves what only later ranks read to the first rank that reads it.
  void Sink() {
    const auto& order = scope_.order();
    for (size_t n = order.size(); n-- > 0;) {
      const Instruction* i = order[n];
      if (!ScopeGraph::InRegion(i) || ScopeGraph::IsSolo(i) || ScopeGraph::IsReduceElement(*i) ||
          scope_.IsResult(i))
        continue;
      int64_t first = -1;
      for (const Instruction* reader : scope_.readers(i)) {
        const bool here = !ScopeGraph::ReadsFromMemory(*reader, i) && !ScopeGraph::IsSolo(reader);
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

  void Group() {
    absl::flat_hash_map<std::pair<const Instruction*, int64_t>, const Instruction*> first_reader;
    for (const Instruction* i : scope_.order()) {
      if (!ScopeGraph::InRegion(i)) continue;
      if (ScopeGraph::IsReduceElement(*i)) groups_.Join(i, i->operand(0));
      if (ScopeGraph::IsSolo(i)) continue;
      for (const Instruction* operand : i->operands()) {
        if (ScopeGraph::InRegion(operand) && !ScopeGraph::IsSolo(operand) &&
            rank_[operand->id()] == rank_[i->id()]) {
          groups_.Join(i, operand);
        } else if (!IsImmediate(*operand) && operand->shape().IsArray() &&
                   operand->shape().byte_size() >= kSharedInputBytes) {
          const auto [it, added] = first_reader.emplace(std::make_pair(operand, rank_[i->id()]), i);
          if (!added) groups_.Join(it->second, i);
        }
      }
    }
  }

  const ScopeGraph& scope_;
  std::vector<int64_t> rank_;
  Groups groups_;
};

}  // namespace

Groups StitchGroups(const ScopeGraph& scope) { return Stitcher(scope).Run(); }

}  // namespace astitch
