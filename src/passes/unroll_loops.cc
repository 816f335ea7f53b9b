// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// First the counter and how often it lets the loop turn, by counting; then a copy of the body a turn,
// with the state of the turn before it as its parameter.
#include "passes/unroll_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/comparison.h"
#include "ir/number.h"
#include "passes/operation_count.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// A chain of a few short operations in many turns takes longer to compile than to interpret: 1000 turns
// of 5 took 13 s.
constexpr int64_t kMostTurns = 256;
// Operations of all turns of all loops of a graph: so many compile in 12 s for the host.
constexpr int64_t kMostOperations = 20'000;

// What stands behind get-tuple-elements of tuples.
const Instruction* Through(const Instruction* value) {
  while (value->opcode() == Opcode::kGetTupleElement &&
         value->operand(0)->opcode() == Opcode::kTuple)
    value = value->operand(0)->operand(value->as<TupleIndexAttributes>().index);
  return value;
}

std::optional<int64_t> IntegerOf(const Instruction* value) {
  value = Through(value);
  if (value->opcode() != Opcode::kConstant || !value->shape().IsScalar() ||
      value->literal().is_elided())
    return std::nullopt;
  const ElementType type = value->shape().element_type();
  // As a signed number of 64 bits, which the widest unsigned ones are not.
  if (!IsInteger(type) || type == ElementType::kU64) return std::nullopt;
  return LoadAsInteger(type, value->literal().bytes().data());
}

// Which element of its computation's only parameter VALUE is.
std::optional<int64_t> StateIndex(const Instruction* value) {
  value = Through(value);
  if (value->opcode() != Opcode::kGetTupleElement ||
      value->operand(0)->opcode() != Opcode::kParameter)
    return std::nullopt;
  return value->as<TupleIndexAttributes>().index;
}

// The counter of a loop: which element of the state, and its value in each turn and behind the last.
struct Counter {
  int64_t index = 0;
  std::vector<int64_t> values;
};

// What the body adds to element INDEX of the state.
std::optional<int64_t> StepOf(const Computation& body, int64_t index) {
  const Instruction* next = Through(body.root()->operand(index));
  if (next->opcode() != Opcode::kAdd && next->opcode() != Opcode::kSubtract) return std::nullopt;
  const bool add = next->opcode() == Opcode::kAdd;
  for (int64_t k = 0; k < (add ? 2 : 1); ++k) {
    const std::optional<int64_t> step = IntegerOf(next->operand(1 - k));
    if (StateIndex(next->operand(k)) == index && step.has_value()) return add ? *step : -*step;
  }
  return std::nullopt;
}

std::optional<Counter> CounterOf(const Instruction& loop) {
  const Instruction* test = loop.called()[0]->root();
  const Computation& body = *loop.called()[1];
  const Instruction* init = Through(loop.operand(0));
  if (test->opcode() != Opcode::kCompare || init->opcode() != Opcode::kTuple ||
      body.root()->opcode() != Opcode::kTuple)
    return std::nullopt;
  for (int64_t k = 0; k < 2; ++k) {
    const std::optional<int64_t> index = StateIndex(test->operand(k));
    const std::optional<int64_t> bound = IntegerOf(test->operand(1 - k));
    if (!index.has_value() || !bound.has_value()) continue;
    const std::optional<int64_t> first = IntegerOf(init->operand(*index));
    const std::optional<int64_t> step = StepOf(body, *index);
    if (!first.has_value() || !step.has_value()) return std::nullopt;
    const ElementType type = test->operand(k)->shape().element_type();
    const auto direction = test->as<CompareAttributes>().direction;
    Counter counter{*index, {*first}};
    while (true) {
      const int64_t now = counter.values.back();
      if (!(k == 0 ? Holds(direction, now, *bound) : Holds(direction, *bound, now))) return counter;
      if (static_cast<int64_t>(counter.values.size()) > kMostTurns) return std::nullopt;
      counter.values.push_back(WrapInteger(
          type, static_cast<int64_t>(static_cast<uint64_t>(now) + static_cast<uint64_t>(*step))));
    }
  }
  return std::nullopt;
}

class Unrolling {
 public:
  Unrolling(Rewriter& rewriter, const Instruction& loop)
      : rewriter_(rewriter), loop_(loop), body_(*loop.called()[1]) {
    const Instruction* init = Through(loop.operand(0));
    state_.assign(init->operands().begin(), init->operands().end());
    made_.assign(body_.id_bound(), nullptr);
  }

  Instruction* Run(const Counter& counter) {
    for (size_t turn = 0; turn < counter.values.size(); ++turn) {
      state_[counter.index] = Number(counter, counter.values[turn]);
      if (turn + 1 < counter.values.size()) Turn();
    }
    return Whole();
  }

 private:
  Instruction* Number(const Counter& counter, int64_t value) {
    const Shape& shape = loop_.shape().elements()[counter.index];
    Literal literal(shape);
    StoreBits(shape.element_type(), literal.mutable_bytes().data(), static_cast<uint64_t>(value));
    return rewriter_.Add(loop_, Opcode::kConstant, shape, {},
                         ConstantAttributes{std::move(literal)});
  }

  Instruction* Whole() { return rewriter_.Add(loop_, Opcode::kTuple, loop_.shape(), state_); }

  void Turn() {
    for (const auto& instruction : body_.instructions()) {
      Instruction*& made = made_[instruction->id()];
      const bool of_state = instruction->opcode() == Opcode::kGetTupleElement &&
                            instruction->operand(0)->opcode() == Opcode::kParameter;
      if (instruction->opcode() == Opcode::kParameter) {
        made = nullptr;  // made where somebody reads all of it
      } else if (of_state) {
        made = state_[instruction->as<TupleIndexAttributes>().index];
      } else if (instruction->num_operands() > 0 || made == nullptr) {
        // What has no operands is the same in every turn.
        made = rewriter_.CloneAs(*instruction, instruction->shape(), OperandsOf(*instruction));
      }
    }
    state_ = OperandsOf(*body_.root());
  }

  std::vector<Instruction*> OperandsOf(const Instruction& instruction) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction.operands()) {
      Instruction*& made = made_[operand->id()];
      if (made == nullptr) made = Whole();
      operands.push_back(made);
    }
    return operands;
  }

  Rewriter& rewriter_;
  const Instruction& loop_;
  const Computation& body_;
  std::vector<Instruction*> state_;
  std::vector<Instruction*> made_;  // by id, of the turn at hand
};

}  // namespace

absl::StatusOr<bool> UnrollLoops::Run(Graph& graph) {
  int64_t left = kMostOperations;
  return RewriteEach(
      graph, [&left](Rewriter& rewriter, Instruction& loop) -> absl::StatusOr<Instruction*> {
        if (loop.opcode() != Opcode::kWhile) return nullptr;
        const std::optional<int64_t> operations = CountOperations(*loop.called()[1], true);
        const std::optional<Counter> counter = CounterOf(loop);
        if (!operations.has_value() || !counter.has_value()) return nullptr;
        const auto turns = static_cast<int64_t>(counter->values.size()) - 1;
        const int64_t all = turns * *operations;
        if (all > left) return nullptr;
        left -= all;
        return Unrolling(rewriter, loop).Run(*counter);
      });
}

}  // namespace astitch
