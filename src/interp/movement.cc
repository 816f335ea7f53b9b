// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Data movement by affine maps: each is one copy (concatenate: one an operand) between strided
// boxes. Elements are bytes here; no type is looked at but for iota and start indices.
#include <algorithm>

#include "base/checked_math.h"
#include "interp/lane_op.h"
#include "interp/lanes.h"
#include "interp/ops.h"
#include "interp/strides.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

int WidthOf(const Shape& shape) { return ByteWidth(shape.element_type()); }

// Fills the whole result from FROM, a view of the operand with the result's dimensions.
Literal FromView(const Instruction& instruction, const Literal& operand, const Strided& from) {
  Literal result(instruction.shape());
  const std::vector<int64_t>& dims = result.shape().dims();
  CopyBox(dims, WidthOf(result.shape()), operand.bytes().data(), from,
          result.mutable_bytes().data(), {0, RowMajorStrides(dims)});
  return result;
}

// The start of a window of SIZES in DIMS: index operands from FIRST on, or one vector, each clamped
// so that the whole window stays inside.
std::vector<int64_t> ClampedStarts(const Instruction& instruction, Operands operands, int64_t first,
                                   const std::vector<int64_t>& dims,
                                   const std::vector<int64_t>& sizes) {
  std::vector<int64_t> starts(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool vector = operands[first].shape().rank() == 1;  // the legacy form
    const Literal& index = operands[vector ? first : first + d];
    const ElementType type = index.shape().element_type();
    const int64_t start =
        LoadAsInteger(type, index.bytes().data() + (vector ? d * ByteWidth(type) : 0));
    const int64_t last = dims[d] - sizes[d];
    const bool past = type == ElementType::kU64 && start < 0;  // above 2^63 - 1
    starts[d] = past ? last : std::clamp<int64_t>(start, 0, last);
  }
  return starts;
}

int64_t Dot(const std::vector<int64_t>& at, const std::vector<int64_t>& strides) {
  int64_t sum = 0;
  for (size_t d = 0; d < at.size(); ++d) sum += at[d] * strides[d];
  return sum;
}

}  // namespace

Result EvalBroadcast(const Instruction& instruction, Operands operands) {
  const std::vector<int64_t> operand_strides = RowMajorStrides(operands[0].shape().dims());
  Strided from{0, std::vector<int64_t>(instruction.shape().rank())};
  const bool has_dimensions =
      std::holds_alternative<DimensionsAttributes>(instruction.attributes());
  for (size_t i = 0; has_dimensions && i < instruction.dimensions().size(); ++i) {
    from.strides[instruction.dimensions()[i]] = operand_strides[i];
  }
  return FromView(instruction, operands[0], from);
}

Result EvalTranspose(const Instruction& instruction, Operands operands) {
  const std::vector<int64_t> operand_strides = RowMajorStrides(operands[0].shape().dims());
  Strided from;
  for (int64_t d : instruction.dimensions()) from.strides.push_back(operand_strides[d]);
  return FromView(instruction, operands[0], from);
}

Result EvalReverse(const Instruction& instruction, Operands operands) {
  const std::vector<int64_t>& dims = operands[0].shape().dims();
  Strided from{0, RowMajorStrides(dims)};
  for (int64_t d : instruction.dimensions()) {
    from.start += (dims[d] - 1) * from.strides[d];
    from.strides[d] = -from.strides[d];
  }
  return FromView(instruction, operands[0], from);
}

Result EvalSlice(const Instruction& instruction, Operands operands) {
  const auto& slice = instruction.as<SliceAttributes>();
  Strided from{0, RowMajorStrides(operands[0].shape().dims())};
  for (size_t d = 0; d < from.strides.size(); ++d) {
    from.start += slice.starts[d] * from.strides[d];
    from.strides[d] *= slice.strides.empty() ? 1 : slice.strides[d];
  }
  return FromView(instruction, operands[0], from);
}

// Element i of a dimension lands at low + i * (interior + 1); what lands outside is cropped.
Result EvalPad(const Instruction& instruction, Operands operands) {
  Literal result(instruction.shape());
  const std::vector<int64_t>& dims = operands[0].shape().dims();
  const std::vector<int64_t>& result_dims = result.shape().dims();
  const int width = WidthOf(result.shape());
  std::byte* to_bytes = result.mutable_bytes().data();
  const std::vector<int64_t> zeros(result_dims.size());
  CopyBox(result_dims, width, operands[1].bytes().data(), {0, zeros}, to_bytes,
          {0, RowMajorStrides(result_dims)});
  Strided from{0, RowMajorStrides(dims)};
  Strided to{0, RowMajorStrides(result_dims)};
  std::vector<int64_t> kept(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    const PadAttributes::Dim& pad = instruction.as<PadAttributes>().dims[d];
    const int64_t step = pad.interior + 1;
    const int64_t first = std::max<int64_t>(0, CeilDiv(-pad.low, step));
    const int64_t last = std::min(dims[d] - 1, FloorDiv(result_dims[d] - 1 - pad.low, step));
    kept[d] = std::max<int64_t>(0, last - first + 1);
    from.start += first * from.strides[d];
    to.start += (pad.low + first * step) * to.strides[d];
    to.strides[d] *= step;
  }
  CopyBox(kept, width, operands[0].bytes().data(), from, to_bytes, to);
  return result;
}

Result EvalConcatenate(const Instruction& instruction, Operands operands) {
  Literal result(instruction.shape());
  const int64_t dimension = instruction.dimensions()[0];
  std::byte* to_bytes = result.mutable_bytes().data();
  Strided to{0, RowMajorStrides(result.shape().dims())};
  for (const Literal& operand : operands) {
    const std::vector<int64_t>& dims = operand.shape().dims();
    CopyBox(dims, WidthOf(result.shape()), operand.bytes().data(), {0, RowMajorStrides(dims)},
            to_bytes, to);
    to.start += dims[dimension] * to.strides[dimension];
  }
  return result;
}

Result EvalIota(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const ElementType type = shape.element_type();
  const int64_t dimension = instruction.dimensions()[0];
  const int64_t n = shape.dim(dimension);
  const bool whole = !IsFloat(type) && !IsComplex(type);
  std::vector<Lane> coordinates(n);
  for (int64_t k = 0; k < n; ++k) {
    coordinates[k] = whole ? Lane{.i = k} : Lane{.f = static_cast<double>(k)};
  }
  Literal line(Shape::Array(type, {n}));
  Encode(type, coordinates.data(), n, line.mutable_bytes().data());
  Strided from{0, std::vector<int64_t>(shape.rank())};
  from.strides[dimension] = 1;
  return FromView(instruction, line, from);
}

Result EvalDynamicSlice(const Instruction& instruction, Operands operands) {
  const std::vector<int64_t>& dims = operands[0].shape().dims();
  Strided from{0, RowMajorStrides(dims)};
  if (!dims.empty()) {
    from.start = Dot(ClampedStarts(instruction, operands, 1, dims, instruction.shape().dims()),
                     from.strides);
  }
  return FromView(instruction, operands[0], from);
}

// In place when nothing else holds the operand.
Result EvalDynamicUpdateSlice(const Instruction& instruction, Operands operands) {
  Literal result = std::move(operands[0]);
  const std::vector<int64_t> dims = result.shape().dims();
  const Literal& update = operands[1];
  Strided to{0, RowMajorStrides(dims)};
  if (!dims.empty()) {
    to.start =
        Dot(ClampedStarts(instruction, operands, 2, dims, update.shape().dims()), to.strides);
  }
  CopyBox(update.shape().dims(), WidthOf(result.shape()), update.bytes().data(),
          {0, RowMajorStrides(update.shape().dims())}, result.mutable_bytes().data(), to);
  return result;
}

}  // namespace astitch::interp
