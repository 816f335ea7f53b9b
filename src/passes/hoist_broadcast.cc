// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Collects what each operand is an expansion of. The first source that is no scalar sets the
// dimensions in which the work happens; the others must agree with it, and scalars are spread to
// them. With scalars only, the work happens once. Clamp and select take scalars as they are.
#include "passes/hoist_broadcast.h"

#include <optional>
#include <utility>
#include <vector>

#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// The expansions of all operands, when one broadcast after the operation can replace them.
class CommonExpansion {
 public:
  // False when some operand is no expansion, or expands otherwise than another.
  bool AddOperand(Instruction* operand, bool may_be_scalar) {
    if (operand->shape().IsScalar() && may_be_scalar) {
      expansions_.push_back({operand, {}});
      return true;
    }
    std::optional<Expansion> expansion = AsExpansion(*operand);
    if (!expansion.has_value()) return false;
    if (!expansion->source->shape().IsScalar()) {
      if (!main_.has_value()) main_ = expansion;
      if (expansion->source->shape().dims() != main_->source->shape().dims() ||
          expansion->dimensions != main_->dimensions) {
        return false;
      }
    }
    expansions_.push_back(*std::move(expansion));
    return true;
  }

  Instruction* Hoist(Rewriter& rewriter, Instruction& op) {
    const std::vector<int64_t> dims =
        main_.has_value() ? main_->source->shape().dims() : std::vector<int64_t>();
    std::vector<Instruction*> operands;
    for (size_t i = 0; i < expansions_.size(); ++i) {
      Instruction* source = expansions_[i].source;
      // A scalar operand of clamp or select may stay one.
      const bool stays = op.operand(i)->shape().IsScalar();
      if (source->shape().IsScalar() && !stays)
        source = AddExpansion(rewriter, op, dims, source, {});
      operands.push_back(source);
    }
    Instruction* hoisted = rewriter.CloneAs(op, ArrayLike(op.shape(), dims), std::move(operands));
    return AddExpansion(rewriter, op, op.shape().dims(), hoisted,
                        main_.has_value() ? main_->dimensions : std::vector<int64_t>());
  }

 private:
  std::optional<Expansion> main_;  // the first whose source is no scalar
  std::vector<Expansion> expansions_;
};

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& op) {
  if (KindOf(op.opcode()) != OpKind::kElementwise || op.shape().IsScalar() || !IsStatic(op))
    return nullptr;
  const bool may_be_scalar = op.opcode() == Opcode::kClamp || op.opcode() == Opcode::kSelect;
  CommonExpansion common;
  for (Instruction* operand : op.operands()) {
    const bool scalar = may_be_scalar && operand->shape().IsScalar();
    if (!scalar && operand->shape().dims() != op.shape().dims()) return nullptr;
    if (!common.AddOperand(operand, may_be_scalar)) return nullptr;
  }
  return common.Hoist(rewriter, op);
}

}  // namespace

absl::StatusOr<bool> HoistBroadcast::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
