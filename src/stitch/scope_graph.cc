// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Classes of operations for scopes, and union-find over instructions.
#include "stitch/scope_graph.h"

#include <algorithm>
#include <numeric>

#include "plan/reference_call.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {

ScopeGraph::ScopeGraph(const Graph& graph, const LibraryCalls* calls)
    : graph_(graph), calls_(calls) {
  for (Instruction* i : graph.entry()->post_order()) order_.push_back(i);
  position_.assign(graph.entry()->id_bound(), 0);
  for (size_t n = 0; n < order_.size(); ++n) position_[order_[n]->id()] = static_cast<int64_t>(n);
  for (const Instruction* result : GraphResults(graph)) results_.insert(result);
  for (const Instruction* i : order_) {
    for (const Instruction* operand : reads(i)) readers_[operand].push_back(i);
  }
}

std::vector<const Instruction*> ScopeGraph::reads(const Instruction* i) const {
  if (IsReference(i)) return ReferenceInputs(*i);
  return {i->operands().begin(), i->operands().end()};
}

bool ScopeGraph::IsReference(const Instruction* i) {
  return ClassOf(*i) == StitchClass::kReference;
}

const std::vector<const Instruction*>& ScopeGraph::readers(const Instruction* i) const {
  static const auto& none = *new std::vector<const Instruction*>;
  const auto it = readers_.find(i);
  return it == readers_.end() ? none : it->second;
}

bool ScopeGraph::Computes(const Instruction& i) {
  const StitchClass c = ClassOf(i);
  return c == StitchClass::kStitch || c == StitchClass::kReduce || c == StitchClass::kSolo;
}

const Instruction* ScopeGraph::CallOf(const Instruction* i) const {
  if (ClassOf(*i) == StitchClass::kLibrary) return i;
  if (const Instruction* whole = WholeOf(i); IsReference(whole)) return whole;
  if (calls_ == nullptr) return nullptr;
  const auto it = calls_->absorbed.find(i);
  return it == calls_->absorbed.end() ? nullptr : it->second;
}

std::vector<const Instruction*> ScopeGraph::AddendsOf(const Instruction* dot) const {
  std::vector<const Instruction*> out;
  if (calls_ == nullptr) return out;
  const auto it = calls_->calls.find(dot);
  if (it == calls_->calls.end()) return out;
  for (const EpilogueOp& op : it->second.epilogue) {
    if (op.addend.value != nullptr) out.push_back(op.addend.value);
  }
  return out;
}

bool ScopeGraph::IsSolo(const Instruction* i) { return ClassOf(*i) == StitchClass::kSolo; }

bool ScopeGraph::IsReduceElement(const Instruction& i) {
  return i.opcode() == Opcode::kGetTupleElement && Computes(*i.operand(0));
}

bool ScopeGraph::ReadsFromMemory(const Instruction& reader, const Instruction* value) const {
  if (!InRegion(&reader))
    return !IsLibraryView(value) || !IsLibrary(&reader) || IsReference(&reader);
  if (IsPiece(value) && IsLibraryView(&reader)) return true;
  for (int64_t k = 0; k < reader.num_operands(); ++k) {
    if (reader.operand(k) == value && NeedsMemory(reader, k)) return true;
  }
  return false;
}

Groups::Groups(int64_t id_bound) : parent_(id_bound), inlined_(id_bound, false) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

int64_t Groups::Of(const Instruction* i) {
  int64_t n = i->id();
  while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
  return n;
}

void Groups::Join(const Instruction* a, const Instruction* b) {
  const int64_t x = Of(a), y = Of(b);
  parent_[std::max(x, y)] = std::min(x, y);
}

}  // namespace astitch
