// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The verifier takes every plan that is right: the golden ones, those written by hand, those of
// the corpus's fragments. Of plans with one word changed it names the fault. What it takes and
// refuses beyond that is seen by tests/random/plans_test.cc.
#include "plan/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "stitch/plan_limits.h"
#include "stitch/planner.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(ASTITCH_TEST_DATA, "/", folder)))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

MachineModel Machine(absl::string_view name) {
  return TestMachine(name == "host" ? "host2" : name).value();
}

// A plan's text as a file has it: after lines of "// ", the plan's lines, "graph", HLO text.
absl::StatusOr<Plan> PlanFromText(std::string text) {
  while (absl::StartsWith(text, "// ")) text.erase(0, text.find('\n') + 1);
  if (!absl::StartsWith(text, "plan 1")) text = "plan 1\ntarget a100 fusion=stitch\n" + text;
  ASTITCH_ASSIGN_OR_RETURN(const PlanTextParts parts, SplitPlanText(text));
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(parts.graph));
  return ParsePlan(parts.lines, std::move(graph));
}

absl::StatusOr<Plan> Planned(const std::string& hlo, const MachineModel& machine, Fusion fusion) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(hlo));
  ASTITCH_RETURN_IF_ERROR(RunPasses(*graph, StandardPipeline()).status());
  return MakePlan(std::move(graph), machine, {fusion});
}

absl::Status Verify(const Plan& plan, const MachineModel& machine) {
  VerifyOptions options;
  options.limits = LimitsOf(machine);
  return VerifyPlan(plan, options);
}

TEST(VerifyPlan, TakesGoldenPlans) {
  for (const std::string& file : FilesIn("plans")) {
    std::string text = ReadFile(file).value();
    text.erase(text.find("==== plan\n"));
    const std::vector<std::string> lines = absl::StrSplit(text, absl::MaxSplits('\n', 2));
    const std::vector<std::string> target = absl::StrSplit(lines[0], ' '),
                                   fusion = absl::StrSplit(lines[1], ' ');
    const std::string hlo = text.substr(text.find("HloModule"));
    const MachineModel machine = Machine(target[1]);
    const auto plan = Planned(hlo, machine, ParseFusion(fusion[1]).value());
    ASSERT_TRUE(plan.ok()) << file << ": " << plan.status();
    EXPECT_EQ(Verify(*plan, machine), absl::OkStatus()) << file;
  }
}

TEST(VerifyPlan, TakesPlansWrittenByHand) {
  VerifyOptions options;
  options.complete = false;  // they leave out registers and the ledger
  for (const std::string& file : FilesIn("plans-by-hand")) {
    const auto plan = PlanFromText(ReadFile(file).value());
    ASSERT_TRUE(plan.ok()) << file << ": " << plan.status();
    for (const PlanStep& step : plan->steps)
      EXPECT_EQ(VerifyKernel(std::get<KernelPlan>(step), options), absl::OkStatus()) << file;
  }
}

// Machines state the clusters that every launch may have; more is for those who say so.
TEST(VerifyPlan, RefusesClustersThatTheMachineDoesNotLaunch) {
  const auto plan =
      PlanFromText(ReadFile(ASTITCH_TEST_DATA "/plans-by-hand/cluster-of-ten.txt").value());
  ASSERT_TRUE(plan.ok()) << plan.status();
  VerifyOptions options;
  options.complete = false;
  options.limits = LimitsOf(Machine("h100"));
  const absl::Status status = VerifyKernel(std::get<KernelPlan>(plan->steps[0]), options);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("phase 0: expected at most 8 blocks of a cluster, got 10"));
  options.limits->cluster = 16;
  EXPECT_EQ(VerifyKernel(std::get<KernelPlan>(plan->steps[0]), options), absl::OkStatus());
}

TEST(VerifyPlan, TakesPlansOfTheCorpus) {
  int plans = 0;
  for (const std::string& folder : FilesIn("corpus")) {
    const absl::StatusOr<std::string> hlo = ReadFile(folder + "/module.hlo");
    if (!hlo.ok()) continue;
    for (const char* name : {"a100", "h100", "host"}) {
      const MachineModel machine = Machine(name);
      const auto plan = Planned(*hlo, machine, Fusion::kStitch);
      if (!plan.ok()) continue;  // loops, sorts: refused by name
      ++plans;
      EXPECT_EQ(Verify(*plan, machine), absl::OkStatus()) << folder << ", " << name;
    }
  }
  EXPECT_GT(plans, 100);
}

struct Broken {
  const char* name;
  const char* file;
  const char* from;  // what TO replaces, once
  const char* to;
  const char* fault;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.fault; }

constexpr char kRows[] = "plans-to-break/rows.a100.txt";
constexpr char kStates[] = "plans-to-break/states.a100.txt";
constexpr char kColumns[] = "plans-to-break/columns.a100.txt";
constexpr char kHost[] = "plans-to-break/columns.host.txt";
constexpr char kSlices[] = "plans-to-break/slices.modest-l2.txt";
constexpr char kStays[] = "plans-by-hand/stays.txt";
constexpr char kOtherRows[] = "plans-to-break/other-rows.a100.txt";
constexpr char kTwoPhases[] =
    "  phase rows=[64] threads_per_row=128\n"
    "    stage columns=[512] vector=4\n"
    "      reduce %m over=columns map=(0)(1)\n"
    "  phase rows=[64] barrier=grid threads_per_row=128\n";
constexpr char kTwoSliced[] =
    "  phase rows=[64] threads_per_row=128 slice=16\n"
    "    stage columns=[512] vector=4\n"
    "      reduce %m over=columns map=(0)(1)\n"
    "  phase rows=[64] barrier=grid threads_per_row=128 slice=16\n";
constexpr char kChain[] = "plans-to-break/chain.a100.txt";
constexpr char kChainOfThree[] =
    "rows_at_once=64\n"
    "    stage columns=[] vector_rows=1\n"
    "      store %b map=(0)\n"
    "  phase rows=[64] barrier=grid rows_per_task=32 tile_rows=64 rows_at_once=64\n"
    "    stage columns=[] vector_rows=1\n"
    "      store %c map=(0)\n";
constexpr char kSlicedChain[] =
    "rows_at_once=64 slice=32\n"
    "    stage columns=[] vector_rows=1\n"
    "      store %b map=(0)\n"
    "  phase rows=[64] barrier=grid rows_per_task=32 tile_rows=64 rows_at_once=64 slice=32\n"
    "    stage columns=[] vector_rows=1\n"
    "      store %c map=(0)\n";
constexpr char kScan[] = "plans-to-break/scan.a100.txt";
constexpr char kFromTheEnd[] = "plans-to-break/scan-from-the-end.a100.txt";
constexpr char kReadAgain[] = "plans-to-break/scan-read-again.a100.txt";
constexpr char kScans[] = "plans-to-break/scans.a100.txt";
constexpr char kFoldedBefore[] =
    "  phase rows=[300] rows_per_task=2 tile_rows=2 threads_per_row=32 rows_at_once=2\n"
    "    stage columns=[64] vector=2\n"
    "      reduce %p over=columns map=(0)(1)\n"
    "  phase rows=[] cols_per_task=256 threads_per_row=64\n"
    "    stage columns=[20,65]\n"
    "      store %s map=(0)(1)\n"
    "  phase rows=[300] barrier=grid rows_per_task=4 tile_rows=2 cols_per_task=32 "
    "threads_per_row=32 rows_at_once=2\n";
constexpr char kFoldedBeside[] =
    "  phase rows=[] cols_per_task=256 threads_per_row=64\n"
    "    stage columns=[20,65]\n"
    "      store %s map=(0)(1)\n"
    "  phase rows=[300] barrier=grid rows_per_task=4 tile_rows=2 threads_per_row=32 "
    "rows_at_once=2\n"
    "    stage columns=[64] vector=2\n"
    "      reduce %p over=columns map=(0)(1)\n";
constexpr char kBlock[] = "plans-to-break/block.a100.txt";
constexpr char kBlockColumns[] = "plans-by-hand/block-columns.txt";
constexpr char kBlockFlags[] = "plans-by-hand/block-flags.txt";
constexpr char kScatterInScratch[] = "plans-by-hand/scatter-in-scratch.txt";
constexpr char kRepeatedCombine[] =
    "  phase rows=[2] barrier=grid threads_per_row=64 repeated=1\n"
    "    stage columns=[2]\n"
    "      combine %sm over=columns map=(0) parts=2 partial_inner=2\n"
    "    stage columns=[1000] vector=4\n"
    "      reduce %q over=columns map=(0)(1)\n";
constexpr char kRepeatedFold[] =
    "  phase rows=[2] threads_per_row=64 repeated=1\n"
    "    stage columns=[1000] vector=4\n"
    "      reduce %q over=columns map=(0)(1)\n"
    "  phase rows=[2] barrier=grid threads_per_row=64 repeated=1\n"
    "    stage columns=[2]\n"
    "      combine %sm over=columns map=(0) parts=2 partial_inner=2\n";
constexpr char kReadAndTaken[] =
    "  phase rows=[21] barrier=block rows_per_task=7 tile_rows=2 threads_per_row=32 "
    "rows_at_once=2\n"
    "    stage columns=[300] vector=4\n"
    "      store %e map=(0)(1)\n"
    "    stage columns=[300] barrier=warp vector=4\n"
    "      store %y map=(0)(1)\n"
    "  phase rows=[21] barrier=block rows_per_task=7 tile_rows=2 threads_per_row=32 "
    "rows_at_once=2\n";
constexpr char kReadAndTakenInSlices[] =
    "  phase rows=[21] barrier=block rows_per_task=7 tile_rows=2 threads_per_row=32 rows_at_once=2 "
    "slice=7\n"
    "    stage columns=[300] vector=4\n"
    "      store %e map=(0)(1)\n"
    "    stage columns=[300] barrier=warp vector=4\n"
    "      store %y map=(0)(1)\n"
    "  phase rows=[21] barrier=block rows_per_task=7 tile_rows=2 threads_per_row=32 rows_at_once=2 "
    "slice=7\n";
constexpr char kStoredAgain[] =
    "    stage columns=[]\n"
    "      store %t map=(0)\n"
    "  phase rows=[300] rows_per_task=32 tile_rows=4 threads_per_row=16 rows_at_once=4 "
    "repeated=1\n"
    "    stage columns=[]\n"
    "      store %t map=(0)\n";
constexpr char kScatter[] = "plans-by-hand/scatter.txt";
constexpr char kFlags[] = "plans-by-hand/flags.txt";
constexpr char kCluster[] = "plans-by-hand/cluster-home.txt";
constexpr char kKept[] = "plans-by-hand/kept-shared.txt";
constexpr char kComputed[] = "plans-by-hand/kept-shared-computed.txt";
constexpr char kTurned[] = "plans-by-hand/turned.txt";
constexpr char kChunks[] = "plans-by-hand/turned-chunks.txt";
constexpr char kFolded[] = "plans-by-hand/folded-columns.txt";
constexpr char kShared[] = "plans-by-hand/shared-rows.txt";

constexpr Broken kBroken[] = {
    // ---- structure
    {"AnAxisTwice", kRows, "store %t map=(0)(1)", "store %t map=(0)(0)",
     "kernel k1.t: phase 0: stage 0: %t: expected axes of 32 positions for dimension 1"},
    {"AnAxisThatIsNone", kRows, "store %t map=(0)(1)", "store %t map=(0)(2)",
     "expected one of 2 axes in the map, got axis 2"},
    {"AMapOfOtherRank", kRows, "store %t map=(0)(1)", "store %t map=(0)",
     "expected a map of 2 dimensions"},
    {"RowsThatAreLeftOut", kRows, "phase rows=[64]", "phase rows=[3,64]",
     "expected axes of 64 positions for dimension 0"},
    {"AnElementStoredTwice", kRows, "stage columns=[64,32] vector=4",
     "stage columns=[64,32,5] vector=4", "%t: expected axis 2 of 5 positions once in the map"},
    {"AReductionOverOtherAxes", kHost, "reduce %q over=columns map=(0)(1)",
     "reduce %q over=columns map=(1)(0)", "%q: expected axes of 512 positions for dimension 0"},
    {"AReductionThatFoldsRows", kHost, "reduce %q over=columns", "reduce %q over=rows",
     "%q: expected a reduction over rows to fold axis 0"},
    {"FoldedColumnsInsideOfOthers", kFolded,
     "stage columns=[25,3]\n      reduce %s over=rows map=(0)(1,2)(3)",
     "stage columns=[3,25]\n      reduce %s over=rows map=(0)(1,3)(2)",
     "%s: expected a reduction over rows to keep axis 3"},
    {"FoldedColumnsThatTasksShare", kFolded, "tile_rows=8 ", "tile_rows=8 cols_per_task=40 ",
     "%s: expected whole columns of a task, since some are folded, got 2 tasks that share them"},
    {"AScanOfAnythingElse", kRows, "store %t map", "scan %t map",
     "expected reduce-window for a root of kind scan, got tanh"},
    {"AScatterOfHalfAWarp", kScatter,
     "rows_per_task=4 tile_rows=2 cols_per_task=32 threads_per_row=32 rows_at_once=2",
     "rows_per_task=4 tile_rows=4 cols_per_task=32 threads_per_row=16 rows_at_once=4",
     "%s: expected a warp for each index vector, got 16 threads"},
    {"AScatterOfABlock", kScatter,
     "rows_per_task=4 tile_rows=2 cols_per_task=32 threads_per_row=32 rows_at_once=2",
     "rows_per_task=4 tile_rows=1 threads_per_row=64",
     "%s: expected a warp for each index vector, got 64 threads"},
    {"AScatterOfWindowsThatOverlap", kScatter, "scatter_dims_to_operand_dims={0}",
     "scatter_dims_to_operand_dims={1}",
     "%s: expected windows that are the same or apart, for rows side by side, got some that may "
     "overlap in part"},
    {"AScatterBesideAStore", kScatter, "      scatter %s map=(0)(1)",
     "      scatter %s map=(0)(1)\n      store %u map=(0)(1)",
     "%s: expected a stage of its own for a scatter, got 2 roots"},
    {"AScatterBeforeItsOperand", kScatter, "    stage columns=[20,65]\n      store %s map=(0)(1)\n",
     "", "%s: expected a store of its operand in an earlier phase"},
    {"UpdatesOfRowsThatOtherTasksStore", kScatter, kFoldedBefore, kFoldedBeside, "%p: expected"},
    {"NoRowsATask", kHost, "rows_per_task=32 ", "rows_per_task=0 ",
     "phase 1: expected at least one row a task, got 0"},
    {"NoRowsATile", kHost, "tile_rows=64", "tile_rows=0", "expected at least one row a tile"},
    {"BatchesOfMoreAxes", kHost, "phase rows=[512] rows_per_task=512",
     "phase rows=[512] batch_axes=2 rows_per_task=512", "expected at most 1 batch_axes, got 2"},
    // ---- slices
    {"SlicesThatDoNotDivide", kSlices, "slice=1\n    stage columns=[64,128]",
     "slice=3\n    stage columns=[64,128]",
     "phase 0: expected slices that divide the first row axis, got slice=3"},
    {"SlicesOfNoRows", kScan, "phase rows=[] cols_per_task=2048 threads_per_row=256\n",
     "phase rows=[] cols_per_task=2048 threads_per_row=256 slice=1\n",
     "phase 0: expected slices that divide the first row axis, got slice=1"},
    {"TasksThatCrossSlices", kSlices, "phase rows=[4,4] cols",
     "phase rows=[4,4] rows_per_task=3 cols",
     "phase 0: expected whole tasks in a slice of 4 rows, got rows_per_task=3"},
    {"FlagsBesideSlices", kSlices, "barrier=grid", "barrier=flags",
     "phase 0: expected barriers of the grid beside slices, got flags"},
    {"SlicesOfAScan", kScan, "phase rows=[] cols", "phase rows=[1] slice=1 cols",
     "%c: expected no slices of a scan"},
    {"PartsOfOtherSlices", kSlices, "partial_inner=16 map=(0)(1)", "partial_inner=16 map=(1)(0)",
     "phase 1: stage 0: %sum: expected a barrier of the grid between phase 0, which folds the "
     "parts, and this one, or one slice's parts"},
    {"AnElementOfAnotherSlice", kOtherRows, kTwoPhases, kTwoSliced,
     "phase 1: stage 0: %m: expected to be read in the slice under way, since phase 0, stage 0 "
     "writes it slice by slice"},
    {"ScratchThatTheNextSliceTakes", kChain, kChainOfThree, kSlicedChain,
     "expected bytes of its own in scratch, got some of %a"},
    // ---- phases that every block repeats
    {"ATurnThatIsRepeated", kBlock, "store %t map", "turn %t map",
     "phase 1: stage 1: %t: expected store, reduce or combine in a phase that every block repeats, "
     "got turn"},
    {"AReductionOverRowsThatIsRepeated", kBlock, "reduce %m over=columns", "reduce %m over=rows",
     "%m: expected a reduction over columns in a phase that every block repeats, got over=rows"},
    {"AReductionOfAllThatIsRepeated", kBlock, "reduce %m over=columns", "reduce %m over=all",
     "%m: expected a reduction over columns in a phase that every block repeats, got over=all"},
    {"PartsThatAreRepeated", kBlock, "reduce %m over=columns",
     "reduce %m over=columns partial=1 parts=1 partial_inner=300",
     "%m: expected no parts from a phase that every block repeats, got partial=1"},
    {"ARepeatedPhaseWithSlices", kBlock, "repeated=1", "repeated=1 slice=1",
     "phase 1: expected slice=0 of a phase that every block repeats, got 1"},
    {"ARepeatedPhaseInAClusterOfBlocks", kBlock, "repeated=1", "repeated=1 cluster=2",
     "phase 1: expected cluster=1 of a phase that every block repeats, got 2"},
    {"ARepeatedPhaseOfBatches", kBlock, "repeated=1", "repeated=1 batch_axes=1",
     "phase 1: expected batch_axes=0 of a phase that every block repeats, got 1"},
    {"ARepeatedPhaseThatSplitsColumns", kBlock, "repeated=1", "repeated=1 cols_per_task=40",
     "phase 1: expected cols_per_task=0 of a phase that every block repeats, got 40"},
    {"ARepeatedPhaseLastToFirst", kBlock, "repeated=1", "repeated=1 backward=1",
     "phase 1: expected backward=0 of a phase that every block repeats, got 1"},
    {"FlagsBeforeARepeatedPhase", kBlock, "phase rows=[300] barrier=block",
     "phase rows=[300] barrier=flags",
     "phase 1: expected no flags before a phase that every block repeats"},
    {"FlagsBehindARepeatedPhase", kBlockFlags, "phase rows=[2] barrier=block cols_per_task=512",
     "phase rows=[2] barrier=flags cols_per_task=512",
     "phase 0: expected no flags behind a phase that every block repeats"},
    {"ARepeatedStoreThatAllBlocksSee", kBlock, "%t block offset=1200", "%t global offset=1200",
     "%t: expected home local, regional or block in a phase that every block repeats, got global"},
    {"ARepeatedOutput", kBlock, "repeated=1\n",
     "repeated=1\n    stage columns=[7]\n      store %y\n",
     "%y: expected home local, regional or block in a phase that every block repeats, got output"},
    {"ARepeatedHomeInACluster", kBlock, "%m block", "%m cluster",
     "%m: expected home local, regional or block in a phase that every block repeats, got cluster"},
    {"ABlocksValueThatTasksShare", kBlock, " repeated=1", "",
     "phase 1: stage 0: %m: expected a phase that every block repeats for a value that each has "
     "for "
     "itself, got one whose tasks they share"},
    {"ABlocksValueThatTwoPhasesStore", kBlock, "    stage columns=[]\n      store %t map=(0)\n",
     kStoredAgain,
     "phase 2: stage 0: %t: expected one root that stores it, got another after phase 1, stage 1"},
    {"AScatterIntoASlot", kScatterInScratch, "%s global", "%s regional",
     "%s: expected home global or output for what all blocks update, got regional"},
    // ---- reads
    {"AnInputThatIsNone", kColumns, "  in %x\n", "", "%x: expected to be an input of the kernel"},
    {"NoWarpBarrier", kRows, "stage columns=[128] barrier=warp vector=4",
     "stage columns=[128] vector=2",
     "kernel k0.p: phase 0: stage 1: %e: expected a barrier of the warp behind phase 0, stage 0"},
    {"NoBlockBarrier", kColumns, "barrier=block ", "",
     "phase 0: stage 2: %l: expected a barrier of the block behind phase 0, stage 1"},
    {"TooWeakABarrier", kColumns, "barrier=block ", "barrier=warp ",
     "expected a barrier of the block behind phase 0, stage 1"},
    {"NoGridBarrier", kHost, "phase rows=[512] barrier=grid ", "phase rows=[512] ",
     "phase 2: stage 0: %l: expected a barrier of the grid behind phase 1, stage 1"},
    {"NoBarrierBeforeParts", kColumns, "phase rows=[512] barrier=grid rows_per_task=256",
     "phase rows=[512] rows_per_task=256", "%q: expected a barrier of the grid between phase 0"},
    {"FlagsForOtherRows", kHost, "phase rows=[512] barrier=grid ",
     "phase rows=[512] barrier=flags ",
     "%l: expected a barrier of the grid behind phase 1, stage 1, which writes it in other rows"},
    {"FlagsForOtherTasks", kFlags,
     "phase rows=[6] barrier=flags cols_per_task=1280 threads_per_row=64\n"
     "    stage columns=[4]\n      combine %mx over=columns map=(0) parts=4 partial_inner=6\n"
     "    stage",
     "phase rows=[6] rows_per_task=2 barrier=flags cols_per_task=1280 threads_per_row=64\n"
     "    stage columns=[4]\n      combine %mx over=columns map=(0) parts=4 partial_inner=6\n"
     "    stage",
     "%mx: expected a barrier of the grid between phase 0"},
    {"AResultThatIsNotThere", kHost, "      combine %s over=columns partial_inner=64 map=(0)\n", "",
     "%s: expected a combine of its parts, got none"},
    {"AReductionThatNobodyFolds", kHost, "      reduce %q over=columns map=(0)(1)\n", "",
     "%q: expected a root that stores it in its home regional, got none"},
    {"ARowsValueInAnotherRow", kShared, "  sb = f32[70,3] broadcast(s), dimensions={0}",
     "  rs = f32[70] reverse(s), dimensions={0}\n  sb = f32[70,3] broadcast(rs), dimensions={0}",
     "%s: expected to be read at the row under way, since it lives in a slot of the tile"},
    {"ARegisterInAnotherRow", kKept, "  sb = f32[37,600] broadcast(sm), dimensions={0}",
     "  rv = f32[37] reverse(sm), dimensions={0}\n"
     "  sb = f32[37,600] broadcast(rv), dimensions={0}",
     "%sm: expected to be read at the row under way, since it lives in registers of its row"},
    {"ARowThroughAnUnevenReshape", kKept, "  sb = f32[37,600] broadcast(sm), dimensions={0}",
     "  sp = f32[1,37] reshape(sm)\n  rv = f32[1,37] reverse(sp), dimensions={1}\n"
     "  sq = f32[37] reshape(rv)\n  sb = f32[37,600] broadcast(sq), dimensions={0}",
     "%sm: expected to be read at the row under way"},
    {"ARegisterOfOtherLanes", kShared, "stage columns=[21] vector_rows=1\n      store",
     "stage columns=[21]\n      store", "%m: expected the threads that have the row in registers"},
    {"NoClusterBarrier", kCluster, "barrier=cluster", "barrier=block",
     "%e: expected a barrier of the cluster behind phase 0, stage 0, got block"},
    {"ATurnedValueBeforeItsBarrier", kTurned, "stage columns=[40] barrier=block vector=2",
     "stage columns=[40] vector=2", "expected a barrier of the block behind phase 0, stage 0"},
    {"AResultBetweenChunks", kChunks, "vector_rows=1\n      reduce %m",
     "vector_rows=1 chunk=8\n      reduce %m",
     "%m: expected to be read behind all chunks of columns"},
    {"AValueWithoutAPlace", kRows, "  place %sb local\n", "",
     "%sb: expected a place for a value that the kernel computes"},
    {"NoBarrierBehindARepeatedPhase", kBlock,
     "store %v map=(0)(1)\n  phase rows=[21] barrier=block",
     "store %v map=(0)(1)\n  phase rows=[21]",
     "%t: expected a barrier of the block behind phase 1, stage 1, which writes it for each block, "
     "got "
     "none that all of its threads meet"},
    {"FlagsForABlocksValue", kBlockFlags, "phase rows=[2] barrier=block cols_per_task=512",
     "phase rows=[2] cols_per_task=512",
     "phase 2: stage 1: %s: expected a barrier of the block behind phase 0, stage 0"},
    {"ABlocksValueInItsPhaseInOtherLanes", kBlock, "stage columns=[]\n",
     "stage columns=[] vector_rows=1\n",
     "phase 1: stage 1: %m: expected a barrier of the block behind phase 1, stage 0"},
    {"ABlocksResultOfARowThatIsToCome", kBlockColumns, "  t = f32[300] tanh(m)\n",
     "  rv = f32[300] reverse(m), dimensions={0}\n  t = f32[300] tanh(rv)\n",
     "phase 0: stage 1: %m: expected to be read at the row under way"},
    {"ABarrierOfTheBlockForOtherBlocks", kColumns, "barrier=grid rows_per_task=16",
     "barrier=block rows_per_task=16",
     "%q: expected a barrier of the grid behind phase 1, stage 0, which writes it, got block"},
    {"ABarrierOfTheBlockForParts", kColumns, "barrier=grid rows_per_task=256",
     "barrier=block rows_per_task=256",
     "%q: expected a barrier of the grid between phase 0, which folds the parts, and this one, or "
     "one slice's parts, got block"},
    {"ABarrierOfTheBlockForAScatter", kScatterInScratch, "phase rows=[70] barrier=grid",
     "phase rows=[70] barrier=block",
     "%s: expected a barrier of the grid behind phase 0, which stores its operand, got block"},
    {"FlagsForARepeatedPhase", kBlockFlags, kRepeatedCombine, kRepeatedFold,
     "phase 4: stage 0: %g: expected a barrier of the grid behind phase 1, stage 0"},
    {"FlagsForPartsOfARepeatedPhase", kBlockFlags, "phase rows=[2] barrier=grid", "phase rows=[2]",
     "phase 4: stage 0: %sm: expected a barrier of the grid between phase 1, which folds the "
     "parts"},
    // ---- parts
    {"TooFewParts", kColumns, "reduce %q over=rows partial=1 parts=32",
     "reduce %q over=rows partial=1 parts=31", "%q: expected parts=32, got 31"},
    {"OtherDistanceOfParts", kColumns, "combine %q over=columns parts=32 partial_inner=512",
     "combine %q over=columns parts=32 partial_inner=64", "%q: expected partial_inner=512, got 64"},
    {"OtherDistanceOfFoldedColumns", kFolded, "partial=1 parts=3 partial_inner=3",
     "partial=1 parts=3 partial_inner=75", "%s: expected partial_inner=3, got 75"},
    {"TooFewPartsCombined", kColumns, "stage columns=[32] vector_rows=1\n      combine",
     "stage columns=[16] vector_rows=1\n      combine", "%q: expected columns=32, got 16"},
    {"NoParts", kColumns, "reduce %q over=rows partial=1 parts=32 partial_inner=512",
     "reduce %q over=rows", "%q: expected to be partial, since 32 tasks fold parts"},
    {"NoRoomForParts", kColumns, "partial_bytes=65536", "partial_bytes=65532",
     "%q: expected partial_bytes=65536"},
    {"TasksThatPartsDoNotKnow", kColumns, "phase rows=[64] rows_per_task=2 ",
     "phase rows=[64] rows_per_task=4 ", "%q: expected parts=16, got 32"},
    {"TooFewPartsOfAScan", kScan, "partial=1 parts=16", "partial=1 parts=15",
     "phase 0: stage 0: %c: expected parts=16, got 15"},
    {"AScanThatStartsFromOtherParts", kScan, "scan %c parts=16", "scan %c parts=17",
     "phase 1: stage 0: %c: expected parts=16, got 17"},
    {"AScanThatTasksShare", kScan, "scan %c parts=16", "scan %c",
     "%c: expected one task that has a row, col_tasks=1, got 16"},
    {"AScanOfPartsThatNobodyLeft", kScan, "scan %c partial=1 parts=16", "scan %c parts=16",
     "%c: expected a partial scan in an earlier phase, got none"},
    {"NoBarrierBeforeTheScanOfParts", kScan, " barrier=grid", "",
     "%c: expected a barrier of the grid between phase 0, which folds the parts"},
    {"AScanOfTheStagesOwnColumns", kScan, "vector=4\n      scan %c partial",
     "vector=4 cols_per_task=1024\n      scan %c partial",
     "expected columns for 16 tasks, got cols_per_task=1024"},
    {"AScanOfTheStagesOwnShare", kScan, "vector=4\n      scan %c partial",
     "vector=4 cols_per_task=2048\n      scan %c partial",
     "expected the columns of the phase, for clusters, scans and rows that stay"},
    {"AStageOfMoreColumnsThanItsPhase", kScan, "vector=4\n      scan %c partial",
     "vector=4 cols_per_task=4096\n      scan %c partial",
     "expected 0 to 2048 columns of a task, got cols_per_task=4096"},
    {"AScanOfNoCumulativeWindow", kScan, "size=32768 pad=32767_0", "size=3 pad=1_1",
     "%c: expected a cumulative window for a root of kind scan"},
    {"AScanFromTheEndThatItsPhaseReads", kFromTheEnd,
     "  phase rows=[] barrier=grid cols_per_task=1024 threads_per_row=256\n"
     "    stage columns=[65536] vector=4\n      store %o",
     "    stage columns=[65536] barrier=block vector=4\n      store %o",
     "%c: expected to be read in the columns that the task has written"},
    // 1252 columns for each of the 4 tasks: others than the 1280 that the task has scanned.
    {"AStageThatReadsTheShareOfOtherTasks", kReadAgain, "vector=4\n      store %o",
     "vector=4 cols_per_task=1252\n      store %o",
     "phase 1: stage 1: %c: expected to be read in the columns that the task has written"},
    {"AScanOfMoreThanItsDimension", kScans,
     "phase rows=[64] threads_per_row=128\n    stage columns=[512] vector=4\n      scan %c",
     "phase rows=[] threads_per_row=128\n    stage columns=[64,512] vector=4\n      scan %c",
     "%c: expected columns along which it is scanned, got others"},
    {"AScanAlongTheRows", kScans, "scan %c map=(0)(1)", "scan %c map=(1)(0)",
     "%c: expected axes of 64 positions for dimension 0"},
    {"AScanInRegistersThatAnotherSweepReads", kScans, "%c regional bytes=2048", "%c local",
     "%c: expected a slot, since another sweep"},
    {"AScanFromTheEndThatNobodyWaitsFor", kScans, " barrier=block", "",
     "%d: expected a barrier of the block behind phase 0, stage 0"},
    {"NoRoomForPartsOfAScan", kScan, "partial_bytes=64", "partial_bytes=60",
     "%c: expected partial_bytes=64 for 16 parts of 1 rows, got 60"},
    // ---- memory
    {"ASlotThatIsTooSmall", kRows, "%e regional bytes=2048", "%e regional bytes=2044",
     "%e: expected 2048 bytes of shared memory, got 2044"},
    {"ASlotOutsideOfTheLaunch", kRows, "shared=2048", "shared=2047",
     "%e: expected to lie in the 2047 bytes of shared memory"},
    {"ASlotOnAnOddAddress", kTurned, "offset=1088 bytes=2176", "offset=1090 bytes=2176",
     "%y: expected an offset in shared memory that is a multiple of 4, got 1090"},
    {"SlotsOnOneAnother", kTurned, "offset=3264", "offset=3200",
     "%w: expected bytes of its own in shared memory, got some of %y"},
    {"AKeptInputUnderASlot", kComputed, "offset=4096 bytes=2048", "offset=4000 bytes=2048",
     "%e: expected bytes of its own in shared memory, got some of %x"},
    {"AKeptInputThatIsTooLarge", kKept, "offset=0 bytes=9600", "offset=0 bytes=9596",
     "%x: expected 9600 bytes of shared memory, got 9596"},
    {"ABlocksValueThatIsTooSmall", kBlock, "offset=0 bytes=1200", "offset=0 bytes=1196",
     "phase 1: stage 0: %m: expected 1200 bytes of shared memory, got 1196"},
    {"ABlocksValueOutsideOfTheLaunch", kBlock, "offset=1200 bytes=1200", "offset=7000 bytes=1200",
     "%t: expected to lie in the 8192 bytes of shared memory, got 1200 from byte 7000"},
    {"ABlocksValueOnAnOddAddress", kBlock, "offset=1200 bytes=1200", "offset=1202 bytes=1200",
     "%t: expected an offset in shared memory that is a multiple of 4, got 1202"},
    {"ABlocksValueWithAPitch", kBlock, "offset=1200 bytes=1200", "offset=1200 bytes=1200 pitch=300",
     "%t: expected a dense array for each block, got pitch=300"},
    {"ABlocksValueThatIsKept", kBlock, "%t block offset", "%t block keep=registers offset",
     "%t: expected keep=none, since each block has all of it, got registers"},
    {"RowsThatARepeatedPhaseKeeps", kBlock, "  place %u regional",
     "  place %x local keep=shared offset=7200 bytes=640\n  place %u regional",
     "phase 1: %x: expected no rows that are kept for the tasks of a block, in a phase that every "
     "block repeats"},
    {"BlocksValuesOnOneAnother", kBlock, "%t block offset=1200", "%t block offset=1196",
     "phase 1: stage 0: %t: expected bytes of its own in shared memory, got some of %m, which the "
     "whole phase has"},
    {"ASlotOnABlocksValueInBetween", kBlock, "%u regional offset=2400", "%u regional offset=2384",
     "phase 2: stage 0: %u: expected bytes of its own in shared memory, got some of %t"},
    {"ASlotOnABlocksValueThatItsPhaseReads", kBlock, "%e regional offset=4800",
     "%e regional offset=1200",
     "phase 3: stage 0: %e: expected bytes of its own in shared memory, got some of %t"},
    {"ASlotOnABlocksValueThatTheNextSliceReads", kBlock, kReadAndTaken, kReadAndTakenInSlices,
     "phase 4: stage 0: %h: expected bytes of its own in shared memory, got some of %m"},
    {"ASlotBeforeABlocksValue", kBlock, "phase rows=[300] barrier=block", "phase rows=[300]",
     "phase 1: %m: expected a barrier of the block before it takes bytes of %g, which phase 0 "
     "reads"},
    {"ASlotBehindABlocksValue", kBlock, "store %y map=(0)(1)\n  phase rows=[21] barrier=block",
     "store %y map=(0)(1)\n  phase rows=[21]",
     "phase 4: %h: expected a barrier of the block before it takes bytes of %m, which phase 3 "
     "reads"},
    {"RowsThatStayFromNoPhase", kStays, "stays_from=0", "stays_from=3",
     "%x: expected to stay in shared memory from a phase that reads it as a kept input, got "
     "stays_from=3"},
    {"RowsThatStayFromAPhaseThatReadsNone", kStays, "stays_from=0", "stays_from=1",
     "%x: expected to stay in shared memory from a phase that reads it as a kept input, got "
     "stays_from=1"},
    {"RowsThatStayAndAreNotKept", kStays, "keep=shared kept_rows=32 ", "",
     "%x: expected to stay in shared memory from a phase that reads it as a kept input, got "
     "stays_from=0"},
    {"RowsThatStayOfAComputedValue", kStays, "place %nb local", "place %nb local stays_from=0",
     "%nb: expected to stay in shared memory from a phase that reads it as a kept input, got "
     "stays_from=0"},
    {"RowsThatStayInTooLittle", kStays, "stays_from=0 bytes=8192", "stays_from=0 bytes=8188",
     "phase 0: %x: expected 8192 bytes of shared memory, got 8188"},
    {"RowsThatStayUnderASlotInBetween", kStays, "offset=8192 bytes=128", "offset=8128 bytes=128",
     "phase 1: stage 1: %q: expected bytes of its own in shared memory, got some of %x"},
    {"ScratchUnderParts", kColumns, "partial_offset=133120", "partial_offset=131072",
     "expected bytes of its own in scratch"},
    {"ScratchOutsideOfTheLaunch", kColumns, "scratch=198656", "scratch=198652",
     "%q: expected to lie in the 198652 bytes of scratch"},
    {"ScratchThatIsTooSmall", kColumns, "place %y global bytes=131072",
     "place %y global bytes=131068", "%y: expected 131072 bytes of scratch"},
    // ---- stores
    {"AnOutputThatNobodyStores", kColumns, "      store %z map=(0)(1)\n", "",
     "%z: expected a root that stores it in its home output, got none"},
    {"AnOutputStoredTwice", kColumns, "      store %z map=(0)(1)\n",
     "      store %z map=(0)(1)\n      store %z map=(0)(1)\n",
     "%z: expected one root that stores it, got another"},
    {"AnOutputWithoutAHome", kColumns, "place %z output bytes=131072 output=0", "place %z local",
     "%z: expected home output for output 0, got local"},
    {"AnOutputOfAnotherNumber", kRows, "place %s output bytes=256 output=0",
     "place %s output bytes=256 output=1", "%s: expected the number of its output, got 1"},
    // ---- launch
    {"TooManyThreads", kRows, "block=128", "block=2048",
     "expected at most 1024 threads of a block"},
    {"ThreadsThatRowsDoNotTake", kRows, "block=128", "block=256",
     "expected 256 threads of the block, got 32 for each of 4 rows"},
    {"TooManyRegisters", kRows, "registers=64 shared", "registers=256 shared",
     "expected at most 255 registers of a thread, got 256"},
    {"TooManyBlocksOfAnSm", kRows, "shared=2048 blocks_per_sm=8", "shared=2048 blocks_per_sm=9",
     "expected at most 65536 registers of an SM, got 73728"},
    {"TooMuchSharedMemory", kRows, "shared=2048", "shared=200000",
     "expected at most 166912 bytes of shared memory of a block"},
    {"AGridThatIsNotResident", kColumns, "grid=32", "grid=325",
     "expected at most 324 resident blocks in a grid with a barrier, got 325"},
    {"ABarrierWithoutResidence", kColumns, " cooperative=1", "",
     "expected a cooperative launch for a barrier between blocks"},
    {"MoreWorkersThanThereAre", kHost, "grid=2", "grid=3", "expected at most 2 workers, got 3"},
    // ---- program
    {"ReadBeforeWritten", kRows, "lhs=%p:[128,1]", "lhs=%t:[128,1]",
     "step 1: %t: expected to be written by an earlier step"},
    {"NoBuffer", kRows, "buffer %d arena offset=32768 bytes=8192\n", "",
     "step 1: %d: expected a buffer, got none"},
    {"TooSmallABuffer", kRows, "buffer %t arena bytes=8192", "buffer %t arena bytes=8191",
     "%t: expected a buffer of 8192 bytes, got 8191"},
    {"BuffersOnOneAnother", kRows, "buffer %d arena offset=32768", "buffer %d arena offset=32764",
     "step 1: %d: expected bytes of its own in the arena, got some of %p"},
    {"ABufferOutsideOfTheArena", kRows, "arena=40960", "arena=40956",
     "step 1: %d: expected to lie in the 40956 bytes of the arena"},
    {"ABufferOnAnOddAddress", kRows, "buffer %d2 arena offset=8192", "buffer %d2 arena offset=8193",
     "%d2: expected an offset in the arena that is a multiple of 4"},
    {"AStackReadBeforeItIsThere", kStates, "lhs=%h1:[16,1]", "lhs=%s.1:[16,1]",
     "step 2: %s.1: expected its piece %h2 to be written by an earlier step"},
    {"APieceOutsideOfItsStack", kStates, "buffer %h2 arena offset=8192",
     "buffer %h2 arena offset=16384",
     "step 6: %h2: expected its place in %s.1, byte 8192 of arena, got arena byte 16384"},
    {"AStackThatIsNotInTheArena", kStates, "buffer %s.1 arena", "buffer %s.1 output",
     "step 6: %h1: expected its place in %s.1, byte 0 of output, got arena byte 0"},
    {"APieceThatIsOverwritten", kStates, "buffer %d3 arena offset=24576", "buffer %d3 arena",
     "step 4: %d3: expected bytes of its own in the arena, got some of %h1"},
    {"AnotherInput", kRows, "buffer %w input index=1", "buffer %w input index=2",
     "%w: expected input 1, got 2"},
    {"AResultThatNobodyWrites", kRows, "buffer %s output index=1", "buffer %s arena offset=65536",
     "result 1, %s: expected to be written once, got 0 times"},
    {"AResultOfAnotherNumber", kRows, "buffer %s output index=1", "buffer %s output index=0",
     "buffer %s: expected the number of its result, got 0"},
    // ---- ledger
    {"AnEdgeThatIsNotTold", kRows, "ledger %e -> %p home=regional reason=same-rows bytes=32768\n",
     "", "expected a line of the ledger for %e -> %p, got none"},
};

absl::Status VerifyBroken(const Broken& broken, bool whole) {
  std::string text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/", broken.file)).value();
  if (whole) {
    const size_t at = text.find(broken.from);
    if (at == std::string::npos) return absl::NotFoundError("the plan has no such words");
    text.replace(at, std::string(broken.from).size(), broken.to);
  }
  ASTITCH_ASSIGN_OR_RETURN(const Plan plan, PlanFromText(text));
  VerifyOptions options;
  const bool by_hand = absl::StartsWith(broken.file, "plans-by-hand");
  options.complete = !by_hand;
  if (by_hand) return VerifyKernel(std::get<KernelPlan>(plan.steps[0]), options);
  options.limits = LimitsOf(Machine(plan.target));
  return VerifyPlan(plan, options);
}

// What is concatenated along an inner dimension is not side by side.
TEST(VerifyStack, IsOutermost) {
  std::string text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/", kStates)).value();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"f32[1,128,16]", "f32[128,1,16]"},
           {"f32[3,128,16]", "f32[128,3,16]"},
           {"dimensions={0}", "dimensions={1}"},
           {"dimensions={1,0,2}", "dimensions={0,1,2}"}}) {
    EXPECT_GT(absl::StrReplaceAll({{from, to}}, &text), 0) << from;
  }
  const absl::StatusOr<Plan> plan = PlanFromText(text);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(std::string(VerifyPlan(*plan, {}).message()),
              HasSubstr("step 6: %s.1: expected to be written by an earlier step, or pieces that "
                        "follow each other in memory"));
}

class BrokenPlan : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenPlan, IsRefusedWithTheFaultByName) {
  EXPECT_EQ(VerifyBroken(GetParam(), false), absl::OkStatus());
  const absl::Status status = VerifyBroken(GetParam(), true);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(Plans, BrokenPlan, ::testing::ValuesIn(kBroken),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch
