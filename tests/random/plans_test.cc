// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Properties of the plans of random graphs, which need no run:
//
//   every graph has a plan, or is refused by name
//   the plan is right, as far as a plan says so (plan/verify.h)
//   the same graph has the same plan
//   so has the same graph with its instructions in another order that respects operands (not by the
//   rules of XLA, which go by that order)
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of every commit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "frontend/hlo_text/parser.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "plan/verify.h"
#include "stitch/plan_limits.h"
#include "stitch/planner.h"
#include "tests/random/random_graph.h"
#include "tests/random/search.h"
#include "tests/test_machine.h"

namespace astitch::testing {
namespace {

constexpr uint32_t kGraphs = 3000;
constexpr int64_t kLargest = 100000;

MachineModel Host() {
  MachineModel host;
  host.name = "host4";
  host.kind = MachineModel::Kind::kHost;
  host.workers = 4;
  host.l2_bytes = 1 << 20;
  host.l3_bytes = 8 << 20;
  return host;
}

// Canonical: as the planner gets it.
std::unique_ptr<Graph> GraphOf(uint32_t seed) {
  std::unique_ptr<Graph> graph = MakeRandomGraph(OptionsOf(seed, kLargest));
  const auto ran = RunPasses(*graph, StandardPipeline());
  EXPECT_TRUE(ran.ok()) << ran.status();
  return graph;
}

// The lines of the entry's instructions in another order, each still behind those that it reads.
std::string Reordered(const Graph& graph, uint32_t seed) {
  std::vector<std::string> lines = absl::StrSplit(ToHloText(graph), '\n');
  size_t begin = 0;
  while (!absl::StartsWith(lines[begin], "ENTRY")) ++begin;
  ++begin;
  const auto& instructions = graph.entry()->instructions();
  absl::flat_hash_map<const Instruction*, size_t> number;
  for (size_t n = 0; n < instructions.size(); ++n) number[instructions[n].get()] = n;
  std::vector<size_t> waits(instructions.size(), 0), ready;
  std::vector<std::vector<size_t>> readers(instructions.size());
  for (size_t n = 0; n < instructions.size(); ++n) {
    for (const Instruction* operand : instructions[n]->operands()) {
      readers[number[operand]].push_back(n);
      ++waits[n];
    }
    if (waits[n] == 0) ready.push_back(n);
  }
  std::mt19937 random(seed);
  std::vector<std::string> out;
  while (!ready.empty()) {
    const size_t pick = random() % ready.size();
    const size_t n = ready[pick];
    ready[pick] = ready.back();
    ready.pop_back();
    out.push_back(lines[begin + n]);
    for (size_t reader : readers[n]) {
      if (--waits[reader] == 0) ready.push_back(reader);
    }
  }
  EXPECT_EQ(out.size(), instructions.size());
  std::copy(out.begin(), out.end(), lines.begin() + static_cast<int64_t>(begin));
  return absl::StrJoin(lines, "\n");
}

struct Tally {
  int plans = 0, refused = 0, kernels = 0, faults = 0;
  double plan_ms = 0, verify_ms = 0;
};

class Stopwatch {
 public:
  explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds) {}
  ~Stopwatch() {
    milliseconds_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
            .count();
  }

 private:
  double& milliseconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

absl::StatusOr<Plan> PlanOf(std::unique_ptr<Graph> graph, const MachineModel& machine,
                            Fusion fusion, Tally& tally) {
  Stopwatch watch(tally.plan_ms);
  return MakePlan(std::move(graph), machine, {fusion});
}

// A canonical graph, and the same in another order.
struct Subject {
  uint32_t seed = 0;
  std::unique_ptr<Graph> graph, reordered;
};

Subject SubjectOf(uint32_t seed) {
  Subject subject{seed, GraphOf(seed), nullptr};
  auto reordered = ParseHloText(Reordered(*subject.graph, seed));
  EXPECT_TRUE(reordered.ok()) << reordered.status();
  if (reordered.ok()) subject.reordered = *std::move(reordered);
  return subject;
}

void CheckPlan(const Subject& subject, const MachineModel& machine, Fusion fusion, Tally& tally) {
  const std::string where =
      absl::StrCat("seed ", subject.seed, ", ", machine.name, ", ", std::string(ToString(fusion)));
  const auto plan = PlanOf(subject.graph->Clone(), machine, fusion, tally);
  if (!plan.ok()) {
    ++tally.refused;
    EXPECT_NE(plan.status().message().find('%'), absl::string_view::npos)
        << where << ": refused without a name: " << plan.status();
    return;
  }
  ++tally.plans;
  tally.kernels += static_cast<int>(plan->num_kernels());
  VerifyOptions options;
  options.limits = LimitsOf(machine);
  absl::Status status;
  {
    Stopwatch watch(tally.verify_ms);
    status = VerifyPlan(*plan, options);
  }
  if (!status.ok()) {
    ++tally.faults;
    ADD_FAILURE() << where << ": " << status.message() << "\n" << ToText(*plan);
  }
  const std::string lines = PlanLines(*plan);
  Tally unmeasured;
  const auto expect_same = [&](const Graph& graph) {
    const auto again = PlanOf(graph.Clone(), machine, fusion, unmeasured);
    ASSERT_TRUE(again.ok()) << where << again.status();
    tally.faults += PlanLines(*again) != lines;
    EXPECT_EQ(PlanLines(*again), lines) << where << "\n" << ToHloText(graph);
  };
  expect_same(*subject.graph);
  // XLA puts siblings together in the order in which it meets them, and so does its baseline.
  if (fusion != Fusion::kXla && subject.reordered != nullptr) expect_same(*subject.reordered);
}

void CheckPlans(const std::vector<MachineModel>& machines, const std::vector<Fusion>& fusions,
                uint32_t graphs) {
  Tally tally;
  const auto [first, count] = Seeds(1, graphs);
  for (uint32_t seed = first; seed < first + count && tally.faults < 5; ++seed) {
    const Subject subject = SubjectOf(seed);
    for (const MachineModel& machine : machines) {
      for (Fusion fusion : fusions) CheckPlan(subject, machine, fusion, tally);
    }
  }
  std::cout << tally.plans << " plans of " << tally.kernels << " kernels, " << tally.refused
            << " refused; planned in " << tally.plan_ms << " ms, verified in " << tally.verify_ms
            << " ms\n";
  EXPECT_GT(tally.plans, tally.refused);
}

TEST(RandomPlans, AreRight) {
  CheckPlans({FindMachine("sm_80").value(), FindMachine("sm_90").value(),
              TestMachine("small-l2").value(), TestMachine("dear-barriers").value(), Host()},
             {Fusion::kStitch}, kGraphs);
}

TEST(RandomPlans, OfEveryGpuAreRight) {
  std::vector<MachineModel> machines;
  for (const std::string& name : ListMachines()) machines.push_back(FindMachine(name).value());
  CheckPlans(machines, {Fusion::kStitch}, kGraphs / 20);
}

TEST(RandomPlans, OfBaselinesAreRight) {
  CheckPlans({FindMachine("sm_80").value(), Host()}, {Fusion::kNone, Fusion::kTvm, Fusion::kXla},
             kGraphs / 10);
}

// Without any one of them, or where blocks no longer wait for each other, a plan is wrong: none waits in
// vain.
TEST(RandomPlans, EveryBarrierIsNeeded) {
  const MachineModel machine = FindMachine("sm_80").value();
  VerifyOptions options;
  options.limits = LimitsOf(machine);
  Tally tally;
  int of_grid = 0, of_block = 0;
  const auto [first, count] = Seeds(1, kGraphs / 4);
  for (uint32_t seed = first; seed < first + count; ++seed) {
    auto plan = PlanOf(GraphOf(seed), machine, Fusion::kStitch, tally);
    if (!plan.ok()) continue;
    for (PlanStep& step : plan->steps) {
      auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel == nullptr) continue;
      for (Phase& phase : kernel->phases) {
        if (phase.barrier == PhaseBarrier::kNone) continue;
        const bool grid = phase.barrier == PhaseBarrier::kGrid;
        const PhaseBarrier weaker = grid ? PhaseBarrier::kBlock : PhaseBarrier::kNone;
        const PhaseBarrier barrier = std::exchange(phase.barrier, weaker);
        const std::string fault(VerifyPlan(*plan, options).message());
        phase.barrier = barrier;
        ++(grid ? of_grid : of_block);
        EXPECT_THAT(fault, ::testing::HasSubstr(
                               absl::StrCat("expected a barrier of the ", ToString(barrier))))
            << "seed " << seed << ", " << kernel->name << ", phase "
            << &phase - kernel->phases.data() << ": " << fault << "\n"
            << ToText(*plan);
      }
    }
  }
  std::cout << of_grid << " barriers of the grid, " << of_block << " of the block\n";
  EXPECT_GT(of_grid, 20);
  EXPECT_GT(of_block, 20);
}

}  // namespace
}  // namespace astitch::testing
