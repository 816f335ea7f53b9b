// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ld, st, prefetch, fences.
#include <bit>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/memory_form.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

// The low BITS of a register.
uint64_t LowBits(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t ReadElement(const uint8_t* from, const MemoryForm& form) {
  uint64_t out = 0;
  std::memcpy(&out, from, form.width);
  if (!form.is_signed || form.width == 8) return out;
  const int unused = 64 - 8 * form.width;
  return static_cast<uint64_t>(static_cast<int64_t>(out << unused) >> unused);
}

// T is an element as it lies in memory, signed where it is extended so.
template <typename T>
void ReadLanes(const uint8_t* from, uint32_t mask, const int64_t (&offsets)[32], uint64_t keep,
               uint64_t* to) {
  ForLanes(mask, [&](int lane) {
    T element;
    std::memcpy(&element, from + offsets[lane], sizeof(T));
    to[lane] = static_cast<uint64_t>(static_cast<int64_t>(element)) & keep;
  });
}

using ReadLanesFn = void (*)(const uint8_t*, uint32_t, const int64_t (&)[32], uint64_t, uint64_t*);

ReadLanesFn ReaderOf(const MemoryForm& form) {
  switch (form.width) {
    case 1:
      return form.is_signed ? ReadLanes<int8_t> : ReadLanes<uint8_t>;
    case 2:
      return form.is_signed ? ReadLanes<int16_t> : ReadLanes<uint16_t>;
    case 4:
      return form.is_signed ? ReadLanes<int32_t> : ReadLanes<uint32_t>;
  }
  return ReadLanes<uint64_t>;
}

template <typename T>
void WriteLanes(const uint64_t* from, uint32_t mask, const int64_t (&offsets)[32], uint8_t* to) {
  ForLanes(mask, [&](int lane) { std::memcpy(to + offsets[lane], &from[lane], sizeof(T)); });
}

using WriteLanesFn = void (*)(const uint64_t*, uint32_t, const int64_t (&)[32], uint8_t*);

WriteLanesFn WriterOf(const MemoryForm& form) {
  switch (form.width) {
    case 1:
      return WriteLanes<uint8_t>;
    case 2:
      return WriteLanes<uint16_t>;
    case 4:
      return WriteLanes<uint32_t>;
  }
  return WriteLanes<uint64_t>;
}

// op.mode: the bits that the destination registers keep of a sign-extended value.
void LoadApart(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const uint64_t* const base = warp.Source(op.src[0]);
  const int bytes = op.memory.width * op.memory.count;
  const uint64_t keep = LowBits(op.mode);
  Region* regions[32];
  int64_t offsets[32];
  uint32_t good = 0;
  ForLanes(mask, [&](int lane) {
    const Place place = machine.Locate(warp, op, lane, base[lane] + op.imm, bytes);
    if (place.region == nullptr) {
      for (int i = 0; i < op.memory.count; ++i) warp.Dest(op.dst[i])[lane] = kUnwrittenRegister;
      return;
    }
    machine.Loaded(warp, op, lane, place, bytes);
    const uint8_t* from = place.region->bytes + place.offset;
    for (int i = 0; i < op.memory.count; ++i, from += op.memory.width) {
      warp.Dest(op.dst[i])[lane] = ReadElement(from, op.memory) & keep;
    }
    regions[lane] = place.region;
    offsets[lane] = place.offset;
    good |= 1u << lane;
  });
  machine.CountAccess(op, good, regions, offsets, bytes, false);
  if (op.memory.strength != Strength::kWeak) {
    const int first = std::countr_zero(mask);
    machine.Poll(warp, base[first] + op.imm, warp.Source(op.dst[0])[first]);
  }
}

void Load(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int bytes = op.memory.width * op.memory.count;
  int64_t offsets[32];
  Region* const region =
      machine.LocateTogether(warp, op, mask, warp.Source(op.src[0]), bytes, offsets);
  if (region == nullptr || !machine.LoadedTogether(warp, op, mask, *region, offsets, bytes)) {
    LoadApart(warp, op, mask);
    return;
  }
  const uint8_t* from = region->bytes;
  const ReadLanesFn read = ReaderOf(op.memory);
  for (int i = 0; i < op.memory.count; ++i, from += op.memory.width)
    read(from, mask, offsets, LowBits(op.mode), warp.Dest(op.dst[i]));
  machine.CountTogether(op, mask, *region, offsets, bytes, false);
}

void StoreApart(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const uint64_t* const base = warp.Source(op.src[0]);
  const int bytes = op.memory.width * op.memory.count;
  Region* regions[32];
  int64_t offsets[32];
  uint32_t good = 0;
  ForLanes(mask, [&](int lane) {
    const Place place = machine.Locate(warp, op, lane, base[lane] + op.imm, bytes);
    if (place.region == nullptr || !machine.Stored(warp, op, lane, place, bytes)) return;
    uint8_t* to = place.region->bytes + place.offset;
    for (int i = 0; i < op.memory.count; ++i, to += op.memory.width) {
      std::memcpy(to, &warp.Source(op.src[1 + i])[lane], op.memory.width);
    }
    regions[lane] = place.region;
    offsets[lane] = place.offset;
    good |= 1u << lane;
  });
  machine.CountAccess(op, good, regions, offsets, bytes, true);
}

void Store(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int bytes = op.memory.width * op.memory.count;
  int64_t offsets[32];
  Region* const region =
      machine.LocateTogether(warp, op, mask, warp.Source(op.src[0]), bytes, offsets);
  if (region == nullptr || !machine.StoredTogether(warp, op, mask, *region, offsets, bytes)) {
    StoreApart(warp, op, mask);
    return;
  }
  uint8_t* to = region->bytes;
  const WriteLanesFn write = WriterOf(op.memory);
  for (int i = 0; i < op.memory.count; ++i, to += op.memory.width)
    write(warp.Source(op.src[1 + i]), mask, offsets, to);
  machine.CountTogether(op, mask, *region, offsets, bytes, true);
}

absl::Status CheckVector(Form& form, const Operand& values, int count) {
  const bool vector = values.kind == Operand::Kind::kVector;
  const size_t given = vector ? values.elements.size() : 1;
  if (vector != (count > 1) || given != static_cast<size_t>(count)) {
    return form.Error(absl::StrCat("expected ", count, " values, got ", given));
  }
  return absl::OkStatus();
}

const Operand& Element(const Operand& values, int i) {
  return values.kind == Operand::Kind::kVector ? values.elements[i] : values;
}

// Registers may be wider than what is loaded or stored: bytes travel in 16 bits.
Type RegisterType(Type type) {
  return KindOf(type) == TypeKind::kFloat ? type : TypeBits(type) == 8 ? Type::kB16 : type;
}

OpClass ClassOf(Space space, bool store) {
  if (space == Space::kGlobal || space == Space::kGeneric) {
    return store ? OpClass::kGlobalStore : OpClass::kGlobalLoad;
  }
  if (space == Space::kShared || space == Space::kSharedCluster) {
    return store ? OpClass::kSharedStore : OpClass::kSharedLoad;
  }
  return OpClass::kOtherMemory;
}

}  // namespace

absl::Status DecodeLoad(Form& form) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  Type type;
  ASTITCH_RETURN_IF_ERROR(TakeMemoryForm(form, /*store=*/false, type));
  MemoryForm& memory = form.op.memory;
  const Operand& to = form.operand(0);
  ASTITCH_RETURN_IF_ERROR(CheckVector(form, to, memory.count));
  memory.is_signed = KindOf(type) == TypeKind::kSigned;
  form.op.mode = static_cast<uint8_t>(TypeBits(RegisterType(type)));
  for (int i = 0; i < memory.count; ++i) {
    const Operand& element = Element(to, i);
    ASTITCH_RETURN_IF_ERROR(form.AddDst(element, RegisterType(type), /*may_be_wider=*/true));
    if (element.kind == Operand::Kind::kRegister) {
      form.op.mode = static_cast<uint8_t>(TypeBits(form.resolver.TypeOf(element)));
    }
  }
  ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(1)));
  return form.Run(Load, ClassOf(memory.space, false));
}

absl::Status DecodeStore(Form& form) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  Type type;
  ASTITCH_RETURN_IF_ERROR(TakeMemoryForm(form, /*store=*/true, type));
  MemoryForm& memory = form.op.memory;
  if (memory.space == Space::kConst) return form.Error("constant memory is not written");
  ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(0)));
  const Operand& from = form.operand(1);
  ASTITCH_RETURN_IF_ERROR(CheckVector(form, from, memory.count));
  for (int i = 0; i < memory.count; ++i) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(Element(from, i), type, /*may_be_wider=*/true));
  }
  return form.Run(Store, ClassOf(memory.space, true));
}

namespace {

// Nothing that a program could see; the address has still to be one.
void Prefetch(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const base = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) { warp.machine->Locate(warp, op, lane, base[lane] + op.imm, 1); });
}

}  // namespace

absl::Status DecodePrefetch(Form& form) {
  if (form.Take("global")) form.op.memory.space = Space::kGlobal;
  if (!form.Take("L1") && !form.Take("L2")) return form.Error("expected .L1 or .L2");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
  ASTITCH_RETURN_IF_ERROR(form.AddAddress(form.operand(0)));
  return form.Run(Prefetch, OpClass::kOtherMemory);
}

namespace {

void Nothing(Warp&, const Op&, uint32_t) {}

// op.mode: bits of Proxied.
void ProxyFence(Warp& warp, const Op& op, uint32_t mask) {
  if (!warp.machine->races()) return;
  ForLanes(mask, [&](int lane) {
    const Accessor me = warp.machine->AccessorOf(warp, op, lane);
    for (const Proxied what : {Proxied::kShared, Proxied::kGlobal, Proxied::kMbarriers}) {
      if ((op.mode >> static_cast<int>(what) & 1) != 0)
        warp.machine->detector().ProxyFence(me, what);
    }
  });
}

absl::Status DecodeProxyFence(Form& form) {
  if (form.Take("alias")) return form.Run(Nothing, OpClass::kFence);
  if (!form.Take("async")) return form.Error("unknown proxy");
  constexpr uint8_t kShared = 1 << static_cast<int>(Proxied::kShared),
                    kGlobal = 1 << static_cast<int>(Proxied::kGlobal);
  form.op.mode = form.Take("shared::cta") || form.Take("shared::cluster") ? kShared
                 : form.Take("global")                                    ? kGlobal
                                                                          : kShared | kGlobal;
  return form.Run(ProxyFence, OpClass::kFence);
}

}  // namespace

absl::Status DecodeFence(Form& form) {
  const bool membar = form.instruction.opcode == "membar";
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(0));
  if (form.Take("proxy")) return DecodeProxyFence(form);
  if (!membar && form.Take("mbarrier_init")) {
    if (!form.Take("release") || !form.Take("cluster"))
      return form.Error("expected .release.cluster");
    form.op.mode = 1 << static_cast<int>(Proxied::kMbarriers);
    return form.Run(ProxyFence, OpClass::kFence);
  }
  std::optional<Strength> scope;
  if (membar) {
    if (form.Take("cta")) scope = Strength::kCta;
    if (form.Take("gl")) scope = Strength::kGpu;
    if (form.Take("sys")) scope = Strength::kSys;
  } else {
    if (!form.Take("sc")) form.Take("acq_rel");
    scope = TakeScope(form);
  }
  if (!scope) return form.Error("expected a scope");
  form.op.memory.strength = *scope;
  return form.Run(
      [](Warp& warp, const Op& op, uint32_t mask) {
        if (!warp.machine->races()) return;
        ForLanes(mask, [&](int lane) {
          warp.machine->detector().Fence(warp.machine->AccessorOf(warp, op, lane),
                                         op.memory.strength);
        });
      },
      OpClass::kFence);
}

}  // namespace astitch::simt
