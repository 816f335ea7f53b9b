// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sets the host's rounding mode around an operation and clamps or saturates its result.
#include "simt/exec/float_adjust.h"

#include <cfenv>
#include <cmath>

#include "base/status.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

int HostMode(uint8_t mode) {
  switch (static_cast<Rounding>(mode)) {
    case Rounding::kNearest:
    case Rounding::kAway:
      return FE_TONEAREST;
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
  }
  return FE_TONEAREST;
}

template <typename T>
T Clamp(T v, const Op& op) {
  const double x = ToFloat(v);
  if (op.saturate) return Narrow<T>(std::isnan(x) || x < 0 ? 0 : x > 1 ? 1 : x);
  return !std::isnan(x) && std::signbit(x) ? Narrow<T>(0) : v;
}

template <typename T>
void ClampLanes(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  ForLanes(mask, [&](int lane) { d[lane] = Bits(Clamp(As<T>(d[lane]), op)); });
}
template <typename T>
void ClampPairs(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  ForLanes(mask, [&](int lane) {
    const Pair<T> pair = As<Pair<T>>(d[lane]);
    d[lane] = Bits(Pair<T>{Clamp(pair.low, op), Clamp(pair.high, op)});
  });
}

void ClampResult(Warp& warp, const Op& op, uint32_t mask) {
  switch (op.type) {
    case Type::kF16:
      return ClampLanes<F16>(warp, op, mask);
    case Type::kBF16:
      return ClampLanes<BF16>(warp, op, mask);
    case Type::kF32:
      return ClampLanes<float>(warp, op, mask);
    case Type::kF64:
      return ClampLanes<double>(warp, op, mask);
    case Type::kF16x2:
      return ClampPairs<F16>(warp, op, mask);
    case Type::kBF16x2:
      return ClampPairs<BF16>(warp, op, mask);
    default:
      return;
  }
}

// The compiler cannot see through the call, so nothing moves across the change of mode.
void RunInside(Warp& warp, const Op& op, uint32_t mask) {
  const int host_mode = HostMode(op.mode);
  if (host_mode != FE_TONEAREST) std::fesetround(host_mode);
  op.inner(warp, op, mask);
  if (host_mode != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  if (op.saturate || op.relu) ClampResult(warp, op, mask);
}

}  // namespace

void WrapRounding(Form& form, Rounding mode) {
  form.op.mode = static_cast<uint8_t>(mode);
  form.Wrap(RunInside);
}

absl::Status RunAdjusted(Form& form, ExecFn fn, Type type) {
  form.op.type = type;
  const std::optional<Rounding> mode = form.TakeRounding();
  form.op.saturate = form.Take("sat");
  form.op.relu = form.Take("relu");
  const bool native = type == Type::kF32 || type == Type::kF64 || type == Type::kF32x2;
  if (mode && (*mode == Rounding::kAway || (*mode != Rounding::kNearest && !native))) {
    return form.Error("no such rounding mode");
  }
  ASTITCH_RETURN_IF_ERROR(form.Run(fn, OpClass::kFloat));
  if (form.op.saturate || form.op.relu || (mode && *mode != Rounding::kNearest)) {
    WrapRounding(form, mode.value_or(Rounding::kNearest));
  }
  return absl::OkStatus();
}

}  // namespace astitch::simt
