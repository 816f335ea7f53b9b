// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reciprocals, roots and the approximations. Those that PTX calls .approx are computed in double
// and rounded: closer than any device, so compare with the bounds of the PTX manual.
#include <cmath>
#include <limits>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/float_adjust.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

constexpr auto kRcp = [](double x) { return 1 / x; };
constexpr auto kSqrt = [](double x) { return std::sqrt(x); };
constexpr auto kRsqrt = [](double x) { return 1 / std::sqrt(x); };
constexpr auto kSin = [](double x) { return std::sin(x); };
constexpr auto kCos = [](double x) { return std::cos(x); };
constexpr auto kLg2 = [](double x) { return std::log2(x); };
constexpr auto kEx2 = [](double x) { return std::exp2(x); };
constexpr auto kTanh = [](double x) { return std::tanh(x); };

template <auto F>
inline constexpr auto kThroughDouble =
    []<typename T>(T x) -> T { return Narrow<T>(F(ToFloat(x))); };
float Flush(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}
template <auto F>
float Flushing(float x) {
  return Flush(static_cast<float>(F(Flush(x))));
}

template <auto F>
ExecFn Approximate(Form& form, Type type) {
  if (type != Type::kF64 && form.Take("ftz")) {
    if (type == Type::kF32) return RunLanes<Flushing<F>, float, float>;
    // ex2.approx.ftz.bf16 is the only form of it.
    if (type != Type::kBF16 && type != Type::kBF16x2) return nullptr;
  }
  if (type == Type::kF32x2) return nullptr;
  return ForFloats<kThroughDouble<F>, 1>(type);
}

// Exactly rounded, in the type itself, so that a rounding mode applies.
constexpr auto kExactRcp = []<typename T>(T x) -> T { return 1 / x; };
constexpr auto kExactSqrt = []<typename T>(T x) -> T { return std::sqrt(x); };
template <auto F>
inline constexpr auto kExactFlushing = [](float x) { return Flush(F(Flush(x))); };

template <auto F>
ExecFn Exact(Form& form, Type type) {
  if (type == Type::kF64) return RunLanes<F, double, double>;
  if (type != Type::kF32) return nullptr;
  if (form.Take("ftz")) return RunLanes<kExactFlushing<F>, float, float>;
  return RunLanes<F, float, float>;
}

ExecFn FindApproximate(Form& form, Type type) {
  const absl::string_view opcode = form.instruction.opcode;
  const bool f32 = type == Type::kF32, f64 = type == Type::kF64;
  if (opcode == "rcp" && (f32 || (f64 && form.Take("ftz")))) return Approximate<kRcp>(form, type);
  if (opcode == "sqrt" && f32) return Approximate<kSqrt>(form, type);
  if (opcode == "rsqrt" && f64) form.Take("ftz");
  if (opcode == "rsqrt" && (f32 || f64)) return Approximate<kRsqrt>(form, type);
  if (opcode == "sin" && f32) return Approximate<kSin>(form, type);
  if (opcode == "cos" && f32) return Approximate<kCos>(form, type);
  if (opcode == "lg2" && f32) return Approximate<kLg2>(form, type);
  if (opcode == "ex2" && !f64) return Approximate<kEx2>(form, type);
  if (opcode == "tanh" && !f64) return Approximate<kTanh>(form, type);
  return nullptr;
}

}  // namespace

absl::Status DecodeSpecial(Form& form) {
  const absl::string_view opcode = form.instruction.opcode;
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  if (form.Take("approx")) return form.Run(FindApproximate(form, type), OpClass::kSpecial);
  ExecFn fn = nullptr;
  if (opcode == "rcp") fn = Exact<kExactRcp>(form, type);
  if (opcode == "sqrt") fn = Exact<kExactSqrt>(form, type);
  ASTITCH_RETURN_IF_ERROR(RunAdjusted(form, fn, type));
  form.op.op_class = OpClass::kSpecial;
  return absl::OkStatus();
}

namespace {

template <typename T>
T Copysign(T sign, T value) {
  return std::copysign(value, sign);
}

template <typename T>
void TestProperty(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    const T v = As<T>(a[lane]);
    const bool results[] = {std::isfinite(v), std::isinf(v),    !std::isnan(v),
                            std::isnan(v),    std::isnormal(v), std::fpclassify(v) == FP_SUBNORMAL};
    d[lane] = results[op.mode];
  });
}

}  // namespace

absl::Status DecodeCopysign(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  ExecFn fn = nullptr;
  if (type == Type::kF32) fn = RunLanes<Copysign<float>, float, float, float>;
  if (type == Type::kF64) fn = RunLanes<Copysign<double>, double, double, double>;
  return form.Run(fn, OpClass::kFloat);
}

absl::Status DecodeTestp(Form& form) {
  constexpr absl::string_view kProperties[] = {"finite",     "infinite", "number",
                                               "notanumber", "normal",   "subnormal"};
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(Type::kPred, type));
  bool known = false;
  for (size_t i = 0; i < std::size(kProperties) && !known; ++i) {
    known = form.Take(kProperties[i]);
    form.op.mode = static_cast<uint8_t>(i);
  }
  ExecFn fn = nullptr;
  if (known && type == Type::kF32) fn = TestProperty<float>;
  if (known && type == Type::kF64) fn = TestProperty<double>;
  return form.Run(fn, OpClass::kCompare);
}

}  // namespace astitch::simt
