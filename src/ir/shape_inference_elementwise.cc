// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise operations: equal dimensions, no implicit broadcast, and a set of element types each.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

// The kinds of element types an operation is defined on, as a bit set.
enum TypeSet : unsigned {
  kPreds = 1,
  kSigneds = 2,
  kUnsigneds = 4,
  kFloats = 8,
  kComplexes = 16,
  kInts = kSigneds | kUnsigneds,
  kNumbers = kInts | kFloats | kComplexes,
};

unsigned SetOf(ElementType type) {
  switch (KindOf(type)) {
    case TypeKind::kPred:
      return kPreds;
    case TypeKind::kSigned:
      return kSigneds;
    case TypeKind::kUnsigned:
      return kUnsigneds;
    case TypeKind::kFloat:
      return kFloats;
    case TypeKind::kComplex:
      return kComplexes;
  }
  ASTITCH_UNREACHABLE();
}

std::string SetText(unsigned set) {
  if ((set & kInts) == kInts) {
    std::string text = "integer";
    if (set & kPreds) text = "pred or " + text;
    if (set & kFloats) text += " or float";
    if (set & kComplexes) text += " or complex";
    return text;
  }
  std::string text;
  const auto add = [&](unsigned bit, absl::string_view word) {
    if (set & bit) absl::StrAppend(&text, text.empty() ? "" : " or ", word);
  };
  add(kPreds, "pred");
  add(kSigneds, "signed integer");
  add(kUnsigneds, "unsigned integer");
  add(kFloats, "float");
  add(kComplexes, "complex");
  return text;
}

// REQUIRES: opcode is one that InferUnary answers for.
unsigned UnaryTypes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kSign:
      return kSigneds | kFloats | kComplexes;
    case Opcode::kNegate:
      return kNumbers;
    case Opcode::kNot:
      return kPreds | kInts;
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      return kInts;
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kErf:
    case Opcode::kFloor:
    case Opcode::kIsFinite:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return kFloats;
    default:  // real, imag and the transcendental functions
      return kFloats | kComplexes;
  }
}

// REQUIRES: opcode is one that InferBinary answers for.
unsigned BinaryTypes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return kPreds | kNumbers;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return kPreds | kInts | kFloats;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return kPreds | kInts;
    case Opcode::kMulhi:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return kInts;
    case Opcode::kAtan2:
      return kFloats | kComplexes;
    case Opcode::kRemainder:
      return kInts | kFloats;
    default:  // subtract, divide, power
      return kNumbers;
  }
}

absl::Status ExpectTypes(const InferenceInput& in, unsigned set) {
  const Shape& shape = in.shape(0);
  if (SetOf(shape.element_type()) & set) return absl::OkStatus();
  return Expected(absl::StrCat(SetText(set), " elements for ", ToString(in.opcode)),
                  shape.ToString(false));
}

// SHAPE with another element type; dimensions (and their dynamic marks) stay, the layout is the
// row-major one.
Shape Retyped(const Shape& shape, ElementType type) {
  Shape out = Shape::Array(type, shape.dims());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic(i)) out.set_dynamic(i);
  }
  return out;
}

// Operand J may be a scalar where operand I is an array.
absl::Status ExpectDimsOrScalar(const InferenceInput& in, int64_t j, int64_t i) {
  if (in.shape(j).IsScalar()) return absl::OkStatus();
  return ExpectDims(in, j, in.shape(i).dims());
}

}  // namespace

absl::StatusOr<Shape> InferUnary(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  ASTITCH_RETURN_IF_ERROR(ExpectTypes(in, UnaryTypes(in.opcode)));
  ElementType type = in.shape(0).element_type();
  if (in.opcode == Opcode::kIsFinite) type = ElementType::kPred;
  if (in.opcode == Opcode::kAbs || in.opcode == Opcode::kReal || in.opcode == Opcode::kImag)
    type = PartType(type);
  return Retyped(in.shape(0), type);
}

absl::StatusOr<Shape> InferBinary(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectTypes(in, BinaryTypes(in.opcode)));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, in.shape(0).dims()));
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, CommonType(in, 0, 1));
  return Retyped(in.shape(0), type);
}

absl::StatusOr<Shape> InferCompare(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const CompareAttributes* attributes,
                           AttributesOf<CompareAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, in.shape(0).dims()));
  const ElementType type = in.shape(0).element_type();
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, type));
  const ComparisonType natural = DefaultComparisonType(type);
  const bool total_order = attributes->type == ComparisonType::kTotalOrder && IsFloat(type);
  if (attributes->type != natural && !total_order)
    return Expected("a comparison type that fits the elements",
                    absl::StrCat("another for ", in.shape(0).ToString(false)));
  const bool equality = attributes->direction == ComparisonDirection::kEq ||
                        attributes->direction == ComparisonDirection::kNe;
  if (IsComplex(type) && !equality)
    return Expected("direction EQ or NE for complex elements", "an ordering");
  return Retyped(in.shape(0), ElementType::kPred);
}

absl::StatusOr<Shape> InferComplex(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, in.shape(0).dims()));
  const ElementType type = in.shape(0).element_type();
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, type));
  if (type == ElementType::kF32) return Retyped(in.shape(0), ElementType::kC64);
  if (type == ElementType::kF64) return Retyped(in.shape(0), ElementType::kC128);
  return Expected("f32 or f64 for operand 0 of complex", in.shape(0).ToString(false));
}

absl::StatusOr<Shape> InferClamp(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const Shape& x = in.shape(1);
  if (IsComplex(x.element_type()))
    return Expected("elements with an order for operand 1 of clamp", x.ToString(false));
  for (int64_t bound : {0, 2}) {
    ASTITCH_RETURN_IF_ERROR(ExpectDimsOrScalar(in, bound, 1));
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, bound, x.element_type()));
  }
  return Retyped(x, x.element_type());
}

absl::StatusOr<Shape> InferSelect(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const Shape& on_true = in.shape(1);
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 0, ElementType::kPred));
  ASTITCH_RETURN_IF_ERROR(ExpectDimsOrScalar(in, 0, 1));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 2, on_true.dims()));
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, CommonType(in, 1, 2));
  return Retyped(on_true, type);
}

absl::StatusOr<Shape> InferReducePrecision(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const ReducePrecisionAttributes* attributes,
                           AttributesOf<ReducePrecisionAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  ASTITCH_RETURN_IF_ERROR(ExpectTypes(in, kFloats));
  if (attributes->exponent_bits < 1)
    return Expected("exponent_bits of at least 1", absl::StrCat(attributes->exponent_bits));
  if (attributes->mantissa_bits < 0)
    return Expected("mantissa_bits of at least 0", absl::StrCat(attributes->mantissa_bits));
  return Retyped(in.shape(0), in.shape(0).element_type());
}

}  // namespace astitch
