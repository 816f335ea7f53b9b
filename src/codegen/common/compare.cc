// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Comparisons are one instruction, but for the total order of floats: there bits are compared, as
// signed numbers, after the magnitude bits of negative ones are flipped.
#include "codegen/common/compare.h"

#include "codegen/common/math/math_builder.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

Predicate FloatPredicate(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return Predicate::FCMP_OEQ;
    case ComparisonDirection::kNe:
      return Predicate::FCMP_UNE;  // the one that NaN satisfies
    case ComparisonDirection::kLt:
      return Predicate::FCMP_OLT;
    case ComparisonDirection::kLe:
      return Predicate::FCMP_OLE;
    case ComparisonDirection::kGt:
      return Predicate::FCMP_OGT;
    case ComparisonDirection::kGe:
      return Predicate::FCMP_OGE;
  }
  return Predicate::FCMP_FALSE;
}

Predicate IntegerPredicate(ComparisonDirection direction, bool is_signed) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return Predicate::ICMP_EQ;
    case ComparisonDirection::kNe:
      return Predicate::ICMP_NE;
    case ComparisonDirection::kLt:
      return is_signed ? Predicate::ICMP_SLT : Predicate::ICMP_ULT;
    case ComparisonDirection::kLe:
      return is_signed ? Predicate::ICMP_SLE : Predicate::ICMP_ULE;
    case ComparisonDirection::kGt:
      return is_signed ? Predicate::ICMP_SGT : Predicate::ICMP_UGT;
    case ComparisonDirection::kGe:
      return is_signed ? Predicate::ICMP_SGE : Predicate::ICMP_UGE;
  }
  return Predicate::ICMP_EQ;
}

Value TotalOrderKey(const EmitContext& context, Value x) {
  const MathBuilder b(context, x->getType());
  Value bits = b.Bits(x);
  const int64_t magnitude = b.is_f64() ? INT64_MAX : INT32_MAX;
  return b.Select(b.SignBit(x), context.builder.CreateXor(bits, b.I(magnitude)), bits);
}

}  // namespace

Value EmitCompare(const EmitContext& context, const CompareAttributes& compare,
                  ElementType element_type, Value a, Value b) {
  llvm::IRBuilderBase& ir = context.builder;
  const bool is_float = IsFloat(element_type);
  switch (compare.type) {
    case ComparisonType::kFloat:
      return is_float ? ir.CreateFCmp(FloatPredicate(compare.direction), a, b) : nullptr;
    case ComparisonType::kTotalOrder:
      if (!is_float) return nullptr;
      return ir.CreateICmp(IntegerPredicate(compare.direction, /*is_signed=*/true),
                           TotalOrderKey(context, a), TotalOrderKey(context, b));
    case ComparisonType::kSigned:
    case ComparisonType::kUnsigned:
      break;
  }
  if (is_float) return nullptr;
  const bool is_signed = compare.type == ComparisonType::kSigned;
  return ir.CreateICmp(IntegerPredicate(compare.direction, is_signed), a, b);
}

}  // namespace astitch::codegen
