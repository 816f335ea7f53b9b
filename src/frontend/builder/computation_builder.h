// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One computation under construction, behind the GraphBuilder that the user (or the writer of a
// body) holds. All computations of one graph share a BuildSession, and with it the first error.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "astitch/builder.h"
#include "ir/attributes.h"
#include "ir/graph.h"
#include "ir/opcode.h"

namespace astitch {

struct BuildSession {
  std::unique_ptr<Graph> graph;  // null once built
  absl::Status error;
  // Reducers of the ready-made kinds, one a type.
  std::map<std::pair<ReduceKind, ElementType>, Computation*> reducers;
};

class ComputationBuilder {
 public:
  ComputationBuilder(std::shared_ptr<BuildSession> session, absl::string_view name);

  BuildSession& session() { return *session_; }
  Computation* computation() { return computation_; }

  // The first error stays.
  void Fail(const absl::Status& status, SourceLoc loc);
  // Whether building goes on and the operands are values of this computation.
  bool Usable(Ops operands, SourceLoc loc);

  // Appends an instruction whose shape follows from the rest.
  Op Infer(Opcode opcode, Ops operands, SourceLoc loc, Attributes attributes = {},
           std::vector<Computation*> called = {});
  // Appends one whose shape is given.
  Op Write(Opcode opcode, const Shape& shape, Ops operands, SourceLoc loc,
           Attributes attributes = {}, std::vector<Computation*> called = {},
           absl::string_view name = "");

  // The operands with a scalar broadcast where exactly one of them is an array.
  std::pair<Op, Op> Matched(Op lhs, Op rhs, SourceLoc loc);

  // A new computation with parameters of SHAPES whose result FN returns; null after an error.
  Computation* Body(absl::string_view name, const std::vector<Shape>& shapes, const BodyFn& fn,
                    SourceLoc loc);
  // (a, b) -> KIND of them, and the element that it leaves alone.
  Computation* Reducer(ReduceKind kind, ElementType type, SourceLoc loc);
  Op NeutralElement(ReduceKind kind, ElementType type, SourceLoc loc);

 private:
  std::shared_ptr<BuildSession> session_;
  Computation* computation_;
};

}  // namespace astitch
