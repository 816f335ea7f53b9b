// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The families of InferShape, one file each, and the questions they share.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "astitch/shape.h"
#include "ir/attributes.h"
#include "ir/graph.h"
#include "ir/opcode.h"

namespace astitch {

// One operation whose result is asked for. The operand count has been compared with the opcode's.
struct InferenceInput {
  Opcode opcode;
  absl::Span<Instruction* const> operands;
  const Attributes& attributes;
  absl::Span<Computation* const> called;

  int64_t size() const { return static_cast<int64_t>(operands.size()); }
  const Shape& shape(int64_t i) const { return operands[i]->shape(); }
};

absl::StatusOr<Shape> InferUnary(const InferenceInput& in);
absl::StatusOr<Shape> InferBinary(const InferenceInput& in);
absl::StatusOr<Shape> InferCompare(const InferenceInput& in);
absl::StatusOr<Shape> InferComplex(const InferenceInput& in);
absl::StatusOr<Shape> InferClamp(const InferenceInput& in);
absl::StatusOr<Shape> InferSelect(const InferenceInput& in);
absl::StatusOr<Shape> InferReducePrecision(const InferenceInput& in);

absl::StatusOr<Shape> InferTranspose(const InferenceInput& in);
absl::StatusOr<Shape> InferReverse(const InferenceInput& in);
absl::StatusOr<Shape> InferConcatenate(const InferenceInput& in);
absl::StatusOr<Shape> InferSlice(const InferenceInput& in);
absl::StatusOr<Shape> InferPad(const InferenceInput& in);
absl::StatusOr<Shape> InferDynamicSlice(const InferenceInput& in);
absl::StatusOr<Shape> InferDynamicUpdateSlice(const InferenceInput& in);
absl::StatusOr<Shape> InferGetDimensionSize(const InferenceInput& in);
absl::StatusOr<Shape> InferSetDimensionSize(const InferenceInput& in);

absl::StatusOr<Shape> InferGather(const InferenceInput& in);
absl::StatusOr<Shape> InferScatter(const InferenceInput& in);

absl::StatusOr<Shape> InferReduce(const InferenceInput& in);
absl::StatusOr<Shape> InferReduceWindow(const InferenceInput& in);
absl::StatusOr<Shape> InferSelectAndScatter(const InferenceInput& in);
absl::StatusOr<Shape> InferMap(const InferenceInput& in);
absl::StatusOr<Shape> InferScan(const InferenceInput& in);
absl::StatusOr<Shape> InferBatchNorm(const InferenceInput& in);

absl::StatusOr<Shape> InferDot(const InferenceInput& in);
absl::StatusOr<Shape> InferRaggedDot(const InferenceInput& in);
absl::StatusOr<Shape> InferScaledDot(const InferenceInput& in);
absl::StatusOr<Shape> InferConvolution(const InferenceInput& in);

absl::StatusOr<Shape> InferSort(const InferenceInput& in);
absl::StatusOr<Shape> InferTopK(const InferenceInput& in);
absl::StatusOr<Shape> InferFft(const InferenceInput& in);
absl::StatusOr<Shape> InferCholesky(const InferenceInput& in);
absl::StatusOr<Shape> InferTriangularSolve(const InferenceInput& in);

absl::StatusOr<Shape> InferTuple(const InferenceInput& in);
absl::StatusOr<Shape> InferGetTupleElement(const InferenceInput& in);
absl::StatusOr<Shape> InferWhile(const InferenceInput& in);
absl::StatusOr<Shape> InferConditional(const InferenceInput& in);
absl::StatusOr<Shape> InferCall(const InferenceInput& in);
absl::StatusOr<Shape> InferAfterAll(const InferenceInput& in);
absl::StatusOr<Shape> InferAddDependency(const InferenceInput& in);

// ---- Questions

// "expected EXPECTED, got GOT".
absl::Status Expected(absl::string_view expected, absl::string_view got);
// "[2,3]", "{0,1}".
std::string DimsText(absl::Span<const int64_t> dims);
std::string ListText(absl::Span<const int64_t> list);

// Operand I is an array.
absl::Status ExpectArray(const InferenceInput& in, int64_t i);
absl::Status ExpectArrays(const InferenceInput& in);
// Operand I is an array of exactly these dimensions.
absl::Status ExpectDims(const InferenceInput& in, int64_t i, absl::Span<const int64_t> dims);
absl::Status ExpectElementType(const InferenceInput& in, int64_t i, ElementType type);
// Operand I is an array of integers.
absl::Status ExpectIntegers(const InferenceInput& in, int64_t i);

// Every entry of LIST, the attribute called WHAT, is a dimension of RANK and stands there once.
absl::Status ExpectDistinctDims(absl::string_view what, absl::Span<const int64_t> list,
                                int64_t rank);
absl::Status ExpectAscending(absl::string_view what, absl::Span<const int64_t> list);
absl::Status ExpectLength(absl::string_view what, int64_t length, int64_t expected);

// The COUNT bodies are there and have roots.
absl::Status ExpectBodies(const InferenceInput& in, int64_t count);

// One type when equal, the wider of two floats of different width.
absl::StatusOr<ElementType> CommonType(const InferenceInput& in, int64_t i, int64_t j);

// The attribute struct of the family; an error, not a crash, when the instruction carries another.
template <typename T>
absl::StatusOr<const T*> AttributesOf(const InferenceInput& in) {
  if (const T* value = std::get_if<T>(&in.attributes)) return value;
  return Expected(absl::StrCat("the attributes of ", ToString(in.opcode)), "others or none");
}

}  // namespace astitch
