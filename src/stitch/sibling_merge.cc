// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels are nodes of a graph; each merge asks for a path from one to the other by way of a third.
#include "stitch/sibling_merge.h"

#include <algorithm>
#include <map>
#include <set>

#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

// Inputs and outputs of one kernel.
constexpr size_t kMostParameters = 96;

class Merger {
 public:
  Merger(const ScopeGraph& scope, Groups& groups) : scope_(scope), groups_(groups) {}

  void Run() {
    FindKernels();
    // Readers of one value, and then a value with its readers.
    for (const Instruction* value : scope_.order()) {
      if (IsImmediate(*value) || groups_.IsInlined(value)) continue;
      const auto it = kernels_of_.find(value->id());
      if (it == kernels_of_.end()) continue;
      std::vector<int64_t> near(it->second.begin(), it->second.end());
      if (IsKernel(value)) near.insert(near.begin(), groups_.Of(value));
      for (size_t a = 0; a < near.size(); ++a) {
        for (size_t b = a + 1; b < std::min(near.size(), a + kNear); ++b)
          TryMerge(near[a], near[b]);
      }
    }
  }

 private:
  static constexpr size_t kNear = 8;  // neighbours tried of each reader of a value

  struct Kernel {
    const Instruction* hero = nullptr;  // its largest operation that is stored
    std::set<int64_t> before, after;    // kernels and library calls, by group
    std::set<int64_t> reads;            // values, by id
    std::vector<const Instruction*> members;
  };

  bool IsKernel(const Instruction* i) const {
    return scope_.InRegion(i) && !groups_.IsInlined(i) && !ScopeGraph::IsSolo(i) && !IsScatter(*i);
  }
  bool IsNode(const Instruction* i) const {
    return scope_.IsLibrary(i) || (scope_.InRegion(i) && !groups_.IsInlined(i));
  }

  void FindKernels() {
    for (const Instruction* i : scope_.order()) {
      if (!IsNode(i)) continue;
      const int64_t of = groups_.Of(i);
      Kernel& kernel = kernels_[of];
      kernel.members.push_back(i);
      if (IsKernel(i) && i->opcode() != Opcode::kGetTupleElement) kernel.hero = i;
      std::vector<const Instruction*> stack = {i};
      absl::flat_hash_set<const Instruction*> seen;
      while (!stack.empty()) {
        const Instruction* at = stack.back();
        stack.pop_back();
        for (const Instruction* operand : scope_.reads(at)) {
          if (!seen.insert(operand).second) continue;
          if (groups_.IsInlined(operand)) {
            stack.push_back(operand);
          } else if (!IsNode(operand) || groups_.Of(operand) != of) {
            AddRead(operand, of);
          }
        }
      }
    }
  }

  void AddRead(const Instruction* value, int64_t reader) {
    kernels_[reader].reads.insert(value->id());
    kernels_of_[value->id()].insert(reader);
    if (!IsNode(value)) return;
    const int64_t from = groups_.Of(value);
    kernels_[reader].before.insert(from);
    kernels_[from].after.insert(reader);
  }

  int64_t Now(int64_t kernel) {
    while (merged_.contains(kernel)) kernel = merged_.at(kernel);
    return kernel;
  }

  // Whether KERNEL reads what FROM makes.
  bool Waits(const Kernel& kernel, int64_t from) {
    return std::any_of(kernel.before.begin(), kernel.before.end(),
                       [&](int64_t n) { return Now(n) == from; });
  }

  // The shape that a kernel walks over.
  static const Shape& LoopsOf(const Instruction& hero) {
    return hero.opcode() == Opcode::kReduce ? hero.operand(0)->shape() : hero.shape();
  }
  static bool SameLoops(const Instruction& a, const Instruction& b) {
    const bool reduces = a.opcode() == Opcode::kReduce, other = b.opcode() == Opcode::kReduce;
    return reduces == other && LoopsOf(a).dims() == LoopsOf(b).dims() &&
           (!reduces || a.dimensions() == b.dimensions());
  }

  void TryMerge(int64_t a, int64_t b) {
    a = Now(a);
    b = Now(b);
    if (a == b) return;
    const Kernel &x = kernels_[a], &y = kernels_[b];
    if (x.hero == nullptr || y.hero == nullptr || !SameLoops(*x.hero, *y.hero)) return;
    if (x.reads.size() + y.reads.size() > kMostParameters) return;
    const bool y_reads = Waits(y, a), x_reads = Waits(x, b);
    // Nothing follows a reduction in its kernel.
    const bool reduce = x.hero->opcode() == Opcode::kReduce;
    if (y_reads && (reduce || !ReadsInPlace(a, b))) return;
    if (x_reads && (reduce || !ReadsInPlace(b, a))) return;
    if (PathAround(a, b) || PathAround(b, a)) return;
    Merge(a, b);
  }

  // Whether each element of TO takes from kernel FROM just the element at its own place: only
  // operations element by element lie between.
  bool ReadsInPlace(int64_t from, int64_t to) {
    std::vector<std::pair<const Instruction*, bool>> stack;
    absl::flat_hash_set<std::pair<const Instruction*, bool>> seen;
    for (const Instruction* i : kernels_[to].members) stack.emplace_back(i, true);
    while (!stack.empty()) {
      const auto [i, in_place] = stack.back();
      stack.pop_back();
      const bool same_element =
          KindOf(i->opcode()) == OpKind::kElementwise || i->opcode() == Opcode::kReduce;
      for (const Instruction* operand : i->operands()) {
        const auto next = std::make_pair(operand, in_place && same_element);
        if (groups_.IsInlined(operand)) {
          if (seen.insert(next).second) stack.push_back(next);
        } else if (IsNode(operand) && Now(groups_.Of(operand)) == from && !next.second) {
          return false;
        }
      }
    }
    return true;
  }

  // Whether B waits for A by way of a third. Positions say nothing of that: a merged kernel may read
  // late and be read early.
  bool PathAround(int64_t a, int64_t b) {
    std::vector<int64_t> stack = {a};
    absl::flat_hash_set<int64_t> seen = {a};
    while (!stack.empty()) {
      const int64_t at = stack.back();
      stack.pop_back();
      for (int64_t reader : kernels_[at].after) {
        const int64_t next = Now(reader);
        if (next == b && at != a) return true;
        if (next != b && seen.insert(next).second) stack.push_back(next);
      }
    }
    return false;
  }

  void Merge(int64_t a, int64_t b) {
    Kernel &x = kernels_[a], &y = kernels_[b];
    groups_.Join(x.hero, y.hero);
    merged_[b] = a;
    for (int64_t n : y.before) x.before.insert(n);
    for (int64_t n : y.after) x.after.insert(n);
    for (int64_t n : y.reads) x.reads.insert(n);
    x.members.insert(x.members.end(), y.members.begin(), y.members.end());
    if (y.hero->opcode() == Opcode::kReduce) x.hero = y.hero;
  }

  const ScopeGraph& scope_;
  Groups& groups_;
  std::map<int64_t, Kernel> kernels_;                // by group
  std::map<int64_t, std::set<int64_t>> kernels_of_;  // by id of a value: who reads it
  absl::flat_hash_map<int64_t, int64_t> merged_;
};

}  // namespace

void MergeSiblings(const ScopeGraph& scope, Groups& groups) { Merger(scope, groups).Run(); }

}  // namespace astitch
