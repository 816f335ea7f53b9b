// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One backward walk a rule; for xla, then merges of kernels in order of their first operations.
#include "stitch/baseline_groups.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "stitch/op_class.h"
#include "stitch/recompute.h"
#include "stitch/scope.h"
#include "stitch/sibling_merge.h"

namespace astitch {
namespace {

// What other compilers never store: an index written otherwise.
bool IsView(const Instruction* i) {
  return i->opcode() == Opcode::kBroadcast || i->opcode() == Opcode::kReshape ||
         i->opcode() == Opcode::kIota;
}

void JoinReduceElements(const ScopeGraph& scope, Groups& groups) {
  for (const Instruction* i : scope.order()) {
    if (ScopeGraph::IsReduceElement(*i)) groups.Join(i, i->operand(0));
  }
}

Groups UnfusedGroups(const ScopeGraph& scope) {
  Groups groups(scope.id_bound());
  JoinReduceElements(scope, groups);
  for (const Instruction* i : scope.order()) {
    if (IsView(i) && MayEvaluateAtReaders(scope, i)) groups.Inline(i);
  }
  return groups;
}

Groups TvmGroups(const ScopeGraph& scope) {
  Groups groups(scope.id_bound());
  JoinReduceElements(scope, groups);
  const auto& order = scope.order();
  for (size_t n = order.size(); n-- > 0;) {
    const Instruction* i = order[n];
    if (!MayEvaluateAtReaders(scope, i)) continue;
    const std::vector<const Instruction*>& readers = scope.readers(i);
    const int64_t group = groups.Of(readers[0]);
    if (std::all_of(readers.begin(), readers.end(), [&](const Instruction* reader) {
          return !groups.IsInlined(reader) && groups.Of(reader) == group;
        })) {
      groups.Join(i, readers[0]);
    } else if (IsView(i)) {
      groups.Inline(i);
    }
  }
  return groups;
}

class XlaRule {
 public:
  explicit XlaRule(const ScopeGraph& scope)
      : scope_(scope),
        groups_(scope.id_bound()),
        kernel_(scope.id_bound(), kNobody),
        repeated_(scope.id_bound(), false),
        chains_(scope.id_bound(), 0) {}

  Groups Run() {
    JoinReduceElements(scope_, groups_);
    const auto& order = scope_.order();
    for (size_t n = order.size(); n-- > 0;) Decide(order[n]);
    MergeSiblings(scope_, groups_);
    return std::move(groups_);
  }

 private:
  static constexpr int64_t kNobody = -1, kSeveral = -2;
  // Operations that copies of a value may take on the way to its kernels: a chain of values with
  // two readers each would double them at every link.
  static constexpr int64_t kMostCopies = 15;

  // How the readers of I would evaluate it: in which kernel, how often, by how many copies.
  void Decide(const Instruction* i) {
    int64_t kernel = kNobody, chains = 0;
    bool repeated = false;
    for (const Instruction* reader : scope_.readers(i)) {
      const bool inlined = groups_.IsInlined(reader);
      const int64_t at = inlined ? kernel_[reader->id()] : groups_.Of(reader);
      kernel = kernel == kNobody || kernel == at ? at : kSeveral;
      repeated |= Repeats(*reader, *i) || (inlined && repeated_[reader->id()]);
      chains += inlined ? chains_[reader->id()] : 1;
    }
    kernel_[i->id()] = kernel;
    repeated_[i->id()] = repeated;
    chains_[i->id()] = std::min(chains, kMostCopies + 1);
    if (!MayEvaluateAtReaders(scope_, i)) return;
    const bool several = kernel == kSeveral;
    if (IsExpensive(*i) && (repeated || several)) return;
    if (several && (LargeOperands(*i) > 1 || chains > kMostCopies)) return;
    groups_.Inline(i);
  }

  // READER uses an element of VALUE for several of its own.
  static bool Repeats(const Instruction& reader, const Instruction& value) {
    return reader.opcode() == Opcode::kBroadcast && value.shape().IsArray() &&
           reader.shape().num_elements() > value.shape().num_elements();
  }

  static int64_t LargeOperands(const Instruction& i) {
    int64_t large = 0;
    for (const Instruction* operand : i.operands()) {
      large += operand->shape().IsArray() && !IsImmediate(*operand) &&
               operand->opcode() != Opcode::kBroadcast &&
               operand->shape().byte_size() >= i.shape().byte_size();
    }
    return large;
  }

  const ScopeGraph& scope_;
  Groups groups_;
  std::vector<int64_t> kernel_;  // by id: the only kernel that evaluates it, or kSeveral
  std::vector<bool> repeated_;   // an element of it serves several elements of its kernels
  std::vector<int64_t> chains_;  // paths from it to kernels
};

}  // namespace

Groups BaselineGroups(const ScopeGraph& scope, Fusion fusion) {
  switch (fusion) {
    case Fusion::kTvm:
      return TvmGroups(scope);
    case Fusion::kXla:
      return XlaRule(scope).Run();
    case Fusion::kStitch:
    case Fusion::kNone:
      break;
  }
  return UnfusedGroups(scope);
}

}  // namespace astitch
