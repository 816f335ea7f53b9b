// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every instruction is checked as it is made, so that an error names the line of its own call.
#include "frontend/builder/computation_builder.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "ir/called_signatures.h"
#include "ir/number.h"
#include "ir/printed_shape.h"
#include "ir/shape_inference.h"

namespace astitch {
namespace {

Opcode OpcodeOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kAdd:
      return Opcode::kAdd;
    case ReduceKind::kMultiply:
      return Opcode::kMultiply;
    case ReduceKind::kMaximum:
      return Opcode::kMaximum;
    case ReduceKind::kMinimum:
      return Opcode::kMinimum;
    case ReduceKind::kAnd:
      return Opcode::kAnd;
    case ReduceKind::kOr:
      return Opcode::kOr;
  }
  ASTITCH_UNREACHABLE();
}

// The bits of the largest (or smallest) value a type has: infinities where it has them.
uint64_t ExtremeBits(ElementType type, bool largest) {
  if (IsPred(type)) return largest ? 1 : 0;
  if (IsInteger(type)) return largest ? MaxInteger(type) : static_cast<uint64_t>(MinInteger(type));
  const double top = HasInfinity(type) ? std::numeric_limits<double>::infinity() : MaxFinite(type);
  return EncodeFloat(type, largest ? top : -top);
}

uint64_t BitsOf(ElementType type, double value) {
  if (IsFloat(type)) return EncodeFloat(type, value);
  return static_cast<uint64_t>(SaturateToInteger(type, value));
}

uint64_t NeutralBits(ReduceKind kind, ElementType type) {
  switch (kind) {
    case ReduceKind::kAdd:
      return BitsOf(type, 0);
    case ReduceKind::kMultiply:
      return BitsOf(type, 1);
    case ReduceKind::kMaximum:
      return ExtremeBits(type, false);
    case ReduceKind::kMinimum:
      return ExtremeBits(type, true);
    case ReduceKind::kAnd:
      return IsPred(type) ? 1 : ~uint64_t{0};
    case ReduceKind::kOr:
      return 0;
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace

ComputationBuilder::ComputationBuilder(std::shared_ptr<BuildSession> session,
                                       absl::string_view name)
    : session_(std::move(session)), computation_(session_->graph->AddComputation(name)) {}

void ComputationBuilder::Fail(const absl::Status& status, SourceLoc loc) {
  if (session_->error.ok())
    session_->error = Annotate(status, absl::StrCat(loc.file, ":", loc.line));
}

bool ComputationBuilder::Usable(Ops operands, SourceLoc loc) {
  if (!session_->error.ok()) return false;
  if (session_->graph == nullptr) {
    Fail(absl::FailedPreconditionError("expected no calls after Build, got one"), loc);
    return false;
  }
  for (const Op& op : operands) {
    if (op.instruction == nullptr) {
      Fail(absl::InvalidArgumentError("expected a value, got an empty Op"), loc);
      return false;
    }
    if (op.instruction->parent() != computation_) {
      Fail(absl::InvalidArgumentError(
               absl::StrCat("expected values of computation %", computation_->name(), ", got %",
                            op.instruction->name(), " of %", op.instruction->parent()->name(),
                            "; hand it over as an argument")),
           loc);
      return false;
    }
  }
  return true;
}

Op ComputationBuilder::Infer(Opcode opcode, Ops operands, SourceLoc loc, Attributes attributes,
                             std::vector<Computation*> called) {
  if (!Usable(operands, loc)) return {};
  std::vector<Instruction*> instructions;
  for (const Op& op : operands) instructions.push_back(op.instruction);
  const absl::StatusOr<Shape> shape = InferShape(opcode, instructions, attributes, called);
  if (!shape.ok()) {
    Fail(Annotate(shape.status(), ToString(opcode)), loc);
    return {};
  }
  return Write(opcode, *shape, operands, loc, std::move(attributes), std::move(called));
}

Op ComputationBuilder::Write(Opcode opcode, const Shape& shape, Ops operands, SourceLoc loc,
                             Attributes attributes, std::vector<Computation*> called,
                             absl::string_view name) {
  if (!Usable(operands, loc)) return {};
  absl::Status status = CheckShapeBounds(shape);
  if (!status.ok()) {
    Fail(Annotate(status, ToString(opcode)), loc);
    return {};
  }
  std::vector<Instruction*> instructions;
  for (const Op& op : operands) instructions.push_back(op.instruction);
  Instruction* instruction =
      computation_->Add(opcode, shape, std::move(instructions), std::move(attributes), name);
  instruction->set_called(std::move(called));
  status = CheckPrintedShape(*instruction);
  if (status.ok()) status = CheckCalledSignatures(*instruction);
  if (!status.ok()) {
    Fail(Annotate(status, ToString(opcode)), loc);
    return {};
  }
  return {instruction};
}

std::pair<Op, Op> ComputationBuilder::Matched(Op lhs, Op rhs, SourceLoc loc) {
  if (!Usable({lhs, rhs}, loc)) return {lhs, rhs};
  const Shape &l = lhs.instruction->shape(), &r = rhs.instruction->shape();
  const auto stretch = [&](Op scalar, const Shape& like) {
    return Write(Opcode::kBroadcast,
                 Shape::Array(scalar.instruction->shape().element_type(), like.dims()), {scalar},
                 loc, DimensionsAttributes{});
  };
  if (l.IsScalar() && r.IsArray() && !r.IsScalar()) return {stretch(lhs, r), rhs};
  if (r.IsScalar() && l.IsArray() && !l.IsScalar()) return {lhs, stretch(rhs, l)};
  return {lhs, rhs};
}

Computation* ComputationBuilder::Body(absl::string_view name, const std::vector<Shape>& shapes,
                                      const BodyFn& fn, SourceLoc loc) {
  if (!Usable({}, loc)) return nullptr;
  GraphBuilder body(std::make_unique<ComputationBuilder>(session_, name));
  Computation* computation = body.impl_->computation();
  std::vector<Op> parameters;
  for (const Shape& shape : shapes) parameters.push_back(body.Parameter(shape, "", loc));
  const Op root = fn(body, parameters);
  if (!body.impl_->Usable({root}, loc)) return nullptr;
  computation->set_root(root.instruction);
  return computation;
}

Computation* ComputationBuilder::Reducer(ReduceKind kind, ElementType type, SourceLoc loc) {
  const auto [at, is_new] = session_->reducers.try_emplace({kind, type}, nullptr);
  if (!is_new) return at->second;
  const Shape scalar = Shape::Scalar(type);
  const Opcode opcode = OpcodeOf(kind);
  Computation*& reducer = at->second;
  reducer = Body(
      absl::StrCat(ToString(opcode), "_", ToString(type)), {scalar, scalar},
      [&](GraphBuilder& body, Ops p) { return body.impl_->Infer(opcode, p, loc); }, loc);
  return reducer;
}

Op ComputationBuilder::NeutralElement(ReduceKind kind, ElementType type, SourceLoc loc) {
  Literal value(Shape::Scalar(type));
  std::byte* bytes = value.mutable_bytes().data();
  if (IsComplex(type)) {
    // Zero for a sum; the real part is one for a product. The other kinds refuse complex numbers.
    const ElementType part = PartType(type);
    if (kind == ReduceKind::kMultiply) StoreBits(part, bytes, EncodeFloat(part, 1));
  } else if (type == ElementType::kF8E8M0FNU) {
    Fail(absl::InvalidArgumentError("expected a type with a neutral element, got f8e8m0fnu"), loc);
    return {};
  } else {
    StoreBits(type, bytes, NeutralBits(kind, type));
  }
  return Write(Opcode::kConstant, Shape::Scalar(type), {}, loc,
               ConstantAttributes{std::move(value)});
}

}  // namespace astitch
