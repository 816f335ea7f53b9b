// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every elementwise operation on every type, compiled for this processor and for plain x86-64, on
// corner values and random bits, against the interpreter.
#include "codegen/common/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interp/interpreter.h"
#include "ir/number.h"
#include "jit.h"
#include "op_catalog.h"

namespace astitch::codegen {
namespace {

constexpr int64_t kNumElements = 1024;

// Codes of a type worth meeting: all of them up to 8 bits; else corners and random bits.
std::vector<uint64_t> CodesOf(ElementType type) {
  std::vector<uint64_t> codes;
  if (BitWidth(type) <= 8) {
    for (int i = 0; i < 1 << BitWidth(type); ++i) {
      const bool extend = IsInteger(type);
      codes.push_back(extend ? static_cast<uint64_t>(WrapInteger(type, i)) & 0xff : i);
    }
    return codes;
  }
  if (IsFloat(type)) {
    const double max = MaxFinite(type);
    for (double v : {0.0,
                     1.0,
                     0.5,
                     1.5,
                     2.0,
                     2.5,
                     3.0,
                     0.1,
                     7.75,
                     100.0,
                     255.0,
                     1e4,
                     2147483648.0,
                     1e-3,
                     1e-7,
                     3.4e38,
                     1e300,
                     1e-300,
                     max,
                     max / 2,
                     HUGE_VAL,
                     std::nan(""),
                     std::ldexp(1.0, 1 - FormatOf(type).bias),
                     6.1e-5,
                     1.0 / 3,
                     1e-40,
                     9.3e18}) {
      codes.push_back(EncodeFloat(type, v));
      codes.push_back(EncodeFloat(type, -v));
    }
    codes.push_back(1), codes.push_back(2);  // the smallest subnormals
  } else {
    for (int64_t v : {0, 1, -1, 2, -2, 3, 7, -8, 8, 31, 32, 33, 63, 64, 65, 255, 70000}) {
      codes.push_back(static_cast<uint64_t>(v));
    }
    codes.push_back(static_cast<uint64_t>(MinInteger(type)));
    codes.push_back(MaxInteger(type));
    codes.push_back(MaxInteger(type) / 2 + 1);
    codes.push_back((uint64_t{1} << 53) + 1);
    codes.push_back((uint64_t{1} << 60) + (uint64_t{1} << 36) + 1);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 16; ++i) codes.push_back(random());
  return codes;
}

std::vector<Literal> MakeArguments(const CatalogOp& op) {
  std::vector<Literal> arguments;
  std::mt19937_64 random(11);
  size_t stride = 1;
  for (const Instruction* operand : op.instruction->operands()) {
    const ElementType type = operand->shape().element_type();
    const std::vector<uint64_t> codes = CodesOf(type);
    Literal literal(operand->shape());
    std::byte* bytes = literal.mutable_bytes().data();
    for (int64_t i = 0; i < kNumElements; ++i) {
      // All pairs as far as they fit; what is left at random.
      const size_t pick = stride <= kNumElements / 16 ? i / stride : random();
      StoreBits(type, bytes + i * ByteWidth(type), codes[pick % codes.size()]);
    }
    stride *= std::min<size_t>(codes.size(), 31);
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

// How far apart two codes of a float type are, counted in representable values.
int64_t StepsApart(ElementType type, uint64_t a, uint64_t b) {
  const int width = BitWidth(type);
  auto key = [&](uint64_t code) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    const int64_t magnitude = static_cast<int64_t>(code & (sign - 1));
    return code & sign ? -magnitude : magnitude;
  };
  return std::abs(key(a) - key(b));
}

int64_t AllowedSteps(const CatalogOp& op) {
  if (op.exact) return 0;
  const int width = BitWidth(op.instruction->shape().element_type());
  return width <= 16 ? 1 : 4;
}

bool Matches(const CatalogOp& op, uint64_t got, uint64_t want) {
  const ElementType type = op.instruction->shape().element_type();
  if (got == want) return true;
  if (!IsFloat(type)) return false;
  const double x = DecodeFloat(type, got), y = DecodeFloat(type, want);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  // NaN has no image in a type without it but the largest magnitude, of either sign.
  if (!HasNan(type) && std::fabs(x) == MaxFinite(type) && x == -y) return true;
  // Which of two equal zeros an extremum takes is open.
  const Opcode opcode = op.instruction->opcode();
  const bool extremum =
      opcode == Opcode::kMaximum || opcode == Opcode::kMinimum || opcode == Opcode::kClamp;
  if (x == 0 && y == 0) return extremum;
  return StepsApart(type, got, want) <= AllowedSteps(op);
}

void Check(const CatalogOp& op, Jit::Function function, int width) {
  const std::vector<Literal> arguments = MakeArguments(op);
  auto want = EvaluateInstruction(*op.instruction, arguments);
  ASSERT_TRUE(want.ok()) << op.name << ": " << want.status();
  const ElementType type = op.instruction->shape().element_type();
  std::vector<std::byte> got(kNumElements * ByteWidth(type));
  std::vector<void*> arrays;
  for (const Literal& argument : arguments) {
    arrays.push_back(const_cast<std::byte*>(argument.bytes().data()));
  }
  arrays.push_back(got.data());
  function(arrays.data(), kNumElements / width);
  int failures = 0;
  for (int64_t i = 0; i < kNumElements && failures < 3; ++i) {
    const uint64_t got_bits = LoadBits(type, got.data() + i * ByteWidth(type));
    const uint64_t want_bits = LoadBits(type, want->bytes().data() + i * ByteWidth(type));
    if (Matches(op, got_bits, want_bits)) continue;
    ++failures;
    std::string inputs;
    for (const Literal& argument : arguments) {
      const ElementType from = argument.shape().element_type();
      absl::StrAppend(&inputs, " ",
                      LoadAsDouble(from, argument.bytes().data() + i * ByteWidth(from)));
    }
    ADD_FAILURE() << op.name << " of" << inputs << ": expected "
                  << LoadAsDouble(type, want->bytes().data() + i * ByteWidth(type)) << ", got "
                  << LoadAsDouble(type, got.data() + i * ByteWidth(type)) << std::hex << " (bits "
                  << want_bits << ", " << got_bits << ")";
  }
}

void CheckAll(CatalogSize size, const std::string& features, int width) {
  const OpCatalog catalog(size, kNumElements);
  Jit jit(features);
  jit.Add([&](llvm::Module& module, const TargetTraits& traits) {
    for (const CatalogOp& op : catalog.ops()) {
      EmitLoop(module, traits, LoopOf(module.getContext(), op, width));
    }
  });
  for (const CatalogOp& op : catalog.ops()) {
    std::string symbol = op.name;
    std::replace(symbol.begin(), symbol.end(), '-', '_');
    Check(op, jit.Find(symbol), width);
  }
}

TEST(Elementwise, VectorsOfThisProcessorAgreeWithTheInterpreter) {
  CheckAll(CatalogSize::kFull, ThisProcessor(), 8);
}

TEST(Elementwise, ScalarsAgreeWithTheInterpreter) {
  CheckAll(CatalogSize::kMain, ThisProcessor(), 1);
}

// The message of a refusal, or nothing when INSTRUCTION is emitted.
std::string Refusal(Opcode opcode, ElementType from, ElementType to) {
  Graph graph("g");
  Computation* computation = graph.AddComputation("c");
  Instruction* operand =
      computation->Add(Opcode::kParameter, Shape::Array(from, {4}), {}, ParameterAttributes{0});
  const Instruction* instruction =
      computation->Add(opcode, Shape::Array(to, {4}), {operand}, {}, "refused.1");
  llvm::LLVMContext context;
  llvm::IRBuilder<> ir(context);
  llvm::Value* value = llvm::UndefValue::get(llvm::Type::getFloatTy(context));
  return std::string(
      EmitElementwise({ir, HostTraits("")}, *instruction, {value}).status().message());
}

TEST(Elementwise, RefusesByNameWhatItDoesNotHave) {
  using E = ElementType;
  for (const std::string& message :
       {Refusal(Opcode::kNegate, E::kC64, E::kC64), Refusal(Opcode::kReal, E::kC64, E::kF32),
        Refusal(Opcode::kBitcastConvert, E::kF32, E::kU8), Refusal(Opcode::kAbs, E::kU32, E::kU32),
        Refusal(Opcode::kTanh, E::kS32, E::kS32), Refusal(Opcode::kNegate, E::kPred, E::kPred),
        Refusal(Opcode::kBroadcast, E::kF32, E::kF32)}) {
    EXPECT_THAT(message, testing::HasSubstr("refused.1"));
  }
}

TEST(Elementwise, PlainX86AgreesWithTheInterpreter) { CheckAll(CatalogSize::kMain, "", 4); }

}  // namespace
}  // namespace astitch::codegen
