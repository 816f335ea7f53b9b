// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// mbarrier and cp.async.bulk: barriers that live in shared memory and count threads and bytes, and
// copies that report to one.
//
//   mbarrier.init [m], 1                           state, in the 8 bytes at m:
//   mbarrier.arrive.expect_tx _, [m], 4096           arrivals pending | expected | bytes | phase
//   cp.async.bulk...complete_tx::bytes [s], [g], 4096, [m]
//   mbarrier.try_wait.parity p, [m], 0             the phase ends when no arrival and no byte is due
//
// A copy's bytes arrive when somebody asks its barrier and not before, so that a missing wait shows
// as a read of unwritten memory or of what was there. They count as written by the thread that
// issued the copy, as it was then: order comes to others through the barrier alone.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/exec/families.h"
#include "simt/exec/memory_form.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

constexpr int kBarrierBytes = 8;
constexpr int kPieceBytes = 16;  // bulk copies are whole ones
constexpr int64_t kMostArrivals = (1 << 20) - 1, kMostBytes = (1 << 20) - 1;

// Which instruction: op.mode.
enum class Kind : uint8_t { kInit, kInval, kArrive, kExpect, kArriveExpect, kWait };

struct State {
  int64_t pending, expected, bytes;
  uint64_t phase;
};

State Unpack(uint64_t word) {
  return {static_cast<int64_t>(word & 0xFFFFF), static_cast<int64_t>(word >> 20 & 0xFFFFF),
          static_cast<int64_t>(word >> 40 & 0x3FFFFF) - (1 << 21), word >> 63};
}

uint64_t Pack(const State& state) {
  return static_cast<uint64_t>(state.pending) | static_cast<uint64_t>(state.expected) << 20 |
         static_cast<uint64_t>(state.bytes + (1 << 21)) << 40 | state.phase << 63;
}

State Load(const Place& place) {
  uint64_t word;
  std::memcpy(&word, place.region->bytes + place.offset, kBarrierBytes);
  return Unpack(word);
}

// Stores STATE; the last arrival and the last byte end the phase.
void Settle(Machine& machine, const Place& place, State state) {
  if (state.pending == 0 && state.bytes == 0) {
    state.phase ^= 1;
    state.pending = state.expected;
  }
  const uint64_t word = Pack(state);
  std::memcpy(place.region->bytes + place.offset, &word, kBarrierBytes);
  machine.Progress();
}

void Complain(Warp& warp, const Op& op, int lane, const char* what) {
  warp.machine->ReportAt(ReportKind::kUndefined, warp, op, lane, 0,
                         [&] { return std::string(what); });
}

Place BarrierOf(Warp& warp, const Op& op, int lane, uint64_t address) {
  return warp.machine->Locate(warp, op, lane, address, kBarrierBytes);
}

// The block whose shared memory PLACE is in.
Block& HomeOf(Warp& warp, const Place& place) {
  for (const auto& block : warp.block->cluster->blocks) {
    if (place.region == &block->shared_region) return *block;
  }
  return *warp.block;
}

void Begin(Warp& warp, const Op& op, int lane, const Place& place) {
  std::vector<MbarrierInit>& mbarriers = HomeOf(warp, place).mbarriers;
  std::erase_if(mbarriers, [&](const auto& known) { return known.offset == place.offset; });
  const Accessor me = warp.machine->AccessorOf(warp, op, lane);
  const Moment now = me.clock != nullptr ? me.clock->now : Moment{};
  mbarriers.push_back({place.offset, me.thread, now, me.pc});
}

const MbarrierInit* FindBegun(Warp& warp, const Place& place) {
  for (const MbarrierInit& known : HomeOf(warp, place).mbarriers) {
    if (known.offset == place.offset) return &known;
  }
  return nullptr;
}

// An mbarrier is used by whom its init happened before, whoever came first in this run.
void CheckBegun(Warp& warp, const Op& op, int lane, const Place& place) {
  Machine& machine = *warp.machine;
  const MbarrierInit* const init = FindBegun(warp, place);
  if (init == nullptr) return Complain(warp, op, lane, "no mbarrier was set up here");
  if (!machine.races()) return;
  if (machine.detector().HappenedBefore(init->thread, init->at, machine.AccessorOf(warp, op, lane)))
    return;
  const int32_t line = machine.program().code[init->pc].line;
  machine.ReportAt(ReportKind::kDataRace, warp, op, lane, line, [&] {
    return absl::StrCat("the use of an mbarrier at offset ", place.offset, " of ",
                        place.region->name, " is not ordered with its init at line ", line);
  });
}

// A copy counts bytes at an mbarrier that it has to see set up.
void CheckVisible(Warp& warp, const Op& op, int lane, const Place& place) {
  Machine& machine = *warp.machine;
  const MbarrierInit* const init = FindBegun(warp, place);
  if (!machine.races() || init == nullptr) return;
  const Accessor me = machine.AccessorOf(warp, op, lane);
  for (const Proxied what : {Proxied::kShared, Proxied::kMbarriers}) {
    if (machine.detector().Fenced(me, init->thread, init->at, what, warp.block->clocks)) return;
  }
  const int32_t line = machine.program().code[init->pc].line;
  machine.ReportAt(ReportKind::kDataRace, warp, op, lane, line, [&] {
    return absl::StrCat("no fence makes the mbarrier's init at line ", line,
                        " known to bulk copies");
  });
}

void Init(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    const uint64_t count = warp.Source(op.src[1])[lane] & 0xFFFFFFFF;
    const Place place = BarrierOf(warp, op, lane, warp.Source(op.src[0])[lane] + op.imm);
    if (place.region == nullptr || !machine.Stored(warp, op, lane, place, kBarrierBytes)) return;
    if (count == 0 || count > kMostArrivals) Complain(warp, op, lane, "a count of no mbarrier");
    const int64_t arrivals = static_cast<int64_t>(count & kMostArrivals);
    const uint64_t word = Pack({arrivals, arrivals, 0, 0});
    std::memcpy(place.region->bytes + place.offset, &word, kBarrierBytes);
    Begin(warp, op, lane, place);
  });
}

void Inval(Warp& warp, const Op& op, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    const Place place = BarrierOf(warp, op, lane, warp.Source(op.src[0])[lane] + op.imm);
    if (place.region == nullptr) return;
    CheckBegun(warp, op, lane, place);
    std::erase_if(HomeOf(warp, place).mbarriers,
                  [&](const auto& known) { return known.offset == place.offset; });
    warp.machine->Stored(warp, op, lane, place, kBarrierBytes);
    if (place.region->valid != nullptr)
      std::fill_n(place.region->valid + place.offset, kBarrierBytes, uint8_t{0});
  });
}

void Arrive(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  const Kind kind = static_cast<Kind>(op.mode);
  ForLanes(mask, [&](int lane) {
    const Place place = BarrierOf(warp, op, lane, warp.Source(op.src[0])[lane] + op.imm);
    if (place.region == nullptr) return;
    CheckBegun(warp, op, lane, place);
    if (!machine.Exchanged(warp, op, lane, place, kBarrierBytes, true)) return;
    State state = Load(place);
    const int64_t number =
        op.num_src > 1 ? static_cast<int64_t>(warp.Source(op.src[1])[lane] & 0xFFFFFFFF) : 1;
    if (op.num_dst > 0) warp.Dest(op.dst[0])[lane] = Pack(state);
    if (kind != Kind::kArrive) {
      state.bytes += number;
      if (state.bytes > kMostBytes) Complain(warp, op, lane, "more bytes than an mbarrier counts");
    }
    if (kind != Kind::kExpect) {
      const int64_t arrivals = kind == Kind::kArrive ? number : 1;
      if (arrivals > state.pending) {
        Complain(warp, op, lane, "more arrivals than the mbarrier expects");
        return;
      }
      state.pending -= arrivals;
    }
    Settle(machine, place, state);
  });
}

// The thread's clock is that of the moment of issue while its bytes are written.
class AtIssue {
 public:
  AtIssue(Machine& machine, BulkCopy& copy) : copy_(copy), races_(machine.races()) { Swap(); }
  ~AtIssue() { Swap(); }
  AtIssue(const AtIssue&) = delete;
  AtIssue& operator=(const AtIssue&) = delete;

 private:
  void Swap() {
    if (!races_) return;
    Warp& warp = *copy_.warp;
    std::swap(warp.block->clocks[warp.index * 32 + copy_.lane], copy_.clock);
  }
  BulkCopy& copy_;
  bool races_;
};

void Issue(Warp& warp, const Op& op, uint32_t mask);

// What threads did to the copy's memory has to be fenced off.
void CheckProxies(Warp& warp, const BulkCopy& copy, const Place& place, bool writes) {
  Machine& machine = *warp.machine;
  if (place.region->shadow == nullptr) return;
  const auto is_async = [&](uint32_t pc) { return machine.program().code[pc].run == Issue; };
  const auto conflict = machine.detector().OnAsync(
      *place.region->shadow, machine.AccessorOf(warp, *copy.op, copy.lane), place.offset,
      kPieceBytes, writes, writes ? Proxied::kShared : Proxied::kGlobal, warp.block->clocks,
      is_async);
  if (!conflict) return;
  const int32_t line = machine.program().code[conflict->other_pc].line;
  machine.ReportAt(ReportKind::kDataRace, warp, *copy.op, copy.lane, line, [&] {
    return absl::StrCat("no fence.proxy.async lies between the ",
                        conflict->other_wrote ? "write" : "read", " at line ", line,
                        " and the bulk copy at offset ", place.offset, " of ", place.region->name);
  });
}

void CopyPiece(Warp& warp, const BulkCopy& copy, const Op& source, uint64_t at) {
  Machine& machine = *warp.machine;
  const Place in = machine.Locate(warp, source, copy.lane, copy.from + at, kPieceBytes);
  const Place out = machine.Locate(warp, *copy.op, copy.lane, copy.to + at, kPieceBytes);
  if (in.region == nullptr || out.region == nullptr) return;
  CheckProxies(warp, copy, in, false);
  CheckProxies(warp, copy, out, true);
  machine.Loaded(warp, *copy.op, copy.lane, in, kPieceBytes);
  Region* regions[32];
  int64_t offsets[32];
  regions[copy.lane] = in.region;
  offsets[copy.lane] = in.offset;
  machine.CountAccess(*copy.op, 1u << copy.lane, regions, offsets, kPieceBytes, false);
  if (!machine.Stored(warp, *copy.op, copy.lane, out, kPieceBytes)) return;
  std::memcpy(out.region->bytes + out.offset, in.region->bytes + in.offset, kPieceBytes);
}

void Deliver(Machine& machine, BulkCopy& copy) {
  Warp& warp = *copy.warp;
  const Op& op = *copy.op;
  Op source = op;
  source.memory.space = Space::kGlobal;
  source.memory.narrow_address = false;
  const AtIssue at_issue(machine, copy);
  for (uint64_t at = 0; at < copy.bytes; at += kPieceBytes) CopyPiece(warp, copy, source, at);
  const Place place = BarrierOf(warp, op, copy.lane, copy.barrier);
  if (place.region == nullptr) return;
  if (machine.races() && place.region->shadow != nullptr) {
    Accessor me = machine.AccessorOf(warp, op, copy.lane);
    me.strength = Strength::kCta;
    machine.detector().StrongWrite({place.region->shadow, place.offset}, me, true, true);
  }
  State state = Load(place);
  state.bytes -= static_cast<int64_t>(copy.bytes);
  Settle(machine, place, state);
}

// The copies that report to the barrier at PLACE arrive.
void DeliverTo(Warp& warp, const Place& place) {
  std::vector<BulkCopy> due, rest;
  for (BulkCopy& copy : warp.block->bulk) {
    const bool mine = copy.barrier_region == place.region && copy.barrier_offset == place.offset;
    (mine ? due : rest).push_back(std::move(copy));
  }
  warp.block->bulk = std::move(rest);
  for (BulkCopy& copy : due) Deliver(*warp.machine, copy);
}

// op.relu: the argument is a parity; else a state that an arrival returned.
void Wait(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    const uint64_t address = warp.Source(op.src[0])[lane] + op.imm;
    const Place place = BarrierOf(warp, op, lane, address);
    warp.Dest(op.dst[0])[lane] = 1;
    if (place.region == nullptr) return;
    CheckBegun(warp, op, lane, place);
    DeliverTo(warp, place);
    const uint64_t argument = warp.Source(op.src[1])[lane];
    const uint64_t phase = op.relu ? argument & 1 : Unpack(argument).phase;
    const bool done = Load(place).phase != phase;
    warp.Dest(op.dst[0])[lane] = done;
    if (done) {
      machine.Exchanged(warp, op, lane, place, kBarrierBytes, false);
    } else {
      machine.Poll(warp, address, Pack(Load(place)));
    }
  });
}

// src: to, its offset, from, its offset, size, barrier, its offset.
void Issue(Warp& warp, const Op& op, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    const auto source = [&](int i) { return warp.Source(op.src[i])[lane]; };
    BulkCopy copy;
    copy.op = &op;
    copy.warp = &warp;
    copy.lane = lane;
    copy.to = source(0) + source(1);
    copy.from = source(2) + source(3);
    copy.bytes = source(4) & 0xFFFFFFFF;
    copy.barrier = source(5) + source(6);
    if (copy.bytes % kPieceBytes != 0) {
      Complain(warp, op, lane, "a bulk copy of a size that is no multiple of 16");
      copy.bytes -= copy.bytes % kPieceBytes;
    }
    const Place place = BarrierOf(warp, op, lane, copy.barrier);
    if (place.region != nullptr) {
      CheckBegun(warp, op, lane, place);
      CheckVisible(warp, op, lane, place);
    }
    copy.barrier_region = place.region;
    copy.barrier_offset = place.offset;
    if (machine.races()) {
      ThreadClock& clock = warp.block->clocks[warp.index * 32 + lane];
      copy.clock = clock;
      ++clock.now.sub;  // what the thread does from here on is not the copy's
    }
    warp.block->bulk.push_back(std::move(copy));
  });
}

// What is not said: release, or acquire, at the scope of the block.
absl::Status TakeBarrierForm(Form& form, Kind kind) {
  MemoryForm& memory = form.op.memory;
  const bool relaxed = form.Take("relaxed");
  form.Take(kind == Kind::kWait ? "acquire" : "release");
  memory.acquire = kind == Kind::kWait && !relaxed;
  memory.release = kind != Kind::kWait && kind != Kind::kExpect && !relaxed;
  memory.strength = TakeScope(form).value_or(Strength::kCta);
  memory.space = TakeMemorySpace(form);
  if (!form.Take("b64")) return form.Error("expected .b64");
  const bool shared = memory.space == Space::kShared || memory.space == Space::kSharedCluster ||
                      memory.space == Space::kGeneric;
  return shared ? absl::OkStatus() : form.Error("an mbarrier is in shared memory");
}

absl::Status DecodeArrive(Form& form, Kind kind) {
  ASTITCH_RETURN_IF_ERROR(TakeBarrierForm(form, kind));
  const bool returns = kind != Kind::kExpect;
  const size_t first = returns ? 1 : 0;
  const bool count_may_lack = kind == Kind::kArrive;
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(first + (count_may_lack ? 1 : 2), first + 2));
  if (returns) {
    ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), Type::kB64));
  }
  ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(first)));
  if (form.num_operands() > first + 1) {
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(first + 1), Type::kU32));
  }
  form.op.mode = static_cast<uint8_t>(kind);
  return form.Run(Arrive, OpClass::kBarrier);
}

absl::Status DecodeWait(Form& form) {
  const bool parity = form.Take("parity");
  ASTITCH_RETURN_IF_ERROR(TakeBarrierForm(form, Kind::kWait));
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(3, 4));  // a hint of time may follow
  ASTITCH_RETURN_IF_ERROR(form.AddDst(form.operand(0), Type::kPred));
  ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(1)));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), parity ? Type::kU32 : Type::kB64));
  form.op.relu = parity;
  return form.Run(Wait, OpClass::kBarrier);
}

// An address as two sources: its base and its offset.
absl::Status AddPair(Form& form, const Operand& operand) {
  ASTITCH_RETURN_IF_ERROR(form.AddAddress(operand));
  const auto offset = static_cast<uint64_t>(form.op.imm);
  form.op.src[form.op.num_src++] = form.resolver.Constant(offset);
  form.op.imm = 0;
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeBulkCopy(Form& form) {
  if (!form.Take("shared::cluster") && !form.Take("shared::cta"))
    return form.Error("expected a bulk copy into shared memory");
  if (!form.Take("global") || !form.Take("mbarrier::complete_tx::bytes"))
    return form.Error("expected .global.mbarrier::complete_tx::bytes");
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(4));
  ASTITCH_RETURN_IF_ERROR(AddPair(form, form.operand(0)));
  ASTITCH_RETURN_IF_ERROR(AddPair(form, form.operand(1)));
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(2), Type::kU32));
  ASTITCH_RETURN_IF_ERROR(AddPair(form, form.operand(3)));
  form.op.memory.space = Space::kShared;
  return form.Run(Issue, OpClass::kGlobalLoad);
}

absl::Status DecodeMbarrier(Form& form) {
  if (form.Take("init")) {
    form.op.memory.space = TakeMemorySpace(form);
    if (!form.Take("b64")) return form.Error("expected .b64");
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
    ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(0)));
    ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(1), Type::kU32));
    return form.Run(Init, OpClass::kBarrier);
  }
  if (form.Take("inval")) {
    form.op.memory.space = TakeMemorySpace(form);
    if (!form.Take("b64")) return form.Error("expected .b64");
    ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
    ASTITCH_RETURN_IF_ERROR(AddMemoryAddress(form, form.operand(0)));
    return form.Run(Inval, OpClass::kBarrier);
  }
  if (form.Take("arrive"))
    return DecodeArrive(form, form.Take("expect_tx") ? Kind::kArriveExpect : Kind::kArrive);
  if (form.Take("expect_tx")) return DecodeArrive(form, Kind::kExpect);
  if (form.Take("test_wait") || form.Take("try_wait")) return DecodeWait(form);
  return form.Error("no such form");
}

}  // namespace astitch::simt
