// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Library calls: what strides and epilogues take over from kernels, and what they must not.
#include "stitch/library_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/hlo_text/parser.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

std::string OperandText(const StridedOperand& operand) {
  return absl::StrCat(operand.value->name(), "[", absl::StrJoin(operand.strides, ","), "]");
}

// One line a call: lhs x rhs -> out, then epilogues; of a graph that starts with x, w, b and v.
std::vector<std::string> Describe(absl::string_view body) {
  auto graph = ParseHloText(absl::StrCat(R"(HloModule m
ENTRY e {
    x = f32[2,4,12] parameter(0)
    w = f32[12,6] parameter(1)
    b = f32[6] parameter(2)
    v = f32[2,4,6] parameter(3)
    half = f32[] constant(0.5)
    one = f32[] constant(1)
)",
                                         body, "\n}\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto found = FindLibraryCalls(**graph, true);
  EXPECT_TRUE(found.ok()) << found.status();
  std::vector<std::string> out;
  for (const Instruction* i : (*graph)->entry()->post_order()) {
    const auto it = found->calls.find(i);
    if (it == found->calls.end()) continue;
    const DotCall& call = it->second;
    std::string line = absl::StrCat(OperandText(call.lhs), " x ", OperandText(call.rhs), " -> ",
                                    OperandText(call.out));
    for (const EpilogueOp& op : call.epilogue) {
      absl::StrAppend(&line, " ", ToString(op.kind));
      if (op.addend.value != nullptr) absl::StrAppend(&line, " ", OperandText(op.addend));
      if (op.kind == EpilogueKind::kScale) absl::StrAppend(&line, " ", op.scale);
    }
    out.push_back(line);
  }
  return out;
}

constexpr absl::string_view kDot =
    "d = f32[2,4,6] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n";
constexpr absl::string_view kBias = "bb = f32[2,4,6] broadcast(b), dimensions={2}\n";

TEST(LibraryCalls, TakeBiasScaleAndResidual) {
  EXPECT_THAT(Describe(absl::StrCat(kDot, kBias, R"(
    a = f32[2,4,6] add(d, bb)
    h = f32[2,4,6] broadcast(half), dimensions={}
    s = f32[2,4,6] multiply(h, a)
    ROOT r = f32[2,4,6] add(v, s))")),
              testing::ElementsAre("x[12,1] x w[6,1] -> r[6,1] add b[0,1] scale 0.5 add v[6,1]"));
}

TEST(LibraryCalls, WriteThroughTranspositionsThatHaveStrides) {
  // Rows of 2 x 4 lie apart once 4 is innermost of memory's middle: the second product may be written
  // so, the first may not.
  EXPECT_THAT(Describe(absl::StrCat(kDot, R"(
    s = f32[2,4,2,3] reshape(d)
    t = f32[2,2,4,3] transpose(s), dimensions={0,2,1,3}
    ROOT e = f32[2,2,4,3] negate(t))")),
              testing::ElementsAre("x[12,1] x w[6,1] -> s[6,1]"));
  EXPECT_THAT(Describe(R"(
    y = f32[2,12,6] parameter(4)
    d = f32[2,4,6] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
    t = f32[4,2,6] transpose(d), dimensions={1,0,2}
    s = f32[4,12] reshape(t)
    ROOT e = f32[4,12] negate(s))"),
              testing::ElementsAre("x[48,12,1] x y[72,6,1] -> s[6,12,1]"));
}

TEST(LibraryCalls, ReadThroughTranspositionsOfWhatIsInMemory) {
  const absl::string_view turned = R"(
    u = f32[8,12] reshape(x)
    t = f32[12,8] transpose(u), dimensions={1,0}
    ROOT d = f32[8,6] dot(t, w), lhs_contracting_dims={0}, rhs_contracting_dims={0})";
  EXPECT_THAT(Describe(turned), testing::ElementsAre("x[12,1] x w[6,1] -> d[6,1]"));
  // Computed by a kernel, which may as well store it turned.
  EXPECT_THAT(Describe(R"(
    n = f32[2,4,12] negate(x)
    u = f32[8,12] reshape(n)
    t = f32[12,8] transpose(u), dimensions={1,0}
    ROOT d = f32[8,6] dot(t, w), lhs_contracting_dims={0}, rhs_contracting_dims={0})"),
              testing::ElementsAre("t[1,8] x w[6,1] -> d[6,1]"));
}

TEST(LibraryCalls, TakeOneScale) {
  EXPECT_THAT(Describe(absl::StrCat(kDot, R"(
    h = f32[2,4,6] broadcast(half), dimensions={}
    s = f32[2,4,6] multiply(d, h)
    k = f32[] constant(8)
    kk = f32[2,4,6] broadcast(k), dimensions={}
    ROOT r = f32[2,4,6] multiply(s, kk))")),
              testing::ElementsAre("x[12,1] x w[6,1] -> s[6,1] scale 0.5"));
}

// Rows of the left operand that lie apart are products of their own, as are columns of the right one,
// if each is large; the other operand is the same for all.
TEST(LibraryCalls, ReadDimensionsThatLieApartAsABatch) {
  EXPECT_THAT(Describe(R"(
    y = f32[3,64,12] parameter(4)
    t = f32[64,3,12] transpose(y), dimensions={1,0,2}
    d = f32[64,3,6] dot(t, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    bb = f32[64,3,6] broadcast(b), dimensions={2}
    ROOT r = f32[64,3,6] add(d, bb))"),
              testing::ElementsAre("y[768,12,1] x w[0,6,1] -> r[6,18,1] add b[0,0,1]"));
  EXPECT_THAT(Describe(R"(
    y = f32[3,12,64] parameter(4)
    t = f32[12,3,64] transpose(y), dimensions={1,0,2}
    ROOT d = f32[2,4,3,64] dot(x, t), lhs_contracting_dims={2}, rhs_contracting_dims={0})"),
              testing::ElementsAre("x[0,12,1] x y[768,64,1] -> d[64,192,1]"));
  // Both, each beside a batch of their own.
  EXPECT_THAT(Describe(R"(
    y = f32[3,64,5,12] parameter(4)
    z = f32[5,12,6] parameter(5)
    t = f32[5,64,3,12] transpose(y), dimensions={2,1,0,3}
    ROOT d = f32[5,64,3,6] dot(t, z), lhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_batch_dims={0}, rhs_contracting_dims={1})"),
              testing::ElementsAre("y[12,3840,60,1] x z[72,0,6,1] -> d[1152,6,18,1]"));
  // Of 63 rows a kernel makes one matrix.
  EXPECT_THAT(Describe(R"(
    y = f32[3,63,12] parameter(4)
    t = f32[63,3,12] transpose(y), dimensions={1,0,2}
    ROOT d = f32[63,3,6] dot(t, w), lhs_contracting_dims={2}, rhs_contracting_dims={0})"),
              testing::ElementsAre("t[12,1] x w[6,1] -> d[6,1]"));
}

// Every spelling is the same polynomial in x and tanh, or erf.
TEST(LibraryCalls, TakeGeluHoweverItIsSpelled) {
  const std::string constants = R"(
    k = f32[] constant(0.044715)
    c = f32[] constant(0.797884583)
    q = f32[] constant(1.41421354)
    ones = f32[2,4,6] broadcast(one), dimensions={}
    halves = f32[2,4,6] broadcast(half), dimensions={}
    ks = f32[2,4,6] broadcast(k), dimensions={}
    cs = f32[2,4,6] broadcast(c), dimensions={}
    qs = f32[2,4,6] broadcast(q), dimensions={}
)";
  const std::string tanh = R"(
    d2 = f32[2,4,6] multiply(d, d)
    d3 = f32[2,4,6] multiply(d, d2)
    kd = f32[2,4,6] multiply(ks, d3)
    in = f32[2,4,6] add(kd, d)
    arg = f32[2,4,6] multiply(in, cs)
    f = f32[2,4,6] tanh(arg)
)";
  const std::string erf = "arg = f32[2,4,6] divide(d, qs)\n    f = f32[2,4,6] erf(arg)\n";
  const std::string outside = R"(
    h = f32[2,4,6] multiply(d, halves)
    g = f32[2,4,6] add(ones, f)
    p = f32[2,4,6] multiply(g, h)
    ROOT r = f32[2,4,6] negate(p))";
  const std::string inside = R"(
    hf = f32[2,4,6] multiply(f, halves)
    g = f32[2,4,6] add(hf, halves)
    p = f32[2,4,6] multiply(d, g)
    ROOT r = f32[2,4,6] negate(p))";
  const std::string head = absl::StrCat(kDot, constants);
  for (const std::string& end : {outside, inside}) {
    EXPECT_THAT(Describe(head + tanh + end),
                testing::ElementsAre("x[12,1] x w[6,1] -> p[6,1] gelu-tanh"));
    EXPECT_THAT(Describe(head + erf + end),
                testing::ElementsAre("x[12,1] x w[6,1] -> p[6,1] gelu-erf"));
  }
  // tanh in place of erf is another function.
  const std::string other = "arg = f32[2,4,6] divide(d, qs)\n    f = f32[2,4,6] tanh(arg)\n";
  EXPECT_THAT(Describe(head + other + outside), testing::ElementsAre("x[12,1] x w[6,1] -> d[6,1]"));
}

TEST(LibraryCalls, LeaveWhatOthersReadOrIsRounded) {
  EXPECT_THAT(Describe(absl::StrCat(kDot, kBias, R"(
    a = f32[2,4,6] add(d, bb)
    n = f32[2,4,6] exponential(d)
    ROOT r = (f32[2,4,6], f32[2,4,6]) tuple(a, n))")),
              testing::ElementsAre("x[12,1] x w[6,1] -> d[6,1]"));
  EXPECT_THAT(Describe(R"(
    y = bf16[4,8] parameter(4)
    z = bf16[8] parameter(5)
    d = bf16[4,4] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    c = bf16[] constant(2)
    cc = bf16[4,4] broadcast(c), dimensions={}
    ROOT r = bf16[4,4] multiply(d, cc))"),
              testing::ElementsAre("y[8,1] x y[1,8] -> d[4,1]"));
}

// Workers' own GELU is faster than their library's, and the plan says so.
TEST(LibraryCalls, TellOfTheEpilogueThatAKernelDoesFaster) {
  constexpr absl::string_view kGelu = R"(
  x = f32[64,12] parameter(0)
  w = f32[12,6] parameter(1)
  d = f32[64,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[] constant(0.707106769)
  qs = f32[64,6] broadcast(q), dimensions={}
  arg = f32[64,6] multiply(d, qs)
  f = f32[64,6] erf(arg)
  one = f32[] constant(1)
  ones = f32[64,6] broadcast(one), dimensions={}
  g = f32[64,6] add(f, ones)
  half = f32[] constant(0.5)
  halves = f32[64,6] broadcast(half), dimensions={}
  h = f32[64,6] multiply(d, halves)
  ROOT r = f32[64,6] multiply(h, g))";
  MachineModel host;
  host.kind = MachineModel::Kind::kHost;
  const auto told = [&](const MachineModel& machine) {
    std::vector<std::string> out;
    for (const LedgerEntry& entry : PlanOf(kGelu, machine).ledger) {
      if (entry.reason == "kernel-is-faster") out.push_back(entry.producer->name());
    }
    return out;
  };
  EXPECT_THAT(told(host), testing::ElementsAre("d"));
  EXPECT_THAT(told(FindMachine("a100").value()), testing::IsEmpty()) << "a library call does it";
}

}  // namespace
}  // namespace astitch
