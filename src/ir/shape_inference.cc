// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which family answers for which opcode, and the questions the families share. The families are a
// table and not a switch, so that it reads as lists; that it names every opcode, and none twice, is
// checked when it is compiled.
#include "ir/shape_inference.h"

#include <algorithm>
#include <array>
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

using enum Opcode;

constexpr Opcode kUnary[] = {kAbs,
                             kAcos,
                             kAcosh,
                             kAsin,
                             kAsinh,
                             kAtan,
                             kAtanh,
                             kCbrt,
                             kCeil,
                             kCosh,
                             kCosine,
                             kCountLeadingZeros,
                             kErf,
                             kExponential,
                             kExponentialMinusOne,
                             kFloor,
                             kImag,
                             kIsFinite,
                             kLog,
                             kLogPlusOne,
                             kLogistic,
                             kNegate,
                             kNot,
                             kPopcnt,
                             kReal,
                             kRoundNearestAfz,
                             kRoundNearestEven,
                             kRsqrt,
                             kSign,
                             kSine,
                             kSinh,
                             kSqrt,
                             kTan,
                             kTanh};

constexpr Opcode kBinary[] = {kAdd,
                              kAnd,
                              kAtan2,
                              kDivide,
                              kMaximum,
                              kMinimum,
                              kMulhi,
                              kMultiply,
                              kOr,
                              kPower,
                              kRemainder,
                              kShiftLeft,
                              kShiftRightArithmetic,
                              kShiftRightLogical,
                              kSubtract,
                              kXor};

// The operands do not fix these shapes.
constexpr Opcode kWritten[] = {kAllGather,
                               kAllGatherDone,
                               kAllGatherStart,
                               kAllReduce,
                               kAllReduceDone,
                               kAllReduceStart,
                               kAllToAll,
                               kAsyncDone,
                               kAsyncStart,
                               kAsyncUpdate,
                               kBitcast,
                               kBitcastConvert,
                               kBroadcast,
                               kCollectiveBroadcast,
                               kCollectivePermute,
                               kCollectivePermuteDone,
                               kCollectivePermuteStart,
                               kCollectiveReduce,
                               kConstant,
                               kConvert,
                               kCopyDone,
                               kCopyStart,
                               kCustomCall,
                               kDynamicReshape,
                               kInfeed,
                               kIota,
                               kOutfeed,
                               kParameter,
                               kRaggedAllToAll,
                               kRecv,
                               kRecvDone,
                               kReduceScatter,
                               kReshape,
                               kRng,
                               kRngBitGenerator,
                               kSend,
                               kSendDone,
                               kShuffle,
                               kStochasticConvert};

struct Row {
  Opcode opcode;
  Infer infer;
};
constexpr Row kOthers[] = {{kCompare, InferCompare},
                           {kComplex, InferComplex},
                           {kClamp, InferClamp},
                           {kSelect, InferSelect},
                           {kReducePrecision, InferReducePrecision},
                           {kCopy, SameAsOperand},
                           {kDomain, SameAsOperand},
                           {kOptBarrier, SameAsOperand},
                           {kTranspose, InferTranspose},
                           {kReverse, InferReverse},
                           {kConcatenate, InferConcatenate},
                           {kSlice, InferSlice},
                           {kPad, InferPad},
                           {kDynamicSlice, InferDynamicSlice},
                           {kDynamicUpdateSlice, InferDynamicUpdateSlice},
                           {kGetDimensionSize, InferGetDimensionSize},
                           {kSetDimensionSize, InferSetDimensionSize},
                           {kGather, InferGather},
                           {kScatter, InferScatter},
                           {kReduce, InferReduce},
                           {kReduceWindow, InferReduceWindow},
                           {kSelectAndScatter, InferSelectAndScatter},
                           {kMap, InferMap},
                           {kScan, InferScan},
                           {kBatchNormGrad, InferBatchNorm},
                           {kBatchNormInference, InferBatchNorm},
                           {kBatchNormTraining, InferBatchNorm},
                           {kDot, InferDot},
                           {kRaggedDot, InferRaggedDot},
                           {kScaledDot, InferScaledDot},
                           {kConvolution, InferConvolution},
                           {kSort, InferSort},
                           {kTopK, InferTopK},
                           {kFft, InferFft},
                           {kCholesky, InferCholesky},
                           {kTriangularSolve, InferTriangularSolve},
                           {kTuple, InferTuple},
                           {kGetTupleElement, InferGetTupleElement},
                           {kWhile, InferWhile},
                           {kConditional, InferConditional},
                           {kCall, InferCall},
                           {kFusion, InferCall},
                           {kAfterAll, InferAfterAll},
                           {kAddDependency, InferAddDependency},
                           {kPartitionId, DeviceId},
                           {kReplicaId, DeviceId},
                           {kRngGetAndUpdateState, RngState}};

#define ASTITCH_COUNT(enumerator, word, arity, kind) +1
constexpr size_t kNumOpcodes = 0 ASTITCH_OPCODES(ASTITCH_COUNT);
#undef ASTITCH_COUNT

struct FamilyTable {
  std::array<Infer, kNumOpcodes> infer{};  // null: the shape must be written
  std::array<int, kNumOpcodes> mentions{};

  constexpr void Set(Opcode opcode, Infer family) {
    infer[static_cast<size_t>(opcode)] = family;
    ++mentions[static_cast<size_t>(opcode)];
  }
  constexpr bool EachOnce() const {
    for (int count : mentions) {
      if (count != 1) return false;
    }
    return true;
  }
};

constexpr FamilyTable MakeFamilyTable() {
  FamilyTable table;
  for (Opcode opcode : kUnary) table.Set(opcode, InferUnary);
  for (Opcode opcode : kBinary) table.Set(opcode, InferBinary);
  for (Opcode opcode : kWritten) table.Set(opcode, nullptr);
  for (const Row& row : kOthers) table.Set(row.opcode, row.infer);
  return table;
}

constexpr FamilyTable kFamilies = MakeFamilyTable();
static_assert(kFamilies.EachOnce(), "an opcode has no family, or two");

Infer FamilyOf(Opcode opcode) { return kFamilies.infer[static_cast<size_t>(opcode)]; }

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
