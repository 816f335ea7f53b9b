// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The entry points and the walk: check arguments, then run the steps of a schedule, holding values
// by instruction id and letting go of each at its last reader.
#include "interp/interpreter.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interp/context.h"
#include "interp/dispatch.h"
#include "interp/memory_estimate.h"

namespace astitch {
namespace interp {
namespace {

// Calls nest as deep as a graph's text; each takes a few hundred bytes to a kilobyte of stack.
constexpr int kMaxCallDepth = 500;

// Refuses shapes the interpreter has no values for.
absl::Status CheckShape(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (shape.IsArray() && !shape.has_dynamic_dims()) return absl::OkStatus();
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->kind() == Shape::Kind::kOpaque || leaf->kind() == Shape::Kind::kBuffer) {
      return ErrorAt(instruction, absl::StrCat("the interpreter has no values of shape ",
                                               leaf->ToString(false)));
    }
    if (!leaf->IsArray()) continue;
    if (leaf->has_dynamic_dims()) {
      return ErrorAt(instruction, absl::StrCat("dynamic dimensions (", leaf->ToString(false),
                                               ") are not implemented in the interpreter"));
    }
  }
  return absl::OkStatus();
}

bool HoldsElided(const Literal& literal) {
  if (literal.is_elided()) return true;
  for (const Literal& element : literal.elements()) {
    if (HoldsElided(element)) return true;
  }
  return false;
}

absl::Status CheckArguments(const Computation& computation, absl::Span<const Literal> arguments) {
  const int64_t expected = static_cast<int64_t>(computation.parameters().size());
  if (static_cast<int64_t>(arguments.size()) != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("computation ", computation.name(), " takes ", expected,
                     expected == 1 ? " argument" : " arguments", ", got ", arguments.size()));
  }
  for (int64_t i = 0; i < expected; ++i) {
    const Instruction& parameter = *computation.parameters()[i];
    if (!arguments[i].shape().CompatibleWith(parameter.shape())) {
      return ErrorAt(parameter,
                     absl::StrCat(parameter.shape().ToString(false), " for argument ", i),
                     arguments[i].shape().ToString(false));
    }
    if (HoldsElided(arguments[i])) {
      return ErrorAt(parameter, absl::StrCat("values for argument ", i), "an elided literal");
    }
  }
  return absl::OkStatus();
}

// Allocation fails by exception, which ends here: sizes are the graph's, so it is the user's to
// know.
template <typename Fn>
absl::StatusOr<Literal> WithinMemory(Fn evaluate) {
  try {
    return evaluate();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return absl::ResourceExhaustedError("a value does not fit in memory");
}

// get-tuple-element without touching the tuple's other elements.
Literal TakeElement(Literal& tuple, const Schedule::Step& step) {
  const int64_t index = step.instruction->as<TupleIndexAttributes>().index;
  if (!step.takes_element && !step.takes[0]) return tuple.elements()[index];
  Literal element = std::move(tuple.mutable_elements()[index]);
  if (step.takes[0]) tuple = Literal();
  return element;
}

}  // namespace

const Schedule& Context::ScheduleOf(const Computation& computation) {
  std::unique_ptr<Schedule>& schedule = schedules_[&computation];
  if (!schedule) schedule = std::make_unique<Schedule>(MakeSchedule(computation));
  return *schedule;
}

absl::StatusOr<Literal> Context::Run(const Computation& computation,
                                     std::vector<Literal> arguments) {
  if (depth_ >= kMaxCallDepth) {
    return absl::ResourceExhaustedError(absl::StrCat("computation ", computation.name(),
                                                     " is called through more than ", kMaxCallDepth,
                                                     " others"));
  }
  ++depth_;
  absl::StatusOr<Literal> result = RunScheduled(computation, std::move(arguments));
  --depth_;
  return result;
}

absl::StatusOr<Literal> Context::RunScheduled(const Computation& computation,
                                              std::vector<Literal> arguments) {
  const Schedule& schedule = ScheduleOf(computation);
  std::vector<Literal> values(computation.id_bound());
  for (const Schedule::Step& step : schedule.steps) {
    const Instruction& instruction = *step.instruction;
    Literal& value = values[instruction.id()];
    if (instruction.opcode() == Opcode::kParameter) {
      ASTITCH_RETURN_IF_ERROR(CheckShape(instruction));
      value = std::move(arguments[instruction.parameter_number()]);
      continue;
    }
    if (instruction.opcode() == Opcode::kGetTupleElement) {
      value = TakeElement(values[instruction.operand(0)->id()], step);
      continue;
    }
    std::vector<Literal> operands;
    operands.reserve(instruction.num_operands());
    for (int64_t i = 0; i < instruction.num_operands(); ++i) {
      Literal& operand = values[instruction.operand(i)->id()];
      operands.push_back(step.takes[i] ? std::exchange(operand, Literal()) : operand);
    }
    ASTITCH_ASSIGN_OR_RETURN(value, RunInstruction(instruction, absl::MakeSpan(operands)));
  }
  return std::move(values[computation.root()->id()]);
}

absl::StatusOr<Literal> Context::RunInstruction(const Instruction& instruction,
                                                absl::Span<Literal> operands) {
  ASTITCH_RETURN_IF_ERROR(CheckShape(instruction));
  return Dispatch(*this, instruction, operands);
}

unsigned __int128 Context::AdvanceRandomState(int64_t delta) {
  const unsigned __int128 before = random_state_;
  random_state_ += static_cast<unsigned __int128>(delta);
  return before;
}

}  // namespace interp

absl::StatusOr<Literal> EvaluateComputation(const Computation& computation,
                                            absl::Span<const Literal> arguments,
                                            const InterpreterOptions& options) {
  ASTITCH_RETURN_IF_ERROR(interp::CheckArguments(computation, arguments));
  interp::Context context(options);
  return interp::WithinMemory([&] {
    return context.Run(computation, std::vector<Literal>(arguments.begin(), arguments.end()));
  });
}

absl::StatusOr<Literal> EvaluateInstruction(const Instruction& instruction,
                                            absl::Span<const Literal> operands,
                                            const InterpreterOptions& options) {
  interp::Context context(options);
  std::vector<Literal> own(operands.begin(), operands.end());
  for (const Literal& operand : own) {
    if (interp::HoldsElided(operand)) return ErrorAt(instruction, "values", "an elided literal");
  }
  return interp::WithinMemory(
      [&] { return context.RunInstruction(instruction, absl::MakeSpan(own)); });
}

absl::StatusOr<Literal> Evaluate(const Graph& graph, absl::Span<const Literal> arguments,
                                 const InterpreterOptions& options) {
  const int64_t limit =
      options.memory_limit_bytes > 0 ? options.memory_limit_bytes : interp::AvailableMemory();
  const int64_t needed = EstimateMemory(graph);
  if (needed > limit) {
    return absl::ResourceExhaustedError(absl::StrCat("graph ", graph.name(), " needs about ",
                                                     needed, " bytes in the interpreter, of which ",
                                                     limit, " are available"));
  }
  return EvaluateComputation(*graph.entry(), arguments, options);
}

}  // namespace astitch
