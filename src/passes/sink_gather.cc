// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks first whether all ends of the operand's tree allow it, then rebuilds the tree on gathered
// ends.
#include "passes/sink_gather.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/gather_dims.h"
#include "ir/opcode.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// Of the operand's elements at most one in so many is gathered: they are computed a second time.
constexpr int64_t kFew = 8;
constexpr size_t kMostOperations = 16;

class Sinking {
 public:
  Sinking(Rewriter& rewriter, const Instruction& gather)
      : rewriter_(rewriter),
        gather_(gather),
        operand_(gather.operand(0)),
        dims_(GatherDimsOf(gather.as<GatherAttributes>(), operand_->shape().rank(),
                           gather.shape().rank())) {}

  bool Applies() {
    if (!IsStatic(gather_) || IsEnd(operand_)) return false;
    if (gather_.shape().num_elements() > operand_->shape().num_elements() / kFew) return false;
    std::vector<const Instruction*> stack = {operand_};
    absl::flat_hash_set<const Instruction*> seen = {operand_};
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      if (IsEnd(i)) continue;
      if (i->opcode() == Opcode::kBroadcast) {
        if (!BroadcastTo(*i).has_value()) return false;
        continue;
      }
      if (!IsElementwise(*i) || seen.size() > kMostOperations) return false;
      for (const Instruction* o : i->operands()) {
        if (seen.insert(o).second) stack.push_back(o);
      }
    }
    return true;
  }

  Instruction* Run() { return At(operand_); }

 private:
  // In memory whatever becomes of the graph.
  static bool IsEnd(const Instruction* i) {
    return i->opcode() == Opcode::kParameter || i->opcode() == Opcode::kConstant;
  }

  bool IsElementwise(const Instruction& i) const {
    return KindOf(i.opcode()) == OpKind::kElementwise && IsStatic(i) &&
           std::all_of(i.operands().begin(), i.operands().end(), [&](const Instruction* o) {
             return o->shape().dims() == operand_->shape().dims();
           });
  }

  // The gather's dimensions for those of a broadcast's operand: where no index decides, because the
  // dimension is one of the batch or is taken whole.
  std::optional<std::vector<int64_t>> BroadcastTo(const Instruction& broadcast) const {
    std::vector<int64_t> to;
    for (int64_t d : broadcast.dimensions()) {
      const auto batch =
          std::find(dims_.operand_batching_dims.begin(), dims_.operand_batching_dims.end(), d);
      const auto window = std::find(dims_.window_dims.begin(), dims_.window_dims.end(), d);
      if (batch != dims_.operand_batching_dims.end()) {
        const int64_t t = batch - dims_.operand_batching_dims.begin();
        to.push_back(dims_.batch_dims[dims_.batching_positions[t]]);
      } else if (window != dims_.window_dims.end() &&
                 gather_.as<GatherAttributes>().slice_sizes[d] == operand_->shape().dim(d)) {
        to.push_back(dims_.offset_dims[window - dims_.window_dims.begin()]);
      } else {
        return std::nullopt;
      }
    }
    if (!std::is_sorted(to.begin(), to.end())) return std::nullopt;
    return to;
  }

  // The gathered elements of I.
  Instruction* At(Instruction* i) {
    const auto done = gathered_.find(i);
    if (done != gathered_.end()) return done->second;
    const Shape shape = Shape::Array(i->shape().element_type(), gather_.shape().dims());
    Instruction* out = nullptr;
    if (IsEnd(i)) {
      out = rewriter_.Add(gather_, Opcode::kGather, shape, {i, gather_.operand(1)},
                          gather_.as<GatherAttributes>());
    } else if (i->opcode() == Opcode::kBroadcast) {
      out = rewriter_.Add(*i, Opcode::kBroadcast, shape, {i->operand(0)},
                          DimensionsAttributes{*BroadcastTo(*i)});
    } else {
      std::vector<Instruction*> operands;
      for (Instruction* o : i->operands()) operands.push_back(At(o));
      out = rewriter_.CloneAs(*i, shape, operands);
    }
    gathered_[i] = out;
    return out;
  }

  Rewriter& rewriter_;
  const Instruction& gather_;
  Instruction* operand_;
  GatherDims dims_;
  absl::flat_hash_map<const Instruction*, Instruction*> gathered_;
};

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& i) {
  if (i.opcode() != Opcode::kGather) return nullptr;
  Sinking sinking(rewriter, i);
  return sinking.Applies() ? sinking.Run() : nullptr;
}

}  // namespace

absl::StatusOr<bool> SinkGather::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
