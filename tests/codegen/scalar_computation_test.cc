// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Bodies of reductions inlined: argmax with its tuple, nested calls, constants, and the difference
// between rounding each step and keeping a reduction wide.
#include "codegen/common/scalar_computation.h"

#include <cstring>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "codegen/common/register_types.h"
#include "gtest/gtest.h"
#include "ir/number.h"
#include "jit.h"

namespace astitch::codegen {
namespace {

constexpr int kWidth = 8;

struct Argument {
  ElementType type;
  std::vector<double> values;  // kWidth of them
};

Literal ScalarConstant(ElementType type, double value) {
  Literal literal(Shape::Scalar(type));
  StoreFromDouble(type, literal.mutable_bytes().data(), value);
  return literal;
}

Instruction* Parameter(Computation* computation, int64_t number, ElementType type) {
  return computation->Add(Opcode::kParameter, Shape::Scalar(type), {}, ParameterAttributes{number});
}

// Results as doubles, one vector a leaf of the root.
std::vector<std::vector<double>> RunBody(const Computation& computation,
                                         const std::vector<Argument>& arguments, bool wide) {
  std::vector<const Shape*> results = computation.root()->shape().Leaves();
  std::vector<std::vector<std::byte>> buffers;
  for (const Argument& argument : arguments) {
    std::vector<std::byte>& bytes = buffers.emplace_back(kWidth * ByteWidth(argument.type));
    for (int i = 0; i < kWidth; ++i) {
      StoreFromDouble(argument.type, bytes.data() + i * ByteWidth(argument.type),
                      argument.values[i]);
    }
  }
  for (const Shape* shape : results)
    buffers.emplace_back(kWidth * ByteWidth(shape->element_type()));
  Jit jit(ThisProcessor());
  jit.Add([&](llvm::Module& module, const TargetTraits& traits) {
    LoopSpec loop{.name = "body", .inputs = {}, .outputs = {}, .body = nullptr};
    for (const Argument& argument : arguments) {
      loop.inputs.push_back(MemoryType(module.getContext(), argument.type, kWidth));
    }
    for (const Shape* shape : results) {
      loop.outputs.push_back(MemoryType(module.getContext(), shape->element_type(), kWidth));
    }
    loop.body = [&](EmitContext& emit, const std::vector<llvm::Value*>& memory) {
      std::vector<llvm::Value*> values;
      for (size_t i = 0; i < memory.size(); ++i) {
        values.push_back(FromMemory(emit, arguments[i].type, memory[i]));
      }
      auto out = EmitScalarComputation(emit, computation, values, wide);
      EXPECT_TRUE(out.ok()) << out.status();
      for (size_t i = 0; i < out->size(); ++i) {
        const ElementType type = results[i]->element_type();
        llvm::Value*& value = (*out)[i];
        if (IsFloat(type)) value = RoundTo(emit, type, value);
        value = ToMemory(emit, type, value);
      }
      return *out;
    };
    EmitLoop(module, traits, loop);
  });
  std::vector<void*> arrays;
  for (std::vector<std::byte>& bytes : buffers) arrays.push_back(bytes.data());
  jit.Find("body")(arrays.data(), 1);
  std::vector<std::vector<double>> out;
  for (size_t i = 0; i < results.size(); ++i) {
    const ElementType type = results[i]->element_type();
    std::vector<double>& values = out.emplace_back();
    for (int k = 0; k < kWidth; ++k) {
      values.push_back(
          LoadAsDouble(type, buffers[arguments.size() + i].data() + k * ByteWidth(type)));
    }
  }
  return out;
}

TEST(ScalarComputation, ArgmaxGivesAValueAndAnIndex) {
  Graph graph("argmax");
  Computation* body = graph.AddComputation("body");
  constexpr ElementType kF32 = ElementType::kF32, kS32 = ElementType::kS32;
  Instruction* a = Parameter(body, 0, kF32);
  Instruction* ia = Parameter(body, 1, kS32);
  Instruction* b = Parameter(body, 2, kF32);
  Instruction* ib = Parameter(body, 3, kS32);
  Instruction* ge = body->Add(Opcode::kCompare, Shape::Scalar(ElementType::kPred), {a, b},
                              CompareAttributes{ComparisonDirection::kGe, ComparisonType::kFloat});
  Instruction* value = body->Add(Opcode::kSelect, Shape::Scalar(kF32), {ge, a, b});
  Instruction* index = body->Add(Opcode::kSelect, Shape::Scalar(kS32), {ge, ia, ib});
  body->set_root(
      body->Add(Opcode::kTuple, Shape::Tuple({value->shape(), index->shape()}), {value, index}));
  const auto out = RunBody(*body,
                           {{kF32, {1, 2, 3, 4, 5, 6, 7, 8}},
                            {kS32, {0, 1, 2, 3, 4, 5, 6, 7}},
                            {kF32, {8, 7, 6, 5, 4, 3, 2, 8}},
                            {kS32, {10, 11, 12, 13, 14, 15, 16, 17}}},
                           /*wide=*/false);
  EXPECT_EQ(out[0], (std::vector<double>{8, 7, 6, 5, 5, 6, 7, 8}));
  EXPECT_EQ(out[1], (std::vector<double>{10, 11, 12, 13, 4, 5, 6, 7}));
}

TEST(ScalarComputation, WideKeepsWhatBf16WouldRoundAway) {
  Graph graph("sum");
  Computation* body = graph.AddComputation("body");
  constexpr ElementType kBF16 = ElementType::kBF16;
  Instruction* a = Parameter(body, 0, kBF16);
  Instruction* b = Parameter(body, 1, kBF16);
  Instruction* sum = body->Add(Opcode::kAdd, Shape::Scalar(kBF16), {a, b});
  body->set_root(body->Add(Opcode::kSubtract, Shape::Scalar(kBF16), {sum, a}));
  // 256 + 1 is no bf16: rounded it falls back to 256.
  const std::vector<Argument> arguments = {{kBF16, std::vector<double>(kWidth, 256)},
                                           {kBF16, std::vector<double>(kWidth, 1)}};
  EXPECT_EQ(RunBody(*body, arguments, /*wide=*/false)[0], std::vector<double>(kWidth, 0));
  EXPECT_EQ(RunBody(*body, arguments, /*wide=*/true)[0], std::vector<double>(kWidth, 1));
}

TEST(ScalarComputation, CallsNestWithoutRecursion) {
  Graph graph("calls");
  constexpr ElementType kS32 = ElementType::kS32;
  Computation* inner = graph.AddComputation("f0");
  Instruction* x = Parameter(inner, 0, kS32);
  Instruction* one = inner->Add(Opcode::kConstant, Shape::Scalar(kS32), {},
                                ConstantAttributes{ScalarConstant(kS32, 1)});
  inner->set_root(inner->Add(Opcode::kAdd, Shape::Scalar(kS32), {x, one}));
  constexpr int kDepth = 20000;
  for (int i = 1; i <= kDepth; ++i) {
    Computation* outer = graph.AddComputation(absl::StrCat("f", i));
    Instruction* call = outer->Add(Opcode::kCall, Shape::Scalar(kS32), {Parameter(outer, 0, kS32)},
                                   CallAttributes{});
    call->set_called({inner});
    outer->set_root(call);
    inner = outer;
  }
  const auto out = RunBody(*inner, {{kS32, {0, 1, 2, 3, 4, 5, 6, 7}}}, /*wide=*/false);
  EXPECT_EQ(out[0], (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ScalarComputation, RefusesWhatIsNotElementwise) {
  Graph graph("iota");
  Computation* body = graph.AddComputation("body");
  body->set_root(body->Add(Opcode::kIota, Shape::Array(ElementType::kS32, {4}), {},
                           DimensionsAttributes{{0}}, "ramp"));
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::IRBuilder<> ir(context);
  const auto result = EmitScalarComputation({ir, HostTraits("")}, *body, {}, false);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("ramp"), absl::string_view::npos) << result.status();
}

}  // namespace
}  // namespace astitch::codegen
