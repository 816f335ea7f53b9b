// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The oracle: a plain evaluator of a Graph, one instruction after the other, each computed in the
// widest type and rounded to its element type once. Every other way to run a graph is compared
// with it. It is as right as it can be made, and never fast.
//
// Two deliberate deviations from "round after every instruction", both toward the exact result:
//   - a reducer (of reduce, reduce-window, scatter, select-and-scatter) over floats is not rounded
//     between elements: the accumulator is a double, rounded once at the end (scalar_program.h);
//   - dot, convolution, fft and the batch-norm family accumulate in double and round once.
// A complex number is two such doubles; each of its parts rounds once.
// Reductions fold in row-major order of the reduced indices, and the init value enters once.
//
// `rng`, whose values HLO leaves open, draws from a Philox stream that starts anew with every
// evaluation: the same graph gives the same numbers.
//
// Safe to call from several threads on one graph.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "ir/graph.h"

namespace astitch {

struct InterpreterOptions {
  // An evaluation that is estimated to need more is refused before it starts. 0: what the machine
  // has free.
  int64_t memory_limit_bytes = 0;
  // A while that runs longer ends with an error. 0: no limit.
  int64_t max_loop_iterations = 0;
  // Blocks of random numbers that were drawn before: where an evaluation goes on from another.
  int64_t random_start = 0;
};

// The value of the entry's root. ARGUMENTS match the entry's parameters in number and shape
// (layouts do not matter); an InvalidArgument says which does not. Opcodes and types that the
// interpreter does not have are refused by name and place; too large a graph is ResourceExhausted.
// REQUIRES: the graph is verified.
absl::StatusOr<Literal> Evaluate(const Graph& graph, absl::Span<const Literal> arguments,
                                 const InterpreterOptions& options = {});

// The same for any computation of a verified graph; memory is not estimated.
absl::StatusOr<Literal> EvaluateComputation(const Computation& computation,
                                            absl::Span<const Literal> arguments,
                                            const InterpreterOptions& options = {});

// One instruction with its operands' values; memory is not estimated.
// REQUIRES: operands fit the instruction's; it is no parameter.
absl::StatusOr<Literal> EvaluateInstruction(const Instruction& instruction,
                                            absl::Span<const Literal> operands,
                                            const InterpreterOptions& options = {});

// How many blocks of random numbers an evaluation of INSTRUCTION draws; of one that may draw more or
// fewer, such as a loop, more than any draws.
int64_t RandomBlocks(const Instruction& instruction);

// What Evaluate needs beyond its arguments, in bytes: an estimate by liveness of the values.
int64_t EstimateMemory(const Graph& graph);

}  // namespace astitch
