// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every example gives its expected values on the interpreter and on the host, with and without
// stitching and with one worker and two.
#include <string>

#include "absl/strings/match.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/guarded_run.h"
#include "gtest/gtest.h"
#include "interp/interpreter.h"
#include "tensor_io/layout.h"
#include "tests/e2e/example.h"

namespace astitch::testing {
namespace {

// cases/NNN-name or corpus/name
class ExampleTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string folder = GetParam().substr(0, GetParam().find('/'));
    const std::string name = GetParam().substr(folder.size() + 1);
    absl::StatusOr<Example> example = folder == "cases" ? LoadCase(name) : LoadEntry(name);
    ASSERT_TRUE(example.ok()) << example.status();
    example_ = *std::move(example);
  }

  // A refusal names the instruction and where it stands; anything else is a failure.
  void ExpectLocatedRefusal(const absl::Status& status) {
    const std::string text = RenderError(status, "graph.hlo");
    EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsUnimplemented(status)) << text;
    EXPECT_TRUE(absl::StartsWith(text, "graph.hlo:")) << text;
    EXPECT_TRUE(absl::StrContains(text, "%")) << text;
  }

  Example example_;
};

TEST_P(ExampleTest, InterpreterIsRight) {
  if (example_.heavy) GTEST_SKIP() << "too much for the interpreter";
  const auto value =
      Evaluate(*example_.graph, AssembleParameters(*example_.graph, example_.inputs));
  if (!value.ok() && example_.may_be_refused) return;
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(Judge(ArrayLeaves(*value), example_.outputs), "");
}

TEST_P(ExampleTest, HostIsRightAndStitchedPlansGiveOneWorkerTheSameBits) {
  CompileOptions options;
  options.threads = 2;
  const auto stitched = Compile(*example_.graph, options);
  if (!stitched.ok() && (example_.may_be_refused || !example_.all_targets))
    return ExpectLocatedRefusal(stitched.status());
  ASSERT_TRUE(stitched.ok()) << RenderError(stitched.status(), "graph.hlo");
  const auto two =
      RunGuarded(*example_.graph, *(*stitched)->executable(), example_.inputs, Place::kAtEnd);
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(Judge(*two, example_.outputs), "");
  options.threads = 1;
  const auto again = CompilePlan((*stitched)->PlanText(), options);
  ASSERT_TRUE(again.ok()) << again.status();
  const auto one =
      RunGuarded(*example_.graph, *(*again)->executable(), example_.inputs, Place::kAtStart);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_TRUE(*one == *two) << "one worker gives other bits than two";
}

TEST_P(ExampleTest, HostIsRightWithoutStitching) {
  CompileOptions options;
  options.threads = 2;
  options.fusion = "none";
  const auto compiled = Compile(*example_.graph, options);
  if (!compiled.ok() && (example_.may_be_refused || !example_.all_targets))
    return ExpectLocatedRefusal(compiled.status());
  ASSERT_TRUE(compiled.ok()) << RenderError(compiled.status(), "graph.hlo");
  const auto got =
      RunGuarded(*example_.graph, *(*compiled)->executable(), example_.inputs, Place::kAtEnd);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(Judge(*got, example_.outputs), "");
}

std::vector<std::string> AllExamples() {
  std::vector<std::string> out;
  for (const char* folder : {"cases", "corpus"}) {
    for (const std::string& name : ExampleNames(folder)) {
      // Has a test of its own, in a process of its own.
      if (absl::StartsWith(name, "008")) continue;
      out.push_back(absl::StrCat(folder, "/", name));
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Data, ExampleTest, ::testing::ValuesIn(AllExamples()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace astitch::testing
