// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every text under tests/data/hlo/accept and corpus is read, printed in each style, and read again:
// the graphs are equal and the text is a fixed point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "ir/graph_equal.h"
#include "ir/hlo_printer.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const char* folder : {"/hlo/accept", "/hlo/corpus"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(ASTITCH_TEST_DATA) + folder))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::unique_ptr<Graph> Parse(absl::string_view text, const HloParseOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(text, options);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? *std::move(graph) : nullptr;
}

std::string Body(absl::string_view instructions) {
  return absl::StrCat("HloModule m\n\nENTRY e {\n", instructions, "}\n\n");
}

class EachFile : public testing::TestWithParam<std::string> {};

TEST_P(EachFile, ComesBackThroughEveryStyle) {
  const absl::StatusOr<std::string> text = ReadFile(GetParam());
  ASSERT_TRUE(text.ok());
  const std::unique_ptr<Graph> graph = Parse(*text);
  ASSERT_NE(graph, nullptr);
  HloPrintOptions with_shapes = HloPrintOptions::Complete();
  with_shapes.operand_shapes = true;
  for (const HloPrintOptions& options :
       {HloPrintOptions(), HloPrintOptions::Complete(), HloPrintOptions::Long(), with_shapes}) {
    const std::string printed = ToHloText(*graph, options);
    const std::unique_ptr<Graph> again = Parse(printed);
    ASSERT_NE(again, nullptr) << printed;
    const absl::Status same = GraphsEqual(*graph, *again, {.metadata = options.metadata});
    EXPECT_TRUE(same.ok()) << same.message();
    EXPECT_EQ(ToHloText(*again, options), printed);
  }
}

INSTANTIATE_TEST_SUITE_P(HloText, EachFile, testing::ValuesIn(Files()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(HloTextAccepted, ThereAreFiles) { EXPECT_GT(Files().size(), 35u); }

TEST(HloTextAccepted, NothingStandsForTheRestOfTheText) {
  // Short forms of one graph on the left, their canonical text on the right.
  const struct {
    const char *text, *canonical;
  } kCases[] = {
      {"ENTRY e{a=f32[]parameter(0)}", nullptr},  // '=' glued to the name: an attribute
      {"ENTRY e{%a=f32[]parameter(0)}", "  ROOT a = f32[] parameter(0)\n"},
      {"ENTRY e { a: = f32[] parameter(0) }", "  ROOT a = f32[] parameter(0)\n"},
      {"HloModule m: e { a = f32[2] parameter(0) }", "  ROOT a = f32[2]{0} parameter(0)\n"},
      {"e { a = f32 [ 2 ] parameter ( 0 ) }", "  ROOT a = f32[2]{0} parameter(0)\n"},
      {"e { a = u32[]{:S(2)} parameter(0) }", "  ROOT a = u32[]{:S(2)} parameter(0)\n"},
      {"e { a = f32[2]{0:S(0)} parameter(0) }", "  ROOT a = f32[2]{0} parameter(0)\n"},
      {"e { a = f32[2]{0:D(D)T(8,*)E(4)} parameter(0) }",
       "  ROOT a = f32[2]{0:T(8,*)E(4)} parameter(0)\n"},
      {"e { a = b(f32[2]) parameter(0) }", "  ROOT a = b(f32[2]{0}) parameter(0)\n"},
      {"e { a = f32[<=3,?] parameter(0) }", "  ROOT a = f32[<=3,?]{1,0} parameter(0)\n"},
      {"e { a = f32[] constant(-0) }", "  ROOT a = f32[] constant(-0)\n"},
      {"e { a = f32[3] constant({,1 2,,-.5,}) }", "  ROOT a = f32[3]{0} constant({1, 2, -0.5})\n"},
      {"e { a = f32[] constant(1e-400) }", "  ROOT a = f32[] constant(0)\n"},
      {"e { a = u64[] constant(-1) }", "  ROOT a = u64[] constant(18446744073709551615)\n"},
      {"e { a = f4e2m1fn[] constant(100) }", "  ROOT a = f4e2m1fn[] constant(6)\n"},
      {"e { a = f8e4m3fn[] constant(inf) }", "  ROOT a = f8e4m3fn[] constant(nan)\n"},
      {"e { a = pred[] constant(7) }", "  ROOT a = pred[] constant(true)\n"},
      {"e { %inf = f32[] parameter(0) b = f32[] negate(%inf) }",
       "  %inf = f32[] parameter(0)\n  ROOT b = f32[] negate(%inf)\n"},
      {"e { __xla_a = f32[] parameter(0) }", "  ROOT __xla_a = f32[] parameter(0)\n"},
      {"e { b = f32[] parameter(0) c = f32[] add(b, b) }",
       "  b = f32[] parameter(0)\n  ROOT c = f32[] add(b, b)\n"},
      {"e { a = f32[] parameter(0) c = f32[] add(a,,a,) }",
       "  a = f32[] parameter(0)\n  ROOT c = f32[] add(a, a)\n"},
      {"e { a = s32[] parameter(0) c = pred[] compare(a, a), direction=EQ, type=SIGNED }",
       "  a = s32[] parameter(0)\n  ROOT c = pred[] compare(a, a), direction=EQ\n"},
      {"e { a = f32[2] parameter(0) c = f32[2,3] broadcast(a), metadata={}, dimensions={0} }",
       "  a = f32[2]{0} parameter(0)\n"
       "  ROOT c = f32[2,3]{1,0} broadcast(a), dimensions={0}\n"},
      {"e { a = token[] parameter(0) c = (f32[2]) infeed(a) }",
       "  a = token[] parameter(0)\n  ROOT c = (f32[2]{0}, token[]) infeed(a)\n"},
      {"e { a = f32[] parameter(0) c = f32[] pad(a, a), padding={} }",
       "  a = f32[] parameter(0)\n  ROOT c = f32[] pad(a, a), padding={}\n"},
      {"e { a = f32[2] parameter(0) c = f32[2] negate(a), sharding={ /*x*/\n  replicated} }",
       "  a = f32[2]{0} parameter(0)\n  ROOT c = f32[2]{0} negate(a), sharding={ replicated}\n"},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(c.text);
    ASSERT_EQ(graph.ok(), c.canonical != nullptr) << c.text << "\n" << graph.status().message();
    if (!graph.ok()) continue;
    (*graph)->set_name("m");
    EXPECT_EQ(ToHloText(**graph), Body(c.canonical)) << c.text;
  }
}

TEST(HloTextAccepted, MissingShapesAreInferred) {
  const std::unique_ptr<Graph> graph = Parse(
      "e { a = f32[2,3] parameter(0) t = transpose(a), dimensions={1,0} d = dot(a, t), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} p = tuple(d, a) g = "
      "get-tuple-element(p), index=1 }");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->entry()->Find("d")->shape().ToString(), "f32[2,2]{1,0}");
  EXPECT_EQ(graph->entry()->root()->shape().ToString(), "f32[2,3]{1,0}");
}

TEST(HloTextAccepted, ComputationsAndModulesMayBeCalledAsTypesAre) {
  const std::unique_ptr<Graph> graph = Parse(
      "HloModule %ROOT\n%f32 { a = f32[] parameter(0) }\n"
      "ENTRY %inf { a = f32[] parameter(0) b = f32[] call(a), to_apply=%f32 }");
  ASSERT_NE(graph, nullptr);
  const std::unique_ptr<Graph> again = Parse(ToHloText(*graph));
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(GraphsEqual(*graph, *again).ok());
}

TEST(HloTextAccepted, EntryIsTheMarkedComputationOrTheLast) {
  EXPECT_EQ(
      Parse("ENTRY a { x = f32[] parameter(0) } b { x = f32[] parameter(0) }")->entry()->name(),
      "a");
  EXPECT_EQ(Parse("a { x = f32[] parameter(0) } b { x = f32[] parameter(0) }")->entry()->name(),
            "b");
}

TEST(HloTextAccepted, RootIsTheMarkedInstructionOrTheLast) {
  EXPECT_EQ(Parse("e { x = f32[] parameter(0) ROOT y = f32[] negate(x) z = f32[] negate(y) }")
                ->entry()
                ->root()
                ->name(),
            "y");
  EXPECT_EQ(Parse("e { x = f32[] parameter(0) z = f32[] negate(x) }")->entry()->root()->name(),
            "z");
}

TEST(HloTextAccepted, PositionsAreThoseOfTheNames) {
  const std::unique_ptr<Graph> graph =
      Parse("e {\n  x = f32[] parameter(0)\n  ROOT /* here */ %y = f32[] negate(x)\n}");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(ToString(graph->entry()->root()->position()), "3:19");
}

TEST(HloTextAccepted, StackFramesLoseThePrintedOffByOne) {
  const absl::StatusOr<std::string> text =
      ReadFile(ASTITCH_TEST_DATA "/hlo/accept/compiled_jax.hlo");
  const std::unique_ptr<Graph> graph = Parse(*text);
  ASSERT_NE(graph, nullptr);
  const StackFrames& frames = graph->stack_frames();
  ASSERT_EQ(frames.frames.size(), 2u);
  EXPECT_EQ(frames.frames[0].parent, 0);
  EXPECT_EQ(frames.frames[1].parent, 1);
  EXPECT_EQ(frames.functions[frames.locations[1].function - 1], "loss");
  EXPECT_EQ(graph->entry()->root()->annotations().stack_frame, 2);
}

TEST(HloTextAccepted, FramesThatNameNothingAreForgotten) {
  const std::unique_ptr<Graph> graph = Parse(
      "HloModule m\nFileNames 1 \"f\" FunctionNames 1 \"g\" FileLocations 1 {file_name_id=1 "
      "function_name_id=1 line=1 end_line=1 column=1 end_column=1}\nStackFrames\n1 "
      "{file_location_id=7 parent_frame_id=1}\n2 {file_location_id=1 parent_frame_id=1}\n3 "
      "{file_location_id=1 parent_frame_id=2}\ne { a = f32[] parameter(0), "
      "metadata={stack_frame_id=2} b = f32[] negate(a), metadata={stack_frame_id=1} c = f32[] "
      "negate(b), metadata={stack_frame_id=3} d = f32[] negate(c), metadata={stack_frame_id=99} }");
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(graph->stack_frames().frames.size(), 2u);
  EXPECT_EQ(graph->stack_frames().frames[1].parent, 0);
  const auto frame = [&](const char* name) {
    return graph->entry()->Find(name)->annotations().stack_frame;
  };
  EXPECT_EQ(frame("a"), 1);
  EXPECT_EQ(frame("b"), 0);
  EXPECT_EQ(frame("c"), 2);
  EXPECT_EQ(frame("d"), 0);
}

TEST(HloTextAccepted, InlineBodiesBecomeComputationsBeforeTheirCaller) {
  const std::unique_ptr<Graph> graph = Parse(
      "ENTRY e { a = f32[2] parameter(0) z = f32[] constant(0) r = reduce(a, z), "
      "dimensions={0}, to_apply={ x = f32[] parameter(0) y = f32[] parameter(1) s = add(x, y) } "
      "q = f32[2] map(a), to_apply={ x = f32[] parameter(0) } }");
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(graph->computations().size(), 3u);
  EXPECT_EQ(graph->computations()[0]->name(), "_");
  EXPECT_EQ(graph->computations()[1]->name(), "_.1");
  EXPECT_EQ(graph->computations()[2].get(), graph->entry());
}

TEST(HloTextAccepted, AsynchronousSugarIsTheWrappedOperation) {
  const std::unique_ptr<Graph> graph = Parse(
      "e { a = f32[2] parameter(0) s = ((f32[2]), f32[2], s32[]) negate-start(a), "
      "async_execution_thread=\"t\" d = f32[2] negate-done(s) }");
  ASSERT_NE(graph, nullptr);
  const Instruction& start = *graph->entry()->Find("s");
  EXPECT_EQ(start.opcode(), Opcode::kAsyncStart);
  EXPECT_EQ(start.called()[0]->root()->opcode(), Opcode::kNegate);
  EXPECT_EQ(start.called()[0]->execution_thread(), "t");
  EXPECT_EQ(graph->entry()->root()->opcode(), Opcode::kAsyncDone);
}

TEST(HloTextAccepted, ElidedConstantsKeepTheirShapeOnly) {
  const std::unique_ptr<Graph> graph = Parse("e { a = f32[1000,1000000] constant({...}) }");
  ASSERT_NE(graph, nullptr);
  EXPECT_TRUE(graph->entry()->root()->literal().is_elided());
  EXPECT_TRUE(graph->entry()->root()->literal().bytes().empty());
}

TEST(HloTextAccepted, UnknownAttributesAreKeptOnRequest) {
  const char* const text =
      "HloModule m, newer={1}\ne { a = f32[] parameter(0), new_one={a={[1]}}\nb = f32[] negate(a), "
      "k=[1,2](x)<=3, metadata={op_name=\"n\"} }";
  EXPECT_FALSE(ParseHloText(text).ok());
  const std::unique_ptr<Graph> graph = Parse(text, {.allow_unknown_attributes = true});
  ASSERT_NE(graph, nullptr);
  const std::string printed = ToHloText(*graph);
  EXPECT_THAT(printed, HasSubstr("parameter(0), new_one={a={[1]}}\n"));
  EXPECT_THAT(printed, HasSubstr("negate(a), k=[1,2](x)<=3\n"));
}

}  // namespace
}  // namespace astitch
