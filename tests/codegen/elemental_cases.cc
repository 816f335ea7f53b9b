// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/elemental_cases.h"

namespace astitch::testing {
namespace {

constexpr char kReducers[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
mix { a = f32[] parameter(0)  b = f32[] parameter(1)  h = f32[] constant(0.5)  c = f32[] multiply(a, h)
  ROOT r = f32[] add(c, b) }
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
addbf { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = bf16[] add(a, b) }
argmax { av = f32[] parameter(0)  ai = s32[] parameter(1)  bv = f32[] parameter(2)  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT   isn = pred[] compare(av, av), direction=NE
  or = pred[] or(gt, isn)   eq = pred[] compare(av, bv), direction=EQ
  lt = pred[] compare(ai, bi), direction=LT   tie = pred[] and(eq, lt)   first = pred[] or(or, tie)
  v = f32[] select(or, av, bv)   i = s32[] select(first, ai, bi)
  ROOT r = (f32[], s32[]) tuple(v, i) }
ENTRY e {
)";

const ElementalCase kCases[] = {
    {"broadcast", R"(x = f32[7] parameter(0)  s = f32[] parameter(1)
  a = f32[3,7,5] broadcast(x), dimensions={1}  b = f32[3,7,5] broadcast(s), dimensions={}
  ROOT r = f32[3,7,5] add(a, b) })"},
    {"transpose",
     R"(x = f32[9,6,5] parameter(0)  ROOT r = f32[5,9,6] transpose(x), dimensions={2,0,1} })"},
    {"reshape_splits_and_merges", R"(x = f32[6,20] parameter(0)  a = f32[3,8,5] reshape(x)
  b = f32[3,8,5] exponential(a)  c = f32[24,5] reshape(b)  ROOT r = f32[2,60] reshape(c) })"},
    {"reshape_by_coprime_factors",
     R"(x = f32[6,35] parameter(0)  t = f32[35,6] transpose(x), dimensions={1,0}
  ROOT r = f32[10,21] reshape(t) })"},
    {"slice_with_strides",
     R"(x = f32[17,33] parameter(0)  ROOT r = f32[5,16] slice(x), slice={[2:17:3],[1:33:2]} })"},
    {"slice_dense",
     R"(x = f32[17,40] parameter(0)  ROOT r = f32[5,32] slice(x), slice={[2:7],[8:40]} })"},
    {"reverse", R"(x = f32[5,19] parameter(0)  ROOT r = f32[5,19] reverse(x), dimensions={0,1} })"},
    {"pad_all_ways", R"(x = f32[5,9] parameter(0)  p = f32[] parameter(1)
  ROOT r = f32[12,20] pad(x, p), padding=2_1_1x-1_5_1 })"},
    {"pad_whole_vectors", R"(x = f32[5,16] parameter(0)  p = f32[] parameter(1)
  ROOT r = f32[8,32] pad(x, p), padding=1_2x8_8 })"},
    {"pad_of_nothing", R"(x = f32[0,4] parameter(0)  p = f32[] parameter(1)
  ROOT r = f32[3,6] pad(x, p), padding=1_2x1_1 })"},
    {"concatenate_odd",
     R"(a = f32[4,3] parameter(0)  b = f32[4,9] parameter(1)  c = f32[4,0] parameter(2)
  ROOT r = f32[4,12] concatenate(a, b, c), dimensions={1} })"},
    {"concatenate_whole_vectors", R"(a = f32[4,16] parameter(0)  b = f32[4,8] parameter(1)
  ROOT r = f32[4,24] concatenate(a, b), dimensions={1} })"},
    {"concatenate_rows",
     R"(a = f32[4,9] parameter(0)  b = f32[2,9] parameter(1)  c = f32[5,9] parameter(2)
  d = f32[2,9] exponential(b)  ROOT r = f32[11,9] concatenate(a, d, c), dimensions={0} })"},
    {"concatenate_many_odd",
     R"(a = f32[3] parameter(0)  b = f32[5] parameter(1)  c = f32[1] parameter(2)
  d = f32[7] parameter(3)  e = f32[2] parameter(4)  f = f32[5] tanh(b)
  ROOT r = f32[23] concatenate(a, b, c, d, e, f), dimensions={0} })"},
    {"iota_of_types",
     R"(i = s32[5,9] iota(), iota_dimension=1  f = bf16[5,9] iota(), iota_dimension=0
  c = f32[5,9] convert(f)  d = f32[5,9] convert(i)  ROOT r = f32[5,9] add(c, d) })"},
    {"iota_narrow", R"(ROOT i = u8[300] iota(), iota_dimension=0 })"},
    {"dynamic_slice_clamps",
     R"(x = f32[9,20] parameter(0)  i = s32[] parameter(1)  j = u32[] parameter(2)
  ROOT r = f32[4,20] dynamic-slice(x, i, j), dynamic_slice_sizes={4,20} })"},
    {"dynamic_slice_of_lanes",
     R"(x = f32[9,20] parameter(0)  i = s32[] parameter(1)  j = s64[] parameter(2)
  ROOT r = f32[4,11] dynamic-slice(x, i, j), dynamic_slice_sizes={4,11} })"},
    {"dynamic_update_slice_row",
     R"(x = f32[9,20] parameter(0)  u = f32[2,20] parameter(1)  i = s32[] parameter(2)
  z = s32[] constant(0)  ROOT r = f32[9,20] dynamic-update-slice(x, u, i, z) })"},
    {"dynamic_update_slice_of_lanes",
     R"(x = f32[9,20] parameter(0)  u = f32[2,7] parameter(1)  i = s32[] parameter(2)
  j = s8[] parameter(3)  ROOT r = f32[9,20] dynamic-update-slice(x, u, i, j) })"},
    {"gather_rows", R"(x = f32[11,8] parameter(0)  i = s32[6] parameter(1)
  ROOT r = f32[6,8] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,8} })"},
    {"gather_windows", R"(x = f32[11,9] parameter(0)  i = s32[4,3,2] parameter(1)
  ROOT r = f32[2,4,3,5] gather(x, i), offset_dims={0,3}, collapsed_slice_dims={}, start_index_map={1,0},
    index_vector_dim=2, slice_sizes={2,5} })"},
    {"gather_batched", R"(x = f32[3,11,4] parameter(0)  i = s32[3,5,1] parameter(1)
  ROOT r = f32[3,5,4] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1},
    operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,4} })"},
    {"reduce_inside", R"(x = f32[5,20,6] parameter(0)  z = f32[] constant(3)
  s = f32[5,6] reduce(x, z), dimensions={1}, to_apply=add  b = f32[5,20,6] broadcast(s), dimensions={0,2}
  ROOT r = f32[5,20,6] subtract(x, b) })"},
    {"reduce_small_inside", R"(x = f32[30,4] parameter(0)  z = f32[] constant(-inf)
  ROOT s = f32[30] reduce(x, z), dimensions={1}, to_apply=max })"},
    {"reduce_in_order", R"(x = f32[7,33] parameter(0)  z = f32[] constant(2)
  ROOT s = f32[7] reduce(x, z), dimensions={1}, to_apply=mix })"},
    {"reduce_wide_bf16", R"(x = bf16[7,300] parameter(0)  z = bf16[] constant(1)
  ROOT s = bf16[7] reduce(x, z), dimensions={1}, to_apply=addbf })"},
    {"argmax", R"(x = f32[9,40] parameter(0)  i = s32[9,40] iota(), iota_dimension=1
  l = f32[] constant(-inf)  z = s32[] constant(0)
  m = (f32[9], s32[9]) reduce(x, i, l, z), dimensions={1}, to_apply=argmax
  v = f32[9] get-tuple-element(m), index=0  k = s32[9] get-tuple-element(m), index=1
  ROOT r = (f32[9], s32[9]) tuple(v, k) })"},
    {"reduce_window_padded", R"(x = f32[9,13] parameter(0)  z = f32[] constant(-inf)
  ROOT r = f32[5,13] reduce-window(x, z), window={size=3x3 stride=2x1 pad=1_1x1_1}, to_apply=max })"},
    {"reduce_window_dilated", R"(x = f32[9,13] parameter(0)  z = f32[] constant(1)
  ROOT r = f32[7,23] reduce-window(x, z), window={size=2x3 pad=-1_0x0_0 lhs_dilate=1x2}, to_apply=add })"},
    {"cumulative_sum", R"(x = f32[4,37] parameter(0)  z = f32[] constant(0)
  ROOT r = f32[4,37] reduce-window(x, z), window={size=1x37 pad=0_0x36_0}, to_apply=add })"},
    {"select_and_scatter",
     R"(x = f32[8,9] parameter(0)  s = f32[4,3] parameter(1)  z = f32[] constant(0)
  ROOT r = f32[8,9] select-and-scatter(x, s, z), window={size=2x3 stride=2x3}, select=ge, scatter=add })"},
    {"select_and_scatter_overlapping",
     R"(x = f32[7,9] parameter(0)  s = f32[4,4] parameter(1)  z = f32[] constant(0)
  ROOT r = f32[7,9] select-and-scatter(x, s, z), window={size=3x3 stride=2x2 pad=1_1x0_0}, select=ge, scatter=add })"},
    {"scatter_adds",
     R"(x = f32[6,5] parameter(0)  i = s32[9,1] parameter(1)  u = f32[9,5] parameter(2)
  ROOT r = f32[6,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })"},
    {"bitcast_convert_widths", R"(x = u8[6,4] parameter(0)  a = f32[6] bitcast-convert(x)
  b = u32[6] bitcast-convert(a)  ROOT r = u16[6,2] bitcast-convert(b) })"},
    {"logic_and_selection", R"(x = f32[50] parameter(0)  y = f32[50] parameter(1)
  p = pred[50] compare(x, y), direction=LT  n = pred[50] not(p)  q = pred[50] or(p, n)
  s = f32[50] select(p, x, y)  c = f32[] constant(0.5)  lo = f32[] constant(-0.5)
  k = f32[50] clamp(lo, s, c)  ROOT r = (f32[50], pred[50]) tuple(k, q) })"},
    {"halves", R"(x = f16[3,31] parameter(0)  y = bf16[3,31] parameter(1)  a = f32[3,31] convert(x)
  b = f32[3,31] convert(y)  c = f32[3,31] add(a, b)  d = bf16[3,31] convert(c)
  e = f16[3,31] exponential(x)  ROOT r = (bf16[3,31], f16[3,31]) tuple(d, e) })"},
    {"integers", R"(x = s32[70] parameter(0)  y = s8[70] parameter(1)  w = s32[70] convert(y)
  d = s32[70] divide(x, w)  m = s32[70] remainder(x, w)  a = s8[70] add(y, y)
  ROOT r = (s32[70], s32[70], s8[70]) tuple(d, m, a) })"},
    {"scalars", R"(x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] power(x, y) })"},
    {"nothing", R"(x = f32[3,0] parameter(0)  ROOT r = f32[3,0] negate(x) })"},
    {"constant_array", R"(c = f32[4] constant({1, 2, 3, 4})  x = f32[5,4] parameter(0)
  b = f32[5,4] broadcast(c), dimensions={1}  k = f32[4] constant({7, 7, 7, 7})
  e = f32[5,4] broadcast(k), dimensions={1}  s = f32[5,4] add(b, e)  ROOT r = f32[5,4] add(s, x) })"},
};

}  // namespace

absl::Span<const ElementalCase> ElementalCases() { return kCases; }

std::string ElementalText(const ElementalCase& c) { return std::string(kReducers) + c.hlo; }

}  // namespace astitch::testing
