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
#include "compile/reference_copy.h"
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
    const auto copy = [&](const Instruction& value, std::vector<Instruction*> operands) {
      return AddTwin(value, entry_, std::move(operands));
    };
    CopyReferenceCall(instruction_, copy, values_);
    std::vector<Instruction*> results;
    std::vector<Shape> shapes;
    for (const Instruction* output : ReferenceOutputs(instruction_)) {
      results.push_back(CopyReferenceOutput(output, copy, values_));
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

  const Instruction& instruction_;
  Graph graph_;
  Computation* entry_ = nullptr;
  absl::flat_hash_map<const Computation*, Computation*> computations_;
  Copies values_;
};

}  // namespace

absl::StatusOr<ReferenceStep> MakeReferenceStep(const Instruction& instruction) {
  ReferenceStep step;
  step.name = instruction.name();
  ASTITCH_ASSIGN_OR_RETURN(step.hlo_text, ModuleMaker(instruction).Run());
  return step;
}

}  // namespace astitch
