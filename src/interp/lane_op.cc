// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From an elementwise instruction to its kernel.
#include "interp/lane_op.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace astitch::interp {
namespace {

void KeepLanes(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = a[k];
}

void Select(const LaneOp&, const Lane* which, const Lane* on_true, const Lane* on_false, int64_t n,
            Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = which[k].i != 0 ? on_true[k] : on_false[k];
}

LaneKernel FindKernel(const Instruction& instruction, LaneOp& op) {
  const ElementType type = op.operand_types[0];
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kReal:  // the part that a complex lane shares with a float's
      return &KeepLanes;
    case Opcode::kSelect:
      return &Select;
    case Opcode::kCompare: {
      const auto& compare = instruction.as<CompareAttributes>();
      if (IsComplex(type)) return FindComplexCompareKernel(compare.direction);
      const bool float_order =
          compare.type == ComparisonType::kFloat || compare.type == ComparisonType::kTotalOrder;
      return float_order == IsFloat(type) ? FindCompareKernel(compare) : nullptr;
    }
    case Opcode::kComplex:
      return IsFloat(type) ? ComplexFromPartsKernel() : nullptr;
    case Opcode::kBitcastConvert:
      return FindBitcastConvertKernel(type, op.result_type);
    case Opcode::kConvert:
      return FindConvertKernel(type, op.result_type);
    case Opcode::kStochasticConvert:
      return FindStochasticConvertKernel(type, op.result_type);
    case Opcode::kReducePrecision: {
      const auto& precision = instruction.as<ReducePrecisionAttributes>();
      op.exponent_bits = static_cast<int>(std::clamp<int64_t>(precision.exponent_bits, 1, 62));
      op.mantissa_bits = static_cast<int>(std::clamp<int64_t>(precision.mantissa_bits, 0, 62));
      break;
    }
    default:
      break;
  }
  if (IsComplex(type)) return FindComplexKernel(instruction.opcode(), type);
  return IsFloat(type) ? FindFloatKernel(instruction.opcode(), type)
                       : FindIntegerKernel(instruction.opcode(), type);
}

}  // namespace

absl::StatusOr<LaneOp> MakeLaneOp(const Instruction& instruction) {
  const int64_t n = instruction.num_operands();
  if (KindOf(instruction.opcode()) != OpKind::kElementwise || n < 1 || n > 3 ||
      !instruction.shape().IsArray()) {
    return ErrorAt(instruction, "is not an elementwise operation");
  }
  LaneOp op;
  op.opcode = instruction.opcode();
  op.num_operands = static_cast<int>(n);
  op.result_type = instruction.shape().element_type();
  for (int64_t i = 0; i < n; ++i) {
    if (!instruction.operand(i)->shape().IsArray()) {
      return ErrorAt(instruction, absl::StrCat("an array for operand ", i),
                     instruction.operand(i)->shape().ToString(false));
    }
    op.operand_types[i] = instruction.operand(i)->shape().element_type();
  }
  op.kernel = FindKernel(instruction, op);
  if (op.kernel == nullptr) {
    return ErrorAt(instruction, absl::StrCat("is not defined on ", ToString(op.operand_types[0])));
  }
  return op;
}

}  // namespace astitch::interp
