// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels from plans written by hand, run on this machine and compared with the interpreter: every
// home, every kind of root, odd sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/plan_runner.h"

namespace astitch::testing {
namespace {

struct Case {
  const char* name;
  const char* plan;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class HostPlans : public ::testing::TestWithParam<Case> {};

TEST_P(HostPlans, MatchTheInterpreter) {
  const absl::StatusOr<Plan> plan = PlanFromText(GetParam().plan);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(Check(*plan, {.workers = 1}), "");
  EXPECT_EQ(Check(*plan, {.workers = 2, .misalign = true}), "") << "two workers, misaligned";
}

const Case kCases[] = {
    {"elementwise_flat", R"(
kernel k grid=2
  traffic read=0 written=0 bound=0
  in %x
  in %y
  out %z
  place %z output bytes=4004 output=0
  phase rows=[] cols_per_task=256
    stage columns=[1001] vector=8 unroll=2
      store %z map=(0)
graph
HloModule m
ENTRY e {
  x = f32[1001] parameter(0)
  y = f32[1001] parameter(1)
  e = f32[1001] exponential(x)
  s = f32[1001] add(e, y)
  ROOT z = f32[1001] multiply(s, e)
})"},
    {"softmax_rows_in_registers", R"(
kernel k grid=2 shared=4000
  traffic read=0 written=0 bound=0
  in %x
  out %p
  place %mx local
  place %e regional bytes=4000
  place %sm local
  place %p output bytes=0 output=0
  phase rows=[37] rows_per_task=5
    stage columns=[1000] vector=8 unroll=4
      reduce %mx over=columns map=(0)(1)
    stage columns=[1000] vector=8 unroll=4
      store %e map=(0)(1)
      reduce %sm over=columns map=(0)(1)
    stage columns=[1000] vector=8 unroll=4
      store %p map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = f32[37,1000] parameter(0)
  ninf = f32[] constant(-inf)
  zero = f32[] constant(0)
  mx = f32[37] reduce(x, ninf), dimensions={1}, to_apply=max
  mb = f32[37,1000] broadcast(mx), dimensions={0}
  d = f32[37,1000] subtract(x, mb)
  e = f32[37,1000] exponential(d)
  sm = f32[37] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[37,1000] broadcast(sm), dimensions={0}
  ROOT p = f32[37,1000] divide(e, sb)
})"},
    {"a_sum_that_every_worker_folds", R"(
kernel k grid=2 shared=64
  traffic read=0 written=0 bound=0
  in %x
  in %w
  out %y
  place %s block offset=4 bytes=4
  place %sb local
  place %y output output=0
  phase rows=[] repeated=1
    stage columns=[2048] vector=8 unroll=2
      reduce %s over=columns map=(0)
  phase rows=[24] barrier=block rows_per_task=5 tile_rows=4
    stage columns=[96] vector=8
      store %y map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2048] parameter(0)
  w = f32[24,96] parameter(1)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  sb = f32[24,96] broadcast(s), dimensions={}
  ROOT y = f32[24,96] multiply(w, sb)
})"},
    {"columns_that_every_worker_has_beside_slots", R"(
kernel k grid=2 shared=4864
  traffic read=0 written=0 bound=0
  in %x
  in %a
  out %y
  place %m regional offset=1216 bytes=64
  place %t block offset=0 bytes=1200
  place %tb local
  place %d local
  place %e regional offset=1216 bytes=3600
  place %r local
  place %y output output=0
  phase rows=[300] rows_per_task=32 tile_rows=16 repeated=1
    stage columns=[40] vector=8
      reduce %m over=columns map=(0)(1)
    stage columns=[] vector=8 vector_rows=1
      store %t map=(0)
  phase rows=[21] rows_per_task=4 tile_rows=3
    stage columns=[300] vector=8 peel=tail
      store %e map=(0)(1)
    stage columns=[300] vector=4
      store %y map=(0)(1)
graph
HloModule m
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = f32[300,40] parameter(0)
  a = f32[21,300] parameter(1)
  ninf = f32[] constant(-inf)
  m = f32[300] reduce(x, ninf), dimensions={1}, to_apply=max
  t = f32[300] tanh(m)
  tb = f32[21,300] broadcast(t), dimensions={1}
  d = f32[21,300] subtract(a, tb)
  e = f32[21,300] exponential(d)
  r = f32[21,300] reverse(e), dimensions={1}
  ROOT y = f32[21,300] add(e, r)
})"},
    {"parts_that_every_worker_folds", R"(
kernel k grid=2 shared=192 scratch=2048
  traffic read=0 written=0 bound=0
  in %x
  out %y
  place %s block bytes=180 partial_offset=64 partial_bytes=1440
  place %sb local
  place %y output output=0
  phase rows=[50] rows_per_task=7 tile_rows=4
    stage columns=[45] vector=8
      reduce %s over=rows partial=1 parts=8 partial_inner=45 map=(0)(1)
  phase rows=[45] barrier=grid rows_per_task=20 tile_rows=10 repeated=1
    stage columns=[8] vector=8 vector_rows=1
      combine %s over=columns map=(0) parts=8 partial_inner=45
  phase rows=[50] barrier=block rows_per_task=5
    stage columns=[45] vector=8
      store %y map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[50,45] parameter(0)
  zero = f32[] constant(0)
  s = f32[45] reduce(x, zero), dimensions={0}, to_apply=add
  sb = f32[50,45] broadcast(s), dimensions={1}
  ROOT y = f32[50,45] subtract(x, sb)
})"},
    {"softmax_tiles_of_rows", R"(
kernel k grid=2 shared=4096
  traffic read=0 written=0 bound=0
  in %x
  out %p
  place %mx regional bytes=32
  place %e regional offset=64 bytes=1056
  place %sm local
  place %p output bytes=0 output=0
  phase rows=[3,7] rows_per_task=16 tile_rows=8
    stage columns=[33] vector=8
      reduce %mx over=columns map=(0)(1)(2)
    stage columns=[33] vector=8 peel=tail
      store %e map=(0)(1)(2)
      reduce %sm over=columns map=(0)(1)(2)
    stage columns=[33] vector=8 vector_rows=1
      store %p map=(0)(1)(2)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = f32[3,7,33] parameter(0)
  ninf = f32[] constant(-inf)
  zero = f32[] constant(0)
  mx = f32[3,7] reduce(x, ninf), dimensions={2}, to_apply=max
  mb = f32[3,7,33] broadcast(mx), dimensions={0,1}
  d = f32[3,7,33] subtract(x, mb)
  e = f32[3,7,33] exponential(d)
  sm = f32[3,7] reduce(e, zero), dimensions={2}, to_apply=add
  sb = f32[3,7,33] broadcast(sm), dimensions={0,1}
  ROOT p = f32[3,7,33] divide(e, sb)
})"},
    {"column_sum_in_one_task", R"(
kernel k grid=1
  traffic read=0 written=0 bound=0
  in %x
  out %s
  place %s output bytes=0 output=0
  phase rows=[50] rows_per_task=50 tile_rows=8
    stage columns=[45] vector=8 unroll=2
      reduce %s over=rows map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[50,45] parameter(0)
  one = f32[] constant(1)
  ROOT s = f32[45] reduce(x, one), dimensions={0}, to_apply=add
})"},
    {"column_sum_in_parts_of_two_batches", R"(
kernel k grid=2 scratch=4096
  traffic read=0 written=0 bound=0
  in %x
  out %s
  place %s output bytes=0 output=0 partial_offset=64 partial_bytes=1800
  phase rows=[2,50] batch_axes=1 rows_per_task=11 tile_rows=4
    stage columns=[45] vector=8
      reduce %s over=rows partial=1 parts=5 partial_inner=45 map=(0)(1)(2)
  phase rows=[2,45] barrier=grid rows_per_task=13 tile_rows=13
    stage columns=[5] vector=8 vector_rows=1
      combine %s over=columns parts=5 partial_inner=45 map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2,50,45] parameter(0)
  one = f32[] constant(1)
  ROOT s = f32[2,45] reduce(x, one), dimensions={1}, to_apply=add
})"},
    {"full_sum_in_parts_then_read_by_all", R"(
kernel k grid=2 scratch=4096
  traffic read=0 written=0 bound=0
  in %x
  out %y
  place %s local partial_offset=0 partial_bytes=16
  place %y output bytes=0 output=0
  phase rows=[] cols_per_task=1024
    stage columns=[4001] vector=8 unroll=4
      reduce %s over=columns partial=1 parts=4 partial_inner=1 map=(0)
  phase rows=[] barrier=grid cols_per_task=512
    stage columns=[4]
      combine %s over=columns parts=4 partial_inner=1 map=
    stage columns=[4001] vector=8
      store %y map=(0)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4001] parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  sb = f32[4001] broadcast(s), dimensions={}
  ROOT y = f32[4001] multiply(x, sb)
})"},
    {"sum_of_one_column_with_lanes_along_rows", R"(
kernel k grid=2 scratch=64
  traffic read=0 written=0 bound=0
  in %x
  out %s
  place %s output output=0 partial_bytes=36
  phase rows=[3,45] batch_axes=1 rows_per_task=20 tile_rows=20
    stage columns=[] vector=8 vector_rows=1
      reduce %s over=rows partial=1 parts=3 partial_inner=1 map=(0)(1)
  phase rows=[3] barrier=grid rows_per_task=3 tile_rows=3
    stage columns=[3]
      combine %s over=columns parts=3 partial_inner=1 map=(0)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[3,45] parameter(0)
  two = f32[] constant(2)
  ROOT s = f32[3] reduce(x, two), dimensions={1}, to_apply=add
})"},
    {"column_sum_where_the_plan_asks_for_lanes_along_rows", R"(
kernel k grid=1
  traffic read=0 written=0 bound=0
  in %x
  out %s
  place %s output output=0
  phase rows=[45] rows_per_task=45 tile_rows=16
    stage columns=[9] vector=8 vector_rows=1
      reduce %s over=rows map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[45,9] parameter(0)
  two = f32[] constant(2)
  ROOT s = f32[9] reduce(x, two), dimensions={0}, to_apply=add
})"},
    {"running_sum_and_scatter", R"(
kernel k grid=1
  traffic read=0 written=0 bound=0
  in %x
  in %i
  in %u
  out %c
  out %w
  out %s
  place %c output output=0
  place %w output output=1
  place %s output output=2
  phase rows=[6] rows_per_task=6 tile_rows=2
    stage columns=[37] vector=8
      scan %c map=(0)(1)
      scan %w map=(0)(1)
  phase rows=[6] rows_per_task=6
    stage columns=[37] vector=8
      store %s map=(0)(1)
  phase rows=[9] barrier=grid rows_per_task=9
    stage columns=[37]
      scatter %s map=(0)(1)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[6,37] parameter(0)
  i = s32[9,1] parameter(1)
  u = f32[9,37] parameter(2)
  zero = f32[] constant(0)
  c = f32[6,37] reduce-window(x, zero), window={size=1x37 pad=0_0x36_0}, to_apply=add
  w = f32[6,37] reduce-window(x, zero), window={size=1x37 pad=0_0x0_36}, to_apply=add
  s = f32[6,37] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  ROOT t = (f32[6,37], f32[6,37], f32[6,37]) tuple(c, w, s)
})"},
    {"batch_statistics_over_rows_and_columns", R"(
kernel k grid=2
  traffic read=0 written=0 bound=0
  in %x
  out %s
  place %s output bytes=0 output=0
  phase rows=[3,8] batch_axes=1 rows_per_task=8 tile_rows=2
    stage columns=[21] vector=8 unroll=2
      reduce %s over=all map=(1)(0)(2)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,3,21] parameter(0)
  two = f32[] constant(2)
  ROOT s = f32[3] reduce(x, two), dimensions={0,2}, to_apply=add
})"},
};

INSTANTIATE_TEST_SUITE_P(All, HostPlans, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch::testing
