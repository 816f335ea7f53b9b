// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Who takes what. One switch over the attributes, because an attribute has few takers.
#include "frontend/hlo_text/attribute_table.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace astitch::hlo_text {
namespace {

struct Row {
  absl::string_view word;
  AttributeForm form;
};

constexpr Row kRows[] = {
#define ASTITCH_X(enumerator, word, form) {word, AttributeForm::form},
    ASTITCH_HLO_ATTRIBUTES(ASTITCH_X)
#undef ASTITCH_X
};

using Op = Opcode;

bool OneOf(Op opcode, std::initializer_list<Op> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

bool IsDot(Op op) { return OneOf(op, {Op::kDot, Op::kRaggedDot, Op::kScaledDot}); }

bool IsBatchNorm(Op op) {
  return OneOf(op, {Op::kBatchNormGrad, Op::kBatchNormInference, Op::kBatchNormTraining});
}

bool IsPermute(Op op) { return OneOf(op, {Op::kCollectivePermute, Op::kCollectivePermuteStart}); }

bool IsAllReduce(Op op) {
  return OneOf(op, {Op::kAllReduce, Op::kAllReduceStart, Op::kReduceScatter});
}

bool IsAllGather(Op op) { return OneOf(op, {Op::kAllGather, Op::kAllGatherStart}); }

bool HasGroups(Op op) {
  return IsAllReduce(op) || IsAllGather(op) ||
         OneOf(op, {Op::kAllToAll, Op::kRaggedAllToAll, Op::kCollectiveBroadcast,
                    Op::kCollectiveReduce});
}

bool IsTransfer(Op op) { return OneOf(op, {Op::kSend, Op::kSendDone, Op::kRecv, Op::kRecvDone}); }

bool IsAsync(Op op) { return OneOf(op, {Op::kAsyncStart, Op::kAsyncUpdate, Op::kAsyncDone}); }

bool HasDimensions(Op op) {
  return IsAllGather(op) ||
         OneOf(op, {Op::kAllToAll, Op::kBroadcast, Op::kConcatenate, Op::kGetDimensionSize,
                    Op::kSetDimensionSize, Op::kMap, Op::kRaggedAllToAll, Op::kReduce,
                    Op::kReduceScatter, Op::kReverse, Op::kScan, Op::kSort, Op::kTranspose});
}

bool HasReducer(Op op) {
  return IsAllReduce(op) ||
         OneOf(op, {Op::kCall, Op::kCollectiveReduce, Op::kCustomCall, Op::kMap, Op::kReduce,
                    Op::kReduceWindow, Op::kScan, Op::kScatter, Op::kSort});
}

bool HasResultAccuracy(Op op) {
  return OneOf(op, {Op::kAcos,   Op::kAcosh,      Op::kAsin,        Op::kAsinh,
                    Op::kAtan,   Op::kAtanh,      Op::kCbrt,        Op::kCosh,
                    Op::kCosine, Op::kErf,        Op::kExponential, Op::kExponentialMinusOne,
                    Op::kLog,    Op::kLogPlusOne, Op::kLogistic,    Op::kRsqrt,
                    Op::kSine,   Op::kSinh,       Op::kSqrt,        Op::kTan,
                    Op::kTanh});
}

}  // namespace

absl::string_view WordOf(AttributeId id) { return kRows[static_cast<int>(id)].word; }
AttributeForm FormOf(AttributeId id) { return kRows[static_cast<int>(id)].form; }

bool IsAnnotation(AttributeId id) {
  return id >= AttributeId::kSharding || id == AttributeId::kResultAccuracy ||
         id == AttributeId::kParameterReplication;
}

bool Accepts(Opcode op, AttributeId id) {
  using A = AttributeId;
  switch (id) {
    case A::kDirection:
    case A::kType:
      return op == Op::kCompare;
    case A::kExponentBits:
    case A::kMantissaBits:
      return op == Op::kReducePrecision;
    case A::kIotaDimension:
      return op == Op::kIota;
    case A::kInferredDimension:
      return op == Op::kReshape;
    case A::kSlice:
      return op == Op::kSlice;
    case A::kDynamicSliceSizes:
      return op == Op::kDynamicSlice;
    case A::kOffsetDims:
    case A::kCollapsedSliceDims:
    case A::kStartIndexMap:
    case A::kOperandBatchingDims:
    case A::kStartIndicesBatchingDims:
    case A::kSliceSizes:
      return op == Op::kGather;
    case A::kUpdateWindowDims:
    case A::kInsertedWindowDims:
    case A::kScatterDimsToOperandDims:
    case A::kInputBatchingDims:
    case A::kScatterIndicesBatchingDims:
    case A::kUniqueIndices:
      return op == Op::kScatter;
    case A::kIndexVectorDim:
    case A::kIndicesAreSorted:
      return OneOf(op, {Op::kGather, Op::kScatter});
    case A::kIndex:
      return op == Op::kGetTupleElement;
    case A::kLhsBatchDims:
    case A::kLhsContractingDims:
    case A::kRhsBatchDims:
    case A::kRhsContractingDims:
      return IsDot(op);
    case A::kLhsRaggedDims:
    case A::kRhsGroupDims:
      return op == Op::kRaggedDot;
    case A::kEpsilon:
    case A::kFeatureIndex:
      return IsBatchNorm(op);
    case A::kFftType:
    case A::kFftLength:
      return op == Op::kFft;
    case A::kLeftSide:
    case A::kUnitDiagonal:
    case A::kTransposeA:
      return op == Op::kTriangularSolve;
    case A::kLower:
      return OneOf(op, {Op::kTriangularSolve, Op::kCholesky});
    case A::kDistribution:
      return op == Op::kRng;
    case A::kDelta:
      return op == Op::kRngGetAndUpdateState;
    case A::kK:
    case A::kLargest:
      return op == Op::kTopK;
    case A::kNumCarries:
    case A::kIsReverse:
    case A::kIsAssociative:
      return op == Op::kScan;
    case A::kIsStable:
      return op == Op::kSort;
    case A::kKind:
      return op == Op::kFusion;
    case A::kAsyncExecutionThread:
      return IsAsync(op);
    case A::kWindow:
      return OneOf(op,
                   {Op::kConvolution, Op::kCustomCall, Op::kReduceWindow, Op::kSelectAndScatter});
    case A::kDimLabels:
    case A::kFeatureGroupCount:
    case A::kBatchGroupCount:
      return OneOf(op, {Op::kConvolution, Op::kCustomCall});
    case A::kConvolutionKind:
    case A::kConvKind:
    case A::kSparsityConfig:
      return op == Op::kConvolution;
    case A::kOperandPrecision:
      return IsDot(op) || OneOf(op, {Op::kConvolution, Op::kCustomCall});
    case A::kAlgorithm:
      return OneOf(op, {Op::kConvolution, Op::kDot, Op::kRngBitGenerator, Op::kScaledDot});
    case A::kPaddingType:
    case A::kCustomCallTarget:
    case A::kOperandLayoutConstraints:
    case A::kCustomCallHasSideEffect:
    case A::kLiteral:
    case A::kSchedule:
    case A::kApiVersion:
    case A::kCalledComputations:
      return op == Op::kCustomCall;
    case A::kPadding:
      return op == Op::kPad;
    case A::kOutputToOperandAliasing:
      return OneOf(op, {Op::kAsyncStart, Op::kCustomCall, Op::kFusion});
    case A::kChannelId:
      return HasGroups(op) || IsPermute(op) || IsTransfer(op);
    case A::kReplicaGroups:
      return HasGroups(op);
    case A::kSourceTargetPairs:
    case A::kSliceSizeLists:
      return IsPermute(op);
    case A::kConstrainLayout:
      return IsAllReduce(op) || IsAllGather(op) || op == Op::kAllToAll;
    case A::kUseGlobalDeviceIds:
      return IsAllReduce(op) || IsAllGather(op);
    case A::kMode:
      return IsAllReduce(op);
    case A::kDimensions:
      return HasDimensions(op);
    case A::kIsHostTransfer:
      return IsTransfer(op);
    case A::kInfeedConfig:
      return op == Op::kInfeed;
    case A::kOutfeedShape:
    case A::kOutfeedConfig:
      return op == Op::kOutfeed;
    case A::kCrossProgramPrefetchIndex:
      return op == Op::kCopyStart;
    case A::kDomain:
      return op == Op::kDomain;
    case A::kResultAccuracy:
      return HasResultAccuracy(op);
    case A::kCondition:
    case A::kBody:
      return op == Op::kWhile;
    case A::kSelect:
    case A::kScatter:
      return op == Op::kSelectAndScatter;
    case A::kTrueComputation:
    case A::kFalseComputation:
    case A::kBranchComputations:
      return op == Op::kConditional;
    case A::kToApply:
      return HasReducer(op);
    case A::kIsComposite:
      return op == Op::kCall;
    case A::kCalls:
      return op == Op::kFusion || IsAsync(op);
    case A::kParameterReplication:
    case A::kSharding:
    case A::kFrontendAttributes:
    case A::kControlPredecessors:
    case A::kStatistics:
    case A::kOrigin:
    case A::kMetadata:
    case A::kBackendConfig:
      return true;
  }
  ASTITCH_UNREACHABLE();
}

std::optional<AttributeId> FindAttribute(Opcode opcode, absl::string_view word) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const AttributeId id = static_cast<AttributeId>(i);
    if (kRows[i].word == word && Accepts(opcode, id)) return id;
  }
  return std::nullopt;
}

}  // namespace astitch::hlo_text
