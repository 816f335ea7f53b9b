// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ranks by one forward walk, sinking by one backward walk, groups by union-find inside a rank, and
// independent groups of a rank side by side.
#include "stitch/stitch_groups.h"

#include <algorithm>
#include <map>
#include <optional>

#include "stitch/op_class.h"
#include "stitch/recompute.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

// Inputs smaller than this do not pull otherwise unrelated operations into one region.
constexpr int64_t kSharedInputBytes = 64 << 10;

// Operations of a kernel: what the code generators and the assembler take in well under a second.
constexpr int64_t kMostOperations = 4000;
// A reduction is a loop, an exchange and a barrier, and what depends on it is another loop: to the
// assembler it is as much as so many operations (80 of them, 50 operations apart, took it 13 s).
constexpr int64_t kOperationsOfReduction = 32;
// Buffers of a kernel that is joined from independent groups: with two to spare for scratch and
// barrier, what fits in the 4 KiB of parameters that every driver has.
constexpr int64_t kMostParameters = 510;

// Rank, and part of the rank.
using Place = std::pair<int64_t, int64_t>;

class Stitcher {
 public:
  Stitcher(const ScopeGraph& scope, const MachineModel& machine)
      : scope_(scope),
        machine_(machine),
        rank_(scope.id_bound(), 0),
        part_(scope.id_bound(), 0),
        groups_(scope.id_bound()) {}

  Groups Run() {
    Rank();
    Sink();
    Divide();
    Recompute();
    Group();
    JoinIndependent();
    return std::move(groups_);
  }

 private:
  void Rank() {
    for (const Instruction* i : scope_.order()) {
      const Instruction* call = scope_.CallOf(i);
      if (call != nullptr && call != i) {
        rank_[i->id()] = rank_[call->id()];
      } else {
        rank_[i->id()] = call != nullptr ? RankOfCall(call) : RankInRegion(i);
      }
    }
  }

  // Calls that read each other's results have one rank, for no region has to run between them.
  int64_t RankOfCall(const Instruction* call) const {
    int64_t rank = 0;
    for (const Instruction* addend : scope_.AddendsOf(call))
      rank = std::max(rank, rank_[addend->id()]);
    std::vector<const Instruction*> stack = scope_.reads(call);
    while (!stack.empty()) {
      const Instruction* operand = stack.back();
      stack.pop_back();
      if (scope_.IsLibraryView(operand)) {
        stack.insert(stack.end(), operand->operands().begin(), operand->operands().end());
      } else {
        rank = std::max(rank, rank_[operand->id()]);
      }
    }
    return rank;
  }

  int64_t RankInRegion(const Instruction* i) const {
    int64_t rank = 0;
    for (const Instruction* operand : i->operands()) {
      int64_t after = rank_[operand->id()];
      if (scope_.IsLibrary(operand)) ++after;
      const bool alone = ScopeGraph::IsSolo(operand) || ScopeGraph::IsSolo(i);
      if (scope_.InRegion(operand) && alone && !ScopeGraph::IsReduceElement(*i)) ++after;
      rank = std::max(rank, after);
    }
    return rank;
  }

  // Moves what only later ranks read to the first rank that reads it.
  void Sink() {
    const auto& order = scope_.order();
    for (size_t n = order.size(); n-- > 0;) {
      const Instruction* i = order[n];
      if (!scope_.InRegion(i) || ScopeGraph::IsSolo(i) || ScopeGraph::IsReduceElement(*i) ||
          IsScatter(*i) || scope_.IsResult(i))
        continue;
      int64_t first = -1;
      for (const Instruction* reader : scope_.readers(i)) {
        const bool here = !scope_.ReadsFromMemory(*reader, i) && !ScopeGraph::IsSolo(reader);
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
    for (int64_t k = 0; k < i.num_operands(); ++k) {
      if (!IsImmediate(*i.operand(k)) && i.operand(k)->shape().IsArray())
        operand_bytes += BytesTaken(i, k);
    }
    return !i.shape().IsTuple() && operand_bytes <= 2 * i.shape().byte_size();
  }

  // What is looked up is stored by a loop of its own before.
  int64_t OperationsOf(const Instruction* i) const {
    bool loops = i->opcode() == Opcode::kReduce || IsScan(*i) || IsScatter(*i);
    for (int64_t k = 0; k < i->num_operands(); ++k)
      loops |= NeedsMemory(*i, k) && scope_.InRegion(i->operand(k));
    return loops ? kOperationsOfReduction : 1;
  }

  // Cuts ranks of more operations than a kernel may have: an operation goes where its operands are,
  // or to a later part when that is full. Parts wait for earlier parts only.
  void Divide() {
    std::map<Place, int64_t> count;
    for (const Instruction* i : scope_.order()) {
      if (!scope_.InRegion(i)) continue;
      int64_t part = 0;
      for (const Instruction* operand : i->operands()) {
        if (scope_.InRegion(operand) && rank_[operand->id()] == rank_[i->id()])
          part = std::max(part, part_[operand->id()]);
      }
      if (!ScopeGraph::IsReduceElement(*i)) {
        while (count[{rank_[i->id()], part}] >= kMostOperations) ++part;
        count[{rank_[i->id()], part}] += OperationsOf(i);
      }
      part_[i->id()] = part;
    }
  }

  // What is cheap is computed again by every kernel that reads it, if those are several; what library
  // calls read through, by every kernel that reads it.
  void Recompute() {
    const std::vector<bool> cheap = CheapFromMemory(scope_, machine_);
    // Where a value is evaluated, if in one place.
    std::vector<std::optional<Place>> only(scope_.id_bound());
    const auto& order = scope_.order();
    for (size_t n = order.size(); n-- > 0;) {
      const Instruction* i = order[n];
      if (!scope_.InRegion(i)) continue;
      only[i->id()] = PlaceOf(i);
      if (scope_.IsLibraryView(i) && MayEvaluateAtReaders(scope_, i)) {
        only[i->id()].reset();
        groups_.Inline(i);
        continue;
      }
      if (!cheap[i->id()]) continue;
      std::optional<Place> place = only[scope_.readers(i)[0]->id()];
      for (const Instruction* reader : scope_.readers(i)) {
        if (only[reader->id()] != place) place.reset();
      }
      if (place == PlaceOf(i)) continue;
      only[i->id()] = place;
      groups_.Inline(i);
    }
  }

  bool IsMember(const Instruction* i) const { return scope_.InRegion(i) && !groups_.IsInlined(i); }
  Place PlaceOf(const Instruction* i) const { return {rank_[i->id()], part_[i->id()]}; }

  void Group() {
    absl::flat_hash_map<std::pair<const Instruction*, Place>, const Instruction*> first_reader;
    for (const Instruction* i : scope_.order()) {
      if (!IsMember(i)) continue;
      if (ScopeGraph::IsReduceElement(*i)) groups_.Join(i, i->operand(0));
      if (ScopeGraph::IsSolo(i)) continue;
      for (const Instruction* operand : i->operands()) {
        if (groups_.IsInlined(operand)) continue;
        if (scope_.InRegion(operand) && !ScopeGraph::IsSolo(operand) &&
            PlaceOf(operand) == PlaceOf(i)) {
          groups_.Join(i, operand);
        } else if (!IsImmediate(*operand) && operand->shape().IsArray() &&
                   operand->shape().byte_size() >= kSharedInputBytes) {
          const auto [it, added] = first_reader.emplace(std::make_pair(operand, PlaceOf(i)), i);
          if (!added) groups_.Join(it->second, i);
        }
      }
    }
  }

  // What a group adds to a kernel.
  struct Size {
    int64_t operations = 0, parameters = 0;
  };

  std::map<int64_t, Size> Sizes() {
    std::map<int64_t, Size> sizes;
    absl::flat_hash_set<std::pair<int64_t, const Instruction*>> read;
    for (const Instruction* i : scope_.order()) {
      if (!IsMember(i)) continue;
      const int64_t group = groups_.Of(i);
      sizes[group].operations += OperationsOf(i);
      bool leaves = scope_.IsResult(i);
      for (const Instruction* reader : scope_.readers(i))
        leaves |= !IsMember(reader) || groups_.Of(reader) != group;
      sizes[group].parameters += leaves;
      for (const Instruction* operand : i->operands()) {
        const bool inside = IsMember(operand) && groups_.Of(operand) == group;
        if (!inside && !IsImmediate(*operand) && read.emplace(group, operand).second)
          ++sizes[group].parameters;
      }
    }
    return sizes;
  }

  // Remote stitching (AStitch 4.1): groups of one place wait for nothing of each other, and share a
  // launch as far as parameters go.
  void JoinIndependent() {
    struct Open {
      const Instruction* first = nullptr;
      Size size;
    };
    const std::map<int64_t, Size> sizes = Sizes();
    std::map<Place, Open> open;
    absl::flat_hash_set<int64_t> joined;
    for (const Instruction* i : scope_.order()) {
      if (!IsMember(i) || ScopeGraph::IsSolo(i)) continue;
      const int64_t group = groups_.Of(i);
      if (!joined.insert(group).second) continue;
      const Size& size = sizes.at(group);
      Open& kernel = open[PlaceOf(i)];
      if (kernel.first == nullptr || kernel.size.operations + size.operations > kMostOperations ||
          kernel.size.parameters + size.parameters > kMostParameters) {
        kernel = {i, size};
        continue;
      }
      groups_.Join(kernel.first, i);
      joined.insert(groups_.Of(i));
      kernel.size.operations += size.operations;
      kernel.size.parameters += size.parameters;
    }
  }

  const ScopeGraph& scope_;
  const MachineModel& machine_;
  std::vector<int64_t> rank_, part_;
  Groups groups_;
};

}  // namespace

Groups StitchGroups(const ScopeGraph& scope, const MachineModel& machine) {
  return Stitcher(scope, machine).Run();
}

}  // namespace astitch
