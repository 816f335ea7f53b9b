// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The lists by kind of type. Elementary functions of the types below 16 bits are those of f32 with
// a rounding, so three of them stand for all.
#include "op_catalog.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "codegen/common/elementwise.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

constexpr Opcode kExactUnaryFloat[] = {
    Opcode::kAbs,    Opcode::kCeil, Opcode::kFloor,           Opcode::kImag,
    Opcode::kNegate, Opcode::kReal, Opcode::kRoundNearestAfz, Opcode::kRoundNearestEven,
    Opcode::kSign,   Opcode::kSqrt};
constexpr Opcode kFunctions[] = {
    Opcode::kAcos,   Opcode::kAcosh,      Opcode::kAsin,        Opcode::kAsinh,
    Opcode::kAtan,   Opcode::kAtanh,      Opcode::kCbrt,        Opcode::kCosh,
    Opcode::kCosine, Opcode::kErf,        Opcode::kExponential, Opcode::kExponentialMinusOne,
    Opcode::kLog,    Opcode::kLogPlusOne, Opcode::kLogistic,    Opcode::kRsqrt,
    Opcode::kSine,   Opcode::kSinh,       Opcode::kTan,         Opcode::kTanh};
constexpr Opcode kBinaryFloat[] = {Opcode::kAdd,     Opcode::kDivide,   Opcode::kMaximum,
                                   Opcode::kMinimum, Opcode::kMultiply, Opcode::kRemainder,
                                   Opcode::kSubtract};
constexpr Opcode kUnaryInteger[] = {Opcode::kCountLeadingZeros, Opcode::kNegate, Opcode::kNot,
                                    Opcode::kPopcnt, Opcode::kSign};
constexpr Opcode kBinaryInteger[] = {Opcode::kAdd,
                                     Opcode::kAnd,
                                     Opcode::kDivide,
                                     Opcode::kMaximum,
                                     Opcode::kMinimum,
                                     Opcode::kMulhi,
                                     Opcode::kMultiply,
                                     Opcode::kOr,
                                     Opcode::kPower,
                                     Opcode::kRemainder,
                                     Opcode::kShiftLeft,
                                     Opcode::kShiftRightArithmetic,
                                     Opcode::kShiftRightLogical,
                                     Opcode::kSubtract,
                                     Opcode::kXor};
constexpr Opcode kBinaryPred[] = {Opcode::kAdd,     Opcode::kAnd,      Opcode::kMaximum,
                                  Opcode::kMinimum, Opcode::kMultiply, Opcode::kOr,
                                  Opcode::kXor};

std::vector<ElementType> TypesOf(CatalogSize size) {
  using E = ElementType;
  if (size == CatalogSize::kMain) {
    return {E::kPred, E::kS4,  E::kS8,   E::kS32, E::kS64, E::kU8,      E::kU32,
            E::kU64,  E::kF16, E::kBF16, E::kF32, E::kF64, E::kF8E4M3FN};
  }
  std::vector<ElementType> types;
#define ASTITCH_X(enumerator, word, bits, kind) \
  if (!IsComplex(E::enumerator)) types.push_back(E::enumerator);
  ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
  return types;
}

}  // namespace

void OpCatalog::Add(const std::string& name, Opcode opcode, ElementType result,
                    const std::vector<ElementType>& operands, Attributes attributes) {
  Computation* computation = graph_->AddComputation(name);
  std::vector<Instruction*> parameters;
  for (ElementType type : operands) {
    const int64_t number = static_cast<int64_t>(parameters.size());
    parameters.push_back(computation->Add(Opcode::kParameter, Shape::Array(type, {num_elements_}),
                                          {}, ParameterAttributes{number}));
  }
  Instruction* root = computation->Add(opcode, Shape::Array(result, {num_elements_}), parameters,
                                       std::move(attributes));
  computation->set_root(root);
  bool exact = true;
  for (Opcode function : kFunctions) exact = exact && function != opcode;
  // The interpreter's f64 square root rounds twice, by way of long double.
  exact = exact && !(opcode == Opcode::kSqrt && result == ElementType::kF64);
  exact = exact && !(IsFloat(result) && (opcode == Opcode::kPower || opcode == Opcode::kAtan2));
  ops_.push_back({name, root, exact});
}

void OpCatalog::AddFloatOps(ElementType type) {
  auto name = [&](Opcode opcode) { return absl::StrCat(ToString(opcode), "_", ToString(type)); };
  for (Opcode opcode : kExactUnaryFloat) Add(name(opcode), opcode, type, {type});
  for (Opcode opcode : kBinaryFloat) {
    // Products and quotients of f8e8m0fnu leave the range of f32, in which they are computed.
    const bool leaves_range = opcode == Opcode::kMultiply || opcode == Opcode::kDivide;
    if (type == ElementType::kF8E8M0FNU && leaves_range) continue;
    Add(name(opcode), opcode, type, {type, type});
  }
  Add(name(Opcode::kIsFinite), Opcode::kIsFinite, ElementType::kPred, {type});
  const bool small = BitWidth(type) <= 8;
  for (Opcode opcode : kFunctions) {
    if (small && opcode != Opcode::kTanh && opcode != Opcode::kExponential) continue;
    Add(name(opcode), opcode, type, {type});
  }
  Add(name(Opcode::kPower), Opcode::kPower, type, {type, type});
  if (!small) Add(name(Opcode::kAtan2), Opcode::kAtan2, type, {type, type});
  for (auto [e, m] : {std::pair{5, 10}, {8, 7}, {5, 2}, {4, 3}, {1, 0}, {11, 52}, {3, 20}}) {
    Add(absl::StrCat(name(Opcode::kReducePrecision), "_", e, "_", m), Opcode::kReducePrecision,
        type, {type}, ReducePrecisionAttributes{e, m});
  }
}

void OpCatalog::AddIntegerOps(ElementType type) {
  auto name = [&](Opcode opcode) { return absl::StrCat(ToString(opcode), "_", ToString(type)); };
  if (IsPred(type)) {
    Add(name(Opcode::kNot), Opcode::kNot, type, {type});
    for (Opcode opcode : kBinaryPred) Add(name(opcode), opcode, type, {type, type});
    return;
  }
  if (IsSigned(type)) Add(name(Opcode::kAbs), Opcode::kAbs, type, {type});
  for (Opcode opcode : kUnaryInteger) Add(name(opcode), opcode, type, {type});
  for (Opcode opcode : kBinaryInteger) Add(name(opcode), opcode, type, {type, type});
}

void OpCatalog::AddCommonOps(ElementType type) {
  auto name = [&](Opcode opcode) { return absl::StrCat(ToString(opcode), "_", ToString(type)); };
  Add(name(Opcode::kCopy), Opcode::kCopy, type, {type});
  Add(name(Opcode::kClamp), Opcode::kClamp, type, {type, type, type});
  Add(name(Opcode::kSelect), Opcode::kSelect, type, {ElementType::kPred, type, type});
}

void OpCatalog::AddCompares(ElementType type) {
  using D = ComparisonDirection;
  std::vector<ComparisonType> orders = {DefaultComparisonType(type)};
  if (IsFloat(type)) orders.push_back(ComparisonType::kTotalOrder);
  for (ComparisonType order : orders) {
    for (D direction : {D::kEq, D::kNe, D::kLt, D::kLe, D::kGt, D::kGe}) {
      Add(absl::StrCat("compare_", ToString(type), "_", static_cast<int>(direction), "_",
                       static_cast<int>(order)),
          Opcode::kCompare, ElementType::kPred, {type, type}, CompareAttributes{direction, order});
    }
  }
}

void OpCatalog::AddConversions(const std::vector<ElementType>& types) {
  for (ElementType from : types) {
    for (ElementType to : types) {
      const std::string pair = absl::StrCat("_", ToString(from), "_", ToString(to));
      Add(absl::StrCat("convert", pair), Opcode::kConvert, to, {from});
      if (BitWidth(from) == BitWidth(to) && IsPred(from) == IsPred(to)) {
        Add(absl::StrCat("bitcast-convert", pair), Opcode::kBitcastConvert, to, {from});
      }
      if (IsFloat(from) && IsInteger(to) && BitWidth(from) >= 16) {
        const ElementType random = BitWidth(from) == 64   ? ElementType::kU64
                                   : BitWidth(from) == 32 ? ElementType::kU32
                                                          : ElementType::kU16;
        Add(absl::StrCat("stochastic-convert", pair), Opcode::kStochasticConvert, to,
            {from, random});
      }
    }
  }
}

OpCatalog::OpCatalog(CatalogSize size, int64_t num_elements)
    : num_elements_(num_elements), graph_(std::make_unique<Graph>("catalog")) {
  const std::vector<ElementType> types = TypesOf(size);
  for (ElementType type : types) {
    IsFloat(type) ? AddFloatOps(type) : AddIntegerOps(type);
    AddCommonOps(type);
    AddCompares(type);
  }
  AddConversions(types);
}

LoopSpec LoopOf(llvm::LLVMContext& context, const CatalogOp& op, int width) {
  LoopSpec loop;
  loop.name = op.name;
  for (char& c : loop.name) c = c == '-' ? '_' : c;
  for (const Instruction* operand : op.instruction->operands()) {
    loop.inputs.push_back(MemoryType(context, operand->shape().element_type(), width));
  }
  const ElementType result_type = op.instruction->shape().element_type();
  loop.outputs.push_back(MemoryType(context, result_type, width));
  loop.body = [&op, result_type](EmitContext& emit, const std::vector<llvm::Value*>& memory) {
    std::vector<llvm::Value*> operands;
    for (size_t i = 0; i < memory.size(); ++i) {
      const ElementType type = op.instruction->operand(i)->shape().element_type();
      operands.push_back(FromMemory(emit, type, memory[i]));
    }
    auto value = EmitElementwise(emit, *op.instruction, operands);
    if (!value.ok()) {
      std::cerr << value.status() << "\n";
      std::abort();
    }
    return std::vector<llvm::Value*>{ToMemory(emit, result_type, *value)};
  };
  return loop;
}

}  // namespace astitch::codegen
