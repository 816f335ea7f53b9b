// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays that outgrow the last cache and that several phases read: the phases go backward or slice by
// slice, give the right values, and move the bytes that the plan states.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/fresh_folder.h"
#include "tests/ladder/device.h"

namespace astitch::testing {
namespace {

struct Form {
  const char* name;
  const char* word;  // of the plan
  int sms;           // of the machine
  const char* hlo;   // T: an element type; A, B: extents; M: 16 times B
};
constexpr char kColumns[] = R"(HloModule columns
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,M,64] parameter(0)
  w = f32[A,M,64] convert(x)
  low = f32[] constant(-1000)
  m = f32[64] reduce(w, low), dimensions={0,1}, to_apply=max
  mb = f32[A,M,64] broadcast(m), dimensions={2}
  d = f32[A,M,64] subtract(w, mb)
  ROOT y = T[A,M,64] convert(d)
})";
constexpr char kColumnsTwice[] = R"(HloModule columns
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,M,64] parameter(0)
  g = T[A,M,64] parameter(1)
  w = f32[A,M,64] convert(x)
  v = f32[A,M,64] convert(g)
  low = f32[] constant(-1000)
  m = f32[64] reduce(w, low), dimensions={0,1}, to_apply=max
  mb = f32[A,M,64] broadcast(m), dimensions={2}
  d = f32[A,M,64] subtract(w, mb)
  p = f32[A,M,64] multiply(d, v)
  q = f32[64] reduce(p, low), dimensions={0,1}, to_apply=max
  qb = f32[A,M,64] broadcast(q), dimensions={2}
  e = f32[A,M,64] add(d, qb)
  f = f32[A,M,64] subtract(e, v)
  ROOT y = T[A,M,64] convert(f)
})";
constexpr char kRowsAndColumns[] = R"(HloModule both
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,M,64] parameter(0)
  w = f32[A,M,64] convert(x)
  low = f32[] constant(-1000)
  m = f32[64] reduce(w, low), dimensions={0,1}, to_apply=max
  n = f32[A,M] reduce(w, low), dimensions={2}, to_apply=max
  mb = f32[A,M,64] broadcast(m), dimensions={2}
  nb = f32[A,M,64] broadcast(n), dimensions={0,1}
  d = f32[A,M,64] subtract(w, mb)
  e = f32[A,M,64] subtract(d, nb)
  ROOT y = T[A,M,64] convert(e)
})";

constexpr Form kForms[] = {
    // Rows too few to fill the machine and too long for registers: their parts meet behind barriers.
    {"groups", " slice=", 20, R"(HloModule groups
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = T[A,B,2,3072] parameter(0)
  w = f32[A,B,2,3072] convert(x)
  zero = f32[] constant(0)
  s = f32[A,2] reduce(w, zero), dimensions={1,3}, to_apply=add
  sb = f32[A,B,2,3072] broadcast(s), dimensions={0,2}
  scale = f32[] constant(0.0001)
  scales = f32[A,B,2,3072] broadcast(scale), dimensions={}
  m = f32[A,B,2,3072] multiply(sb, scales)
  d = f32[A,B,2,3072] subtract(w, m)
  ROOT y = T[A,B,2,3072] convert(d)
})"},
    {"groups_of_two_sweeps", " slice=", 20, R"(HloModule groups
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,B,3072] parameter(0)
  w = f32[A,B,3072] convert(x)
  low = f32[] constant(-1000)
  m = f32[A] reduce(w, low), dimensions={1,2}, to_apply=max
  mb = f32[A,B,3072] broadcast(m), dimensions={0}
  d = f32[A,B,3072] subtract(w, mb)
  n = f32[A,B,3072] negate(d)
  p = f32[A,B,3072] multiply(n, d)
  q = f32[A] reduce(p, low), dimensions={1,2}, to_apply=max
  qb = f32[A,B,3072] broadcast(q), dimensions={0}
  e = f32[A,B,3072] add(d, qb)
  y = T[A,B,3072] convert(e)
  ROOT r = (T[A,B,3072], f32[A], f32[A]) tuple(y, m, q)
})"},
    {"columns", " backward=1", 1, kColumns},
    {"columns_stay", " stays_from=", 20, kColumns},
    {"columns_twice", " backward=1", 1, kColumnsTwice},
    {"columns_twice_stay", " stays_from=", 20, kColumnsTwice},
    {"rows_and_columns", " backward=1", 1, kRowsAndColumns},
    {"rows_and_columns_stay", " stays_from=", 20, kRowsAndColumns},
    {"everything", " backward=1", 4, R"(HloModule everything
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = T[A,M,96] parameter(0)
  w = f32[A,M,96] convert(x)
  low = f32[] constant(-1000)
  m = f32[] reduce(w, low), dimensions={0,1,2}, to_apply=max
  mb = f32[A,M,96] broadcast(m), dimensions={}
  d = f32[A,M,96] subtract(w, mb)
  ROOT y = T[A,M,96] convert(d)
})"},
};

struct Extents {
  int a, b;
};
constexpr Extents kExtents[] = {{8, 24}, {7, 29}, {12, 16}};

std::string Hlo(const Form& form, const std::string& type, const Extents& extents) {
  const std::string lead = absl::StrCat("[", extents.a, ","), next = absl::StrCat(extents.b, ",");
  const std::string many = std::to_string(16 * extents.b);
  return absl::StrReplaceAll(form.hlo, {{"T[A,B,", absl::StrCat(type, lead, next)},
                                        {"[A,B,", absl::StrCat(lead, next)},
                                        {"T[A,M,", absl::StrCat(type, lead, many, ",")},
                                        {"[A,M,", absl::StrCat(lead, many, ",")},
                                        {"[A,M]", absl::StrCat(lead, many, "]")},
                                        {"[A,2]", absl::StrCat(lead, "2]")},
                                        {"[A]", absl::StrCat("[", extents.a, "]")}});
}

absl::StatusOr<Plan> PlanFor(const std::string& hlo, const MachineModel& machine) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(hlo));
  ASTITCH_RETURN_IF_ERROR(RunPasses(*graph, StandardPipeline()).status());
  return MakePlan(std::move(graph), machine, {});
}

// The file of a machine with a last cache of so many bytes.
std::string MachineFile(const std::string& folder, int sms, int64_t l2_bytes) {
  const std::string path = absl::StrCat(folder, "/l2-", l2_bytes, "-", sms, ".json");
  const auto small = ReadFile(ASTITCH_TEST_DATA "/machines/small-l2.json");
  EXPECT_TRUE(small.ok()) << small.status();
  const std::string text = absl::StrReplaceAll(
      *small, {{"\"l2_bytes\": 16384", absl::StrCat("\"l2_bytes\": ", l2_bytes)},
               {"\"num_sms\": 20", absl::StrCat("\"num_sms\": ", sms)},
               // One kernel, whatever its mapping costs.
               {"\"launch_us\": 1.0", "\"launch_us\": 1000"}});
  std::ofstream(path) << text;
  return path;
}

absl::StatusOr<MachineModel> MachineOf(const std::string& file) {
  ASTITCH_ASSIGN_OR_RETURN(const std::string json, ReadFile(file));
  return ParseMachine(json, file);
}

int64_t LargestInput(const Graph& graph) {
  int64_t bytes = 0;
  for (const Instruction* parameter : graph.entry()->parameters())
    bytes = std::max(bytes, parameter->shape().byte_size());
  return bytes;
}

using Case = std::tuple<Form, const char*>;
class Reuse : public ::testing::TestWithParam<Case> {};

TEST_P(Reuse, IsRightAndMovesWhatThePlanStates) {
  const auto& [form, type] = GetParam();
  const std::string folder = FreshFolder();
  int number = 0, marked = 0;
  for (const Extents& extents : kExtents) {
    const std::string hlo = Hlo(form, type, extents);
    const auto graph = ParseHloText(hlo);
    ASSERT_TRUE(graph.ok()) << graph.status();
    // Less than the array, more than a slice of it.
    const std::string file = MachineFile(folder, form.sms, LargestInput(**graph) / 3);
    const auto machine = MachineOf(file);
    ASSERT_TRUE(machine.ok()) << machine.status();
    const auto plan = PlanFor(hlo, *machine);
    ASSERT_TRUE(plan.ok()) << plan.status() << hlo;
    marked += absl::StrContains(PlanLines(*plan), form.word);
    const auto program = CompileProgram(hlo, "@" + file, "stitch");
    ASSERT_TRUE(program.ok()) << program.status() << hlo;
    SimulatorOptions options;
    options.slice = 32;
    const Outcome outcome = RunProgram(*program, options);
    EXPECT_EQ(Fault(*program, outcome), "") << hlo;
    ASSERT_EQ(outcome.log.size(), 1u);
    simt::BufferTraffic moved = outcome.log[0].TensorTraffic();
    moved += outcome.log[0].OwnTraffic();
    const Traffic stated = plan->total_traffic();
    const double read = static_cast<double>(moved.dram_read_sectors * 32);
    // The model takes pieces; here, where blocks have two or three tasks each, they are not in step.
    EXPECT_NEAR(read, static_cast<double>(stated.read), 0.1 * static_cast<double>(stated.read))
        << hlo << PlanLines(*plan);
    SimulatorOptions other;
    other.order = ++number % 2 == 0 ? simt::Order::kRandom : simt::Order::kReverse;
    other.seed = static_cast<uint64_t>(number);
    EXPECT_EQ(Fault(*program, RunProgram(*program, other)), "") << hlo;
  }
  EXPECT_GT(marked, 0) << "no plan has" << form.word;
}

INSTANTIATE_TEST_SUITE_P(All, Reuse,
                         ::testing::Combine(::testing::ValuesIn(kForms),
                                            ::testing::Values("bf16", "f32", "f64")),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param).name, "_",
                                               std::get<1>(info.param));
                         });

}  // namespace
}  // namespace astitch::testing
