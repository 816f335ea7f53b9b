// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plan: the whole program as steps in order, with the buffers between them and a ledger of every
// decision.
//
// A plan speaks of a canonical Graph, which it holds: its text is the plan's own lines followed by
// that graph as HLO text. Plain data but for the graph; move-only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "plan/kernel_plan.h"

namespace astitch {

// The memory of a value that crosses steps.
struct BufferPlan {
  enum class Space : uint8_t { kInput, kOutput, kArena, kConstant };
  const Instruction* value = nullptr;
  Space space = Space::kArena;
  int32_t index = 0;   // which input, output leaf or constant
  int64_t offset = 0;  // arena: bytes
  int64_t bytes = 0;
  friend bool operator==(const BufferPlan&, const BufferPlan&) = default;
};
absl::string_view ToString(BufferPlan::Space space);

// An operand or the result of a library call: a buffer read with strides, so that transposes need
// no kernel.
struct StridedOperand {
  const Instruction* value = nullptr;
  std::vector<int64_t> strides;  // elements: batch dims, then the two matrix dims
  friend bool operator==(const StridedOperand&, const StridedOperand&) = default;
};

// What a library does to a product before it stores it: what matrix libraries document as epilogues.
enum class EpilogueKind : uint8_t {
  kAdd,       // + addend, such as a bias or a residual
  kScale,     // * scale
  kRelu,      // max(x, 0); the host's library gives 0 for a NaN, so no planner takes it for HLO's
  kGeluTanh,  // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  kGeluErf,   // x/2 (1 + erf(x / sqrt 2))
};
absl::string_view ToString(EpilogueKind kind);

struct EpilogueOp {
  EpilogueKind kind = EpilogueKind::kAdd;
  StridedOperand addend;  // kAdd; strides as those of the output, 0 where it is broadcast
  double scale = 1;       // kScale
  friend bool operator==(const EpilogueOp&, const EpilogueOp&) = default;
};

// out[b.., m, n] = epilogue(sum over k of lhs[b.., m, k] * rhs[b.., k, n]). OUT's value is the dot, or
// what the graph makes of it by the epilogue and by transpositions that its strides absorb.
struct DotCall {
  const Instruction* dot = nullptr;
  std::vector<int64_t> batch;
  int64_t m = 1, n = 1, k = 1;
  StridedOperand lhs, rhs, out;
  std::vector<EpilogueOp> epilogue;  // first to last
  Prediction predicted = {};
  friend bool operator==(const DotCall&, const DotCall&) = default;
};

struct ConvolutionCall {
  const Instruction* convolution = nullptr;
  Prediction predicted = {};
  friend bool operator==(const ConvolutionCall&, const ConvolutionCall&) = default;
};

// Bytes from one buffer to another: an output that is an input or a constant.
struct CopyCall {
  const Instruction* from = nullptr;
  int32_t output = 0;
  Prediction predicted = {};
  friend bool operator==(const CopyCall&, const CopyCall&) = default;
};

// One instruction for which there is neither a kernel nor a library call, such as a loop or a sort: the
// interpreter evaluates it on the host. What it reads and writes: reference_call.h.
struct ReferenceCall {
  const Instruction* instruction = nullptr;
  Prediction predicted = {};
  friend bool operator==(const ReferenceCall&, const ReferenceCall&) = default;
};

using PlanStep = std::variant<KernelPlan, DotCall, ConvolutionCall, CopyCall, ReferenceCall>;

// The prediction of STEP.
const Prediction& PredictionOf(const PlanStep& step);

// The values whose memory STEP reads and writes.
void ReadsAndWrites(const PlanStep& step, std::vector<const Instruction*>& reads,
                    std::vector<const Instruction*>& writes);

// One line of the ledger: an edge of the graph (or a decision about one value, consumer null), its
// home and why.
struct LedgerEntry {
  const Instruction* producer = nullptr;
  const Instruction* consumer = nullptr;
  std::string home;  // "local", "regional", "global", "boundary", "recomputed", "read again", ...
  std::string
      reason;         // a stable code: "same-rows", "reduction-crosses-blocks", "library-call", ...
  int64_t bytes = 0;  // kept on chip, or moved
  std::string detail;  // words for people; may be empty
  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

struct Plan {
  std::string target;  // machine name
  std::string fusion;  // planner that made it
  std::unique_ptr<Graph> graph;
  std::vector<BufferPlan> buffers;
  int64_t arena_bytes = 0;
  std::vector<PlanStep> steps;
  std::vector<LedgerEntry> ledger;

  const BufferPlan* FindBuffer(const Instruction* value) const;
  int64_t num_kernels() const;
  int64_t num_library_calls() const;  // products and convolutions
  int64_t num_reference_calls() const;
  int64_t num_copies() const;
  Traffic total_traffic() const;  // of the kernels
  // Predicted nanoseconds of all kernels, and of all other steps, one after the other.
  int64_t predicted_kernels_ns() const;
  int64_t predicted_others_ns() const;
};

// The same graph by structure (ir/graph_equal.h) and everything else by value, instructions matched
// by name.
bool PlansEqual(const Plan& a, const Plan& b);

}  // namespace astitch
