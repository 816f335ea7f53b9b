// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the body of a reduce is, as far as folding in another order is concerned.
//
//   each result folds its own operand by one operation   add: any order, from the neutral element
//   only compares and selects (argmax, argmin)           idempotent: any order, from the init value
//   anything else                                        serial: row-major order, from the init
//   value
//
// Sums and products of narrow floats are carried in f32 and rounded once at the end.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/common/emit_context.h"
#include "codegen/common/index.h"
#include "ir/graph.h"

namespace astitch::codegen {

class Reducer {
 public:
  // COMPUTATION: of a reduce or reduce-window: parameters acc..., value... Refused: bodies that are
  // not elementwise operations on real numbers.
  static absl::StatusOr<Reducer> Of(const Computation& computation);

  // May be cut into parts that are folded on their own.
  bool parallel() const { return kind_ != Kind::kSerial; }
  int num_results() const { return static_cast<int>(types_.size()); }
  // How a result is carried until it is finished.
  ElementType accumulator_type(int result) const { return types_[result]; }

  // What every accumulator starts from, given the init values (as registers hold them).
  std::vector<Value> Start(const EmitContext& context, absl::Span<const Value> inits) const;
  // accumulator (+) value. All scalars or all of one vector width.
  std::vector<Value> Fold(const EmitContext& context, absl::Span<const Value> accumulators,
                          absl::Span<const Value> values) const;
  // The end: the init value joins, once, and the result is rounded to its type.
  std::vector<Value> Finish(const EmitContext& context, absl::Span<const Value> accumulators,
                            absl::Span<const Value> inits) const;

 private:
  int NativeLanes(const EmitContext& context) const;
  std::vector<Value> FoldByBody(const EmitContext& context,
                                const std::vector<Value>& arguments) const;

  enum class Kind { kOperations, kSelection, kSerial };
  Kind kind_ = Kind::kSerial;
  const Computation* computation_ = nullptr;
  std::vector<const Instruction*> operations_;  // kOperations: of each result
  std::vector<ElementType> types_;              // of the accumulators
  std::vector<ElementType> results_;
};

// How result LEAF of a reduce is carried between its parts.
ElementType AccumulatorType(const Instruction& reduce, int leaf);

}  // namespace astitch::codegen
