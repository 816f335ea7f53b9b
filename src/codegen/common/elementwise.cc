// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From an instruction to the family that emits it, with its types checked and its result rounded.
#include "codegen/common/elementwise.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/common/compare.h"
#include "codegen/common/convert.h"
#include "codegen/common/float_ops.h"
#include "codegen/common/integer_ops.h"
#include "codegen/common/register_types.h"
#include "ir/sign_proof.h"

namespace astitch::codegen {
namespace {

absl::Status Refuse(const Instruction& instruction, absl::string_view why) {
  return ErrorAt(instruction, why);
}

absl::Status CheckTypes(const Instruction& instruction) {
  auto check = [&](const Shape& shape) -> absl::Status {
    if (!shape.IsArray())
      return Refuse(instruction, "needs arrays to be emitted element by element");
    if (!IsComplex(shape.element_type())) return absl::OkStatus();
    return Refuse(instruction, absl::StrCat("complex type ", ToString(shape.element_type()),
                                            " is not supported by code generation"));
  };
  ASTITCH_RETURN_IF_ERROR(check(instruction.shape()));
  for (const Instruction* operand : instruction.operands()) {
    ASTITCH_RETURN_IF_ERROR(check(operand->shape()));
  }
  return absl::OkStatus();
}

// All of one width: scalars beside vectors fill their lanes.
std::vector<llvm::Value*> ToOneWidth(const EmitContext& context,
                                     absl::Span<llvm::Value* const> operands) {
  int width = 1;
  for (const llvm::Value* operand : operands) width = std::max(width, WidthOf(operand));
  std::vector<llvm::Value*> values(operands.begin(), operands.end());
  for (llvm::Value*& value : values) {
    if (WidthOf(value) != width) value = Splat(context, value, width);
  }
  return values;
}

bool IsUnroundedType(ElementType type, const ElementwiseOptions& options) {
  return options.keep_wide && IsFloat(type) && type != ElementType::kF64;
}

// What looks at the bits of a narrow float needs it rounded, whatever the options say.
llvm::Value* Rounded(const EmitContext& context, ElementType type, llvm::Value* value,
                     const ElementwiseOptions& options) {
  return IsUnroundedType(type, options) ? RoundTo(context, type, value) : value;
}

absl::StatusOr<llvm::Value*> EmitBitcast(const EmitContext& context, const Instruction& instruction,
                                         llvm::Value* value, const ElementwiseOptions& options) {
  const ElementType from = instruction.operand(0)->shape().element_type();
  const ElementType to = instruction.shape().element_type();
  if (BitWidth(from) != BitWidth(to) || IsPred(from) != IsPred(to)) {
    return Refuse(instruction, absl::StrCat("bitcast-convert from ", ToString(from), " to ",
                                            ToString(to), " is not elementwise"));
  }
  return EmitBitcastConvert(context, from, to, Rounded(context, from, value, options));
}

llvm::Value* EmitReduce(const EmitContext& context, const Instruction& instruction,
                        llvm::Value* value, const ElementwiseOptions& options) {
  const ElementType type = instruction.shape().element_type();
  if (!IsFloat(type)) return nullptr;
  const auto& precision = instruction.as<ReducePrecisionAttributes>();
  const auto bits = [](int64_t n, int64_t low) {
    return static_cast<int>(std::clamp<int64_t>(n, low, 62));
  };
  return EmitReducePrecision(context, type, Rounded(context, type, value, options),
                             bits(precision.exponent_bits, 1), bits(precision.mantissa_bits, 0));
}

// Gives values of its operands' type without rounding. Formats of 8 bits lack -0 or infinity.
bool IsExact(Opcode opcode, ElementType type) {
  if (IsFloat(type) && BitWidth(type) < 16) return false;
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCopy:
    case Opcode::kFloor:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kSign:
      return true;
    default:
      return false;
  }
}

// Null where the operation is not defined on its types.
llvm::Value* EmitByFamily(const EmitContext& context, const Instruction& instruction,
                          absl::Span<llvm::Value* const> v, const ElementwiseOptions& options) {
  const ElementType type = instruction.operand(0)->shape().element_type();
  const ElementType result_type = instruction.shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kCompare:
      return EmitCompare(context, instruction.as<CompareAttributes>(), type, v[0], v[1]);
    case Opcode::kConvert:
      return EmitConvert(context, type, result_type, v[0], !options.keep_wide);
    case Opcode::kReducePrecision:
      return EmitReduce(context, instruction, v[0], options);
    case Opcode::kSelect:
      return IsPred(type) ? context.builder.CreateSelect(v[0], v[1], v[2]) : nullptr;
    case Opcode::kStochasticConvert: {
      const ElementType random_type = instruction.operand(1)->shape().element_type();
      if (!IsFloat(type) || !IsInteger(result_type) || !IsInteger(random_type)) return nullptr;
      return EmitStochasticConvert(context, result_type, v[0], random_type, v[1]);
    }
    default:
      break;
  }
  if (!IsFloat(type)) return EmitIntegerOp(context, instruction.opcode(), type, v);
  const bool decays =
      instruction.opcode() == Opcode::kExponential && IsNeverPositive(*instruction.operand(0));
  llvm::Value* result =
      decays ? EmitDecay(context, v[0]) : EmitFloatOp(context, instruction.opcode(), v);
  if (result == nullptr || !IsFloat(result_type)) return result;
  const bool exact = type == result_type && IsExact(instruction.opcode(), type);
  if (exact || IsUnroundedType(result_type, options)) return result;
  return type == result_type ? RoundResult(context, result_type, result)
                             : RoundTo(context, result_type, result);
}

}  // namespace

absl::StatusOr<llvm::Value*> EmitElementwise(const EmitContext& context,
                                             const Instruction& instruction,
                                             absl::Span<llvm::Value* const> operands,
                                             const ElementwiseOptions& options) {
  if (KindOf(instruction.opcode()) != OpKind::kElementwise || operands.empty()) {
    return Refuse(instruction, "is not an elementwise operation");
  }
  ASTITCH_RETURN_IF_ERROR(CheckTypes(instruction));
  const std::vector<llvm::Value*> values = ToOneWidth(context, operands);
  if (instruction.opcode() == Opcode::kBitcastConvert) {
    return EmitBitcast(context, instruction, values[0], options);
  }
  llvm::Value* result = EmitByFamily(context, instruction, values, options);
  if (result != nullptr) return result;
  return Refuse(
      instruction,
      absl::StrCat("is not defined on ", ToString(instruction.operand(0)->shape().element_type())));
}

}  // namespace astitch::codegen
