// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The attributes of instructions: one plain struct a family of opcodes, all comparable.
//
// What the compiler or the interpreter acts on is typed. What only has to survive a round trip
// (collectives, custom calls, host transfers) is RawAttributes: attribute name and canonical value
// text, in print order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "astitch/element_type.h"
#include "astitch/literal.h"

namespace astitch {

enum class ComparisonDirection : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
enum class ComparisonType : uint8_t { kFloat, kTotalOrder, kSigned, kUnsigned };
// The type that compare has when none is written.
ComparisonType DefaultComparisonType(ElementType type);

struct ParameterAttributes {  // parameter
  int64_t number = 0;
  friend bool operator==(const ParameterAttributes&, const ParameterAttributes&) = default;
};
struct ConstantAttributes {  // constant
  Literal value;
  friend bool operator==(const ConstantAttributes&, const ConstantAttributes&) = default;
};
// broadcast concatenate get-dimension-size map reduce reverse set-dimension-size transpose, iota
// (its one dimension)
struct DimensionsAttributes {
  std::vector<int64_t> dimensions;
  friend bool operator==(const DimensionsAttributes&, const DimensionsAttributes&) = default;
};
struct CompareAttributes {  // compare
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kFloat;
  friend bool operator==(const CompareAttributes&, const CompareAttributes&) = default;
};
struct SliceAttributes {  // slice
  std::vector<int64_t> starts, limits, strides;
  friend bool operator==(const SliceAttributes&, const SliceAttributes&) = default;
};
struct DynamicSliceAttributes {  // dynamic-slice
  std::vector<int64_t> sizes;
  friend bool operator==(const DynamicSliceAttributes&, const DynamicSliceAttributes&) = default;
};
struct PadAttributes {  // pad
  struct Dim {
    int64_t low = 0, high = 0, interior = 0;
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  std::vector<Dim> dims;
  friend bool operator==(const PadAttributes&, const PadAttributes&) = default;
};
struct ReshapeAttributes {  // reshape; -1 when not written
  int64_t inferred_dimension = -1;
  friend bool operator==(const ReshapeAttributes&, const ReshapeAttributes&) = default;
};
struct TupleIndexAttributes {  // get-tuple-element
  int64_t index = 0;
  friend bool operator==(const TupleIndexAttributes&, const TupleIndexAttributes&) = default;
};
struct ReducePrecisionAttributes {  // reduce-precision
  int64_t exponent_bits = 0, mantissa_bits = 0;
  friend bool operator==(const ReducePrecisionAttributes&,
                         const ReducePrecisionAttributes&) = default;
};
struct GatherAttributes {  // gather
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
      start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> slice_sizes;
  bool indices_are_sorted = false;
  friend bool operator==(const GatherAttributes&, const GatherAttributes&) = default;
};
struct ScatterAttributes {  // scatter
  std::vector<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
      input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  friend bool operator==(const ScatterAttributes&, const ScatterAttributes&) = default;
};
struct WindowDim {
  int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0, base_dilation = 1, window_dilation = 1;
  bool reversal = false;
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};
using Window = std::vector<WindowDim>;
struct WindowAttributes {  // reduce-window select-and-scatter
  Window window;
  friend bool operator==(const WindowAttributes&, const WindowAttributes&) = default;
};
// dot, ragged-dot, scaled-dot. Precision and algorithm are hints kept as their words.
struct DotAttributes {
  std::vector<int64_t> lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  std::vector<int64_t> lhs_ragged, rhs_group;  // ragged-dot only
  std::vector<std::string> operand_precision;  // empty when all are default
  std::string algorithm;                       // empty when unset
  friend bool operator==(const DotAttributes&, const DotAttributes&) = default;
};
struct ConvolutionAttributes {  // convolution
  Window window;                // spatial dims only
  std::string dim_labels;       // "b01f_01io->b01f"
  int64_t feature_group_count = 1, batch_group_count = 1;
  std::vector<std::string> operand_precision;
  std::vector<std::pair<std::string, std::string>>
      extra;  // convolution_kind, sparsity_config, algorithm
  friend bool operator==(const ConvolutionAttributes&, const ConvolutionAttributes&) = default;
};
struct BatchNormAttributes {  // batch-norm-*
  float epsilon = 0;
  int64_t feature_index = 0;
  friend bool operator==(const BatchNormAttributes&, const BatchNormAttributes&) = default;
};
struct SortAttributes {  // sort
  int64_t dimension = 0;
  bool is_stable = false;
  friend bool operator==(const SortAttributes&, const SortAttributes&) = default;
};
struct TopKAttributes {  // topk
  int64_t k = 0;
  bool largest = true;
  friend bool operator==(const TopKAttributes&, const TopKAttributes&) = default;
};
struct ScanAttributes {  // scan
  int64_t dimension = 0, num_carries = 0;
  bool is_reverse = false, is_associative = false;
  friend bool operator==(const ScanAttributes&, const ScanAttributes&) = default;
};
enum class RngAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
struct RngBitGeneratorAttributes {  // rng-bit-generator
  RngAlgorithm algorithm = RngAlgorithm::kDefault;
  friend bool operator==(const RngBitGeneratorAttributes&,
                         const RngBitGeneratorAttributes&) = default;
};
struct RngAttributes {  // rng
  bool normal = false;  // rng_uniform otherwise
  friend bool operator==(const RngAttributes&, const RngAttributes&) = default;
};
struct RngStateAttributes {  // rng-get-and-update-state
  int64_t delta = 0;
  friend bool operator==(const RngStateAttributes&, const RngStateAttributes&) = default;
};
enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
struct FftAttributes {  // fft
  FftType type = FftType::kFft;
  std::vector<int64_t> lengths;
  friend bool operator==(const FftAttributes&, const FftAttributes&) = default;
};
struct CholeskyAttributes {  // cholesky
  bool lower = false;
  friend bool operator==(const CholeskyAttributes&, const CholeskyAttributes&) = default;
};
enum class TransposeA : uint8_t { kNone, kTranspose, kAdjoint };
struct TriangularSolveAttributes {  // triangular-solve
  bool left_side = false, lower = false, unit_diagonal = false;
  TransposeA transpose_a = TransposeA::kNone;
  friend bool operator==(const TriangularSolveAttributes&,
                         const TriangularSolveAttributes&) = default;
};
enum class FusionKind : uint8_t { kLoop, kInput, kOutput, kCustom };
struct FusionAttributes {  // fusion
  FusionKind kind = FusionKind::kLoop;
  std::string output_to_operand_aliasing;  // canonical text, empty when not written
  friend bool operator==(const FusionAttributes&, const FusionAttributes&) = default;
};
struct CallAttributes {  // call
  bool is_composite = false;
  friend bool operator==(const CallAttributes&, const CallAttributes&) = default;
};
struct CustomCallAttributes {  // custom-call; the rest of its attributes stays text
  std::string target;
  std::vector<std::pair<std::string, std::string>> extra;
  friend bool operator==(const CustomCallAttributes&, const CustomCallAttributes&) = default;
};
// Everything else: collectives, asynchronous pairs, send and recv, infeed, domain, ...
struct RawAttributes {
  std::vector<std::pair<std::string, std::string>> values;
  friend bool operator==(const RawAttributes&, const RawAttributes&) = default;
};

using Attributes =
    std::variant<std::monostate, ParameterAttributes, ConstantAttributes, DimensionsAttributes,
                 CompareAttributes, SliceAttributes, DynamicSliceAttributes, PadAttributes,
                 ReshapeAttributes, TupleIndexAttributes, ReducePrecisionAttributes,
                 GatherAttributes, ScatterAttributes, WindowAttributes, DotAttributes,
                 ConvolutionAttributes, BatchNormAttributes, SortAttributes, TopKAttributes,
                 ScanAttributes, RngBitGeneratorAttributes, RngAttributes, RngStateAttributes,
                 FftAttributes, CholeskyAttributes, TriangularSolveAttributes, FusionAttributes,
                 CallAttributes, CustomCallAttributes, RawAttributes>;

// What any instruction may carry and no stage acts on: kept and printed back.
struct Annotations {
  std::string sharding;             // brace blob, canonical text
  std::string frontend_attributes;  // brace blob
  std::string statistics;
  std::string origin;
  std::string result_accuracy;
  std::string parameter_replication;
  std::vector<std::pair<std::string, std::string>>
      metadata;                // key, value as printed (strings with their quotes)
  std::string backend_config;  // unescaped text; printed bare when it is a brace blob
  int64_t stack_frame = 0;     // 1-based index into the graph's frames, 0 for none
  // Attributes nobody knows, kept by a parser that is asked to: name and text.
  std::vector<std::pair<std::string, std::string>> unknown;
  bool empty() const { return *this == Annotations{}; }
  friend bool operator==(const Annotations&, const Annotations&) = default;
};

}  // namespace astitch
