// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations that speak to other devices, asynchronous pairs and custom calls, as one device with
// one replica and one partition sees them: collectives are identities, pairs do their work at the
// start, and of the custom calls those are known that mean something everywhere.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "interp/ops.h"

namespace astitch::interp {
namespace {

absl::Status CheckOneDevice(const Instruction& instruction) {
  const ModuleHeader& header = instruction.parent()->graph()->header();
  if (header.replica_count == 1 && header.num_partitions == 1) return absl::OkStatus();
  return ErrorAt(instruction,
                 absl::StrCat("needs ", header.replica_count, " replicas of ",
                              header.num_partitions, " partitions; the interpreter is one device"));
}

Literal TupleOf(Operands operands) {
  std::vector<Literal> elements;
  for (Literal& operand : operands) elements.push_back(std::move(operand));
  return Literal::Tuple(std::move(elements));
}

// One value, or a tuple of them, as the identity gives it.
Literal Identity(Operands operands) {
  return operands.size() == 1 ? std::move(operands[0]) : TupleOf(operands);
}

Literal ZerosLike(const Shape& shape) { return Literal(shape); }

absl::Status CheckResult(const Instruction& instruction, const Literal& result) {
  if (result.shape().CompatibleWith(instruction.shape())) return absl::OkStatus();
  return ErrorAt(instruction, absl::StrCat("with one device is the identity and gives ",
                                           result.shape().ToString(false), ", not ",
                                           instruction.shape().ToString(false)));
}

// (inputs, outputs, context..): the value of a start half; what the text has after the outputs is
// zero.
Literal Started(const Instruction& instruction, Literal inputs, Literal outputs) {
  std::vector<Literal> parts = {std::move(inputs), std::move(outputs)};
  const std::vector<Shape>& shapes = instruction.shape().elements();
  for (size_t i = 2; i < shapes.size(); ++i) parts.push_back(ZerosLike(shapes[i]));
  return Literal::Tuple(std::move(parts));
}

// source_target_pairs={{0,0},...}: does device 0 send to itself?
bool SendsToItself(const Instruction& instruction) {
  const auto* raw = std::get_if<RawAttributes>(&instruction.attributes());
  if (raw == nullptr) return false;
  for (const auto& [key, value] : raw->values) {
    if (key != "source_target_pairs") continue;
    const std::string digits = absl::StrReplaceAll(value, {{"{", " "}, {"}", " "}, {",", " "}});
    const std::vector<std::string> numbers = absl::StrSplit(digits, ' ', absl::SkipEmpty());
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
      if (numbers[i] == "0" && numbers[i + 1] == "0") return true;
    }
  }
  return false;
}

bool IsIdentityTarget(absl::string_view target) {
  static constexpr absl::string_view kTargets[] = {"MoveToDevice",
                                                   "MoveToHost",
                                                   "PinToDevice",
                                                   "SPMDFullToShardShape",
                                                   "SPMDShardToFullShape",
                                                   "Sharding",
                                                   "annotate_device_placement",
                                                   "xla.sdy.FuncResultSharding",
                                                   "xla.sdy.GlobalToLocalShape",
                                                   "xla.sdy.LocalToGlobalShape"};
  return std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

// TopK as a custom call: k is in the shape, the direction in the comparator.
Result EvalTopKCall(const Instruction& instruction, Operands operands) {
  const Shape& shape = instruction.shape();
  const bool fits = operands.size() == 1 && shape.IsTuple() && shape.elements().size() == 2 &&
                    operands[0].shape().rank() >= 1 &&
                    shape.elements()[0].rank() == operands[0].shape().rank() &&
                    shape.elements()[1].element_type() == ElementType::kS32;
  if (!fits) {
    return ErrorAt(instruction, "a result (values, s32 indices) for TopK", shape.ToString(false));
  }
  bool largest = true;
  if (!instruction.called().empty()) {
    const Instruction* root = instruction.called()[0]->root();
    if (root->opcode() != Opcode::kCompare) {
      return ErrorAt(instruction, "TopK with a comparator that is not one compare");
    }
    const ComparisonDirection direction = root->as<CompareAttributes>().direction;
    largest = direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
  }
  const int64_t k = shape.elements()[0].dims().back();
  if (k > operands[0].shape().dims().back()) {
    return ErrorAt(instruction, "no more than the elements of a row for TopK", absl::StrCat(k));
  }
  return EvalTopK(instruction, operands[0], k, largest);
}

}  // namespace

Result EvalCollective(const Instruction& instruction, Operands operands) {
  ASTITCH_RETURN_IF_ERROR(CheckOneDevice(instruction));
  Literal result;
  if (instruction.opcode() == Opcode::kAllGatherStart) {
    Literal value = Identity(operands);
    result = Started(instruction, value, value);
  } else if (operands.size() == 1 && instruction.shape().IsTuple()) {
    result = TupleOf(operands);  // all-to-all in its tuple form
  } else {
    result = Identity(operands);
  }
  ASTITCH_RETURN_IF_ERROR(CheckResult(instruction, result));
  return result;
}

// The operand when device 0 sends to itself, else zeros.
Result EvalCollectivePermute(const Instruction& instruction, Operands operands) {
  ASTITCH_RETURN_IF_ERROR(CheckOneDevice(instruction));
  if (operands.size() == 4) {
    return ErrorAt(instruction, "the in-place form is not implemented in the interpreter");
  }
  Literal sent = Identity(operands);
  Literal received = SendsToItself(instruction) ? sent : ZerosLike(sent.shape());
  const bool starts = instruction.opcode() == Opcode::kCollectivePermuteStart;
  Literal result =
      starts ? Started(instruction, std::move(sent), std::move(received)) : std::move(received);
  ASTITCH_RETURN_IF_ERROR(CheckResult(instruction, result));
  return result;
}

Result EvalDeviceId(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(CheckOneDevice(instruction));
  return Literal(instruction.shape());
}

// (destination, source, context)
Result EvalCopyStart(const Instruction& instruction, Operands operands) {
  return Started(instruction, operands[0], operands[0]);
}

Result EvalAsyncStart(Context& context, const Instruction& instruction, Operands operands) {
  if (instruction.called().empty() || !instruction.shape().IsTuple()) {
    return ErrorAt(instruction, "has no computation to run");
  }
  std::vector<Literal> arguments(operands.begin(), operands.end());
  Literal inputs = TupleOf(operands);
  ASTITCH_ASSIGN_OR_RETURN(Literal output,
                           context.Run(*instruction.called()[0], std::move(arguments)));
  return Started(instruction, std::move(inputs), std::move(output));
}

Result EvalCustomCall(const Instruction& instruction, Operands operands) {
  const std::string& target = instruction.as<CustomCallAttributes>().target;
  if (IsIdentityTarget(target) && operands.size() == 1) {
    if (absl::StartsWith(target, "SPMD") || absl::StartsWith(target, "xla.sdy")) {
      ASTITCH_RETURN_IF_ERROR(CheckOneDevice(instruction));
    }
    Literal result = std::move(operands[0]);
    ASTITCH_RETURN_IF_ERROR(CheckResult(instruction, result));
    return result;
  }
  if (target == "TopK") return EvalTopKCall(instruction, operands);
  return ErrorAt(instruction, absl::StrCat("custom call target \"", target,
                                           "\" is not implemented in the interpreter"));
}

}  // namespace astitch::interp
