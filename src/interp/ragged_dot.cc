// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ragged-dot as plain dots over slices. The ragged dim of lhs falls into consecutive groups of
// group_sizes elements; where it lies decides what a group means:
//
//   a free dim of lhs   rows of a group meet that group's slice of rhs   [m,k] x [g,k,n] -> [m,n]
//   a contracting dim   each group is a dot of its own                   [m,k] x [k,n] -> [g,m,n]
//   a batch dim         groups are only a limit                          [b,m,k] x [b,k,n]
//                                                                                   -> [b,m,n]
//
// What lies past the sum of the sizes gives zeros. group_sizes may have leading dims for the batch
// dims of lhs: then every batch has groups of its own.
#include <algorithm>
#include <vector>

#include "interp/contraction.h"
#include "interp/ops.h"
#include "interp/strides.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

struct Range {
  int64_t dim, start, size;
};

Literal SliceOf(const Literal& literal, const std::vector<Range>& ranges) {
  std::vector<int64_t> dims = literal.shape().dims();
  Strided from{0, RowMajorStrides(dims)};
  for (const Range& range : ranges) {
    from.start += range.start * from.strides[range.dim];
    dims[range.dim] = range.size;
  }
  Literal slice(Shape::Array(literal.shape().element_type(), dims));
  CopyBox(dims, ByteWidth(slice.shape().element_type()), literal.bytes().data(), from,
          slice.mutable_bytes().data(), {0, RowMajorStrides(dims)});
  return slice;
}

// Drops dimension DIM, of size 1.
Literal WithoutDim(const Literal& literal, int64_t dim) {
  std::vector<int64_t> dims = literal.shape().dims();
  dims.erase(dims.begin() + dim);
  return literal.WithShape(Shape::Array(literal.shape().element_type(), dims));
}

std::vector<int64_t> ShiftPast(std::vector<int64_t> list, int64_t removed) {
  for (int64_t& d : list) d -= d > removed;
  return list;
}

int64_t IndexIn(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) - list.begin();
}

// The dims of dot(LHS, RHS) under DIMS.
Shape DotShape(const Shape& lhs, const Shape& rhs, const DotAttributes& dims, ElementType type) {
  std::vector<int64_t> result;
  for (int64_t d : dims.lhs_batch) result.push_back(lhs.dim(d));
  const auto add_free = [&result](const Shape& shape, const std::vector<int64_t>& batch,
                                  const std::vector<int64_t>& contracting) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (std::find(batch.begin(), batch.end(), d) != batch.end()) continue;
      if (std::find(contracting.begin(), contracting.end(), d) != contracting.end()) continue;
      result.push_back(shape.dim(d));
    }
  };
  add_free(lhs, dims.lhs_batch, dims.lhs_contracting);
  add_free(rhs, dims.rhs_batch, dims.rhs_contracting);
  return Shape::Array(type, result);
}

struct RaggedDot {
  const Instruction& instruction;
  const DotAttributes& dims;
  const Literal& lhs;
  const Literal& rhs;
  Literal result;
  int64_t ragged = 0;

  bool IsFree() const {
    return IndexIn(dims.lhs_batch, ragged) == Size(dims.lhs_batch) &&
           IndexIn(dims.lhs_contracting, ragged) == Size(dims.lhs_contracting);
  }
  bool IsContracting() const {
    return IndexIn(dims.lhs_contracting, ragged) < Size(dims.lhs_contracting);
  }
  static int64_t Size(const std::vector<int64_t>& list) {
    return static_cast<int64_t>(list.size());
  }

  // The place in the result's free-lhs part that dimension D of lhs has.
  int64_t ResultDimOfFree(int64_t d) const {
    int64_t at = Size(dims.lhs_batch);
    for (int64_t e = 0; e < d; ++e) {
      at += IndexIn(dims.lhs_batch, e) == Size(dims.lhs_batch) &&
            IndexIn(dims.lhs_contracting, e) == Size(dims.lhs_contracting);
    }
    return at;
  }

  // BATCH: one element of each batch dim when groups differ by batch, else empty.
  void AddGroup(int64_t group, int64_t start, int64_t size, const std::vector<int64_t>& batch) {
    std::vector<Range> lhs_ranges, rhs_ranges, result_ranges;
    const int64_t lead = IsContracting() ? 1 : 0;  // the result's group dim
    for (int64_t b = 0; b < Size(batch); ++b) {
      lhs_ranges.push_back({dims.lhs_batch[b], batch[b], 1});
      rhs_ranges.push_back({dims.rhs_batch[b], batch[b], 1});
      result_ranges.push_back({lead + b, batch[b], 1});
    }
    lhs_ranges.push_back({ragged, start, size});
    DotAttributes inner = dims;
    Literal right = rhs;
    if (IsContracting()) {
      const int64_t pair = dims.rhs_contracting[IndexIn(dims.lhs_contracting, ragged)];
      rhs_ranges.push_back({pair, start, size});
      result_ranges.push_back({0, group, 1});
    } else if (IsFree()) {
      rhs_ranges.push_back({dims.rhs_group[0], group, 1});
      result_ranges.push_back({ResultDimOfFree(ragged), start, size});
    } else {
      const int64_t at = IndexIn(dims.lhs_batch, ragged);
      rhs_ranges.push_back({dims.rhs_batch[at], start, size});
      result_ranges.push_back({at, start, size});
    }
    right = SliceOf(rhs, rhs_ranges);
    if (IsFree()) {
      right = WithoutDim(right, dims.rhs_group[0]);
      inner.rhs_batch = ShiftPast(inner.rhs_batch, dims.rhs_group[0]);
      inner.rhs_contracting = ShiftPast(inner.rhs_contracting, dims.rhs_group[0]);
    }
    const Literal left = SliceOf(lhs, lhs_ranges);
    const Shape shape = DotShape(left.shape(), right.shape(), inner, result.shape().element_type());
    Put(ContractPair(left, right, inner, shape), result_ranges);
  }

  void Put(const Literal& part, const std::vector<Range>& ranges) {
    std::vector<int64_t> box = result.shape().dims();
    Strided to{0, RowMajorStrides(box)};
    for (const Range& range : ranges) {
      to.start += range.start * to.strides[range.dim];
      box[range.dim] = range.size;
    }
    CopyBox(box, ByteWidth(part.shape().element_type()), part.bytes().data(),
            {0, RowMajorStrides(box)}, result.mutable_bytes().data(), to);
  }
};

}  // namespace

Result EvalRaggedDot(const Instruction& instruction, Operands operands) {
  const auto& dims = instruction.as<DotAttributes>();
  const Literal& sizes = operands[2];
  RaggedDot dot{instruction, dims, operands[0], operands[1], Literal(instruction.shape())};
  dot.ragged = dims.lhs_ragged[0];
  const int64_t leading = sizes.shape().rank() - 1;
  if (leading != 0 && leading != RaggedDot::Size(dims.lhs_batch)) {
    return ErrorAt(instruction, "group sizes of one dimension, or with the batch dimensions of lhs",
                   sizes.shape().ToString(false));
  }
  if (dot.IsFree() && dims.rhs_group.empty()) {
    return ErrorAt(instruction, "rhs_group_dims for a ragged free dimension", "none");
  }
  const ElementType type = sizes.shape().element_type();
  const int64_t groups = sizes.shape().dim(leading);
  const int64_t extent = operands[0].shape().dim(dot.ragged);
  std::vector<int64_t> batch(leading);
  const int64_t batches = groups == 0 ? 0 : sizes.shape().num_elements() / groups;
  for (int64_t b = 0; b < batches; ++b) {
    int64_t start = 0;
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t wanted =
          LoadAsInteger(type, sizes.bytes().data() + (b * groups + g) * ByteWidth(type));
      const int64_t size = std::clamp<int64_t>(wanted, 0, extent - start);
      dot.AddGroup(g, start, size, batch);
      start += size;
    }
    for (int64_t d = leading; d-- > 0 && ++batch[d] == sizes.shape().dim(d);) batch[d] = 0;
  }
  return std::move(dot.result);
}

}  // namespace astitch::interp
