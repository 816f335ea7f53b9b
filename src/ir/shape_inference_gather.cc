// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// gather and scatter: the two lists of dimension roles are checked by the same code, since scatter
// is gather's addressing with the result's place taken by the updates.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/gather_dims.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

// How the attribute lists of one of the two operations are called in messages.
struct Words {
  const char *offset, *collapsed, *index_map, *operand_batching, *indices_batching;
};
constexpr Words kGatherWords = {"offset_dims", "collapsed_slice_dims", "start_index_map",
                                "operand_batching_dims", "start_indices_batching_dims"};
constexpr Words kScatterWords = {"update_window_dims", "inserted_window_dims",
                                 "scatter_dims_to_operand_dims", "input_batching_dims",
                                 "scatter_indices_batching_dims"};

bool Contains(const std::vector<int64_t>& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// The indices' dims with the implicit trailing 1 when index_vector_dim is their rank.
std::vector<int64_t> IndicesDims(const Shape& indices, int64_t index_vector_dim) {
  std::vector<int64_t> dims = indices.dims();
  if (index_vector_dim == indices.rank()) dims.push_back(1);
  return dims;
}

absl::Status CheckOperandLists(const GatherDims& dims, const Words& words, int64_t rank) {
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims(words.collapsed, dims.collapsed_dims, rank));
  ASTITCH_RETURN_IF_ERROR(ExpectAscending(words.collapsed, dims.collapsed_dims));
  ASTITCH_RETURN_IF_ERROR(
      ExpectDistinctDims(words.operand_batching, dims.operand_batching_dims, rank));
  ASTITCH_RETURN_IF_ERROR(ExpectAscending(words.operand_batching, dims.operand_batching_dims));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims(words.index_map, dims.start_index_map, rank));
  for (int64_t d : dims.operand_batching_dims) {
    if (Contains(dims.collapsed_dims, d))
      return Expected(absl::StrCat(words.operand_batching, " apart from ", words.collapsed),
                      absl::StrCat(d, " in both"));
    if (Contains(dims.start_index_map, d))
      return Expected(absl::StrCat(words.operand_batching, " apart from ", words.index_map),
                      absl::StrCat(d, " in both"));
  }
  return absl::OkStatus();
}

absl::Status CheckIndices(const GatherDims& dims, const Words& words, const Shape& operand,
                          const Shape& indices) {
  const int64_t k = dims.index_vector_dim;
  if (k < 0 || k > indices.rank())
    return Expected(absl::StrCat("index_vector_dim of at most ", indices.rank()), absl::StrCat(k));
  const std::vector<int64_t> sizes = IndicesDims(indices, k);
  ASTITCH_RETURN_IF_ERROR(ExpectLength(absl::StrCat("entries of ", words.index_map),
                                       static_cast<int64_t>(dims.start_index_map.size()),
                                       sizes[k]));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims(words.indices_batching, dims.indices_batching_dims,
                                             static_cast<int64_t>(sizes.size())));
  ASTITCH_RETURN_IF_ERROR(ExpectLength(absl::StrCat("entries of ", words.indices_batching),
                                       static_cast<int64_t>(dims.indices_batching_dims.size()),
                                       static_cast<int64_t>(dims.operand_batching_dims.size())));
  for (size_t t = 0; t < dims.indices_batching_dims.size(); ++t) {
    const int64_t from = dims.indices_batching_dims[t], to = dims.operand_batching_dims[t];
    if (from == k)
      return Expected(absl::StrCat(words.indices_batching, " without the index vector's dim"),
                      absl::StrCat(from));
    if (sizes[from] != operand.dim(to))
      return Expected(absl::StrCat("batching dims of one size, ", operand.dim(to)),
                      absl::StrCat(sizes[from]));
  }
  return absl::OkStatus();
}

// The sizes of the batch dims: the indices' dims without the index vector's.
std::vector<int64_t> BatchSizes(const Shape& indices, int64_t index_vector_dim) {
  std::vector<int64_t> sizes = IndicesDims(indices, index_vector_dim);
  sizes.erase(sizes.begin() + index_vector_dim);
  return sizes;
}

absl::Status CheckSliceSizes(const GatherDims& dims, const std::vector<int64_t>& slice_sizes,
                             const Shape& operand) {
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("slice_sizes", static_cast<int64_t>(slice_sizes.size()), operand.rank()));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (slice_sizes[d] < 0 || slice_sizes[d] > operand.dim(d))
      return Expected(absl::StrCat("slice_sizes within ", DimsText(operand.dims())),
                      ListText(slice_sizes));
    const bool dropped =
        Contains(dims.collapsed_dims, d) || Contains(dims.operand_batching_dims, d);
    if (dropped && slice_sizes[d] > 1)
      return Expected(absl::StrCat("slice size 1 in the dropped dimension ", d),
                      absl::StrCat(slice_sizes[d]));
  }
  return absl::OkStatus();
}

// Operands share their dims, updates theirs; all pairs agree in type.
absl::Status CheckScatterOperands(const InferenceInput& in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, in.shape(0).dims()));
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, n + 1 + i, in.shape(n + 1).dims()));
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, n + 1 + i, in.shape(i).element_type()));
  }
  return absl::OkStatus();
}

absl::Status CheckUpdates(const GatherDims& dims, const Shape& operand, const Shape& indices,
                          const Shape& updates) {
  const std::vector<int64_t> batch = BatchSizes(indices, dims.index_vector_dim);
  ASTITCH_RETURN_IF_ERROR(ExpectLength("update_window_dims",
                                       static_cast<int64_t>(dims.offset_dims.size()),
                                       static_cast<int64_t>(dims.window_dims.size())));
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("dimensions of the updates", updates.rank(),
                   static_cast<int64_t>(batch.size() + dims.window_dims.size())));
  for (size_t i = 0; i < batch.size(); ++i) {
    if (updates.dim(dims.batch_dims[i]) != batch[i])
      return Expected(
          absl::StrCat("size ", batch[i], " in dimension ", dims.batch_dims[i], " of the updates"),
          updates.ToString(false));
  }
  for (size_t i = 0; i < dims.window_dims.size(); ++i) {
    const int64_t bound = operand.dim(dims.window_dims[i]);
    if (updates.dim(dims.offset_dims[i]) > bound)
      return Expected(absl::StrCat("a window of at most ", bound, " in dimension ",
                                   dims.offset_dims[i], " of the updates"),
                      updates.ToString(false));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferGather(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const GatherAttributes* gather, AttributesOf<GatherAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  ASTITCH_RETURN_IF_ERROR(ExpectIntegers(in, 1));
  const Shape &operand = in.shape(0), &indices = in.shape(1);
  const int64_t num_offsets = static_cast<int64_t>(gather->offset_dims.size());
  // The result's rank does not depend on the lists being right; an absurd index_vector_dim is
  // refused by CheckIndices before it is used.
  const int64_t num_batch = indices.rank() - (gather->index_vector_dim == indices.rank() ? 0 : 1);
  const int64_t rank = std::max<int64_t>(num_batch, 0) + num_offsets;
  const GatherDims dims = GatherDimsOf(*gather, operand.rank(), rank);
  ASTITCH_RETURN_IF_ERROR(CheckOperandLists(dims, kGatherWords, operand.rank()));
  ASTITCH_RETURN_IF_ERROR(CheckIndices(dims, kGatherWords, operand, indices));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims(kGatherWords.offset, dims.offset_dims, rank));
  ASTITCH_RETURN_IF_ERROR(ExpectAscending(kGatherWords.offset, dims.offset_dims));
  ASTITCH_RETURN_IF_ERROR(ExpectLength(kGatherWords.offset, num_offsets,
                                       static_cast<int64_t>(dims.window_dims.size())));
  ASTITCH_RETURN_IF_ERROR(CheckSliceSizes(dims, gather->slice_sizes, operand));
  std::vector<int64_t> out(rank);
  const std::vector<int64_t> batch = BatchSizes(indices, dims.index_vector_dim);
  for (size_t i = 0; i < batch.size(); ++i) out[dims.batch_dims[i]] = batch[i];
  for (int64_t i = 0; i < num_offsets; ++i)
    out[dims.offset_dims[i]] = gather->slice_sizes[dims.window_dims[i]];
  return Shape::Array(operand.element_type(), std::move(out));
}

absl::StatusOr<Shape> InferScatter(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const ScatterAttributes* scatter, AttributesOf<ScatterAttributes>(in));
  if (in.size() % 2 == 0 || in.size() < 3)
    return Expected("arrays, indices and as many updates as arrays",
                    absl::StrCat(in.size(), " operands"));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const int64_t n = in.size() / 2;
  ASTITCH_RETURN_IF_ERROR(ExpectIntegers(in, n));
  ASTITCH_RETURN_IF_ERROR(CheckScatterOperands(in, n));
  const Shape &operand = in.shape(0), &indices = in.shape(n), &updates = in.shape(n + 1);
  const GatherDims dims = GatherDimsOf(*scatter, operand.rank(), updates.rank());
  ASTITCH_RETURN_IF_ERROR(CheckOperandLists(dims, kScatterWords, operand.rank()));
  ASTITCH_RETURN_IF_ERROR(CheckIndices(dims, kScatterWords, operand, indices));
  ASTITCH_RETURN_IF_ERROR(
      ExpectDistinctDims(kScatterWords.offset, dims.offset_dims, updates.rank()));
  ASTITCH_RETURN_IF_ERROR(ExpectAscending(kScatterWords.offset, dims.offset_dims));
  ASTITCH_RETURN_IF_ERROR(CheckUpdates(dims, operand, indices, updates));
  std::vector<Shape> results;
  for (int64_t i = 0; i < n; ++i)
    results.push_back(Shape::Array(in.shape(i).element_type(), in.shape(i).dims()));
  return n == 1 ? results[0] : Shape::Tuple(std::move(results));
}

}  // namespace astitch
