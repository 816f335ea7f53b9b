// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// GraphBuilder: a tensor program written as C++ calls.
//
//   GraphBuilder b("softmax");
//   Op x = b.Parameter(Shape::Array(ElementType::kF32, {128, 1024}), "x");
//   Op max = b.Reduce(x, {1}, ReduceKind::kMax);
//   Op exp = b.Exponential(b.Subtract(x, b.BroadcastInDim(max, {128, 1024}, {0})));
//   Op sum = b.Reduce(exp, {1}, ReduceKind::kAdd);
//   absl::StatusOr<GraphPtr> graph =
//       b.Build(b.Divide(exp, b.BroadcastInDim(sum, {128, 1024}, {0})));
//
// Errors are kept until Build, which reports the first one with the C++ line of the call that made
// it; calls after an error do nothing. Operations and attribute names are HLO's. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "astitch/element_type.h"
#include "astitch/graph.h"
#include "astitch/literal.h"
#include "astitch/shape.h"

namespace astitch {

class ComputationBuilder;
class GraphBuilder;
class Instruction;

// Where a builder call stands; filled in by the default argument of each method.
struct SourceLoc {
  const char* file;
  int line;
  static constexpr SourceLoc Here(const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
    return {file, line};
  }
};

// One value of the program. Copies name the same value. REQUIRES: its builder is alive.
struct Op {
  Instruction* instruction = nullptr;  // null after an error
};

using Ops = absl::Span<const Op>;
using Dims = absl::Span<const int64_t>;

// Writes a body (of a reduction, loop, branch, ...): it gets its own builder and the body's
// parameters, and returns the body's result. Values of the outer builder are not visible in it.
using BodyFn = std::function<Op(GraphBuilder& body, Ops parameters)>;

enum class ReduceKind : uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr };

struct PadSpec {
  int64_t low = 0, high = 0, interior = 0;
};
struct WindowSpec {
  int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0, base_dilation = 1, window_dilation = 1;
  bool reversal = false;
};
struct DotSpec {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};
struct ConvolutionSpec {
  std::vector<WindowSpec> window;  // spatial dims
  std::string dim_labels;          // "b01f_01io->b01f"
  int64_t feature_group_count = 1, batch_group_count = 1;
};
struct GatherSpec {
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map;
  std::vector<int64_t> operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> slice_sizes;
  bool indices_are_sorted = false;
};
struct ScatterSpec {
  std::vector<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  std::vector<int64_t> input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
};

// Methods of one operand and of two, each named as its opcode: Abs is HLO's abs.
// clang-format off
#define ASTITCH_UNARY_METHODS(X)                                                       \
  X(Abs) X(Acos) X(Acosh) X(Asin) X(Asinh) X(Atan) X(Atanh) X(Cbrt) X(Ceil) X(Copy)    \
  X(Cosh) X(Cosine) X(CountLeadingZeros) X(Erf) X(Exponential) X(ExponentialMinusOne)  \
  X(Floor) X(Imag) X(IsFinite) X(Log) X(LogPlusOne) X(Logistic) X(Negate) X(Not)       \
  X(OptBarrier) X(Popcnt) X(Real) X(RoundNearestAfz) X(RoundNearestEven) X(Rsqrt)      \
  X(Sign) X(Sine) X(Sinh) X(Sqrt) X(Tan) X(Tanh)
#define ASTITCH_BINARY_METHODS(X)                                                      \
  X(Add) X(And) X(Atan2) X(Complex) X(Divide) X(Maximum) X(Minimum) X(Mulhi)           \
  X(Multiply) X(Or) X(Power) X(Remainder) X(ShiftLeft) X(ShiftRightArithmetic)         \
  X(ShiftRightLogical) X(Subtract) X(Xor)
// clang-format on
// The directions of compare.
#define ASTITCH_COMPARE_METHODS(X) X(Eq) X(Ne) X(Lt) X(Le) X(Gt) X(Ge)

// The element type that holds a C++ type's values.
template <typename T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<bool> {
  static constexpr ElementType value = ElementType::kPred;
};
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType value = ElementType::kF32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr ElementType value = ElementType::kF64;
};
template <>
struct ElementTypeOf<int8_t> {
  static constexpr ElementType value = ElementType::kS8;
};
template <>
struct ElementTypeOf<int16_t> {
  static constexpr ElementType value = ElementType::kS16;
};
template <>
struct ElementTypeOf<int32_t> {
  static constexpr ElementType value = ElementType::kS32;
};
template <>
struct ElementTypeOf<int64_t> {
  static constexpr ElementType value = ElementType::kS64;
};
template <>
struct ElementTypeOf<uint8_t> {
  static constexpr ElementType value = ElementType::kU8;
};
template <>
struct ElementTypeOf<uint16_t> {
  static constexpr ElementType value = ElementType::kU16;
};
template <>
struct ElementTypeOf<uint32_t> {
  static constexpr ElementType value = ElementType::kU32;
};
template <>
struct ElementTypeOf<uint64_t> {
  static constexpr ElementType value = ElementType::kU64;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(absl::string_view name);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // Ends building: the graph with ROOT as result, verified, or the first error.
  absl::StatusOr<GraphPtr> Build(Op root, SourceLoc loc = SourceLoc::Here());

  // The shape of a value; a token after an error.
  Shape ShapeOf(Op op) const;

  // ---- Sources

  // Parameters are numbered in the order of these calls.
  Op Parameter(const Shape& shape, absl::string_view name = "", SourceLoc loc = SourceLoc::Here());
  Op ConstantLiteral(Literal value, SourceLoc loc = SourceLoc::Here());
  // A scalar of T's element type: float is f32, double f64, int32_t s32, bool pred, ...
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Op Constant(T value, SourceLoc loc = SourceLoc::Here()) {
    return ConstantArray<T>({&value, 1}, {}, loc);
  }
  // Row-major VALUES. REQUIRES: as many as DIMS say, else an error.
  template <typename T>
  Op ConstantArray(absl::Span<const T> values, Dims dims, SourceLoc loc = SourceLoc::Here()) {
    return ConstantBytes(ElementTypeOf<T>::value, dims, values.data(), values.size() * sizeof(T),
                         loc);
  }
  // A scalar of any real type, rounded to it.
  Op Scalar(ElementType type, double value, SourceLoc loc = SourceLoc::Here());
  // A scalar of X's element type.
  Op ScalarLike(Op x, double value, SourceLoc loc = SourceLoc::Here());
  Op Iota(const Shape& shape, int64_t dimension, SourceLoc loc = SourceLoc::Here());

  // ---- Elementwise. Where one of two operands is a scalar and the other an array, the scalar is
  // broadcast; nothing else is.

#define ASTITCH_X(name) Op name(Op x, SourceLoc loc = SourceLoc::Here());
  ASTITCH_UNARY_METHODS(ASTITCH_X)
#undef ASTITCH_X
#define ASTITCH_X(name) Op name(Op lhs, Op rhs, SourceLoc loc = SourceLoc::Here());
  ASTITCH_BINARY_METHODS(ASTITCH_X)
  ASTITCH_COMPARE_METHODS(ASTITCH_X)
#undef ASTITCH_X
  Op Select(Op predicate, Op on_true, Op on_false, SourceLoc loc = SourceLoc::Here());
  Op Clamp(Op low, Op x, Op high, SourceLoc loc = SourceLoc::Here());
  Op Convert(Op x, ElementType type, SourceLoc loc = SourceLoc::Here());
  // Between types of different width the last dimension appears or vanishes.
  Op BitcastConvert(Op x, ElementType type, SourceLoc loc = SourceLoc::Here());
  Op ReducePrecision(Op x, int64_t exponent_bits, int64_t mantissa_bits,
                     SourceLoc loc = SourceLoc::Here());

  // ---- Movement

  // X repeated along new leading dimensions SIZES.
  Op Broadcast(Op x, Dims sizes, SourceLoc loc = SourceLoc::Here());
  // Dimension i of X becomes dimension dimensions[i] of the result, of the same size.
  Op BroadcastInDim(Op x, Dims dims, Dims dimensions, SourceLoc loc = SourceLoc::Here());
  Op Reshape(Op x, Dims dims, SourceLoc loc = SourceLoc::Here());
  Op Transpose(Op x, Dims permutation, SourceLoc loc = SourceLoc::Here());
  Op Reverse(Op x, Dims dimensions, SourceLoc loc = SourceLoc::Here());
  // Strides are 1 when none are given.
  Op Slice(Op x, Dims starts, Dims limits, Dims strides = {}, SourceLoc loc = SourceLoc::Here());
  Op DynamicSlice(Op x, Ops starts, Dims sizes, SourceLoc loc = SourceLoc::Here());
  Op DynamicUpdateSlice(Op x, Op update, Ops starts, SourceLoc loc = SourceLoc::Here());
  Op Pad(Op x, Op value, absl::Span<const PadSpec> padding, SourceLoc loc = SourceLoc::Here());
  Op Concatenate(Ops parts, int64_t dimension, SourceLoc loc = SourceLoc::Here());
  Op Gather(Op operand, Op indices, const GatherSpec& spec, SourceLoc loc = SourceLoc::Here());
  // COMBINE takes the old element and the update.
  Op Scatter(Op operand, Op indices, Op updates, const ScatterSpec& spec, const BodyFn& combine,
             SourceLoc loc = SourceLoc::Here());

  // ---- Reductions and contractions

  // Folds DIMENSIONS with KIND, from its neutral element.
  Op Reduce(Op x, Dims dimensions, ReduceKind kind, SourceLoc loc = SourceLoc::Here());
  // BODY takes all accumulators, then all values, and returns one scalar, or for several arrays a
  // tuple of them.
  Op Reduce(Ops arrays, Ops inits, Dims dimensions, const BodyFn& body,
            SourceLoc loc = SourceLoc::Here());
  Op ReduceWindow(Op x, absl::Span<const WindowSpec> window, ReduceKind kind,
                  SourceLoc loc = SourceLoc::Here());
  // BEFORE takes two elements of each array, adjacent, and says whether the first comes first.
  Op Sort(Ops arrays, int64_t dimension, bool is_stable, const BodyFn& before,
          SourceLoc loc = SourceLoc::Here());
  Op TopK(Op x, int64_t k, bool largest = true, SourceLoc loc = SourceLoc::Here());
  // Matrix product over the last dimension of LHS and the first of RHS (of vectors too).
  Op Dot(Op lhs, Op rhs, SourceLoc loc = SourceLoc::Here());
  Op DotGeneral(Op lhs, Op rhs, const DotSpec& spec, SourceLoc loc = SourceLoc::Here());
  // The same, accumulated and returned in a wider type.
  Op DotGeneral(Op lhs, Op rhs, const DotSpec& spec, ElementType result,
                SourceLoc loc = SourceLoc::Here());
  Op Convolution(Op lhs, Op rhs, const ConvolutionSpec& spec, SourceLoc loc = SourceLoc::Here());

  // ---- Tuples and control flow

  Op Tuple(Ops elements, SourceLoc loc = SourceLoc::Here());
  Op GetTupleElement(Op tuple, int64_t index, SourceLoc loc = SourceLoc::Here());
  // CONDITION and BODY take the state; BODY returns the next one.
  Op While(Op init, const BodyFn& condition, const BodyFn& body, SourceLoc loc = SourceLoc::Here());
  // Each branch takes its own argument.
  Op Conditional(Op predicate, Op true_argument, const BodyFn& on_true, Op false_argument,
                 const BodyFn& on_false, SourceLoc loc = SourceLoc::Here());
  // Branch INDEX (s32), the last one when out of range.
  Op Switch(Op index, Ops arguments, absl::Span<const BodyFn> branches,
            SourceLoc loc = SourceLoc::Here());
  Op Call(Ops arguments, const BodyFn& body, SourceLoc loc = SourceLoc::Here());

 private:
  friend class ComputationBuilder;
  explicit GraphBuilder(std::unique_ptr<ComputationBuilder> impl);
  Op ConstantBytes(ElementType type, Dims dims, const void* data, size_t num_bytes, SourceLoc loc);

  std::unique_ptr<ComputationBuilder> impl_;
};

}  // namespace astitch
