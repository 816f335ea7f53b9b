// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// sort and topk. Sorting is a merge sort of our own: always stable, and harmless when a graph's
// comparator is no order at all.
#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/lane_op.h"
#include "interp/ops.h"
#include "interp/scalar_program.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

// Sorts ITEMS by BEFORE(a, b), which returns absl::StatusOr<bool> or bool. Bottom-up merges.
template <typename Before>
absl::Status MergeSort(std::vector<int64_t>& items, Before before) {
  const size_t n = items.size();
  std::vector<int64_t> merged(n);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t start = 0; start < n; start += 2 * width) {
      const size_t middle = std::min(start + width, n);
      const size_t end = std::min(start + 2 * width, n);
      size_t left = start;
      size_t right = middle;
      for (size_t out = start; out < end; ++out) {
        bool take_right = left == middle;
        if (!take_right && right < end) {
          ASTITCH_ASSIGN_OR_RETURN(take_right, before(items[right], items[left]));
        }
        merged[out] = take_right ? items[right++] : items[left++];
      }
    }
    items.swap(merged);
  }
  return absl::OkStatus();
}

// The lines of a shape along one dimension.
struct Lines {
  int64_t length, stride;
  std::vector<int64_t> starts;

  Lines(const Shape& shape, int64_t dimension) {
    std::vector<int64_t> dims = shape.dims();
    const std::vector<int64_t> strides = RowMajorStrides(dims);
    length = dims[dimension];
    stride = strides[dimension];
    dims[dimension] = 1;
    BoxWalk walk(dims, strides);
    starts.resize(shape.num_elements() == 0 ? 0 : walk.size());
    walk.Take(static_cast<int64_t>(starts.size()), starts.data());
  }
};

}  // namespace

Result EvalSort(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(
      ScalarProgram comparator,
      ScalarProgram::Compile(context, *instruction.called()[0], Rounding::kEach));
  const int64_t width = static_cast<int64_t>(operands.size());
  std::vector<Literal> results;
  for (const Shape* shape : instruction.shape().Leaves()) results.emplace_back(*shape);
  const Lines lines(operands[0].shape(), instruction.as<SortAttributes>().dimension);
  std::vector<int64_t> order(lines.length);
  for (const int64_t start : lines.starts) {
    std::vector<std::vector<Lane>> keys(width, std::vector<Lane>(lines.length));
    std::vector<int64_t> offsets(lines.length);
    for (int64_t k = 0; k < lines.length; ++k) {
      order[k] = k;
      offsets[k] = k * lines.stride;
    }
    for (int64_t i = 0; i < width; ++i) {
      DecodeAt(operands[i].shape().element_type(), operands[i].bytes().data(), start,
               offsets.data(), lines.length, keys[i].data());
    }
    ASTITCH_RETURN_IF_ERROR(MergeSort(order, [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
      for (int64_t i = 0; i < width; ++i) {
        *comparator.param(2 * i) = keys[i][a];
        *comparator.param(2 * i + 1) = keys[i][b];
      }
      ASTITCH_RETURN_IF_ERROR(comparator.Run(1));
      return comparator.result(0)->i != 0;
    }));
    for (int64_t i = 0; i < width; ++i) {
      const int bytes = ByteWidth(operands[i].shape().element_type());
      const std::byte* from = operands[i].bytes().data();
      std::byte* to = results[i].mutable_bytes().data();
      for (int64_t k = 0; k < lines.length; ++k) {
        std::memcpy(to + (start + offsets[k]) * bytes, from + (start + offsets[order[k]]) * bytes,
                    bytes);
      }
    }
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

// Along the last dimension, by total order, ties to the lower index.
Result EvalTopK(const Instruction& instruction, const Literal& operand, int64_t k, bool largest) {
  const Shape& shape = operand.shape();
  const ElementType type = shape.element_type();
  if (IsComplex(type)) {
    return ErrorAt(instruction, "elements with an order for topk", shape.ToString(false));
  }
  const int bytes = ByteWidth(type);
  Literal values(instruction.shape().elements()[0]);
  Literal indices(instruction.shape().elements()[1]);
  const int64_t length = shape.dim(shape.rank() - 1);
  const int64_t rows = length == 0 ? 0 : shape.num_elements() / length;
  std::vector<Lane> row(length);
  std::vector<int64_t> order(length);
  for (int64_t r = 0; r < rows; ++r) {
    const std::byte* from = operand.bytes().data() + r * length * bytes;
    Decode(type, from, length, row.data());
    for (int64_t i = 0; i < length; ++i) {
      order[i] = i;
      if (IsFloat(type)) row[i].i = TotalOrderKey(row[i].f);
      if (type == ElementType::kU64) row[i].i ^= INT64_MIN;  // orders as signed
    }
    ASTITCH_RETURN_IF_ERROR(MergeSort(order, [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
      return largest ? row[a].i > row[b].i : row[a].i < row[b].i;
    }));
    for (int64_t i = 0; i < k; ++i) {
      std::memcpy(values.mutable_bytes().data() + (r * k + i) * bytes, from + order[i] * bytes,
                  bytes);
      indices.mutable_data<int32_t>()[r * k + i] = static_cast<int32_t>(order[i]);
    }
  }
  return Literal::Tuple({std::move(values), std::move(indices)});
}

}  // namespace astitch::interp
