// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// shfl, vote, match, redux, elect and bar.warp.sync: lanes of a warp that act together.
//
// A .sync collective waits until every live lane of its mask is at the same instruction with the
// same mask. A lane that names others but not itself is reported, and so is a shuffle that reads a
// lane which takes no part.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/lanes.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

// Where in op.src the mask of a collective stands: last.
uint32_t MemberMask(const Warp& warp, const Op& op, int lane) {
  return static_cast<uint32_t>(warp.Source(op.src[op.num_src - 1])[lane]);
}

void Wake(Warp& warp, uint32_t lanes) {
  warp.waiting &= ~lanes;
  ForLanes(lanes, [&](int lane) {
    warp.wait[lane] = Wait::kNone;
    ++warp.pc[lane];
  });
}

// Each complete set of lanes at PC runs and goes on.
void Settle(Warp& warp, int32_t pc) {
  const Op& op = warp.machine->program().code[pc];
  uint32_t here = 0;
  ForLanes(warp.waiting & warp.live, [&](int lane) {
    if (warp.wait[lane] == Wait::kCollective && warp.pc[lane] == pc) here |= 1u << lane;
  });
  while (here != 0) {
    const uint32_t members = warp.member_mask[std::countr_zero(here)];
    uint32_t same = 0;
    ForLanes(here, [&](int lane) {
      if (warp.member_mask[lane] == members) same |= 1u << lane;
    });
    here &= ~same;
    if ((members & warp.live & ~same) != 0) continue;
    op.inner(warp, op, same);
    Wake(warp, same);
  }
}

// Lanes of ACTIVE arrive and wait for the others of their masks.
void Meet(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  if (active == 0) return;
  ForLanes(active, [&](int lane) {
    const uint32_t members = MemberMask(warp, op, lane);
    warp.member_mask[lane] = members;
    warp.wait[lane] = Wait::kCollective;
    if ((members >> lane & 1) != 0) return;
    warp.machine->ReportAt(ReportKind::kCollective, warp, op, lane, 0, [&] {
      return absl::StrCat("lane ", lane, " is not in its own member mask 0x", absl::Hex(members));
    });
  });
  warp.waiting |= active;
  Settle(warp, warp.pc[std::countr_zero(active)]);
}

// Flow, with INNER for the lanes that met.
absl::Status Collective(Form& form, ExecFn inner, OpClass op_class = OpClass::kCollective) {
  if (inner == nullptr) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.Flow(Meet, op_class));
  form.op.inner = inner;
  form.op.meets = true;
  return absl::OkStatus();
}

enum class ShuffleMode : uint8_t { kUp, kDown, kBfly, kIdx };

// The lane that lane OWN reads, and whether it is in range.
template <ShuffleMode kMode>
int32_t SourceLane(int32_t own, uint64_t b, uint64_t c, bool& in_range) {
  const auto by = static_cast<int32_t>(b & 31);
  const auto segment = static_cast<int32_t>(c >> 8 & 31), clamp = static_cast<int32_t>(c & 31);
  const int32_t most = (own & segment) | (clamp & ~segment);
  const int32_t from = kMode == ShuffleMode::kUp     ? own - by
                       : kMode == ShuffleMode::kDown ? own + by
                       : kMode == ShuffleMode::kBfly ? own ^ by
                                                     : (own & segment) | (by & ~segment);
  in_range = kMode == ShuffleMode::kUp ? from >= most : from <= most;
  return in_range ? from & 31 : own;
}

// src: value, b, c, mask; dst: value and perhaps whether the source lane was in range.
template <ShuffleMode kMode>
void Shuffle(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t* const b = warp.Source(op.src[1]);
  const uint64_t* const c = warp.Source(op.src[2]);
  uint64_t out[32];
  int32_t from[32];
  bool in_range[32];
  uint32_t asked = 0;
  ForLanes(mask, [&](int lane) {
    from[lane] = SourceLane<kMode>(lane, b[lane], c[lane], in_range[lane]);
    out[lane] = a[from[lane]];
    asked |= 1u << from[lane];
  });
  ForLanes((asked & ~mask) != 0 ? mask : 0, [&](int lane) {
    if ((mask >> from[lane] & 1) != 0) return;
    warp.machine->ReportAt(ReportKind::kCollective, warp, op, lane, 0, [&] {
      return absl::StrCat("lane ", lane, " reads lane ", from[lane],
                          ", which does not take part (0x", absl::Hex(mask), " do)");
    });
  });
  uint64_t* const d = warp.Dest(op.dst[0]);
  ForLanes(mask, [&](int lane) { d[lane] = out[lane]; });
  if (op.num_dst < 2) return;
  uint64_t* const p = warp.Dest(op.dst[1]);
  ForLanes(mask, [&](int lane) { p[lane] = in_range[lane]; });
}

void WarpBarrier(Warp& warp, const Op& op, uint32_t mask) {
  ++warp.machine->stage(op).warp_barriers;
  if (!warp.machine->races()) return;
  std::vector<Accessor> group;
  ForLanes(mask, [&](int lane) { group.push_back(warp.machine->AccessorOf(warp, op, lane)); });
  warp.machine->detector().JoinGroup(group);
}

enum class VoteMode : uint8_t { kAll, kAny, kUniform, kBallot };

void Vote(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const a = warp.Source(op.src[0]);
  const uint64_t flip = op.negated & 1;
  uint32_t ballot = 0;
  ForLanes(mask, [&](int lane) { ballot |= static_cast<uint32_t>((a[lane] ^ flip) & 1) << lane; });
  const uint32_t results[] = {ballot == mask, ballot != 0, ballot == mask || ballot == 0, ballot};
  ForLanes(mask, [&](int lane) { warp.Dest(op.dst[0])[lane] = results[op.mode]; });
}

// op.mode: all; op.type: the width.
void Match(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t keep = op.type == Type::kB64 ? ~uint64_t{0} : 0xFFFFFFFF;
  const uint64_t* const a = warp.Source(op.src[0]);
  uint32_t same[32];
  bool all = true;
  ForLanes(mask, [&](int lane) {
    same[lane] = 0;
    ForLanes(mask, [&](int other) {
      same[lane] |= static_cast<uint32_t>((a[lane] & keep) == (a[other] & keep)) << other;
    });
    all &= same[lane] == mask;
  });
  ForLanes(mask, [&](int lane) {
    warp.Dest(op.dst[0])[lane] = op.mode == 0 ? same[lane] : all ? mask : 0;
    if (op.num_dst > 1) warp.Dest(op.dst[1])[lane] = all;
  });
}

enum class ReduxMode : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };

template <typename T>
void Redux(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const a = warp.Source(op.src[0]);
  T out = As<T>(a[std::countr_zero(mask)]);
  ForLanes(mask & (mask - 1), [&](int lane) {
    const T v = As<T>(a[lane]);
    switch (static_cast<ReduxMode>(op.mode)) {
      case ReduxMode::kAdd:
        out = static_cast<T>(static_cast<uint32_t>(out) + static_cast<uint32_t>(v));
        break;
      case ReduxMode::kMin:
        out = std::min(out, v);
        break;
      case ReduxMode::kMax:
        out = std::max(out, v);
        break;
      case ReduxMode::kAnd:
        out &= v;
        break;
      case ReduxMode::kOr:
        out |= v;
        break;
      case ReduxMode::kXor:
        out ^= v;
        break;
    }
  });
  ForLanes(mask, [&](int lane) { warp.Dest(op.dst[0])[lane] = Bits(out); });
}

void Elect(Warp& warp, const Op& op, uint32_t mask) {
  const int leader = std::countr_zero(mask);
  ForLanes(mask, [&](int lane) {
    warp.Dest(op.dst[0])[lane] = leader;
    warp.Dest(op.dst[1])[lane] = lane == leader;
  });
}

// Takes one of NAMES into op.mode.
bool TakeMode(Form& form, std::initializer_list<absl::string_view> names) {
  uint8_t i = 0;
  for (const absl::string_view name : names) {
    if (form.Take(name)) {
      form.op.mode = i;
      return true;
    }
    ++i;
  }
  return false;
}

absl::Status AddOneOrTwo(Form& form, Type first) {
  const Operand& to = form.operand(0);
  if (to.kind != Operand::Kind::kPair) return form.AddDst(to, first);
  ASTITCH_RETURN_IF_ERROR(form.AddDst(to.elements[0], first));
  return form.AddDst(to.elements[1], Type::kPred);
}

}  // namespace

void SettleCollectives(Warp& warp) {
  const uint32_t before = warp.waiting;
  ForLanes(before, [&](int lane) {
    if ((warp.waiting >> lane & 1) != 0 && warp.wait[lane] == Wait::kCollective) {
      Settle(warp, warp.pc[lane]);
    }
  });
}

absl::Status DecodeShuffle(Form& form) {
  if (!form.Take("sync")) return form.Error("expected .sync");
  if (!TakeMode(form, {"up", "down", "bfly", "idx"})) return form.Error("expected a mode");
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != Type::kB32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(5));
  ASTITCH_RETURN_IF_ERROR(AddOneOrTwo(form, type));
  for (int i = 1; i <= 4; ++i) ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(i), Type::kB32));
  constexpr ExecFn kByMode[] = {Shuffle<ShuffleMode::kUp>, Shuffle<ShuffleMode::kDown>,
                                Shuffle<ShuffleMode::kBfly>, Shuffle<ShuffleMode::kIdx>};
  return Collective(form, kByMode[form.op.mode]);
}

absl::Status DecodeVote(Form& form) {
  if (!form.Take("sync")) return form.Error("expected .sync");
  if (!TakeMode(form, {"all", "any", "uni", "ballot"})) return form.Error("expected a mode");
  const bool ballot = form.op.mode == static_cast<uint8_t>(VoteMode::kBallot);
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != (ballot ? Type::kB32 : Type::kPred)) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  ASTITCH_RETURN_IF_ERROR(form.AddPredicate(form.operand(1)));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kB32));
  return Collective(form, Vote);
}

absl::Status DecodeMatch(Form& form) {
  if (!TakeMode(form, {"any", "all"})) return form.Error("expected .any or .all");
  if (!form.Take("sync")) return form.Error("expected .sync");
  ASTITCH_RETURN_IF_ERROR(form.NeedType(form.op.type));
  if (form.op.type != Type::kB32 && form.op.type != Type::kB64) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(AddOneOrTwo(form, Type::kB32));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), form.op.type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kB32));
  return Collective(form, Match);
}

absl::Status DecodeRedux(Form& form) {
  if (!form.Take("sync")) return form.Error("expected .sync");
  if (!TakeMode(form, {"add", "min", "max", "and", "or", "xor"})) {
    return form.Error("expected an operation");
  }
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  const bool logic = form.op.mode >= static_cast<uint8_t>(ReduxMode::kAnd);
  if (logic != (type == Type::kB32)) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), type));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kB32));
  const bool is_unsigned = type == Type::kU32 || type == Type::kB32;
  return Collective(form, is_unsigned          ? Redux<uint32_t>
                          : type == Type::kS32 ? Redux<int32_t>
                                               : nullptr);
}

absl::Status DecodeElect(Form& form) {
  if (!form.Take("sync")) return form.Error("expected .sync");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  if (form.operand(0).kind != Operand::Kind::kPair) return form.Error("expected d|p");
  ASTITCH_RETURN_IF_ERROR(AddOneOrTwo(form, Type::kB32));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), Type::kB32));
  return Collective(form, Elect);
}

absl::Status DecodeActiveMask(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != Type::kB32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
  return form.Run(
      [](Warp& warp, const Op& op, uint32_t mask) {
        ForLanes(mask, [&](int lane) { warp.Dest(op.dst[0])[lane] = mask; });
      },
      OpClass::kCollective);
}

// bar.warp.sync; the rest of bar is in barrier.cc.
absl::Status DecodeWarpBarrier(Form& form) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(0), Type::kB32));
  return Collective(form, WarpBarrier, OpClass::kBarrier);
}

}  // namespace astitch::simt
