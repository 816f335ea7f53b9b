// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tables of operations with the shape they give or the refusal they meet.
#include "ir/shape_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/convolution_dims.h"
#include "ir/window.h"

namespace astitch {
namespace {

using E = ElementType;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

Shape F32(std::vector<int64_t> dims) { return Shape::Array(E::kF32, std::move(dims)); }
Shape S32(std::vector<int64_t> dims) { return Shape::Array(E::kS32, std::move(dims)); }
Shape Of(E type, std::vector<int64_t> dims) { return Shape::Array(type, std::move(dims)); }

// A graph that keeps the operands and bodies of one inference alive.
class Bench {
 public:
  Computation* Body(const std::vector<Shape>& parameters, const Shape& result) {
    Computation* body = graph_.AddComputation("body");
    for (size_t i = 0; i < parameters.size(); ++i)
      body->Add(Opcode::kParameter, parameters[i], {}, ParameterAttributes{(int64_t)i});
    body->set_root(body->Add(Opcode::kCustomCall, result, {}, CustomCallAttributes{"any", {}}));
    return body;
  }

  std::string Infer(Opcode opcode, const std::vector<Shape>& shapes, Attributes attributes,
                    std::vector<Computation*> called = {}) {
    Computation* main = graph_.AddComputation("main");
    std::vector<Instruction*> operands;
    for (size_t i = 0; i < shapes.size(); ++i)
      operands.push_back(
          main->Add(Opcode::kParameter, shapes[i], {}, ParameterAttributes{(int64_t)i}));
    const absl::StatusOr<Shape> shape = InferShape(opcode, operands, attributes, called);
    return shape.ok() ? shape->ToString(false) : std::string(shape.status().message());
  }

 private:
  Graph graph_{"bench"};
};

struct Case {
  Opcode opcode;
  std::vector<Shape> operands;
  Attributes attributes;
  std::string expected;
};

void RunCases(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Bench bench;
    EXPECT_EQ(bench.Infer(c.opcode, c.operands, c.attributes), c.expected) << c.opcode;
  }
}

TEST(InferShape, ElementwiseNeedsEqualDimsAndFittingTypes) {
  const CompareAttributes lt{ComparisonDirection::kLt, ComparisonType::kFloat};
  const CompareAttributes total{ComparisonDirection::kLt, ComparisonType::kTotalOrder};
  RunCases({
      {Opcode::kTanh, {F32({2, 3})}, {}, "f32[2,3]"},
      {Opcode::kAbs, {Of(E::kC64, {2})}, {}, "f32[2]"},
      {Opcode::kIsFinite, {F32({2})}, {}, "pred[2]"},
      {Opcode::kTanh, {S32({2})}, {}, "expected float or complex elements for tanh, got s32[2]"},
      {Opcode::kAbs,
       {Of(E::kU8, {})},
       {},
       "expected signed integer or float or complex elements for abs, got u8[]"},
      {Opcode::kTanh, {Shape::Tuple({})}, {}, "expected an array for operand 0 of tanh, got ()"},
      {Opcode::kTanh, {}, {}, "expected 1 operands of tanh, got 0"},
      {Opcode::kAdd, {F32({0, 3}), F32({0, 3})}, {}, "f32[0,3]"},
      {Opcode::kAdd, {Of(E::kBF16, {2}), F32({2})}, {}, "f32[2]"},
      {Opcode::kAdd,
       {F32({2}), F32({1})},
       {},
       "expected dimensions [2] for operand 1 of add, got f32[1]"},
      {Opcode::kAdd,
       {Of(E::kF16, {2}), Of(E::kBF16, {2})},
       {},
       "expected f16 for operand 1 of add, got bf16[2]"},
      {Opcode::kAdd, {S32({2}), F32({2})}, {}, "expected s32 for operand 1 of add, got f32[2]"},
      {Opcode::kSubtract,
       {Of(E::kPred, {}), Of(E::kPred, {})},
       {},
       "expected integer or float or complex elements for subtract, got pred[]"},
      {Opcode::kCompare, {F32({2}), F32({2})}, lt, "pred[2]"},
      {Opcode::kCompare, {F32({2}), F32({2})}, total, "pred[2]"},
      {Opcode::kCompare,
       {S32({2}), S32({2})},
       total,
       "expected a comparison type that fits the elements, got another for s32[2]"},
      {Opcode::kCompare,
       {Of(E::kC64, {}), Of(E::kC64, {})},
       lt,
       "expected direction EQ or NE for complex elements, got an ordering"},
      {Opcode::kCompare,
       {F32({2}), F32({2})},
       {},
       "expected the attributes of compare, got others or none"},
      {Opcode::kComplex, {F32({2}), F32({2})}, {}, "c64[2]"},
      {Opcode::kSelect, {Of(E::kPred, {}), F32({2}), F32({2})}, {}, "f32[2]"},
      {Opcode::kSelect,
       {S32({2}), F32({2}), F32({2})},
       {},
       "expected pred for operand 0 of select, got s32[2]"},
      {Opcode::kClamp, {F32({}), F32({2}), F32({2})}, {}, "f32[2]"},
      {Opcode::kClamp,
       {F32({3}), F32({2}), F32({2})},
       {},
       "expected dimensions [2] for operand 0 of clamp, got f32[3]"},
      {Opcode::kReducePrecision, {F32({2})}, ReducePrecisionAttributes{5, 10}, "f32[2]"},
      {Opcode::kReducePrecision,
       {F32({2})},
       ReducePrecisionAttributes{0, 10},
       "expected exponent_bits of at least 1, got 0"},
  });
}

TEST(InferShape, MovementStaysInsideTheOperand) {
  RunCases({
      {Opcode::kTranspose, {F32({2, 3, 4})}, DimensionsAttributes{{2, 0, 1}}, "f32[4,2,3]"},
      {Opcode::kTranspose,
       {F32({2, 3})},
       DimensionsAttributes{{1, 1}},
       "expected distinct dimensions, got {1,1}"},
      {Opcode::kTranspose,
       {F32({2, 3})},
       DimensionsAttributes{{1}},
       "expected 2 dimensions, got 1"},
      {Opcode::kReverse,
       {F32({2})},
       DimensionsAttributes{{-1}},
       "expected dimensions below the rank 1, got -1"},
      {Opcode::kConcatenate, {F32({2, 3}), F32({0, 3})}, DimensionsAttributes{{0}}, "f32[2,3]"},
      {Opcode::kConcatenate,
       {F32({2, 3}), F32({2, 4})},
       DimensionsAttributes{{0}},
       "expected dimensions [2,3] for operand 1 of concatenate, got f32[2,4]"},
      {Opcode::kConcatenate,
       {F32({kHuge}), F32({1})},
       DimensionsAttributes{{0}},
       "expected a concatenated size below 2^63, got an overflow"},
      {Opcode::kConcatenate,
       {},
       DimensionsAttributes{{0}},
       "expected an operand of concatenate, got none"},
      {Opcode::kSlice, {F32({10})}, SliceAttributes{{1}, {9}, {3}}, "f32[3]"},
      {Opcode::kSlice, {F32({10})}, SliceAttributes{{4}, {4}, {1}}, "f32[0]"},
      {Opcode::kSlice, {F32({10})}, SliceAttributes{{0}, {10}, {kHuge}}, "f32[1]"},
      {Opcode::kSlice,
       {F32({10})},
       SliceAttributes{{4}, {11}, {1}},
       "expected 0 <= start <= limit <= 10 and stride >= 1, got [4:11:1] for dimension 0"},
      {Opcode::kPad, {F32({3}), F32({})}, PadAttributes{{{-1, 2, 1}}}, "f32[6]"},
      {Opcode::kPad, {F32({1}), F32({})}, PadAttributes{{{1, 0, 3}}}, "f32[2]"},
      {Opcode::kPad, {F32({0}), F32({})}, PadAttributes{{{2, 1, 4}}}, "f32[3]"},
      {Opcode::kPad,
       {F32({3}), F32({})},
       PadAttributes{{{-4, 0, 0}}},
       "expected a padded size of at least 0, got -1"},
      {Opcode::kPad,
       {F32({3}), F32({})},
       PadAttributes{{{kHuge, kHuge, 0}}},
       "expected a padded size below 2^63, got an overflow"},
      {Opcode::kDynamicSlice,
       {F32({4, 5}), S32({}), S32({})},
       DynamicSliceAttributes{{1, 5}},
       "f32[1,5]"},
      {Opcode::kDynamicSlice, {F32({4, 5}), S32({2})}, DynamicSliceAttributes{{1, 5}}, "f32[1,5]"},
      {Opcode::kDynamicSlice,
       {F32({4, 5}), S32({})},
       DynamicSliceAttributes{{1, 5}},
       "expected 2 start indices, got 1"},
      {Opcode::kDynamicSlice,
       {F32({4}), S32({})},
       DynamicSliceAttributes{{5}},
       "expected dynamic_slice_sizes within [4], got {5}"},
      {Opcode::kDynamicUpdateSlice, {F32({4}), F32({2}), S32({})}, {}, "f32[4]"},
      {Opcode::kDynamicUpdateSlice,
       {F32({4}), F32({5}), S32({})},
       {},
       "expected an update that fits into f32[4], got f32[5]"},
      {Opcode::kGetDimensionSize, {F32({4})}, DimensionsAttributes{{0}}, "s32[]"},
  });
}

TEST(InferShape, GatherAndScatterPlaceBatchAndOffsetDims) {
  GatherAttributes batched{{2}, {1}, {1}, {0}, {0}, 2, {1, 1, 4}};
  GatherAttributes unordered = batched;
  unordered.offset_dims = {2, 1};
  GatherAttributes overlap = batched;
  overlap.start_index_map = {0};
  GatherAttributes wide = batched;
  wide.slice_sizes = {1, 2, 4};
  GatherAttributes far = batched;
  far.index_vector_dim = 9;
  GatherAttributes outside = batched;
  outside.offset_dims = {kHuge};
  const std::vector<Shape> operands = {F32({2, 3, 4}), S32({2, 2, 1})};
  const ScatterAttributes rows{{1}, {0}, {0}, {}, {}, 1};
  RunCases({
      {Opcode::kGather, operands, batched, "f32[2,2,4]"},
      {Opcode::kGather,
       {F32({9}), S32({5})},
       GatherAttributes{{1}, {}, {0}, {}, {}, 1, {3}},
       "f32[5,3]"},
      {Opcode::kGather, operands, unordered, "expected ascending offset_dims, got {2,1}"},
      {Opcode::kGather, operands, overlap,
       "expected operand_batching_dims apart from start_index_map, got 0 in both"},
      {Opcode::kGather, operands, wide, "expected slice size 1 in the dropped dimension 1, got 2"},
      {Opcode::kGather, operands, far, "expected index_vector_dim of at most 3, got 9"},
      {Opcode::kGather, operands, outside,
       "expected offset_dims below the rank 3, got 9223372036854775807"},
      {Opcode::kGather,
       {F32({2}), F32({1})},
       batched,
       "expected integers for operand 1 of gather, got f32[1]"},
      {Opcode::kScatter, {F32({8, 4}), S32({3, 1}), F32({3, 2})}, rows, "f32[8,4]"},
      {Opcode::kScatter,
       {F32({8, 4}), S32({8, 4}), S32({3, 1}), F32({3, 2}), S32({3, 2})},
       rows,
       "(f32[8,4], s32[8,4])"},
      {Opcode::kScatter,
       {F32({8, 4}), S32({3, 1}), F32({3, 5})},
       rows,
       "expected a window of at most 4 in dimension 1 of the updates, got f32[3,5]"},
      {Opcode::kScatter,
       {F32({8, 4}), S32({3, 1}), F32({2, 4})},
       rows,
       "expected size 3 in dimension 0 of the updates, got f32[2,4]"},
      {Opcode::kScatter,
       {F32({8, 4}), S32({3, 1})},
       rows,
       "expected arrays, indices and as many updates as arrays, got 2 operands"},
  });
}

TEST(InferShape, ContractionsKeepBatchThenFreeDims) {
  DotAttributes matmul;
  matmul.lhs_contracting = {1};
  matmul.rhs_contracting = {0};
  DotAttributes batch = matmul;
  batch.lhs_batch = {0};
  batch.rhs_batch = {1};
  DotAttributes twice = matmul;
  twice.lhs_batch = twice.rhs_batch = {1};
  DotAttributes ragged = matmul;
  ragged.rhs_contracting = {1};
  ragged.lhs_ragged = {0};
  ragged.rhs_group = {0};
  DotAttributes ragged_k = matmul;
  ragged_k.lhs_ragged = {1};
  ConvolutionAttributes nhwc;
  nhwc.window = {{.size = 3, .pad_low = 1, .pad_high = 1}, {.size = 3, .stride = 2}};
  nhwc.dim_labels = "b01f_01io->b01f";
  ConvolutionAttributes depthwise = nhwc;
  depthwise.feature_group_count = 6;
  ConvolutionAttributes lost = nhwc;
  lost.dim_labels = "b0?f_01io->b01f";
  RunCases({
      {Opcode::kDot, {F32({8, 4}), F32({4, 2})}, matmul, "f32[8,2]"},
      {Opcode::kDot, {Of(E::kS8, {8, 0}), Of(E::kS8, {0, 2})}, matmul, "s8[8,2]"},
      {Opcode::kDot, {F32({5, 4, 3}), F32({4, 5, 2})}, batch, "f32[5,3,2]"},
      {Opcode::kDot, {F32({}), F32({2})}, DotAttributes{}, "f32[2]"},
      {Opcode::kDot,
       {F32({8, 4}), F32({3, 2})},
       matmul,
       "expected equal sizes of contracting dims 1 and 0, got f32[8,4] and f32[3,2]"},
      {Opcode::kDot,
       {F32({8, 4}), F32({4, 2})},
       twice,
       "expected distinct lhs batch and contracting dims, got {1,1}"},
      {Opcode::kRaggedDot, {F32({11, 5}), F32({3, 5, 7}), S32({3})}, ragged, "f32[11,7]"},
      {Opcode::kRaggedDot, {F32({11, 5}), F32({5, 7}), S32({3})}, ragged_k, "f32[3,11,7]"},
      {Opcode::kRaggedDot,
       {F32({11, 5}), F32({3, 5, 7}), S32({4})},
       ragged,
       "expected 4 groups in rhs, got f32[3,5,7]"},
      {Opcode::kScaledDot,
       {F32({8, 4}), F32({4, 2}), F32({8, 1}), F32({2, 2})},
       matmul,
       "f32[8,2]"},
      {Opcode::kScaledDot,
       {F32({8, 4}), F32({8, 2}), F32({4, 2}), F32({2, 2})},
       matmul,
       "f32[8,2]"},
      {Opcode::kScaledDot,
       {F32({8, 4}), F32({4, 2}), F32({8, 3}), F32({2, 2})},
       matmul,
       "expected a scale whose dimensions divide f32[8,4], got f32[8,3]"},
      {Opcode::kConvolution, {F32({2, 9, 9, 6}), F32({3, 3, 6, 12})}, nhwc, "f32[2,9,4,12]"},
      {Opcode::kConvolution, {F32({2, 9, 9, 6}), F32({3, 3, 1, 12})}, depthwise, "f32[2,9,4,12]"},
      {Opcode::kConvolution,
       {F32({2, 9, 9, 6}), F32({3, 3, 5, 12})},
       nhwc,
       "expected 6 input features in 1 groups, got 5 in the kernel"},
      {Opcode::kConvolution,
       {F32({2, 9, 9, 6}), F32({3, 2, 6, 12})},
       nhwc,
       "expected window size 2 as the kernel has, got 3"},
      {Opcode::kConvolution,
       {F32({2, 9, 9, 6}), F32({3, 3, 6, 12})},
       lost,
       "expected b, f and the digits from 0 once each in dim_labels, got b0?f"},
  });
}

TEST(InferShape, LibraryOperations) {
  RunCases({
      {Opcode::kSort, {F32({2, 3}), S32({2, 3})}, SortAttributes{1}, "(f32[2,3], s32[2,3])"},
      {Opcode::kSort, {F32({2, 3})}, SortAttributes{1}, "f32[2,3]"},
      {Opcode::kSort, {F32({})}, SortAttributes{0}, "expected dimensions below the rank 0, got 0"},
      {Opcode::kTopK, {F32({2, 9})}, TopKAttributes{4, true}, "(f32[2,4], s32[2,4])"},
      {Opcode::kTopK, {F32({2, 9})}, TopKAttributes{10, true}, "expected k from 0 to 9, got 10"},
      {Opcode::kFft, {F32({2, 8})}, FftAttributes{FftType::kRfft, {8}}, "c64[2,5]"},
      {Opcode::kFft, {Of(E::kC64, {2, 5})}, FftAttributes{FftType::kIrfft, {8}}, "f32[2,8]"},
      {Opcode::kFft,
       {Of(E::kC64, {2, 8})},
       FftAttributes{FftType::kFft, {4}},
       "expected last dimensions that fit fft_length {4}, got c64[2,8]"},
      {Opcode::kCholesky, {F32({5, 3, 3})}, CholeskyAttributes{}, "f32[5,3,3]"},
      {Opcode::kCholesky,
       {F32({3, 2})},
       CholeskyAttributes{},
       "expected square matrices of floats for operand 0 of cholesky, got f32[3,2]"},
      {Opcode::kTriangularSolve,
       {F32({3, 3}), F32({3, 2})},
       TriangularSolveAttributes{true},
       "f32[3,2]"},
      {Opcode::kTriangularSolve,
       {F32({3, 3}), F32({3, 2})},
       TriangularSolveAttributes{false},
       "expected dimensions [3,3] for operand 1 of triangular-solve, got f32[3,2]"},
      {Opcode::kBatchNormTraining,
       {F32({2, 3, 4}), F32({3}), F32({3})},
       BatchNormAttributes{0.1f, 1},
       "(f32[2,3,4], f32[3], f32[3])"},
      {Opcode::kBatchNormGrad,
       {F32({2, 3}), F32({3}), F32({3}), F32({3}), F32({2, 3})},
       BatchNormAttributes{0.1f, 1},
       "(f32[2,3], f32[3], f32[3])"},
      {Opcode::kBatchNormTraining,
       {F32({2, 3}), F32({2}), F32({3})},
       BatchNormAttributes{0.1f, 1},
       "expected dimensions [3] for operand 1 of batch-norm-training, got f32[2]"},
      {Opcode::kRngGetAndUpdateState, {}, RngStateAttributes{1}, "u64[2]"},
      {Opcode::kPartitionId, {}, RawAttributes{}, "u32[]"},
  });
}

TEST(InferShape, FreeShapesMustBeWritten) {
  RunCases({
      {Opcode::kIota, {}, DimensionsAttributes{{0}}, "the result shape of iota must be written"},
      {Opcode::kBroadcast,
       {F32({})},
       DimensionsAttributes{},
       "the result shape of broadcast must be written"},
  });
  EXPECT_FALSE(HasInferableShape(Opcode::kReshape));
  EXPECT_TRUE(HasInferableShape(Opcode::kDot));
}

TEST(InferShape, ReductionsTakeTheBodysTypes) {
  Bench b;
  const Shape f = F32({}), h = Of(E::kBF16, {});
  Computation* sum = b.Body({f, f}, f);
  Computation* pair = b.Body({f, S32({}), f, S32({})}, Shape::Tuple({f, S32({})}));
  const DimensionsAttributes rows{{1}};
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), f}, rows, {sum}), "f32[2]");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {Of(E::kBF16, {2, 3}), f}, rows, {sum}), "f32[2]");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), f}, DimensionsAttributes{}, {sum}), "f32[2,3]");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), S32({2, 3}), f, S32({})}, rows, {pair}),
            "(f32[2], s32[2])");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), h}, rows, {sum}),
            "expected f32 for operand 1 of reduce, got bf16[]");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), f}, rows, {pair}),
            "expected 1 scalars from the body of reduce, got (f32[], s32[])");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), f}, DimensionsAttributes{{1, 1}}, {sum}),
            "expected distinct dimensions, got {1,1}");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2, 3}), f}, rows, {}),
            "expected 1 called computations of reduce, got 0");
  EXPECT_EQ(b.Infer(Opcode::kReduce, {F32({2}), F32({3}), f}, rows, {sum}),
            "expected as many start values as arrays, got 3 operands");
  const WindowAttributes window{{{.size = 3, .pad_low = 1, .pad_high = 1}}};
  EXPECT_EQ(b.Infer(Opcode::kReduceWindow, {F32({4}), f}, window, {sum}), "f32[4]");
  EXPECT_EQ(b.Infer(Opcode::kReduceWindow, {f, f}, WindowAttributes{}, {sum}), "f32[]");
  EXPECT_EQ(b.Infer(Opcode::kReduceWindow, {F32({4, 4}), f}, window, {sum}),
            "expected 2 window dimensions, got 1");
  Computation* ge = b.Body({f, f}, Of(E::kPred, {}));
  EXPECT_EQ(b.Infer(Opcode::kSelectAndScatter, {F32({4}), F32({4}), f}, window, {ge, sum}),
            "f32[4]");
  EXPECT_EQ(b.Infer(Opcode::kSelectAndScatter, {F32({4}), F32({2}), f}, window, {ge, sum}),
            "expected dimensions [4] for operand 1 of select-and-scatter, got f32[2]");
  EXPECT_EQ(b.Infer(Opcode::kMap, {F32({2, 3})}, DimensionsAttributes{{0, 1}}, {ge}), "pred[2,3]");
  EXPECT_EQ(b.Infer(Opcode::kMap, {F32({2, 3})}, DimensionsAttributes{{1, 0}}, {ge}),
            "expected dimensions 0 to 1 in order, got {1,0}");
  Computation* step = b.Body({F32({2}), f}, Shape::Tuple({F32({2}), F32({}), f}));
  EXPECT_EQ(b.Infer(Opcode::kScan, {F32({2, 5}), f}, ScanAttributes{1, 1}, {step}),
            "expected an output slice of rank 1 or more, got f32[]");
  EXPECT_EQ(b.Infer(Opcode::kScan, {F32({5, 2}), f}, ScanAttributes{0, 1}, {step}),
            "(f32[5,2], f32[5], f32[])");
}

TEST(InferShape, ControlPassesShapesOn) {
  Bench b;
  const Shape column_major = Shape::Array(E::kF32, {2, 3}, Layout{{0, 1}, ""});
  Computation* body = b.Body({}, column_major);
  EXPECT_EQ(b.Infer(Opcode::kTuple, {F32({2}), Shape::Token()}, {}), "(f32[2], token[])");
  EXPECT_EQ(b.Infer(Opcode::kGetTupleElement, {Shape::Tuple({F32({2}), S32({})})},
                    TupleIndexAttributes{1}),
            "s32[]");
  EXPECT_EQ(b.Infer(Opcode::kGetTupleElement, {Shape::Tuple({F32({2})})}, TupleIndexAttributes{1}),
            "expected an index below 1, got 1");
  EXPECT_EQ(b.Infer(Opcode::kGetTupleElement, {F32({2})}, TupleIndexAttributes{0}),
            "expected a tuple for operand 0 of get-tuple-element, got f32[2]");
  EXPECT_EQ(b.Infer(Opcode::kWhile, {F32({2})}, {}, {body, body}), "f32[2]");
  EXPECT_EQ(b.Infer(Opcode::kConditional, {S32({}), F32({}), F32({})}, {}, {body, body}),
            "f32[2,3]");
  EXPECT_EQ(b.Infer(Opcode::kConditional, {F32({}), F32({}), F32({})}, {}, {body, body}),
            "expected pred[] or s32[] for operand 0 of conditional, got f32[]");
  EXPECT_EQ(b.Infer(Opcode::kConditional, {Of(E::kPred, {}), F32({})}, {}, {body}),
            "expected 3 operands of conditional, got 2");
  EXPECT_EQ(b.Infer(Opcode::kAfterAll, {F32({})}, {}),
            "expected a token for operand 0 of after-all, got f32[]");
  const absl::StatusOr<Shape> called = InferShape(Opcode::kCall, {}, CallAttributes{}, {body});
  ASSERT_TRUE(called.ok());
  EXPECT_EQ(*called, column_major);
}

TEST(Window, OutputSizes) {
  const struct {
    int64_t base;
    WindowDim window;
    int64_t expected;
  } kCases[] = {
      {5, {3, 2, 1, 1, 1, 1}, 3},  {4, {2, 1, 0, 0, 2, 1}, 6}, {6, {2, 2, -1, 1, 1, 2}, 2},
      {3, {5, 1, 0, 0, 1, 1}, 0},  {0, {1, 1, 0, 0, 3, 1}, 0}, {0, {2, 1, 1, 1, 3, 1}, 1},
      {5, {1, 1, -9, 0, 1, 1}, 0},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<int64_t> size = WindowOutputSize(c.base, c.window);
    ASSERT_TRUE(size.ok()) << size.status();
    EXPECT_EQ(*size, c.expected) << c.base;
  }
  for (const WindowDim& bad :
       {WindowDim{.size = 0}, WindowDim{.stride = 0}, WindowDim{.base_dilation = 0},
        WindowDim{.window_dilation = -1}, WindowDim{.size = 3, .window_dilation = kHuge},
        WindowDim{.pad_low = kHuge, .pad_high = kHuge}}) {
    EXPECT_FALSE(WindowOutputSize(4, bad).ok());
  }
}

TEST(Window, ElementsSkipPaddingAndHoles) {
  const WindowDim window{.size = 2, .pad_low = 1, .base_dilation = 2};
  std::vector<int64_t> seen;
  for (int64_t out = 0; out < 3; ++out) {
    for (int64_t k = 0; k < 2; ++k) seen.push_back(WindowElement(2, window, out, k));
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{-1, 0, 0, -1, -1, 1}));
}

TEST(ConvolutionDims, LabelsNameEachDimensionOnce) {
  const absl::StatusOr<ConvolutionDims> dims = ParseConvolutionDims("b01f_10io->bf01");
  ASSERT_TRUE(dims.ok()) << dims.status();
  EXPECT_EQ(dims->lhs_feature, 3);
  EXPECT_EQ(dims->rhs_spatial, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(dims->out_spatial, (std::vector<int64_t>{2, 3}));
  for (const char* bad :
       {"", "bf_io", "bf->bf", "bf0_io->bf0", "bb_io->bf", "bf1_io0->bf0", "b_io->bf"}) {
    EXPECT_FALSE(ParseConvolutionDims(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace astitch
