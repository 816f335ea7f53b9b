// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every HLO opcode, from one table: enumerator, HLO's word, number of operands (-1: any), kind.
//
// Behaviour is switches without default over this enum, so that a new opcode fails to compile where
// it is not yet handled.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "absl/strings/string_view.h"

namespace astitch {

// What a stage that does not care about the single opcode may ask.
enum class OpKind : uint8_t {
  kElementwise,  // result element i depends on element i of each operand
  kIndexMap,     // moves elements by a map that shapes and attributes fix
  kDynamicMap,   // moves elements by a map that depends on values (gather, dynamic-slice, scatter,
                 // ...)
  kSource,       // no operands
  kReduction,    // folds elements (reduce, reduce-window, ...)
  kContraction,  // dot, convolution
  kControl,      // runs other computations (call, while, conditional, fusion)
  kTuple,        // builds and opens tuples
  kLibrary,      // linear algebra, sort, random: one routine each
  kCollective,   // speaks to other devices
  kOther,        // tokens, asynchronous pairs, custom calls
};

#define ASTITCH_OPCODES(X)                                                \
  X(kAbs, "abs", 1, kElementwise)                                         \
  X(kAcos, "acos", 1, kElementwise)                                       \
  X(kAcosh, "acosh", 1, kElementwise)                                     \
  X(kAdd, "add", 2, kElementwise)                                         \
  X(kAddDependency, "add-dependency", 2, kOther)                          \
  X(kAfterAll, "after-all", -1, kOther)                                   \
  X(kAllGather, "all-gather", -1, kCollective)                            \
  X(kAllGatherDone, "all-gather-done", 1, kCollective)                    \
  X(kAllGatherStart, "all-gather-start", -1, kCollective)                 \
  X(kAllReduce, "all-reduce", -1, kCollective)                            \
  X(kAllReduceDone, "all-reduce-done", 1, kCollective)                    \
  X(kAllReduceStart, "all-reduce-start", -1, kCollective)                 \
  X(kAllToAll, "all-to-all", -1, kCollective)                             \
  X(kAnd, "and", 2, kElementwise)                                         \
  X(kAsin, "asin", 1, kElementwise)                                       \
  X(kAsinh, "asinh", 1, kElementwise)                                     \
  X(kAsyncDone, "async-done", 1, kOther)                                  \
  X(kAsyncStart, "async-start", -1, kOther)                               \
  X(kAsyncUpdate, "async-update", 1, kOther)                              \
  X(kAtan, "atan", 1, kElementwise)                                       \
  X(kAtan2, "atan2", 2, kElementwise)                                     \
  X(kAtanh, "atanh", 1, kElementwise)                                     \
  X(kBatchNormGrad, "batch-norm-grad", 5, kReduction)                     \
  X(kBatchNormInference, "batch-norm-inference", 5, kReduction)           \
  X(kBatchNormTraining, "batch-norm-training", 3, kReduction)             \
  X(kBitcast, "bitcast", 1, kIndexMap)                                    \
  X(kBitcastConvert, "bitcast-convert", 1, kElementwise)                  \
  X(kBroadcast, "broadcast", 1, kIndexMap)                                \
  X(kCall, "call", -1, kControl)                                          \
  X(kCbrt, "cbrt", 1, kElementwise)                                       \
  X(kCeil, "ceil", 1, kElementwise)                                       \
  X(kCholesky, "cholesky", 1, kLibrary)                                   \
  X(kClamp, "clamp", 3, kElementwise)                                     \
  X(kCollectiveBroadcast, "collective-broadcast", -1, kCollective)        \
  X(kCollectivePermute, "collective-permute", -1, kCollective)            \
  X(kCollectivePermuteDone, "collective-permute-done", 1, kCollective)    \
  X(kCollectivePermuteStart, "collective-permute-start", -1, kCollective) \
  X(kCollectiveReduce, "collective-reduce", -1, kCollective)              \
  X(kCompare, "compare", 2, kElementwise)                                 \
  X(kComplex, "complex", 2, kElementwise)                                 \
  X(kConcatenate, "concatenate", -1, kIndexMap)                           \
  X(kConditional, "conditional", -1, kControl)                            \
  X(kConstant, "constant", 0, kSource)                                    \
  X(kConvert, "convert", 1, kElementwise)                                 \
  X(kConvolution, "convolution", -1, kContraction)                        \
  X(kCopy, "copy", 1, kElementwise)                                       \
  X(kCopyDone, "copy-done", 1, kOther)                                    \
  X(kCopyStart, "copy-start", 1, kOther)                                  \
  X(kCosh, "cosh", 1, kElementwise)                                       \
  X(kCosine, "cosine", 1, kElementwise)                                   \
  X(kCountLeadingZeros, "count-leading-zeros", 1, kElementwise)           \
  X(kCustomCall, "custom-call", -1, kOther)                               \
  X(kDivide, "divide", 2, kElementwise)                                   \
  X(kDomain, "domain", 1, kOther)                                         \
  X(kDot, "dot", 2, kContraction)                                         \
  X(kDynamicReshape, "dynamic-reshape", -1, kDynamicMap)                  \
  X(kDynamicSlice, "dynamic-slice", -1, kDynamicMap)                      \
  X(kDynamicUpdateSlice, "dynamic-update-slice", -1, kDynamicMap)         \
  X(kErf, "erf", 1, kElementwise)                                         \
  X(kExponential, "exponential", 1, kElementwise)                         \
  X(kExponentialMinusOne, "exponential-minus-one", 1, kElementwise)       \
  X(kFft, "fft", 1, kLibrary)                                             \
  X(kFloor, "floor", 1, kElementwise)                                     \
  X(kFusion, "fusion", -1, kControl)                                      \
  X(kGather, "gather", 2, kDynamicMap)                                    \
  X(kGetDimensionSize, "get-dimension-size", 1, kOther)                   \
  X(kGetTupleElement, "get-tuple-element", 1, kTuple)                     \
  X(kImag, "imag", 1, kElementwise)                                       \
  X(kInfeed, "infeed", 1, kOther)                                         \
  X(kIota, "iota", 0, kSource)                                            \
  X(kIsFinite, "is-finite", 1, kElementwise)                              \
  X(kLog, "log", 1, kElementwise)                                         \
  X(kLogPlusOne, "log-plus-one", 1, kElementwise)                         \
  X(kLogistic, "logistic", 1, kElementwise)                               \
  X(kMap, "map", -1, kControl)                                            \
  X(kMaximum, "maximum", 2, kElementwise)                                 \
  X(kMinimum, "minimum", 2, kElementwise)                                 \
  X(kMulhi, "mulhi", 2, kElementwise)                                     \
  X(kMultiply, "multiply", 2, kElementwise)                               \
  X(kNegate, "negate", 1, kElementwise)                                   \
  X(kNot, "not", 1, kElementwise)                                         \
  X(kOptBarrier, "opt-barrier", 1, kOther)                                \
  X(kOr, "or", 2, kElementwise)                                           \
  X(kOutfeed, "outfeed", 2, kOther)                                       \
  X(kPad, "pad", 2, kIndexMap)                                            \
  X(kParameter, "parameter", 0, kSource)                                  \
  X(kPartitionId, "partition-id", 0, kCollective)                         \
  X(kPopcnt, "popcnt", 1, kElementwise)                                   \
  X(kPower, "power", 2, kElementwise)                                     \
  X(kRaggedAllToAll, "ragged-all-to-all", 6, kCollective)                 \
  X(kRaggedDot, "ragged-dot", 3, kContraction)                            \
  X(kReal, "real", 1, kElementwise)                                       \
  X(kRecv, "recv", 1, kOther)                                             \
  X(kRecvDone, "recv-done", 1, kOther)                                    \
  X(kReduce, "reduce", -1, kReduction)                                    \
  X(kReducePrecision, "reduce-precision", 1, kElementwise)                \
  X(kReduceScatter, "reduce-scatter", -1, kCollective)                    \
  X(kReduceWindow, "reduce-window", -1, kReduction)                       \
  X(kRemainder, "remainder", 2, kElementwise)                             \
  X(kReplicaId, "replica-id", 0, kCollective)                             \
  X(kReshape, "reshape", 1, kIndexMap)                                    \
  X(kReverse, "reverse", 1, kIndexMap)                                    \
  X(kRng, "rng", -1, kLibrary)                                            \
  X(kRngBitGenerator, "rng-bit-generator", 1, kLibrary)                   \
  X(kRngGetAndUpdateState, "rng-get-and-update-state", 0, kLibrary)       \
  X(kRoundNearestAfz, "round-nearest-afz", 1, kElementwise)               \
  X(kRoundNearestEven, "round-nearest-even", 1, kElementwise)             \
  X(kRsqrt, "rsqrt", 1, kElementwise)                                     \
  X(kScaledDot, "scaled-dot", 4, kContraction)                            \
  X(kScan, "scan", -1, kReduction)                                        \
  X(kScatter, "scatter", -1, kDynamicMap)                                 \
  X(kSelect, "select", 3, kElementwise)                                   \
  X(kSelectAndScatter, "select-and-scatter", 3, kReduction)               \
  X(kSend, "send", 2, kOther)                                             \
  X(kSendDone, "send-done", 1, kOther)                                    \
  X(kSetDimensionSize, "set-dimension-size", 2, kOther)                   \
  X(kShiftLeft, "shift-left", 2, kElementwise)                            \
  X(kShiftRightArithmetic, "shift-right-arithmetic", 2, kElementwise)     \
  X(kShiftRightLogical, "shift-right-logical", 2, kElementwise)           \
  X(kShuffle, "shuffle", 1, kOther)                                       \
  X(kSign, "sign", 1, kElementwise)                                       \
  X(kSine, "sine", 1, kElementwise)                                       \
  X(kSinh, "sinh", 1, kElementwise)                                       \
  X(kSlice, "slice", 1, kIndexMap)                                        \
  X(kSort, "sort", -1, kLibrary)                                          \
  X(kSqrt, "sqrt", 1, kElementwise)                                       \
  X(kStochasticConvert, "stochastic-convert", 2, kElementwise)            \
  X(kSubtract, "subtract", 2, kElementwise)                               \
  X(kTan, "tan", 1, kElementwise)                                         \
  X(kTanh, "tanh", 1, kElementwise)                                       \
  X(kTopK, "topk", 1, kLibrary)                                           \
  X(kTranspose, "transpose", 1, kIndexMap)                                \
  X(kTriangularSolve, "triangular-solve", 2, kLibrary)                    \
  X(kTuple, "tuple", -1, kTuple)                                          \
  X(kWhile, "while", 1, kControl)                                         \
  X(kXor, "xor", 2, kElementwise)

enum class Opcode : uint8_t {
#define ASTITCH_X(enumerator, word, arity, kind) enumerator,
  ASTITCH_OPCODES(ASTITCH_X)
#undef ASTITCH_X
};

absl::string_view ToString(Opcode opcode);
std::optional<Opcode> OpcodeFromString(absl::string_view word);
std::ostream& operator<<(std::ostream& out, Opcode opcode);
// -1 when any number is legal.
int ArityOf(Opcode opcode);
OpKind KindOf(Opcode opcode);

}  // namespace astitch
