// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loads, stores, atomics and asynchronous copies: what they read and write, and what is reported.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"
#include "tests/simt/instruction.h"

namespace astitch::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Ran {
  std::vector<uint64_t> out;
  LaunchResult result;
};

// One thread runs BODY with %o the address of eight words of 64 bits, %in that of IN.
Ran RunBody(const std::string& body, std::vector<Buffer> more = {}, const std::string& module = "",
            int64_t threads = 1) {
  std::vector<Buffer> buffers = {BufferOf("out", std::vector<uint64_t>(8))};
  for (Buffer& buffer : more) buffers.push_back(std::move(buffer));
  std::string params = ".param .u64 p0", loads;
  for (size_t i = 1; i < buffers.size(); ++i) {
    absl::StrAppend(&params, ", .param .u64 p", i);
    absl::StrAppend(&loads, "ld.param.u64 %in", i, ", [p", i, "];\n");
  }
  const std::string ptx = absl::StrCat(
      ".version 8.8\n.target sm_100\n.address_size 64\n", module, "\n.visible .entry k(", params,
      ")\n{\n.reg .b64 %o, %in1, %in2, %x<8>; .reg .b32 %r<10>, %t; .reg .b16 %h<8>; .reg .pred "
      "%p<4>;\nmov.u32 %t, %tid.x;\nld.param.u64 %o, [p0];\n",
      loads, body, "\nret;\n}\n");
  LaunchParams params_;
  params_.block = {threads, 1, 1};
  params_.arguments = Pointers(buffers.size());
  Ran out;
  out.result = MustLaunch(ptx, params_, buffers);
  out.out = ValuesOf<uint64_t>(buffers[0]);
  return out;
}

TEST(Memory, LoadsExtendAsTheTypeSays) {
  const Buffer in = InputOf<uint64_t>("in", {0x8877665544332211, 0xFFEEDDCCBBAA9988});
  const Ran ran = RunBody(R"(
    ld.global.b8 %h0, [%in1+7];   cvt.u64.u16 %x0, %h0;  st.global.b64 [%o], %x0;
    ld.global.s8 %r0, [%in1+7];   cvt.u64.u32 %x0, %r0;  st.global.b64 [%o+8], %x0;
    ld.global.u16 %r0, [%in1+8];  cvt.u64.u32 %x0, %r0;  st.global.b64 [%o+16], %x0;
    ld.global.nc.s16 %r0, [%in1+8]; cvt.u64.u32 %x0, %r0;  st.global.b64 [%o+24], %x0;
    ld.global.f32 %r0, [%in1+4];  cvt.u64.u32 %x0, %r0;  st.global.b64 [%o+32], %x0;
    ld.global.s32 %x0, [%in1+4];  st.global.b64 [%o+40], %x0;
    ld.global.nc.L1::no_allocate.L2::128B.b64 %x0, [%in1+8];  st.global.b64 [%o+48], %x0;
    ld.b32 %r0, [%in1];           cvt.u64.u32 %x0, %r0;  st.b64 [%o+56], %x0;)",
                          {in});
  EXPECT_THAT(ran.out, ElementsAre(0x88, 0xFFFFFF88, 0x9988, 0xFFFF9988, 0x88776655,
                                   0xFFFFFFFF88776655, 0xFFEEDDCCBBAA9988, 0x44332211))
      << Texts(ran.result);
  EXPECT_EQ(Kinds(ran.result), "");
}

TEST(Memory, VectorsOfEveryWidth) {
  const Buffer in = InputOf<uint64_t>("in", {0x8877665544332211, 2, 3, 4});
  const Ran ran = RunBody(R"(
    ld.global.nc.v4.b16 {%h0, %h1, %h2, %h3}, [%in1];
    st.global.v4.b16 [%o], {%h3, %h2, %h1, %h0};
    ld.global.v2.b32 {%r0, %r1}, [%in1];
    st.global.v2.b32 [%o+8], {%r1, %r0};
    ld.global.v4.b64 {%x0, %x1, %x2, %x3}, [%in1];
    st.global.v2.b64 [%o+16], {%x3, %x2};
    ld.global.v2.b8 {%h0, %h1}, [%in1];
    st.global.v2.b8 [%o+32], {%h1, %h0};
    ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%in1];
    st.global.v4.b32 [%o+48], {%r2, %r4, %r6, %r7};)",
                          {in});
  EXPECT_THAT(Texts(ran.result), "");
  EXPECT_EQ(ran.out[0], 0x2211443366558877u);
  EXPECT_EQ(ran.out[1], 0x4433221188776655u);
  EXPECT_EQ(ran.out[2], 4u);
  EXPECT_EQ(ran.out[3], 3u);
  EXPECT_EQ(ran.out[4], 0x1122u);
  EXPECT_EQ(ran.out[6], Words(2, 3));
  EXPECT_EQ(ran.out[7] & 0xFFFFFFFF, 4u);
}

TEST(Memory, SpacesAndAddressesOfVariables) {
  const std::string module = R"(
    .const .align 4 .b32 table[3] = {10, 20, 30};
    .global .align 8 .b64 counter = 7;
    .shared .align 8 .b8 slots[64];
    .extern .shared .align 16 .b8 dynamic[];)";
  const Ran ran = RunBody(R"(
    .local .align 8 .b8 depot[16];
    ld.const.b32 %r0, [table+8];   cvt.u64.u32 %x0, %r0;  st.global.b64 [%o], %x0;
    ld.global.b64 %x0, [counter];  st.global.b64 [%o+8], %x0;
    st.shared.b64 [slots+8], %x0;
    mov.b64 %x1, slots;
    ld.shared.b64 %x2, [%x1+8];    st.global.b64 [%o+16], %x2;
    cvta.shared.u64 %x3, %x1;
    ld.b64 %x2, [%x3+8];           st.global.b64 [%o+24], %x2;
    isspacep.shared %p0, %x3;      selp.b64 %x2, 1, 0, %p0;  st.global.b64 [%o+32], %x2;
    mov.b64 %x4, depot;
    cvta.local.u64 %x5, %x4;
    st.b64 [%x5+8], 99;
    ld.local.b64 %x2, [depot+8];   st.global.b64 [%o+40], %x2;
    cvta.const.u64 %x5, table;
    ld.b32 %r0, [%x5+4];           cvt.u64.u32 %x0, %r0;  st.global.b64 [%o+48], %x0;
    cvta.to.global.u64 %x6, %o;
    isspacep.global %p1, %o;       selp.b64 %x2, 1, 0, %p1;  st.global.b64 [%x6+56], %x2;)",
                          {}, module);
  EXPECT_THAT(Texts(ran.result), "");
  EXPECT_THAT(ran.out, ElementsAre(30, 7, 7, 7, 1, 99, 20, 1));
}

struct AtomicCase {
  std::string text;  // computes %r0 (or %x0) from the word at [%in1]
  uint64_t before, operand, old, after;
};

TEST(Memory, AtomicsGiveTheOldValueAndLeaveTheNew) {
  const AtomicCase kCases[] = {
      {"atom.global.add.u32 %r0, [%in1], %r1;", 5, 3, 5, 8},
      {"atom.add.release.gpu.global.u32 %r0, [%in1], %r1;", 5, 3, 5, 8},
      {"atom.acq_rel.sys.global.add.s32 %r0, [%in1], %r1;", 5, S(-6), 5, S(-1)},
      {"atom.global.and.b32 %r0, [%in1], %r1;", 6, 3, 6, 2},
      {"atom.global.or.b32 %r0, [%in1], %r1;", 6, 3, 6, 7},
      {"atom.global.xor.b32 %r0, [%in1], %r1;", 6, 3, 6, 5},
      {"atom.global.exch.b32 %r0, [%in1], %r1;", 6, 3, 6, 3},
      {"atom.global.min.s32 %r0, [%in1], %r1;", 6, S(-1), 6, S(-1)},
      {"atom.global.min.u32 %r0, [%in1], %r1;", 6, S(-1), 6, 6},
      {"atom.global.max.s32 %r0, [%in1], %r1;", 6, S(-1), 6, 6},
      {"atom.global.max.u32 %r0, [%in1], %r1;", 6, S(-1), 6, S(-1)},
      {"atom.global.inc.u32 %r0, [%in1], %r1;", 3, 3, 3, 0},
      {"atom.global.dec.u32 %r0, [%in1], %r1;", 0, 3, 0, 3},
      {"atom.acq_rel.gpu.global.cas.b32 %r0, [%in1], %r1, 9;", 3, 3, 3, 9},
      {"atom.relaxed.gpu.global.cas.b32 %r0, [%in1], %r1, 9;", 4, 3, 4, 4},
      {"atom.global.add.f32 %r0, [%in1], %r1;", F(1), F(2), F(1), F(3)},
      {"atom.add.f32 %r0, [%in1], %r1;", F(1), F(2), F(1), F(3)},
      {"atom.global.add.noftz.f16x2 %r0, [%in1], %r1;", 0x3C003C00, 0x40003C00, 0x3C003C00,
       0x42004000},
      {"red.global.add.u32 [%in1], %r1; mov.b32 %r0, 5;", 5, 3, 5, 8},
      {"red.release.gpu.global.add.u32 [%in1], %r1; mov.b32 %r0, 5;", 5, 3, 5, 8},
  };
  for (const AtomicCase& c : kCases) {
    const Ran ran = RunBody(absl::StrCat("mov.b32 %r1, ", c.operand, ";\n", c.text,
                                         "cvt.u64.u32 %x0, %r0; st.global.b64 [%o], %x0;\n"
                                         "ld.global.b32 %r2, [%in1]; cvt.u64.u32 %x0, %r2;"
                                         "st.global.b64 [%o+8], %x0;"),
                            {BufferOf<uint32_t>("word", {static_cast<uint32_t>(c.before)})});
    EXPECT_EQ(ran.out[0], c.old) << c.text;
    EXPECT_EQ(ran.out[1], c.after) << c.text;
    EXPECT_EQ(Kinds(ran.result), "") << c.text << Texts(ran.result);
  }
}

TEST(Memory, AtomicsOfOtherWidths) {
  const Ran ran = RunBody(R"(
    mov.b64 %x0, 5;
    atom.global.add.u64 %x1, [%in1], %x0;          st.global.b64 [%o], %x1;
    atom.global.cas.b64 %x1, [%in1], 15, 77;       st.global.b64 [%o+8], %x1;
    atom.global.exch.b64 %x1, [%in1], %x0;         st.global.b64 [%o+16], %x1;
    atom.global.max.u64 %x1, [%in1], 100;          st.global.b64 [%o+24], %x1;
    mov.b16 %h0, 0x3C00;
    atom.global.add.noftz.f16 %h1, [%in1+8], %h0;  cvt.u64.u16 %x1, %h1; st.global.b64 [%o+32], %x1;
    mov.f64 %x2, 0d3FF0000000000000;
    atom.global.add.f64 %x1, [%in1+16], %x2;
    ld.global.b64 %x1, [%in1+16];                  st.global.b64 [%o+40], %x1;
    ld.global.b64 %x1, [%in1+8];                   st.global.b64 [%o+48], %x1;)",
                          {BufferOf<uint64_t>("words", {10, 0x4000, D(2)})});
  EXPECT_THAT(Texts(ran.result), "");
  EXPECT_THAT(ran.out, ElementsAre(10, 15, 77, 5, 0x4000, D(3), 0x4200, 0));
}

TEST(Memory, AtomicsOfAllLanesAddUp) {
  const Ran ran = RunBody("mov.b64 %x0, 1; atom.global.add.u64 %x1, [%o], %x0;", {}, "", 32);
  EXPECT_EQ(ran.out[0], 32u);
  EXPECT_EQ(Kinds(ran.result), "");
}

struct Fault {
  const char* body;
  const char* kind;
  const char* message;
};

TEST(Memory, FaultsAreReportedWhereTheyAre) {
  const Fault kFaults[] = {
      {"ld.global.b32 %r0, [%in1+16];", "out of bounds", "4 bytes at offset 16 of buffer in"},
      {"ld.global.b32 %r0, [%in1+-4];", "out of bounds", "4 bytes at offset -4 of buffer in"},
      {"ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in1+8];", "out of bounds", "16 bytes"},
      {"ld.global.v2.b32 {%r0, %r1}, [%in1+4];", "misaligned access", "8 bytes at offset 4"},
      {"ld.global.b16 %h0, [%in1+3];", "misaligned access", "2 bytes at offset 3"},
      {"st.global.b32 [%in1], 1;", "write to a read-only buffer", "buffer in"},
      {"mov.b64 %x0, 64; ld.global.b32 %r0, [%x0];", "out of bounds", "is of no global memory"},
      {"ld.shared.b32 %r0, [slots];", "read of unwritten memory", "shared memory"},
      {"ld.shared.b32 %r0, [slots+64];", "out of bounds", "shared memory, which has 64"},
      {".local .align 4 .b8 d[8]; ld.local.b32 %r0, [d];", "read of unwritten memory", "local"},
      {"st.shared.b8 [slots], 1; ld.shared.b32 %r0, [slots];", "read of unwritten memory", ""},
      {"trap;", "trap", "stops itself"},
      {"st.global.b32 [%o], 1; ld.global.nc.b32 %r0, [%o];", "non-coherent read",
       "after the write"},
      {"ld.global.nc.b32 %r0, [%o]; st.global.b32 [%o], 1;", "non-coherent read",
       "was read through"},
  };
  for (const Fault& fault : kFaults) {
    const Ran ran = RunBody(fault.body, {InputOf<uint32_t>("in", {1, 2, 3, 4})},
                            ".shared .align 16 .b8 slots[64];");
    EXPECT_EQ(Kinds(ran.result), fault.kind) << fault.body;
    EXPECT_THAT(Texts(ran.result), HasSubstr(fault.message)) << fault.body;
  }
}

TEST(Memory, AsynchronousCopiesArriveWhenWaitedFor) {
  const std::string copy = R"(
    cp.async.ca.shared.global [slots], [%in1], 8;
    cp.async.commit_group;
    cp.async.cg.shared.global [slots+16], [%in1+16], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [slots+8], [%in1], 8, %r9;
    WAIT
    ld.shared.b64 %x0, [slots];     st.global.b64 [%o], %x0;
    REST)";
  const Buffer in = InputOf<uint64_t>("in", {11, 22, 33, 44});
  const std::string module = ".shared .align 16 .b8 slots[64];";
  const auto with = [&](const std::string& wait, const std::string& rest) {
    return RunBody("mov.b32 %r9, 4;" + Replaced(Replaced(copy, "WAIT", wait), "REST", rest), {in},
                   module);
  };
  EXPECT_EQ(Kinds(with("", "").result), "read of unwritten memory");
  const Ran first = with("cp.async.wait_group 1;", "");
  EXPECT_EQ(Kinds(first.result), "") << Texts(first.result);
  EXPECT_EQ(first.out[0], 11u);
  const std::string second = "ld.shared.b64 %x1, [slots+24]; st.global.b64 [%o+8], %x1;";
  EXPECT_EQ(Kinds(with("cp.async.wait_group 1;", second).result), "read of unwritten memory");
  EXPECT_EQ(with("cp.async.wait_group 0;", second).out[1], 44u);
  const std::string third = "ld.shared.b64 %x1, [slots+8]; st.global.b64 [%o+8], %x1;";
  EXPECT_EQ(Kinds(with("cp.async.wait_group 0;", third).result), "read of unwritten memory");
  EXPECT_EQ(with("cp.async.wait_all;", third).out[1], 11u);
}

}  // namespace
}  // namespace astitch::simt
