// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Logic, shifts and permutations of bytes.
#include <algorithm>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"

namespace astitch::simt {
namespace {

constexpr auto kAnd = []<typename T>(T a, T b) { return static_cast<T>(a & b); };
constexpr auto kOr = []<typename T>(T a, T b) { return static_cast<T>(a | b); };
constexpr auto kXor = []<typename T>(T a, T b) { return static_cast<T>(a ^ b); };
constexpr auto kNot = []<typename T>(T a) { return static_cast<T>(~a); };
constexpr auto kCnot = []<typename T>(T a) { return static_cast<T>(a == 0); };

// Predicates are one bit, perhaps negated.
void PredicateLogic(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = op.num_src > 1 ? warp.Source(op.src[1]) : a;
  const uint64_t flip_a = op.negated & 1, flip_b = op.negated >> 1 & 1;
  const auto all = [&](auto of) {
    ForOwnLanes(mask, [&](int lane) { d[lane] = of(a[lane] ^ flip_a, b[lane] ^ flip_b) & 1; });
  };
  switch (op.mode) {
    case 0:
      return all([](uint64_t x, uint64_t y) { return x & y; });
    case 1:
      return all([](uint64_t x, uint64_t y) { return x | y; });
    case 2:
      return all([](uint64_t x, uint64_t y) { return x ^ y; });
  }
  all([](uint64_t x, uint64_t) { return x ^ 1; });
}

}  // namespace

absl::Status DecodeLogic(Form& form) {
  constexpr absl::string_view kOpcodes[] = {"and", "or", "xor", "not"};
  const absl::string_view opcode = form.instruction.opcode;
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  const bool unary = opcode == "not" || opcode == "cnot";
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(unary ? 2 : 3));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  ExecFn fn = nullptr;
  if (type == Type::kPred && opcode != "cnot") {
    fn = PredicateLogic;
    form.op.mode = static_cast<uint8_t>(
        std::find(std::begin(kOpcodes), std::end(kOpcodes), opcode) - std::begin(kOpcodes));
  } else if (type == Type::kPred) {
    return form.Error("no such form");
  } else if (opcode == "and") {
    fn = ForBits<kAnd, 2>(type);
  } else if (opcode == "or") {
    fn = ForBits<kOr, 2>(type);
  } else if (opcode == "xor") {
    fn = ForBits<kXor, 2>(type);
  } else {
    fn = opcode == "not" ? ForBits<kNot, 1>(type) : ForBits<kCnot, 1>(type);
  }
  return form.Run(fn, OpClass::kInteger);
}

namespace {

// Bit i of the table is the result where the sources' bits spell i.
void Lookup3(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const s[] = {warp.Source(op.src[0]), warp.Source(op.src[1]),
                               warp.Source(op.src[2])};
  ForLanes(mask, [&](int lane) {
    uint64_t out = 0;
    for (int i = 0; i < 8; ++i) {
      if ((op.imm >> i & 1) == 0) continue;
      const uint64_t a = (i & 4) != 0 ? s[0][lane] : ~s[0][lane];
      const uint64_t b = (i & 2) != 0 ? s[1][lane] : ~s[1][lane];
      const uint64_t c = (i & 1) != 0 ? s[2][lane] : ~s[2][lane];
      out |= a & b & c;
    }
    d[lane] = out & 0xFFFFFFFF;
  });
}

}  // namespace

absl::Status DecodeLop3(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(5));
  if (type != Type::kB32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  for (int i = 1; i <= 3; ++i) ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(i), type));
  const Operand& table = form.operand(4);
  if (table.kind != Operand::Kind::kInteger || table.value > 255) {
    return form.Error("expected a table of 8 bits");
  }
  form.op.imm = static_cast<int64_t>(table.value);
  return form.Run(Lookup3, OpClass::kInteger);
}

namespace {

// Shifts by the width and more give zeros, or copies of the sign.
template <typename T>
T ShiftLeft(T a, uint32_t by) {
  return by >= 8 * sizeof(T) ? 0 : static_cast<T>(a << by);
}
template <typename T>
T ShiftRight(T a, uint32_t by) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (by >= kBits) return std::is_signed_v<T> ? static_cast<T>(a >> (kBits - 1)) : T{0};
  return static_cast<T>(a >> by);
}

ExecFn FindShift(Type type, bool left) {
  switch (type) {
    case Type::kB16:
      return left ? RunLanes<ShiftLeft<uint16_t>, uint16_t, uint16_t, uint32_t>
                  : RunLanes<ShiftRight<uint16_t>, uint16_t, uint16_t, uint32_t>;
    case Type::kB32:
      return left ? RunLanes<ShiftLeft<uint32_t>, uint32_t, uint32_t, uint32_t>
                  : RunLanes<ShiftRight<uint32_t>, uint32_t, uint32_t, uint32_t>;
    case Type::kB64:
      return left ? RunLanes<ShiftLeft<uint64_t>, uint64_t, uint64_t, uint32_t>
                  : RunLanes<ShiftRight<uint64_t>, uint64_t, uint64_t, uint32_t>;
    case Type::kU16:
      return left ? nullptr : FindShift(Type::kB16, false);
    case Type::kU32:
      return left ? nullptr : FindShift(Type::kB32, false);
    case Type::kU64:
      return left ? nullptr : FindShift(Type::kB64, false);
    case Type::kS16:
      return left ? nullptr : RunLanes<ShiftRight<int16_t>, int16_t, int16_t, uint32_t>;
    case Type::kS32:
      return left ? nullptr : RunLanes<ShiftRight<int32_t>, int32_t, int32_t, uint32_t>;
    case Type::kS64:
      return left ? nullptr : RunLanes<ShiftRight<int64_t>, int64_t, int64_t, uint32_t>;
    default:
      return nullptr;
  }
}

template <bool kLeft, bool kClamp>
uint32_t FunnelShift(uint32_t low, uint32_t high, uint32_t by) {
  by = kClamp ? std::min(by, 32u) : by & 31;
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<uint32_t>(kLeft ? both << by >> 32 : both >> by);
}
template <bool kLeft, bool kClamp>
constexpr ExecFn kFunnel =
    RunLanes<FunnelShift<kLeft, kClamp>, uint32_t, uint32_t, uint32_t, uint32_t>;

}  // namespace

absl::Status DecodeShift(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kU32));
  return form.Run(FindShift(type, form.instruction.opcode == "shl"), OpClass::kInteger);
}

absl::Status DecodeFunnelShift(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  if (type != Type::kB32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  const bool left = form.Take("l");
  if (!left && !form.Take("r")) return form.Error("expected .l or .r");
  const bool clamp = form.Take("clamp");
  if (!clamp && !form.Take("wrap")) return form.Error("expected .clamp or .wrap");
  const ExecFn fn = left ? (clamp ? kFunnel<true, true> : kFunnel<true, false>)
                         : (clamp ? kFunnel<false, true> : kFunnel<false, false>);
  return form.Run(fn, OpClass::kInteger);
}

namespace {

enum class Permutation : uint8_t { kIndex, kF4e, kB4e, kRc8, kEcl, kEcr, kRc16 };

// A nibble picks a byte of {b, a}; its high bit copies that byte's sign over it.
uint32_t PickByte(uint64_t both, uint32_t selector) {
  const uint32_t byte = static_cast<uint32_t>(both >> (8 * (selector & 7))) & 255;
  if ((selector & 8) == 0) return byte;
  return (byte & 128) != 0 ? 255 : 0;
}

uint32_t Selector(Permutation mode, uint32_t control, uint32_t i) {
  const uint32_t c = control & 3;
  switch (mode) {
    case Permutation::kIndex:
      return control >> (4 * i) & 15;
    case Permutation::kF4e:
      return c + i;
    case Permutation::kB4e:
      return (c - i) & 7;
    case Permutation::kRc8:
      return c;
    case Permutation::kEcl:
      return std::max(c, i);
    case Permutation::kEcr:
      return std::min(c, i);
    case Permutation::kRc16:
      return (c & 1) * 2 + (i & 1);
  }
  return 0;
}

void Permute(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = warp.Source(op.src[2]);
  const auto mode = static_cast<Permutation>(op.mode);
  ForLanes(mask, [&](int lane) {
    const uint64_t both = b[lane] << 32 | (a[lane] & 0xFFFFFFFF);
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      out |= PickByte(both, Selector(mode, static_cast<uint32_t>(c[lane]), i)) << (8 * i);
    }
    d[lane] = out;
  });
}

}  // namespace

absl::Status DecodePermute(Form& form) {
  constexpr absl::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  if (type != Type::kB32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  for (size_t i = 0; i < std::size(kModes); ++i) {
    if (form.op.mode == 0 && form.Take(kModes[i])) form.op.mode = static_cast<uint8_t>(i + 1);
  }
  return form.Run(Permute, OpClass::kInteger);
}

}  // namespace astitch::simt
