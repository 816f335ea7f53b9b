// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The state of a graph under way and its steps; random_graph.h is the way in.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check/error_bounds.h"
#include "tests/random/random_graph.h"

namespace astitch::testing {

class GraphGrower {
 public:
  explicit GraphGrower(const RandomGraphOptions& options);
  std::unique_ptr<Graph> Grow();

 private:
  using Dims = std::vector<int64_t>;

  // ---- graph_grower.cc: choices, values, partners
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }
  bool Chance(int percent) { return Below(100) < percent; }
  int64_t Extent();
  Dims RandomDims(int64_t rank);
  ElementType RandomType();
  Instruction* Pick();
  Instruction* PickFloat();
  Instruction* PickWithRank(int64_t least);
  const ErrorBound& BoundAt(const Instruction* value) const { return bounds_[value->id()]; }

  // Adds an instruction and keeps it for later steps; null when its bound would be unknown. The
  // shape is inferred where the opcode has a rule and no shape is given.
  Instruction* Push(Opcode opcode, std::vector<Instruction*> operands, Attributes attributes = {},
                    std::vector<Computation*> called = {});
  Instruction* PushShaped(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                          Attributes attributes = {}, std::vector<Computation*> called = {});
  Instruction* Constant(ElementType type, double value);
  Instruction* Splat(ElementType type, const Dims& dims, double value);
  Instruction* ArrayConstant(ElementType type, const Dims& dims);
  Instruction* Parameter(ElementType type, const Dims& dims);
  Instruction* ConvertTo(Instruction* x, ElementType type);
  // X within [-LIMIT, LIMIT].
  Instruction* Tame(Instruction* x, double limit);
  // A value of these dims and type: one there is, one broadcast or converted, or a splat.
  Instruction* Partner(const Dims& dims, ElementType type);
  Instruction* BroadcastTo(Instruction* x, const Dims& dims);
  Computation* Body(ElementType type, Opcode opcode);
  Computation* ArgMaxBody(ElementType type, ElementType index);
  void AddParameters();
  void SetRoot();
  void Step();

  // ---- grow_elementwise.cc
  void AddElementwise();
  void AddUnary(Instruction* x);
  void AddFunction(Instruction* x);
  void AddBinary(Instruction* x);
  void AddIntegerBinary(Instruction* x);
  void AddSafeDivide(Instruction* x);
  void AddCompare(Instruction* x);
  void AddConvert(Instruction* x);

  // ---- grow_movement.cc
  void AddMovement();
  void AddReshape(Instruction* x);
  void AddTranspose(Instruction* x);
  void AddBroadcast(Instruction* x);
  void AddSlice(Instruction* x);
  void AddPad(Instruction* x);
  void AddConcatenate(Instruction* x);
  void AddReverse(Instruction* x);
  void AddIota();
  void AddDynamicSlice(Instruction* x);
  void AddDynamicUpdateSlice(Instruction* x);
  void AddGather(Instruction* x);
  void AddScatter(Instruction* x);
  Instruction* Index(const Dims& dims);

  // ---- grow_reduction.cc
  void AddReduction();
  Instruction* Reduce(Instruction* x, const Dims& reduced);
  Instruction* ReduceThere(Instruction* x, const Dims& reduced);
  Dims SomeDims(const Instruction* x);
  void AddRowStatistic(Instruction* x);
  void AddSoftmax(Instruction* x);
  void AddArgMax(Instruction* x);
  void AddReduceWindow(Instruction* x);
  void AddDot(Instruction* x);
  void AddStates();

  // ---- grow_focus.cc
  void FocusStep();
  Dims FocusDims();
  Dims FocusReduced(const Instruction* x);
  void FoldColumns(Instruction* x);
  Instruction* Dear(Instruction* x);
  Instruction* AnyOperation(Instruction* x);
  void AddElementwiseOf(Instruction* x);
  void AddPlaces(Instruction* x);
  void AddSelect(Instruction* x);

  RandomGraphOptions options_;
  std::mt19937 random_;
  std::unique_ptr<Graph> graph_;
  Computation* main_ = nullptr;
  std::map<std::string, Computation*> bodies_;
  Dims extents_;  // of this graph: few, so that values meet
  std::vector<ElementType> types_;
  std::vector<Instruction*> values_;
  std::vector<ErrorBound> bounds_;
  int64_t parameters_ = 0;
};

}  // namespace astitch::testing
