// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of all branches, last first, each chosen over those behind it, leaf by leaf of the result.
#include "passes/select_branches.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/number.h"
#include "passes/constants.h"
#include "passes/operation_count.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// Operations of all branches together: what is computed in vain costs less than a step.
constexpr int64_t kMostOperations = 100;

bool AreSmall(const Instruction& conditional) {
  int64_t all = 0;
  for (const Computation* branch : conditional.called()) {
    const std::optional<int64_t> operations = CountOperations(*branch, false);
    if (!operations.has_value()) return false;
    all += *operations;
  }
  const std::vector<const Shape*> leaves = conditional.shape().Leaves();
  return all <= kMostOperations && std::all_of(leaves.begin(), leaves.end(), [](const Shape* leaf) {
           return IsStaticArray(*leaf);
         });
}

// The branch that is taken, if that is known.
std::optional<int64_t> KnownBranch(const Instruction& conditional) {
  const Instruction* choice = SplatConstant(*conditional.operand(0));
  if (choice == nullptr) return std::nullopt;
  const ElementType type = choice->shape().element_type();
  const int64_t value = LoadAsInteger(type, choice->literal().bytes().data());
  if (IsPred(type)) return value != 0 ? 0 : 1;
  const auto last = static_cast<int64_t>(conditional.called().size()) - 1;
  return value < 0 || value > last ? last : value;
}

class Expansion {
 public:
  Expansion(Rewriter& rewriter, const Instruction& conditional)
      : rewriter_(rewriter), conditional_(conditional) {}

  // Branch N with its argument.
  Instruction* Copy(int64_t n) {
    const Computation& branch = *conditional_.called()[n];
    std::vector<Instruction*> made(branch.id_bound(), nullptr);
    for (const auto& instruction : branch.instructions()) {
      if (instruction->opcode() == Opcode::kParameter) {
        made[instruction->id()] = conditional_.operand(n + 1);
        continue;
      }
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands())
        operands.push_back(made[operand->id()]);
      made[instruction->id()] =
          rewriter_.CloneAs(*instruction, instruction->shape(), std::move(operands));
    }
    return made[branch.root()->id()];
  }

  Instruction* All() {
    const auto branches = static_cast<int64_t>(conditional_.called().size());
    Instruction* result = Copy(branches - 1);
    for (int64_t n = branches - 1; n-- > 0;) result = Choose(IsTaken(n), Copy(n), result);
    return result;
  }

 private:
  // A scalar: whether branch N is the one. REQUIRES: it is not the last.
  Instruction* IsTaken(int64_t n) {
    Instruction* choice = conditional_.operand(0);
    if (IsPred(choice->shape().element_type())) return choice;
    Instruction* number =
        AddSplat(rewriter_, conditional_, choice->shape(), static_cast<uint64_t>(n));
    return rewriter_.Add(conditional_, Opcode::kCompare, Shape::Scalar(ElementType::kPred),
                         {choice, number},
                         CompareAttributes{ComparisonDirection::kEq, ComparisonType::kSigned});
  }

  Instruction* ChooseArray(Instruction* taken, Instruction* yes, Instruction* no) {
    const Shape& shape = yes->shape();
    if (shape.rank() > 0) {
      taken = rewriter_.Add(conditional_, Opcode::kBroadcast,
                            Shape::Array(ElementType::kPred, shape.dims()), {taken},
                            DimensionsAttributes{});
    }
    return rewriter_.Add(conditional_, Opcode::kSelect, shape, {taken, yes, no});
  }

  Instruction* Part(Instruction* tuple, size_t index) {
    return rewriter_.Add(conditional_, Opcode::kGetTupleElement, tuple->shape().elements()[index],
                         {tuple}, TupleIndexAttributes{static_cast<int64_t>(index)});
  }

  // Leaf by leaf; tuples may nest.
  Instruction* Choose(Instruction* taken, Instruction* yes, Instruction* no) {
    struct Open {
      Instruction *yes, *no;
      std::vector<Instruction*> parts;
    };
    if (yes->shape().IsArray()) return ChooseArray(taken, yes, no);
    std::vector<Open> stack = {{yes, no, {}}};
    while (true) {
      Open& top = stack.back();
      const size_t next = top.parts.size();
      if (next == top.yes->shape().elements().size()) {
        Instruction* tuple =
            rewriter_.Add(conditional_, Opcode::kTuple, top.yes->shape(), std::move(top.parts));
        stack.pop_back();
        if (stack.empty()) return tuple;
        stack.back().parts.push_back(tuple);
        continue;
      }
      Instruction *a = Part(top.yes, next), *b = Part(top.no, next);
      if (a->shape().IsArray()) {
        top.parts.push_back(ChooseArray(taken, a, b));
      } else {
        stack.push_back({a, b, {}});
      }
    }
  }

  Rewriter& rewriter_;
  const Instruction& conditional_;
};

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (instruction.opcode() != Opcode::kConditional || instruction.called().empty()) return nullptr;
  if (const std::optional<int64_t> branch = KnownBranch(instruction))
    return Expansion(rewriter, instruction).Copy(*branch);
  return AreSmall(instruction) ? Expansion(rewriter, instruction).All() : nullptr;
}

}  // namespace

absl::StatusOr<bool> SelectBranches::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
