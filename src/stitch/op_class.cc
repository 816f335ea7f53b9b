// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The classes and costs, opcode by opcode.
#include "stitch/op_class.h"

#include <algorithm>

#include "ir/window_form.h"

namespace astitch {

StitchClass ClassOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return StitchClass::kLibrary;
    case Opcode::kReduce:
      return StitchClass::kReduce;
    case Opcode::kScatter:
      return IsScatter(instruction) ? StitchClass::kStitch : StitchClass::kSolo;
    case Opcode::kReduceWindow:
      if (!instruction.shape().IsArray()) return StitchClass::kSolo;
      return IsScan(instruction) ? StitchClass::kReduce : StitchClass::kStitch;
    case Opcode::kSelectAndScatter:
      return StitchClass::kStitch;
    case Opcode::kCustomCall: {
      // The one custom call that means something by itself and is no identity.
      const auto* call = std::get_if<CustomCallAttributes>(&instruction.attributes());
      return call != nullptr && call->target == "TopK" ? StitchClass::kReference
                                                       : StitchClass::kRefused;
    }
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCall:
    case Opcode::kCholesky:
    case Opcode::kComplex:
    case Opcode::kConditional:
    case Opcode::kFft:
    case Opcode::kGetDimensionSize:
    case Opcode::kImag:
    case Opcode::kMap:
    case Opcode::kRaggedDot:
    case Opcode::kReal:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kTriangularSolve:
    case Opcode::kWhile:
      return StitchClass::kReference;
    case Opcode::kDynamicReshape:
    case Opcode::kShuffle:
      return StitchClass::kRefused;
    default:
      break;
  }
  switch (KindOf(instruction.opcode())) {
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kDynamicMap:
      return StitchClass::kStitch;
    case OpKind::kSource:
      return instruction.opcode() == Opcode::kIota ? StitchClass::kStitch : StitchClass::kSource;
    case OpKind::kTuple:
      return StitchClass::kTuple;
    case OpKind::kReduction:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return StitchClass::kRefused;
  }
  ASTITCH_UNREACHABLE();
}

bool IsScan(const Instruction& value) {
  constexpr int64_t kShortest = 16;
  if (value.opcode() != Opcode::kReduceWindow || !value.shape().IsArray()) return false;
  const std::optional<int64_t> scanned = ScannedDim(value);
  return scanned.has_value() && value.shape().dim(*scanned) >= kShortest &&
         value.shape().num_elements() > 0;
}

bool IsScatter(const Instruction& value) {
  return value.opcode() == Opcode::kScatter && value.shape().IsArray();
}

bool NeedsMemory(const Instruction& reader, int64_t i) {
  switch (reader.opcode()) {
    case Opcode::kGather:
      return i == 0;
    case Opcode::kReduceWindow:
      return i < reader.num_operands() / 2 && WindowsOverlap(reader) && !IsScan(reader);
    case Opcode::kSelectAndScatter:
      return i < 2;
    default:
      return false;
  }
}

int64_t BytesTaken(const Instruction& reader, int64_t i) {
  const int64_t all = reader.operand(i)->shape().byte_size();
  const bool part = reader.opcode() == Opcode::kSlice || reader.opcode() == Opcode::kDynamicSlice ||
                    reader.opcode() == Opcode::kGather;
  return part && i == 0 ? std::min(all, reader.shape().byte_size()) : all;
}

int ElementCost(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kPower:
    case Opcode::kSine:
    case Opcode::kCosine:
    case Opcode::kTan:
    case Opcode::kAtan2:
      return IsInteger(instruction.shape().element_type()) ? 30 : 40;
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kErf:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kSinh:
    case Opcode::kTanh:
      return 25;
    case Opcode::kExponential:
      return 15;
    case Opcode::kRemainder:
      return 20;
    case Opcode::kRsqrt:
    case Opcode::kSqrt:
    case Opcode::kDivide:
      return 5;
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
      return 100;
    default:
      break;
  }
  return KindOf(instruction.opcode()) == OpKind::kElementwise ? 1 : 0;
}

}  // namespace astitch
