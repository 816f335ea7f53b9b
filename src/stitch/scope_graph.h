// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ScopeGraph: what every rule of fusion asks of a graph: order, readers, results, and what kind of
// step an operation needs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "stitch/library_calls.h"

namespace astitch {

class ScopeGraph {
 public:
  // CALLS: what the library does beside its products; null: nothing.
  ScopeGraph(const Graph& graph, const LibraryCalls* calls);

  const Graph& graph() const { return graph_; }
  // Operands first.
  const std::vector<const Instruction*>& order() const { return order_; }
  int64_t position(const Instruction* i) const { return position_[i->id()]; }
  int64_t id_bound() const { return static_cast<int64_t>(position_.size()); }
  const std::vector<const Instruction*>& readers(const Instruction* i) const;
  // What a step that computes I reads: its operands, those of a reference call through the tuples.
  std::vector<const Instruction*> reads(const Instruction* i) const;
  bool IsResult(const Instruction* i) const { return results_.contains(i); }

  // Computed by a kernel, and not by a library.
  bool InRegion(const Instruction* i) const {
    return (Computes(*i) || IsReduceElement(*i)) && CallOf(i) == nullptr;
  }
  // A library or reference call, or what one does on the way.
  bool IsLibrary(const Instruction* i) const { return CallOf(i) != nullptr; }
  // The dot, convolution or other instruction whose call computes I; null: none.
  const Instruction* CallOf(const Instruction* i) const;
  static bool IsReference(const Instruction* i);
  // Arrays that the call of DOT reads beside what DOT reads.
  std::vector<const Instruction*> AddendsOf(const Instruction* dot) const;
  // Read through by the library calls that read it.
  bool IsLibraryView(const Instruction* i) const {
    return calls_ != nullptr && calls_->views.contains(i);
  }
  // Written in its place in a stack.
  bool IsPiece(const Instruction* i) const {
    return calls_ != nullptr && calls_->pieces.contains(i);
  }
  // Needs a kernel of its own.
  static bool IsSolo(const Instruction* i);
  // get-tuple-element of a variadic reduction belongs to it.
  static bool IsReduceElement(const Instruction& i);
  // READER takes VALUE from memory only: it is no part of a region, or needs it there.
  bool ReadsFromMemory(const Instruction& reader, const Instruction* value) const;

 private:
  static bool Computes(const Instruction& i);

  const Graph& graph_;
  const LibraryCalls* calls_;
  std::vector<const Instruction*> order_;
  std::vector<int64_t> position_;
  absl::flat_hash_set<const Instruction*> results_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> readers_;
};

// What a rule of fusion decides: operations of one group are one kernel. An inlined operation is in
// no kernel of its own: each kernel that reads it computes it, and it is never stored.
class Groups {
 public:
  explicit Groups(int64_t id_bound);

  void Join(const Instruction* a, const Instruction* b);
  // The smallest id of the group.
  int64_t Of(const Instruction* i);
  void Inline(const Instruction* i) { inlined_[i->id()] = true; }
  bool IsInlined(const Instruction* i) const { return inlined_[i->id()]; }

 private:
  std::vector<int64_t> parent_;
  std::vector<bool> inlined_;
};

}  // namespace astitch
