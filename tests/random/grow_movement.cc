// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that move elements.
#include <algorithm>
#include <numeric>

#include "tests/random/graph_grower.h"

namespace astitch::testing {

void GraphGrower::AddMovement() {
  Instruction* x = PickWithRank(1);
  switch (Below(options_.scatters ? 18 : 14)) {
    case 0:
    case 1:
    case 2:
      return AddReshape(x);
    case 3:
    case 4:
    case 5:
      return AddTranspose(PickWithRank(2));
    case 6:
    case 7:
    case 8:
      return AddBroadcast(Pick());
    case 9:
      return AddSlice(x);
    case 10:
      return AddPad(x);
    case 11:
      return AddConcatenate(x);
    case 12:
      return AddReverse(x);
    case 13:
      return AddIota();
    case 14:
      return AddDynamicSlice(x);
    case 15:
      return AddDynamicUpdateSlice(x);
    case 16:
      return AddGather(x);
    case 17:
      return AddScatter(x);
  }
}

// Splits a dimension, merges neighbours, or adds and drops dimensions of size 1.
void GraphGrower::AddReshape(Instruction* x) {
  Dims dims = x->shape().dims();
  const int64_t d = Below(static_cast<int64_t>(dims.size()));
  switch (Below(4)) {
    case 0:
      dims.insert(dims.begin() + Below(static_cast<int64_t>(dims.size()) + 1), 1);
      break;
    case 1:
      dims.erase(std::remove(dims.begin(), dims.end(), 1), dims.end());
      break;
    case 2:
      for (int64_t factor : {2, 3, 5, 4, 8}) {
        if (dims[d] <= factor || dims[d] % factor != 0) continue;
        dims[d] /= factor;
        dims.insert(dims.begin() + d + Below(2), factor);
        break;
      }
      break;
    case 3:
      if (d + 1 < static_cast<int64_t>(dims.size())) {
        dims[d] *= dims[d + 1];
        dims.erase(dims.begin() + d + 1);
      }
      break;
  }
  if (dims.size() > 6) return;
  PushShaped(Opcode::kReshape, Shape::Array(x->shape().element_type(), std::move(dims)), {x},
             ReshapeAttributes{});
}

void GraphGrower::AddTranspose(Instruction* x) {
  Dims permutation(x->shape().rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random_);
  Push(Opcode::kTranspose, {x}, DimensionsAttributes{permutation});
}

void GraphGrower::AddBroadcast(Instruction* x) {
  const int64_t rank = x->shape().rank() + Below(3);
  if (rank > 5) return;
  Dims places(rank);
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), random_);
  places.resize(x->shape().rank());
  if (Chance(75)) std::sort(places.begin(), places.end());
  Dims dims(rank, -1);
  for (size_t i = 0; i < places.size(); ++i) dims[places[i]] = x->shape().dim(i);
  for (int64_t& d : dims) d = d < 0 ? Extent() : d;
  PushShaped(Opcode::kBroadcast, Shape::Array(x->shape().element_type(), std::move(dims)), {x},
             DimensionsAttributes{std::move(places)});
}

void GraphGrower::AddSlice(Instruction* x) {
  SliceAttributes slice;
  for (int64_t size : x->shape().dims()) {
    const bool whole = Chance(50) || size == 0;
    const int64_t start = whole ? 0 : Below(size);
    slice.starts.push_back(start);
    slice.limits.push_back(whole ? size : start + 1 + Below(size - start));
    slice.strides.push_back(whole ? 1 : 1 + Below(3));
  }
  Push(Opcode::kSlice, {x}, std::move(slice));
}

void GraphGrower::AddPad(Instruction* x) {
  PadAttributes pad;
  for (int64_t size : x->shape().dims()) {
    PadAttributes::Dim dim;
    if (Chance(50)) {
      dim.low = Below(5) - 1;
      dim.high = Below(5) - 1;
      dim.interior = Chance(25) ? 1 : 0;
      const int64_t padded = size + dim.low + dim.high + std::max<int64_t>(size - 1, 0);
      if (padded < 0 || size + dim.low + dim.high < 0) dim = {};
    }
    pad.dims.push_back(dim);
  }
  Push(Opcode::kPad, {x, Constant(x->shape().element_type(), 1)}, std::move(pad));
}

void GraphGrower::AddConcatenate(Instruction* x) {
  const int64_t dim = Below(x->shape().rank());
  std::vector<Instruction*> pieces = {x};
  for (int64_t n = 1 + Below(3); n > 0; --n) {
    Dims dims = x->shape().dims();
    if (Chance(50)) dims[dim] = Extent();
    pieces.push_back(Partner(dims, x->shape().element_type()));
  }
  std::shuffle(pieces.begin(), pieces.end(), random_);
  Push(Opcode::kConcatenate, std::move(pieces), DimensionsAttributes{{dim}});
}

void GraphGrower::AddReverse(Instruction* x) {
  Dims dims;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (Chance(60)) dims.push_back(d);
  }
  Push(Opcode::kReverse, {x}, DimensionsAttributes{std::move(dims)});
}

void GraphGrower::AddIota() {
  const Dims dims = RandomDims(1 + Below(3));
  const ElementType type = RandomType();
  if (IsPred(type)) return;
  const int64_t dim = Below(static_cast<int64_t>(dims.size()));
  PushShaped(Opcode::kIota, Shape::Array(type, dims), {}, DimensionsAttributes{{dim}});
}

// Indices: small numbers, some of them out of range.
Instruction* GraphGrower::Index(const Dims& dims) { return Parameter(ElementType::kS32, dims); }

void GraphGrower::AddDynamicSlice(Instruction* x) {
  std::vector<Instruction*> operands = {x};
  DynamicSliceAttributes slice;
  for (int64_t size : x->shape().dims()) {
    slice.sizes.push_back(size == 0 || Chance(50) ? size : 1 + Below(size));
    operands.push_back(Index({}));
  }
  Push(Opcode::kDynamicSlice, std::move(operands), std::move(slice));
}

void GraphGrower::AddDynamicUpdateSlice(Instruction* x) {
  Dims dims = x->shape().dims();
  for (int64_t& size : dims) size = size == 0 || Chance(50) ? size : 1 + Below(size);
  std::vector<Instruction*> operands = {x, Partner(dims, x->shape().element_type())};
  for (size_t d = 0; d < dims.size(); ++d) operands.push_back(Index({}));
  Push(Opcode::kDynamicUpdateSlice, std::move(operands));
}

// Rows of x by number: result [indices..., other dims].
void GraphGrower::AddGather(Instruction* x) {
  if (x->shape().num_elements() == 0) return;
  const int64_t dim = Below(x->shape().rank());
  Instruction* indices = Index(RandomDims(1 + Below(2)));
  GatherAttributes gather;
  gather.slice_sizes = x->shape().dims();
  gather.slice_sizes[dim] = 1;
  gather.collapsed_slice_dims = {dim};
  gather.start_index_map = {dim};
  gather.index_vector_dim = indices->shape().rank();
  for (int64_t d = 0; d + 1 < x->shape().rank(); ++d)
    gather.offset_dims.push_back(indices->shape().rank() + d);
  Push(Opcode::kGather, {x, indices}, std::move(gather));
}

// Windows of x at places by number along one or two dimensions; along each of them the window is a
// single element or a few.
void GraphGrower::AddScatter(Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (x->shape().num_elements() == 0) return;
  static constexpr Opcode kBodies[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kParameter};
  const Opcode opcode = IsPred(type) ? Opcode::kParameter : kBodies[Below(3)];
  const int64_t rank = x->shape().rank();
  ScatterAttributes scatter;
  scatter.scatter_dims_to_operand_dims = {Below(rank)};
  const int64_t other = Below(rank);
  if (other != scatter.scatter_dims_to_operand_dims[0] && Chance(50))
    scatter.scatter_dims_to_operand_dims.push_back(other);
  const auto places = static_cast<int64_t>(scatter.scatter_dims_to_operand_dims.size());
  // Every element looks at every window.
  const int64_t most = std::max<int64_t>(1, 200000 / x->shape().num_elements());
  const int64_t windows = std::min(RandomDims(1)[0], most);
  Instruction* indices = Index(places > 1 ? Dims{windows, places} : Dims{windows});
  scatter.index_vector_dim = 1;
  Dims updates = {windows};
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t extent = x->shape().dim(d);
    const Dims& moved = scatter.scatter_dims_to_operand_dims;
    if (std::find(moved.begin(), moved.end(), d) != moved.end() && Chance(60)) {
      scatter.inserted_window_dims.push_back(d);
      continue;
    }
    scatter.update_window_dims.push_back(static_cast<int64_t>(updates.size()));
    updates.push_back(Chance(70) ? extent : 1 + Below(extent));
  }
  Push(Opcode::kScatter, {x, indices, Partner(updates, type)}, std::move(scatter),
       {Body(type, opcode)});
}

}  // namespace astitch::testing
