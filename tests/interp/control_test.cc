// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Control flow, tuples, devices, memory, and what is refused.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

Literal Scalar(int32_t value) {
  Literal literal(Shape::Scalar(ElementType::kS32));
  literal.mutable_data<int32_t>()[0] = value;
  return literal;
}

constexpr char kCountTo[] = R"(
condition {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  square = s32[] multiply(i, i)
  line = s32[1] reshape(square)
  y = s32[4] dynamic-update-slice(x, line, i)
  ROOT r = (s32[], s32[4]) tuple(next, y)
}
ENTRY e {
  i = s32[] parameter(0)
  x = s32[4] constant({9, 9, 9, 9})
  s = (s32[], s32[4]) tuple(i, x)
  w = (s32[], s32[4]) while(s), condition=condition, body=body
  y = s32[4] get-tuple-element(w), index=1
  ROOT r = (s32[4], s32[4]) tuple(x, y)
}
)";

TEST(While, RunsUntilTheConditionFails) {
  EXPECT_EQ(ValueText(RunText(kCountTo, {Scalar(0)})), "( {9, 9, 9, 9}, {0, 1, 4, 9} )");
  EXPECT_EQ(ValueText(RunText(kCountTo, {Scalar(2)})), "( {9, 9, 9, 9}, {9, 9, 4, 9} )");
  EXPECT_EQ(ValueText(RunText(kCountTo, {Scalar(7)})), "( {9, 9, 9, 9}, {9, 9, 9, 9} )");
}

TEST(While, StopsAtTheLimit) {
  const InterpreterOptions options{.max_loop_iterations = 3};
  EXPECT_EQ(ValueText(RunText(kCountTo, {Scalar(0)}, options)),
            "23:3: while instruction %w: still runs after 3 iterations");
  EXPECT_EQ(ValueText(RunText(kCountTo, {Scalar(1)}, options)), "( {9, 9, 9, 9}, {9, 1, 4, 9} )");
}

TEST(While, ArgumentsAreNeverWritten) {
  Literal x(Shape::Array(ElementType::kS32, {2}));
  const absl::StatusOr<Literal> result = RunText(R"(
ENTRY e {
  x = s32[2] parameter(0)
  u = s32[1] constant({7})
  i = s32[] constant(1)
  ROOT r = s32[2] dynamic-update-slice(x, u, i)
})",
                                                 {x});
  EXPECT_EQ(ValueText(result), "{0, 7}");
  EXPECT_EQ(ValueText(x), "{0, 0}");
}

TEST(Conditional, AnIndexOutsideRunsTheLastBranch) {
  constexpr char kText[] = R"(
b0 { x = s32[] parameter(0) c = s32[] constant(100) ROOT r = s32[] add(x, c) }
b1 { x = s32[] parameter(0) c = s32[] constant(200) ROOT r = s32[] add(x, c) }
b2 { x = s32[] parameter(0) c = s32[] constant(300) ROOT r = s32[] add(x, c) }
ENTRY e {
  i = s32[] parameter(0)
  a = s32[] constant(1)
  b = s32[] constant(2)
  c = s32[] constant(3)
  ROOT r = s32[] conditional(i, a, b, c), branch_computations={b0, b1, b2}
})";
  EXPECT_EQ(ValueText(RunText(kText, {Scalar(0)})), "101");
  EXPECT_EQ(ValueText(RunText(kText, {Scalar(1)})), "202");
  EXPECT_EQ(ValueText(RunText(kText, {Scalar(7)})), "303");
  EXPECT_EQ(ValueText(RunText(kText, {Scalar(-1)})), "303");
}

TEST(Conditional, APredChoosesTrueFirst) {
  EXPECT_EQ(ValueText(RunText(R"(
t { x = s32[] parameter(0) ROOT r = s32[] negate(x) }
f { x = s32[] parameter(0) ROOT r = s32[] copy(x) }
ENTRY e {
  p = pred[] constant(true)
  a = s32[] constant(1)
  ROOT r = s32[] conditional(p, a, a), true_computation=t, false_computation=f
})")),
            "-1");
}

TEST(Call, FusionsAndCallsAreInlined) {
  EXPECT_EQ(ValueText(RunText(R"(
f { x = s32[2] parameter(0) y = s32[2] parameter(1) a = s32[2] add(x, y)
  ROOT r = (s32[2], s32[2]) tuple(a, x) }
ENTRY e {
  x = s32[2] constant({1, 2})
  c = (s32[2], s32[2]) call(x, x), to_apply=f
  y = s32[2] get-tuple-element(c), index=0
  z = s32[2] get-tuple-element(c), index=0
  ROOT r = (s32[2], s32[2]) fusion(y, z), kind=kLoop, calls=f
})")),
            "( {4, 8}, {2, 4} )");
}

TEST(Call, NestsOnlySoDeep) {
  std::string text = "call_0 { ROOT x = s32[] parameter(0) }\n";
  for (int i = 1; i <= 1000; ++i) {
    absl::StrAppend(&text, "call_", i,
                    " { x = s32[] parameter(0) ROOT r = s32[] call(x), to_apply=call_", i - 1,
                    " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { x = s32[] constant(3) ROOT r = s32[] call(x), to_apply=call_1000 }");
  const absl::StatusOr<Literal> result = RunText(text);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << result.status();
}

TEST(Chains, AHundredThousandInstructionsDeep) {
  std::string text = "ENTRY e {\n  x0 = s32[] constant(0)\n  one = s32[] constant(1)\n";
  for (int i = 1; i <= 100000; ++i) {
    absl::StrAppend(&text, "  x", i, " = s32[] add(x", i - 1, ", one)\n");
  }
  EXPECT_EQ(ValueText(RunText(absl::StrCat(text, "}\n"))), "100000");
}

TEST(Devices, CollectivesOfOneDeviceAreIdentities) {
  EXPECT_EQ(ValueText(RunText(R"(
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
ENTRY e {
  x = s32[2] constant({1, 2})
  a = s32[2] all-reduce(x), replica_groups={}, to_apply=add
  g = s32[2] all-gather(a), replica_groups={}, dimensions={0}
  t = (s32[2]) all-to-all(g), replica_groups={{0}}
  u = s32[2] get-tuple-element(t), index=0
  p = s32[2] collective-permute(u), source_target_pairs={{0,0}}
  q = s32[2] collective-permute(u), source_target_pairs={{1,0}}
  d = u32[] replica-id()
  ROOT r = (s32[2], s32[2], u32[]) tuple(p, q, d)
})")),
            "( {1, 2}, {0, 0}, 0 )");
}

TEST(Devices, AsynchronousPairsGiveTheirResultAtTheDone) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  x = s32[2] constant({1, 2})
  s = (s32[2], s32[2], u32[]) copy-start(x)
  d = s32[2] copy-done(s)
  g = (s32[2], s32[2]) all-gather-start(d), replica_groups={}, dimensions={0}
  ROOT r = s32[2] all-gather-done(g)
})")),
            "{1, 2}");
}

TEST(Refusals, NameTheInstructionAndItsPlace) {
  EXPECT_EQ(RunOne("f32[2] custom-call(f32[2] constant({1, 2})), custom_call_target=\"mystery\""),
            "2:8: custom-call instruction %r: custom call target \"mystery\" is not implemented in "
            "the interpreter");
  EXPECT_EQ(RunOne("f32[20] add(f32[20] constant({...}), f32[20] constant({...}))"),
            "2:32: constant instruction %constant.anon: its values were elided ({...}) when the "
            "text was printed");
}

TEST(Refusals, ArgumentsMustFit) {
  constexpr char kText[] = "ENTRY e {\n  x = s32[] parameter(0)\n  ROOT r = s32[] negate(x)\n}\n";
  EXPECT_EQ(ValueText(RunText(kText)), "computation e takes 1 argument, got 0");
  EXPECT_EQ(ValueText(RunText(kText, {Literal(Shape::Array(ElementType::kS32, {2}))})),
            "2:3: expected s32[] for argument 0, got s32[2] in parameter instruction %x");
}

constexpr char kBig[] = R"(
ENTRY e {
  z = f32[] constant(1)
  a = f32[1000] broadcast(z), dimensions={}
  b = f32[1000] negate(a)
  c = f32[1000] negate(b)
  r = f32[10,100] reshape(c)
  ROOT d = f32[10,100] negate(r)
}
)";

TEST(Memory, TheEstimateFollowsLiveness) {
  const absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(kBig);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(EstimateMemory(**graph), 8000);  // never more than two arrays of 4000 bytes
}

TEST(Memory, TooLargeAGraphIsRefusedBeforeItStarts) {
  const InterpreterOptions options{.memory_limit_bytes = 7999};
  const absl::StatusOr<Literal> result = RunText(kBig, {}, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(
      result.status().message(),
      "graph module_e needs about 8000 bytes in the interpreter, of which 7999 are available");
  EXPECT_TRUE(RunText(kBig, {}, {.memory_limit_bytes = 8000}).ok());
}

TEST(Memory, AValueThatCannotBeAllocatedIsAnError) {
  const absl::StatusOr<std::unique_ptr<Graph>> graph =
      ParseHloText("ENTRY e {\n  ROOT r = s8[4611686018427387904] iota(), iota_dimension=0\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Literal> result = EvaluateInstruction(*(*graph)->entry()->root(), {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(EvaluateInstruction, TakesItsOperandsFromTheCaller) {
  const absl::StatusOr<std::unique_ptr<Graph>> graph =
      ParseHloText("ENTRY e {\n  x = s32[] parameter(0)\n  ROOT r = s32[] add(x, x)\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Instruction& add = *(*graph)->entry()->root();
  EXPECT_EQ(ValueText(EvaluateInstruction(add, {Scalar(2), Scalar(3)})), "5");
}

}  // namespace
}  // namespace astitch
