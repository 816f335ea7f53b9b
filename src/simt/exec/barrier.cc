// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// bar and barrier: of the block and of the cluster.
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

// op.mode of bar.red: which of the barrier's results is wanted.
enum class Reduction : uint8_t { kPopc, kAnd, kOr };

// op.src: number, then the count (if op.imm says so), then the predicate of bar.red.
constexpr int64_t kHasCount = 1, kReduces = 2, kAligned = 4;

int BarrierNumber(Warp& warp, const Op& op, int lane) {
  const uint64_t number = warp.Source(op.src[0])[lane] & 0xFFFFFFFF;
  if (number < 16) return static_cast<int>(number);
  warp.machine->ReportAt(ReportKind::kOutOfBounds, warp, op, lane, 0,
                         [&] { return absl::StrCat("barrier ", number, " of 16"); });
  return 0;
}

int32_t BarrierCount(Warp& warp, const Op& op, int lane) {
  if ((op.imm & kHasCount) == 0) return 0;
  const uint64_t count = warp.Source(op.src[1])[lane] & 0xFFFFFFFF;
  if (count % 32 != 0) {
    warp.machine->ReportAt(ReportKind::kUndefined, warp, op, lane, 0, [&] {
      return absl::StrCat(count, " threads at a barrier are not whole warps");
    });
  }
  return static_cast<int32_t>(count);
}

std::optional<uint32_t> Votes(const Warp& warp, const Op& op, uint32_t mask) {
  if ((op.imm & kReduces) == 0) return std::nullopt;
  const int which = op.num_src - 1;
  const uint64_t* const p = warp.Source(op.src[which]);
  const uint64_t flip = op.negated >> which & 1;
  uint32_t out = 0;
  ForLanes(mask, [&](int lane) { out |= static_cast<uint32_t>((p[lane] ^ flip) & 1) << lane; });
  return out;
}

void Arrive(Warp& warp, const Op& op, uint32_t lanes, bool wait) {
  const int first = std::countr_zero(lanes);
  ForLanes(lanes, [&](int lane) { warp.wait[lane] = Wait::kNone; });
  warp.waiting &= ~lanes;
  warp.machine->ArriveAtBarrier(warp, op, lanes, BarrierNumber(warp, op, first),
                                BarrierCount(warp, op, first), wait, Votes(warp, op, lanes));
}

// An aligned barrier is for whole warps: the lanes wait until those that live are all there.
void Synchronize(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  if (active == 0) return;
  if ((op.imm & kAligned) == 0) {
    Arrive(warp, op, active, true);
    return;
  }
  if (active == warp.live && warp.runnable() == warp.live) {
    Arrive(warp, op, active, true);
    return;
  }
  const int32_t pc = warp.pc[std::countr_zero(active)];
  ForLanes(active, [&](int lane) { warp.wait[lane] = Wait::kDivergent; });
  warp.waiting |= active;
  uint32_t here = 0;
  ForLanes(warp.live & warp.waiting, [&](int lane) {
    if (warp.wait[lane] == Wait::kDivergent && warp.pc[lane] == pc) here |= 1u << lane;
  });
  if (here == warp.live) Arrive(warp, op, here, true);
}

void ArriveOnly(Warp& warp, const Op& op, uint32_t mask) {
  const int first = std::countr_zero(mask);
  warp.machine->ArriveAtBarrier(warp, op, mask, BarrierNumber(warp, op, first),
                                BarrierCount(warp, op, first), false, std::nullopt);
}

absl::Status DecodeBlockBarrier(Form& form, bool aligned) {
  if (form.Take("arrive")) {
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
    form.op.imm = kHasCount;
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(0), Type::kU32));
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), Type::kU32));
    return form.Run(ArriveOnly, OpClass::kBarrier);
  }
  form.op.imm = aligned ? kAligned : 0;
  size_t first = 0, sources = form.num_operands();
  if (form.Take("red")) {
    form.op.imm |= kReduces;
    Type type;
    ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
    const bool popc = form.Take("popc"), all = form.Take("and"), any = form.Take("or");
    if (popc + all + any != 1 || type != (popc ? Type::kU32 : Type::kPred)) {
      return form.Error("no such form");
    }
    form.op.mode = static_cast<uint8_t>(popc  ? Reduction::kPopc
                                        : all ? Reduction::kAnd
                                              : Reduction::kOr);
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3, 4));
    ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), type));
    first = 1;
    --sources;
  } else if (!form.Take("sync")) {
    return form.Error("expected .sync, .arrive or .red");
  }
  const size_t numbers = sources - ((form.op.imm & kReduces) != 0 ? 1 : 0);
  if (numbers < 1 || numbers > 2) return form.Error("expected a barrier and perhaps a count");
  if (numbers == 2) form.op.imm |= kHasCount;
  for (size_t i = 0; i < numbers; ++i) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(first + i), Type::kU32));
  }
  if ((form.op.imm & kReduces) != 0) {
    ASTITCH_RETURN_IF_ERROR(form.AddPredicate(form.operand(first + numbers)));
  }
  return form.Flow(Synchronize, OpClass::kBarrier);
}

// op.mode: it releases or acquires.
void ClusterArrive(Warp& warp, const Op& op, uint32_t mask) {
  warp.machine->ClusterArrive(warp, op, mask, op.mode != 0);
}

void ClusterWait(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  uint32_t pass = 0;
  ForLanes(active, [&](int lane) {
    if (warp.machine->ClusterMayPass(warp, lane)) pass |= 1u << lane;
  });
  const uint32_t stay = active & ~pass;
  ForLanes(stay, [&](int lane) { warp.wait[lane] = Wait::kCluster; });
  warp.waiting |= stay;
  if (pass == 0) return;
  warp.machine->ClusterPass(warp, op, pass, op.mode != 0);
  ForLanes(pass, [&](int lane) { ++warp.pc[lane]; });
}

absl::Status DecodeClusterBarrier(Form& form) {
  form.Take("aligned");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(0));
  if (form.Take("arrive")) {
    form.op.mode = !form.Take("relaxed");
    form.Take("release");
    return form.Run(ClusterArrive, OpClass::kBarrier);
  }
  if (!form.Take("wait")) return form.Error("expected .arrive or .wait");
  form.Take("acquire");
  form.op.mode = 1;
  return form.Flow(ClusterWait, OpClass::kBarrier);
}

}  // namespace

absl::Status DecodeBarrier(Form& form) {
  const bool bar = form.instruction.opcode == "bar";
  if (bar && form.Take("warp")) {
    if (!form.Take("sync")) return form.Error("expected .sync");
    return DecodeWarpBarrier(form);
  }
  if (!bar && form.Take("cluster")) return DecodeClusterBarrier(form);
  form.Take("cta");
  return DecodeBlockBarrier(form, form.Take("aligned") || bar);
}

}  // namespace astitch::simt
