// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sources, elementwise and moving operations of GraphBuilder, and Build. The other half is
// structured_ops.cc.
#include <initializer_list>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "astitch/builder.h"
#include "frontend/builder/computation_builder.h"
#include "ir/number.h"
#include "ir/verifier.h"

namespace astitch {
namespace {

std::shared_ptr<BuildSession> NewSession(absl::string_view name) {
  auto session = std::make_shared<BuildSession>();
  session->graph = std::make_unique<Graph>(std::string(name));
  return session;
}

std::vector<int64_t> ToVector(Dims dims) { return {dims.begin(), dims.end()}; }

DimensionsAttributes Dimensions(Dims dims) { return {ToVector(dims)}; }

std::vector<Op> Joined(std::initializer_list<Op> first, Ops rest) {
  std::vector<Op> ops(first);
  ops.insert(ops.end(), rest.begin(), rest.end());
  return ops;
}

}  // namespace

GraphBuilder::GraphBuilder(absl::string_view name)
    : impl_(std::make_unique<ComputationBuilder>(NewSession(name), "main")) {}
GraphBuilder::GraphBuilder(std::unique_ptr<ComputationBuilder> impl) : impl_(std::move(impl)) {}
GraphBuilder::~GraphBuilder() = default;

absl::StatusOr<GraphPtr> GraphBuilder::Build(Op root, SourceLoc loc) {
  BuildSession& session = impl_->session();
  if (!impl_->Usable({root}, loc)) return session.error;
  impl_->computation()->set_root(root.instruction);
  session.graph->set_entry(impl_->computation());
  session.graph->SortCalleesFirst();
  GraphPtr graph(session.graph.release());
  const absl::Status status = VerifyGraph(*graph);
  if (!status.ok()) return Annotate(status, absl::StrCat(loc.file, ":", loc.line));
  return graph;
}

Shape GraphBuilder::ShapeOf(Op op) const {
  return op.instruction == nullptr ? Shape::Token() : op.instruction->shape();
}

// ---- Sources

Op GraphBuilder::Parameter(const Shape& shape, absl::string_view name, SourceLoc loc) {
  if (!impl_->Usable({}, loc)) return {};
  const int64_t number = static_cast<int64_t>(impl_->computation()->parameters().size());
  const std::string standard = absl::StrCat("arg", number);
  return impl_->Write(Opcode::kParameter, shape, {}, loc, ParameterAttributes{number}, {},
                      name.empty() ? standard : name);
}

Op GraphBuilder::ConstantLiteral(Literal value, SourceLoc loc) {
  const Shape shape = value.shape();
  return impl_->Write(Opcode::kConstant, shape, {}, loc, ConstantAttributes{std::move(value)});
}

Op GraphBuilder::ConstantBytes(ElementType type, Dims dims, const void* data, size_t num_bytes,
                               SourceLoc loc) {
  if (!impl_->Usable({}, loc)) return {};
  const Shape shape = Shape::Array(type, ToVector(dims));
  const absl::StatusOr<int64_t> size = shape.CheckedByteSize();
  if (!size.ok() || static_cast<uint64_t>(*size) != num_bytes) {
    impl_->Fail(absl::InvalidArgumentError(absl::StrCat("constant: expected the elements of ",
                                                        shape.ToString(false), ", got ", num_bytes,
                                                        " bytes")),
                loc);
    return {};
  }
  const std::byte* bytes = static_cast<const std::byte*>(data);
  return ConstantLiteral(Literal(shape, std::vector<std::byte>(bytes, bytes + num_bytes)), loc);
}

Op GraphBuilder::Scalar(ElementType type, double value, SourceLoc loc) {
  if (!impl_->Usable({}, loc)) return {};
  if (IsComplex(type)) {
    impl_->Fail(absl::InvalidArgumentError(
                    absl::StrCat("constant: expected a real type, got ", ToString(type))),
                loc);
    return {};
  }
  Literal literal(Shape::Scalar(type));
  StoreFromDouble(type, literal.mutable_bytes().data(), value);
  return ConstantLiteral(std::move(literal), loc);
}

Op GraphBuilder::ScalarLike(Op x, double value, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  if (!x.instruction->shape().IsArray()) {
    impl_->Fail(
        absl::InvalidArgumentError(absl::StrCat("constant: expected a scalar like an array, got ",
                                                x.instruction->shape().ToString(false))),
        loc);
    return {};
  }
  return Scalar(x.instruction->shape().element_type(), value, loc);
}

Op GraphBuilder::Iota(const Shape& shape, int64_t dimension, SourceLoc loc) {
  return impl_->Write(Opcode::kIota, shape, {}, loc, DimensionsAttributes{{dimension}});
}

// ---- Elementwise

#define ASTITCH_X(name) \
  Op GraphBuilder::name(Op x, SourceLoc loc) { return impl_->Infer(Opcode::k##name, {x}, loc); }
ASTITCH_UNARY_METHODS(ASTITCH_X)
#undef ASTITCH_X

#define ASTITCH_X(name)                                    \
  Op GraphBuilder::name(Op lhs, Op rhs, SourceLoc loc) {   \
    std::tie(lhs, rhs) = impl_->Matched(lhs, rhs, loc);    \
    return impl_->Infer(Opcode::k##name, {lhs, rhs}, loc); \
  }
ASTITCH_BINARY_METHODS(ASTITCH_X)
#undef ASTITCH_X

#define ASTITCH_X(name)                                                                         \
  Op GraphBuilder::name(Op lhs, Op rhs, SourceLoc loc) {                                        \
    std::tie(lhs, rhs) = impl_->Matched(lhs, rhs, loc);                                         \
    if (!impl_->Usable({lhs, rhs}, loc)) return {};                                             \
    const ComparisonType type = DefaultComparisonType(lhs.instruction->shape().element_type()); \
    return impl_->Infer(Opcode::kCompare, {lhs, rhs}, loc,                                      \
                        CompareAttributes{ComparisonDirection::k##name, type});                 \
  }
ASTITCH_COMPARE_METHODS(ASTITCH_X)
#undef ASTITCH_X

Op GraphBuilder::Select(Op predicate, Op on_true, Op on_false, SourceLoc loc) {
  std::tie(on_true, on_false) = impl_->Matched(on_true, on_false, loc);
  return impl_->Infer(Opcode::kSelect, {predicate, on_true, on_false}, loc);
}

Op GraphBuilder::Clamp(Op low, Op x, Op high, SourceLoc loc) {
  return impl_->Infer(Opcode::kClamp, {low, x, high}, loc);
}

Op GraphBuilder::Convert(Op x, ElementType type, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  return impl_->Write(Opcode::kConvert, Shape::Array(type, x.instruction->shape().dims()), {x},
                      loc);
}

Op GraphBuilder::BitcastConvert(Op x, ElementType type, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  const Shape& from = x.instruction->shape();
  std::vector<int64_t> dims = from.dims();
  const int old_bits = BitWidth(from.element_type()), new_bits = BitWidth(type);
  if (new_bits < old_bits) dims.push_back(old_bits / new_bits);
  if (new_bits > old_bits && !dims.empty()) dims.pop_back();
  return impl_->Write(Opcode::kBitcastConvert, Shape::Array(type, std::move(dims)), {x}, loc);
}

Op GraphBuilder::ReducePrecision(Op x, int64_t exponent_bits, int64_t mantissa_bits,
                                 SourceLoc loc) {
  return impl_->Infer(Opcode::kReducePrecision, {x}, loc,
                      ReducePrecisionAttributes{exponent_bits, mantissa_bits});
}

// ---- Movement

Op GraphBuilder::Broadcast(Op x, Dims sizes, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  std::vector<int64_t> dims = ToVector(sizes), dimensions;
  for (int64_t size : x.instruction->shape().dims()) {
    dimensions.push_back(static_cast<int64_t>(dims.size()));
    dims.push_back(size);
  }
  return BroadcastInDim(x, dims, dimensions, loc);
}

Op GraphBuilder::BroadcastInDim(Op x, Dims dims, Dims dimensions, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  return impl_->Write(Opcode::kBroadcast,
                      Shape::Array(x.instruction->shape().element_type(), ToVector(dims)), {x}, loc,
                      Dimensions(dimensions));
}

Op GraphBuilder::Reshape(Op x, Dims dims, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  return impl_->Write(Opcode::kReshape,
                      Shape::Array(x.instruction->shape().element_type(), ToVector(dims)), {x}, loc,
                      ReshapeAttributes{});
}

Op GraphBuilder::Transpose(Op x, Dims permutation, SourceLoc loc) {
  return impl_->Infer(Opcode::kTranspose, {x}, loc, Dimensions(permutation));
}

Op GraphBuilder::Reverse(Op x, Dims dimensions, SourceLoc loc) {
  return impl_->Infer(Opcode::kReverse, {x}, loc, Dimensions(dimensions));
}

Op GraphBuilder::Slice(Op x, Dims starts, Dims limits, Dims strides, SourceLoc loc) {
  SliceAttributes slice{ToVector(starts), ToVector(limits), ToVector(strides)};
  if (strides.empty()) slice.strides.assign(starts.size(), 1);
  return impl_->Infer(Opcode::kSlice, {x}, loc, std::move(slice));
}

Op GraphBuilder::DynamicSlice(Op x, Ops starts, Dims sizes, SourceLoc loc) {
  return impl_->Infer(Opcode::kDynamicSlice, Joined({x}, starts), loc,
                      DynamicSliceAttributes{ToVector(sizes)});
}

Op GraphBuilder::DynamicUpdateSlice(Op x, Op update, Ops starts, SourceLoc loc) {
  return impl_->Infer(Opcode::kDynamicUpdateSlice, Joined({x, update}, starts), loc);
}

Op GraphBuilder::Pad(Op x, Op value, absl::Span<const PadSpec> padding, SourceLoc loc) {
  PadAttributes attributes;
  for (const PadSpec& p : padding) attributes.dims.push_back({p.low, p.high, p.interior});
  return impl_->Infer(Opcode::kPad, {x, value}, loc, std::move(attributes));
}

Op GraphBuilder::Concatenate(Ops parts, int64_t dimension, SourceLoc loc) {
  return impl_->Infer(Opcode::kConcatenate, parts, loc, DimensionsAttributes{{dimension}});
}

}  // namespace astitch
