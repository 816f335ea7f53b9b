// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The switch over all opcodes as three tables; it has no default, so that a new opcode does not
// compile until it is in one of them.
#include "interp/dispatch.h"

#include <utility>

#include "base/check.h"

namespace astitch::interp {
namespace {

Result First(Operands operands) { return std::move(operands[0]); }

Result Token() { return Literal(); }

Result EvalReshape(const Instruction& instruction, Operands operands) {
  return operands[0].WithShape(instruction.shape());
}

Result EvalConstant(const Instruction& instruction) {
  if (instruction.literal().is_elided()) {
    return ErrorAt(instruction, "its values were elided ({...}) when the text was printed");
  }
  return instruction.literal();
}

// The done half of an asynchronous pair: element INDEX of what the start half gave, or all of it.
Result TakePart(Literal& started, int64_t index) {
  if (!started.shape().IsTuple()) return std::move(started);
  return std::move(started.mutable_elements()[index]);
}

Result EvalGetTupleElement(const Instruction& instruction, Operands operands) {
  return TakePart(operands[0], instruction.as<TupleIndexAttributes>().index);
}

Result EvalTopKInstruction(const Instruction& instruction, Operands operands) {
  const auto& topk = instruction.as<TopKAttributes>();
  return EvalTopK(instruction, operands[0], topk.k, topk.largest);
}

Result EvalTuple(Operands operands) {
  std::vector<Literal> elements;
  elements.reserve(operands.size());
  for (Literal& operand : operands) elements.push_back(std::move(operand));
  return Literal::Tuple(std::move(elements));
}

Result EvalGetDimensionSize(const Instruction& instruction) {
  Literal size(instruction.shape());
  const Shape& operand = instruction.operand(0)->shape();
  size.mutable_data<int32_t>()[0] = static_cast<int32_t>(operand.dim(instruction.dimensions()[0]));
  return size;
}

}  // namespace

// clang-format off
// Through one lane kernel.
#define ASTITCH_LANE_OPCODES(X) \
  X(kAbs) X(kAcos) X(kAcosh) X(kAdd) X(kAnd) X(kAsin) X(kAsinh) X(kAtan) X(kAtan2) X(kAtanh) \
  X(kCbrt) X(kCeil) X(kClamp) X(kCompare) X(kComplex) X(kConvert) X(kCosh) X(kCosine) \
  X(kCountLeadingZeros) X(kDivide) X(kErf) X(kExponential) X(kExponentialMinusOne) X(kFloor) \
  X(kImag) X(kIsFinite) X(kLog) X(kLogPlusOne) X(kLogistic) X(kMaximum) X(kMinimum) X(kMulhi) \
  X(kMultiply) X(kNegate) X(kNot) X(kOr) X(kPopcnt) X(kPower) X(kReducePrecision) X(kRemainder) \
  X(kRoundNearestAfz) X(kRoundNearestEven) X(kRsqrt) X(kShiftLeft) X(kShiftRightArithmetic) \
  X(kShiftRightLogical) X(kSign) X(kSine) X(kSinh) X(kSqrt) X(kStochasticConvert) X(kSubtract) \
  X(kTan) X(kTanh) X(kXor)

// Without an evaluator. parameter has no value of its own: the walk gives it one.
#define ASTITCH_REFUSED_OPCODES(X) \
  X(kCollectiveReduce) X(kDynamicReshape) X(kInfeed) X(kOutfeed) X(kParameter) \
  X(kRaggedAllToAll) X(kRecv) X(kRecvDone) X(kSend) X(kSendDone) X(kSetDimensionSize) \
  X(kShuffle)
// clang-format on

// The rest, each with what evaluates it.
#define ASTITCH_EVALUATED_OPCODES(X)                                         \
  X(kAddDependency, First(operands))                                         \
  X(kAfterAll, Token())                                                      \
  X(kAllGather, EvalCollective(instruction, operands))                       \
  X(kAllGatherDone, TakePart(operands[0], 1))                                \
  X(kAllGatherStart, EvalCollective(instruction, operands))                  \
  X(kAllReduce, EvalCollective(instruction, operands))                       \
  X(kAllReduceDone, First(operands))                                         \
  X(kAllReduceStart, EvalCollective(instruction, operands))                  \
  X(kAllToAll, EvalCollective(instruction, operands))                        \
  X(kAsyncDone, TakePart(operands[0], 1))                                    \
  X(kAsyncStart, EvalAsyncStart(context, instruction, operands))             \
  X(kAsyncUpdate, First(operands))                                           \
  X(kBatchNormGrad, EvalBatchNormGrad(instruction, operands))                \
  X(kBatchNormInference, EvalBatchNormInference(instruction, operands))      \
  X(kBatchNormTraining, EvalBatchNormTraining(instruction, operands))        \
  X(kBitcast, EvalBitcast(instruction, operands))                            \
  X(kBitcastConvert, EvalBitcastConvert(instruction, operands))              \
  X(kBroadcast, EvalBroadcast(instruction, operands))                        \
  X(kCall, EvalCall(context, instruction, operands))                         \
  X(kCholesky, EvalCholesky(instruction, operands))                          \
  X(kCollectiveBroadcast, EvalCollective(instruction, operands))             \
  X(kCollectivePermute, EvalCollectivePermute(instruction, operands))        \
  X(kCollectivePermuteDone, TakePart(operands[0], 1))                        \
  X(kCollectivePermuteStart, EvalCollectivePermute(instruction, operands))   \
  X(kConcatenate, EvalConcatenate(instruction, operands))                    \
  X(kConditional, EvalConditional(context, instruction, operands))           \
  X(kConstant, EvalConstant(instruction))                                    \
  X(kConvolution, EvalConvolution(instruction, operands))                    \
  X(kCopy, First(operands))                                                  \
  X(kCopyDone, TakePart(operands[0], 0))                                     \
  X(kCopyStart, EvalCopyStart(instruction, operands))                        \
  X(kCustomCall, EvalCustomCall(instruction, operands))                      \
  X(kDomain, First(operands))                                                \
  X(kDot, EvalDot(instruction, operands))                                    \
  X(kDynamicSlice, EvalDynamicSlice(instruction, operands))                  \
  X(kDynamicUpdateSlice, EvalDynamicUpdateSlice(instruction, operands))      \
  X(kFft, EvalFft(instruction, operands))                                    \
  X(kFusion, EvalCall(context, instruction, operands))                       \
  X(kGather, EvalGather(instruction, operands))                              \
  X(kGetDimensionSize, EvalGetDimensionSize(instruction))                    \
  X(kGetTupleElement, EvalGetTupleElement(instruction, operands))            \
  X(kIota, EvalIota(instruction))                                            \
  X(kMap, EvalMap(context, instruction, operands))                           \
  X(kOptBarrier, First(operands))                                            \
  X(kPad, EvalPad(instruction, operands))                                    \
  X(kPartitionId, EvalDeviceId(instruction))                                 \
  X(kRaggedDot, EvalRaggedDot(instruction, operands))                        \
  X(kReal, EvalReal(instruction, operands))                                  \
  X(kReduce, EvalReduce(context, instruction, operands))                     \
  X(kReduceScatter, EvalCollective(instruction, operands))                   \
  X(kReduceWindow, EvalReduceWindow(context, instruction, operands))         \
  X(kReplicaId, EvalDeviceId(instruction))                                   \
  X(kReshape, EvalReshape(instruction, operands))                            \
  X(kReverse, EvalReverse(instruction, operands))                            \
  X(kRng, EvalRng(context, instruction, operands))                           \
  X(kRngBitGenerator, EvalRngBitGenerator(instruction, operands))            \
  X(kRngGetAndUpdateState, EvalRngGetAndUpdateState(context, instruction))   \
  X(kScaledDot, EvalScaledDot(instruction, operands))                        \
  X(kScan, EvalScan(context, instruction, operands))                         \
  X(kScatter, EvalScatter(context, instruction, operands))                   \
  X(kSelect, EvalSelect(instruction, operands))                              \
  X(kSelectAndScatter, EvalSelectAndScatter(context, instruction, operands)) \
  X(kSlice, EvalSlice(instruction, operands))                                \
  X(kSort, EvalSort(context, instruction, operands))                         \
  X(kTopK, EvalTopKInstruction(instruction, operands))                       \
  X(kTranspose, EvalTranspose(instruction, operands))                        \
  X(kTriangularSolve, EvalTriangularSolve(instruction, operands))            \
  X(kTuple, EvalTuple(operands))                                             \
  X(kWhile, EvalWhile(context, instruction, operands))

Result Dispatch(Context& context, const Instruction& instruction, Operands operands) {
  switch (instruction.opcode()) {
#define ASTITCH_LANE(enumerator) case Opcode::enumerator:
#define ASTITCH_REFUSED(enumerator) case Opcode::enumerator:
#define ASTITCH_EVALUATED(enumerator, call) \
  case Opcode::enumerator:                  \
    return call;
    ASTITCH_LANE_OPCODES(ASTITCH_LANE)
    return EvalElementwise(instruction, operands);
    ASTITCH_REFUSED_OPCODES(ASTITCH_REFUSED)
    return ErrorAt(instruction, "is not implemented in the interpreter");
    ASTITCH_EVALUATED_OPCODES(ASTITCH_EVALUATED)
#undef ASTITCH_LANE
#undef ASTITCH_REFUSED
#undef ASTITCH_EVALUATED
  }
  ASTITCH_UNREACHABLE();
}

bool HasEvaluator(Opcode opcode) {
#define ASTITCH_REFUSED(enumerator) opcode != Opcode::enumerator&&
  return opcode == Opcode::kParameter || (ASTITCH_REFUSED_OPCODES(ASTITCH_REFUSED) true);
#undef ASTITCH_REFUSED
}

}  // namespace astitch::interp
