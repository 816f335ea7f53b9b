// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Comparisons and what follows from them: setp and set with their combining predicate, selp.
#include <cmath>
#include <type_traits>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

#define ASTITCH_COMPARISONS(X) \
  X(kEq, "eq")                 \
  X(kNe, "ne")                 \
  X(kLt, "lt")                 \
  X(kLe, "le")                 \
  X(kGt, "gt")                 \
  X(kGe, "ge")                 \
  X(kLo, "lo")                 \
  X(kLs, "ls")                 \
  X(kHi, "hi")                 \
  X(kHs, "hs")                 \
  X(kEqu, "equ")               \
  X(kNeu, "neu")               \
  X(kLtu, "ltu") X(kLeu, "leu") X(kGtu, "gtu") X(kGeu, "geu") X(kNum, "num") X(kNan, "nan")

enum class Comparison : uint8_t {
#define X(enumerator, name) enumerator,
  ASTITCH_COMPARISONS(X)
#undef X
};

// op.mode: the comparison, and above it how the result meets the third source.
constexpr int kCombineShift = 5;
enum class Combine : uint8_t { kNone, kAnd, kOr, kXor };

template <typename T>
bool IsNan(T v) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(v);
}

template <typename T>
inline __attribute__((always_inline)) bool Holds(Comparison comparison, T a, T b) {
  const bool unordered = IsNan(a) || IsNan(b);
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return !unordered && a != b;
    case Comparison::kLt:
    case Comparison::kLo:
      return a < b;
    case Comparison::kLe:
    case Comparison::kLs:
      return a <= b;
    case Comparison::kGt:
    case Comparison::kHi:
      return a > b;
    case Comparison::kGe:
    case Comparison::kHs:
      return a >= b;
    case Comparison::kEqu:
      return unordered || a == b;
    case Comparison::kNeu:
      return unordered || a != b;
    case Comparison::kLtu:
      return unordered || a < b;
    case Comparison::kLeu:
      return unordered || a <= b;
    case Comparison::kGtu:
      return unordered || a > b;
    case Comparison::kGeu:
      return unordered || a >= b;
    case Comparison::kNum:
      return !unordered;
    case Comparison::kNan:
      return unordered;
  }
  return false;
}

bool Combined(const Op& op, bool value, bool other) {
  switch (static_cast<Combine>(op.mode >> kCombineShift)) {
    case Combine::kNone:
      return value;
    case Combine::kAnd:
      return value && other;
    case Combine::kOr:
      return value || other;
    case Combine::kXor:
      return value != other;
  }
  return value;
}

// What a register of type T compares as.
template <typename T>
auto Comparable(T v) {
  if constexpr (std::is_integral_v<T>)
    return v;
  else
    return ToFloat(v);
}
float Flushed(float v) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }

// FN of the comparison as a constant.
template <typename F>
void WithComparison(const Op& op, F fn) {
  switch (static_cast<Comparison>(op.mode & ((1 << kCombineShift) - 1))) {
#define X(enumerator, name)                                           \
  case Comparison::enumerator:                                        \
    fn(std::integral_constant<Comparison, Comparison::enumerator>()); \
    return;
    ASTITCH_COMPARISONS(X)
#undef X
  }
}

// p alone, of two sources: most comparisons by far.
template <typename T>
void SetOnePredicate(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  uint64_t* const p = warp.Dest(op.dst[0]);
  WithComparison(op, [&](auto comparison) {
    ForOwnLanes(mask, [&](int lane) {
      p[lane] = Holds(comparison(), Comparable(As<T>(a[lane])), Comparable(As<T>(b[lane])));
    });
  });
}

// p, and q for the opposite; of a packed type the two halves.
template <typename T>
void SetPredicate(Warp& warp, const Op& op, uint32_t mask) {
  if (op.num_src == 2 && op.num_dst == 1) {
    SetOnePredicate<T>(warp, op, mask);
    return;
  }
  const auto comparison = static_cast<Comparison>(op.mode & ((1 << kCombineShift) - 1));
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = op.num_src > 2 ? warp.Source(op.src[2]) : nullptr;
  const bool negated = (op.negated & 4) != 0;
  uint64_t* const p = warp.Dest(op.dst[0]);
  uint64_t* const q = op.num_dst > 1 ? warp.Dest(op.dst[1]) : nullptr;
  ForLanes(mask, [&](int lane) {
    const bool other = c != nullptr && ((c[lane] & 1) != 0) != negated;
    const bool holds = Holds(comparison, Comparable(As<T>(a[lane])), Comparable(As<T>(b[lane])));
    if (q != nullptr) q[lane] = Combined(op, !holds, other);
    p[lane] = Combined(op, holds, other);
  });
}

void SetPredicateFlushed(Warp& warp, const Op& op, uint32_t mask) {
  const auto comparison = static_cast<Comparison>(op.mode & ((1 << kCombineShift) - 1));
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  uint64_t* const p = warp.Dest(op.dst[0]);
  ForLanes(mask, [&](int lane) {
    p[lane] = Holds(comparison, Flushed(As<float>(a[lane])), Flushed(As<float>(b[lane])));
  });
}

template <typename H>
void SetPredicatePair(Warp& warp, const Op& op, uint32_t mask) {
  const auto comparison = static_cast<Comparison>(op.mode & ((1 << kCombineShift) - 1));
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  uint64_t* const p = warp.Dest(op.dst[0]);
  uint64_t* const q = warp.Dest(op.dst[1]);
  ForLanes(mask, [&](int lane) {
    const Pair<H> x = As<Pair<H>>(a[lane]), y = As<Pair<H>>(b[lane]);
    p[lane] = Holds(comparison, ToFloat(x.low), ToFloat(y.low));
    q[lane] = Holds(comparison, ToFloat(x.high), ToFloat(y.high));
  });
}

ExecFn FindSetp(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return SetPredicate<uint16_t>;
    case Type::kB32:
    case Type::kU32:
      return SetPredicate<uint32_t>;
    case Type::kB64:
    case Type::kU64:
      return SetPredicate<uint64_t>;
    case Type::kS16:
      return SetPredicate<int16_t>;
    case Type::kS32:
      return SetPredicate<int32_t>;
    case Type::kS64:
      return SetPredicate<int64_t>;
    case Type::kF16:
      return SetPredicate<F16>;
    case Type::kBF16:
      return SetPredicate<BF16>;
    case Type::kF32:
      return SetPredicate<float>;
    case Type::kF64:
      return SetPredicate<double>;
    case Type::kF16x2:
      return SetPredicatePair<F16>;
    case Type::kBF16x2:
      return SetPredicatePair<BF16>;
    default:
      return nullptr;
  }
}

// Which comparisons a type knows: bits only equality, integers no unordered ones.
bool Allowed(Comparison comparison, Type type) {
  const TypeKind kind = KindOf(type);
  if (kind == TypeKind::kFloat || kind == TypeKind::kPackedFloat) {
    return comparison < Comparison::kLo || comparison > Comparison::kHs;
  }
  if (kind == TypeKind::kBits) return comparison <= Comparison::kNe;
  if (kind == TypeKind::kUnsigned) return comparison <= Comparison::kHs;
  return kind == TypeKind::kSigned && comparison <= Comparison::kGe;
}

absl::Status TakeComparison(Form& form, Type type) {
  std::optional<Comparison> found;
#define X(enumerator, name) \
  if (!found && form.Take(name)) found = Comparison::enumerator;
  ASTITCH_COMPARISONS(X)
#undef X
  if (!found) return form.Error("expected a comparison");
  if (!Allowed(*found, type)) return form.Error("no such comparison of that type");
  Combine combine = Combine::kNone;
  if (form.Take("and")) combine = Combine::kAnd;
  if (combine == Combine::kNone && form.Take("or")) combine = Combine::kOr;
  if (combine == Combine::kNone && form.Take("xor")) combine = Combine::kXor;
  if ((combine != Combine::kNone) != (form.num_operands() == 4)) {
    return form.Error("a third source goes with .and, .or and .xor");
  }
  form.op.mode =
      static_cast<uint8_t>(static_cast<int>(*found) | static_cast<int>(combine) << kCombineShift);
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeSetp(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3, 4));
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(TakeComparison(form, type));
  const bool packed = KindOf(type) == TypeKind::kPackedFloat;
  const Operand& to = form.operand(0);
  if (to.kind == Operand::Kind::kPair) {
    ASTITCH_RETURN_IF_ERROR(form.AddDst(to.elements[0], Type::kPred));
    ASTITCH_RETURN_IF_ERROR(form.AddDst(to.elements[1], Type::kPred));
  } else {
    if (packed) return form.Error("expected two predicates, p|q");
    ASTITCH_RETURN_IF_ERROR(form.AddDst(to, Type::kPred));
  }
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), type));
  if (form.num_operands() == 4) {
    if (packed) return form.Error("no such form");
    ASTITCH_RETURN_IF_ERROR(form.AddPredicate(form.operand(3)));
  }
  const bool flush =
      type == Type::kF32 && form.op.num_dst == 1 && form.op.num_src == 2 && form.Take("ftz");
  return form.Run(flush ? SetPredicateFlushed : FindSetp(type), OpClass::kCompare);
}

namespace {

template <typename T>
void SetValue(Warp& warp, const Op& op, uint32_t mask) {
  const auto comparison = static_cast<Comparison>(op.mode & ((1 << kCombineShift) - 1));
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t yes = op.type == Type::kF32 ? Bits(1.0f) : 0xFFFFFFFFu;
  ForLanes(mask, [&](int lane) {
    d[lane] = Holds(comparison, Comparable(As<T>(a[lane])), Comparable(As<T>(b[lane]))) ? yes : 0;
  });
}

}  // namespace

// set.CMP.u32|s32|f32.TYPE: all bits, or 1.0.
absl::Status DecodeSet(Form& form) {
  Type type, from;
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedType(from));
  ASTITCH_RETURN_IF_ERROR(TakeComparison(form, from));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, from));
  form.op.type = type;
  ExecFn fn = nullptr;
  if (type == Type::kU32 || type == Type::kS32 || type == Type::kF32) {
    switch (from) {
      case Type::kU32:
      case Type::kB32:
        fn = SetValue<uint32_t>;
        break;
      case Type::kS32:
        fn = SetValue<int32_t>;
        break;
      case Type::kF32:
        fn = SetValue<float>;
        break;
      case Type::kF64:
        fn = SetValue<double>;
        break;
      default:
        break;
    }
  }
  return form.Run(fn, OpClass::kCompare);
}

namespace {

void Select(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = warp.Source(op.src[2]);
  const uint64_t flip = (op.negated & 4) != 0;
  ForOwnLanes(mask, [&](int lane) {
    const uint64_t take = -((c[lane] ^ flip) & 1);
    d[lane] = (a[lane] & take) | (b[lane] & ~take);
  });
}

}  // namespace

absl::Status DecodeSelp(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (TypeBits(type) < 16) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), type));
  ASTITCH_RETURN_IF_ERROR(form.AddPredicate(form.operand(3)));
  return form.Run(Select, OpClass::kMove);
}

}  // namespace astitch::simt
