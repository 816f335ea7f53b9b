// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The table, and the groups of opcodes that share attributes.
#include "frontend/hlo_text/attribute_table.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/string_view.h"

namespace astitch::hlo_text {
namespace {

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

bool AnyInstruction(Op) { return true; }

bool Matches(Op op, Op one) { return op == one; }
bool Matches(Op op, bool (*group)(Op)) { return group(op); }

template <typename... Takers>
bool MatchesAny(Op op, Takers... takers) {
  return (Matches(op, takers) || ...);
}

struct Row {
  absl::string_view word;
  AttributeForm form;
  bool (*accepts)(Op);
};

using enum Opcode;

constexpr Row kRows[] = {
#define ASTITCH_X(enumerator, word, form, ...) \
  {word, AttributeForm::form, [](Op op) { return MatchesAny(op, __VA_ARGS__); }},
    ASTITCH_HLO_ATTRIBUTES(ASTITCH_X)
#undef ASTITCH_X
};

}  // namespace

absl::string_view WordOf(AttributeId id) { return kRows[static_cast<int>(id)].word; }
AttributeForm FormOf(AttributeId id) { return kRows[static_cast<int>(id)].form; }

bool IsAnnotation(AttributeId id) {
  return id >= AttributeId::kSharding || id == AttributeId::kResultAccuracy ||
         id == AttributeId::kParameterReplication;
}

bool Accepts(Opcode opcode, AttributeId id) { return kRows[static_cast<int>(id)].accepts(opcode); }

std::optional<AttributeId> FindAttribute(Opcode opcode, absl::string_view word) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const AttributeId id = static_cast<AttributeId>(i);
    if (kRows[i].word == word && Accepts(opcode, id)) return id;
  }
  return std::nullopt;
}

}  // namespace astitch::hlo_text
