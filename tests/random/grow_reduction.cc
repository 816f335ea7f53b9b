// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that fold dimensions, and the patterns in which a folded value comes back.
#include <algorithm>

#include "ir/number.h"
#include "tests/random/graph_grower.h"

namespace astitch::testing {

void GraphGrower::AddReduction() {
  Instruction* x = PickWithRank(1);
  switch (Below(options_.scatters ? 12 : 10)) {
    case 0:
    case 1:
    case 2:
      Reduce(x, SomeDims(x));
      return;
    case 3:
    case 4:
    case 5:
    case 6:
      return AddRowStatistic(x);
    case 7:
    case 8:
      return AddSoftmax(PickFloat());
    case 9:
      return AddArgMax(x);
    case 10:
      return AddReduceWindow(x);
    case 11:
      return AddDot(PickWithRank(2));
  }
}

// Not empty where X has a dimension; the last one, the first ones, or any.
GraphGrower::Dims GraphGrower::SomeDims(const Instruction* x) {
  const int64_t rank = x->shape().rank();
  Dims out;
  if (rank == 0) return out;
  const int64_t kind = Below(5);
  if (kind < 2) return {rank - 1};
  if (kind == 2) return {0};
  for (int64_t d = 0; d < rank; ++d) {
    if (Chance(50)) out.push_back(d);
  }
  return out.empty() ? Dims{Below(rank)} : out;
}

Instruction* GraphGrower::Reduce(Instruction* x, const Dims& reduced) {
  const ElementType type = x->shape().element_type();
  Opcode opcode = Opcode::kAdd;
  double init = 0;
  const int64_t kind = Below(10);
  if (IsPred(type)) {
    opcode = Chance(50) ? Opcode::kAnd : Opcode::kOr;
    init = opcode == Opcode::kAnd ? 1 : 0;
  } else if (kind < 3) {
    opcode = Opcode::kMaximum;
    init = IsFloat(type) ? -MaxFinite(type) : static_cast<double>(MinInteger(type));
  } else if (kind == 3) {
    opcode = Opcode::kMinimum;
    init = IsFloat(type) ? 4 : 7;
  } else if (kind == 4) {
    opcode = Opcode::kMultiply;
    init = 1;
    x = Tame(x, 1);
  } else {
    if (BoundAt(x).magnitude() > 64) x = Tame(x, 4);
    init = Chance(80) ? 0 : 1;
  }
  if (x == nullptr) return nullptr;
  return Push(Opcode::kReduce, {x, Constant(type, init)}, DimensionsAttributes{reduced},
              {Body(type, opcode)});
}

// A reduction broadcast to where it came from.
Instruction* GraphGrower::ReduceThere(Instruction* x, const Dims& reduced) {
  Instruction* result = Reduce(x, reduced);
  if (result == nullptr) return nullptr;
  Dims kept;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) kept.push_back(d);
  }
  if (Chance(30) && IsFloat(result->shape().element_type())) {
    Instruction* tamed = Tame(result, 2);
    Instruction* cheap = tamed == nullptr ? nullptr : Push(Opcode::kTanh, {tamed});
    if (cheap != nullptr) result = cheap;
  }
  return PushShaped(Opcode::kBroadcast,
                    Shape::Array(result->shape().element_type(), x->shape().dims()), {result},
                    DimensionsAttributes{kept});
}

void GraphGrower::AddRowStatistic(Instruction* x) {
  Instruction* there = ReduceThere(x, SomeDims(x));
  if (there == nullptr) return;
  const ElementType type = x->shape().element_type();
  static constexpr Opcode kNumbers[] = {Opcode::kSubtract, Opcode::kAdd, Opcode::kMaximum};
  static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kXor};
  Instruction* y = Push(IsPred(type) ? kLogic[Below(3)] : kNumbers[Below(3)], {x, there});
  if (y != nullptr && Chance(40)) ReduceThere(y, SomeDims(y));
}

void GraphGrower::AddSoftmax(Instruction* x) {
  const Dims reduced = SomeDims(x);
  const ElementType type = x->shape().element_type();
  Instruction* tamed = Tame(x, 4);
  if (tamed == nullptr) return;
  Instruction* e = Push(Opcode::kExponential, {tamed});
  if (e == nullptr) return;
  Dims kept;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) kept.push_back(d);
  }
  Instruction* sum = Push(Opcode::kReduce, {e, Constant(type, 0)}, DimensionsAttributes{reduced},
                          {Body(type, Opcode::kAdd)});
  if (sum == nullptr) return;
  Instruction* one = Splat(type, sum->shape().dims(), 1);
  Instruction* safe = Push(Opcode::kAdd, {Push(Opcode::kAbs, {sum}), one});
  if (safe == nullptr) return;
  Instruction* there = PushShaped(Opcode::kBroadcast, Shape::Array(type, x->shape().dims()), {safe},
                                  DimensionsAttributes{kept});
  Push(Opcode::kDivide, {e, there});
}

void GraphGrower::AddArgMax(Instruction* x) {
  const ElementType type = x->shape().element_type();
  const ErrorBound& bound = BoundAt(x);
  if (IsPred(type) || !bound.exact || bound.may_be_nan) return;
  const int64_t dim = Below(x->shape().rank());
  Instruction* places =
      PushShaped(Opcode::kIota, Shape::Array(ElementType::kS32, x->shape().dims()), {},
                 DimensionsAttributes{{dim}});
  Instruction* least =
      Constant(type, IsFloat(type) ? -MaxFinite(type) : static_cast<double>(MinInteger(type)));
  Instruction* both = Push(Opcode::kReduce, {x, places, least, Constant(ElementType::kS32, 0)},
                           DimensionsAttributes{{dim}}, {ArgMaxBody(type, ElementType::kS32)});
  if (both == nullptr) return;
  for (int64_t i = 0; i < 2; ++i) {
    if (i == 0 || Chance(80)) Push(Opcode::kGetTupleElement, {both}, TupleIndexAttributes{i});
  }
}

// Small windows, and those that cover all that came before.
void GraphGrower::AddReduceWindow(Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (x->shape().num_elements() == 0 || IsPred(type)) return;
  x = Tame(x, 4);
  if (x == nullptr) return;
  Window window(x->shape().rank());
  const int64_t at = Below(x->shape().rank());
  const int64_t extent = x->shape().dim(at);
  WindowDim& dim = window[at];
  // The interpreter looks at every element of every window.
  constexpr int64_t kLongestScan = 500;
  if (extent <= kLongestScan && Chance(50)) {
    dim.size = extent;
    (Chance(75) ? dim.pad_low : dim.pad_high) = extent - 1;
  } else {
    dim.size = 1 + Below(std::min<int64_t>(extent, 4));
    dim.stride = 1 + Below(2);
    dim.pad_low = Below(dim.size);
    dim.pad_high = Below(dim.size);
  }
  const bool sum = Chance(60);
  const double init = sum             ? 0
                      : IsFloat(type) ? -MaxFinite(type)
                                      : static_cast<double>(MinInteger(type));
  Push(Opcode::kReduceWindow, {x, Constant(type, init)}, WindowAttributes{window},
       {Body(type, sum ? Opcode::kAdd : Opcode::kMaximum)});
}

namespace {

bool HasDots(ElementType type) { return !IsPred(type) && !(IsFloat(type) && BitWidth(type) < 16); }

// Over the last dimension of the left operand, of RANK.
DotAttributes OverLastOf(int64_t rank) {
  DotAttributes dot;
  dot.lhs_contracting = {rank - 1};
  dot.rhs_contracting = {0};
  return dot;
}

}  // namespace

void GraphGrower::AddDot(Instruction* x) {
  if (Chance(35)) return AddStates();
  const ElementType type = x->shape().element_type();
  if (!HasDots(type)) return;
  const int64_t rank = x->shape().rank();
  Dims dims = {x->shape().dim(rank - 1), Extent()};
  if (dims[0] * dims[1] > options_.max_elements) return;
  Instruction* y = Partner(dims, type);
  if (y == nullptr) return;
  x = Tame(x, 4);
  Push(Opcode::kDot, {x, Tame(y, 4)}, OverLastOf(rank));
}

// The states of a recurrent layer side by side, for one more product (stitch/stacks.h):
//   h1 = dot(x, w)   h2 = dot(h1, w)   h3 = dot(h2, w)   dot(concatenate(h1, h2, h3), w)
void GraphGrower::AddStates() {
  const ElementType type = RandomType();
  if (!HasDots(type)) return;
  // Rows of whole blocks of 64 bytes; 64 of them are a matrix of their own to the planner.
  const int64_t width = 64 / ByteWidth(type);
  const int64_t most = options_.max_elements / (4 * width);
  if (most < width) return;
  const int64_t rows = std::min(Chance(70) ? 64 : Extent(), most);
  Instruction* w = Tame(Parameter(type, {width, width}), 2);
  Instruction* state = Tame(Parameter(type, {rows, width}), 2);
  if (w == nullptr || state == nullptr) return;
  const int64_t dim = Below(3);
  Dims dims = {rows, width};
  if (Chance(70)) dims.insert(dims.begin() + dim, 1);
  std::vector<Instruction*> pieces;
  for (int64_t n = 2 + Below(3); n > 0; --n) {
    state = Push(Opcode::kDot, {state, w}, OverLastOf(2));
    if (state != nullptr) state = Tame(state, 2);
    if (state == nullptr) return;
    pieces.push_back(dims.size() == 2 ? state
                                      : PushShaped(Opcode::kReshape, Shape::Array(type, dims),
                                                   {state}, ReshapeAttributes{}));
  }
  if (Chance(20)) std::shuffle(pieces.begin(), pieces.end(), random_);
  const int64_t along = dims.size() == 2 ? Below(2) : dim;
  Instruction* stack = Push(Opcode::kConcatenate, std::move(pieces), DimensionsAttributes{{along}});
  if (stack == nullptr) return;
  // Over the dimension that the states' elements lie along.
  DotAttributes dot;
  const auto last = std::find(stack->shape().dims().rbegin(), stack->shape().dims().rend(), width);
  if (last == stack->shape().dims().rend()) return;
  dot.lhs_contracting = {stack->shape().dims().rend() - last - 1};
  dot.rhs_contracting = {Below(2)};
  Push(Opcode::kDot, {stack, w}, dot);
}

}  // namespace astitch::testing
