// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Called computations are copied callees first, then an entry is written around the instruction:
// parameters for its inputs, the tuples over them, and the parts that are wanted of its result.
#include "compile/reference_steps.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "ir/callees_first.h"
#include "ir/hlo_printer.h"
#include "plan/reference_call.h"

namespace astitch {
namespace {

class ModuleMaker {
 public:
  explicit ModuleMaker(const Instruction& instruction)
      : instruction_(instruction), graph_(instruction.name()) {}

  absl::StatusOr<std::string> Run() {
    for (const Computation* computation : CalleesFirstFrom(instruction_.called())) {
      ASTITCH_RETURN_IF_ERROR(Copy(*computation));
    }
    entry_ = graph_.AddComputation("evaluate");
    graph_.set_entry(entry_);
    int64_t number = 0;
    for (const Instruction* input : ReferenceInputs(instruction_)) {
      values_[input] = entry_->Add(Opcode::kParameter, input->shape(), {},
                                   ParameterAttributes{number++}, absl::StrCat("p", number));
    }
    values_[&instruction_] = AddInstruction();
    std::vector<Instruction*> results;
    std::vector<Shape> shapes;
    for (const Instruction* output : ReferenceOutputs(instruction_)) {
      results.push_back(Part(output));
      shapes.push_back(output->shape());
    }
    entry_->set_root(entry_->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)),
                                 std::move(results), {}, "results"));
    return ToHloText(graph_);
  }

 private:
  absl::Status Copy(const Computation& from) {
    Computation* to = graph_.AddComputation(from.name());
    computations_[&from] = to;
    for (const auto& instruction : from.instructions()) {
      if (instruction->opcode() == Opcode::kConstant && instruction->literal().is_elided())
        return ErrorAt(*instruction, "the values of this constant are elided: {...}");
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands())
        operands.push_back(values_.at(operand));
      values_[instruction.get()] = AddTwin(*instruction, to, std::move(operands));
    }
    to->set_root(values_.at(from.root()));
    return absl::OkStatus();
  }

  Instruction* AddTwin(const Instruction& instruction, Computation* to,
                       std::vector<Instruction*> operands) {
    Instruction* twin = to->Add(instruction.opcode(), instruction.shape(), std::move(operands),
                                instruction.attributes(), instruction.name());
    std::vector<Computation*> called;
    for (const Computation* callee : instruction.called())
      called.push_back(computations_.at(callee));
    twin->set_called(std::move(called));
    return twin;
  }

  // The instruction behind the tuples and numbers that it reads; tuples may nest deeply.
  Instruction* AddInstruction() {
    std::vector<const Instruction*> stack = {&instruction_};
    while (true) {
      const Instruction* value = stack.back();
      const size_t before = stack.size();
      for (const Instruction* operand : value->operands()) {
        if (!values_.contains(operand)) stack.push_back(operand);
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      if (values_.contains(value)) continue;
      std::vector<Instruction*> operands;
      for (const Instruction* operand : value->operands()) operands.push_back(values_.at(operand));
      values_[value] = AddTwin(*value, entry_, std::move(operands));
      if (value == &instruction_) return values_.at(value);
    }
  }

  // OUTPUT behind its get-tuple-elements.
  Instruction* Part(const Instruction* output) {
    std::vector<const Instruction*> chain;
    while (!values_.contains(output)) {
      chain.push_back(output);
      output = output->operand(0);
    }
    Instruction* part = values_.at(output);
    for (size_t i = chain.size(); i-- > 0;) {
      part = AddTwin(*chain[i], entry_, {part});
      values_[chain[i]] = part;
    }
    return part;
  }

  const Instruction& instruction_;
  Graph graph_;
  Computation* entry_ = nullptr;
  absl::flat_hash_map<const Computation*, Computation*> computations_;
  absl::flat_hash_map<const Instruction*, Instruction*> values_;
};

}  // namespace

absl::StatusOr<ReferenceStep> MakeReferenceStep(const Instruction& instruction) {
  ReferenceStep step;
  step.name = instruction.name();
  ASTITCH_ASSIGN_OR_RETURN(step.hlo_text, ModuleMaker(instruction).Run());
  return step;
}

}  // namespace astitch
