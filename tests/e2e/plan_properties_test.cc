// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the cases say about plans: order, residence, shared memory, repeated evaluation.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "astitch/compile.h"
#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "gtest/gtest.h"
#include "plan/plan_text.h"
#include "stitch/machine.h"
#include "tests/e2e/example.h"

namespace astitch::testing {
namespace {

Plan PlanOf(const std::string& file, const std::string& target,
            const std::string& fusion = "stitch") {
  const auto graph = LoadGraph(absl::StrCat(ASTITCH_TEST_DATA, "/cases/", file));
  EXPECT_TRUE(graph.ok()) << graph.status();
  CompileOptions options;
  options.target = target;
  options.fusion = fusion;
  options.plan_only = true;
  options.threads = 2;
  const auto compiled = Compile(**graph, options);
  EXPECT_TRUE(compiled.ok()) << RenderError(compiled.status(), file);
  if (!compiled.ok()) return {};
  const std::string text = (*compiled)->PlanText();
  const auto parts = SplitPlanText(text);
  auto plan = ParsePlan(parts->lines, *ParseHloText(parts->graph));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

std::vector<const KernelPlan*> KernelsOf(const Plan& plan) {
  std::vector<const KernelPlan*> out;
  for (const PlanStep& step : plan.steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) out.push_back(kernel);
  }
  return out;
}

std::string MachineFile(const std::string& name) {
  return absl::StrCat(ASTITCH_TEST_DATA, "/machines/", name, ".json");
}

// What reshapes rename is the same memory.
const Instruction* Memory(const Instruction* value) {
  while (value->opcode() == Opcode::kReshape || value->opcode() == Opcode::kBitcast)
    value = value->operand(0);
  return value;
}

TEST(PlanPropertiesTest, StepsReadOnlyWhatEarlierStepsWrote) {
  for (const char* target : {"host", "a100"}) {
    for (const std::string& name : ExampleNames("cases")) {
      SCOPED_TRACE(absl::StrCat(name, " for ", target));
      const Plan plan = PlanOf(name + "/graph.hlo", target);
      absl::flat_hash_set<const Instruction*> written;
      for (const PlanStep& step : plan.steps) {
        std::vector<const Instruction*> reads, writes;
        ReadsAndWrites(step, reads, writes);
        for (const Instruction* read : reads) {
          const Instruction* memory = written.contains(read) ? read : Memory(read);
          const bool given =
              memory->opcode() == Opcode::kParameter || memory->opcode() == Opcode::kConstant;
          EXPECT_TRUE(given || written.contains(memory)) << memory->name();
        }
        written.insert(writes.begin(), writes.end());
      }
    }
  }
}

TEST(PlanPropertiesTest, AGridThatWaitsForItselfIsResident) {
  for (const char* name : {"one-sm", "twenty-sms"}) {
    const auto json = ReadFile(MachineFile(name));
    ASSERT_TRUE(json.ok()) << json.status();
    const auto machine = ParseMachine(*json, name);
    ASSERT_TRUE(machine.ok()) << machine.status();
    const Plan plan = PlanOf("024-dependent-whole-array-reductions/graph.hlo",
                             absl::StrCat("@", MachineFile(name)));
    int cooperative = 0;
    for (const KernelPlan* kernel : KernelsOf(plan)) {
      const Launch& launch = kernel->launch;
      if (!launch.cooperative) continue;
      ++cooperative;
      EXPECT_LE(launch.grid, launch.blocks_per_sm * machine->num_sms);
      EXPECT_LE(launch.blocks_per_sm * launch.block, machine->max_threads_per_sm);
      EXPECT_LE(launch.blocks_per_sm * launch.block * launch.registers, machine->registers_per_sm);
      EXPECT_LE(launch.blocks_per_sm * launch.shared_bytes, machine->shared_bytes_per_sm);
    }
    EXPECT_GE(cooperative, 1) << "nothing was tested";
  }
}

TEST(PlanPropertiesTest, SharedMemoryFitsEveryMachine) {
  for (const std::string& name : ListMachines()) {
    const Plan plan = PlanOf("027-48-column-reductions-at-once/graph.hlo", name);
    for (const KernelPlan* kernel : KernelsOf(plan))
      EXPECT_LE(kernel->launch.shared_bytes, FindMachine(name)->shared_bytes_per_block) << name;
  }
}

bool IsTranscendental(const Instruction& value) {
  return value.opcode() == Opcode::kPower || value.opcode() == Opcode::kExponential;
}

// Evaluations of costly operations that STAGE's roots ask for at each of its points, down to what
// memory or a root of an earlier stage holds.
int64_t EvaluationsOf(const KernelPlan& kernel, const Phase& phase, const Stage& stage,
                      absl::flat_hash_set<const Instruction*>& stored) {
  absl::flat_hash_set<const Instruction*> seen(kernel.inputs.begin(), kernel.inputs.end());
  std::vector<const Instruction*> stack;
  for (const Root& root : stage.roots) {
    if (root.kind != RootKind::kCombine) stack.push_back(root.value);
  }
  int64_t costly = 0, points = phase.num_rows();
  for (int64_t extent : stage.columns) points *= extent;
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    if (stored.contains(value) || !seen.insert(value).second) continue;
    costly += IsTranscendental(*value) ? 1 : 0;
    for (const Instruction* operand : value->operands()) stack.push_back(operand);
  }
  for (const Root& root : stage.roots) {
    if (!root.partial) stored.insert(root.value);
  }
  return costly * points;
}

int64_t EvaluationsOf(const Plan& plan) {
  int64_t evaluations = 0;
  for (const KernelPlan* kernel : KernelsOf(plan)) {
    absl::flat_hash_set<const Instruction*> stored;
    for (const Phase& phase : kernel->phases) {
      for (const Stage& stage : phase.stages)
        evaluations += EvaluationsOf(*kernel, phase, stage, stored);
    }
  }
  return evaluations;
}

TEST(PlanPropertiesTest, CostlyValuesAreEvaluatedOnceARow) {
  const std::pair<const char*, int64_t> cases[] = {
      {"026-costly-chain-before-broadcast/graph.hlo", 6144},
      {"029-four-kernels-to-one/graph.hlo", 48}};
  for (const auto& [file, most] : cases) {
    for (const char* target : {"host", "a100"}) {
      EXPECT_LE(EvaluationsOf(PlanOf(file, target)), most) << file << " for " << target;
    }
  }
  // The same count finds what a plan without stitching does.
  EXPECT_GT(EvaluationsOf(PlanOf(cases[0].first, "host")), 0);
}

TEST(PlanPropertiesTest, FourKernelsBecomeOneThatMovesEachByteOnce) {
  const std::string file = "029-four-kernels-to-one/graph_large.hlo";
  const Plan plan = PlanOf(file, "a100");
  ASSERT_EQ(plan.num_kernels(), 1);
  const KernelPlan& kernel = *KernelsOf(plan)[0];
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
  int partial = 0, combined = 0;
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.value->name() != "reduce.2") continue;
        partial += root.partial ? 1 : 0;
        combined += root.kind == RootKind::kCombine ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(partial, 1);
  EXPECT_EQ(combined, 1);
  // Read by the first stage, and from the registers by the second.
  const auto kept =
      std::find_if(kernel.placements.begin(), kernel.placements.end(),
                   [](const Placement& p) { return p.value->name() == "parameter.2"; });
  ASSERT_NE(kept, kernel.placements.end());
  EXPECT_EQ(kept->keep, Keep::kRegisters);
  EXPECT_GE(PlanOf(file, "a100", "xla").num_kernels(), 3);
}

}  // namespace
}  // namespace astitch::testing
