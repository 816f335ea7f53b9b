// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The race detector on small protocols: what orders, what does not, and in which scope.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

struct Protocol {
  const char* name;
  int64_t grid, block;
  const char* body;
  const char* kinds;  // expected
  int64_t cluster = 1;
};

// %data and %flag are two words of global memory, %t the thread, %b the block, S 128 bytes of
// shared memory.
LaunchResult RunProtocol(const Protocol& p, Order order) {
  const std::string ptx = absl::StrCat(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0, .param "
      ".u64 p1)\n{\n.reg .b64 %data, %flag, %x<9>; .reg .b32 %r<9>, %t, %b, %l; .reg .b16 %h<3>; "
      ".reg .pred %p<9>;\n.shared .align 16 .b8 S[4096];\nld.param.u64 %data, [p0];\nld.param.u64 "
      "%flag, [p1];\nmov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %l, %laneid;\nmul.wide.u32 "
      "%x8, %t, 4; mov.b64 %x7, S; add.s64 %x7, %x7, %x8;\nsetp.eq.u32 %p7, %t, 0; setp.eq.u32 "
      "%p8, %b, 0;\n",
      p.body, "\nDONE: ret;\n}\n");
  std::vector<Buffer> buffers = {BufferOf("data", std::vector<uint32_t>(4096)),
                                 BufferOf("flag", std::vector<uint32_t>(64))};
  LaunchParams params;
  params.grid = {p.grid, 1, 1};
  params.block = {p.block, 1, 1};
  params.cluster = {p.cluster, 1, 1};
  params.arguments = Pointers(2);
  params.order = order;
  params.resident_blocks = 128;
  return MustLaunch(ptx, params, buffers);
}

// Block 0 writes data and raises the flag; block 1 waits for it and reads.
#define HANDOVER(release, acquire)                                                        \
  "@!%p8 bra READER; st.global.b32 [%data], 1;" release "bra DONE; READER: SPIN:" acquire \
  "setp.eq.u32 %p0, %r0, 0; @%p0 bra SPIN; AFTER: ld.global.b32 %r1, [%data];"

const Protocol kProtocols[] = {
    {"two blocks write a word", 2, 1, "st.global.b32 [%data], %b;", "data race"},
    {"two blocks read a word", 2, 1, "ld.global.b32 %r0, [%data];", ""},
    {"two blocks add to a word", 2, 1, "red.global.add.u32 [%data], 1;", ""},
    {"one adds, one reads", 2, 1,
     "@%p8 red.global.add.u32 [%data], 1; @!%p8 ld.global.b32 %r0, [%data];", "data race"},
    {"atomics of the block only, from two blocks", 2, 1, "red.cta.global.add.u32 [%data], 1;",
     "data race"},
    {"atomics of the block only, in one block", 1, 64, "red.relaxed.cta.global.add.u32 [%data], 1;",
     ""},
    {"halves of a word by two threads", 1, 64,
     "mul.wide.u32 %x0, %t, 2; add.s64 %x0, %x0, %data; mov.b16 %h0, 1; st.global.b16 [%x0], %h0;",
     ""},
    {"a half that two threads write", 1, 64,
     "shr.u32 %r0, %t, 1; mul.wide.u32 %x0, %r0, 2; add.s64 %x0, %x0, %data; mov.b16 %h0, 1;"
     "st.global.b16 [%x0], %h0;",
     "data race"},
    {"a byte inside another's word", 1, 2,
     "@%p7 st.global.b32 [%data], 1; @!%p7 st.global.b8 [%data+3], 1;", "data race"},
    {"release and acquire", 2, 1,
     HANDOVER("st.release.gpu.global.b32 [%flag], 1;", "ld.acquire.gpu.global.b32 %r0, [%flag];"),
     ""},
    {"release and relaxed", 2, 1,
     HANDOVER("st.release.gpu.global.b32 [%flag], 1;", "ld.relaxed.gpu.global.b32 %r0, [%flag];"),
     "data race"},
    {"release, relaxed and a fence", 2, 1,
     HANDOVER("st.release.gpu.global.b32 [%flag], 1;",
              "ld.relaxed.gpu.global.b32 %r0, [%flag]; fence.acq_rel.gpu;"),
     ""},
    {"fence, volatile, volatile, fence", 2, 1,
     HANDOVER("membar.gl; st.volatile.global.b32 [%flag], 1;",
              "ld.volatile.global.b32 %r0, [%flag]; membar.gl;"),
     ""},
    {"fence of the block only", 2, 1,
     HANDOVER("membar.cta; st.volatile.global.b32 [%flag], 1;",
              "ld.volatile.global.b32 %r0, [%flag]; membar.gl;"),
     "data race"},
    {"fence before, none after", 2, 1,
     HANDOVER("membar.gl; st.volatile.global.b32 [%flag], 1;",
              "ld.volatile.global.b32 %r0, [%flag];"),
     "data race"},
    {"volatile alone", 2, 1,
     HANDOVER("st.volatile.global.b32 [%flag], 1;", "ld.volatile.global.b32 %r0, [%flag];"),
     "data race"},
    {"flag by exchange", 2, 1,
     HANDOVER("atom.exch.release.gpu.global.b32 %r5, [%flag], 1;",
              "atom.or.acquire.gpu.global.b32 %r0, [%flag], 0;"),
     ""},
    {"release of the cluster, in a cluster", 2, 1,
     HANDOVER("st.release.cluster.global.b32 [%flag], 1;",
              "ld.acquire.cluster.global.b32 %r0, [%flag];"),
     "", 2},
    {"release of the cluster, beyond it", 2, 1,
     HANDOVER("st.release.cluster.global.b32 [%flag], 1;",
              "ld.acquire.cluster.global.b32 %r0, [%flag];"),
     "data race"},
    {"a relaxed add continues a release", 3, 1,
     "setp.eq.u32 %p1, %b, 1; @%p8 bra W; @%p1 bra A;"
     "S1: ld.acquire.gpu.global.b32 %r0, [%flag]; setp.ne.u32 %p0, %r0, 2; @%p0 bra S1;"
     "ld.global.b32 %r1, [%data]; bra DONE;"
     "W: st.global.b32 [%data], 1; st.release.gpu.global.b32 [%flag], 1; bra DONE;"
     "A: ld.relaxed.gpu.global.b32 %r0, [%flag]; setp.ne.u32 %p0, %r0, 1; @%p0 bra A;"
     "red.relaxed.gpu.global.add.u32 [%flag], 1;",
     ""},
    {"the last block reads what all wrote", 40, 64,
     "mul.wide.u32 %x0, %b, 4; add.s64 %x0, %x0, %data; @%p7 st.global.b32 [%x0], 1;"
     "@!%p7 bra DONE; atom.add.acq_rel.gpu.global.u32 %r0, [%flag], 1;"
     "setp.ne.u32 %p0, %r0, 39; @%p0 bra DONE; mov.b32 %r1, 0; LOOP:"
     "ld.global.b32 %r2, [%data]; add.s64 %data, %data, 4; add.u32 %r1, %r1, 1;"
     "setp.lt.u32 %p1, %r1, 40; @%p1 bra LOOP; st.global.b32 [%flag], 0;",
     ""},
    {"the last block, without acquire and release", 40, 64,
     "mul.wide.u32 %x0, %b, 4; add.s64 %x0, %x0, %data; @%p7 st.global.b32 [%x0], 1;"
     "@!%p7 bra DONE; atom.add.gpu.global.u32 %r0, [%flag], 1;"
     "setp.ne.u32 %p0, %r0, 39; @%p0 bra DONE; mov.b32 %r1, 0; LOOP:"
     "ld.global.b32 %r2, [%data]; add.s64 %data, %data, 4; add.u32 %r1, %r1, 1;"
     "setp.lt.u32 %p1, %r1, 40; @%p1 bra LOOP;",
     "data race"},
    {"a lock by compare and swap", 8, 1,
     "L: atom.acquire.gpu.global.cas.b32 %r0, [%flag], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;"
     "ld.global.b32 %r1, [%data]; add.u32 %r1, %r1, 1; st.global.b32 [%data], %r1;"
     "st.release.gpu.global.b32 [%flag], 0;",
     ""},
    {"a lock that lanes of one warp want", 1, 32,
     "L: atom.acquire.cta.global.cas.b32 %r0, [%flag], 0, 1; setp.ne.u32 %p0, %r0, 0;"
     "@%p0 bra L; ld.global.b32 %r1, [%data]; add.u32 %r1, %r1, 1; st.global.b32 [%data], %r1;"
     "st.release.cta.global.b32 [%flag], 0;",
     ""},
    {"neighbours in a warp without a barrier", 1, 32,
     "st.shared.b32 [%x7], %t; xor.b32 %r0, %t, 1; mul.wide.u32 %x0, %r0, 4; mov.b64 %x1, S;"
     "add.s64 %x0, %x0, %x1; ld.shared.b32 %r1, [%x0];",
     "data race"},
    {"neighbours in a warp with one", 1, 32,
     "st.shared.b32 [%x7], %t; bar.warp.sync -1; xor.b32 %r0, %t, 1; mul.wide.u32 %x0, %r0, 4;"
     "mov.b64 %x1, S; add.s64 %x0, %x0, %x1; ld.shared.b32 %r1, [%x0];",
     ""},
    {"a shuffle orders nothing", 1, 32,
     "st.shared.b32 [%x7], %t; shfl.sync.bfly.b32 %r2, %t, 1, 31, -1; xor.b32 %r0, %t, 1;"
     "mul.wide.u32 %x0, %r0, 4; mov.b64 %x1, S; add.s64 %x0, %x0, %x1; ld.shared.b32 %r1, [%x0];",
     "data race"},
    {"a barrier of the warp is none of the block", 1, 64,
     "st.shared.b32 [%x7], %t; bar.warp.sync -1; xor.b32 %r0, %t, 32; mul.wide.u32 %x0, %r0, 4;"
     "mov.b64 %x1, S; add.s64 %x0, %x0, %x1; ld.shared.b32 %r1, [%x0];",
     "data race"},
    {"one lane reads on and writes after a warp barrier", 1, 32,
     "@%p7 st.shared.b32 [S], 1; bar.warp.sync -1; ld.shared.b32 %r0, [S]; bar.warp.sync -1;"
     "@!%p7 bra DONE; ld.shared.b32 %r0, [S]; st.shared.b32 [S], 2;",
     ""},
    {"two warps of four at a named barrier", 1, 128,
     "setp.ge.u32 %p0, %t, 64; @%p0 bra DONE; st.shared.b32 [%x7], %t; barrier.sync 1, 64;"
     "xor.b32 %r0, %t, 32; mul.wide.u32 %x0, %r0, 4; mov.b64 %x1, S; add.s64 %x0, %x0, %x1;"
     "ld.shared.b32 %r1, [%x0];",
     ""},
    {"the other two warps are not ordered by it", 1, 128,
     "setp.ge.u32 %p0, %t, 64; @%p0 bra W; bar.sync 1, 64; ld.shared.b32 %r0, [S]; bra DONE;"
     "W: st.shared.b32 [S], 1; bar.sync 2, 64;",
     "data race"},
    {"arrive and sync", 1, 64,
     "setp.ge.u32 %p0, %t, 32; @%p0 bra R; st.shared.b32 [%x7], %t; bar.arrive 3, 64; bra DONE;"
     "R: bar.sync 3, 64; ld.shared.b32 %r0, [%x7+-128];",
     ""},
    {"polled by many blocks", 70, 32,
     "@%p8 bra W; @!%p7 bra DONE; P: ld.acquire.gpu.global.b32 %r0, [%flag];"
     "setp.eq.u32 %p0, %r0, 0; @%p0 bra P; ld.global.b32 %r1, [%data]; bra DONE;"
     "W: @!%p7 bra DONE; st.global.b32 [%data], 1; red.release.gpu.global.add.u32 [%flag], 1;",
     ""},
    {"read by many blocks, then written by one without waiting", 70, 32,
     "ld.global.b32 %r0, [%data]; setp.eq.u32 %p0, %b, 69; @!%p0 bra DONE; @%p7 st.global.b32 "
     "[%data], 1;",
     "data race"},
    {"distributed shared memory with cluster barriers", 4, 32,
     "st.shared.b32 [%x7], %b; barrier.cluster.arrive.release.aligned;"
     "barrier.cluster.wait.acquire.aligned; mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1;"
     "mapa.shared::cluster.u64 %x0, %x7, %r0; ld.shared::cluster.b32 %r1, [%x0];"
     "barrier.cluster.arrive; barrier.cluster.wait;",
     "", 2},
    {"distributed shared memory without the first", 4, 32,
     "st.shared.b32 [%x7], %b; mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1;"
     "mapa.shared::cluster.u64 %x0, %x7, %r0; st.shared::cluster.b32 [%x0], %r1;"
     "barrier.cluster.arrive; barrier.cluster.wait;",
     "data race", 2},
    {"a relaxed arrival orders nothing", 2, 32,
     "st.shared.b32 [%x7], %b; barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
     "mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1; mapa.shared::cluster.u64 %x0, %x7, %r0;"
     "ld.shared::cluster.b32 %r1, [%x0]; barrier.cluster.arrive; barrier.cluster.wait;",
     "data race", 2},
    {"a write between arrival and wait is not ordered", 2, 32,
     "barrier.cluster.arrive; st.shared.b32 [%x7], %b; barrier.cluster.wait;"
     "mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1; mapa.shared::cluster.u64 %x0, %x7, %r0;"
     "ld.shared::cluster.b32 %r1, [%x0]; barrier.cluster.arrive; barrier.cluster.wait;",
     "data race", 2},
};

TEST(Races, AreFoundAndNothingElseIs) {
  for (const Protocol& p : kProtocols) {
    for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom, Order::kStarve}) {
      LaunchResult result = RunProtocol(p, order);
      // A race may show as what it leads to, too.
      std::erase_if(result.reports,
                    [](const Report& r) { return r.kind == ReportKind::kUnwrittenRead; });
      EXPECT_EQ(Kinds(result), p.kinds) << p.name << " in order " << static_cast<int>(order) << "\n"
                                        << Texts(result);
    }
  }
}

TEST(Races, SharedMemoryOfABlockEndsWithIt) {
  const Protocol p = {
      "a peer that has left",
      2,
      32,
      "st.shared.b32 [%x7], %b; barrier.cluster.arrive; barrier.cluster.wait; @!%p8 bra DONE;"
      "mov.b32 %r0, 1; mapa.shared::cluster.u64 %x0, %x7, %r0; ld.shared::cluster.b32 %r1, [%x0];",
      "",
      2};
  for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom, Order::kStarve}) {
    EXPECT_EQ(Kinds(RunProtocol(p, order)), "undefined behaviour");
  }
}

}  // namespace
}  // namespace astitch::simt
