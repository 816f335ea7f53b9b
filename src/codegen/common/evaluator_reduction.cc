// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions that are no root of a stage: each element folds its own operands, serially in
// row-major order, where it is needed. Always right, and for small windows also fast.
#include <numeric>

#include "codegen/common/accumulators.h"
#include "codegen/common/elementwise.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"
#include "codegen/common/scalar_computation.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;
// Folds of at most so many elements are written out, without a loop.
constexpr int64_t kMaxUnrolled = 16;
// Loops inside loops recurse in this process.
constexpr int kMaxNesting = 200;

int64_t Product(absl::Span<const int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

}  // namespace

// Runs BODY for every index below EXTENTS, in row-major order.
void Evaluator::NestLoops(absl::Span<const int64_t> extents,
                          absl::FunctionRef<void(const Digits&)> body) {
  const int64_t count = Product(extents);
  if (count == 0) return;
  if (count <= kMaxUnrolled) {
    for (int64_t k = 0; k < count; ++k) {
      Digits digits(extents.size());
      int64_t rest = k;
      for (size_t d = extents.size(); d-- > 0;) {
        digits[d] = indices_.ConstantDigit(rest % extents[d], extents[d]);
        rest /= extents[d];
      }
      body(digits);
    }
    return;
  }
  if (nesting_ >= kMaxNesting) {
    Fail(absl::ResourceExhaustedError("reductions nest too deep inside one another"));
    return;
  }
  Digits digits(extents.size());
  // Recursion as deep as an array has dimensions.
  auto nest = [&](auto& self, size_t d) -> void {
    if (d == extents.size()) return body(digits);
    if (extents[d] == 1) {
      digits[d] = indices_.ConstantDigit(0, 1);
      return self(self, d + 1);
    }
    scopes_.Loop(indices_.Constant(0), indices_.Constant(extents[d]), indices_.Constant(1), true,
                 [&](Value i) {
                   digits[d] = indices_.FromValue(i, extents[d]);
                   self(self, d + 1);
                 });
  };
  ++nesting_;
  nest(nest, 0);
  --nesting_;
}

std::vector<Value> Evaluator::Splats(std::vector<Value> values, int lanes) {
  for (Value& value : values) value = SplatLanes(context_.builder, value, lanes);
  return values;
}

// All leaves of a fold are remembered; the frame's own is returned.
Value Evaluator::Finished(const Frame& frame, const std::vector<Value>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    scopes_.NoteDepth(results[i]);
    const int leaf = static_cast<int>(i);
    if (leaf != frame.target.leaf)
      Remember({frame.target.value, frame.target.index, leaf}, results[i]);
  }
  return results[frame.target.leaf];
}

Value Evaluator::StepReduce(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const int64_t width = value.num_operands() / 2;
  if (frame.step == 0) {  // the init values
    frame.step = 1;
    for (int64_t i = 0; i < width; ++i)
      frame.needs.push_back({value.operand(width + i), indices_.Scalar(), 0});
    return nullptr;
  }
  const absl::StatusOr<Reducer> body = Reducer::Of(*value.called()[0]);
  if (!body.ok()) return Poison(value, body.status().message());
  const Reducer& reducer = *body;
  const Index& index = *frame.target.index;
  const int lanes = LanesOf(index);
  const std::vector<Value> inits = Splats(Values(frame), lanes);
  Accumulators fold(context_, reducer, {lanes});
  fold.Start(inits);
  const std::vector<int64_t>& dims = value.operand(0)->shape().dims();
  std::vector<int64_t> extents;
  for (int64_t d : value.dimensions()) extents.push_back(dims[d]);
  NestLoops(extents, [&](const Digits& reduced) {
    Index at;
    at.dims.resize(dims.size());
    std::vector<bool> folded(dims.size());
    for (size_t k = 0; k < reduced.size(); ++k) {
      at.dims[value.dimensions()[k]] = {reduced[k]};
      folded[value.dimensions()[k]] = true;
    }
    size_t kept = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (!folded[d]) at.dims[d] = index.dims[kept++];
    }
    const IndexRef where = indices_.Intern(std::move(at));
    std::vector<Value> values;
    for (int64_t i = 0; i < width; ++i) values.push_back(Evaluate(*value.operand(i), where));
    fold.Fold(0, std::move(values), nullptr);
  });
  return Finished(frame, reducer.Finish(context_, fold.Load(0), inits));
}

namespace {

// Where a window's element lies in its operand, and whether it is an element at all.
struct WindowPosition {
  std::vector<Digits> dims;
  Value valid = nullptr;  // null: always
};

WindowPosition PositionInWindow(IndexBuilder& indices, const Shape& operand, const Window& window,
                                const std::vector<Digits>& out, const Digits& offsets) {
  WindowPosition at;
  at.dims.resize(out.size());
  for (size_t d = 0; d < out.size(); ++d) {
    const WindowDim& dim = window[d];
    const int64_t extent = operand.dim(d);
    const Digit start = indices.Affine(indices.JoinAll(out[d]), dim.stride, -dim.pad_low, extent);
    const Digit offset = indices.Affine(offsets[d], dim.window_dilation, 0, extent);
    Digit position = start;
    position.ForgetBounds();
    position.base = indices.Add(
        start.base, start.per_lane ? indices.Splat(offset.base, start.lanes) : offset.base);
    position.multiple = std::gcd(start.multiple, offset.multiple);
    position.extent = extent;
    const bool inside = dim.pad_low <= 0 && dim.pad_high <= 0 && dim.base_dilation == 1;
    if (inside) {
      at.dims[d] = {position};
      continue;
    }
    Value where = indices.Materialize(position);
    Value ok = indices.Compare(Predicate::ICMP_SGE, where, indices.Constant(0));
    Value safe = indices.Max(where, indices.Constant(0));
    if (dim.base_dilation > 1) {
      Value rest = indices.Rem(safe, dim.base_dilation);
      ok = indices.And(ok, indices.Compare(Predicate::ICMP_EQ, rest, indices.Constant(0)));
      safe = indices.Div(safe, dim.base_dilation);
    }
    ok = indices.And(ok, indices.Compare(Predicate::ICMP_SLT, safe, indices.Constant(extent)));
    at.valid = indices.And(at.valid, ok);
    safe = indices.Min(safe, indices.Constant(extent - 1));
    at.dims[d] = {indices.FromValue(safe, extent)};
  }
  return at;
}

std::vector<int64_t> WindowSizes(const Window& window) {
  std::vector<int64_t> sizes;
  for (const WindowDim& dim : window) sizes.push_back(dim.size);
  return sizes;
}

}  // namespace

Value Evaluator::StepReduceWindow(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const int64_t width = value.num_operands() / 2;
  if (frame.step == 0) {
    frame.step = 1;
    for (int64_t i = 0; i < width; ++i)
      frame.needs.push_back({value.operand(width + i), indices_.Scalar(), 0});
    return nullptr;
  }
  const Shape& operand = value.operand(0)->shape();
  Window window = value.as<WindowAttributes>().window;
  window.resize(operand.rank());  // a scalar's window may be left out
  const absl::StatusOr<Reducer> body = Reducer::Of(*value.called()[0]);
  if (!body.ok()) return Poison(value, body.status().message());
  const Reducer& reducer = *body;
  const int lanes = LanesOf(*frame.target.index);
  const std::vector<Value> inits = Splats(Values(frame), lanes);
  Accumulators fold(context_, reducer, {lanes});
  fold.Start(inits);
  if (operand.num_elements() > 0) {
    NestLoops(WindowSizes(window), [&](const Digits& offsets) {
      WindowPosition at =
          PositionInWindow(indices_, operand, window, frame.target.index->dims, offsets);
      const IndexRef where = indices_.Intern({std::move(at.dims)});
      std::vector<Value> values;
      for (int64_t i = 0; i < width; ++i) values.push_back(Evaluate(*value.operand(i), where));
      fold.Fold(0, std::move(values), at.valid);
    });
  }
  return Finished(frame, reducer.Finish(context_, fold.Load(0), inits));
}

Value Evaluator::StepSelectAndScatter(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& source = *value.operand(1);
  const Window& window = value.as<WindowAttributes>().window;
  if (window.empty() || source.shape().num_elements() == 0)
    return Poison(value, "needs a window and a source to be computed element by element");
  llvm::IRBuilderBase& builder = context_.builder;
  const Index& index = *frame.target.index;
  const int lanes = LanesOf(index);
  const absl::StatusOr<Reducer> body = Reducer::Of(*value.called()[1]);
  if (!body.ok()) return Poison(value, body.status().message());
  const Reducer& scatter = *body;
  const std::vector<Value> inits = Splats({Evaluate(*value.operand(2), indices_.Scalar())}, lanes);
  Accumulators fold(context_, scatter, {lanes});
  fold.Start(inits);
  // Every window that covers this element: the element is offset K of window (i + pad - K) /
  // stride.
  NestLoops(WindowSizes(window), [&](const Digits& offsets) {
    std::vector<Digits> out(index.dims.size());
    Value covers = nullptr;
    for (size_t d = 0; d < out.size(); ++d) {
      const WindowDim& dim = window[d];
      const Digit here = indices_.Affine(indices_.JoinAll(index.dims[d]), 1, dim.pad_low, 1);
      Value position = indices_.Sub(indices_.Materialize(here), offsets[d].base);
      covers = indices_.And(covers,
                            indices_.Compare(Predicate::ICMP_SGE, position, indices_.Constant(0)));
      position = indices_.Max(position, indices_.Constant(0));
      covers = indices_.And(covers,
                            indices_.Compare(Predicate::ICMP_EQ, indices_.Rem(position, dim.stride),
                                             indices_.Constant(0)));
      const int64_t count = source.shape().dim(d);
      Value number = indices_.Div(position, dim.stride);
      covers = indices_.And(
          covers, indices_.Compare(Predicate::ICMP_SLT, number, indices_.Constant(count)));
      out[d] = {indices_.FromValue(indices_.Min(number, indices_.Constant(count - 1)), count)};
    }
    // The offset that the selection of that window ends on, as a linear number.
    Value chosen = SelectInWindow(value, out, lanes);
    Value mine = SplatLanes(builder, indices_.JoinAll(offsets).base, lanes);
    Value selected = builder.CreateICmpEQ(chosen, mine);
    if (covers != nullptr)
      selected = builder.CreateAnd(selected, SplatLanes(builder, covers, lanes));
    fold.Fold(0, {Evaluate(source, indices_.Intern({out}))}, selected);
  });
  Value result = scatter.Finish(context_, fold.Load(0), inits)[0];
  scopes_.NoteDepth(result);
  return result;
}

// The first valid element is the candidate; a later one replaces it when select(candidate, element)
// is false.
Value Evaluator::SelectInWindow(const Instruction& value, const std::vector<Digits>& out,
                                int lanes) {
  const Instruction& operand = *value.operand(0);
  const Window& window = value.as<WindowAttributes>().window;
  llvm::IRBuilderBase& builder = context_.builder;
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  auto lane_type = [&](llvm::Type* type) -> llvm::Type* {
    if (lanes == 1) return type;
    return llvm::FixedVectorType::get(type, lanes);
  };
  const ElementType type = operand.shape().element_type();
  llvm::Type* const element = lane_type(RegisterType(builder.getContext(), type, 1));
  llvm::Type* const number = lane_type(indices_.type());
  Value candidate = top.CreateAlloca(element), chosen = top.CreateAlloca(number);
  builder.CreateStore(llvm::Constant::getNullValue(element), candidate);
  builder.CreateStore(llvm::Constant::getAllOnesValue(number), chosen);
  NestLoops(WindowSizes(window), [&](const Digits& offsets) {
    WindowPosition at = PositionInWindow(indices_, operand.shape(), window, out, offsets);
    const IndexRef where = indices_.Intern({std::move(at.dims)});
    Value challenger = SplatLanes(builder, Evaluate(operand, where), lanes);
    Value before = builder.CreateLoad(element, candidate);
    Value holder = builder.CreateLoad(number, chosen);
    absl::StatusOr<std::vector<Value>> keeps =
        EmitScalarComputation(context_, *value.called()[0], {before, challenger}, false);
    if (!keeps.ok()) return Fail(keeps.status());
    Value keep = (*keeps)[0];
    Value none = builder.CreateICmpSLT(holder, llvm::Constant::getNullValue(number));
    Value replace = builder.CreateOr(none, builder.CreateNot(keep));
    if (at.valid != nullptr)
      replace = builder.CreateAnd(replace, SplatLanes(builder, at.valid, lanes));
    Value mine = SplatLanes(builder, indices_.JoinAll(offsets).base, lanes);
    builder.CreateStore(builder.CreateSelect(replace, challenger, before), candidate);
    builder.CreateStore(builder.CreateSelect(replace, mine, holder), chosen);
  });
  return builder.CreateLoad(number, chosen);
}

}  // namespace astitch::codegen
