// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compilation walks the computation once in program order. A value is a register, or several when
// it is a tuple; calls and fusions of scalar computations are inlined to a small depth.
#include "interp/scalar_program.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "interp/context.h"

namespace astitch::interp {
namespace {

// A reducer's registers stay small; a computation past this is evaluated by the interpreter.
constexpr int kMaxRegisters = 4096;
constexpr int kMaxInlineDepth = 16;

bool IsScalarArray(const Shape& shape) { return shape.IsArray() && shape.num_elements() == 1; }

absl::Status AppendTypes(const Instruction& instruction, std::vector<ElementType>& types) {
  for (const Shape* leaf : instruction.shape().Leaves()) {
    if (!leaf->IsScalar()) {
      return ErrorAt(instruction, "a scalar", leaf->ToString(false));
    }
    types.push_back(leaf->element_type());
  }
  return absl::OkStatus();
}

}  // namespace

struct ScalarProgram::Compiler {
  using Value = std::vector<int>;  // registers of the leaves

  ScalarProgram& program;
  Rounding rounding;

  int NewRegister() {
    const int index = static_cast<int>(program.registers_.size() / kLanes);
    program.registers_.resize(program.registers_.size() + kLanes);
    return index;
  }

  // False: not compilable.
  bool Compile(const Computation& computation, const std::vector<Value>& arguments, int depth,
               Value& root) {
    if (depth > kMaxInlineDepth) return false;
    absl::flat_hash_map<const Instruction*, Value> values;
    for (const std::unique_ptr<Instruction>& owned : computation.instructions()) {
      const Instruction& instruction = *owned;
      if (instruction.opcode() == Opcode::kParameter) {
        values[&instruction] = arguments[instruction.parameter_number()];
        continue;
      }
      std::vector<Value> operands;
      for (const Instruction* operand : instruction.operands()) operands.push_back(values[operand]);
      Value value;
      if (!CompileOne(instruction, operands, depth, value)) return false;
      values[&instruction] = std::move(value);
      if (program.registers_.size() / kLanes > kMaxRegisters) return false;
    }
    root = values[computation.root()];
    return true;
  }

  bool CompileOne(const Instruction& instruction, const std::vector<Value>& operands, int depth,
                  Value& value) {
    switch (instruction.opcode()) {
      case Opcode::kConstant:
        return CompileConstant(instruction, value);
      case Opcode::kTuple:
        for (const Value& operand : operands) {
          if (operand.size() != 1) return false;
          value.push_back(operand[0]);
        }
        return true;
      case Opcode::kGetTupleElement:
        value = {operands[0][instruction.as<TupleIndexAttributes>().index]};
        return true;
      case Opcode::kCall:
      case Opcode::kFusion:
        return Compile(*instruction.called()[0], operands, depth + 1, value);
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:  // of one element: the element
        if (!IsScalarArray(instruction.shape()) || operands[0].size() != 1 ||
            instruction.shape().element_type() != instruction.operand(0)->shape().element_type()) {
          return false;
        }
        value = operands[0];
        return true;
      default:
        return CompileLaneOp(instruction, operands, value);
    }
  }

  bool CompileConstant(const Instruction& instruction, Value& value) {
    const Literal& literal = instruction.literal();
    if (!IsScalarArray(instruction.shape()) || literal.is_elided()) return false;
    const int reg = NewRegister();
    const Lane lane = DecodeOne(instruction.shape().element_type(), literal.bytes().data());
    std::fill_n(program.Register(reg), kLanes, lane);
    value = {reg};
    return true;
  }

  bool CompileLaneOp(const Instruction& instruction, const std::vector<Value>& operands,
                     Value& value) {
    if (KindOf(instruction.opcode()) != OpKind::kElementwise) return false;
    if (!IsScalarArray(instruction.shape())) return false;
    absl::StatusOr<LaneOp> op = MakeLaneOp(instruction);
    if (!op.ok()) return false;
    Step step;
    step.op = *op;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].size() != 1) return false;
      step.inputs[i] = operands[i][0];
    }
    step.output = NewRegister();
    const bool inexact = IsFloat(step.op.result_type) || IsComplex(step.op.result_type);
    step.rounds = !(rounding == Rounding::kWide && inexact);
    value = {step.output};
    program.steps_.push_back(step);
    return true;
  }
};

absl::StatusOr<ScalarProgram> ScalarProgram::Compile(Context& context,
                                                     const Computation& computation,
                                                     Rounding rounding) {
  ScalarProgram program;
  program.context_ = &context;
  for (const Instruction* parameter : computation.parameters()) {
    ASTITCH_RETURN_IF_ERROR(AppendTypes(*parameter, program.param_types_));
  }
  ASTITCH_RETURN_IF_ERROR(AppendTypes(*computation.root(), program.result_types_));
  Compiler compiler{program, rounding};
  std::vector<Compiler::Value> arguments;
  for (int64_t i = 0; i < program.num_params(); ++i) arguments.push_back({compiler.NewRegister()});
  Compiler::Value root;
  if (compiler.Compile(computation, arguments, 0, root)) {
    program.results_ = root;
    return program;
  }
  program.steps_.clear();
  program.interpreted_ = &computation;
  program.registers_.resize((program.num_params() + program.num_results()) * kLanes);
  for (int64_t i = 0; i < program.num_results(); ++i) {
    program.results_.push_back(static_cast<int>(program.num_params() + i));
  }
  return program;
}

absl::Status ScalarProgram::Run(int64_t n) {
  if (interpreted_ != nullptr) return RunThroughInterpreter(n);
  for (const Step& step : steps_) {
    Lane* out = Register(step.output);
    step.op.Run(Register(step.inputs[0]), Register(step.inputs[1]), Register(step.inputs[2]), n,
                out);
    if (step.rounds) Round(step.op.result_type, out, n);
  }
  return absl::OkStatus();
}

absl::Status ScalarProgram::RunThroughInterpreter(int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    std::vector<Literal> arguments;
    for (int64_t i = 0; i < num_params(); ++i) {
      Literal& argument = arguments.emplace_back(Shape::Scalar(param_types_[i]));
      Encode(param_types_[i], Register(i) + k, 1, argument.mutable_bytes().data());
    }
    ASTITCH_ASSIGN_OR_RETURN(const Literal result,
                             context_->Run(*interpreted_, std::move(arguments)));
    for (int64_t i = 0; i < num_results(); ++i) {
      const Literal& leaf = result.shape().IsTuple() ? result.elements()[i] : result;
      Decode(result_types_[i], leaf.bytes().data(), 1, Register(results_[i]) + k);
    }
  }
  return absl::OkStatus();
}

std::optional<Opcode> ScalarProgram::single_binary() const {
  if (interpreted_ != nullptr || steps_.size() != 1 || results_.size() != 1) return std::nullopt;
  const Step& step = steps_[0];
  if (step.op.num_operands != 2 || num_params() != 2 || step.inputs[0] != 0 ||
      step.inputs[1] != 1 || results_[0] != step.output) {
    return std::nullopt;
  }
  return step.op.opcode;
}

bool ScalarProgram::takes_second() const {
  if (interpreted_ != nullptr || num_params() != 2 * num_results()) return false;
  for (int64_t i = 0; i < num_results(); ++i) {
    if (results_[i] != num_results() + i) return false;
  }
  return true;
}

}  // namespace astitch::interp
