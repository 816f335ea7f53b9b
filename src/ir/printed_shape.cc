// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Free result shapes, one function a rule.
#include "ir/printed_shape.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "ir/shape_inference.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

bool IsPermutation(const std::vector<int64_t>& list) {
  std::vector<bool> seen(list.size(), false);
  for (int64_t d : list) {
    if (d < 0 || d >= static_cast<int64_t>(list.size()) || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

InferenceInput InputOf(const Instruction& instruction) {
  return {instruction.opcode(), instruction.operands(), instruction.attributes(),
          instruction.called()};
}

absl::Status ExpectResult(const Instruction& instruction, absl::string_view expected) {
  return Expected(absl::StrCat("a result of ", expected), instruction.shape().ToString(false));
}

absl::Status ExpectArrayResult(const Instruction& instruction) {
  if (instruction.shape().IsArray()) return absl::OkStatus();
  return ExpectResult(instruction, "an array");
}

// Operands and result are arrays of the same dims.
absl::Status ExpectSameDims(const Instruction& instruction) {
  const InferenceInput in = InputOf(instruction);
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  for (int64_t i = 0; i < in.size(); ++i)
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, instruction.shape().dims()));
  return absl::OkStatus();
}

absl::Status CheckLiteral(const Literal& literal, const Shape& shape) {
  if (!literal.shape().CompatibleWith(shape))
    return Expected(absl::StrCat("a literal of ", shape.ToString(false)),
                    literal.shape().ToString(false));
  if (!shape.IsArray() && !shape.IsTuple())
    return Expected("an array or tuple constant", shape.ToString(false));
  if (literal.is_elided()) return absl::OkStatus();
  if (shape.IsTuple()) {
    ASTITCH_RETURN_IF_ERROR(ExpectLength("elements of the literal",
                                         static_cast<int64_t>(literal.elements().size()),
                                         static_cast<int64_t>(shape.elements().size())));
    for (size_t i = 0; i < shape.elements().size(); ++i)
      ASTITCH_RETURN_IF_ERROR(CheckLiteral(literal.elements()[i], shape.elements()[i]));
    return absl::OkStatus();
  }
  return ExpectLength("bytes of the literal", static_cast<int64_t>(literal.bytes().size()),
                      shape.byte_size());
}

absl::Status CheckConstant(const Instruction& instruction) {
  ASTITCH_ASSIGN_OR_RETURN(const ConstantAttributes* attributes,
                           AttributesOf<ConstantAttributes>(InputOf(instruction)));
  return CheckLiteral(attributes->value, instruction.shape());
}

absl::Status CheckIota(const Instruction& instruction) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(InputOf(instruction)));
  const Shape& shape = instruction.shape();
  if (!shape.IsArray() || shape.rank() < 1 || IsPred(shape.element_type()))
    return ExpectResult(instruction, "numbers of rank 1 or more");
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("iota_dimension", static_cast<int64_t>(attributes->dimensions.size()), 1));
  return ExpectDistinctDims("iota_dimension", attributes->dimensions, shape.rank());
}

absl::Status CheckConvert(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(ExpectSameDims(instruction));
  const Shape& x = instruction.operand(0)->shape();
  if (IsComplex(x.element_type()) && !IsComplex(instruction.shape().element_type()))
    return ExpectResult(instruction, "complex numbers when the operand has them");
  return absl::OkStatus();
}

absl::Status CheckStochasticConvert(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(ExpectSameDims(instruction));
  const Shape &x = instruction.operand(0)->shape(), &random = instruction.operand(1)->shape();
  if (!IsFloat(x.element_type()))
    return Expected("floats for operand 0 of stochastic-convert", x.ToString(false));
  if (!IsUnsigned(random.element_type()) ||
      BitWidth(random.element_type()) != BitWidth(x.element_type()))
    return Expected(absl::StrCat("unsigned integers of ", BitWidth(x.element_type()),
                                 " bits for operand 1 of stochastic-convert"),
                    random.ToString(false));
  return absl::OkStatus();
}

// Between widths that differ by a factor k, the narrower array has one more trailing dim, of size
// k.
absl::Status CheckBitcastConvert(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(InputOf(instruction), 0));
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  const Shape &from = instruction.operand(0)->shape(), &to = instruction.shape();
  const ElementType a = from.element_type(), b = to.element_type();
  if (IsPred(a) != IsPred(b) || IsComplex(a) != IsComplex(b))
    return ExpectResult(instruction,
                        absl::StrCat("a type that ", ToString(a), " can be reinterpreted as"));
  const int wide = std::max(BitWidth(a), BitWidth(b)), narrow = std::min(BitWidth(a), BitWidth(b));
  if (wide % narrow != 0)
    return ExpectResult(
        instruction, absl::StrCat("a width that divides or is divided by ", BitWidth(a), " bits"));
  std::vector<int64_t> more = BitWidth(a) > BitWidth(b) ? from.dims() : to.dims();
  if (wide != narrow) more.push_back(wide / narrow);
  const std::vector<int64_t>& given = BitWidth(a) > BitWidth(b) ? to.dims() : from.dims();
  if (given != more)
    return Expected(absl::StrCat("dimensions ", DimsText(more), " beside ", BitWidth(a), " and ",
                                 BitWidth(b), " bits"),
                    DimsText(given));
  return absl::OkStatus();
}

absl::Status CheckBroadcast(const Instruction& instruction) {
  const InferenceInput in = InputOf(instruction);
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  const Shape& to = instruction.shape();
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 0, to.element_type()));
  const Shape& x = in.shape(0);
  const std::vector<int64_t>& dims = attributes->dimensions;
  ASTITCH_RETURN_IF_ERROR(ExpectLength("dimensions", static_cast<int64_t>(dims.size()), x.rank()));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("dimensions", dims, to.rank()));
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (x.dim(i) != to.dim(dims[i]))
      return ExpectResult(instruction, absl::StrCat("size ", x.dim(i), " in dimension ", dims[i],
                                                    ", as operand dimension ", i, " has"));
  }
  return absl::OkStatus();
}

absl::Status CheckReshape(const Instruction& instruction) {
  const InferenceInput in = InputOf(instruction);
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 0, instruction.shape().element_type()));
  const int64_t count = in.shape(0).num_elements();
  if (count != instruction.shape().num_elements())
    return ExpectResult(instruction, absl::StrCat(count, " elements"));
  return absl::OkStatus();
}

absl::Status CheckDynamicReshape(const Instruction& instruction) {
  if (instruction.num_operands() < 1) return Expected("an operand of dynamic-reshape", "none");
  const InferenceInput in = InputOf(instruction);
  ASTITCH_RETURN_IF_ERROR(CheckReshape(instruction));
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("sizes of dynamic-reshape", in.size() - 1, instruction.shape().rank()));
  for (int64_t i = 1; i < in.size(); ++i) ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, {}));
  return absl::OkStatus();
}

// pred counts as the byte it is stored in.
int64_t StorageBits(ElementType type) { return IsPred(type) ? 8 : BitWidth(type); }

absl::Status CheckBitcast(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(InputOf(instruction), 0));
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  const auto bits = [](const Shape& shape) {
    return CheckedMul(shape.num_elements(), StorageBits(shape.element_type()));
  };
  const std::optional<int64_t> from = bits(instruction.operand(0)->shape());
  const std::optional<int64_t> to = bits(instruction.shape());
  if (from && from == to) return absl::OkStatus();
  return ExpectResult(
      instruction, absl::StrCat("the size of ", instruction.operand(0)->shape().ToString(false)));
}

absl::Status CheckRng(const Instruction& instruction) {
  const InferenceInput in = InputOf(instruction);
  ASTITCH_RETURN_IF_ERROR(ExpectLength("operands of rng", in.size(), 2));
  ASTITCH_RETURN_IF_ERROR(ExpectArrayResult(instruction));
  for (int64_t i : {0, 1}) {
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, {}));
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, i, instruction.shape().element_type()));
  }
  return absl::OkStatus();
}

absl::Status CheckRngBitGenerator(const Instruction& instruction) {
  const InferenceInput in = InputOf(instruction);
  ASTITCH_ASSIGN_OR_RETURN(const RngBitGeneratorAttributes* attributes,
                           AttributesOf<RngBitGeneratorAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 0, ElementType::kU64));
  const Shape &state = in.shape(0), &result = instruction.shape();
  const int64_t longest = attributes->algorithm == RngAlgorithm::kThreeFry ? 2 : 3;
  if (state.rank() != 1 || state.dim(0) < 2 || state.dim(0) > longest)
    return Expected(longest == 2 ? "a state of u64[2]" : "a state of u64[2] or u64[3]",
                    state.ToString(false));
  if (!result.IsTuple() || result.elements().size() != 2 ||
      !result.elements()[0].CompatibleWith(state) || !result.elements()[1].IsArray() ||
      !IsInteger(result.elements()[1].element_type()))
    return ExpectResult(instruction,
                        absl::StrCat("(", state.ToString(false), ", bits as integers)"));
  return absl::OkStatus();
}

// One array through unchanged, or a tuple of all.
absl::Status CheckSameOrTuple(const Instruction& instruction) {
  if (instruction.num_operands() == 0)
    return Expected(absl::StrCat("an operand of ", ToString(instruction.opcode())), "none");
  std::vector<Shape> shapes;
  for (const Instruction* operand : instruction.operands()) shapes.push_back(operand->shape());
  const bool single = shapes.size() == 1 && instruction.shape().CompatibleWith(shapes[0]);
  const Shape tuple = Shape::Tuple(std::move(shapes));
  if (single || instruction.shape().CompatibleWith(tuple)) return absl::OkStatus();
  return ExpectResult(instruction, tuple.ToString(false));
}

bool IsElementOf(const Shape& tuple, size_t i, const Shape& shape) {
  return tuple.IsTuple() && i < tuple.elements().size() &&
         tuple.elements()[i].CompatibleWith(shape);
}

absl::Status CheckCopyStart(const Instruction& instruction) {
  const Shape& x = instruction.operand(0)->shape();
  if (IsElementOf(instruction.shape(), 0, x) && IsElementOf(instruction.shape(), 1, x))
    return absl::OkStatus();
  return ExpectResult(instruction, absl::StrCat("a pair of ", x.ToString(false)));
}

absl::Status CheckCopyDone(const Instruction& instruction) {
  if (IsElementOf(instruction.operand(0)->shape(), 0, instruction.shape())) return absl::OkStatus();
  return ExpectResult(
      instruction, absl::StrCat("element 0 of ", instruction.operand(0)->shape().ToString(false)));
}

// A written type that holds every value of the inferred one's kind: f32 for bf16, s32 for s8.
bool IsWidened(ElementType inferred, ElementType written) {
  const bool same_kind = (IsFloat(inferred) && IsFloat(written)) ||
                         (IsInteger(inferred) && IsInteger(written)) ||
                         (IsComplex(inferred) && IsComplex(written));
  return same_kind && BitWidth(written) >= BitWidth(inferred);
}

absl::Status CheckInferred(const Instruction& instruction) {
  ASTITCH_ASSIGN_OR_RETURN(const Shape inferred,
                           InferShape(instruction.opcode(), instruction.operands(),
                                      instruction.attributes(), instruction.called()));
  const Shape& written = instruction.shape();
  if (written.CompatibleWith(inferred)) return absl::OkStatus();
  if (KindOf(instruction.opcode()) == OpKind::kContraction && written.IsArray() &&
      written.dims() == inferred.dims() &&
      IsWidened(inferred.element_type(), written.element_type()))
    return absl::OkStatus();
  return ExpectResult(instruction, inferred.ToString(false));
}

using Check = absl::Status (*)(const Instruction&);

absl::Status Trust(const Instruction&) { return absl::OkStatus(); }

Check CheckOf(Opcode opcode) {
  if (HasInferableShape(opcode)) return CheckInferred;
  switch (opcode) {
    case Opcode::kConstant:
      return CheckConstant;
    case Opcode::kIota:
      return CheckIota;
    case Opcode::kConvert:
      return CheckConvert;
    case Opcode::kStochasticConvert:
      return CheckStochasticConvert;
    case Opcode::kBitcastConvert:
      return CheckBitcastConvert;
    case Opcode::kBroadcast:
      return CheckBroadcast;
    case Opcode::kReshape:
      return CheckReshape;
    case Opcode::kDynamicReshape:
      return CheckDynamicReshape;
    case Opcode::kBitcast:
      return CheckBitcast;
    case Opcode::kRng:
      return CheckRng;
    case Opcode::kRngBitGenerator:
      return CheckRngBitGenerator;
    case Opcode::kAllReduce:
    case Opcode::kCollectiveBroadcast:
      return CheckSameOrTuple;
    case Opcode::kCopyStart:
      return CheckCopyStart;
    case Opcode::kCopyDone:
      return CheckCopyDone;
    default:  // parameters; and what talks to other devices, hosts or foreign code
      return Trust;
  }
}

}  // namespace

absl::Status CheckShapeBounds(const Shape& shape) {
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->has_dynamic_dims())
      return absl::InvalidArgumentError(
          absl::StrCat("expected static dimensions, got ", leaf->ToString(false)));
    const std::vector<int64_t>& order = leaf->layout().minor_to_major;
    const bool sized = leaf->IsArray() || leaf->kind() == Shape::Kind::kBuffer;
    if (sized && (static_cast<int64_t>(order.size()) != leaf->rank() || !IsPermutation(order)))
      return absl::InvalidArgumentError(absl::StrCat("expected a layout that orders the ",
                                                     leaf->rank(), " dimensions, got {",
                                                     absl::StrJoin(order, ","), "}"));
  }
  const absl::StatusOr<int64_t> bytes = shape.CheckedByteSize();
  if (bytes.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected a size below 2^63 bytes, got ", bytes.status().message()));
}

absl::Status CheckPrintedShape(const Instruction& instruction) {
  const int arity = ArityOf(instruction.opcode());
  if (arity >= 0 && arity != instruction.num_operands())
    return Expected(absl::StrCat(arity, " operands of ", ToString(instruction.opcode())),
                    absl::StrCat(instruction.num_operands()));
  return CheckOf(instruction.opcode())(instruction);
}

}  // namespace astitch
