// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One graph for each rule it breaks, with the message and position that say so; and graphs that
// keep every rule.
#include "ir/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace astitch {
namespace {

using ::testing::HasSubstr;
using E = ElementType;

const Shape kScalar = Shape::Scalar(E::kF32);
const Shape kPredicate = Shape::Scalar(E::kPred);

Shape F32(std::vector<int64_t> dims) { return Shape::Array(E::kF32, std::move(dims)); }

// A graph under test: instructions get the positions 1:3, 2:3, ... in order of creation.
class Case {
 public:
  Case() : main_(graph_.AddComputation("main")) { graph_.set_entry(main_); }

  Graph& graph() { return graph_; }
  Computation* main() { return main_; }
  Instruction* Parameter(const Shape& shape) { return ParameterOf(main_, shape); }
  Instruction* Add(Opcode opcode, const Shape& shape, std::vector<Instruction*> operands,
                   Attributes attributes = {}, std::vector<Computation*> called = {}) {
    return AddTo(main_, opcode, shape, std::move(operands), std::move(attributes),
                 std::move(called));
  }
  // The computation whose one operation yields RESULT.
  Computation* Body(const std::vector<Shape>& parameters, const Shape& result) {
    Computation* body = graph_.AddComputation("body");
    for (const Shape& shape : parameters) ParameterOf(body, shape);
    body->set_root(
        AddTo(body, Opcode::kCustomCall, result, {}, CustomCallAttributes{"any", {}}, {}));
    return body;
  }
  std::string Verify() {
    if (main_->root() == nullptr && main_->size() > 0)
      main_->set_root(main_->instructions().back().get());
    graph_.SortCalleesFirst();
    return Message();
  }
  std::string Message() {
    const absl::Status status = VerifyGraph(graph_);
    return status.ok() ? "ok" : std::string(status.message());
  }

 private:
  Instruction* ParameterOf(Computation* computation, const Shape& shape) {
    const int64_t number = static_cast<int64_t>(computation->parameters().size());
    return AddTo(computation, Opcode::kParameter, shape, {}, ParameterAttributes{number}, {});
  }
  Instruction* AddTo(Computation* computation, Opcode opcode, const Shape& shape,
                     std::vector<Instruction*> operands, Attributes attributes,
                     std::vector<Computation*> called) {
    Instruction* instruction =
        computation->Add(opcode, shape, std::move(operands), std::move(attributes));
    instruction->set_called(std::move(called));
    instruction->set_position({++line_, 3});
    return instruction;
  }

  Graph graph_{"case"};
  Computation* main_;
  int32_t line_ = 0;
};

// ---- Structure

TEST(VerifyGraph, AcceptsTheSmallestGraph) {
  Case c;
  c.Parameter(kScalar);
  EXPECT_EQ(c.Verify(), "ok");
}

TEST(VerifyGraph, WantsAnEntryAndARoot) {
  Graph none("none");
  EXPECT_EQ(VerifyGraph(none).message(), "expected an entry computation of graph none, got none");
  Case c;
  EXPECT_EQ(c.Message(), "expected a root in computation %main, got none");
}

TEST(VerifyGraph, WantsEveryParameterOnce) {
  Case gap;
  gap.Add(Opcode::kParameter, kScalar, {}, ParameterAttributes{1});
  EXPECT_EQ(gap.Verify(), "expected parameters 0 to 1 of computation %main, got no parameter 0");
  Case twice;
  twice.Parameter(kScalar);
  twice.Add(Opcode::kParameter, kScalar, {}, ParameterAttributes{0});
  EXPECT_EQ(twice.Verify(),
            "2:3: expected parameter numbers once each, got 0 in parameter instruction "
            "%parameter.1");
}

TEST(VerifyGraph, WantsOperandsBeforeUsers) {
  Case c;
  Instruction* x = c.Parameter(kScalar);
  Instruction* first = c.Add(Opcode::kNegate, kScalar, {x});
  Instruction* second = c.Add(Opcode::kAbs, kScalar, {x});
  first->ReplaceOperand(0, second);
  EXPECT_EQ(c.Verify(),
            "2:3: expected operand 0 to be defined before its user, got %abs in negate "
            "instruction %negate");
}

TEST(VerifyGraph, WantsControlPredecessorsBeforeSuccessors) {
  Case c;
  Instruction* x = c.Parameter(kScalar);
  Instruction* first = c.Add(Opcode::kNegate, kScalar, {x});
  first->AddControlPredecessor(c.Add(Opcode::kAbs, kScalar, {x}));
  EXPECT_THAT(c.Verify(), HasSubstr("2:3: expected control predecessors to stand before their "
                                    "successor, got %abs in negate instruction %negate"));
}

TEST(VerifyGraph, WantsCalledComputationsOfItsOwn) {
  Case other;
  Computation* foreign = other.Body({}, kScalar);
  Case c;
  c.Add(Opcode::kCall, kScalar, {}, CallAttributes{}, {foreign});
  EXPECT_EQ(c.Message().substr(0, 66),
            "1:3: expected called computations of this graph, got another in ca");
}

TEST(VerifyGraph, RefusesRecursion) {
  Case c;
  Computation* a = c.Body({}, kScalar);
  Computation* b = c.Body({}, kScalar);
  a->root()->set_called({b});
  b->root()->set_called({a});
  c.Add(Opcode::kCall, kScalar, {}, CallAttributes{}, {a});
  c.main()->set_root(c.main()->instructions().back().get());
  EXPECT_THAT(c.Message(), HasSubstr("expected calls without recursion, got a call of %body"));
}

TEST(VerifyGraph, RefusesShapesWithoutASize) {
  Case dynamic;
  Shape bounded = F32({4});
  bounded.set_dynamic(0);
  dynamic.Parameter(bounded);
  EXPECT_EQ(dynamic.Verify(),
            "1:3: expected static dimensions, got f32[<=4] in parameter instruction %parameter");
  Case huge;
  huge.Parameter(F32({int64_t{1} << 62}));
  EXPECT_EQ(huge.Verify(),
            "1:3: expected a size below 2^63 bytes, got more than 2^63-1 bytes in "
            "f32[4611686018427387904] in parameter instruction %parameter");
  Case layout;
  layout.Parameter(Shape::Array(E::kF32, {2, 3}, Layout{{1, 1}, ""}));
  EXPECT_EQ(layout.Verify(),
            "1:3: expected a layout that orders the 2 dimensions, got {1,1} in parameter "
            "instruction %parameter");
}

// ---- Printed shapes

// Verifies OPCODE on one parameter of shape IN, written with shape OUT.
std::string VerifyUnary(Opcode opcode, const Shape& in, const Shape& out,
                        Attributes attributes = {}) {
  Case c;
  c.Add(opcode, out, {c.Parameter(in)}, std::move(attributes));
  return c.Verify();
}

TEST(VerifyGraph, RecomputesResultsWithoutTheirLayouts) {
  EXPECT_EQ(
      VerifyUnary(Opcode::kTranspose, F32({2, 3}),
                  Shape::Array(E::kF32, {3, 2}, Layout{{0, 1}, ""}), DimensionsAttributes{{1, 0}}),
      "ok");
  EXPECT_EQ(VerifyUnary(Opcode::kTranspose, F32({2, 3}), F32({2, 3}), DimensionsAttributes{{1, 0}}),
            "2:3: expected a result of f32[3,2], got f32[2,3] in transpose instruction %transpose");
  EXPECT_EQ(VerifyUnary(Opcode::kNegate, F32({2}), Shape::Array(E::kF64, {2})),
            "2:3: expected a result of f32[2], got f64[2] in negate instruction %negate");
  EXPECT_EQ(VerifyUnary(Opcode::kNegate, F32({2}), Shape::Tuple({F32({2})})),
            "2:3: expected a result of f32[2], got (f32[2]) in negate instruction %negate");
  EXPECT_EQ(VerifyUnary(Opcode::kNegate, Shape::Tuple({F32({2})}), F32({2})),
            "2:3: expected an array for operand 0 of negate, got (f32[2]) in negate instruction "
            "%negate");
}

TEST(VerifyGraph, ProductsMayBeWrittenWider) {
  const auto dot = [](E in, E out) {
    Case c;
    const Shape x = Shape::Array(in, {2});
    DotAttributes attributes;
    attributes.lhs_contracting = attributes.rhs_contracting = {0};
    Instruction* p = c.Parameter(x);
    c.Add(Opcode::kDot, Shape::Scalar(out), {p, p}, attributes);
    return c.Verify();
  };
  EXPECT_EQ(dot(E::kBF16, E::kF32), "ok");
  EXPECT_EQ(dot(E::kS8, E::kS32), "ok");
  EXPECT_EQ(dot(E::kF32, E::kBF16),
            "2:3: expected a result of f32[], got bf16[] in dot instruction %dot");
  EXPECT_EQ(dot(E::kS8, E::kF32),
            "2:3: expected a result of s8[], got f32[] in dot instruction %dot");
}

TEST(VerifyGraph, ChecksFreeShapesAgainstTheirOperands) {
  const DimensionsAttributes first{{0}};
  const struct {
    Opcode opcode;
    Shape in, out;
    Attributes attributes;
    std::string expected;
  } kCases[] = {
      {Opcode::kConvert, F32({2}), Shape::Array(E::kS8, {2}), {}, "ok"},
      {Opcode::kConvert,
       F32({2}),
       F32({3}),
       {},
       "expected dimensions [3] for operand 0 of convert, got f32[2]"},
      {Opcode::kConvert,
       Shape::Scalar(E::kC64),
       kScalar,
       {},
       "expected a result of complex numbers when the operand has them, got f32[]"},
      {Opcode::kBitcastConvert, F32({5}), Shape::Array(E::kU8, {5, 4}), {}, "ok"},
      {Opcode::kBitcastConvert, Shape::Array(E::kU8, {5, 4}), F32({5}), {}, "ok"},
      {Opcode::kBitcastConvert,
       Shape::Array(E::kU8, {5, 3}),
       F32({5}),
       {},
       "expected dimensions [5,4] beside 8 and 32 bits, got [5,3]"},
      {Opcode::kBroadcast, F32({3}), F32({3, 2}), first, "ok"},
      {Opcode::kBroadcast, F32({1}), F32({3, 2}), first,
       "expected a result of size 1 in dimension 0, as operand dimension 0 has, got f32[3,2]"},
      {Opcode::kBroadcast, F32({3}), F32({3, 2}), DimensionsAttributes{{2}},
       "expected dimensions below the rank 2, got 2"},
      {Opcode::kBroadcast, F32({3}), F32({3, 2}), DimensionsAttributes{},
       "expected 1 dimensions, got 0"},
      {Opcode::kReshape, F32({2, 3}), F32({6, 1}), ReshapeAttributes{}, "ok"},
      {Opcode::kReshape, F32({2, 3}), F32({5}), ReshapeAttributes{},
       "expected a result of 6 elements, got f32[5]"},
      {Opcode::kBitcast, F32({2}), Shape::Array(E::kS16, {4}), {}, "ok"},
      {Opcode::kBitcast,
       F32({2}),
       Shape::Array(E::kS16, {2}),
       {},
       "expected a result of the size of f32[2], got s16[2]"},
      {Opcode::kRngBitGenerator, Shape::Array(E::kU64, {2}),
       Shape::Tuple({Shape::Array(E::kU64, {2}), Shape::Array(E::kU32, {7})}),
       RngBitGeneratorAttributes{RngAlgorithm::kThreeFry}, "ok"},
      {Opcode::kRngBitGenerator, Shape::Array(E::kU64, {2}),
       Shape::Tuple({Shape::Array(E::kU64, {2}), F32({7})}),
       RngBitGeneratorAttributes{RngAlgorithm::kPhilox},
       "expected a result of (u64[2], bits as integers), got (u64[2], f32[7])"},
  };
  for (const auto& c : kCases) {
    const std::string message = VerifyUnary(c.opcode, c.in, c.out, c.attributes);
    const std::string at = c.expected == "ok" ? "" : "2:3: ";
    EXPECT_THAT(message, ::testing::StartsWith(at + c.expected)) << c.opcode;
  }
}

TEST(VerifyGraph, IotaHasADimensionToCount) {
  const auto iota = [](const Shape& shape, int64_t d) {
    Case c;
    c.Add(Opcode::kIota, shape, {}, DimensionsAttributes{{d}});
    return c.Verify();
  };
  EXPECT_EQ(iota(F32({3}), 0), "ok");
  EXPECT_EQ(iota(F32({3}), 1),
            "1:3: expected iota_dimension below the rank 1, got 1 in iota instruction %iota");
  EXPECT_EQ(iota(kScalar, 0),
            "1:3: expected a result of numbers of rank 1 or more, got f32[] in iota instruction "
            "%iota");
}

TEST(VerifyGraph, ConstantsFitTheirShapes) {
  const auto constant = [](const Shape& shape, Literal value) {
    Case c;
    c.Add(Opcode::kConstant, shape, {}, ConstantAttributes{std::move(value)});
    return c.Verify();
  };
  EXPECT_EQ(constant(F32({3}), Literal(F32({3}))), "ok");
  EXPECT_EQ(constant(F32({3}), Literal::Elided(F32({3}))), "ok");
  EXPECT_EQ(constant(Shape::Tuple({kScalar}), Literal::Tuple({Literal(kScalar)})), "ok");
  EXPECT_EQ(constant(F32({3}), Literal(F32({2}))),
            "1:3: expected a literal of f32[3], got f32[2] in constant instruction %constant");
  EXPECT_EQ(constant(Shape::Token(), Literal::Elided(Shape::Token())),
            "1:3: expected an array or tuple constant, got token[] in constant instruction "
            "%constant");
}

// ---- Bodies

TEST(VerifyGraph, ReducersTakeAccumulatorsThenValues) {
  const Shape s = Shape::Scalar(E::kS32);
  const auto reduce = [&](const std::vector<Shape>& parameters, E array) {
    Case c;
    Computation* body = c.Body(parameters, kScalar);
    Instruction* x = c.Parameter(Shape::Array(array, {4}));
    Instruction* init = c.Parameter(kScalar);
    c.Add(Opcode::kReduce, kScalar, {x, init}, DimensionsAttributes{{0}}, {body});
    return c.Verify();
  };
  EXPECT_EQ(reduce({kScalar, kScalar}, E::kF32), "ok");
  EXPECT_EQ(reduce({kScalar, kScalar}, E::kBF16), "ok");
  EXPECT_EQ(reduce({kScalar, Shape::Scalar(E::kBF16)}, E::kBF16), "ok");
  EXPECT_THAT(reduce({kScalar, s}, E::kF32),
              HasSubstr("expected parameters (f32[], f32[]) of %body, called by reduce, got "
                        "(f32[], s32[]) in reduce instruction %reduce"));
  EXPECT_THAT(reduce({kScalar}, E::kF32), HasSubstr("got (f32[]) in reduce"));
}

TEST(VerifyGraph, ComparatorsTakeNeighboursAndReturnPred) {
  const Shape s = Shape::Scalar(E::kS32);
  const auto sort = [&](const std::vector<Shape>& parameters, const Shape& result) {
    Case c;
    Computation* body = c.Body(parameters, result);
    Instruction* x = c.Parameter(F32({4}));
    Instruction* y = c.Parameter(Shape::Array(E::kS32, {4}));
    c.Add(Opcode::kSort, Shape::Tuple({x->shape(), y->shape()}), {x, y}, SortAttributes{0}, {body});
    return c.Verify();
  };
  EXPECT_EQ(sort({kScalar, kScalar, s, s}, kPredicate), "ok");
  EXPECT_THAT(
      sort({kScalar, s, kScalar, s}, kPredicate),
      HasSubstr("expected parameters (f32[], f32[], s32[], s32[]) of %body, called by sort"));
  EXPECT_THAT(sort({kScalar, kScalar, s, s}, s),
              HasSubstr("expected pred[] from %body, called by sort, got s32[] in sort"));
}

TEST(VerifyGraph, LoopsKeepTheirState) {
  const auto loop = [](const Shape& tested, const Shape& verdict, const Shape& next) {
    Case c;
    Computation* condition = c.Body({tested}, verdict);
    Computation* body = c.Body({kScalar}, next);
    c.Add(Opcode::kWhile, kScalar, {c.Parameter(kScalar)}, {}, {condition, body});
    return c.Verify();
  };
  EXPECT_EQ(loop(kScalar, kPredicate, kScalar), "ok");
  EXPECT_THAT(loop(F32({1}), kPredicate, kScalar),
              HasSubstr("expected parameters (f32[]) of %body, called by while, got (f32[1])"));
  EXPECT_THAT(loop(kScalar, kScalar, kScalar),
              HasSubstr("expected pred[] from %body, called by while, got f32[]"));
  EXPECT_THAT(loop(kScalar, kPredicate, F32({1})),
              HasSubstr("expected f32[] from %body.1, called by while, got f32[1]"));
}

TEST(VerifyGraph, BranchesTakeTheirArgumentAndAgree) {
  const auto branch = [](const Shape& argument, const Shape& result) {
    Case c;
    Computation* one = c.Body({kScalar}, kScalar);
    Computation* two = c.Body({argument}, result);
    Instruction* p = c.Parameter(kPredicate);
    Instruction* x = c.Parameter(kScalar);
    c.Add(Opcode::kConditional, kScalar, {p, x, x}, {}, {one, two});
    return c.Verify();
  };
  EXPECT_EQ(branch(kScalar, kScalar), "ok");
  EXPECT_THAT(branch(F32({2}), kScalar),
              HasSubstr("expected parameters (f32[]) of %body.1, called by conditional, got "
                        "(f32[2])"));
  EXPECT_THAT(branch(kScalar, F32({2})),
              HasSubstr("expected f32[] from %body.1, called by conditional, got f32[2]"));
}

TEST(VerifyGraph, CallsPassWhatTheCalleeTakes) {
  for (Opcode opcode : {Opcode::kCall, Opcode::kFusion}) {
    const Attributes attributes =
        opcode == Opcode::kCall ? Attributes{CallAttributes{}} : Attributes{FusionAttributes{}};
    Case good;
    Computation* body = good.Body({kScalar}, F32({2}));
    good.Add(opcode, F32({2}), {good.Parameter(kScalar)}, attributes, {body});
    EXPECT_EQ(good.Verify(), "ok");
    Case bad;
    body = bad.Body({kScalar, kScalar}, F32({2}));
    bad.Add(opcode, F32({2}), {bad.Parameter(kScalar)}, attributes, {body});
    EXPECT_THAT(bad.Verify(), HasSubstr("expected parameters (f32[]) of %body"));
  }
}

TEST(VerifyGraph, OtherBodiesAreCheckedToo) {
  Case map;
  map.Add(Opcode::kMap, F32({2}), {map.Parameter(F32({2}))}, DimensionsAttributes{{0}},
          {map.Body({kPredicate}, kScalar)});
  EXPECT_THAT(map.Verify(), HasSubstr("expected parameters (f32[]) of %body, called by map"));
  Case window;
  Computation* ge = window.Body({kScalar, kScalar}, kScalar);
  Computation* sum = window.Body({kScalar, kScalar}, kScalar);
  Instruction* x = window.Parameter(F32({2}));
  Instruction* init = window.Parameter(kScalar);
  window.Add(Opcode::kSelectAndScatter, F32({2}), {x, x, init}, WindowAttributes{{{}}}, {ge, sum});
  EXPECT_THAT(window.Verify(),
              HasSubstr("expected pred[] from %body, called by select-and-scatter, got f32[]"));
  Case scatter;
  Instruction* to = scatter.Parameter(F32({4}));
  Instruction* at = scatter.Parameter(Shape::Array(E::kS32, {1}));
  Instruction* updates = scatter.Parameter(kScalar);
  scatter.Add(Opcode::kScatter, F32({4}), {to, at, updates},
              ScatterAttributes{{}, {0}, {0}, {}, {}, 0}, {scatter.Body({kScalar}, kScalar)});
  EXPECT_THAT(scatter.Verify(),
              HasSubstr("expected parameters (f32[], f32[]) of %body, called by scatter"));
  Case negate;
  negate.Add(Opcode::kNegate, kScalar, {negate.Parameter(kScalar)}, {}, {negate.Body({}, kScalar)});
  EXPECT_THAT(negate.Verify(), HasSubstr("expected no called computations of negate, got 1"));
}

// ---- Entry

TEST(VerifyGraph, EntryLayoutsAndDonationsFitTheEntry) {
  const auto entry = [](auto&& change) {
    Case c;
    c.Parameter(F32({2, 3}));
    ModuleHeader& header = c.graph().header();
    header.has_entry_layout = true;
    header.entry_layout = {{Shape::Array(E::kF32, {2, 3}, Layout{{0, 1}, ""})}, F32({2, 3})};
    change(header);
    return c.Verify();
  };
  EXPECT_EQ(entry([](ModuleHeader&) {}), "ok");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.entry_layout.parameters.clear(); }),
            "expected 1 parameters in entry_computation_layout, got 0");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.entry_layout.parameters[0] = F32({3, 2}); }),
            "1:3: expected f32[2,3] for parameter 0 in entry_computation_layout, got f32[3,2] in "
            "parameter instruction %parameter");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.entry_layout.result = kScalar; }),
            "1:3: expected f32[2,3] for the result in entry_computation_layout, got f32[] in "
            "parameter instruction %parameter");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.input_output_alias = {{{}, 0, {}}}; }), "ok");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.input_output_alias = {{{0}, 1, {}}}; }),
            "expected input_output_alias to pair equal shapes, got no result at {0} and no "
            "argument of parameter 1");
  EXPECT_EQ(entry([](ModuleHeader& h) { h.buffer_donor = {{0, {3}}}; }),
            "expected buffer_donor to name an argument, got {3} of parameter 0");
}

// ---- Several at once

TEST(VerifyGraph, ReportsUpToTwentyFaults) {
  Case c;
  Instruction* x = c.Parameter(F32({2}));
  for (int i = 0; i < 50; ++i) c.Add(Opcode::kNegate, F32({3}), {x});
  c.Verify();
  const std::vector<Diagnostic> faults = GetDiagnostics(VerifyGraph(c.graph()));
  ASSERT_EQ(faults.size(), 20u);
  EXPECT_EQ(faults[1].position, (TextPosition{3, 3}));
  EXPECT_EQ(faults[1].message,
            "expected a result of f32[2], got f32[3] in negate instruction %negate.1");
}

TEST(VerifyGraph, DeepGraphsAreNoProblem) {
  Case c;
  Instruction* x = c.Parameter(kScalar);
  for (int i = 0; i < 100000; ++i) x = c.main()->Add(Opcode::kNegate, kScalar, {x});
  EXPECT_EQ(c.Verify(), "ok");
}

}  // namespace
}  // namespace astitch
