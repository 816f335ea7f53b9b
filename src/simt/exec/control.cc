// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// exit, trap, nanosleep.
#include "simt/exec/control.h"

#include <bit>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

void Exit(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  if (active == 0) return;
  warp.machine->Exit(warp, op, active);
  SettleCollectives(warp);
  // Lanes that waited at a barrier for those that are gone.
  const uint32_t rest = warp.live;
  if (rest == 0) return;
  const int first = std::countr_zero(rest);
  const int32_t pc = warp.pc[first];
  bool all = true;
  ForLanes(rest,
           [&](int lane) { all &= warp.wait[lane] == Wait::kDivergent && warp.pc[lane] == pc; });
  if (!all) return;
  const Op& barrier = warp.machine->program().code[pc];
  barrier.flow(warp, barrier, rest, rest);
}

void Trap(Warp& warp, const Op& op, uint32_t mask) {
  warp.machine->ReportAt(ReportKind::kTrap, warp, op, std::countr_zero(mask), 0,
                         [] { return std::string("the kernel stops itself"); });
  warp.machine->Stop();
}

// Others run meanwhile.
void Sleep(Warp& warp, const Op&, uint32_t) { warp.yield = true; }

void Branch(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  ForLanes(active, [&](int lane) { warp.pc[lane] = static_cast<int32_t>(op.imm); });
}

void BranchIndexed(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  const std::vector<int32_t>& table = warp.machine->program().tables[op.imm];
  const uint64_t* const index = warp.Source(op.src[0]);
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  ForLanes(active, [&](int lane) {
    const uint64_t i = index[lane] & 0xFFFFFFFF;
    if (i < table.size()) {
      warp.pc[lane] = table[i];
      return;
    }
    warp.machine->ReportAt(ReportKind::kUndefined, warp, op, lane, 0,
                           [] { return std::string("an index past the branch table"); });
    ++warp.pc[lane];
  });
}

// src 0: where each lane came from.
void Return(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  const uint64_t* const back = warp.Source(op.src[0]);
  ForLanes(group & ~active, [&](int lane) { ++warp.pc[lane]; });
  ForLanes(active, [&](int lane) { warp.pc[lane] = static_cast<int32_t>(back[lane]); });
}

void Call(Warp& warp, const Op& op, uint32_t group, uint32_t active) {
  uint64_t* const back = warp.Dest(op.dst[0]);
  ForLanes(active, [&](int lane) { back[lane] = static_cast<uint64_t>(warp.pc[lane]) + 1; });
  Branch(warp, op, group, active);
}

// Copies op.imm bytes of local memory, from src 0 to src 1.
void CopyParameter(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t from = warp.Source(op.src[0])[0], to = warp.Source(op.src[1])[0];
  const int64_t stride = warp.machine->program().local_bytes;
  ForLanes(mask, [&](int lane) {
    uint8_t* const bytes = warp.local.data() + lane * stride;
    uint8_t* const valid = warp.local_valid.data() + lane * stride;
    std::memcpy(bytes + to, bytes + from, op.imm);
    std::memcpy(valid + to, valid + from, op.imm);
  });
}

void ReadDynamic(Warp& warp, const Op& op, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    warp.Dest(op.dst[0])[lane] =
        warp.machine->ReadSpecial(warp, lane, static_cast<Special>(op.mode));
  });
}

}  // namespace

Op MakeBranch() {
  Op op;
  op.flow = Branch;
  op.branch = true;
  op.op_class = OpClass::kControl;
  return op;
}
Op MakeBranchIndexed() {
  Op op;
  op.flow = BranchIndexed;
  op.op_class = OpClass::kControl;
  return op;
}
Op MakeReturn(int32_t back) {
  Op op;
  op.flow = Return;
  op.src[0] = back;
  op.num_src = 1;
  op.op_class = OpClass::kControl;
  return op;
}
Op MakeCall(int32_t back) {
  Op op;
  op.flow = Call;
  op.dst[0] = back;
  op.num_dst = 1;
  op.op_class = OpClass::kControl;
  return op;
}
Op MakeExit() {
  Op op;
  op.flow = Exit;
  op.op_class = OpClass::kControl;
  return op;
}
Op MakeCopyParameter(int32_t from, int32_t to, int64_t bytes) {
  Op op;
  op.run = CopyParameter;
  op.src[0] = from;
  op.src[1] = to;
  op.num_src = 2;
  op.imm = bytes;
  op.op_class = OpClass::kMove;
  return op;
}
Op MakeReadDynamic(int32_t reg, Special special) {
  Op op;
  op.run = ReadDynamic;
  op.dst[0] = reg;
  op.num_dst = 1;
  op.mode = static_cast<uint8_t>(special);
  op.op_class = OpClass::kMove;
  return op;
}

absl::Status DecodeExit(Form& form) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(0));
  return form.Flow(Exit, OpClass::kControl);
}

absl::Status DecodeTrap(Form& form) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(0));
  return form.Run(Trap, OpClass::kControl);
}

absl::Status DecodeNanosleep(Form& form) {
  Type type;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  if (type != Type::kU32) return form.Error("no such form");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(0), type));
  return form.Run(Sleep, OpClass::kControl);
}

}  // namespace astitch::simt
