// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where emitted texts go.
#include "tools/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "tests/tools/command.h"

namespace astitch {
namespace {

TEST(Emit, WordsBecomeKinds) {
  EXPECT_THAT(ParseEmitKinds({"plan", "ledger.json", "ptx"}).value(),
              testing::ElementsAre(EmitKind::kPlan, EmitKind::kLedgerJson, EmitKind::kPtx));
  EXPECT_THAT(std::string(ParseEmitKinds({"plam"}).status().message()),
              testing::HasSubstr("did you mean plan"));
  EXPECT_FALSE(ParseEmitKinds({""}).ok());
}

TEST(Emit, KernelsHaveNumberedFilesOfSafeNames) {
  EXPECT_EQ(KernelFileName(3, "softmax.1", EmitKind::kPtx), "k03-softmax.1.ptx");
  EXPECT_EQ(KernelFileName(123, "../a b", EmitKind::kAsm), "k123-.._a_b.s");
  EXPECT_LT(KernelFileName(0, std::string(1000, 'x'), EmitKind::kLlvm).size(), 120u);
}

TEST(Emit, OneKindGoesToOneFileEvenOfSeveralKernels) {
  const std::string folder = FreshFolder();
  const std::string file = folder + "/all.ll";
  ASSERT_TRUE(
      WriteEmitted({{EmitKind::kLlvm, "k00-a.ll", "A\n"}, {EmitKind::kLlvm, "k01-b.ll", "B\n"}}, 1,
                   file)
          .ok());
  EXPECT_EQ(ReadFile(file).value(), "; k00-a.ll\nA\n; k01-b.ll\nB\n");
  std::filesystem::remove_all(folder);
}

TEST(Emit, APlanWithoutKernelsHasAnEmptyText) {
  const std::string folder = FreshFolder();
  const std::string file = folder + "/none.ptx";
  ASSERT_TRUE(WriteEmitted({}, 1, file).ok());
  EXPECT_EQ(ReadFile(file).value(), "");
  std::filesystem::remove_all(folder);
}

TEST(Emit, PtxOfSeveralKernelsIsOneModule) {
  const std::string folder = FreshFolder();
  const std::string file = folder + "/all.ptx";
  const std::string a =
      ".version 7.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 s[];\nA\n";
  const std::string b =
      ".version 8.1\n.target sm_90\n.address_size 64\n.extern .shared .align 128 .b8 s[];\nB\n";
  ASSERT_TRUE(
      WriteEmitted({{EmitKind::kPtx, "k00-a.ptx", a}, {EmitKind::kPtx, "k01-b.ptx", b}}, 1, file)
          .ok());
  EXPECT_EQ(ReadFile(file).value(),
            ".version 8.1\n.target sm_90\n.address_size 64\n\n"
            ".extern .shared .align 128 .b8 s[];\n// k00-a.ptx\nA\n// k01-b.ptx\nB\n");
  std::filesystem::remove_all(folder);
}

TEST(Emit, SeveralKindsGoToAFolder) {
  const std::string folder = FreshFolder();
  const std::vector<EmittedText> texts = {{EmitKind::kPlan, "plan.txt", "P"},
                                          {EmitKind::kAsm, "k00-a.s", "A"}};
  ASSERT_TRUE(WriteEmitted(texts, 2, folder + "/new/deep").ok());
  EXPECT_EQ(ReadFile(folder + "/new/deep/plan.txt").value(), "P");
  EXPECT_EQ(ReadFile(folder + "/new/deep/k00-a.s").value(), "A");
  EXPECT_FALSE(WriteEmitted(texts, 2, "-").ok());
  EXPECT_FALSE(WriteEmitted(texts, 2, folder + "/new/deep/plan.txt").ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace astitch
