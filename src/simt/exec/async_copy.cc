// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// cp.async: the bytes arrive when the thread waits for them and not before, so that a missing wait
// shows as a read of unwritten memory.
#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/memory_form.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

// src: to, from, the offset of from, size; op.imm is the offset of to.
void Issue(Warp& warp, const Op& op, uint32_t mask) {
  const uint64_t* const to = warp.Source(op.src[0]);
  const uint64_t* const from = warp.Source(op.src[1]);
  const uint64_t* const offset = warp.Source(op.src[2]);
  const uint64_t* const size = op.num_src > 3 ? warp.Source(op.src[3]) : nullptr;
  ForLanes(mask, [&](int lane) {
    uint64_t copied = op.memory.width;
    if (size != nullptr) copied = std::min<uint64_t>(size[lane] & 0xFFFFFFFF, copied);
    warp.pending.push_back({&op, lane, to[lane] + op.imm, from[lane] + offset[lane],
                            static_cast<int>(copied), warp.copy_group[lane]});
  });
}

void Complete(Warp& warp, const PendingCopy& copy) {
  Machine& machine = *warp.machine;
  const Op& op = *copy.op;
  const int bytes = op.memory.width;
  // The source is in global memory, the target in shared memory; Locate asks the instruction.
  Op source = op;
  source.memory.space = Space::kGlobal;
  source.memory.narrow_address = false;
  const Place in = machine.Locate(warp, source, copy.lane, copy.from, bytes);
  const Place out = machine.Locate(warp, op, copy.lane, copy.to, bytes);
  if (in.region == nullptr || out.region == nullptr) return;
  uint8_t data[16] = {};
  if (copy.copied > 0) {
    machine.Loaded(warp, op, copy.lane, in, bytes);
    std::memcpy(data, in.region->bytes + in.offset, copy.copied);
    Region* regions[32];
    int64_t offsets[32];
    regions[copy.lane] = in.region;
    offsets[copy.lane] = in.offset;
    machine.CountAccess(op, 1u << copy.lane, regions, offsets, bytes, false);
  }
  if (!machine.Stored(warp, op, copy.lane, out, bytes)) return;
  std::memcpy(out.region->bytes + out.offset, data, bytes);
}

void Commit(Warp& warp, const Op&, uint32_t mask) {
  ForLanes(mask, [&](int lane) { ++warp.copy_group[lane]; });
}

// op.imm: how many of the latest groups may stay open; below 0: none, committed or not.
void WaitFor(Warp& warp, const Op& op, uint32_t mask) {
  std::vector<PendingCopy> rest;
  for (const PendingCopy& copy : warp.pending) {
    const uint32_t committed = warp.copy_group[copy.lane];
    const bool due = op.imm < 0 || (copy.group < committed &&
                                    committed - copy.group > static_cast<uint64_t>(op.imm));
    if ((mask >> copy.lane & 1) != 0 && due) {
      Complete(warp, copy);
    } else {
      rest.push_back(copy);
    }
  }
  warp.pending = std::move(rest);
}

absl::Status DecodeWait(Form& form, bool all) {
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(all ? 0 : 1));
  form.op.imm = -1;
  if (!all) {
    if (form.operand(0).kind != Operand::Kind::kInteger) return form.Error("expected a number");
    form.op.imm = static_cast<int64_t>(form.operand(0).value);
  }
  return form.Run(WaitFor, OpClass::kOtherMemory);
}

}  // namespace

absl::Status DecodeAsyncCopy(Form& form) {
  if (!form.Take("async")) return form.Error("no such form");
  if (form.Take("bulk")) return DecodeBulkCopy(form);
  if (form.Take("commit_group")) {
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(0));
    return form.Run(Commit, OpClass::kOtherMemory);
  }
  if (form.Take("wait_group")) return DecodeWait(form, false);
  if (form.Take("wait_all")) return DecodeWait(form, true);
  const bool global_only = form.Take("cg");
  if (!global_only && !form.Take("ca")) return form.Error("expected .ca or .cg");
  TakeCacheHints(form);
  if ((!form.Take("shared") && !form.Take("shared::cta")) || !form.Take("global")) {
    return form.Error("expected .shared.global");
  }
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3, 4));
  const Operand& size = form.operand(2);
  const uint64_t bytes = size.kind == Operand::Kind::kInteger ? size.value : 0;
  if (bytes != 16 && (global_only || (bytes != 4 && bytes != 8))) {
    return form.Error("expected a copy of 4, 8 or 16 bytes (.cg: 16)");
  }
  ASTITCH_RETURN_IF_ERROR(form.AddAddress(form.operand(1)));
  const int32_t from = form.op.src[0];
  const int64_t offset = form.op.imm;
  form.op.num_src = 0;
  ASTITCH_RETURN_IF_ERROR(form.AddAddress(form.operand(0)));
  form.op.src[1] = from;
  form.op.src[2] = form.resolver.Constant(static_cast<uint64_t>(offset));
  form.op.num_src = 3;
  if (form.num_operands() == 4) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(3), Type::kU32));
  }
  form.op.memory.space = Space::kShared;
  form.op.memory.width = static_cast<uint8_t>(bytes);
  return form.Run(Issue, OpClass::kGlobalLoad);
}

}  // namespace astitch::simt
