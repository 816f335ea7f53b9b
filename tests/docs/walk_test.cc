// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The softmax that ARCHITECTURE.md walks through every stage: each text is made again by the
// library and compared with what the document says.
//
// The host's plan is made for a machine file and its code for a CPU by name, so that the texts are
// the same wherever the test runs.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "astitch/compile.h"
#include "base/file.h"
#include "codegen/host/host_compiler.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "frontend/hlo_text/parser.h"
#include "plan/plan_text.h"
#include "tests/docs/marked_text.h"

namespace astitch {
namespace {

constexpr char kDocument[] = "ARCHITECTURE.md";

std::string InputText() {
  return ReadFile(absl::StrCat(ASTITCH_SOURCE_DIR, "/examples/softmax.hlo")).value();
}

std::unique_ptr<Compiled> CompileFor(const std::string& target) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(InputText());
  EXPECT_TRUE(graph.ok()) << graph.status();
  CompileOptions options;
  options.target = target;
  options.plan_only = true;
  auto compiled = Compile(**graph, options);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return *std::move(compiled);
}

std::unique_ptr<Compiled> CompileForHost() {
  return CompileFor(absl::StrCat("@", ASTITCH_TEST_DATA, "/machines/host2.json"));
}

// The part of a plan's text that is the plan's own, without ledger and graph.
std::string StepsOf(const std::string& plan) { return plan.substr(0, plan.find("\nledger ") + 1); }

// The lines of ENTRY, which is where the passes work.
std::string EntryOf(const std::string& hlo) {
  const std::string text = hlo.substr(hlo.find("ENTRY "));
  return text.substr(0, text.find("\n}\n") + 3);
}

// The basic block of CODE that holds the first occurrence of WORDS.
std::string BlockWith(const std::string& code, absl::string_view between, absl::string_view words) {
  for (absl::string_view block : absl::StrSplit(code, between)) {
    if (absl::StrContains(block, words)) return absl::StrCat(block, "\n");
  }
  return absl::StrCat("no block has ", words, "\n");
}

TEST(Walk, StartsFromTheExample) { ExpectMarkedCode(kDocument, "walk:hlo", "text", InputText()); }

TEST(Walk, Passes) {
  ExpectMarkedCode(kDocument, "walk:canonical", "text", EntryOf(CompileForHost()->CanonicalHlo()));
}

TEST(Walk, HostPlan) {
  ExpectMarkedCode(kDocument, "walk:plan", "text", StepsOf(CompileForHost()->PlanText()));
}

TEST(Walk, GpuPlan) {
  ExpectMarkedCode(kDocument, "walk:plan-h100", "text", StepsOf(CompileFor("h100")->PlanText()));
}

TEST(Walk, Ledger) {
  ExpectMarkedCode(kDocument, "walk:ledger", "text", CompileForHost()->LedgerText());
}

// A plan made of its text, as a user would hand it in.
Plan Reread(const std::string& text) {
  const absl::StatusOr<PlanTextParts> parts = SplitPlanText(text);
  EXPECT_TRUE(parts.ok()) << parts.status();
  auto plan = ParsePlan(parts->lines, ParseHloText(parts->graph).value());
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

// The loop of the first stage, the row's maximum.
TEST(Walk, HostCode) {
  const Plan plan = Reread(CompileForHost()->PlanText());
  const KernelPlan& kernel = std::get<KernelPlan>(plan.steps.at(0));
  HostCompileOptions options;
  options.cpu = "x86-64-v3";
  options.keep_ir = true;
  const absl::StatusOr<HostObject> object = CompileHostKernels({&kernel}, options);
  ASSERT_TRUE(object.ok()) << object.status();
  ExpectMarkedCode(kDocument, "walk:llvm", "llvm", BlockWith(object->ir, "\n\n", "fcmp"));
}

TEST(Walk, GpuCode) {
  const Plan plan = Reread(CompileFor("h100")->PlanText());
  const auto ptx = CompileToPtx(std::get<KernelPlan>(plan.steps.at(0)), {.sm = 90});
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  ExpectMarkedCode(kDocument, "walk:ptx", "text", "$" + BlockWith(ptx->text, "\n$", "ld.global"));
}

}  // namespace
}  // namespace astitch
