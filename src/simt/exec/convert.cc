// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// cvt: between integers, floats and the packed narrow floats.
//
// Values pass through double, which holds every narrower float and integer exactly; 64-bit integers
// are rounded to odd on the way, so that the last rounding is the only one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/float_adjust.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

bool IsInteger(Type type) {
  const TypeKind kind = KindOf(type);
  return kind == TypeKind::kUnsigned || kind == TypeKind::kSigned;
}
bool IsFloat(Type type) { return KindOf(type) == TypeKind::kFloat && type != Type::kTF32; }

int64_t ReadInteger(Type type, uint64_t bits) {
  const int unused = 64 - TypeBits(type);
  bits <<= unused;
  return KindOf(type) == TypeKind::kSigned ? static_cast<int64_t>(bits) >> unused
                                           : static_cast<int64_t>(bits >> unused);
}

double ReadFloat(Type type, uint64_t bits) {
  switch (type) {
    case Type::kF16:
      return ToFloat(As<F16>(bits));
    case Type::kBF16:
      return ToFloat(As<BF16>(bits));
    case Type::kF32:
      return As<float>(bits);
    default:
      return As<double>(bits);
  }
}

// The host's rounding mode is op.mode's while this runs.
uint64_t WriteFloat(Type type, double value, Rounding mode) {
  switch (type) {
    case Type::kF16:
      return Bits(Narrow<F16>(value, mode));
    case Type::kBF16:
      return Bits(Narrow<BF16>(value, mode));
    case Type::kF32:
      return Bits(static_cast<float>(value));
    default:
      return Bits(value);
  }
}

double Flush(double v) { return std::fabs(v) < 0x1p-126 ? std::copysign(0.0, v) : v; }

// A register of 8 bits is one of 16 that holds the value.
uint64_t WriteInteger(Type type, int64_t value) {
  const int bits = std::max(TypeBits(type), 16);
  return bits == 64 ? static_cast<uint64_t>(value)
                    : static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
}

int64_t Saturate(const Op& op, int64_t value) {
  const bool from_u64 = op.from == Type::kU64;
  const int bits = TypeBits(op.type);
  if (KindOf(op.type) == TypeKind::kSigned) {
    const int64_t most = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    if (from_u64 && value < 0) return most;
    return std::clamp(value, -most - 1, most);
  }
  if (value < 0 && !from_u64) return 0;
  if (bits == 64) return value;
  const uint64_t most = (uint64_t{1} << bits) - 1;
  return static_cast<int64_t>(std::min(static_cast<uint64_t>(value), most));
}

// Where nothing saturates: the bits that both types have, extended as the narrower one says.
void IntegerToInteger(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  if (op.saturate) {
    ForLanes(mask, [&](int lane) {
      d[lane] = WriteInteger(op.type, Saturate(op, ReadInteger(op.from, a[lane])));
    });
    return;
  }
  const bool narrows = TypeBits(op.type) <= TypeBits(op.from);
  const Type kept = narrows ? op.type : op.from;
  const int unused = 64 - TypeBits(kept), unwritten = 64 - std::max(TypeBits(op.type), 16);
  const bool is_signed = KindOf(kept) == TypeKind::kSigned;
  ForLanes(mask, [&](int lane) {
    const uint64_t top = a[lane] << unused;
    const uint64_t value =
        is_signed ? static_cast<uint64_t>(static_cast<int64_t>(top) >> unused) : top >> unused;
    d[lane] = value << unwritten >> unwritten;
  });
}

void IntegerToFloat(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    const int64_t value = ReadInteger(op.from, a[lane]);
    const bool is_unsigned = op.from == Type::kU64;
    double wide;
    if (op.type == Type::kF64) {
      wide = is_unsigned ? static_cast<double>(static_cast<uint64_t>(value))
                         : static_cast<double>(value);
    } else {
      wide = is_unsigned ? ToOdd(static_cast<uint64_t>(value)) : ToOdd(value);
    }
    d[lane] = WriteFloat(op.type, wide, static_cast<Rounding>(op.mode));
  });
}

double RoundToInteger(double value, Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return std::nearbyint(value);
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kAway:
      return std::round(value);
  }
  return value;
}

// Out of range goes to the end of the range, NaN to zero.
int64_t ClampToInteger(Type type, double value) {
  if (std::isnan(value)) return 0;
  const int bits = TypeBits(type);
  if (KindOf(type) == TypeKind::kSigned) {
    const double limit = std::ldexp(1, bits - 1);
    const int64_t most = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    if (value >= limit) return most;
    return value < -limit ? -most - 1 : static_cast<int64_t>(value);
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1, bits)) {
    return bits == 64 ? -1 : static_cast<int64_t>((uint64_t{1} << bits) - 1);
  }
  return static_cast<int64_t>(static_cast<uint64_t>(value));
}

// op.imm: subnormals of f32 are zero.
void FloatToInteger(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    double value = ReadFloat(op.from, a[lane]);
    if (op.imm != 0) value = Flush(value);
    value = RoundToInteger(value, static_cast<Rounding>(op.mode));
    d[lane] = WriteInteger(op.type, ClampToInteger(op.type, value));
  });
}

void FloatToFloat(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const bool flush = op.imm != 0;
  ForLanes(mask, [&](int lane) {
    double value = ReadFloat(op.from, a[lane]);
    if (flush && op.from == Type::kF32) value = Flush(value);
    uint64_t out = WriteFloat(op.type, value, static_cast<Rounding>(op.mode));
    if (flush && op.type == Type::kF32) out = Bits(static_cast<float>(Flush(As<float>(out))));
    d[lane] = out;
  });
}

void RoundFloat(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    double value = ReadFloat(op.from, a[lane]);
    if (op.imm != 0) value = Flush(value);
    value = RoundToInteger(value, static_cast<Rounding>(op.mode));
    d[lane] = WriteFloat(op.type, value, Rounding::kNearest);
  });
}

// --- packed ---------------------------------------------------------------------------------

uint64_t PackPair(const Op& op, double high, double low) {
  const Rounding mode = static_cast<Rounding>(op.mode);
  if (op.relu) {
    if (!(high > 0) && !std::isnan(high)) high = 0;
    if (!(low > 0) && !std::isnan(low)) low = 0;
  }
  switch (op.type) {
    case Type::kF16x2:
      return Bits(Pair<F16>{Narrow<F16>(low, mode), Narrow<F16>(high, mode)});
    case Type::kBF16x2:
      return Bits(Pair<BF16>{Narrow<BF16>(low, mode), Narrow<BF16>(high, mode)});
    case Type::kE4M3x2:
      return static_cast<uint64_t>(ToE4M3(high)) << 8 | ToE4M3(low);
    default:
      return static_cast<uint64_t>(ToE5M2(high)) << 8 | ToE5M2(low);
  }
}

// d, a, b: a is the upper half.
void FloatsToPair(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  ForLanes(mask, [&](int lane) { d[lane] = PackPair(op, As<float>(a[lane]), As<float>(b[lane])); });
}

void PairToPair(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    const uint64_t v = a[lane];
    double high, low;
    if (op.from == Type::kF16x2) {
      high = ToFloat(As<Pair<F16>>(v).high), low = ToFloat(As<Pair<F16>>(v).low);
    } else if (op.from == Type::kE4M3x2) {
      high = FromE4M3(v >> 8 & 255), low = FromE4M3(v & 255);
    } else {
      high = FromE5M2(v >> 8 & 255), low = FromE5M2(v & 255);
    }
    d[lane] = PackPair(op, high, low);
  });
}

void ToTF32(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    d[lane] = static_cast<uint64_t>(
                  RoundToFormat(As<float>(a[lane]), 8, 10, static_cast<Rounding>(op.mode)))
              << 13;
  });
}

absl::Status DecodePacked(Form& form, Type type, Type from) {
  const bool fp8 = type == Type::kE4M3x2 || type == Type::kE5M2x2;
  const bool fp8_source = from == Type::kE4M3x2 || from == Type::kE5M2x2;
  const std::optional<Rounding> mode = form.TakeRounding();
  if (!mode || *mode == Rounding::kAway) return form.Error("expected .rn or .rz");
  form.op.mode = static_cast<uint8_t>(*mode);
  form.op.relu = form.Take("relu");
  if (fp8 && (!form.Take("satfinite") || *mode != Rounding::kNearest)) {
    return form.Error("expected .rn.satfinite");
  }
  if (from == Type::kF32 && type != Type::kF32x2) {
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
    ASTITCH_RETURN_IF_ERROR(form.AddAll(type, from));
    return form.Run(FloatsToPair, OpClass::kConvert);
  }
  if ((fp8 && from == Type::kF16x2) || (type == Type::kF16x2 && fp8_source)) {
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
    ASTITCH_RETURN_IF_ERROR(form.AddAll(type, from));
    return form.Run(PairToPair, OpClass::kConvert);
  }
  return form.Error("no such form");
}

// .rni and its kind: to an integer, whatever the type.
std::optional<Rounding> TakeIntegerRounding(Form& form) {
  if (form.Take("rni")) return Rounding::kNearest;
  if (form.Take("rzi")) return Rounding::kZero;
  if (form.Take("rmi")) return Rounding::kDown;
  if (form.Take("rpi")) return Rounding::kUp;
  return std::nullopt;
}

absl::Status DecodeFromFloat(Form& form, Type type, Type from) {
  const bool flush = (from == Type::kF32 || type == Type::kF32) && form.Take("ftz");
  form.op.imm = flush;
  const std::optional<Rounding> whole = TakeIntegerRounding(form);
  if (IsInteger(type)) {
    if (!whole) return form.Error("expected .rni, .rzi, .rmi or .rpi");
    form.op.mode = static_cast<uint8_t>(*whole);
    form.Take("sat");  // such a conversion always saturates
    return form.Run(FloatToInteger, OpClass::kConvert);
  }
  form.op.saturate = form.Take("sat");
  form.op.relu = (type == Type::kF16 || type == Type::kBF16) && form.Take("relu");
  const std::optional<Rounding> mode = form.TakeRounding();
  const bool narrows = TypeBits(type) < TypeBits(from);
  if (narrows ? !mode || *mode == Rounding::kAway : mode.has_value()) {
    return form.Error("a rounding mode goes with a narrowing conversion, and only there");
  }
  if (whole && type != from) return form.Error("no such form");
  if (type != from && TypeBits(type) == TypeBits(from)) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.Run(whole ? RoundFloat : FloatToFloat, OpClass::kConvert));
  const Rounding rounding = whole ? *whole : mode.value_or(Rounding::kNearest);
  form.op.mode = static_cast<uint8_t>(rounding);
  const bool host_mode = type == Type::kF32 && rounding != Rounding::kNearest && !whole;
  if (form.op.saturate || form.op.relu || host_mode) WrapRounding(form, rounding);
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeConvert(Form& form) {
  Type type, from;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedType(from));
  form.op.type = type;
  form.op.from = from;
  if (KindOf(type) == TypeKind::kPackedFloat) return DecodePacked(form, type, from);
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  const bool narrow = TypeBits(type) == 8;
  ASTITCH_RETURN_IF_ERROR(
      form.AddDst(form.operand(0), type == Type::kTF32 ? Type::kB32 : type, narrow));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), from, IsInteger(from)));
  if (type == Type::kTF32 && from == Type::kF32) {
    const std::optional<Rounding> mode = form.TakeRounding();
    if (!mode) return form.Error("expected a rounding mode");
    form.op.mode = static_cast<uint8_t>(*mode);
    return form.Run(ToTF32, OpClass::kConvert);
  }
  if (IsInteger(type) && IsInteger(from)) {
    form.op.saturate = form.Take("sat");
    return form.Run(IntegerToInteger, OpClass::kConvert);
  }
  if (IsFloat(type) && IsInteger(from)) {
    const std::optional<Rounding> mode = form.TakeRounding();
    if (!mode || *mode == Rounding::kAway) return form.Error("expected a rounding mode");
    form.op.saturate = form.Take("sat");
    ASTITCH_RETURN_IF_ERROR(form.Run(IntegerToFloat, OpClass::kConvert));
    WrapRounding(form, *mode);
    return absl::OkStatus();
  }
  if (IsFloat(from) && (IsFloat(type) || IsInteger(type))) return DecodeFromFloat(form, type, from);
  return form.Error("no such form");
}

}  // namespace astitch::simt
