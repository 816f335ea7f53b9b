// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// atom and red: read, modify, write of one word, lane after lane.
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"
#include "simt/exec/memory_form.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

template <typename T>
T Combine(AtomicOp operation, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
    case AtomicOp::kAdd:
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    case AtomicOp::kAnd:
      return old & b;
    case AtomicOp::kOr:
      return old | b;
    case AtomicOp::kXor:
      return old ^ b;
    case AtomicOp::kExch:
      return b;
    case AtomicOp::kCas:
      return old == b ? c : old;
    case AtomicOp::kMin:
      return std::min(old, b);
    case AtomicOp::kMax:
      return std::max(old, b);
    case AtomicOp::kInc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::kDec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
  return old;
}

template <typename T>
T AddFloats(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return Narrow<T>(static_cast<double>(ToFloat(a)) + ToFloat(b));
}
template <typename H>
uint64_t AddPairs(uint64_t a, uint64_t b) {
  const auto x = As<Pair<H>>(a), y = As<Pair<H>>(b);
  return Bits(Pair<H>{AddFloats(x.low, y.low), AddFloats(x.high, y.high)});
}

uint64_t Modify(const Op& op, uint64_t old, uint64_t b, uint64_t c) {
  const AtomicOp operation = op.memory.atomic;
  switch (op.type) {
    case Type::kF16:
      return Bits(AddFloats(As<F16>(old), As<F16>(b)));
    case Type::kBF16:
      return Bits(AddFloats(As<BF16>(old), As<BF16>(b)));
    case Type::kF16x2:
      return AddPairs<F16>(old, b);
    case Type::kBF16x2:
      return AddPairs<BF16>(old, b);
    case Type::kF32:
      return Bits(AddFloats(As<float>(old), As<float>(b)));
    case Type::kF64:
      return Bits(AddFloats(As<double>(old), As<double>(b)));
    case Type::kB16:
      return Bits(
          Combine<uint16_t>(operation, As<uint16_t>(old), As<uint16_t>(b), As<uint16_t>(c)));
    case Type::kS32:
      return Bits(Combine<int32_t>(operation, As<int32_t>(old), As<int32_t>(b), As<int32_t>(c)));
    case Type::kB32:
    case Type::kU32:
      return Bits(
          Combine<uint32_t>(operation, As<uint32_t>(old), As<uint32_t>(b), As<uint32_t>(c)));
    case Type::kS64:
      return Bits(Combine<int64_t>(operation, As<int64_t>(old), As<int64_t>(b), As<int64_t>(c)));
    default:
      return Bits(Combine<uint64_t>(operation, old, b, c));
  }
}

// src: address, b, c. op.mode: no result is wanted.
void Atomic(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const uint64_t* const base = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = warp.Source(op.src[op.num_src > 2 ? 2 : 1]);
  const int bytes = op.memory.width;
  Region* regions[32];
  int64_t offsets[32];
  uint32_t good = 0;
  bool changed = false;
  ForLanes(mask, [&](int lane) {
    const Place place = machine.Locate(warp, op, lane, base[lane] + op.imm, bytes);
    if (place.region == nullptr) {
      if (op.mode == 0) warp.Dest(op.dst[0])[lane] = kUnwrittenRegister;
      return;
    }
    uint8_t* const at = place.region->bytes + place.offset;
    uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    const uint64_t value = Modify(op, old, b[lane], c[lane]);
    // A comparison that fails writes nothing.
    const bool written =
        op.memory.atomic != AtomicOp::kCas ||
        As<uint64_t>(old) == (b[lane] & (bytes == 8 ? ~0ull : (1ull << 8 * bytes) - 1));
    machine.Exchanged(warp, op, lane, place, bytes, written);
    if (op.mode == 0) warp.Dest(op.dst[0])[lane] = old;
    if (written && !place.region->read_only) std::memcpy(at, &value, bytes);
    changed |= value != old;
    regions[lane] = place.region;
    offsets[lane] = place.offset;
    good |= 1u << lane;
  });
  machine.CountAccess(op, good, regions, offsets, bytes, true);
  if (changed) {
    machine.Progress();
  } else {
    const int first = std::countr_zero(mask);
    machine.Poll(warp, base[first] + op.imm, b[first]);
  }
}

std::optional<AtomicOp> TakeAtomicOp(Form& form) {
  constexpr absl::string_view kNames[] = {"add", "and", "or",  "xor", "exch",
                                          "cas", "min", "max", "inc", "dec"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (form.Take(kNames[i])) return static_cast<AtomicOp>(i);
  }
  return std::nullopt;
}

bool HasForm(AtomicOp operation, Type type) {
  const bool bits = type == Type::kB32 || type == Type::kB64;
  switch (operation) {
    case AtomicOp::kAdd:
      return KindOf(type) != TypeKind::kBits && TypeBits(type) >= 16 && type != Type::kU16 &&
             type != Type::kS16 && type != Type::kF32x2;
    case AtomicOp::kAnd:
    case AtomicOp::kOr:
    case AtomicOp::kXor:
    case AtomicOp::kExch:
      return bits;
    case AtomicOp::kCas:
      return bits || type == Type::kB16;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64;
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return type == Type::kU32;
  }
  return false;
}

// What is not said: relaxed, at the scope of the device.
absl::Status TakeAtomicSemantics(Form& form) {
  MemoryForm& memory = form.op.memory;
  const bool both = form.Take("acq_rel");
  memory.acquire = both || form.Take("acquire");
  memory.release = both || form.Take("release");
  form.Take("relaxed");
  memory.strength = TakeScope(form).value_or(Strength::kGpu);
  memory.space = TakeMemorySpace(form);
  TakeCacheHints(form);
  if (memory.space == Space::kGeneric || memory.space == Space::kGlobal ||
      memory.space == Space::kShared || memory.space == Space::kSharedCluster) {
    return absl::OkStatus();
  }
  return form.Error("no atomics in that space");
}

}  // namespace

absl::Status DecodeAtomic(Form& form) {
  const bool reduction = form.instruction.opcode == "red";
  ASTITCH_RETURN_IF_ERROR(TakeAtomicSemantics(form));
  const std::optional<AtomicOp> operation = TakeAtomicOp(form);
  if (!operation) return form.Error("expected an operation");
  form.Take("noftz");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  const bool returns_old = *operation == AtomicOp::kExch || *operation == AtomicOp::kCas;
  if (!HasForm(*operation, type) || (reduction && returns_old)) return form.Error("no such form");
  form.op.type = type;
  form.op.memory.atomic = *operation;
  form.op.memory.width = static_cast<uint8_t>(TypeBytes(type));
  form.op.mode = reduction;
  const size_t first = reduction ? 0 : 1;
  const size_t operands = first + (*operation == AtomicOp::kCas ? 3 : 2);
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(operands));
  if (!reduction) {
    ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  }
  ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(first)));
  for (size_t i = first + 1; i < operands; ++i) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(i), type));
  }
  return form.Run(Atomic, OpClass::kAtomic);
}

}  // namespace astitch::simt
