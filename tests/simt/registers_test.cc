// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Registers share a place only where nobody could tell.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "simt/exec/decoder.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

using ::testing::ElementsAre;

std::string Kernel(const std::string& body) {
  return absl::StrCat(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n"
      ".reg .b64 %o, %x<99>; .reg .b32 %t; .reg .pred %p<4>;\nmov.u32 %t, %tid.x;\n"
      "ld.param.u64 %o, [p0];\n",
      body, "\nret;\n}\n");
}

std::vector<uint64_t> WrittenBy(const std::string& body) {
  std::vector<Buffer> buffers = {BufferOf("out", std::vector<uint64_t>(3))};
  LaunchParams params;
  params.arguments = Pointers(1);
  const LaunchResult result = MustLaunch(Kernel(body), params, buffers);
  EXPECT_TRUE(result.reports.empty()) << Texts(result);
  return ValuesOf<uint64_t>(buffers[0]);
}

TEST(Registers, ThatAreNeededOneAfterTheOtherShare) {
  std::string body;
  for (int i = 0; i < 90; ++i)
    absl::StrAppend(&body, "add.u64 %x", i, ", %o, ", i, "; st.global.b64 [%o], %x", i, ";\n");
  const auto module = ParsePtx(Kernel(body));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto program = Decode(*module, module->functions[0]);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_LE(program->num_registers, 4);
}

TEST(Registers, ThatMayBeReadUnwrittenHaveThePatternOfTheUnwritten) {
  EXPECT_THAT(WrittenBy("mov.b64 %x0, 1; st.global.b64 [%o], %x0;\n"
                        "setp.ne.u32 %p0, %t, 0;\n"
                        "@%p0 mov.b64 %x1, 2;\n"
                        "mov.b64 %x2, 3; st.global.b64 [%o+8], %x2;\n"
                        "st.global.b64 [%o+16], %x1;"),
              ElementsAre(1, 3, 0xABABABABABABABABu));
}

TEST(Registers, LastAroundALoopThatReadsThemAtItsTop) {
  // x1 is written at the loop's end and read at its top, x5 is read there only; x2 and x3 live within
  // a round.
  EXPECT_THAT(
      WrittenBy("mov.b64 %x0, 0; mov.b64 %x1, 7; mov.b64 %x4, 0; mov.b64 %x5, 1;\n"
                "L:\nadd.u64 %x2, %x1, %x5;\nadd.u64 %x4, %x4, %x2;\n"
                "add.u64 %x3, %x0, 1;\nmov.b64 %x0, %x3;\nmul.lo.u64 %x1, %x0, 10;\n"
                "setp.lt.u64 %p0, %x0, 3;\n@%p0 bra L;\n"
                "st.global.b64 [%o], %x4; st.global.b64 [%o+8], %x1; st.global.b64 [%o+16], %x0;"),
      ElementsAre(8 + 11 + 21, 30, 3));
}

TEST(Registers, OfBranchesThatMeetAgainKeepTheirValues) {
  EXPECT_THAT(
      WrittenBy("mov.b64 %x0, 5; setp.eq.u32 %p0, %t, 0;\n@%p0 bra A;\n"
                "mov.b64 %x1, 6; bra B;\nA:\nmov.b64 %x1, 7;\nB:\n"
                "mov.b64 %x2, 8; add.u64 %x3, %x0, %x1;\n"
                "st.global.b64 [%o], %x3; st.global.b64 [%o+8], %x2; st.global.b64 [%o+16], %x0;"),
      ElementsAre(12, 8, 5));
}

}  // namespace
}  // namespace astitch::simt
