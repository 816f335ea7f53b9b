// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Float arithmetic: one rounding each, .ftz, .sat, .relu, other rounding modes.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/float_adjust.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

template <typename T>
constexpr bool kNative = std::is_floating_point_v<T>;

constexpr auto kAdd = []<typename T>(T a, T b) -> T {
  if constexpr (kNative<T>)
    return a + b;
  else
    return Narrow<T>(static_cast<double>(ToFloat(a)) + ToFloat(b));
};
constexpr auto kSub = []<typename T>(T a, T b) -> T {
  if constexpr (kNative<T>)
    return a - b;
  else
    return Narrow<T>(static_cast<double>(ToFloat(a)) - ToFloat(b));
};
constexpr auto kMul = []<typename T>(T a, T b) -> T {
  if constexpr (kNative<T>)
    return a * b;
  else
    return Narrow<T>(static_cast<double>(ToFloat(a)) * ToFloat(b));
};
constexpr auto kFma = []<typename T>(T a, T b, T c) -> T {
  if constexpr (kNative<T>)
    return std::fma(a, b, c);
  else
    return Narrow<T>(FmaToOdd(ToFloat(a), ToFloat(b), ToFloat(c)));
};

#ifdef __x86_64__
// By the machine's own instruction, where it has one; else each lane calls a function. A function
// inside would not be compiled for such machines.
template <typename T>
__attribute__((target("fma"))) void RunNativeFma(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = warp.Source(op.src[2]);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    d[lane] = Bits<T>(std::fma(As<T>(a[lane]), As<T>(b[lane]), As<T>(c[lane])));
  }
}
ExecFn NativeFma(Type type) {
  if (!__builtin_cpu_supports("fma")) return nullptr;
  return type == Type::kF32   ? RunNativeFma<float>
         : type == Type::kF64 ? RunNativeFma<double>
                              : nullptr;
}
#else
ExecFn NativeFma(Type) { return nullptr; }
#endif

template <typename T>
T QuietNan() {
  if constexpr (kNative<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return T{0x7FFF};
}
template <typename T>
bool IsNan(T v) {
  return std::isnan(ToFloat(v));
}
// Of two zeros the negative one is the smaller.
template <typename T>
bool Less(T a, T b) {
  const auto x = ToFloat(a), y = ToFloat(b);
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}
template <bool kPropagate, bool kMin>
inline constexpr auto kExtreme = []<typename T>(T a, T b) -> T {
  if (IsNan(a) || IsNan(b)) {
    if (kPropagate || (IsNan(a) && IsNan(b))) return QuietNan<T>();
    return IsNan(a) ? b : a;
  }
  return Less(a, b) == kMin ? a : b;
};
template <bool kPropagate, bool kMin>
inline constexpr auto kExtreme3 = []<typename T>(T a, T b, T c) -> T {
  return kExtreme<kPropagate, kMin>(kExtreme<kPropagate, kMin>(a, b), c);
};
constexpr auto kAbs = []<typename T>(T a) -> T {
  if constexpr (kNative<T>)
    return std::fabs(a);
  else
    return T{static_cast<uint16_t>(a.bits & 0x7FFF)};
};
constexpr auto kNeg = []<typename T>(T a) -> T {
  if constexpr (kNative<T>)
    return -a;
  else
    return T{static_cast<uint16_t>(a.bits ^ 0x8000)};
};

template <typename T>
T Flush(T v) {
  if constexpr (std::is_same_v<T, float>) {
    return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
  } else if constexpr (kNative<T>) {
    return v;
  } else {
    const int exponent = v.bits & (T::kExponentBits == 5 ? 0x7C00 : 0x7F80);
    return exponent == 0 ? T{static_cast<uint16_t>(v.bits & 0x8000)} : v;
  }
}
template <auto F>
inline constexpr auto kFlushing = [](auto... a) { return Flush(F(Flush(a)...)); };

// .ftz is of f32 and f16, packed or not.
template <auto F, int N>
ExecFn Pick(Form& form, Type type) {
  if (type == Type::kF64 || !form.Take("ftz")) return ForFloats<F, N>(type);
  return ForFloats<kFlushing<F>, N>(type);
}

ExecFn PickFma(Form& form, Type type) {
  if (type != Type::kF64 && form.Take("ftz")) return ForFloats<kFlushing<kFma>, 3>(type);
  const ExecFn native = NativeFma(type);
  return native != nullptr ? native : ForFloats<kFma, 3>(type);
}

template <bool kMin>
ExecFn PickExtreme(Form& form, Type type) {
  const bool propagate = form.Take("NaN");
  if (form.num_operands() == 4) {
    if (type != Type::kF32) return nullptr;
    return propagate ? Pick<kExtreme3<true, kMin>, 3>(form, type)
                     : Pick<kExtreme3<false, kMin>, 3>(form, type);
  }
  return propagate ? Pick<kExtreme<true, kMin>, 2>(form, type)
                   : Pick<kExtreme<false, kMin>, 2>(form, type);
}

// add.rn.f32.f16 and its kind: the narrow sources are exact in f32.
template <typename H, int kOperation>
float Mixed(H a, float c) {
  return kOperation == 0 ? ToFloat(a) + c : ToFloat(a) - c;
}
template <typename H>
float MixedFma(H a, H b, float c) {
  return std::fma(ToFloat(a), ToFloat(b), c);
}

template <typename H>
ExecFn FindMixed(absl::string_view opcode) {
  if (opcode == "add") return RunLanes<Mixed<H, 0>, float, H, float>;
  if (opcode == "sub") return RunLanes<Mixed<H, 1>, float, H, float>;
  if (opcode == "fma") return RunLanes<MixedFma<H>, float, H, H, float>;
  return nullptr;
}

absl::Status DecodeMixed(Form& form, Type type, Type narrow) {
  const absl::string_view opcode = form.instruction.opcode;
  ExecFn fn = nullptr;
  if (type == Type::kF32 && narrow == Type::kF16) fn = FindMixed<F16>(opcode);
  if (type == Type::kF32 && narrow == Type::kBF16) fn = FindMixed<BF16>(opcode);
  const size_t operands = opcode == "fma" ? 4 : 3;
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(operands));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  for (size_t i = 1; i < operands; ++i) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(i), i + 1 < operands ? narrow : type));
  }
  return RunAdjusted(form, fn, type);
}

}  // namespace

absl::Status DecodeFloat(Form& form) {
  const absl::string_view opcode = form.instruction.opcode;
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (const std::optional<Type> narrow = form.TakeType()) return DecodeMixed(form, type, *narrow);
  ExecFn fn = nullptr;
  size_t least = 3, most = 3;
  if (opcode == "add") {
    fn = Pick<kAdd, 2>(form, type);
  } else if (opcode == "sub") {
    fn = Pick<kSub, 2>(form, type);
  } else if (opcode == "mul") {
    fn = Pick<kMul, 2>(form, type);
  } else if (opcode == "fma" || opcode == "mad") {
    least = most = 4;
    fn = PickFma(form, type);
  } else if (opcode == "min" || opcode == "max") {
    most = 4;
    fn = opcode == "min" ? PickExtreme<true>(form, type) : PickExtreme<false>(form, type);
  } else if (opcode == "abs" || opcode == "neg") {
    least = most = 2;
    fn = opcode == "abs" ? Pick<kAbs, 1>(form, type) : Pick<kNeg, 1>(form, type);
  }
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(least, most));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  const bool rounds =
      opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "fma" || opcode == "mad";
  if (!rounds) return form.Run(fn, OpClass::kFloat);
  return RunAdjusted(form, fn, type);
}

namespace {

constexpr auto kDivide = []<typename T>(T a, T b) -> T { return a / b; };

}  // namespace

absl::Status DecodeDivide(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  const bool approximate = type == Type::kF32 && (form.Take("approx") || form.Take("full"));
  const bool flush = type == Type::kF32 && form.Take("ftz");
  ExecFn fn = nullptr;
  if (type == Type::kF64) fn = Homogeneous<kDivide, double, 2>();
  if (type == Type::kF32) {
    fn = flush ? Homogeneous<kFlushing<kDivide>, float, 2>() : Homogeneous<kDivide, float, 2>();
  }
  if (approximate) return form.Run(fn, OpClass::kSpecial);
  const absl::Status status = RunAdjusted(form, fn, type);
  form.op.op_class = OpClass::kSpecial;
  return status;
}

}  // namespace astitch::simt
