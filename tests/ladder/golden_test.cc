// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every golden plan of a GPU has a reduced graph of the same stages and homes, whose program runs
// right on the simulated device, in every order, and moves the bytes that its plan states.
#include "tests/ladder/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "stitch/machine.h"
#include "tests/ladder/device.h"
#include "tests/test_machine.h"

namespace astitch::testing {
namespace {

absl::StatusOr<Program> CompileGolden(const Golden& golden) {
  return CompileProgram(golden.reduced, TestTarget(golden.reduced_target), golden.fusion);
}

class OnDevice : public ::testing::TestWithParam<Golden> {};

TEST_P(OnDevice, TheReducedGraphHasTheSameStagesAndHomes) {
  ASSERT_NE(GetParam().reduced, "") << "no line 'reduced' in " << GetParam().name;
  const auto full = FullPlan(GetParam());
  const auto reduced = ReducedPlan(GetParam());
  ASSERT_TRUE(full.ok()) << full.status();
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  EXPECT_EQ(Structure(*full), Structure(*reduced));
}

TEST_P(OnDevice, RunsRightInEveryOrderTwiceInARow) {
  const auto program = CompileGolden(GetParam());
  ASSERT_TRUE(program.ok()) << program.status();
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom, simt::Order::kStarve}) {
    SimulatorOptions options;
    options.order = order;
    options.seed = 11;
    options.traffic = false;
    EXPECT_EQ(Fault(*program, RunProgram(*program, options, 2)), "")
        << "order " << static_cast<int>(order);
  }
}

// PROGRAM with every cooperative kernel launched as BLOCKS_OF says.
Program WithGrid(Program program, absl::FunctionRef<int64_t(const PtxKernelStep&)> blocks_of) {
  for (Step& step : program.image.steps) {
    auto* kernel = std::get_if<PtxKernelStep>(&step);
    if (kernel != nullptr && kernel->cooperative) kernel->grid = blocks_of(*kernel);
  }
  return program;
}

// Blocks that wait for each other: as few as possible, as many as the device holds, one too many.
TEST_P(OnDevice, GridBarriersHoldForAsManyBlocksAsAreResident) {
  const auto program = CompileGolden(GetParam());
  ASSERT_TRUE(program.ok()) << program.status();
  const auto is_cooperative = [](const Step& step) {
    const auto* kernel = std::get_if<PtxKernelStep>(&step);
    return kernel != nullptr && kernel->cooperative;
  };
  const auto& steps = program->image.steps;
  if (std::none_of(steps.begin(), steps.end(), is_cooperative)) return;
  const Program fewest = WithGrid(*program, [](const PtxKernelStep&) { return 1; });
  EXPECT_EQ(Fault(fewest, RunProgram(fewest, {}, 2)), "");
  const Program most =
      WithGrid(*program, [](const PtxKernelStep& kernel) { return kernel.resident_blocks; });
  EXPECT_EQ(Fault(most, RunProgram(most, {}, 2)), "");
  const Program too_many =
      WithGrid(*program, [](const PtxKernelStep& kernel) { return kernel.resident_blocks + 1; });
  EXPECT_TRUE(absl::IsFailedPrecondition(RunProgram(too_many, {}).status));
}

int64_t PlannedBytes(const Plan& plan) {
  int64_t bytes = 0;
  for (const PlanStep& step : plan.steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) bytes += kernel->traffic.total();
  }
  return bytes;
}

// What a step moved of each of its buffers, and in how many stages it was read.
struct Moved {
  simt::BufferTraffic traffic;
  int stages_that_read = 0;
};
std::map<std::string, Moved> MovedBy(const SimulatedStep& step) {
  std::map<std::string, Moved> moved;
  for (const simt::StageCounts& stage : step.stages) {
    for (size_t b = 0; b < stage.buffers.size(); ++b) {
      Moved& of = moved[step.buffers[b]];
      of.traffic += stage.buffers[b];
      of.stages_that_read += stage.buffers[b].l2_load_sectors > 0;
    }
  }
  return moved;
}

constexpr int64_t kSector = 32;

// What may be missed of BYTES of a tensor: nothing where it is small, else 3%.
int64_t Slack(int64_t bytes) {
  constexpr int64_t kSmall = 64 << 10;
  return bytes < kSmall ? 0 : bytes * 3 / 100;
}

// SECTORS are those of a tensor of BYTES that moves once.
void ExpectMovedOnce(int64_t sectors, int64_t bytes, const std::string& what) {
  const int64_t once = CeilDiv(bytes, kSector);
  EXPECT_GE(sectors, once) << what;
  EXPECT_LE(sectors, once + Slack(bytes) / kSector) << what;
}

bool HasUser(const Instruction& value, std::initializer_list<Opcode> opcodes) {
  return std::any_of(value.users().begin(), value.users().end(), [&](const Instruction* user) {
    return std::find(opcodes.begin(), opcodes.end(), user->opcode()) != opcodes.end();
  });
}

// Only those of its elements are read that indices name: of updates, those that go anywhere.
bool IsLookedUp(const Instruction& value) {
  const bool updates =
      std::any_of(value.users().begin(), value.users().end(), [&](const Instruction* user) {
        const auto operands = user->operands();
        return user->opcode() == Opcode::kScatter && operands[operands.size() - 1] == &value;
      });
  return updates || HasUser(value, {Opcode::kGather, Opcode::kDynamicSlice});
}

bool IsReadAgain(const Plan& plan, const Instruction& input) {
  return std::any_of(plan.ledger.begin(), plan.ledger.end(), [&](const LedgerEntry& entry) {
    return entry.producer == &input && entry.reason == "read-again";
  });
}

// What KERNEL of PLAN moved, beside what it states: each tensor that it reads or writes once, and
// the sum of all that moves, of some several times.
void ExpectMovedAsStated(const Plan& plan, const KernelPlan& kernel, const SimulatedStep& step) {
  std::map<std::string, Moved> moved = MovedBy(step);
  int64_t slack = 0, largest = 0;
  bool looks_up = false;
  for (const Instruction* input : kernel.inputs)
    largest = std::max(largest, input->shape().byte_size());
  for (const Instruction* input : kernel.inputs) {
    const int64_t bytes = input->shape().byte_size();
    const Moved& of = moved["%" + input->name()];
    slack += kSector + Slack(bytes);
    looks_up |= IsLookedUp(*input);
    if (IsReadAgain(plan, *input) || IsLookedUp(*input)) continue;
    ExpectMovedOnce(of.traffic.dram_read_sectors, bytes, input->name());
    // Not those that are broadcast: every row reads them, from the cache.
    const bool each_once = bytes == largest && !HasUser(*input, {Opcode::kBroadcast});
    if (of.stages_that_read == 1 && each_once) {
      EXPECT_LE(of.traffic.l2_load_sectors * kSector, bytes * 103 / 100) << input->name();
    }
  }
  for (const Instruction* output : kernel.outputs) {
    const int64_t bytes = output->shape().byte_size();
    ExpectMovedOnce(moved["%" + output->name()].traffic.dram_write_sectors, bytes, output->name());
    slack += kSector + Slack(bytes);
  }
  // Scratch that is written and read in the cache ends in memory when all is over: nobody waits.
  int64_t total = 0;
  for (const auto& [buffer, of] : moved) {
    const bool own = buffer == "scratch" || buffer == "barrier";
    total += (of.traffic.dram_read_sectors + (own ? 0 : of.traffic.dram_write_sectors)) * kSector;
  }
  EXPECT_LE(total, kernel.traffic.total() + slack);
  if (!looks_up) {
    EXPECT_GE(total, kernel.traffic.total() - slack);
  }
  for (const simt::StageCounts& stage : step.stages)
    EXPECT_EQ(stage.bank_conflicts, 0) << stage.stage;
}

// A part of the device has its part of the second-level cache. The whole device's is made as small,
// beside the graph, as it is beside the full graph.
int64_t CacheBytes(const Golden& golden, const Plan& full, const Plan& reduced) {
  const int64_t bytes = TestMachine(golden.reduced_target)->l2_bytes;
  if (golden.reduced_target != golden.target) return bytes;
  return static_cast<int64_t>(bytes * (static_cast<double>(PlannedBytes(reduced)) /
                                       static_cast<double>(PlannedBytes(full))));
}

TEST_P(OnDevice, MovesTheBytesThatItsPlanStates) {
  const auto full = FullPlan(GetParam());
  const auto reduced = ReducedPlan(GetParam());
  const auto program = CompileGolden(GetParam());
  ASSERT_TRUE(full.ok() && reduced.ok() && program.ok()) << program.status();
  SimulatorOptions options;
  options.l2_bytes = CacheBytes(GetParam(), *full, *reduced);
  const Outcome outcome = RunProgram(*program, options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.log.size(), reduced->steps.size());
  for (size_t s = 0; s < outcome.log.size(); ++s) {
    const auto* kernel = std::get_if<KernelPlan>(&reduced->steps[s]);
    if (kernel != nullptr) ExpectMovedAsStated(*reduced, *kernel, outcome.log[s]);
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, OnDevice, ::testing::ValuesIn(GpuGoldens()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace astitch::testing
