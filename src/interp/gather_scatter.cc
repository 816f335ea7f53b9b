// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// gather and scatter: windows of an array at starts that an index array gives.
//
//   indices [.., k of them, ..]  --an index vector per point of the batch dims-->  start of a
//   window gather clamps a start so that its window fits; scatter skips a window that does not.
//
// Both see the array's dimensions in three groups: window dims, dims of window size 1 that are
// dropped (collapsed / inserted), and batching dims that follow a dim of the indices.
#include <algorithm>
#include <cstring>

#include "interp/fold.h"
#include "interp/strides.h"
#include "ir/gather_dims.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

int64_t Dot(const std::vector<int64_t>& at, const std::vector<int64_t>& strides) {
  int64_t sum = 0;
  for (size_t d = 0; d < at.size(); ++d) sum += at[d] * strides[d];
  return sum;
}

int64_t Product(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  return product;
}

// Where windows may start in the array, and how large they are there.
struct Addressing {
  GatherDims dims;
  std::vector<int64_t> array_dims;
  std::vector<int64_t> window;  // extent by array dim
};

// Walks the index vectors in row-major order of the batch dims.
class StartReader {
 public:
  StartReader(const Addressing& addressing, const Literal& indices)
      : addressing_(addressing),
        type_(indices.shape().element_type()),
        bytes_(indices.bytes().data()) {
    const std::vector<int64_t>& dims = indices.shape().dims();
    const std::vector<int64_t> strides = RowMajorStrides(dims);
    for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
      if (d == addressing.dims.index_vector_dim) {
        component_stride_ = strides[d];
      } else {
        batch_dims_.push_back(dims[d]);
        batch_strides_.push_back(strides[d]);
      }
    }
    at_.resize(batch_dims_.size());
  }

  const std::vector<int64_t>& batch_dims() const { return batch_dims_; }
  const std::vector<int64_t>& at() const { return at_; }

  // The start by array dim, neither clamped nor checked.
  std::vector<int64_t> Start() const {
    const GatherDims& dims = addressing_.dims;
    const int64_t base = Dot(at_, batch_strides_);
    std::vector<int64_t> start(addressing_.array_dims.size());
    for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
      const int64_t element = base + static_cast<int64_t>(q) * component_stride_;
      const int64_t value = LoadAsInteger(type_, bytes_ + element * ByteWidth(type_));
      const bool past = type_ == ElementType::kU64 && value < 0;  // above 2^63 - 1
      start[dims.start_index_map[q]] = past ? INT64_MAX : value;
    }
    for (size_t t = 0; t < dims.operand_batching_dims.size(); ++t) {
      start[dims.operand_batching_dims[t]] = at_[dims.batching_positions[t]];
    }
    return start;
  }

  void Next() {
    for (size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < batch_dims_[d]) return;
      at_[d] = 0;
    }
  }

 private:
  const Addressing& addressing_;
  ElementType type_;
  const std::byte* bytes_;
  std::vector<int64_t> batch_dims_, batch_strides_, at_;
  int64_t component_stride_ = 0;
};

// How the windows and the batch points lie in the other array: gather's result, scatter's updates.
struct Spread {
  std::vector<int64_t> window_dims;           // extents of the window dims, ascending
  std::vector<int64_t> window_array_strides;  // their strides in the array
  std::vector<int64_t> window_strides;        // and in the other array
  std::vector<int64_t> batch_strides;         // strides of the batch dims there
};

Spread MakeSpread(const Addressing& addressing, const std::vector<int64_t>& other_dims) {
  Spread spread;
  const std::vector<int64_t> array_strides = RowMajorStrides(addressing.array_dims);
  for (int64_t d : addressing.dims.window_dims) {
    spread.window_dims.push_back(addressing.window[d]);
    spread.window_array_strides.push_back(array_strides[d]);
  }
  const std::vector<int64_t> other_strides = RowMajorStrides(other_dims);
  for (int64_t d : addressing.dims.offset_dims) spread.window_strides.push_back(other_strides[d]);
  for (int64_t d : addressing.dims.batch_dims) spread.batch_strides.push_back(other_strides[d]);
  return spread;
}

// The extent of the window by array dim, from the dims of the updates.
Addressing ScatterAddressing(const ScatterAttributes& scatter, const Shape& array,
                             const Shape& updates) {
  Addressing addressing{GatherDimsOf(scatter, array.rank(), updates.rank()), array.dims(),
                        std::vector<int64_t>(array.rank(), 1)};
  const GatherDims& dims = addressing.dims;
  for (size_t i = 0; i < dims.window_dims.size(); ++i) {
    addressing.window[dims.window_dims[i]] = updates.dim(dims.offset_dims[i]);
  }
  return addressing;
}

bool Fits(const Addressing& addressing, const std::vector<int64_t>& start) {
  for (size_t d = 0; d < start.size(); ++d) {
    if (start[d] < 0 || start[d] > addressing.array_dims[d] - addressing.window[d]) return false;
  }
  return true;
}

// Calls VISIT(array start, updates start) for every window that fits, in row-major order of the
// updates' batch dims.
template <typename Visit>
absl::Status ForEachWindow(const Addressing& addressing, const Spread& spread,
                           const Literal& indices, Visit visit) {
  StartReader reader(addressing, indices);
  const std::vector<int64_t> array_strides = RowMajorStrides(addressing.array_dims);
  const int64_t points = Product(reader.batch_dims());
  for (int64_t p = 0; p < points; ++p, reader.Next()) {
    const std::vector<int64_t> start = reader.Start();
    if (!Fits(addressing, start)) continue;
    ASTITCH_RETURN_IF_ERROR(
        visit(Dot(start, array_strides), Dot(reader.at(), spread.batch_strides)));
  }
  return absl::OkStatus();
}

// Scatter whose combiner takes the update: copies into the arrays, in place where they are
// unshared.
Result Assign(const Instruction& instruction, const Addressing& addressing, const Spread& spread,
              Operands operands, int64_t width) {
  std::vector<Literal> results;
  for (int64_t i = 0; i < width; ++i) results.push_back(std::move(operands[i]));
  for (int64_t i = 0; i < width; ++i) {
    const int bytes = ByteWidth(results[i].shape().element_type());
    std::byte* to = results[i].mutable_bytes().data();
    const std::byte* from = operands[width + 1 + i].bytes().data();
    ASTITCH_RETURN_IF_ERROR(ForEachWindow(
        addressing, spread, operands[width], [&](int64_t array_at, int64_t update_at) {
          CopyBox(spread.window_dims, bytes, from, {update_at, spread.window_strides}, to,
                  {array_at, spread.window_array_strides});
          return absl::OkStatus();
        }));
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

// Scatter with arithmetic: whole arrays as lanes, so that elements hit often are rounded once.
Result CombineInto(const Instruction& instruction, Fold& fold, const Addressing& addressing,
                   const Spread& spread, Operands operands) {
  const int64_t width = fold.width();
  std::vector<std::vector<Lane>> sums;
  for (int64_t i = 0; i < width; ++i) {
    const int64_t n = operands[i].shape().num_elements();
    Decode(operands[i].shape().element_type(), operands[i].bytes().data(), n,
           sums.emplace_back(n).data());
  }
  const int64_t window = Product(spread.window_dims);
  std::vector<int64_t> array_offsets(kLanes), update_offsets(kLanes);
  ASTITCH_RETURN_IF_ERROR(
      ForEachWindow(addressing, spread, operands[width],
                    [&](int64_t array_at, int64_t update_at) -> absl::Status {
                      BoxWalk array(spread.window_dims, spread.window_array_strides);
                      BoxWalk update(spread.window_dims, spread.window_strides);
                      for (int64_t start = 0; start < window; start += kLanes) {
                        const int64_t n = std::min(kLanes, window - start);
                        array.Take(n, array_offsets.data());
                        update.Take(n, update_offsets.data());
                        for (int64_t i = 0; i < width; ++i) {
                          const Literal& updates = operands[width + 1 + i];
                          for (int64_t k = 0; k < n; ++k) {
                            fold.accumulator(i)[k] = sums[i][array_at + array_offsets[k]];
                          }
                          DecodeAt(updates.shape().element_type(), updates.bytes().data(),
                                   update_at, update_offsets.data(), n, fold.value(i));
                        }
                        ASTITCH_RETURN_IF_ERROR(fold.Combine(n));
                        for (int64_t i = 0; i < width; ++i) {
                          for (int64_t k = 0; k < n; ++k) {
                            sums[i][array_at + array_offsets[k]] = fold.accumulator(i)[k];
                          }
                        }
                      }
                      return absl::OkStatus();
                    }));
  std::vector<Literal> results;
  const std::vector<const Shape*> shapes = instruction.shape().Leaves();
  for (int64_t i = 0; i < width; ++i) {
    Literal& result = results.emplace_back(*shapes[i]);
    Encode(shapes[i]->element_type(), sums[i].data(), static_cast<int64_t>(sums[i].size()),
           result.mutable_bytes().data());
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace

Result EvalGather(const Instruction& instruction, Operands operands) {
  const auto& gather = instruction.as<GatherAttributes>();
  Literal result(instruction.shape());
  if (result.shape().num_elements() == 0) return result;
  const Shape& array = operands[0].shape();
  const Addressing addressing{GatherDimsOf(gather, array.rank(), result.shape().rank()),
                              array.dims(), gather.slice_sizes};
  const Spread spread = MakeSpread(addressing, result.shape().dims());
  const int width = ByteWidth(result.shape().element_type());
  const std::vector<int64_t> array_strides = RowMajorStrides(addressing.array_dims);
  StartReader reader(addressing, operands[1]);
  const int64_t points = Product(reader.batch_dims());
  std::byte* to = result.mutable_bytes().data();
  for (int64_t p = 0; p < points; ++p, reader.Next()) {
    std::vector<int64_t> start = reader.Start();
    for (size_t d = 0; d < start.size(); ++d) {
      start[d] = std::clamp<int64_t>(start[d], 0, addressing.array_dims[d] - addressing.window[d]);
    }
    CopyBox(spread.window_dims, width, operands[0].bytes().data(),
            {Dot(start, array_strides), spread.window_array_strides}, to,
            {Dot(reader.at(), spread.batch_strides), spread.window_strides});
  }
  return result;
}

Result EvalScatter(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(Fold fold, Fold::Make(context, *instruction.called()[0]));
  const auto& scatter = instruction.as<ScatterAttributes>();
  const int64_t width = fold.width();
  const Shape& updates = operands[width + 1].shape();
  const Addressing addressing = ScatterAddressing(scatter, operands[0].shape(), updates);
  const Spread spread = MakeSpread(addressing, updates.dims());
  if (fold.assigns()) return Assign(instruction, addressing, spread, operands, width);
  return CombineInto(instruction, fold, addressing, spread, operands);
}

}  // namespace astitch::interp
