// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that keep the dimensions of a value.
#include "tests/random/graph_grower.h"

namespace astitch::testing {

void GraphGrower::AddElementwise() {
  Instruction* x = Pick();
  switch (Below(9)) {
    case 0:
      return AddUnary(x);
    case 1:
      return AddFunction(PickFloat());
    case 2:
    case 3:
    case 4:
      return IsFloat(x->shape().element_type()) ? AddBinary(x) : AddIntegerBinary(x);
    case 5:
      return AddSafeDivide(PickFloat());
    case 6:
    case 7:
      return AddCompare(x);
    case 8:
      return AddConvert(x);
  }
}

void GraphGrower::AddUnary(Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (IsPred(type)) {
    Push(Opcode::kNot, {x});
  } else if (IsInteger(type)) {
    static constexpr Opcode kOps[] = {Opcode::kNegate, Opcode::kNot,
                                      Opcode::kPopcnt, Opcode::kCountLeadingZeros,
                                      Opcode::kSign,   Opcode::kAbs};
    Push(kOps[Below(IsUnsigned(type) ? 4 : 6)], {x});
  } else {
    static constexpr Opcode kOps[] = {Opcode::kNegate,
                                      Opcode::kAbs,
                                      Opcode::kFloor,
                                      Opcode::kCeil,
                                      Opcode::kRoundNearestAfz,
                                      Opcode::kRoundNearestEven,
                                      Opcode::kSign,
                                      Opcode::kCopy};
    Push(kOps[Below(8)], {x});
  }
}

void GraphGrower::AddFunction(Instruction* x) {
  static constexpr Opcode kAnywhere[] = {Opcode::kExponential, Opcode::kExponentialMinusOne,
                                         Opcode::kTanh,        Opcode::kErf,
                                         Opcode::kLogistic,    Opcode::kSine,
                                         Opcode::kCosine,      Opcode::kAtan,
                                         Opcode::kAsinh,       Opcode::kSinh,
                                         Opcode::kCosh};
  static constexpr Opcode kPositive[] = {Opcode::kLog, Opcode::kRsqrt, Opcode::kCbrt, Opcode::kSqrt,
                                         Opcode::kLogPlusOne};
  x = Tame(x, 3);
  if (x == nullptr) return;
  if (Chance(65)) {
    Push(kAnywhere[Below(11)], {x});
    return;
  }
  const Shape& shape = x->shape();
  Instruction* one = Splat(shape.element_type(), shape.dims(), 1);
  Instruction* positive = Push(Opcode::kAdd, {Push(Opcode::kAbs, {x}), one});
  if (Chance(25)) {
    Instruction* y = Partner(shape.dims(), shape.element_type());
    if (y != nullptr) Push(Opcode::kPower, {positive, Tame(y, 2)});
  } else {
    Push(kPositive[Below(5)], {positive});
  }
}

void GraphGrower::AddBinary(Instruction* x) {
  static constexpr Opcode kOps[] = {Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply,
                                    Opcode::kMaximum, Opcode::kMinimum,  Opcode::kMultiply,
                                    Opcode::kAdd,     Opcode::kDivide,   Opcode::kRemainder};
  Instruction* y = Partner(x->shape().dims(), x->shape().element_type());
  if (y == nullptr) return;
  if (Chance(50)) std::swap(x, y);
  const Opcode opcode = kOps[Below(9)];
  if (opcode == Opcode::kMultiply && Chance(70)) {
    x = Tame(x, 16);
    y = Tame(y, 16);
  }
  Push(opcode, {x, y});
}

void GraphGrower::AddIntegerBinary(Instruction* x) {
  const ElementType type = x->shape().element_type();
  Instruction* y = Partner(x->shape().dims(), type);
  if (y == nullptr) return;
  if (Chance(50)) std::swap(x, y);
  static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kMaximum,
                                      Opcode::kMinimum};
  static constexpr Opcode kNumbers[] = {Opcode::kAdd,
                                        Opcode::kSubtract,
                                        Opcode::kMultiply,
                                        Opcode::kDivide,
                                        Opcode::kRemainder,
                                        Opcode::kShiftLeft,
                                        Opcode::kShiftRightArithmetic,
                                        Opcode::kShiftRightLogical};
  Push(IsPred(type) || Chance(35) ? kLogic[Below(5)] : kNumbers[Below(8)], {x, y});
}

// x / (|y| + 1), which no rounding blows up.
void GraphGrower::AddSafeDivide(Instruction* x) {
  const Shape& shape = x->shape();
  Instruction* y = Partner(shape.dims(), shape.element_type());
  if (y == nullptr) return;
  Instruction* one = Splat(shape.element_type(), shape.dims(), 1);
  Push(Opcode::kDivide, {x, Push(Opcode::kAdd, {Push(Opcode::kAbs, {y}), one})});
}

void GraphGrower::AddCompare(Instruction* x) {
  const ElementType type = x->shape().element_type();
  Instruction* y = Partner(x->shape().dims(), type);
  if (y == nullptr) return;
  const auto direction = static_cast<ComparisonDirection>(Below(6));
  Instruction* chooses =
      BoundAt(x).exact && BoundAt(y).exact
          ? PushShaped(Opcode::kCompare, Shape::Array(ElementType::kPred, x->shape().dims()),
                       {x, y}, CompareAttributes{direction, DefaultComparisonType(type)})
          : Partner(x->shape().dims(), ElementType::kPred);
  if (chooses == nullptr) return;
  if (Chance(85)) Push(Opcode::kSelect, {chooses, y, x});
}

void GraphGrower::AddConvert(Instruction* x) {
  const ElementType from = x->shape().element_type(), to = RandomType();
  if (IsInteger(from) && IsInteger(to) && from != to && BitWidth(from) == BitWidth(to) &&
      Chance(40)) {
    PushShaped(Opcode::kBitcastConvert, Shape::Array(to, x->shape().dims()), {x});
    return;
  }
  ConvertTo(x, to);
}

}  // namespace astitch::testing
