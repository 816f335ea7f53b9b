// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The loop that most passes share: look at every instruction once, put something else in its place.
//
// Instructions are visited in program order, so what is visited has operands that are already
// rewritten: a chain of a thousand reshapes folds in one sweep. New instructions are appended, and
// the program order is restored once at the end. What was replaced disappears, with the operands
// that only it used.
#pragma once

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"

namespace astitch {

class Rewriter {
 public:
  explicit Rewriter(Computation& computation) : computation_(computation) {}

  Computation& computation() { return computation_; }

  // A new instruction on behalf of ORIGIN: it takes the origin's source position and metadata, and
  // its name when it does the same operation.
  Instruction* Add(const Instruction& origin, Opcode opcode, Shape shape,
                   std::vector<Instruction*> operands, Attributes attributes = {});
  // A copy of ORIGIN, attributes and called computations included, with other operands and shape.
  Instruction* CloneAs(const Instruction& origin, Shape shape, std::vector<Instruction*> operands);

  // Every user of OLD reads WITH; OLD goes away in Finish, side effects or not: WITH has them.
  void Replace(Instruction* old, Instruction* with);
  // INSTRUCTION goes away in Finish as well, once nothing uses it.
  void Drop(Instruction* instruction) { replaced_.push_back(instruction); }

  // Removes what is unused now, restores program order; true when anything was changed.
  bool Finish();

 private:
  void RemoveReplaced();

  Computation& computation_;
  std::vector<Instruction*> replaced_;
  bool added_ = false;
};

// Calls VISIT for every instruction of every computation; a non-null result replaces it. An
// instruction that VISIT adds is not visited. True when anything was replaced.
using VisitFunction = absl::FunctionRef<absl::StatusOr<Instruction*>(Rewriter&, Instruction&)>;
absl::StatusOr<bool> RewriteEach(Graph& graph, VisitFunction visit);
// The same for one computation.
absl::StatusOr<bool> RewriteComputation(Computation& computation, VisitFunction visit);

// An array without dynamic dimensions: what the passes reason about.
bool IsStaticArray(const Shape& shape);
// The result and all operands are such arrays.
bool IsStatic(const Instruction& instruction);

}  // namespace astitch
