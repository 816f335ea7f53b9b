// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Data that is read along one axis and written along the other, of every width of elements and with
// extents that are no multiple of anything: right, and without bank conflicts.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/ladder/device.h"

namespace astitch::testing {
namespace {

struct Form {
  const char* name;
  const char* hlo;  // T: an element type; A, B: extents
};
constexpr Form kForms[] = {
    {"plain", R"(HloModule plain
ENTRY e {
  x = T[A,B] parameter(0)
  ROOT t = T[B,A] transpose(x), dimensions={1,0}
})"},
    {"batches", R"(HloModule batches
ENTRY e {
  x = T[2,A,B] parameter(0)
  t = T[2,B,A] transpose(x), dimensions={0,2,1}
  ROOT y = T[2,B,A] maximum(t, t)
})"},
    {"rows_in_another_order", R"(HloModule rotated
ENTRY e {
  x = T[3,A,B] parameter(0)
  t = T[B,3,A] transpose(x), dimensions={2,0,1}
  c = T[] constant(1)
  ones = T[B,3,A] broadcast(c), dimensions={}
  ROOT y = T[B,3,A] minimum(t, ones)
})"},
    {"with_its_own_transpose", R"(HloModule own
ENTRY e {
  x = T[A,A] parameter(0)
  t = T[A,A] transpose(x), dimensions={1,0}
  ROOT y = T[A,A] maximum(t, x)
})"},
    {"widened", R"(HloModule widened
ENTRY e {
  x = T[A,B] parameter(0)
  y = f32[B,A] parameter(1)
  t = T[B,A] transpose(x), dimensions={1,0}
  w = f32[B,A] convert(t)
  z = f32[B,A] maximum(w, y)
  ROOT r = (T[B,A], f32[B,A]) tuple(t, z)
})"},
    {"rows_folded", R"(HloModule folded
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,B] parameter(0)
  y = f32[B,A] parameter(1)
  t = T[B,A] transpose(x), dimensions={1,0}
  w = f32[B,A] convert(t)
  p = f32[B,A] maximum(w, y)
  low = f32[] constant(-1000)
  m = f32[B] reduce(p, low), dimensions={1}, to_apply=max
  mb = f32[B,A] broadcast(m), dimensions={0}
  d = f32[B,A] subtract(p, mb)
  ROOT r = (f32[B], f32[B,A]) tuple(m, d)
})"},
    {"long_rows_folded_and_turned", R"(HloModule long
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[1A,B] parameter(0)
  t = T[B,1A] transpose(x), dimensions={1,0}
  w = f32[B,1A] convert(t)
  low = f32[] constant(-1000)
  m = f32[B] reduce(w, low), dimensions={1}, to_apply=max
  mb = f32[B,1A] broadcast(m), dimensions={0}
  ROOT d = f32[B,1A] subtract(w, mb)
})"},
    {"folded_along_rows", R"(HloModule along
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,B] parameter(0)
  w = f32[A,B] convert(x)
  low = f32[] constant(-1000)
  m = f32[B] reduce(w, low), dimensions={0}, to_apply=max
  mb = f32[A,B] broadcast(m), dimensions={1}
  ROOT d = f32[A,B] subtract(w, mb)
})"},
};

struct Extents {
  int a, b;
};
constexpr Extents kExtents[] = {{128, 64}, {301, 53}, {1, 70}, {70, 1}, {130, 17}, {33, 95}};

using Case = std::tuple<Form, const char*>;
class Turn : public ::testing::TestWithParam<Case> {};

std::string Hlo(const Form& form, const std::string& type, const Extents& extents) {
  std::string hlo = absl::StrReplaceAll(
      form.hlo, {{"T[", absl::StrCat(type, "[")}, {"[1A,", absl::StrCat("[1", extents.a, ",")}});
  const std::string a = std::to_string(extents.a), b = std::to_string(extents.b);
  return absl::StrReplaceAll(hlo, {{"A,", absl::StrCat(a, ",")},
                                   {"A]", absl::StrCat(a, "]")},
                                   {"B,", absl::StrCat(b, ",")},
                                   {"B]", absl::StrCat(b, "]")}});
}

TEST_P(Turn, IsRightAndWithoutBankConflicts) {
  const auto& [form, type] = GetParam();
  int number = 0;
  for (const Extents& extents : kExtents) {
    const std::string target = number++ % 2 == 0 ? "a100" : "t4";
    const std::string hlo = Hlo(form, type, extents);
    const auto program = CompileProgram(hlo, target, "stitch");
    ASSERT_TRUE(program.ok()) << program.status() << hlo;
    SimulatorOptions options;
    options.order = number % 3 == 0 ? simt::Order::kRandom : simt::Order::kReverse;
    const Outcome outcome = RunProgram(*program, options);
    EXPECT_EQ(Fault(*program, outcome), "") << hlo;
    for (const SimulatedStep& step : outcome.log) {
      for (const simt::StageCounts& stage : step.stages)
        EXPECT_EQ(stage.bank_conflicts, 0) << stage.stage << " on " << target << "\n" << hlo;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Turn,
                         ::testing::Combine(::testing::ValuesIn(kForms),
                                            ::testing::Values("s8", "pred", "f8e4m3fn", "bf16",
                                                              "s16", "f32", "u64", "f64")),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param).name, "_",
                                               std::get<1>(info.param));
                         });

}  // namespace
}  // namespace astitch::testing
