// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise operations on integers and pred. Lanes are 64 bits wide and wrap when encoded, so
// only operations that look at a type's width or signedness name it.
#include <bit>
#include <limits>

#include "interp/lane_op.h"
#include "ir/comparison.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

// Overflow wraps: arithmetic is unsigned, where C++ defines it.
constexpr uint64_t U(int64_t x) { return static_cast<uint64_t>(x); }
constexpr int64_t S(uint64_t x) { return static_cast<int64_t>(x); }

template <auto kFn>
void Unary(const LaneOp& op, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  const ElementType type = op.operand_types[0];
  for (int64_t k = 0; k < n; ++k) out[k].i = kFn(type, a[k].i);
}

template <auto kFn>
void Binary(const LaneOp& op, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  const ElementType type = op.operand_types[0];
  for (int64_t k = 0; k < n; ++k) out[k].i = kFn(type, a[k].i, b[k].i);
}

template <auto kFn>
void Plain(const LaneOp&, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].i = kFn(a[k].i, b[k].i);
}

bool Less(ElementType type, int64_t a, int64_t b) { return IsSigned(type) ? a < b : U(a) < U(b); }

int64_t Divide(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return -1;  // all ones
  if (!IsSigned(type)) return S(U(a) / U(b));
  return b == -1 ? S(-U(a)) : a / b;  // MIN / -1 wraps to MIN
}

int64_t Remainder(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return a;
  if (!IsSigned(type)) return S(U(a) % U(b));
  return b == -1 ? 0 : a % b;
}

int64_t Power(ElementType type, int64_t base, int64_t exponent) {
  if (IsSigned(type) && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1;
  uint64_t factor = U(base);
  for (uint64_t e = U(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= factor;
    factor *= factor;
  }
  return S(result);
}

// The type's own bits, zero-extended.
uint64_t OwnBits(ElementType type, int64_t x) {
  const int width = BitWidth(type);
  return width == 64 ? U(x) : U(x) & ((uint64_t{1} << width) - 1);
}

// A shift amount reads as unsigned, so a negative one is past every width.
bool PastWidth(ElementType type, int64_t amount) { return U(amount) >= U(BitWidth(type)); }

int64_t ShiftLeft(ElementType type, int64_t x, int64_t amount) {
  return PastWidth(type, amount) ? 0 : S(U(x) << amount);
}

int64_t ShiftRightLogical(ElementType type, int64_t x, int64_t amount) {
  return PastWidth(type, amount) ? 0 : S(OwnBits(type, x) >> amount);
}

// Defined on unsigned types too: their top bit is taken for a sign.
int64_t ShiftRightArithmetic(ElementType type, int64_t x, int64_t amount) {
  const int unused = 64 - BitWidth(type);
  const int64_t extended = S(U(x) << unused) >> unused;
  if (PastWidth(type, amount)) return extended < 0 ? -1 : 0;
  return extended >> amount;
}

int64_t MultiplyHigh(ElementType type, int64_t a, int64_t b) {
  const int width = BitWidth(type);
  if (IsSigned(type)) return static_cast<int64_t>((static_cast<__int128>(a) * b) >> width);
  return S(static_cast<uint64_t>((static_cast<unsigned __int128>(U(a)) * U(b)) >> width));
}

int64_t CountLeadingZeros(ElementType type, int64_t x) {
  return std::countl_zero(OwnBits(type, x)) - (64 - BitWidth(type));
}

void Clamp(const LaneOp& op, const Lane* low, const Lane* x, const Lane* high, int64_t n,
           Lane* out) {
  const ElementType type = op.operand_types[1];
  for (int64_t k = 0; k < n; ++k) {
    const int64_t raised = Less(type, x[k].i, low[k].i) ? low[k].i : x[k].i;
    out[k].i = Less(type, high[k].i, raised) ? high[k].i : raised;
  }
}

// What pred shares with the integers once lanes are 0 or 1: or, and, and the order false < true.
LaneKernel FindOnPredToo(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:  // on pred: 1 + 1 encodes as true, an or
      return &Plain<[](int64_t a, int64_t b) { return S(U(a) + U(b)); }>;
    case Opcode::kMultiply:
      return &Plain<[](int64_t a, int64_t b) { return S(U(a) * U(b)); }>;
    case Opcode::kMaximum:
      return &Binary<[](ElementType t, int64_t a, int64_t b) { return Less(t, a, b) ? b : a; }>;
    case Opcode::kMinimum:
      return &Binary<[](ElementType t, int64_t a, int64_t b) { return Less(t, b, a) ? b : a; }>;
    case Opcode::kAnd:
      return &Plain<[](int64_t a, int64_t b) { return a & b; }>;
    case Opcode::kOr:
      return &Plain<[](int64_t a, int64_t b) { return a | b; }>;
    case Opcode::kXor:
      return &Plain<[](int64_t a, int64_t b) { return a ^ b; }>;
    case Opcode::kNot:
      return &Unary<[](ElementType t, int64_t a) { return IsPred(t) ? int64_t{a == 0} : ~a; }>;
    case Opcode::kClamp:
      return &Clamp;
    default:
      return nullptr;
  }
}

template <ComparisonDirection kDirection>
LaneKernel CompareBy(ComparisonType type) {
  using K = const LaneOp&;
  switch (type) {
    case ComparisonType::kFloat:
      return [](K, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
        for (int64_t k = 0; k < n; ++k) out[k].i = Holds(kDirection, a[k].f, b[k].f);
      };
    case ComparisonType::kTotalOrder:
      return [](K, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
        for (int64_t k = 0; k < n; ++k) {
          out[k].i = Holds(kDirection, TotalOrderKey(a[k].f), TotalOrderKey(b[k].f));
        }
      };
    case ComparisonType::kSigned:
      return &Plain<[](int64_t a, int64_t b) { return Holds(kDirection, a, b); }>;
    case ComparisonType::kUnsigned:
      return &Plain<[](int64_t a, int64_t b) { return Holds(kDirection, U(a), U(b)); }>;
  }
  return nullptr;
}

}  // namespace

LaneKernel FindCompareKernel(const CompareAttributes& compare) {
  switch (compare.direction) {
    case ComparisonDirection::kEq:
      return CompareBy<ComparisonDirection::kEq>(compare.type);
    case ComparisonDirection::kNe:
      return CompareBy<ComparisonDirection::kNe>(compare.type);
    case ComparisonDirection::kLt:
      return CompareBy<ComparisonDirection::kLt>(compare.type);
    case ComparisonDirection::kLe:
      return CompareBy<ComparisonDirection::kLe>(compare.type);
    case ComparisonDirection::kGt:
      return CompareBy<ComparisonDirection::kGt>(compare.type);
    case ComparisonDirection::kGe:
      return CompareBy<ComparisonDirection::kGe>(compare.type);
  }
  return nullptr;
}

LaneKernel FindIntegerKernel(Opcode opcode, ElementType type) {
  if (const LaneKernel kernel = FindOnPredToo(opcode)) return kernel;
  if (IsPred(type)) return nullptr;
  switch (opcode) {
    case Opcode::kAbs:  // MIN stays MIN; unsigned types have none
      if (!IsSigned(type)) return nullptr;
      return &Unary<[](ElementType, int64_t a) { return a < 0 ? S(-U(a)) : a; }>;
    case Opcode::kNegate:
      return &Unary<[](ElementType, int64_t a) { return S(-U(a)); }>;
    case Opcode::kSign:
      return &Unary<[](ElementType t, int64_t a) {
        return IsSigned(t) && a < 0 ? int64_t{-1} : int64_t{a != 0};
      }>;
    case Opcode::kPopcnt:
      return &Unary<[](ElementType t, int64_t a) -> int64_t {
        return std::popcount(OwnBits(t, a));
      }>;
    case Opcode::kCountLeadingZeros:
      return &Unary<CountLeadingZeros>;
    case Opcode::kSubtract:
      return &Plain<[](int64_t a, int64_t b) { return S(U(a) - U(b)); }>;
    case Opcode::kDivide:
      return &Binary<Divide>;
    case Opcode::kRemainder:
      return &Binary<Remainder>;
    case Opcode::kPower:
      return &Binary<Power>;
    case Opcode::kShiftLeft:
      return &Binary<ShiftLeft>;
    case Opcode::kShiftRightLogical:
      return &Binary<ShiftRightLogical>;
    case Opcode::kShiftRightArithmetic:
      return &Binary<ShiftRightArithmetic>;
    case Opcode::kMulhi:
      return &Binary<MultiplyHigh>;
    default:
      return nullptr;
  }
}

}  // namespace astitch::interp
