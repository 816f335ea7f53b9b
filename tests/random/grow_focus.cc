// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Graphs around a part of the code generators that chance alone seldom meets: one element type, and
// shapes for which the planner sweeps rows in one certain way.
//
//   v = any operation of (x)      r = reduce(v)      w = v with r broadcast      any operation of (w)
//
// so that every kind of operation is evaluated inside the sweep that folds it, read again by the
// sweep that has the result, and stored by it. Where x is dear to compute, the first sweep leaves v in
// a slot of the block for the second.
#include <algorithm>

#include "tests/random/graph_grower.h"

namespace astitch::testing {

GraphGrower::Dims GraphGrower::FocusDims() {
  switch (options_.focus->sweep) {
    case Sweep::kFlat:
      return options_.focus->dear ? Dims{33 + Below(100)} : RandomDims(1 + Below(3));
    case Sweep::kRows:
      return {2 + Below(24), 33 + Below(100)};
    case Sweep::kLanesAlongRows:
      // A row is as wide as one access of a thread, or a little wider.
      return {100 + Below(400), Chance(70)
                                    ? 2 << Below(std::max(1, 4 - ByteWidth(options_.focus->type)))
                                    : 2 + Below(8)};
    case Sweep::kTurned:
      return {1 + Below(3), 9 + Below(24), 32 + Below(40)};
    case Sweep::kColumns:
      return {60 + Below(140), 32 + Below(48)};
    case Sweep::kSplitRows:
      return {2, 30000 / ByteWidth(options_.focus->type) + Below(1000)};
  }
  return {};
}

// What folds so that the sweep is the wanted one.
GraphGrower::Dims GraphGrower::FocusReduced(const Instruction* x) {
  const int64_t rank = x->shape().rank();
  if (rank == 0) return {};
  switch (options_.focus->sweep) {
    case Sweep::kFlat:
    case Sweep::kRows:
    case Sweep::kColumns:
    case Sweep::kSplitRows:
      return {rank - 1};
    case Sweep::kLanesAlongRows:
      return {rank - 1};
    case Sweep::kTurned:
      return {rank == 3 ? 1 : rank - 1};
  }
  return {};
}

// What rows are swept for is folded down the columns, too: a column of its own would be a row to the
// planner.
void GraphGrower::FoldColumns(Instruction* x) {
  if (options_.focus->sweep != Sweep::kColumns || x->shape().rank() < 2) return;
  if (Chance(80)) Reduce(x, {0});
  if (Chance(20)) Reduce(x, {0, x->shape().rank() - 1});
}

// Of X's elements as whole numbers of another type, so that comparisons may follow, or by a function.
// The numbers are small before they come back: a clamp behind the conversion would be what is kept in
// its place.
Instruction* GraphGrower::Dear(Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (IsFloat(type) && (Chance(50) || !BoundAt(x).exact)) return Push(Opcode::kTanh, {Tame(x, 3)});
  const ElementType other = type == ElementType::kS32 ? ElementType::kS64 : ElementType::kS32;
  Instruction* whole = ConvertTo(x, other);
  if (whole == nullptr) return nullptr;
  Instruction* seven = Splat(other, whole->shape().dims(), 7);
  Instruction* small = Push(Opcode::kRemainder, {whole, seven});
  if (IsFloat(type)) small = Push(Opcode::kClamp, {Constant(other, -4), small, Constant(other, 4)});
  return ConvertTo(small, type);
}

// The value that one operation of a kind drawn evenly makes of X, or X.
Instruction* GraphGrower::AnyOperation(Instruction* x) {
  const size_t before = values_.size();
  if (x->shape().rank() == 0) {
    AddElementwiseOf(x);
  } else {
    switch (Below(39)) {
      case 0:
      case 17:
        AddReshape(x);
        break;
      case 1:
      case 2:
      case 23:
        AddTranspose(x);
        break;
      case 3:
      case 27:
        AddBroadcast(x);
        break;
      case 4:
      case 20:
        AddSlice(x);
        break;
      case 5:
      case 24:
        AddPad(x);
        break;
      case 6:
      case 22:
        AddConcatenate(x);
        break;
      case 7:
        AddReverse(x);
        break;
      case 8:
        AddDynamicSlice(x);
        break;
      case 9:
        AddDynamicUpdateSlice(x);
        break;
      case 10:
      case 21:
        AddGather(x);
        break;
      case 11:
      case 19:
      case 32:
        AddScatter(x);
        break;
      case 12:
      case 30:
      case 31:
        AddReduceWindow(x);
        break;
      case 13:
      case 18:
        AddConvert(x);
        break;
      case 14:
        AddCompare(x);
        break;
      case 15:
      case 28:
      case 29:
        AddSelect(x);
        break;
      case 16:
      case 25:
        AddPlaces(x);
        break;
      case 26:
        if (x->shape().rank() > 1) AddDot(x);
        break;
      default:
        AddElementwiseOf(x);
    }
  }
  return values_.size() > before ? values_.back() : x;
}

void GraphGrower::AddElementwiseOf(Instruction* x) {
  if (!IsFloat(x->shape().element_type())) {
    Chance(50) ? AddUnary(x) : AddIntegerBinary(x);
  } else if (Chance(60)) {
    AddFunction(x);
  } else {
    AddBinary(x);
  }
}

// x meets its own place along a dimension.
void GraphGrower::AddPlaces(Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (IsPred(type)) return;
  const int64_t dim = Below(x->shape().rank());
  Instruction* places = PushShaped(Opcode::kIota, Shape::Array(type, x->shape().dims()), {},
                                   DimensionsAttributes{{dim}});
  if (places != nullptr) Push(Opcode::kMaximum, {x, places});
}

void GraphGrower::AddSelect(Instruction* x) {
  const Shape& shape = x->shape();
  Instruction* chooses = Partner(shape.dims(), ElementType::kPred);
  Instruction* y = Partner(shape.dims(), shape.element_type());
  if (chooses != nullptr && y != nullptr) Push(Opcode::kSelect, {chooses, y, x});
}

void GraphGrower::FocusStep() {
  Instruction* x = Chance(30) ? Pick() : Parameter(options_.focus->type, FocusDims());
  if (x != nullptr && options_.focus->dear && Chance(80)) x = Dear(x);
  if (x == nullptr) return;
  Instruction* v = AnyOperation(x);
  if (Chance(30)) v = AnyOperation(v);
  if (options_.focus->sweep == Sweep::kFlat && !options_.focus->dear) return;
  if (v->shape().num_elements() == 0) return;
  Instruction* there = ReduceThere(v, FocusReduced(v));
  if (there == nullptr) return;
  FoldColumns(v);
  static constexpr Opcode kNumbers[] = {Opcode::kSubtract, Opcode::kAdd, Opcode::kMaximum};
  static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kXor};
  const bool logic = IsPred(v->shape().element_type());
  Instruction* w = Push(logic ? kLogic[Below(3)] : kNumbers[Below(3)], {v, there});
  if (w == nullptr) return;
  Instruction* u = AnyOperation(w);
  if (u->shape().num_elements() > 0) FoldColumns(u);
  if (Chance(40) && u->shape().num_elements() > 0) ReduceThere(u, FocusReduced(u));
}

}  // namespace astitch::testing
