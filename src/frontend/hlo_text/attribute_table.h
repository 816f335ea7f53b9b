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

//   enumerator    word    form    opcodes, or groups of them, that take it
#define ASTITCH_HLO_ATTRIBUTES(X)                                                                \
  X(kDirection, "direction", kWord, kCompare)                                                    \
  X(kType, "type", kWord, kCompare)                                                              \
  X(kExponentBits, "exponent_bits", kInt, kReducePrecision)                                      \
  X(kMantissaBits, "mantissa_bits", kInt, kReducePrecision)                                      \
  X(kIotaDimension, "iota_dimension", kInt, kIota)                                               \
  X(kInferredDimension, "inferred_dimension", kInt, kReshape)                                    \
  X(kSlice, "slice", kSlice, kSlice)                                                             \
  X(kDynamicSliceSizes, "dynamic_slice_sizes", kIntList, kDynamicSlice)                          \
  X(kOffsetDims, "offset_dims", kIntList, kGather)                                               \
  X(kCollapsedSliceDims, "collapsed_slice_dims", kIntList, kGather)                              \
  X(kStartIndexMap, "start_index_map", kIntList, kGather)                                        \
  X(kOperandBatchingDims, "operand_batching_dims", kIntList, kGather)                            \
  X(kStartIndicesBatchingDims, "start_indices_batching_dims", kIntList, kGather)                 \
  X(kUpdateWindowDims, "update_window_dims", kIntList, kScatter)                                 \
  X(kInsertedWindowDims, "inserted_window_dims", kIntList, kScatter)                             \
  X(kScatterDimsToOperandDims, "scatter_dims_to_operand_dims", kIntList, kScatter)               \
  X(kInputBatchingDims, "input_batching_dims", kIntList, kScatter)                               \
  X(kScatterIndicesBatchingDims, "scatter_indices_batching_dims", kIntList, kScatter)            \
  X(kIndexVectorDim, "index_vector_dim", kInt, kGather, kScatter)                                \
  X(kSliceSizes, "slice_sizes", kIntList, kGather)                                               \
  X(kIndicesAreSorted, "indices_are_sorted", kBool, kGather, kScatter)                           \
  X(kUniqueIndices, "unique_indices", kBool, kScatter)                                           \
  X(kIndex, "index", kInt, kGetTupleElement)                                                     \
  X(kLhsBatchDims, "lhs_batch_dims", kIntList, IsDot)                                            \
  X(kLhsContractingDims, "lhs_contracting_dims", kIntList, IsDot)                                \
  X(kRhsBatchDims, "rhs_batch_dims", kIntList, IsDot)                                            \
  X(kRhsContractingDims, "rhs_contracting_dims", kIntList, IsDot)                                \
  X(kLhsRaggedDims, "lhs_ragged_dims", kIntList, kRaggedDot)                                     \
  X(kRhsGroupDims, "rhs_group_dims", kIntList, kRaggedDot)                                       \
  X(kEpsilon, "epsilon", kFloat, IsBatchNorm)                                                    \
  X(kFeatureIndex, "feature_index", kInt, IsBatchNorm)                                           \
  X(kFftType, "fft_type", kWord, kFft)                                                           \
  X(kFftLength, "fft_length", kIntList, kFft)                                                    \
  X(kLeftSide, "left_side", kBool, kTriangularSolve)                                             \
  X(kLower, "lower", kBool, kTriangularSolve, kCholesky)                                         \
  X(kUnitDiagonal, "unit_diagonal", kBool, kTriangularSolve)                                     \
  X(kTransposeA, "transpose_a", kWord, kTriangularSolve)                                         \
  X(kDistribution, "distribution", kWord, kRng)                                                  \
  X(kDelta, "delta", kInt, kRngGetAndUpdateState)                                                \
  X(kK, "k", kInt, kTopK)                                                                        \
  X(kLargest, "largest", kBool, kTopK)                                                           \
  X(kNumCarries, "num_carries", kInt, kScan)                                                     \
  X(kIsReverse, "is_reverse", kBool, kScan)                                                      \
  X(kIsAssociative, "is_associative", kBool, kScan)                                              \
  X(kIsStable, "is_stable", kBool, kSort)                                                        \
  X(kKind, "kind", kWord, kFusion)                                                               \
  X(kAsyncExecutionThread, "async_execution_thread", kString, IsAsync)                           \
  X(kWindow, "window", kWindow, kConvolution, kCustomCall, kReduceWindow, kSelectAndScatter)     \
  X(kDimLabels, "dim_labels", kDimLabels, kConvolution, kCustomCall)                             \
  X(kFeatureGroupCount, "feature_group_count", kInt, kConvolution, kCustomCall)                  \
  X(kBatchGroupCount, "batch_group_count", kInt, kConvolution, kCustomCall)                      \
  X(kConvolutionKind, "convolution_kind", kWord, kConvolution)                                   \
  X(kConvKind, "conv_kind", kWord, kConvolution)                                                 \
  X(kOperandPrecision, "operand_precision", kPrecision, IsDot, kConvolution, kCustomCall)        \
  X(kSparsityConfig, "sparsity_config", kBlob, kConvolution)                                     \
  X(kAlgorithm, "algorithm", kWord, kConvolution, kDot, kRngBitGenerator, kScaledDot)            \
  X(kPaddingType, "padding_type", kWord, kCustomCall)                                            \
  X(kPadding, "padding", kPadding, kPad)                                                         \
  X(kCustomCallTarget, "custom_call_target", kString, kCustomCall)                               \
  X(kOperandLayoutConstraints, "operand_layout_constraints", kShapes, kCustomCall)               \
  X(kCustomCallHasSideEffect, "custom_call_has_side_effect", kBool, kCustomCall)                 \
  X(kLiteral, "literal", kLiteral, kCustomCall)                                                  \
  X(kOutputToOperandAliasing, "output_to_operand_aliasing", kAliasing, kAsyncStart, kCustomCall, \
    kFusion)                                                                                     \
  X(kSchedule, "schedule", kWord, kCustomCall)                                                   \
  X(kApiVersion, "api_version", kWord, kCustomCall)                                              \
  X(kChannelId, "channel_id", kInt, HasGroups, IsPermute, IsTransfer)                            \
  X(kReplicaGroups, "replica_groups", kDevices, HasGroups)                                       \
  X(kSourceTargetPairs, "source_target_pairs", kIntLists, IsPermute)                             \
  X(kSliceSizeLists, "slice_sizes", kIntLists, IsPermute)                                        \
  X(kConstrainLayout, "constrain_layout", kBool, IsAllReduce, IsAllGather, kAllToAll)            \
  X(kUseGlobalDeviceIds, "use_global_device_ids", kBool, IsAllReduce, IsAllGather)               \
  X(kMode, "mode", kWord, IsAllReduce)                                                           \
  X(kDimensions, "dimensions", kIntList, HasDimensions)                                          \
  X(kIsHostTransfer, "is_host_transfer", kBool, IsTransfer)                                      \
  X(kInfeedConfig, "infeed_config", kString, kInfeed)                                            \
  X(kOutfeedShape, "outfeed_shape", kShape, kOutfeed)                                            \
  X(kOutfeedConfig, "outfeed_config", kString, kOutfeed)                                         \
  X(kCrossProgramPrefetchIndex, "cross_program_prefetch_index", kInt, kCopyStart)                \
  X(kDomain, "domain", kBlob, kDomain)                                                           \
  X(kParameterReplication, "parameter_replication", kBoolList, AnyInstruction)                   \
  X(kResultAccuracy, "result_accuracy", kBlob, HasResultAccuracy)                                \
  X(kCondition, "condition", kComputation, kWhile)                                               \
  X(kBody, "body", kComputation, kWhile)                                                         \
  X(kSelect, "select", kComputation, kSelectAndScatter)                                          \
  X(kScatter, "scatter", kComputation, kSelectAndScatter)                                        \
  X(kTrueComputation, "true_computation", kComputation, kConditional)                            \
  X(kFalseComputation, "false_computation", kComputation, kConditional)                          \
  X(kBranchComputations, "branch_computations", kComputations, kConditional)                     \
  X(kToApply, "to_apply", kComputation, HasReducer)                                              \
  X(kIsComposite, "is_composite", kBool, kCall)                                                  \
  X(kCalledComputations, "called_computations", kComputations, kCustomCall)                      \
  X(kCalls, "calls", kComputation, kFusion, IsAsync)                                             \
  X(kSharding, "sharding", kBlob, AnyInstruction)                                                \
  X(kFrontendAttributes, "frontend_attributes", kFrontend, AnyInstruction)                       \
  X(kControlPredecessors, "control-predecessors", kInstructions, AnyInstruction)                 \
  X(kStatistics, "statistics", kBlob, AnyInstruction)                                            \
  X(kOrigin, "origin", kBlob, AnyInstruction)                                                    \
  X(kMetadata, "metadata", kMetadata, AnyInstruction)                                            \
  X(kBackendConfig, "backend_config", kStringOrBlob, AnyInstruction)

enum class AttributeId : uint8_t {
#define ASTITCH_X(enumerator, ...) enumerator,
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
