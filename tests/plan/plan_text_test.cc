// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The plan's text says everything and reads back; faulty lines are named.
#include "plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"

namespace astitch {
namespace {

constexpr absl::string_view kGraph = R"(HloModule m
ENTRY e {
  x = f32[8,16] parameter(0)
  w = f32[16,4] parameter(1)
  y = f32[8,16] exponential(x)
  ROOT d = f32[8,4] dot(y, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

// Uses every word of the language, also those that no planner chooses yet.
constexpr absl::string_view kLines = R"(plan 1
target a100 fusion=stitch arena=512
buffer %x input bytes=512
buffer %w input index=1 bytes=256
buffer %y arena offset=64 bytes=512
buffer %d output bytes=128
kernel k0.y grid=4 block=128 registers=40 shared=1024 scratch=2048 cooperative=1 blocks_per_sm=3
  traffic read=512 written=512 bound=1024
  predicted ns=2500 bound=latency dram=1024 cache=2048 operations=4096 latency=2300 barriers=1
  in %x
  out %y
  place %x local keep=shared kept_rows=3 stays_from=0
  place %d block offset=32 bytes=128
  place %y cluster keep=registers offset=64 bytes=512 pitch=9 output=0 partial_offset=128 partial_bytes=256
  phase rows=[2,4] batch_axes=1 rows_per_task=2 tile_rows=2 cols_per_task=8 threads_per_row=32 rows_at_once=4 cluster=2 repeated=1 backward=1 slice=1
    stage columns=[16] barrier=cluster vector=4 vector_rows=1 chunk=8 cols_per_task=4 unroll=2 peel=both streaming=1 fetch_ahead=1
      predicted ns=30 bound=cache dram=512 cache=1024 operations=2048 latency=25
      reduce %y over=all partial=1 parts=3 partial_inner=7 map=(0,1)(2)
  phase rows=[] barrier=flags
    stage columns=[] barrier=warp peel=tail
      combine %y over=rows
      scan %y map=()(0)
      scatter %y
      store %y
      turn %y
  phase rows=[8] barrier=block
  phase rows=[8] barrier=grid
dot %d batch=[] m=8 n=4 k=16 lhs=%y:[16,1] rhs=%w:[4,1] out=%d:[4,1] then=add:%w:[0,1] then=scale:0.1 then=relu then=gelu-tanh then=gelu-erf
  predicted ns=1200 bound=memory dram=896
reference %y
  predicted ns=1300 bound=arithmetic operations=128 latency=5000
copy %x output=1
  predicted ns=1100 bound=arithmetic dram=1024
ledger %x -> %y home=local reason=same-element bytes=4 detail="a \"b\" \\ c"
ledger %y home=global reason=other-rows
)";

absl::StatusOr<Plan> Parse(absl::string_view lines) {
  return ParsePlan(lines, *ParseHloText(kGraph));
}

TEST(PlanText, EveryWordReadsBack) {
  const auto plan = Parse(kLines);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(PlanLines(*plan), kLines);
}

TEST(PlanText, AWholePlanIsCutAtItsGraph) {
  const auto plan = Parse(kLines);
  const std::string text = ToText(*plan);
  const auto parts = SplitPlanText(text);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts->lines, kLines);
  EXPECT_TRUE(ParseHloText(parts->graph).ok());
  EXPECT_FALSE(SplitPlanText("plan 1\n").ok());
}

TEST(PlanText, FaultyLinesAreNamed) {
  const auto message = [](absl::string_view lines) {
    return std::string(Parse(lines).status().message());
  };
  EXPECT_EQ(message(""), "1:1: expected plan 1");
  EXPECT_EQ(message("plan 2"), "1:6: expected version 1, got 2");
  EXPECT_EQ(message("plan 1\nbuffer %q input"), "2:1: no instruction %q in the graph");
  EXPECT_EQ(message("plan 1\nkernel k grid=x"), "2:10: expected an integer for grid, got x");
  EXPECT_EQ(message("plan 1\nkernel k\n  in %x what"), "3:9: unexpected what");
  EXPECT_EQ(message("plan 1\nkernel k\n  stage columns=[]"), "3:1: expected phase before stage");
  EXPECT_EQ(message("plan 1\npredicted ns=1"), "2:1: expected a step before predicted");
  EXPECT_EQ(message("plan 1\nkernel k\n phase rows=[]\n predicted ns=1"),
            "4:1: expected stage before predicted");
  EXPECT_EQ(message("plan 1\nkernel k\n predicted bound=luck"), "3:12: unknown word luck");
  EXPECT_EQ(message("plan 1\nkernel k\n  place %x nowhere"), "3:1: unknown word nowhere");
  EXPECT_EQ(message("plan 1\nkernel k\n  phase rows=3"), "3:9: expected a list [a,b], got 3");
  const auto epilogue = [&](absl::string_view then) {
    return message(absl::StrCat("plan 1\ndot %d lhs=%y:[1] rhs=%w:[1] out=%d:[1] then=", then));
  };
  EXPECT_EQ(epilogue("add"), "2:41: expected %name:[strides]");
  EXPECT_EQ(epilogue("add:%q:[1]"), "2:41: no instruction %q in the graph");
  EXPECT_EQ(epilogue("scale:x"), "2:41: expected scale:NUMBER, got scale:x");
  EXPECT_EQ(epilogue("relu:1"), "2:41: expected only relu, got relu:1");
  EXPECT_EQ(epilogue("sigmoid"), "2:41: unknown word sigmoid");
}

TEST(PlanText, TasksAreCountedOverBatchesRowsAndColumns) {
  Phase phase;
  phase.rows = {3, 10};
  phase.batch_axes = 1;
  phase.rows_per_task = 4;
  phase.cols_per_task = 5;
  phase.stages.resize(1);
  phase.stages[0].columns = {2, 6};
  EXPECT_EQ(phase.num_rows(), 30);
  EXPECT_EQ(phase.rows_per_batch(), 10);
  EXPECT_EQ(phase.row_tasks_per_batch(), 3);
  EXPECT_EQ(phase.col_tasks(), 3);
  EXPECT_EQ(phase.num_tasks(), 27);
}

}  // namespace
}  // namespace astitch
