// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Lanes that act together, diverge and meet again; calls, tables of branches, special registers,
// barriers of the block.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ran {
  std::vector<uint32_t> out;
  LaunchResult result;
};

// BODY computes %d of each thread %t; MODULE stands before the kernel.
Ran RunBody(const std::string& body, const std::string& module = "", int64_t block = 32,
            int64_t grid = 1) {
  const std::string ptx = absl::StrCat(
      ".version 8.8\n.target sm_90\n.address_size 64\n", module,
      "\n.visible .entry k(.param .u64 p0)\n{\n.reg .b64 %o, %x<4>; .reg .b32 %d, %t, %l, "
      "%r<10>; .reg .pred %p<8>;\nmov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.b32 %d, 0;\n",
      body,
      "\nSTORE: ld.param.u64 %o, [p0]; mov.u32 %r9, %ctaid.x; mov.u32 %r8, %ntid.x;\n"
      "mad.lo.u32 %r9, %r9, %r8, %t; mul.wide.u32 %x3, %r9, 4; add.s64 %o, %o, %x3;\n"
      "st.global.b32 [%o], %d;\nDONE: ret;\n}\n");
  std::vector<Buffer> buffers = {BufferOf("out", std::vector<uint32_t>(block * grid))};
  LaunchParams params;
  params.grid = {grid, 1, 1};
  params.block = {block, 1, 1};
  params.arguments = Pointers(1);
  Ran out;
  out.result = MustLaunch(ptx, params, buffers);
  out.out = ValuesOf<uint32_t>(buffers[0]);
  return out;
}

void ExpectLanes(const std::string& body, uint32_t (*expected)(uint32_t lane),
                 const std::string& module = "", int64_t block = 32) {
  const Ran ran = RunBody(body, module, block);
  EXPECT_EQ(Texts(ran.result), "") << body;
  for (uint32_t lane = 0; lane < block; ++lane) {
    EXPECT_EQ(ran.out[lane], expected(lane)) << "lane " << lane << " of " << body;
  }
}

TEST(Warp, Shuffles) {
  ExpectLanes("shfl.sync.bfly.b32 %d, %t, 5, 31, -1;", [](uint32_t l) { return l ^ 5; });
  ExpectLanes("shfl.sync.up.b32 %d, %t, 3, 0, -1;", [](uint32_t l) { return l < 3 ? l : l - 3; });
  ExpectLanes("shfl.sync.down.b32 %d, %t, 3, 31, -1;",
              [](uint32_t l) { return l > 28 ? l : l + 3; });
  ExpectLanes("shfl.sync.idx.b32 %d, %t, 7, 31, 0xffffffff;", [](uint32_t) { return 7u; });
  // Segments of 8 lanes: c = (32 - 8) << 8 | 7.
  ExpectLanes("shfl.sync.idx.b32 %d, %t, 2, 0x1807, -1;", [](uint32_t l) { return (l & 24) + 2; });
  ExpectLanes("shfl.sync.down.b32 %d|%p0, %t, 4, 0x1807, -1; selp.b32 %d, %d, 99, %p0;",
              [](uint32_t l) { return (l & 7) < 4 ? l + 4 : 99u; });
}

TEST(Warp, VotesMatchesAndReductions) {
  const std::string odd = "and.b32 %r0, %t, 1; setp.ne.u32 %p0, %r0, 0;";
  ExpectLanes(odd + "vote.sync.ballot.b32 %d, %p0, -1;", [](uint32_t) { return 0xAAAAAAAA; });
  ExpectLanes(odd + "vote.sync.ballot.b32 %d, !%p0, -1;", [](uint32_t) { return 0x55555555u; });
  ExpectLanes(odd + "vote.sync.any.pred %p1, %p0, -1; selp.b32 %d, 1, 0, %p1;",
              [](uint32_t) { return 1u; });
  ExpectLanes(odd + "vote.sync.all.pred %p1, %p0, -1; selp.b32 %d, 1, 0, %p1;",
              [](uint32_t) { return 0u; });
  ExpectLanes(odd + "vote.sync.uni.pred %p1, %p0, -1; selp.b32 %d, 1, 0, %p1;",
              [](uint32_t) { return 0u; });
  ExpectLanes("and.b32 %r0, %t, 3; match.any.sync.b32 %d, %r0, -1;",
              [](uint32_t l) { return 0x11111111u << (l & 3); });
  ExpectLanes("mov.b32 %r0, 5; match.all.sync.b32 %d|%p0, %r0, -1;",
              [](uint32_t) { return 0xFFFFFFFF; });
  ExpectLanes("cvt.u64.u32 %x0, %t; match.any.sync.b64 %d, %x0, -1;",
              [](uint32_t l) { return 1u << l; });
  ExpectLanes("redux.sync.add.s32 %d, %t, -1;", [](uint32_t) { return 496u; });
  ExpectLanes("redux.sync.max.u32 %d, %t, -1;", [](uint32_t) { return 31u; });
  ExpectLanes("sub.s32 %r0, 5, %t; redux.sync.min.s32 %d, %r0, -1;",
              [](uint32_t) { return static_cast<uint32_t>(-26); });
  ExpectLanes("redux.sync.or.b32 %d, %t, -1;", [](uint32_t) { return 31u; });
  ExpectLanes("redux.sync.and.b32 %d, %t, -1;", [](uint32_t) { return 0u; });
  ExpectLanes("redux.sync.xor.b32 %d, %t, -1;", [](uint32_t) { return 0u; });
  ExpectLanes("elect.sync %d|%p0, -1; selp.b32 %d, 7, 0, %p0;",
              [](uint32_t l) { return l == 0 ? 7u : 0u; });
  ExpectLanes("setp.lt.u32 %p0, %t, 4; @%p0 activemask.b32 %d;",
              [](uint32_t l) { return l < 4 ? 15u : 0u; });
}

TEST(Warp, LanesMeetAgainAfterBranches) {
  ExpectLanes(
      "setp.lt.u32 %p0, %t, 10; @%p0 bra A; add.u32 %d, %t, 100; bra B; A: add.u32 %d, %t, 200;"
      "B: shfl.sync.bfly.b32 %d, %d, 16, 31, -1;",
      [](uint32_t l) { return (l ^ 16) < 10 ? (l ^ 16) + 200 : (l ^ 16) + 100; });
  ExpectLanes(
      "mov.b32 %r0, 0; L: add.u32 %d, %d, %r0; add.u32 %r0, %r0, 1; setp.le.u32 %p0, %r0, %t;"
      "@%p0 bra L; bar.warp.sync -1;",
      [](uint32_t l) { return l * (l + 1) / 2; });
}

TEST(Warp, HalvesUseMasksOfTheirOwn) {
  ExpectLanes(
      "setp.lt.u32 %p0, %t, 16; @%p0 bra A; shfl.sync.bfly.b32 %d, %t, 1, 31, 0xffff0000; bra B;"
      "A: shfl.sync.bfly.b32 %d, %t, 2, 31, 0xffff; B: ",
      [](uint32_t l) { return l < 16 ? l ^ 2 : l ^ 1; });
}

TEST(Warp, ExitedLanesAreNotWaitedFor) {
  const Ran ran = RunBody(
      "setp.ge.u32 %p0, %t, 16; @%p0 exit; bar.sync 0; bar.warp.sync -1;"
      "mov.b32 %d, 1;");
  EXPECT_EQ(Texts(ran.result), "");
  EXPECT_EQ(ran.out[3], 1u);
  EXPECT_EQ(ran.out[20], 0u);
}

struct Fault {
  const char* body;
  const char* kind;
  const char* message;
};

TEST(Warp, CollectivesThatCannotBeAreReported) {
  const Fault kFaults[] = {
      {"shfl.sync.bfly.b32 %d, %t, 1, 31, 0xffff;", "collective", "not in its own member mask"},
      {"setp.lt.u32 %p0, %t, 16; @%p0 bra A; bar.sync 0; bra B; A: bar.warp.sync -1; B:",
       "collective", "waits for lanes 0xffffffff"},
      {"setp.lt.u32 %p0, %t, 16; @!%p0 bra STORE; shfl.sync.idx.b32 %d, %t, 20, 31, 0xffff;",
       "collective", "reads lane 20"},
      {"setp.lt.u32 %p0, %t, 16; @%p0 bra A; bar.sync 0; bra B; A: bar.sync 1; B:",
       "divergent barrier", "wait at line"},
  };
  for (const Fault& fault : kFaults) {
    const Ran ran = RunBody(fault.body);
    EXPECT_THAT(Kinds(ran.result), HasSubstr(fault.kind)) << fault.body;
    EXPECT_THAT(Texts(ran.result), HasSubstr(fault.message)) << fault.body;
  }
}

TEST(Warp, DeadlocksEndWithAReport) {
  const Ran named = RunBody("bar.sync 1, 64;");
  EXPECT_EQ(Kinds(named.result), "deadlock");
  const Ran spinning = RunBody(
      "ld.param.u64 %x0, [p0]; L: ld.acquire.gpu.global.b32 %r0, [%x0]; setp.eq.u32 %p0, %r0, 0;"
      "@%p0 bra L;");
  EXPECT_EQ(Kinds(spinning.result), "deadlock");
  const Ran on_two = RunBody(
      "ld.param.u64 %x0, [p0]; L: ld.acquire.gpu.global.b32 %r0, [%x0]; ld.volatile.global.b32 "
      "%r1, [%x0+4]; or.b32 %r0, %r0, %r1; setp.eq.u32 %p0, %r0, 0; @%p0 bra L;");
  EXPECT_EQ(Kinds(on_two.result), "deadlock");
}

// Many strong reads in a row are no spinning while what they read differs.
TEST(Warp, LongLoopsOfVolatileReadsAreNoDeadlock) {
  const Ran ran = RunBody(
      "ld.param.u64 %x0, [p0]; mov.b32 %r1, 0; L: and.b32 %r2, %r1, 31; mul.wide.u32 %x1, %r2, 4;"
      "add.s64 %x1, %x1, %x0; ld.volatile.global.b32 %r0, [%x1]; add.u32 %r1, %r1, 1;"
      "setp.lt.u32 %p0, %r1, 9000; @%p0 bra L;");
  EXPECT_THAT(Texts(ran.result), Not(HasSubstr("deadlock")));
}

TEST(Warp, BlockBarriersWithResults) {
  ExpectLanes(
      "setp.lt.u32 %p0, %t, 40; bar.red.popc.u32 %d, 0, %p0;", [](uint32_t) { return 40u; }, "",
      64);
  ExpectLanes(
      "setp.lt.u32 %p0, %t, 40; bar.red.and.pred %p1, 0, %p0; selp.b32 %d, 1, 0, %p1;",
      [](uint32_t) { return 0u; }, "", 64);
  ExpectLanes(
      "setp.lt.u32 %p0, %t, 40; barrier.cta.red.or.aligned.pred %p1, 0, %p0;"
      "selp.b32 %d, 1, 0, %p1;",
      [](uint32_t) { return 1u; }, "", 64);
  ExpectLanes(
      "barrier.sync 0; barrier.sync.aligned 1; barrier.cta.sync.aligned 2; mov.b32 %d, 3;",
      [](uint32_t) { return 3u; }, "", 96);
}

TEST(Warp, CallsAndTables) {
  const std::string module = R"(
    .func (.param .b32 result) twice(.param .b32 value)
    {
      .reg .b32 %a<3>; .reg .pred %q;
      ld.param.b32 %a0, [value];
      setp.gt.u32 %q, %a0, 20;
      add.u32 %a1, %a0, %a0;
      @%q add.u32 %a1, %a1, 1000;
      st.param.b32 [result], %a1;
      ret;
    })";
  const std::string call = R"({
      .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %t;
      call.uni (retval0), twice, (param0);
      ld.param.b32 %d, [retval0];
    })";
  ExpectLanes(call, [](uint32_t l) { return l > 20 ? 2 * l + 1000 : 2 * l; }, module);
  ExpectLanes(
      call + Replaced(Replaced(call, "%t", "%d"), "[retval0]", "[retval0]"),
      [](uint32_t l) {
        const uint32_t once = l > 20 ? 2 * l + 1000 : 2 * l;
        return once > 20 ? 2 * once + 1000 : 2 * once;
      },
      module);
  ExpectLanes(
      "and.b32 %r0, %t, 3; TABLE: .branchtargets A, B, C, D; brx.idx %r0, TABLE;"
      "A: mov.b32 %d, 10; bra STORE; B: mov.b32 %d, 20; bra STORE; C: mov.b32 %d, 30; bra STORE;"
      "D: mov.b32 %d, 40;",
      [](uint32_t l) { return 10 + 10 * (l & 3); });
}

TEST(Warp, SpecialRegisters) {
  ExpectLanes("mov.u32 %d, %tid.x;", [](uint32_t l) { return l; });
  ExpectLanes("mov.u32 %d, %laneid;", [](uint32_t l) { return l % 32; }, "", 64);
  ExpectLanes("mov.u32 %d, %warpid;", [](uint32_t l) { return l / 32; }, "", 64);
  ExpectLanes("mov.u32 %d, %ntid.x;", [](uint32_t) { return 64u; }, "", 64);
  ExpectLanes("mov.u32 %d, %nctaid.x;", [](uint32_t) { return 1u; });
  ExpectLanes("mov.u32 %d, %lanemask_lt;", [](uint32_t l) { return (1u << l) - 1; });
  ExpectLanes("mov.u32 %d, %lanemask_le;", [](uint32_t l) { return (2u << l) - 1; });
  ExpectLanes("mov.u32 %d, %lanemask_eq;", [](uint32_t l) { return 1u << l; });
  ExpectLanes("mov.u32 %d, %lanemask_ge;", [](uint32_t l) { return ~0u << l; });
  ExpectLanes("mov.u32 %d, %lanemask_gt;", [](uint32_t l) { return l == 31 ? 0 : ~0u << (l + 1); });
  ExpectLanes("add.u32 %d, %tid.x, %ctaid.x;", [](uint32_t l) { return l; });
  ExpectLanes(
      "mov.u64 %x0, %clock64; nanosleep.u32 20; mov.u64 %x1, %globaltimer; setp.gt.u64 %p0, %x1, "
      "%x0; selp.b32 %d, 1, 0, %p0;",
      [](uint32_t) { return 1u; });
  const Ran blocks = RunBody("mov.u32 %d, %ctaid.x;", "", 2, 3);
  EXPECT_THAT(blocks.out, ::testing::ElementsAre(0, 0, 1, 1, 2, 2));
}

}  // namespace
}  // namespace astitch::simt
