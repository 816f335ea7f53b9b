// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One function an opcode; each gives the replacement, or null where nothing folds. All work on
// starts, limits and strides and let AddSlice notice that a slice is the whole operand, so the
// functions need no special case for it.
#include "passes/fold_slice.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/constants.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// A slice of SOURCE; the source itself when that is all of it.
Instruction* AddSlice(Rewriter& rewriter, const Instruction& origin, const Shape& result,
                      Instruction* source, SliceAttributes attributes) {
  const bool whole = source->shape().dims() == result.dims();
  if (whole) return source;
  return rewriter.Add(origin, Opcode::kSlice, Shape::Array(result.element_type(), result.dims()),
                      {source}, std::move(attributes));
}

Instruction* FoldSliceOfSlice(Rewriter& rewriter, const Instruction& slice) {
  const Instruction& inner = *slice.operand(0);
  const auto& a = inner.as<SliceAttributes>();
  SliceAttributes merged = slice.as<SliceAttributes>();
  for (int64_t d = 0; d < slice.shape().rank(); ++d) {
    merged.starts[d] = a.starts[d] + merged.starts[d] * a.strides[d];
    // An empty or one-element dimension may have any stride, and a product could overflow.
    const int64_t size = slice.shape().dim(d);
    merged.strides[d] = size > 1 ? merged.strides[d] * a.strides[d] : 1;
    merged.limits[d] = merged.starts[d] + (size == 0 ? 0 : (size - 1) * merged.strides[d] + 1);
    merged.starts[d] = std::min(merged.starts[d], inner.operand(0)->shape().dim(d));
    merged.limits[d] = std::min(merged.limits[d], inner.operand(0)->shape().dim(d));
  }
  return AddSlice(rewriter, slice, slice.shape(), inner.operand(0), std::move(merged));
}

// The slice reads one operand of the concatenation only.
Instruction* FoldSliceOfConcatenate(Rewriter& rewriter, const Instruction& slice) {
  const Instruction& concatenate = *slice.operand(0);
  const int64_t dim = concatenate.dimensions()[0];
  SliceAttributes attributes = slice.as<SliceAttributes>();
  if (slice.shape().dim(dim) == 0) return nullptr;
  int64_t begin = 0;
  for (Instruction* piece : concatenate.operands()) {
    const int64_t end = begin + piece->shape().dim(dim);
    if (attributes.starts[dim] < end) {
      if (attributes.starts[dim] < begin || attributes.limits[dim] > end) return nullptr;
      attributes.starts[dim] -= begin;
      attributes.limits[dim] -= begin;
      return AddSlice(rewriter, slice, slice.shape(), piece, std::move(attributes));
    }
    begin = end;
  }
  return nullptr;
}

Instruction* FoldStaticSlice(Rewriter& rewriter, Instruction& slice) {
  Instruction* operand = slice.operand(0);
  if (operand->shape().dims() == slice.shape().dims()) return operand;
  if (!IsStatic(*operand)) return nullptr;
  if (operand->opcode() == Opcode::kSlice) return FoldSliceOfSlice(rewriter, slice);
  if (operand->opcode() == Opcode::kConcatenate) return FoldSliceOfConcatenate(rewriter, slice);
  return nullptr;
}

// B continues the piece A along DIM: both are slices of one value without stride, equal elsewhere.
bool Continues(const Instruction& a, const Instruction& b, int64_t dim) {
  if (a.opcode() != Opcode::kSlice || b.opcode() != Opcode::kSlice ||
      a.operand(0) != b.operand(0)) {
    return false;
  }
  const auto& first = a.as<SliceAttributes>();
  const auto& second = b.as<SliceAttributes>();
  for (int64_t d = 0; d < a.shape().rank(); ++d) {
    if (d == dim) {
      if (first.limits[d] != second.starts[d] || first.strides[d] != 1 || second.strides[d] != 1)
        return false;
    } else if (first.starts[d] != second.starts[d] || first.limits[d] != second.limits[d] ||
               first.strides[d] != second.strides[d]) {
      return false;
    }
  }
  return true;
}

// One slice for pieces [begin, end), each of which continues the one before.
Instruction* JoinPieces(Rewriter& rewriter, const Instruction& concatenate,
                        const std::vector<Instruction*>& pieces, size_t begin, size_t end) {
  if (end - begin == 1) return pieces[begin];
  const int64_t dim = concatenate.dimensions()[0];
  SliceAttributes attributes = pieces[begin]->as<SliceAttributes>();
  attributes.limits[dim] = pieces[end - 1]->as<SliceAttributes>().limits[dim];
  std::vector<int64_t> dims = pieces[begin]->shape().dims();
  dims[dim] = attributes.limits[dim] - attributes.starts[dim];
  return AddSlice(rewriter, concatenate,
                  Shape::Array(concatenate.shape().element_type(), std::move(dims)),
                  pieces[begin]->operand(0), std::move(attributes));
}

Instruction* FoldConcatenate(Rewriter& rewriter, Instruction& concatenate) {
  const int64_t dim = concatenate.dimensions()[0];
  std::vector<Instruction*> pieces;
  for (Instruction* piece : concatenate.operands()) {
    if (piece->shape().dim(dim) != 0) pieces.push_back(piece);
  }
  if (pieces.empty()) pieces.push_back(concatenate.operand(0));
  std::vector<Instruction*> joined;
  for (size_t begin = 0; begin < pieces.size();) {
    size_t end = begin + 1;
    while (end < pieces.size() && Continues(*pieces[end - 1], *pieces[end], dim)) ++end;
    joined.push_back(JoinPieces(rewriter, concatenate, pieces, begin, end));
    begin = end;
  }
  if (joined.size() == 1) return joined[0];
  if (static_cast<int64_t>(joined.size()) == concatenate.num_operands()) return nullptr;
  return rewriter.CloneAs(concatenate, concatenate.shape(), std::move(joined));
}

// A pad that adds nothing is its operand; one that only crops is a slice.
Instruction* FoldPad(Rewriter& rewriter, Instruction& pad) {
  Instruction* operand = pad.operand(0);
  SliceAttributes crop;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const PadAttributes::Dim& padding = pad.as<PadAttributes>().dims[d];
    const bool dilates = padding.interior != 0 && operand->shape().dim(d) > 1;
    if (padding.low > 0 || padding.high > 0 || dilates) return nullptr;
    crop.starts.push_back(-padding.low);
    crop.limits.push_back(operand->shape().dim(d) + padding.high);
    crop.strides.push_back(1);
    if (crop.starts[d] > crop.limits[d]) return nullptr;
  }
  return AddSlice(rewriter, pad, pad.shape(), operand, std::move(crop));
}

Instruction* FoldReverse(Instruction& reverse) {
  Instruction* operand = reverse.operand(0);
  const bool moves = std::any_of(reverse.dimensions().begin(), reverse.dimensions().end(),
                                 [&](int64_t d) { return reverse.shape().dim(d) > 1; });
  if (!moves) return operand;
  const bool undoes =
      operand->opcode() == Opcode::kReverse && operand->dimensions() == reverse.dimensions();
  return undoes ? operand->operand(0) : nullptr;
}

Instruction* FoldDynamicSlice(Rewriter& rewriter, Instruction& slice) {
  Instruction* operand = slice.operand(0);
  if (operand->shape().dims() == slice.shape().dims()) return operand;
  if (slice.num_operands() != operand->shape().rank() + 1) return nullptr;
  SliceAttributes attributes;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const int64_t window = slice.shape().dim(d);
    // A window as large as the dimension has one place, wherever the index points.
    const std::optional<int64_t> start =
        window == operand->shape().dim(d)
            ? std::optional<int64_t>(0)
            : ConstantStart(*slice.operand(d + 1), operand->shape().dim(d), window);
    if (!start.has_value()) return nullptr;
    attributes.starts.push_back(*start);
    attributes.limits.push_back(*start + window);
    attributes.strides.push_back(1);
  }
  return AddSlice(rewriter, slice, slice.shape(), operand, std::move(attributes));
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (!IsStatic(instruction)) return nullptr;
  switch (instruction.opcode()) {
    case Opcode::kSlice:
      return FoldStaticSlice(rewriter, instruction);
    case Opcode::kConcatenate:
      return FoldConcatenate(rewriter, instruction);
    case Opcode::kPad:
      return FoldPad(rewriter, instruction);
    case Opcode::kReverse:
      return FoldReverse(instruction);
    case Opcode::kDynamicSlice:
      return FoldDynamicSlice(rewriter, instruction);
    case Opcode::kDynamicUpdateSlice:
      return instruction.operand(1)->shape().dims() == instruction.shape().dims()
                 ? instruction.operand(1)
                 : nullptr;
    default:  // not a matter of pieces
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> FoldSlice::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
