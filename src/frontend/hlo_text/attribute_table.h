// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every attribute an instruction may have: its word, the form of its value, who takes it.
//
// The order is HLO's print order, so attributes that are kept as text are sorted by it. A word with
// two forms (slice_sizes) has two rows.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "ir/opcode.h"

namespace astitch::hlo_text {

enum class AttributeForm : uint8_t {
  kAliasing,  // {{out}: (operand, {index}), ...}
  kBlob,      // braces, kept as text
  kBool,
  kBoolList,      // {true,false}
  kComputation,   // a name, or a body in braces
  kComputations,  // {%a, %b}
  kDevices,       // {{0,1},{2,3}}, [2,2]<=[4] or mesh[...]
  kDimLabels,     // b01f_01io->b01f
  kFloat,
  kFrontend,      // {key="text",key2={blob}}
  kInstructions,  // {%a, %b}
  kInt,
  kIntList,    // {0,1}
  kIntLists,   // {{0,1},{2,3}}
  kLiteral,    // a shape and a literal
  kMetadata,   // {key=value key=value}
  kPadding,    // 0_0x1_-1_2
  kPrecision,  // {default,highest}
  kShape,
  kShapes,  // {f32[2]{0}, s32[]}
  kSlice,   // {[0:2], [1:4:2]}
  kString,
  kStringOrBlob,
  kWindow,  // {size=3x3 pad=1_1x1_1}
  kWord,    // LT, highest
};

//   enumerator                     word                              form
#define ASTITCH_HLO_ATTRIBUTES(X)                                           \
  X(kDirection, "direction", kWord)                                         \
  X(kType, "type", kWord)                                                   \
  X(kExponentBits, "exponent_bits", kInt)                                   \
  X(kMantissaBits, "mantissa_bits", kInt)                                   \
  X(kIotaDimension, "iota_dimension", kInt)                                 \
  X(kInferredDimension, "inferred_dimension", kInt)                         \
  X(kSlice, "slice", kSlice)                                                \
  X(kDynamicSliceSizes, "dynamic_slice_sizes", kIntList)                    \
  X(kOffsetDims, "offset_dims", kIntList)                                   \
  X(kCollapsedSliceDims, "collapsed_slice_dims", kIntList)                  \
  X(kStartIndexMap, "start_index_map", kIntList)                            \
  X(kOperandBatchingDims, "operand_batching_dims", kIntList)                \
  X(kStartIndicesBatchingDims, "start_indices_batching_dims", kIntList)     \
  X(kUpdateWindowDims, "update_window_dims", kIntList)                      \
  X(kInsertedWindowDims, "inserted_window_dims", kIntList)                  \
  X(kScatterDimsToOperandDims, "scatter_dims_to_operand_dims", kIntList)    \
  X(kInputBatchingDims, "input_batching_dims", kIntList)                    \
  X(kScatterIndicesBatchingDims, "scatter_indices_batching_dims", kIntList) \
  X(kIndexVectorDim, "index_vector_dim", kInt)                              \
  X(kSliceSizes, "slice_sizes", kIntList)                                   \
  X(kIndicesAreSorted, "indices_are_sorted", kBool)                         \
  X(kUniqueIndices, "unique_indices", kBool)                                \
  X(kIndex, "index", kInt)                                                  \
  X(kLhsBatchDims, "lhs_batch_dims", kIntList)                              \
  X(kLhsContractingDims, "lhs_contracting_dims", kIntList)                  \
  X(kRhsBatchDims, "rhs_batch_dims", kIntList)                              \
  X(kRhsContractingDims, "rhs_contracting_dims", kIntList)                  \
  X(kLhsRaggedDims, "lhs_ragged_dims", kIntList)                            \
  X(kRhsGroupDims, "rhs_group_dims", kIntList)                              \
  X(kEpsilon, "epsilon", kFloat)                                            \
  X(kFeatureIndex, "feature_index", kInt)                                   \
  X(kFftType, "fft_type", kWord)                                            \
  X(kFftLength, "fft_length", kIntList)                                     \
  X(kLeftSide, "left_side", kBool)                                          \
  X(kLower, "lower", kBool)                                                 \
  X(kUnitDiagonal, "unit_diagonal", kBool)                                  \
  X(kTransposeA, "transpose_a", kWord)                                      \
  X(kDistribution, "distribution", kWord)                                   \
  X(kDelta, "delta", kInt)                                                  \
  X(kK, "k", kInt)                                                          \
  X(kLargest, "largest", kBool)                                             \
  X(kNumCarries, "num_carries", kInt)                                       \
  X(kIsReverse, "is_reverse", kBool)                                        \
  X(kIsAssociative, "is_associative", kBool)                                \
  X(kIsStable, "is_stable", kBool)                                          \
  X(kKind, "kind", kWord)                                                   \
  X(kAsyncExecutionThread, "async_execution_thread", kString)               \
  X(kWindow, "window", kWindow)                                             \
  X(kDimLabels, "dim_labels", kDimLabels)                                   \
  X(kFeatureGroupCount, "feature_group_count", kInt)                        \
  X(kBatchGroupCount, "batch_group_count", kInt)                            \
  X(kConvolutionKind, "convolution_kind", kWord)                            \
  X(kConvKind, "conv_kind", kWord)                                          \
  X(kOperandPrecision, "operand_precision", kPrecision)                     \
  X(kSparsityConfig, "sparsity_config", kBlob)                              \
  X(kAlgorithm, "algorithm", kWord)                                         \
  X(kPaddingType, "padding_type", kWord)                                    \
  X(kPadding, "padding", kPadding)                                          \
  X(kCustomCallTarget, "custom_call_target", kString)                       \
  X(kOperandLayoutConstraints, "operand_layout_constraints", kShapes)       \
  X(kCustomCallHasSideEffect, "custom_call_has_side_effect", kBool)         \
  X(kLiteral, "literal", kLiteral)                                          \
  X(kOutputToOperandAliasing, "output_to_operand_aliasing", kAliasing)      \
  X(kSchedule, "schedule", kWord)                                           \
  X(kApiVersion, "api_version", kWord)                                      \
  X(kChannelId, "channel_id", kInt)                                         \
  X(kReplicaGroups, "replica_groups", kDevices)                             \
  X(kSourceTargetPairs, "source_target_pairs", kIntLists)                   \
  X(kSliceSizeLists, "slice_sizes", kIntLists)                              \
  X(kConstrainLayout, "constrain_layout", kBool)                            \
  X(kUseGlobalDeviceIds, "use_global_device_ids", kBool)                    \
  X(kMode, "mode", kWord)                                                   \
  X(kDimensions, "dimensions", kIntList)                                    \
  X(kIsHostTransfer, "is_host_transfer", kBool)                             \
  X(kInfeedConfig, "infeed_config", kString)                                \
  X(kOutfeedShape, "outfeed_shape", kShape)                                 \
  X(kOutfeedConfig, "outfeed_config", kString)                              \
  X(kCrossProgramPrefetchIndex, "cross_program_prefetch_index", kInt)       \
  X(kDomain, "domain", kBlob)                                               \
  X(kParameterReplication, "parameter_replication", kBoolList)              \
  X(kResultAccuracy, "result_accuracy", kBlob)                              \
  X(kCondition, "condition", kComputation)                                  \
  X(kBody, "body", kComputation)                                            \
  X(kSelect, "select", kComputation)                                        \
  X(kScatter, "scatter", kComputation)                                      \
  X(kTrueComputation, "true_computation", kComputation)                     \
  X(kFalseComputation, "false_computation", kComputation)                   \
  X(kBranchComputations, "branch_computations", kComputations)              \
  X(kToApply, "to_apply", kComputation)                                     \
  X(kIsComposite, "is_composite", kBool)                                    \
  X(kCalledComputations, "called_computations", kComputations)              \
  X(kCalls, "calls", kComputation)                                          \
  X(kSharding, "sharding", kBlob)                                           \
  X(kFrontendAttributes, "frontend_attributes", kFrontend)                  \
  X(kControlPredecessors, "control-predecessors", kInstructions)            \
  X(kStatistics, "statistics", kBlob)                                       \
  X(kOrigin, "origin", kBlob)                                               \
  X(kMetadata, "metadata", kMetadata)                                       \
  X(kBackendConfig, "backend_config", kStringOrBlob)

enum class AttributeId : uint8_t {
#define ASTITCH_X(enumerator, word, form) enumerator,
  ASTITCH_HLO_ATTRIBUTES(ASTITCH_X)
#undef ASTITCH_X
};

absl::string_view WordOf(AttributeId id);
AttributeForm FormOf(AttributeId id);
// Whether OPCODE takes the attribute.
bool Accepts(Opcode opcode, AttributeId id);
// Whether any instruction may carry it: sharding, metadata and the like.
bool IsAnnotation(AttributeId id);
// The attribute that OPCODE calls WORD.
std::optional<AttributeId> FindAttribute(Opcode opcode, absl::string_view word);

}  // namespace astitch::hlo_text
