// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/hlo_printer.h"

#include <gtest/gtest.h>

#include "ir/graph_equal.h"

namespace astitch {
namespace {

const Shape kVector = Shape::Array(ElementType::kF32, {2});

// x + y and its sum, with a little of everything that a style may leave out.
std::unique_ptr<Graph> SumGraph() {
  auto graph = std::make_unique<Graph>("sum");
  Computation* entry = graph->AddComputation("main");
  Computation* add = graph->AddComputation("add.f32");  // a callee behind its caller
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Instruction* a = add->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
  Instruction* b = add->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
  add->set_root(add->Add(Opcode::kAdd, scalar, {a, b}, {}, "s"));
  Instruction* x = entry->Add(Opcode::kParameter, kVector, {}, ParameterAttributes{0}, "x");
  Instruction* y = entry->Add(Opcode::kNegate, kVector, {x}, {}, "inf");
  y->mutable_annotations().metadata = {{"op_name", "\"neg\""}};
  y->mutable_annotations().stack_frame = 1;
  y->mutable_annotations().backend_config = "not a blob";
  Instruction* zero =
      entry->Add(Opcode::kConstant, scalar, {}, ConstantAttributes{Literal(scalar)}, "zero");
  Instruction* sum =
      entry->Add(Opcode::kReduce, scalar, {y, zero}, DimensionsAttributes{{0}}, "sum");
  sum->set_called({add});
  sum->AddControlPredecessor(x);
  entry->set_root(sum);
  graph->set_entry(entry);
  graph->stack_frames() = {{"f.py"}, {"f"}, {{1, 1, 3, 4, 5, 6}}, {{1, 0}}};
  return graph;
}

TEST(HloPrinter, ShortStyleIsTheDefault) {
  EXPECT_EQ(ToHloText(*SumGraph()), R"(HloModule sum

add.f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[2]{0} parameter(0)
  %inf = f32[2]{0} negate(x), backend_config="not a blob"
  zero = f32[] constant(0)
  ROOT sum = f32[] reduce(%inf, zero), dimensions={0}, to_apply=add.f32, control-predecessors={x}
}

)");
}

TEST(HloPrinter, LongStyleHasPercentSignaturesAndMetadata) {
  EXPECT_EQ(ToHloText(*SumGraph(), HloPrintOptions::Long()), R"(HloModule sum

FileNames
1 "f.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=5 end_column=6}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add.f32 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main (x: f32[2]) -> f32[] {
  %x = f32[2]{0} parameter(0)
  %inf = f32[2]{0} negate(%x), metadata={op_name="neg" stack_frame_id=1}, backend_config="not a blob"
  %zero = f32[] constant(0)
  ROOT %sum = f32[] reduce(%inf, %zero), dimensions={0}, to_apply=%add.f32, control-predecessors={%x}
}

)");
}

TEST(HloPrinter, HeaderHasWhatDiffersFromTheDefault) {
  const std::unique_ptr<Graph> graph = SumGraph();
  ModuleHeader& header = graph->header();
  header.is_scheduled = true;
  header.input_output_alias = {{{0}, 1, {}, true}, {{1}, 0, {2}, false}};
  header.buffer_donor = {{2, {}}};
  header.has_entry_layout = true;
  header.entry_layout = {std::vector<Shape>(6, kVector), Shape::Tuple({})};
  header.allow_spmd_to_output = "{true}";
  header.num_partitions = 4;
  header.frontend_attributes = "{a=\"b\"}";
  const std::string text = ToHloText(*graph);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "HloModule sum, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias), {1}: "
            "(0, {2}, may-alias) }, buffer_donor={ (2, {}) }, "
            "entry_computation_layout={(f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, "
            "/*index=5*/f32[2]{0})->()}, allow_spmd_sharding_propagation_to_output={true}, "
            "num_partitions=4, frontend_attributes={a=\"b\"}");
}

TEST(HloPrinter, OneInstructionIsOneLine) {
  EXPECT_EQ(InstructionText(*SumGraph()->entry()->root()),
            "sum = f32[] reduce(%inf, zero), dimensions={0}, to_apply=add.f32, "
            "control-predecessors={x}");
}

TEST(HloPrinter, SortingPutsCalleesFirstAndChangesNothingElse) {
  const std::unique_ptr<Graph> graph = SumGraph();
  const std::string before = ToHloText(*graph);
  graph->SortCalleesFirst();
  EXPECT_EQ(graph->computations()[0]->name(), "add.f32");
  EXPECT_EQ(ToHloText(*graph), before);
}

TEST(GraphEqual, EqualToItsClone) {
  const std::unique_ptr<Graph> graph = SumGraph();
  EXPECT_TRUE(GraphsEqual(*graph, *graph->Clone()).ok());
}

TEST(GraphEqual, EachDifferenceIsNamed) {
  const struct {
    const char* words;
    void (*change)(Graph&);
  } kCases[] = {
      {"module name", [](Graph& g) { g.set_name("other"); }},
      {"module header", [](Graph& g) { g.header().is_scheduled = true; }},
      {"stack frames", [](Graph& g) { g.stack_frames().frames.clear(); }},
      {"number of computations", [](Graph& g) { g.AddComputation("more"); }},
      {"entry", [](Graph& g) { g.set_entry(g.FindComputation("add.f32")); }},
      {"execution thread", [](Graph& g) { g.entry()->set_execution_thread("t"); }},
      {"root", [](Graph& g) { g.entry()->set_root(g.entry()->Find("inf")); }},
      {"shape", [](Graph& g) { g.entry()->Find("x")->set_shape(Shape::Token()); }},
      {"an operand", [](Graph& g) { g.entry()->root()->ReplaceOperand(0, g.entry()->Find("x")); }},
      {"a called computation", [](Graph& g) { g.entry()->root()->set_called({}); }},
      {"a control predecessor", [](Graph& g) { g.entry()->root()->ClearControlPredecessors(); }},
      {"an attribute",
       [](Graph& g) { g.entry()->root()->mutable_attributes() = DimensionsAttributes{{1}}; }},
      {"an annotation",
       [](Graph& g) { g.entry()->Find("x")->mutable_annotations().sharding = "{replicated}"; }},
      {"number of instructions",
       [](Graph& g) { g.entry()->Add(Opcode::kTuple, Shape::Tuple({}), {}); }},
  };
  for (const auto& c : kCases) {
    const std::unique_ptr<Graph> graph = SumGraph(), changed = graph->Clone();
    c.change(*changed);
    const absl::Status same = GraphsEqual(*graph, *changed);
    EXPECT_FALSE(same.ok()) << c.words;
    EXPECT_NE(std::string(same.message()).find(c.words), std::string::npos) << same.message();
  }
}

TEST(GraphEqual, MetadataCountsUnlessToldOtherwise) {
  const std::unique_ptr<Graph> graph = SumGraph(), changed = graph->Clone();
  changed->entry()->Find("inf")->mutable_annotations().metadata.clear();
  changed->stack_frames() = {};
  changed->entry()->Find("inf")->mutable_annotations().stack_frame = 0;
  EXPECT_FALSE(GraphsEqual(*graph, *changed).ok());
  EXPECT_TRUE(GraphsEqual(*graph, *changed, {.metadata = false}).ok());
}

}  // namespace
}  // namespace astitch
