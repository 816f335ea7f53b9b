// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// GraphBuilder's operations that carry bodies, windows or dimension roles, and tuples.
#include <utility>

#include "absl/strings/str_cat.h"
#include "astitch/builder.h"
#include "frontend/builder/computation_builder.h"
#include "ir/shape_inference.h"

namespace astitch {
namespace {

Shape ElementOf(Op op) { return astitch::Shape::Scalar(op.instruction->shape().element_type()); }

std::vector<Shape> ShapesOf(Ops ops) {
  std::vector<Shape> shapes;
  for (const Op& op : ops) shapes.push_back(op.instruction->shape());
  return shapes;
}

std::vector<Op> Joined(Ops first, Ops rest) {
  std::vector<Op> ops(first.begin(), first.end());
  ops.insert(ops.end(), rest.begin(), rest.end());
  return ops;
}

Window ToWindow(absl::Span<const WindowSpec> specs) {
  Window window;
  for (const WindowSpec& s : specs)
    window.push_back(
        {s.size, s.stride, s.pad_low, s.pad_high, s.base_dilation, s.window_dilation, s.reversal});
  return window;
}

DotAttributes ToAttributes(const DotSpec& spec) {
  DotAttributes dot;
  dot.lhs_batch = spec.lhs_batch;
  dot.lhs_contracting = spec.lhs_contracting;
  dot.rhs_batch = spec.rhs_batch;
  dot.rhs_contracting = spec.rhs_contracting;
  return dot;
}

}  // namespace

Op GraphBuilder::Gather(Op operand, Op indices, const GatherSpec& spec, SourceLoc loc) {
  return impl_->Infer(
      Opcode::kGather, {operand, indices}, loc,
      GatherAttributes{spec.offset_dims, spec.collapsed_slice_dims, spec.start_index_map,
                       spec.operand_batching_dims, spec.start_indices_batching_dims,
                       spec.index_vector_dim, spec.slice_sizes, spec.indices_are_sorted});
}

Op GraphBuilder::Scatter(Op operand, Op indices, Op updates, const ScatterSpec& spec,
                         const BodyFn& combine, SourceLoc loc) {
  if (!impl_->Usable({operand, indices, updates}, loc)) return {};
  const Shape element = ElementOf(operand);
  Computation* body = impl_->Body("scatter_body", {element, element}, combine, loc);
  if (body == nullptr) return {};
  return impl_->Infer(Opcode::kScatter, {operand, indices, updates}, loc,
                      ScatterAttributes{spec.update_window_dims, spec.inserted_window_dims,
                                        spec.scatter_dims_to_operand_dims, spec.input_batching_dims,
                                        spec.scatter_indices_batching_dims, spec.index_vector_dim,
                                        spec.indices_are_sorted, spec.unique_indices},
                      {body});
}

// ---- Reductions and contractions

Op GraphBuilder::Reduce(Op x, Dims dimensions, ReduceKind kind, SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  const ElementType type = x.instruction->shape().element_type();
  Computation* reducer = impl_->Reducer(kind, type, loc);
  if (reducer == nullptr) return {};
  const Op init = impl_->NeutralElement(kind, type, loc);
  return impl_->Infer(Opcode::kReduce, {x, init}, loc,
                      DimensionsAttributes{{dimensions.begin(), dimensions.end()}}, {reducer});
}

Op GraphBuilder::Reduce(Ops arrays, Ops inits, Dims dimensions, const BodyFn& body, SourceLoc loc) {
  const std::vector<Op> operands = Joined(arrays, inits);
  if (!impl_->Usable(operands, loc)) return {};
  std::vector<Shape> scalars;
  for (const Op& op : inits) scalars.push_back(ElementOf(op));
  for (const Op& op : arrays) scalars.push_back(ElementOf(op));
  Computation* reducer = impl_->Body("reduce_body", scalars, body, loc);
  if (reducer == nullptr) return {};
  return impl_->Infer(Opcode::kReduce, operands, loc,
                      DimensionsAttributes{{dimensions.begin(), dimensions.end()}}, {reducer});
}

Op GraphBuilder::ReduceWindow(Op x, absl::Span<const WindowSpec> window, ReduceKind kind,
                              SourceLoc loc) {
  if (!impl_->Usable({x}, loc)) return {};
  const ElementType type = x.instruction->shape().element_type();
  Computation* reducer = impl_->Reducer(kind, type, loc);
  if (reducer == nullptr) return {};
  const Op init = impl_->NeutralElement(kind, type, loc);
  return impl_->Infer(Opcode::kReduceWindow, {x, init}, loc, WindowAttributes{ToWindow(window)},
                      {reducer});
}

Op GraphBuilder::Sort(Ops arrays, int64_t dimension, bool is_stable, const BodyFn& before,
                      SourceLoc loc) {
  if (!impl_->Usable(arrays, loc)) return {};
  std::vector<Shape> scalars;
  for (const Op& op : arrays) scalars.insert(scalars.end(), 2, ElementOf(op));
  Computation* comparator = impl_->Body("sort_body", scalars, before, loc);
  if (comparator == nullptr) return {};
  return impl_->Infer(Opcode::kSort, arrays, loc, SortAttributes{dimension, is_stable},
                      {comparator});
}

Op GraphBuilder::TopK(Op x, int64_t k, bool largest, SourceLoc loc) {
  return impl_->Infer(Opcode::kTopK, {x}, loc, TopKAttributes{k, largest});
}

Op GraphBuilder::Dot(Op lhs, Op rhs, SourceLoc loc) {
  if (!impl_->Usable({lhs, rhs}, loc)) return {};
  DotSpec spec;
  spec.lhs_contracting = {lhs.instruction->shape().rank() - 1};
  spec.rhs_contracting = {0};
  return DotGeneral(lhs, rhs, spec, loc);
}

Op GraphBuilder::DotGeneral(Op lhs, Op rhs, const DotSpec& spec, SourceLoc loc) {
  return impl_->Infer(Opcode::kDot, {lhs, rhs}, loc, ToAttributes(spec));
}

Op GraphBuilder::DotGeneral(Op lhs, Op rhs, const DotSpec& spec, ElementType result,
                            SourceLoc loc) {
  if (!impl_->Usable({lhs, rhs}, loc)) return {};
  const absl::StatusOr<Shape> shape =
      InferShape(Opcode::kDot, {lhs.instruction, rhs.instruction}, ToAttributes(spec), {});
  if (!shape.ok()) {
    impl_->Fail(Annotate(shape.status(), "dot"), loc);
    return {};
  }
  return impl_->Write(Opcode::kDot, Shape::Array(result, shape->dims()), {lhs, rhs}, loc,
                      ToAttributes(spec));
}

Op GraphBuilder::Convolution(Op lhs, Op rhs, const ConvolutionSpec& spec, SourceLoc loc) {
  ConvolutionAttributes attributes;
  attributes.window = ToWindow(spec.window);
  attributes.dim_labels = spec.dim_labels;
  attributes.feature_group_count = spec.feature_group_count;
  attributes.batch_group_count = spec.batch_group_count;
  return impl_->Infer(Opcode::kConvolution, {lhs, rhs}, loc, std::move(attributes));
}

// ---- Tuples and control flow

Op GraphBuilder::Tuple(Ops elements, SourceLoc loc) {
  return impl_->Infer(Opcode::kTuple, elements, loc);
}

Op GraphBuilder::GetTupleElement(Op tuple, int64_t index, SourceLoc loc) {
  return impl_->Infer(Opcode::kGetTupleElement, {tuple}, loc, TupleIndexAttributes{index});
}

Op GraphBuilder::While(Op init, const BodyFn& condition, const BodyFn& body, SourceLoc loc) {
  if (!impl_->Usable({init}, loc)) return {};
  const std::vector<Shape> state = ShapesOf({init});
  Computation* test = impl_->Body("while_condition", state, condition, loc);
  if (test == nullptr) return {};
  Computation* step = impl_->Body("while_body", state, body, loc);
  if (step == nullptr) return {};
  return impl_->Infer(Opcode::kWhile, {init}, loc, {}, {test, step});
}

Op GraphBuilder::Conditional(Op predicate, Op true_argument, const BodyFn& on_true,
                             Op false_argument, const BodyFn& on_false, SourceLoc loc) {
  return Switch(predicate, {true_argument, false_argument}, {on_true, on_false}, loc);
}

Op GraphBuilder::Switch(Op index, Ops arguments, absl::Span<const BodyFn> branches, SourceLoc loc) {
  const std::vector<Op> operands = Joined({index}, arguments);
  if (!impl_->Usable(operands, loc)) return {};
  if (arguments.size() != branches.size()) {
    impl_->Fail(absl::InvalidArgumentError(
                    absl::StrCat("conditional: expected an argument for each of ", branches.size(),
                                 " branches, got ", arguments.size())),
                loc);
    return {};
  }
  std::vector<Computation*> called;
  for (size_t i = 0; i < branches.size(); ++i) {
    called.push_back(
        impl_->Body(absl::StrCat("branch_", i), ShapesOf({arguments[i]}), branches[i], loc));
    if (called.back() == nullptr) return {};
  }
  return impl_->Infer(Opcode::kConditional, operands, loc, {}, std::move(called));
}

Op GraphBuilder::Call(Ops arguments, const BodyFn& body, SourceLoc loc) {
  if (!impl_->Usable(arguments, loc)) return {};
  Computation* callee = impl_->Body("called", ShapesOf(arguments), body, loc);
  if (callee == nullptr) return {};
  return impl_->Infer(Opcode::kCall, arguments, loc, CallAttributes{}, {callee});
}

}  // namespace astitch
