// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// mov with packing, and conversions of addresses.
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"
#include "simt/machine/block.h"
#include "simt/machine/machine.h"
#include "simt/memory/region.h"

namespace astitch::simt {
namespace {

void Copy(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t flip = op.negated & 1;
  ForOwnLanes(mask, [&](int lane) { d[lane] = a[lane] ^ flip; });
}

// op.imm: the bits of an element.
void Pack(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t keep = (uint64_t{1} << op.imm) - 1;
  ForLanes(mask, [&](int lane) {
    uint64_t out = 0;
    for (int i = 0; i < op.num_src; ++i) {
      out |= (warp.Source(op.src[i])[lane] & keep) << (op.imm * i);
    }
    warp.Dest(op.dst[0])[lane] = out;
  });
}

void Unpack(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t keep = (uint64_t{1} << op.imm) - 1;
  ForLanes(mask, [&](int lane) {
    const uint64_t value = warp.Source(op.src[0])[lane];
    for (int i = 0; i < op.num_dst; ++i) {
      warp.Dest(op.dst[i])[lane] = value >> (op.imm * i) & keep;
    }
  });
}

absl::StatusOr<Type> ElementType(const Form& form, Type type, size_t count) {
  const int bits = count == 0 ? 0 : TypeBits(type) / static_cast<int>(count);
  if (count != 2 && count != 4) return form.Error("expected 2 or 4 elements");
  if (bits == 8) return Type::kB8;
  if (bits == 16) return Type::kB16;
  if (bits == 32) return Type::kB32;
  return form.Error("elements that do not fill the type");
}

absl::Status DecodePack(Form& form, Type type) {
  const bool pack = form.operand(1).kind == Operand::Kind::kVector;
  const Operand& vector = form.operand(pack ? 1 : 0);
  ASTITCH_ASSIGN_OR_RETURN(const Type element, ElementType(form, type, vector.elements.size()));
  form.op.imm = TypeBits(element);
  // Bytes travel in registers of 16 bits.
  const bool wider = element == Type::kB8;
  if (pack) {
    ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
    for (const Operand& e : vector.elements) {
      ASTITCH_RETURN_IF_ERROR(form.AddSrc(e, element, wider));
    }
    return form.Run(Pack, OpClass::kMove);
  }
  for (const Operand& e : vector.elements) ASTITCH_RETURN_IF_ERROR(form.AddDst(e, element, wider));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  return form.Run(Unpack, OpClass::kMove);
}

}  // namespace

absl::Status DecodeMove(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  if (form.operand(0).kind == Operand::Kind::kVector ||
      form.operand(1).kind == Operand::Kind::kVector) {
    return DecodePack(form, type);
  }
  if (TypeBits(type) == 8) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  return form.Run(Copy, OpClass::kMove);
}

namespace {

uint64_t TagOf(Space space) {
  switch (space) {
    case Space::kGlobal:
    case Space::kGeneric:
      return 0;
    case Space::kShared:
    case Space::kSharedCluster:
      return kSharedTag;
    case Space::kLocal:
      return kLocalTag;
    case Space::kParam:
      return kParamTag;
    case Space::kConst:
      return kConstTag;
  }
  return 0;
}

std::optional<Space> TakeSpace(Form& form) {
  if (form.Take("global")) return Space::kGlobal;
  if (form.Take("shared") || form.Take("shared::cta")) return Space::kShared;
  if (form.Take("shared::cluster")) return Space::kSharedCluster;
  if (form.Take("local")) return Space::kLocal;
  if (form.Take("param") || form.Take("param::entry")) return Space::kParam;
  if (form.Take("const")) return Space::kConst;
  return std::nullopt;
}

// op.imm: the tag. Null pointers are no address of any space and stay as they are for global only.
void ToGeneric(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) { d[lane] = Tagged(static_cast<uint64_t>(op.imm), a[lane]); });
}

void FromGeneric(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    if (a[lane] >> kSpaceShift != static_cast<uint64_t>(op.imm)) {
      warp.machine->ReportAt(ReportKind::kUndefined, warp, op, lane, 0, [&] {
        return absl::StrCat("generic address 0x", absl::Hex(a[lane]), " is of another space");
      });
    }
    d[lane] = a[lane] & ((uint64_t{1} << kSpaceShift) - 1);
  });
}

void IsSpace(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    const bool tag = a[lane] >> kSpaceShift == static_cast<uint64_t>(op.imm);
    const uint64_t rank = a[lane] >> kRankShift & 255;
    // A block's own window counts as its own only when it is not reached through the cluster.
    d[lane] = tag && (!op.saturate || rank == 0 || rank == warp.block->rank + 1);
  });
}

// The address of the same variable in block b of the cluster.
void MapAddress(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t offset_mask = (uint64_t{1} << kRankShift) - 1;
  ForLanes(mask, [&](int lane) {
    const uint64_t rank = b[lane] & 0xFFFFFFFF;
    if (rank >= static_cast<uint64_t>(warp.machine->cluster_blocks())) {
      warp.machine->ReportAt(ReportKind::kOutOfBounds, warp, op, lane, 0, [&] {
        return absl::StrCat("block ", rank, " of a cluster of ", warp.machine->cluster_blocks());
      });
    }
    const uint64_t tag = a[lane] & ~((uint64_t{1} << 32) - 1);
    d[lane] = tag | ((rank + 1) & 255) << kRankShift | (a[lane] & offset_mask);
  });
}

void RankOfAddress(Warp& warp, const Op& op, uint32_t mask) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const a = warp.Source(op.src[0]);
  ForLanes(mask, [&](int lane) {
    const uint64_t rank = a[lane] >> kRankShift & 255;
    d[lane] = rank == 0 ? warp.block->rank : rank - 1;
  });
}

}  // namespace

absl::Status DecodeAddressConvert(Form& form) {
  const bool to = form.Take("to");
  const std::optional<Space> space = TakeSpace(form);
  if (!space) return form.Error("expected a state space");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != Type::kU64) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(type, type));
  form.op.imm = static_cast<int64_t>(TagOf(*space));
  return form.Run(to ? FromGeneric : ToGeneric, OpClass::kInteger);
}

absl::Status DecodeIsSpace(Form& form) {
  const std::optional<Space> space = TakeSpace(form);
  if (!space) return form.Error("expected a state space");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  ASTITCH_RETURN_IF_ERROR(form.AddAll(Type::kPred, Type::kB64));
  form.op.imm = static_cast<int64_t>(TagOf(*space));
  form.op.saturate = *space == Space::kShared;
  return form.Run(IsSpace, OpClass::kInteger);
}

absl::Status DecodeMapa(Form& form) {
  const bool map = form.instruction.opcode == "mapa";
  form.Take("shared::cluster");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != Type::kU32 && type != Type::kU64) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(map ? 3 : 2));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), map ? type : Type::kU32));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  if (map) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kU32));
  }
  return form.Run(map ? MapAddress : RankOfAddress, OpClass::kInteger);
}

}  // namespace astitch::simt
