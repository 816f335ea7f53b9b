// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Integer arithmetic.
#include <bit>
#include <limits>
#include <type_traits>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

// Arithmetic wraps; unsigned 64 bits hold it for every width.
template <typename T>
constexpr uint64_t Wide(T v) {
  return static_cast<uint64_t>(static_cast<int64_t>(v));
}

constexpr auto kAdd = []<typename T>(T a, T b) { return static_cast<T>(Wide(a) + Wide(b)); };
constexpr auto kSub = []<typename T>(T a, T b) { return static_cast<T>(Wide(a) - Wide(b)); };
constexpr auto kMul = []<typename T>(T a, T b) { return static_cast<T>(Wide(a) * Wide(b)); };
constexpr auto kMulHigh = []<typename T>(T a, T b) {
  using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>(static_cast<Product>(a) * static_cast<Product>(b) >> (8 * sizeof(T)));
};
constexpr auto kMadLow = []<typename T>(T a, T b, T c) { return kAdd(kMul(a, b), c); };
constexpr auto kMadHigh = []<typename T>(T a, T b, T c) { return kAdd(kMulHigh(a, b), c); };
constexpr auto kReluMin = [](int32_t a, int32_t b) { return std::max(std::min(a, b), 0); };
constexpr auto kReluMax = [](int32_t a, int32_t b) { return std::max(std::max(a, b), 0); };
constexpr auto kMin = []<typename T>(T a, T b) { return a < b ? a : b; };
constexpr auto kMax = []<typename T>(T a, T b) { return a < b ? b : a; };
// By zero all bits are set; the most negative number by -1 stays.
constexpr auto kDiv = []<typename T>(T a, T b) -> T {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return kSub(T{0}, a);
  return static_cast<T>(a / b);
};
constexpr auto kRem = []<typename T>(T a, T b) -> T {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
};
constexpr auto kAbs = []<typename T>(T a) -> T { return a < 0 ? kSub(T{0}, a) : a; };
constexpr auto kNeg = []<typename T>(T a) { return kSub(T{0}, a); };
constexpr auto kSaturatedAdd = [](int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} + b;
  return static_cast<int32_t>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
};
constexpr auto kSaturatedSub = [](int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} - b;
  return static_cast<int32_t>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
};
constexpr auto kSadOf = []<typename T>(T a, T b, T c) {
  return kAdd(a < b ? kSub(b, a) : kSub(a, b), c);
};

template <auto F>
ExecFn ForPairs(Type type) {
  if (type == Type::kS16x2) return Homogeneous<kOnPair<F, int16_t>, Pair<int16_t>, 2>();
  if (type == Type::kU16x2) return Homogeneous<kOnPair<F, uint16_t>, Pair<uint16_t>, 2>();
  return ForIntegers<F, 2>(type);
}

template <typename T, typename W>
W MulWide(T a, T b) {
  return static_cast<W>(static_cast<W>(a) * static_cast<W>(b));
}
template <typename T, typename W>
W MadWide(T a, T b, W c) {
  return kAdd(MulWide<T, W>(a, b), c);
}

struct WideForm {
  Type type = Type::kU64;
  ExecFn mul = nullptr, mad = nullptr;
};

template <typename T, typename W>
WideForm WideOf(Type type) {
  return {type, RunLanes<MulWide<T, W>, W, T, T>, RunLanes<MadWide<T, W>, W, T, T, W>};
}

WideForm FindWide(Type type) {
  switch (type) {
    case Type::kS16:
      return WideOf<int16_t, int32_t>(Type::kS32);
    case Type::kU16:
      return WideOf<uint16_t, uint32_t>(Type::kU32);
    case Type::kS32:
      return WideOf<int32_t, int64_t>(Type::kS64);
    case Type::kU32:
      return WideOf<uint32_t, uint64_t>(Type::kU64);
    default:
      return {};
  }
}

absl::Status DecodeWide(Form& form, Type type, bool mad) {
  const WideForm wide = FindWide(type);
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(mad ? 4 : 3));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), wide.type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), type));
  if (mad) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(3), wide.type));
  }
  return form.Run(mad ? wide.mad : wide.mul, OpClass::kInteger);
}

ExecFn FindBinary(Form& form, absl::string_view opcode, Type type) {
  if (opcode == "add" || opcode == "sub") {
    const bool add = opcode == "add";
    if (type == Type::kS32 && form.Take("sat")) {
      return add ? RunLanes<kSaturatedAdd, int32_t, int32_t, int32_t>
                 : RunLanes<kSaturatedSub, int32_t, int32_t, int32_t>;
    }
    return add ? ForPairs<kAdd>(type) : ForPairs<kSub>(type);
  }
  if (opcode == "mul") {
    if (form.Take("hi")) return ForIntegers<kMulHigh, 2>(type);
    return form.Take("lo") ? ForIntegers<kMul, 2>(type) : nullptr;
  }
  if (opcode == "div") return ForIntegers<kDiv, 2>(type);
  if (opcode == "rem") return ForIntegers<kRem, 2>(type);
  if (type == Type::kS32 && (opcode == "min" || opcode == "max") && form.Take("relu")) {
    return opcode == "min" ? RunLanes<kReluMin, int32_t, int32_t, int32_t>
                           : RunLanes<kReluMax, int32_t, int32_t, int32_t>;
  }
  if (opcode == "min") return ForPairs<kMin>(type);
  if (opcode == "max") return ForPairs<kMax>(type);
  return nullptr;
}

}  // namespace

absl::Status DecodeInteger(Form& form) {
  const absl::string_view opcode = form.instruction.opcode;
  const bool mad = opcode == "mad";
  const bool wide = (mad || opcode == "mul") && form.Take("wide");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  form.op.type = type;
  if (wide) return DecodeWide(form, type, mad);
  ExecFn fn = nullptr;
  size_t operands = 3;
  if (mad) {
    operands = 4;
    if (form.Take("lo")) fn = ForIntegers<kMadLow, 3>(type);
    if (fn == nullptr && form.Take("hi")) fn = ForIntegers<kMadHigh, 3>(type);
  } else if (opcode == "abs" || opcode == "neg") {
    operands = 2;
    if (KindOf(type) == TypeKind::kSigned) {
      fn = opcode == "abs" ? ForIntegers<kAbs, 1>(type) : ForIntegers<kNeg, 1>(type);
    }
  } else {
    fn = FindBinary(form, opcode, type);
  }
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(operands));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  return form.Run(fn, OpClass::kInteger);
}

absl::Status DecodeArithmetic(Form& form) {
  for (const std::string& modifier : form.instruction.modifiers) {
    const std::optional<Type> type = TypeFromName(modifier);
    if (!type) continue;
    const TypeKind kind = KindOf(*type);
    if (kind != TypeKind::kFloat && kind != TypeKind::kPackedFloat) return DecodeInteger(form);
    return form.instruction.opcode == "div" ? DecodeDivide(form) : DecodeFloat(form);
  }
  return form.Error("expected a type");
}

absl::Status DecodeSad(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  return form.Run(ForIntegers<kSadOf, 3>(type), OpClass::kInteger);
}

namespace {

constexpr auto kPopc = []<typename T>(T a) { return static_cast<uint32_t>(std::popcount(a)); };
constexpr auto kClz = []<typename T>(T a) { return static_cast<uint32_t>(std::countl_zero(a)); };
constexpr auto kBrev = []<typename T>(T a) {
  T out = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i) out |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
  return out;
};
// The highest bit that differs from the sign; of no such bit all ones.
template <typename T, bool kShiftAmount>
uint32_t FindBit(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const uint32_t zeros = std::countl_zero(bits);
  return kShiftAmount ? zeros : 8 * sizeof(T) - 1 - zeros;
}

template <bool kShiftAmount>
ExecFn FindBitFor(Type type) {
  switch (type) {
    case Type::kS32:
      return RunLanes<FindBit<int32_t, kShiftAmount>, uint32_t, int32_t>;
    case Type::kU32:
      return RunLanes<FindBit<uint32_t, kShiftAmount>, uint32_t, uint32_t>;
    case Type::kS64:
      return RunLanes<FindBit<int64_t, kShiftAmount>, uint32_t, int64_t>;
    case Type::kU64:
      return RunLanes<FindBit<uint64_t, kShiftAmount>, uint32_t, uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

absl::Status DecodeCount(Form& form) {
  const absl::string_view opcode = form.instruction.opcode;
  const bool shift_amount = opcode == "bfind" && form.Take("shiftamt");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  const bool brev = opcode == "brev";
  ASTITCH_RETURN_IF_ERROR(form.AddAll(brev ? type : Type::kU32, type));
  ExecFn fn = nullptr;
  const bool narrow = type == Type::kB32, wide = type == Type::kB64;
  if (opcode == "bfind") {
    fn = shift_amount ? FindBitFor<true>(type) : FindBitFor<false>(type);
  } else if (narrow || wide) {
    if (opcode == "popc") {
      fn = narrow ? RunLanes<kPopc, uint32_t, uint32_t> : RunLanes<kPopc, uint32_t, uint64_t>;
    } else if (opcode == "clz") {
      fn = narrow ? RunLanes<kClz, uint32_t, uint32_t> : RunLanes<kClz, uint32_t, uint64_t>;
    } else {
      fn = narrow ? RunLanes<kBrev, uint32_t, uint32_t> : RunLanes<kBrev, uint64_t, uint64_t>;
    }
  }
  return form.Run(fn, OpClass::kInteger);
}

namespace {

// LENGTH bits from START; past the end come copies of the field's sign.
template <typename T>
T ExtractField(T a, uint32_t start, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = 8 * sizeof(T);
  start &= 255;
  length &= 255;
  if (length == 0) return 0;
  const uint32_t top = std::min(start + length - 1, kBits - 1);
  const bool sign = std::is_signed_v<T> && (static_cast<U>(a) >> top & 1) != 0;
  const uint32_t there = start < kBits ? std::min(length, kBits - start) : 0;
  const U field = there == kBits ? ~U{0} : (U{1} << there) - 1;
  const U bits = there == 0 ? U{0} : static_cast<U>(a) >> start;
  return static_cast<T>((bits & field) | (sign ? ~field : U{0}));
}

template <typename U>
U InsertField(U a, U b, uint32_t start, uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(U);
  start &= 255;
  length &= 255;
  for (uint32_t i = 0; i < length && start + i < kBits; ++i) {
    const U bit = U{1} << (start + i);
    b = (b & ~bit) | ((i < kBits ? a >> i & 1 : 0) << (start + i));
  }
  return b;
}

template <typename T>
constexpr ExecFn Extract() {
  return RunLanes<ExtractField<T>, T, T, uint32_t, uint32_t>;
}
template <typename T>
constexpr ExecFn Insert() {
  return RunLanes<InsertField<T>, T, T, T, uint32_t, uint32_t>;
}

}  // namespace

absl::Status DecodeBitField(Form& form) {
  const bool insert = form.instruction.opcode == "bfi";
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(insert ? 5 : 4));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  for (size_t i = 1; i < form.num_operands(); ++i) {
    const bool value = i + 2 < form.num_operands();
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(i), value ? type : Type::kU32));
  }
  ExecFn fn = nullptr;
  switch (type) {
    case Type::kS32:
      fn = insert ? nullptr : Extract<int32_t>();
      break;
    case Type::kU32:
      fn = insert ? nullptr : Extract<uint32_t>();
      break;
    case Type::kS64:
      fn = insert ? nullptr : Extract<int64_t>();
      break;
    case Type::kU64:
      fn = insert ? nullptr : Extract<uint64_t>();
      break;
    case Type::kB32:
      fn = insert ? Insert<uint32_t>() : nullptr;
      break;
    case Type::kB64:
      fn = insert ? Insert<uint64_t>() : nullptr;
      break;
    default:
      break;
  }
  return form.Run(fn, OpClass::kInteger);
}

namespace {

template <typename A, typename B>
uint32_t Dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<uint32_t>(static_cast<int32_t>(static_cast<A>(a >> 8 * i)) *
                               static_cast<int32_t>(static_cast<B>(b >> 8 * i)));
  }
  return c;
}
template <typename A, typename B>
constexpr ExecFn kDot4 = RunLanes<Dot4<A, B>, uint32_t, uint32_t, uint32_t, uint32_t>;

}  // namespace

absl::Status DecodeDotProduct(Form& form) {
  Type a, b;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(a));
  ASTITCH_RETURN_IF_ERROR(form.NeedType(b));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(Type::kB32, Type::kB32));
  const bool a_signed = a == Type::kS32, b_signed = b == Type::kS32;
  if ((!a_signed && a != Type::kU32) || (!b_signed && b != Type::kU32)) {
    return form.Error("no such form");
  }
  const ExecFn fn = a_signed ? (b_signed ? kDot4<int8_t, int8_t> : kDot4<int8_t, uint8_t>)
                             : (b_signed ? kDot4<uint8_t, int8_t> : kDot4<uint8_t, uint8_t>);
  return form.Run(fn, OpClass::kInteger);
}

}  // namespace astitch::simt
