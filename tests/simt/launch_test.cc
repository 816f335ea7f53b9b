// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Launches that are refused, texts that are refused, counts, and the time it takes.
#include "simt/launch.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "simt/count/banks.h"
#include "simt/count/l2_cache.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

using ::testing::HasSubstr;

std::string Kernel(const std::string& body, const std::string& attributes = "") {
  return absl::StrCat(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
      "p0)\n",
      attributes,
      "{\n.reg .b64 %o, %x<4>; .reg .b32 %t, %r<8>; .reg .f32 %f<4>; .reg .f64 "
      "%e<4>; .reg .b16 %h<4>; .reg .pred %p<4>;\nmov.u32 %t, %tid.x;\n",
      body, "\nret;\n}\n");
}

absl::StatusOr<LaunchResult> TryLaunch(const std::string& ptx, LaunchParams params = {}) {
  ASTITCH_ASSIGN_OR_RETURN(const Module module, ParsePtx(ptx));
  std::vector<Buffer> buffers = {BufferOf("out", std::vector<uint32_t>(1024))};
  if (params.arguments.empty()) params.arguments = Pointers(1);
  return Launch(module, params, absl::MakeSpan(buffers));
}

TEST(Refused, InstructionsAndModifiersThatAreNotKnown) {
  const std::pair<const char*, const char*> kCases[] = {
      {"frobnicate.u32 %r0, %r1;", "unknown instruction frobnicate"},
      {"add.rn.s32 %r0, %r1, %r2;", "unknown modifier .rn"},
      {"add.ftz.s32 %r0, %r1, %r2;", "unknown modifier .ftz"},
      {"add.rn.f32.f8 %r0, %r1, %r2;", "unknown modifier .f8"},
      {"add.f32.f64 %r0, %e0, %r2;", "no such form"},
      {"mul.s32 %r0, %r1, %r2;", "no such form"},
      {"mul.wide.s64 %x0, %x1, %x2;", "no such form"},
      {"add.s32 %r0, %r1, %x0;", "expected a register of 32 bits, got %x0 of .b64"},
      {"add.s32 %r0, %r1;", "expected 3 operands, got 2"},
      {"add.s32 %r0, %r1, 1.5;", "a constant that .s32 does not take"},
      {"add.f32 %f0, %f1, 1;", "an integer where a float is expected"},
      {"ld.global.evict.b32 %r0, [%x0];", "unknown modifier .evict"},
      {"ld.shared.nc.b32 %r0, [%x0];", ".nc is of global memory"},
      {"ld.acquire.global.b32 %r0, [%x0];", "expected a scope"},
      {"ld.global.v3.b32 {%r0, %r1, %r2}, [%x0];", "expected 1 values, got 3"},
      {"ld.global.v2.b32 %r0, [%x0];", "expected 2 values, got 1"},
      {"atom.global.mul.u32 %r0, [%x0], %r1;", "expected an operation"},
      {"atom.global.add.b32 %r0, [%x0], %r1;", "no such form"},
      {"setp.lo.f32 %p0, %f0, %f1;", "no such comparison"},
      {"setp.lt.b32 %p0, %r0, %r1;", "no such comparison"},
      {"shfl.bfly.b32 %r0, %r1, 1, 31;", "expected .sync"},
      {"cvt.f16.f32 %h0, %f0;", "a rounding mode goes with"},
      {"cvt.s32.f32 %r0, %f0;", "expected .rni"},
      {"bar.sync;", "expected a barrier"},
      {"mov.u32 %r0, %smurf;", "unknown special register %smurf"},
      {"mov.u32 %r9, 1;", "%r9 is not declared"},
      {"bra NOWHERE;", "nothing is called NOWHERE"},
      {"wgmma.fence.sync.aligned;", "unknown instruction wgmma"},
      {"@%r0 bra X; X:", "%r0 is not a predicate"},
      {"call.uni vprintf, (%x0);", "nothing is called vprintf"},
      {"add.s32 %r0 %r1, %r2;", "expected ';'"},
      {"ld.global.b32 %r0, [%x0;", "expected ']'"},
  };
  for (const auto& [body, message] : kCases) {
    const absl::Status status = TryLaunch(Kernel(body)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << body;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << body;
    ASSERT_FALSE(GetDiagnostics(status).empty()) << body;
    EXPECT_EQ(GetDiagnostics(status)[0].position.line, 8) << body;
  }
}

TEST(Refused, TextsThatAreNotPtx) {
  for (const char* text : {"x", ".version", "\"", ".visible .entry", ".visible .entry k(", "/*",
                           ".visible .entry k() {", ".global .b32 x = {1, 2};", ".entry k() { { }",
                           ".shared .align 3 .b8 x[4];", ".global .b8 x[99999999999999999999];",
                           ".visible .entry k() { .reg .b32 %r<99999999>; }", "\x01", "0x", "}"}) {
    EXPECT_FALSE(ParsePtx(text).ok()) << text;
  }
  EXPECT_FALSE(TryLaunch("").ok());
}

TEST(Refused, RecursionIsNotFollowed) {
  const std::string f = ".func f() { call.uni g; ret; }";
  const std::string text =
      ".func g();\n" + f + "\n.func g() { call.uni f; ret; }\n" + Kernel("call.uni f;");
  EXPECT_THAT(std::string(TryLaunch(text).status().message()), HasSubstr("recurses"));
}

TEST(Refused, LaunchesThatADeviceWouldRefuse) {
  const std::string plain = Kernel("");
  struct Case {
    void (*change)(LaunchParams&);
    const char* message;
    const char* attributes;
  };
  const Case kCases[] = {
      {[](LaunchParams& p) { p.block[0] = 1025; }, "block 1025x1x1 is refused", ""},
      {[](LaunchParams& p) { p.grid[0] = 0; }, "grid 0x1x1 is refused", ""},
      {[](LaunchParams& p) { p.dynamic_smem_bytes = 300000; }, "300000 bytes of shared memory", ""},
      {[](LaunchParams& p) {
         p.grid[0] = 65;
         p.cooperative = true;
       },
       "65 blocks is refused: 64 are", ""},
      {[](LaunchParams& p) { p.block[0] = 64; }, ".reqntid is 32x1x1", ".reqntid 32\n"},
      {[](LaunchParams& p) { p.block[0] = 64; }, ".maxntid is 32", ".maxntid 32, 1, 1\n"},
      {[](LaunchParams& p) {
         p.grid[0] = 3;
         p.cluster = {2, 1, 1};
       },
       "no multiple of cluster", ""},
      {[](LaunchParams& p) {
         p.grid[0] = 4;
         p.cluster = {4, 1, 1};
       },
       ".reqnctapercluster", ".reqnctapercluster 2\n"},
  };
  for (const Case& c : kCases) {
    LaunchParams params;
    c.change(params);
    const absl::Status status = TryLaunch(Kernel("", c.attributes), params).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << c.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
  LaunchParams wrong;
  wrong.arguments = {Scalar32(1)};
  EXPECT_EQ(TryLaunch(plain, wrong).status().code(), absl::StatusCode::kInvalidArgument);
  wrong.arguments = Pointers(2);
  EXPECT_EQ(TryLaunch(plain, wrong).status().code(), absl::StatusCode::kInvalidArgument);
  LaunchParams other;
  other.kernel = "other";
  EXPECT_FALSE(TryLaunch(plain, other).ok());
}

TEST(Launches, EndAtTheStepLimit) {
  LaunchParams params;
  params.max_steps = 1000;
  const auto result = TryLaunch(Kernel("L: add.u32 %r0, %t, 1; bra L;"), params);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(Kinds(*result), "step limit");
}

TEST(Launches, EndAtTheFirstReportWhereThatIsEnough) {
  const std::string wrong = Kernel("ld.global.b32 %r0, [%o];\nld.global.b32 %r0, [%o];");
  LaunchParams params;
  params.block = {1, 1, 1};
  EXPECT_EQ(TryLaunch(wrong, params)->reports.size(), 2u);
  params.first_report_only = true;
  EXPECT_EQ(TryLaunch(wrong, params)->reports.size(), 1u);
}

TEST(Counts, SectorsAreThoseThatAWarpTouches) {
  // %s bytes between neighbouring lanes.
  const auto sectors = [](int stride, int width) {
    LaunchParams params;
    params.block = {32, 1, 1};
    const auto result =
        TryLaunch(Kernel(absl::StrCat("// stage 3.1 %root\nld.param.u64 %o, [p0]; mul.wide.u32 "
                                      "%x0, %t, ",
                                      stride, "; add.s64 %o, %o, %x0; ld.global.b", width,
                                      width == 64 ? " %x1" : " %r0", ", [%o];")),
                  params);
    EXPECT_TRUE(result.ok() && result->reports.empty());
    EXPECT_EQ(result->stages.back().stage, "3.1 %root");
    return result->stages.back().buffers[0].l2_load_sectors;
  };
  EXPECT_EQ(sectors(4, 32), 4);
  EXPECT_EQ(sectors(8, 64), 8);
  EXPECT_EQ(sectors(0, 32), 1);
  EXPECT_EQ(sectors(32, 32), 32);
  EXPECT_EQ(sectors(64, 32), 32);
}

TEST(Counts, BankConflicts) {
  int64_t offsets[32];
  const auto conflicts = [&](int64_t stride, int bytes) {
    for (int i = 0; i < 32; ++i) offsets[i] = i * stride;
    return BankConflicts(offsets, ~0u, bytes);
  };
  EXPECT_EQ(conflicts(4, 4), 0);
  EXPECT_EQ(conflicts(0, 4), 0);
  EXPECT_EQ(conflicts(8, 4), 1);
  EXPECT_EQ(conflicts(128, 4), 31);
  EXPECT_EQ(conflicts(132, 4), 0);
  EXPECT_EQ(conflicts(2, 2), 0);
  EXPECT_EQ(conflicts(8, 8), 0);
  EXPECT_EQ(conflicts(16, 16), 0);
  EXPECT_EQ(conflicts(32, 16), 4);
}

TEST(Counts, TheL2ForgetsTheLeastRecentlyUsed) {
  L2Cache cache(2 << kSectorShift, {1 << 20, 1 << 20});
  EXPECT_FALSE(cache.Touch(0, 0, false).hit);
  EXPECT_FALSE(cache.Touch(1, 0, true).hit);
  EXPECT_TRUE(cache.Touch(0, 0, false).hit);
  EXPECT_FALSE(cache.Touch(1, 0, true).newly_dirty);
  EXPECT_TRUE(cache.Touch(0, 0, true).newly_dirty);
  EXPECT_FALSE(cache.Touch(0, 7, false).hit);  // drops buffer 1
  EXPECT_FALSE(cache.Touch(1, 0, false).hit);
  EXPECT_TRUE(cache.Touch(0, 7, false).hit);
}

TEST(Counts, TheL2ForgetsWhatIsToLeaveFirst) {
  L2Cache cache(2 << kSectorShift, {1 << 20, 1 << 20});
  EXPECT_FALSE(cache.Touch(0, 0, false).hit);
  EXPECT_FALSE(cache.Touch(1, 0, true, true).hit);
  EXPECT_FALSE(cache.Touch(0, 1, false).hit);  // drops buffer 1, which is newer
  EXPECT_TRUE(cache.Touch(0, 0, false).hit);
  EXPECT_FALSE(cache.Touch(1, 1, true, true).hit);  // drops the oldest
  EXPECT_FALSE(cache.Touch(1, 2, true, true).hit);
  EXPECT_TRUE(cache.Touch(0, 0, false).hit);
  EXPECT_TRUE(cache.Touch(0, 0, false, true).hit);  // the last time
  EXPECT_FALSE(cache.Touch(0, 3, false).hit);
  EXPECT_FALSE(cache.Touch(0, 0, false).hit);
}

TEST(Counts, InstructionsAndBarriersByStage) {
  LaunchParams params;
  params.block = {64, 1, 1};
  const auto result = TryLaunch(
      Kernel("// stage 0.0 %a\nadd.f32 %f0, 0f3F800000, 0f3F800000; bar.sync 0;\n// stage 0.1 "
             "%b\nex2.approx.f32 %f1, %f0; setp.eq.u32 %p0, %t, 0; @%p0 add.f32 %f2, %f0, %f1; "
             "bar.warp.sync -1;"),
      params);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->stages.size(), 3u);
  const StageCounts& a = result->stages[1];
  const StageCounts& b = result->stages[2];
  EXPECT_EQ(a.warp_instructions[static_cast<int>(OpClass::kFloat)], 2);
  EXPECT_EQ(a.thread_instructions[static_cast<int>(OpClass::kFloat)], 64);
  EXPECT_EQ(a.block_barriers, 1);
  EXPECT_EQ(b.warp_instructions[static_cast<int>(OpClass::kSpecial)], 2);
  EXPECT_EQ(b.thread_instructions[static_cast<int>(OpClass::kFloat)], 1);
  EXPECT_EQ(b.warp_barriers, 2);
}

// The kernel of the file, 1024 rows of 1024 with everything on: a few tenths of a second.
TEST(Launches, AMillionElementsTakeUnderFiveSeconds) {
  LaunchParams params;
  params.grid = {1024, 1, 1};
  params.block = {256, 1, 1};
  params.dynamic_smem_bytes = 64;
  params.arguments = Pointers(2);
  std::vector<float> x(1 << 20);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13);
  std::vector<Buffer> buffers = {InputOf("x", x), Buffer::Unwritten("y", x.size() * 4)};
  const auto start = std::chrono::steady_clock::now();
  const LaunchResult result = MustLaunch(ReadTestFile("softmax.ptx"), params, buffers);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(result.reports.empty()) << Texts(result);
  EXPECT_LT(elapsed.count(), 5);
}

}  // namespace
}  // namespace astitch::simt
