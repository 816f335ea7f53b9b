// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A home and a code for each edge, from the placement of its producer and from who reads it.
#include "stitch/ledger.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "plan/kernel_flow.h"
#include "plan/reference_call.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

using Edge = std::pair<const Instruction*, const Instruction*>;

constexpr char kNoKernel[] = "no-kernel";

int64_t BytesOf(const Instruction& value) {
  return value.shape().IsArray() ? value.shape().byte_size() : 0;
}

std::string ReasonOf(Home home) {
  switch (home) {
    case Home::kLocal:
      return "same-element";
    case Home::kRegional:
      return "same-rows";
    case Home::kCluster:
      return "same-cluster";
    case Home::kBlock:
      return "in-each-block";
    case Home::kGlobal:
      return "other-rows";
    case Home::kOutput:
      return "written-anyway";
  }
  ASTITCH_UNREACHABLE();
}

// Of a value that the kernel reads from memory.
std::string SourceOf(const Instruction& value, const LibraryCalls& calls,
                     const std::string& solo_reason) {
  if (value.opcode() == Opcode::kParameter) return "input";
  if (value.opcode() == Opcode::kConstant) return "constant";
  if (ClassOf(*WholeOf(&value)) == StitchClass::kReference || calls.refused.contains(&value))
    return kNoKernel;
  if (ClassOf(value) == StitchClass::kLibrary || calls.absorbed.contains(&value))
    return "library-call";
  return solo_reason.empty() ? "other-kernel" : solo_reason;
}

// What a kernel's plan says of each edge.
class KernelReads {
 public:
  explicit KernelReads(const KernelPlan& kernel) : flow_(FlowOf(kernel)) {
    for (const Placement& placement : kernel.placements)
      places_.emplace(placement.value, &placement);
    for (const KernelFlow::Edge& edge : flow_.edges)
      edges_.emplace(Edge{edge.producer, edge.consumer}, &edge);
  }

  Home HomeOf(const Instruction* value) const {
    const auto it = places_.find(value);
    return it == places_.end() ? Home::kLocal : it->second->home;
  }
  // Nobody reads along the edge, say for a size alone: where the value would be.
  Home HomeAlong(const Instruction* value, const Instruction* reader) const {
    const auto it = edges_.find({value, reader});
    return it == edges_.end() ? HomeOf(value) : it->second->home;
  }
  bool IsKept(const Instruction* input) const {
    const auto it = places_.find(input);
    return it != places_.end() && it->second->keep != Keep::kNone;
  }
  bool ReadsAgain(const Instruction* input, const Instruction* reader) const {
    const auto it = edges_.find({input, reader});
    return it != edges_.end() && it->second->again;
  }

 private:
  const KernelFlow flow_;
  absl::flat_hash_map<const Instruction*, const Placement*> places_;
  absl::flat_hash_map<Edge, const KernelFlow::Edge*> edges_;
};

}  // namespace

void AddKernelEdges(const RegionInfo& info, const KernelPlan& kernel, const LibraryCalls& calls,
                    std::string solo_reason, Plan& plan) {
  const KernelReads reads(kernel);
  for (const Instruction* value : info.values()) {
    absl::flat_hash_set<const Instruction*> seen;
    for (const Instruction* operand : value->operands()) {
      if (!seen.insert(operand).second) continue;
      LedgerEntry entry{operand, value, "", "", 0, ""};
      if (IsImmediate(*operand)) {
        entry.home = "immediate";
        entry.reason = "scalar-constant";
      } else if (operand->shape().IsTuple()) {
        entry.home = std::string(ToString(reads.HomeOf(value)));
        entry.reason = "element-of-tuple";
      } else if (info.IsComputed(operand)) {
        const Home home = reads.HomeAlong(operand, value);
        entry.home = std::string(ToString(home));
        entry.reason = ReasonOf(home);
        if (home != Home::kLocal) entry.bytes = BytesOf(*operand);
      } else {
        const bool again = reads.ReadsAgain(operand, value);
        entry.home = reads.IsKept(operand) && !again ? "kept" : "memory";
        entry.reason = again ? "read-again" : SourceOf(*operand, calls, solo_reason);
        entry.bytes = BytesOf(*operand);
      }
      plan.ledger.push_back(std::move(entry));
    }
  }
}

void AddCallEdges(const DotCall& call, Plan& plan) {
  for (const StridedOperand* operand : {&call.lhs, &call.rhs}) {
    plan.ledger.push_back(
        {operand->value, call.dot, "memory", "library-call", BytesOf(*operand->value), ""});
  }
  for (const EpilogueOp& op : call.epilogue) {
    if (op.addend.value == nullptr) continue;
    plan.ledger.push_back({op.addend.value, call.out.value, "memory", "library-epilogue",
                           BytesOf(*op.addend.value), ""});
  }
  if (call.out.value == call.dot) return;
  std::string detail = "by strides";
  for (const EpilogueOp& op : call.epilogue) absl::StrAppend(&detail, ", ", ToString(op.kind));
  plan.ledger.push_back(
      {call.dot, call.out.value, "library", "library-epilogue", BytesOf(*call.out.value), detail});
}

void AddCallEdges(const Instruction& call, Plan& plan) {
  for (const Instruction* operand : call.operands())
    plan.ledger.push_back({operand, &call, "memory", "library-call", BytesOf(*operand), ""});
}

void AddReferenceEdges(const Instruction& call, Plan& plan) {
  const absl::string_view what = call.opcode() == Opcode::kCall
                                     ? absl::string_view(call.called()[0]->name())
                                     : ToString(call.opcode());
  const std::string detail = absl::StrCat(what, " is evaluated by the interpreter, on the host");
  absl::flat_hash_set<Edge> seen;
  std::vector<const Instruction*> readers = {&call};
  while (!readers.empty()) {
    const Instruction* reader = readers.back();
    readers.pop_back();
    for (const Instruction* operand : reader->operands()) {
      if (IsImmediate(*operand) || !seen.insert({operand, reader}).second) continue;
      plan.ledger.push_back({operand, reader, "memory", kNoKernel, BytesOf(*operand), detail});
      if (operand->opcode() == Opcode::kTuple) readers.push_back(operand);
    }
  }
}

void AddOtherEdges(const LibraryCalls& calls, Plan& plan) {
  absl::flat_hash_set<Edge> told;
  for (const LedgerEntry& entry : plan.ledger) told.insert({entry.producer, entry.consumer});
  for (const Instruction* value : plan.graph->entry()->post_order()) {
    for (const Instruction* operand : value->operands()) {
      if (!told.insert({operand, value}).second) continue;
      LedgerEntry entry{operand, value, "memory", "other-name", 0, ""};
      if (value->opcode() == Opcode::kGetTupleElement) {
        entry.reason = "element-of-tuple";
        entry.bytes = BytesOf(*value);
      } else if (value->opcode() == Opcode::kTuple) {
        const bool copied =
            operand->opcode() == Opcode::kParameter || operand->opcode() == Opcode::kConstant;
        entry.home = "result";
        entry.reason = copied ? "copied" : "of-the-graph";
        entry.bytes = BytesOf(*operand);
      } else if (IsImmediate(*operand)) {
        entry.home = "immediate";
        entry.reason = "scalar-constant";
      } else if (calls.stacked.contains(value)) {
        entry.reason = "in-its-place";
      } else if (calls.absorbed.contains(value)) {
        entry.home = "library";
        entry.reason = "library-epilogue";
      } else if (calls.views.contains(value) || ClassOf(*value) == StitchClass::kLibrary) {
        entry.home = "library";
        entry.reason = "library-strides";
      }
      plan.ledger.push_back(std::move(entry));
    }
  }
  for (const DeclinedEpilogue& declined : calls.declined)
    plan.ledger.push_back({declined.product, nullptr, "memory", "kernel-is-faster",
                           BytesOf(*declined.product),
                           absl::StrCat(ToString(declined.kind), " might end the library call")});
}

}  // namespace astitch
