// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates with the interpreter, which defines the rounding of every operation, so folding never
// changes a result. Three limits keep it cheap: operands of at most 64 Ki elements, a result that
// is small or smaller than the operands, and a budget of work a run, spent in program order so
// that the same graph always folds the same instructions.
#include "passes/fold_constants.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "interp/interpreter.h"
#include "passes/effects.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

constexpr int64_t kSmallElements = 1024;  // a result this small is always welcome
constexpr int64_t kMaxOperandElements = int64_t{1} << 16;
constexpr int64_t kMaxWork = int64_t{1} << 24;  // element operations a run of the pass

bool IsUsableConstant(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kConstant && IsStaticArray(instruction.shape()) &&
         !instruction.literal().is_elided();
}

bool MayFold(const Instruction& instruction) {
  switch (KindOf(instruction.opcode())) {
    case OpKind::kElementwise:
    case OpKind::kDynamicMap:
    case OpKind::kReduction:
    case OpKind::kContraction:
      return true;
    case OpKind::kIndexMap:
      return instruction.opcode() != Opcode::kBroadcast &&
             instruction.opcode() != Opcode::kBitcast &&
             !(instruction.opcode() == Opcode::kReshape &&
               instruction.operand(0)->shape().IsScalar());
    case OpKind::kSource:
    case OpKind::kControl:
    case OpKind::kTuple:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return false;
  }
  ASTITCH_UNREACHABLE();
}

// Element operations to evaluate INSTRUCTION: every result from every operand element at worst.
int64_t WorkOf(const Instruction& instruction, int64_t operand_elements) {
  const bool pairs = KindOf(instruction.opcode()) == OpKind::kContraction ||
                     instruction.opcode() == Opcode::kReduceWindow ||
                     instruction.opcode() == Opcode::kSelectAndScatter;
  const int64_t results = instruction.shape().num_elements();
  return pairs ? results * operand_elements : results + operand_elements;
}

class Folder {
 public:
  absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
    if (!Fits(instruction)) return nullptr;
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands())
      operands.push_back(operand->literal());
    absl::StatusOr<Literal> value = EvaluateInstruction(instruction, operands);
    if (!value.ok()) return nullptr;
    return rewriter.Add(instruction, Opcode::kConstant, instruction.shape(), {},
                        ConstantAttributes{*std::move(value)});
  }

 private:
  bool Fits(const Instruction& instruction) {
    if (instruction.num_operands() == 0 || !IsStaticArray(instruction.shape()) ||
        !MayFold(instruction) || !IsPure(instruction)) {
      return false;
    }
    int64_t operand_elements = 0;
    for (const Instruction* operand : instruction.operands()) {
      if (!IsUsableConstant(*operand)) return false;
      operand_elements += operand->shape().num_elements();
    }
    const int64_t results = instruction.shape().num_elements();
    if (operand_elements > kMaxOperandElements ||
        (results > kSmallElements && results >= operand_elements)) {
      return false;
    }
    const int64_t work = WorkOf(instruction, operand_elements);
    if (work > kMaxWork - work_) return false;
    work_ += work;
    return true;
  }

  int64_t work_ = 0;
};

}  // namespace

absl::StatusOr<bool> FoldConstants::Run(Graph& graph) {
  Folder folder;
  return RewriteEach(graph, [&folder](Rewriter& rewriter, Instruction& instruction) {
    return folder.Visit(rewriter, instruction);
  });
}

}  // namespace astitch
