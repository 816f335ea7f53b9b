// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over the instructions in program order; calls are entered with an explicit stack, since
// they may nest deeply.
#include "codegen/common/scalar_computation.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/common/elementwise.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

using Values = std::vector<llvm::Value*>;  // one, or the leaves of a tuple

// A computation being emitted: where it stands and what it has so far.
struct Frame {
  const Computation* computation;
  Values parameters;
  size_t next = 0;
  absl::flat_hash_map<const Instruction*, Values> values;
};

class Inliner {
 public:
  Inliner(const EmitContext& context, int width, bool wide)
      : context_(context), width_(width), wide_(wide) {}

  absl::StatusOr<Values> Run(const Computation& computation, Values parameters);

 private:
  absl::StatusOr<Values> Emit(Frame& frame, const Instruction& instruction);
  absl::StatusOr<Values> EmitParameter(Frame& frame, const Instruction& instruction);

  const EmitContext& context_;
  const int width_;
  const bool wide_;
};

Values Operands(Frame& frame, const Instruction& instruction) {
  Values all;
  for (const Instruction* operand : instruction.operands()) {
    const Values& values = frame.values.at(operand);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

int64_t NumLeaves(const Shape& shape) { return static_cast<int64_t>(shape.Leaves().size()); }

absl::StatusOr<Values> Inliner::EmitParameter(Frame& frame, const Instruction& instruction) {
  size_t first = 0;
  for (int64_t i = 0; i < instruction.parameter_number(); ++i) {
    first += NumLeaves(frame.computation->parameters()[i]->shape());
  }
  const size_t count = NumLeaves(instruction.shape());
  if (first + count > frame.parameters.size()) {
    return ErrorAt(instruction,
                   absl::StrCat("no value for parameter ", instruction.parameter_number()));
  }
  return Values(frame.parameters.begin() + first, frame.parameters.begin() + first + count);
}

absl::StatusOr<Values> Inliner::Emit(Frame& frame, const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return EmitParameter(frame, instruction);
    case Opcode::kConstant: {
      const Literal& literal = instruction.literal();
      const Shape& shape = instruction.shape();
      if (!shape.IsArray() || shape.num_elements() != 1 || IsComplex(shape.element_type()) ||
          literal.bytes().empty()) {
        return ErrorAt(instruction, "only scalar constants can be inlined");
      }
      return Values{EmitConstant(context_, shape.element_type(), literal.bytes().data(), width_)};
    }
    case Opcode::kTuple:
      return Operands(frame, instruction);
    case Opcode::kGetTupleElement: {
      const int64_t index = instruction.as<TupleIndexAttributes>().index;
      const Values& all = frame.values.at(instruction.operand(0));
      size_t first = 0;
      for (int64_t i = 0; i < index; ++i) {
        first += NumLeaves(instruction.operand(0)->shape().elements()[i]);
      }
      return Values(all.begin() + first, all.begin() + first + NumLeaves(instruction.shape()));
    }
    // Of one element, these move nothing.
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
      if (instruction.shape().num_elements() == 1) return frame.values.at(instruction.operand(0));
      break;
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
      return frame.values.at(instruction.operand(0));
    default:
      break;
  }
  if (KindOf(instruction.opcode()) != OpKind::kElementwise) {
    return ErrorAt(instruction, "cannot be part of a scalar computation");
  }
  ASTITCH_ASSIGN_OR_RETURN(
      llvm::Value * value,
      EmitElementwise(context_, instruction, Operands(frame, instruction), {.keep_wide = wide_}));
  return Values{value};
}

bool IsCall(const Instruction& instruction) {
  return instruction.called().size() == 1 &&
         (instruction.opcode() == Opcode::kCall || instruction.opcode() == Opcode::kFusion ||
          instruction.opcode() == Opcode::kMap);
}

absl::StatusOr<Values> Inliner::Run(const Computation& computation, Values parameters) {
  std::vector<Frame> stack;
  stack.push_back({&computation, std::move(parameters), 0, {}});
  while (true) {
    Frame& frame = stack.back();
    const auto& instructions = frame.computation->instructions();
    if (frame.next == instructions.size()) {
      Values result = frame.values.at(frame.computation->root());
      stack.pop_back();
      if (stack.empty()) return result;
      Frame& caller = stack.back();
      caller.values[caller.computation->instructions()[caller.next++].get()] = std::move(result);
      continue;
    }
    const Instruction& instruction = *instructions[frame.next];
    if (IsCall(instruction)) {
      Values arguments = Operands(frame, instruction);
      stack.push_back({instruction.called()[0], std::move(arguments), 0, {}});
      continue;
    }
    ASTITCH_ASSIGN_OR_RETURN(Values values, Emit(frame, instruction));
    frame.values[&instruction] = std::move(values);
    ++frame.next;
  }
}

}  // namespace

absl::StatusOr<Values> EmitScalarComputation(const EmitContext& context,
                                             const Computation& computation,
                                             absl::Span<llvm::Value* const> parameters, bool wide) {
  const int width = parameters.empty() ? 1 : WidthOf(parameters[0]);
  return Inliner(context, width, wide)
      .Run(computation, Values(parameters.begin(), parameters.end()));
}

}  // namespace astitch::codegen
