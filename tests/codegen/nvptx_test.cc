// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The PTX text: what a simulator without a memory model would not notice, and what the assembler
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "frontend/hlo_text/parser.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/codegen/assembler.h"
#include "tests/codegen/occupancy.h"
#include "tests/codegen/plan_runner.h"

namespace astitch::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int CountOf(absl::string_view text, absl::string_view what) {
  int count = 0;
  for (size_t at = text.find(what); at != absl::string_view::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

constexpr char kLayerNorm[] = R"(
HloModule norm
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[512,1024] parameter(0)
  gamma = f32[1024] parameter(1)
  zero = f32[] constant(0)
  n = f32[] constant(0.0009765625)
  eps = f32[] constant(1e-5)
  nb = f32[512] broadcast(n), dimensions={}
  sum = f32[512] reduce(x, zero), dimensions={1}, to_apply=add
  mean = f32[512] multiply(sum, nb)
  mb = f32[512,1024] broadcast(mean), dimensions={0}
  d = f32[512,1024] subtract(x, mb)
  sq = f32[512,1024] multiply(d, d)
  ss = f32[512] reduce(sq, zero), dimensions={1}, to_apply=add
  var = f32[512] multiply(ss, nb)
  eb = f32[512] broadcast(eps), dimensions={}
  ve = f32[512] add(var, eb)
  rs = f32[512] rsqrt(ve)
  rb = f32[512,1024] broadcast(rs), dimensions={0}
  gb = f32[512,1024] broadcast(gamma), dimensions={1}
  y = f32[512,1024] multiply(d, rb)
  ROOT z = f32[512,1024] multiply(y, gb)
})";

// x in registers; 256 threads a row, so statistics meet in shared memory.
constexpr char kLayerNormKernel[] = R"(
kernel k grid=132 block=256
  traffic read=0 written=0 bound=0
  in %x
  in %gamma
  out %z
  place %x local keep=registers
  place %sum local
  place %ss local
  place %z output output=0
  phase rows=[512] threads_per_row=256
    stage columns=[1024] vector=4
      reduce %sum over=columns map=(0)(1)
    stage columns=[1024] vector=4
      reduce %ss over=columns map=(0)(1)
    stage columns=[1024] vector=4
      store %z map=(0)(1)
graph
)";

std::string CompileText(const std::string& text, int sm) {
  absl::StatusOr<Plan> plan = PlanFromText(text);
  if (!plan.ok()) return std::string(plan.status().message());
  absl::StatusOr<PtxKernel> ptx = CompileToPtx(std::get<KernelPlan>(plan->steps[0]), {.sm = sm});
  return ptx.ok() ? ptx->text : std::string(ptx.status().message());
}

// From the mark of a stage to the next mark.
std::string StageText(const std::string& ptx, absl::string_view stage) {
  const size_t start = ptx.find(absl::StrCat("// stage ", stage));
  if (start == std::string::npos) return "";
  return ptx.substr(start, ptx.find("// stage ", start + 1) - start);
}

TEST(Nvptx, LayerNormReadsItsInputInTheFirstStageOnly) {
  const std::string ptx = CompileText(std::string(kLayerNormKernel) + kLayerNorm, 80);
  // x in the first stage, gamma in the last; nothing in between.
  EXPECT_EQ(CountOf(StageText(ptx, "0.0"), "ld.global"), 1) << ptx;
  EXPECT_EQ(CountOf(StageText(ptx, "0.1"), "ld.global"), 0) << ptx;
  EXPECT_EQ(CountOf(StageText(ptx, "0.2"), "ld.global"), 1) << ptx;
  EXPECT_EQ(CountOf(ptx, "ld.global.nc.v4"), 2) << ptx;
  EXPECT_THAT(ptx, HasSubstr("// stage 0.1 %ss"));
  EXPECT_THAT(ptx, HasSubstr("shfl.sync.bfly.b32"));
  EXPECT_THAT(ptx, HasSubstr(".extern .shared"));
}

// A sum over everything, by parts behind a barrier of the grid, which then scales the input.
constexpr char kGridKernel[] = R"(
kernel k grid=64 block=128 cooperative=1 scratch=256
  traffic read=0 written=0 bound=0
  in %x
  out %y
  place %s local partial_offset=0 partial_bytes=160
  place %y output output=0
  phase rows=[] cols_per_task=2048 threads_per_row=128
    stage columns=[81920] vector=4 unroll=2
      reduce %s over=columns partial=1 parts=40 map=(0)
  phase rows=[] barrier=grid cols_per_task=2048 threads_per_row=128
    stage columns=[40]
      combine %s over=columns parts=40 map=
    stage columns=[81920] vector=4
      store %y map=(0)
graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[81920] parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  sb = f32[81920] broadcast(s), dimensions={}
  ROOT y = f32[81920] multiply(x, sb)
})";

TEST(Nvptx, TheGridBarrierReleasesAndAcquires) {
  const std::string ptx = CompileText(kGridKernel, 80);
  EXPECT_EQ(CountOf(ptx, "atom.add.release.gpu.global.u32"), 1) << ptx;
  EXPECT_EQ(CountOf(ptx, "ld.acquire.gpu.global.u32"), 1);
  EXPECT_THAT(ptx, HasSubstr("nanosleep"));
}

TEST(Nvptx, PartialResultsAreNeverReadThroughTheReadOnlyCache) {
  const std::string ptx = CompileText(kGridKernel, 80);
  const std::string stage = StageText(ptx, "1.0");
  EXPECT_THAT(stage, HasSubstr("ld.global.b32"));
  EXPECT_THAT(stage, Not(HasSubstr("ld.global.nc")));
}

TEST(Nvptx, OutputsThatAreReadBackMayAlias) {
  const std::string text = R"(
kernel k grid=8 block=32
  traffic read=0 written=0 bound=0
  in %x
  out %a
  out %b
  place %a output output=0
  place %b output output=1
  phase rows=[64] threads_per_row=32
    stage columns=[32]
      store %a map=(0)(1)
    stage columns=[32] barrier=warp
      store %b map=(0)(1)
graph
HloModule m
ENTRY e {
  x = f32[64,32] parameter(0)
  a = f32[64,32] exponential(x)
  r = f32[64,32] reverse(a), dimensions={1}
  b = f32[64,32] add(a, r)
  ROOT t = (f32[64,32], f32[64,32]) tuple(a, b)
})";
  absl::StatusOr<Plan> plan = PlanFromText(text);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const auto ptx = CompileToPtx(std::get<KernelPlan>(plan->steps[0]), {.sm = 80, .keep_ir = true});
  ASSERT_TRUE(ptx.ok()) << ptx.status().message();
  const std::string signature = ptx->ir.substr(ptx->ir.find("define"), 400);
  EXPECT_THAT(signature, ::testing::ContainsRegex("noalias readonly align 16 %0"));
  EXPECT_THAT(signature, ::testing::ContainsRegex("ptr addrspace.1. align 16 %1"));
  EXPECT_THAT(signature, ::testing::ContainsRegex("noalias align 16 %2"));
}

TEST(Nvptx, ManyParametersAskForNewerPtxAndThenForATable) {
  for (const auto& [count, version, table] :
       {std::tuple(300, "7.0", false), std::tuple(700, "8.1", false),
        std::tuple(4200, "7.0", true)}) {
    std::string hlo = "HloModule m\nENTRY e {\n", sum = "x0";
    for (int i = 0; i < count; ++i) absl::StrAppend(&hlo, "x", i, " = f32[] parameter(", i, ")\n");
    for (int i = 1; i < count; ++i) {
      absl::StrAppend(&hlo, i + 1 == count ? "ROOT " : "", "sum", i, " = f32[] add(", sum, ", x", i,
                      ")\n");
      sum = absl::StrCat("sum", i);
    }
    std::string lines = "kernel k grid=1 block=32\n  traffic read=0 written=0 bound=0\n";
    for (int i = 0; i < count; ++i) absl::StrAppend(&lines, "  in %x", i, "\n");
    absl::StrAppend(&lines, "  out %", sum, "\n  place %", sum, " output output=0\n",
                    "  phase rows=[] threads_per_row=32\n    stage columns=[]\n      store %", sum,
                    " map=\ngraph\n", hlo, "}");
    const std::string ptx = CompileText(lines, 80);
    EXPECT_THAT(ptx.substr(0, 600), HasSubstr(absl::StrCat(".version ", version)));
    EXPECT_EQ(CountOf(ptx, ".param .u64 .ptr"), table ? 1 : count + 1);
    if (Assembler() == nullptr) continue;
    EXPECT_EQ(Assemble(ptx, 80), "");
  }
}

TEST(Nvptx, LowestVersionOfEveryTarget) {
  EXPECT_EQ(PtxVersion(70, 64), 63);
  EXPECT_EQ(PtxVersion(75, 64), 63);
  EXPECT_EQ(PtxVersion(80, 64), 70);
  EXPECT_EQ(PtxVersion(90, 64), 78);
  EXPECT_EQ(PtxVersion(100, 64), 86);
  EXPECT_EQ(PtxVersion(120, 64), 87);
  EXPECT_EQ(PtxVersion(75, 5000), 81);
  EXPECT_EQ(PtxVersion(80, 64, {.wide_accesses = true, .bulk_copies = true}), 70);
  EXPECT_EQ(PtxVersion(90, 64, {.wide_accesses = true, .bulk_copies = true}), 80);
  EXPECT_EQ(PtxVersion(100, 64, {.wide_accesses = true}), 88);
}

struct NamedGraph {
  const char* name;
  const char* hlo;
};
void PrintTo(const NamedGraph& g, std::ostream* out) { *out << g.name; }

const NamedGraph kGraphs[] = {
    {"layer_norm", kLayerNorm},
    {"column_sum", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[4096,300] parameter(0)  z = f32[] constant(0)
  ROOT s = f32[300] reduce(x, z), dimensions={0}, to_apply=add })"},
    {"full_mean_and_scale", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[300007] parameter(0)  z = f32[] constant(0)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add  b = f32[300007] broadcast(s), dimensions={}
  ROOT y = f32[300007] subtract(x, b) })"},
    {"long_rows", R"(
HloModule m
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e { x = f32[64,30000] parameter(0)  z = f32[] constant(-inf)
  s = f32[64] reduce(x, z), dimensions={1}, to_apply=max  b = f32[64,30000] broadcast(s), dimensions={0}
  ROOT y = f32[64,30000] subtract(x, b) })"},
    {"many_short_rows", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[750000,32] parameter(0)  z = f32[] constant(0)
  ROOT s = f32[750000] reduce(x, z), dimensions={1}, to_apply=add })"},
    {"odd_rows", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[3000,1001] parameter(0)  g = f32[1001] parameter(1)  z = f32[] constant(0)
  s = f32[3000] reduce(x, z), dimensions={1}, to_apply=add  b = f32[3000,1001] broadcast(s), dimensions={0}
  gb = f32[3000,1001] broadcast(g), dimensions={1}  d = f32[3000,1001] subtract(x, b)
  ROOT y = f32[3000,1001] multiply(d, gb) })"},
    {"angles", R"(
HloModule m
ENTRY e { x = bf16[2048,512] parameter(0)  c = f32[2048,512] convert(x)  s = f32[2048,512] sine(c)
  k = f32[2048,512] cosine(c)  m = f32[2048,512] multiply(s, k)  ROOT r = bf16[2048,512] convert(m) })"},
    {"halves_softmax", R"(
HloModule m
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e { y = bf16[64,131072] parameter(0)  x = f32[64,131072] convert(y)  ninf = f32[] constant(-inf)  zero = f32[] constant(0)
  mx = f32[64] reduce(x, ninf), dimensions={1}, to_apply=max  mb = f32[64,131072] broadcast(mx), dimensions={0}
  d = f32[64,131072] subtract(x, mb)  e = f32[64,131072] exponential(d)
  sm = f32[64] reduce(e, zero), dimensions={1}, to_apply=add  sb = f32[64,131072] broadcast(sm), dimensions={0}
  p = f32[64,131072] divide(e, sb)  ROOT r = bf16[64,131072] convert(p) })"},
    {"halves_transposed", R"(
HloModule m
ENTRY e { x = bf16[512,384] parameter(0)  y = f16[384,512] parameter(1)
  t = bf16[384,512] transpose(x), dimensions={1,0}  a = f32[384,512] convert(t)  b = f32[384,512] convert(y)
  c = f32[384,512] multiply(a, b)  e = f32[384,512] tanh(c)  ROOT r = bf16[384,512] convert(e) })"},
    {"movement", R"(
HloModule m
ENTRY e { x = f32[33,20] parameter(0)  y = f32[33,13] parameter(1)  p = f32[] parameter(2)  i = s32[] parameter(3)
  c = f32[33,33] concatenate(x, y), dimensions={1}  d = f32[40,35] pad(c, p), padding=3_4x1_1
  v = f32[40,35] reverse(d), dimensions={1}  s = f32[7,35] dynamic-slice(v, i, i), dynamic_slice_sizes={7,35}
  r = f32[245] reshape(s)  ROOT o = f32[245] negate(r) })"},
    {"argmax", R"(
HloModule m
argmax { av = f32[] parameter(0)  ai = s32[] parameter(1)  bv = f32[] parameter(2)  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT   isn = pred[] compare(av, av), direction=NE
  or = pred[] or(gt, isn)   eq = pred[] compare(av, bv), direction=EQ
  lt = pred[] compare(ai, bi), direction=LT   tie = pred[] and(eq, lt)   first = pred[] or(or, tie)
  v = f32[] select(or, av, bv)   i = s32[] select(first, ai, bi)
  ROOT r = (f32[], s32[]) tuple(v, i) }
ENTRY e { x = f32[900,1000] parameter(0)  i = s32[900,1000] iota(), iota_dimension=1
  l = f32[] constant(-inf)  z = s32[] constant(0)
  m = (f32[900], s32[900]) reduce(x, i, l, z), dimensions={1}, to_apply=argmax
  ROOT k = s32[900] get-tuple-element(m), index=1 })"},
};

class NvptxAssembles : public ::testing::TestWithParam<NamedGraph> {};

TEST_P(NvptxAssembles, PlannedKernelsOnEveryTarget) {
  if (Assembler() == nullptr) GTEST_SKIP() << "no ptxas on this machine";
  for (const char* name : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    auto machine = FindMachine(name);
    if (!machine.ok()) continue;
    auto graph = ParseHloText(GetParam().hlo);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    auto plan = MakePlan(*std::move(graph), *machine, {});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (const PlanStep& step : plan->steps) {
      const auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel == nullptr) continue;
      const auto ptx = CompileToPtx(*kernel, {.sm = machine->sm});
      ASSERT_TRUE(ptx.ok()) << name << ": " << ptx.status().message();
      EXPECT_EQ(CheckOccupancy(*kernel, *ptx, *machine), "") << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NvptxAssembles, ::testing::ValuesIn(kGraphs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch::testing
