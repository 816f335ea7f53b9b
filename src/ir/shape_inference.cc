// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which family answers for which opcode, and the questions the families share.
#include "ir/shape_inference.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

using Infer = absl::StatusOr<Shape> (*)(const InferenceInput&);

absl::StatusOr<Shape> SameAsOperand(const InferenceInput& in) { return in.shape(0); }

absl::StatusOr<Shape> DeviceId(const InferenceInput&) { return Shape::Scalar(ElementType::kU32); }

absl::StatusOr<Shape> RngState(const InferenceInput&) {
  return Shape::Array(ElementType::kU64, {2});
}

// Null: the shape must be written.
Infer FamilyOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kCountLeadingZeros:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kPopcnt:
    case Opcode::kReal:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return InferUnary;
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSubtract:
    case Opcode::kXor:
      return InferBinary;
    case Opcode::kCompare:
      return InferCompare;
    case Opcode::kComplex:
      return InferComplex;
    case Opcode::kClamp:
      return InferClamp;
    case Opcode::kSelect:
      return InferSelect;
    case Opcode::kReducePrecision:
      return InferReducePrecision;
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
      return SameAsOperand;
    case Opcode::kTranspose:
      return InferTranspose;
    case Opcode::kReverse:
      return InferReverse;
    case Opcode::kConcatenate:
      return InferConcatenate;
    case Opcode::kSlice:
      return InferSlice;
    case Opcode::kPad:
      return InferPad;
    case Opcode::kDynamicSlice:
      return InferDynamicSlice;
    case Opcode::kDynamicUpdateSlice:
      return InferDynamicUpdateSlice;
    case Opcode::kGetDimensionSize:
      return InferGetDimensionSize;
    case Opcode::kSetDimensionSize:
      return InferSetDimensionSize;
    case Opcode::kGather:
      return InferGather;
    case Opcode::kScatter:
      return InferScatter;
    case Opcode::kReduce:
      return InferReduce;
    case Opcode::kReduceWindow:
      return InferReduceWindow;
    case Opcode::kSelectAndScatter:
      return InferSelectAndScatter;
    case Opcode::kMap:
      return InferMap;
    case Opcode::kScan:
      return InferScan;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return InferBatchNorm;
    case Opcode::kDot:
      return InferDot;
    case Opcode::kRaggedDot:
      return InferRaggedDot;
    case Opcode::kScaledDot:
      return InferScaledDot;
    case Opcode::kConvolution:
      return InferConvolution;
    case Opcode::kSort:
      return InferSort;
    case Opcode::kTopK:
      return InferTopK;
    case Opcode::kFft:
      return InferFft;
    case Opcode::kCholesky:
      return InferCholesky;
    case Opcode::kTriangularSolve:
      return InferTriangularSolve;
    case Opcode::kTuple:
      return InferTuple;
    case Opcode::kGetTupleElement:
      return InferGetTupleElement;
    case Opcode::kWhile:
      return InferWhile;
    case Opcode::kConditional:
      return InferConditional;
    case Opcode::kCall:
    case Opcode::kFusion:
      return InferCall;
    case Opcode::kAfterAll:
      return InferAfterAll;
    case Opcode::kAddDependency:
      return InferAddDependency;
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return DeviceId;
    case Opcode::kRngGetAndUpdateState:
      return RngState;
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectiveReduce:
    case Opcode::kConstant:
    case Opcode::kConvert:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kCustomCall:
    case Opcode::kDynamicReshape:
    case Opcode::kInfeed:
    case Opcode::kIota:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReduceScatter:
    case Opcode::kReshape:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kShuffle:
    case Opcode::kStochasticConvert:
      return nullptr;
  }
  ASTITCH_UNREACHABLE();
}

std::string OperandText(const InferenceInput& in, int64_t i) {
  return absl::StrCat("operand ", i, " of ", ToString(in.opcode));
}

}  // namespace

bool HasInferableShape(Opcode opcode) { return FamilyOf(opcode) != nullptr; }

absl::StatusOr<Shape> InferShape(Opcode opcode, absl::Span<Instruction* const> operands,
                                 const Attributes& attributes,
                                 absl::Span<Computation* const> called) {
  const Infer infer = FamilyOf(opcode);
  if (infer == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat("the result shape of ", ToString(opcode), " must be written"));
  const int arity = ArityOf(opcode);
  if (arity >= 0 && static_cast<size_t>(arity) != operands.size())
    return Expected(absl::StrCat(arity, " operands of ", ToString(opcode)),
                    absl::StrCat(operands.size()));
  return infer({opcode, operands, attributes, called});
}

// ---- Questions

absl::Status Expected(absl::string_view expected, absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, ", got ", got));
}

std::string DimsText(absl::Span<const int64_t> dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

std::string ListText(absl::Span<const int64_t> list) {
  return absl::StrCat("{", absl::StrJoin(list, ","), "}");
}

absl::Status ExpectArray(const InferenceInput& in, int64_t i) {
  if (in.shape(i).IsArray()) return absl::OkStatus();
  return Expected(absl::StrCat("an array for ", OperandText(in, i)), in.shape(i).ToString(false));
}

absl::Status ExpectArrays(const InferenceInput& in) {
  for (int64_t i = 0; i < in.size(); ++i) ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
  return absl::OkStatus();
}

absl::Status ExpectDims(const InferenceInput& in, int64_t i, absl::Span<const int64_t> dims) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
  if (dims == absl::MakeConstSpan(in.shape(i).dims())) return absl::OkStatus();
  return Expected(absl::StrCat("dimensions ", DimsText(dims), " for ", OperandText(in, i)),
                  in.shape(i).ToString(false));
}

absl::Status ExpectElementType(const InferenceInput& in, int64_t i, ElementType type) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
  if (in.shape(i).element_type() == type) return absl::OkStatus();
  return Expected(absl::StrCat(ToString(type), " for ", OperandText(in, i)),
                  in.shape(i).ToString(false));
}

absl::Status ExpectIntegers(const InferenceInput& in, int64_t i) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
  if (IsInteger(in.shape(i).element_type())) return absl::OkStatus();
  return Expected(absl::StrCat("integers for ", OperandText(in, i)), in.shape(i).ToString(false));
}

absl::Status ExpectDistinctDims(absl::string_view what, absl::Span<const int64_t> list,
                                int64_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t d : list) {
    if (d < 0 || d >= rank)
      return Expected(absl::StrCat(what, " below the rank ", rank), absl::StrCat(d));
    if (seen[d]) return Expected(absl::StrCat("distinct ", what), ListText(list));
    seen[d] = true;
  }
  return absl::OkStatus();
}

absl::Status ExpectAscending(absl::string_view what, absl::Span<const int64_t> list) {
  if (std::is_sorted(list.begin(), list.end())) return absl::OkStatus();
  return Expected(absl::StrCat("ascending ", what), ListText(list));
}

absl::Status ExpectLength(absl::string_view what, int64_t length, int64_t expected) {
  if (length == expected) return absl::OkStatus();
  return Expected(absl::StrCat(expected, " ", what), absl::StrCat(length));
}

absl::Status ExpectBodies(const InferenceInput& in, int64_t count) {
  ASTITCH_RETURN_IF_ERROR(ExpectLength(absl::StrCat("called computations of ", ToString(in.opcode)),
                                       static_cast<int64_t>(in.called.size()), count));
  for (const Computation* body : in.called) {
    if (body == nullptr || body->root() == nullptr)
      return Expected("a called computation with a root", "an empty one");
  }
  return absl::OkStatus();
}

absl::StatusOr<ElementType> CommonType(const InferenceInput& in, int64_t i, int64_t j) {
  const ElementType a = in.shape(i).element_type(), b = in.shape(j).element_type();
  if (a == b) return a;
  if (IsFloat(a) && IsFloat(b) && BitWidth(a) != BitWidth(b)) {
    return BitWidth(a) > BitWidth(b) ? a : b;
  }
  return Expected(absl::StrCat(ToString(a), " for ", OperandText(in, j)),
                  in.shape(j).ToString(false));
}

}  // namespace astitch
