// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elemental evaluation: the code that computes one element (or one in each lane) of a value at a
// given index, from what is stored.
//
//   value %e = add(%a, %b) at (r, c)         needs %a at (r, c) and %b at (r, c)
//   value %t = transpose(%e) at (i, j)       needs %e at (j, i)
//   value %m, stored earlier                 is read
//
// What has been computed at an index is remembered while its scope is open, so a value that is
// reached on many paths is computed once; operands are visited with a stack of our own, since
// chains are a hundred thousand long. An element that needs only an outer scope's indices is
// computed there.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "codegen/common/emit_context.h"
#include "codegen/common/index.h"
#include "codegen/common/reducer.h"
#include "codegen/common/scopes.h"
#include "ir/gather_dims.h"
#include "ir/graph.h"
#include "plan/index_map.h"

namespace astitch::codegen {

// What is stored and need not be computed.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  // Emits the read of VALUE's LEAF at INDEX; null when it is not stored (yet).
  virtual Value Read(const Instruction& value, int leaf, IndexRef index) = 0;
  // No read of what the kernel itself wrote is emitted above this scope.
  virtual int floor() const = 0;
};

class Evaluator {
 public:
  Evaluator(EmitContext context, Scopes& scopes, IndexBuilder& indices, ValueSource& source);

  // A scalar when nothing in it differs between lanes. LEAF: of a tuple-shaped value.
  Value Evaluate(const Instruction& value, IndexRef index, int leaf = 0);
  // Evaluate for a result that has to have LANES lanes.
  Value EvaluateLanes(const Instruction& value, IndexRef index, int lanes);

  // Where the element UPDATE of a scatter's updates goes; it goes nowhere unless INSIDE (null:
  // always).
  struct ScatterTarget {
    std::vector<Digits> dims;
    Value inside = nullptr;
  };
  ScatterTarget LocateUpdate(const Instruction& scatter, IndexRef update);
  // Where its window begins; of UPDATE only the batch dimensions count.
  ScatterTarget LocateWindow(const Instruction& scatter, const Index& update);
  // What two index vectors have in common whose windows are the same: the vectors' entries, and the
  // batch coordinates that choose a part of the operand.
  std::vector<Value> WindowKey(const Instruction& scatter, const Index& update);

  // Forgets what was computed in scope DEPTH, which has closed.
  void Forget(int depth);
  // Readers at INDEX have RESULT, which was computed in the scope under way, for that of VALUE.
  void Define(const Instruction& value, IndexRef index, int leaf, Value result);

  // The first thing that could not be emitted; values are poison after it.
  const absl::Status& status() const { return status_; }
  void Fail(absl::Status status);

 private:
  struct Need {
    const Instruction* value = nullptr;
    IndexRef index = nullptr;
    int leaf = 0;
  };
  // A value under way: what it needs before its next step.
  struct Frame {
    Need target;
    int step = 0;
    std::vector<Need> needs;
    std::vector<Digits> dims;  // an index under construction, between steps
    Value condition = nullptr;
  };
  using Key = std::tuple<const Instruction*, IndexRef, int>;
  static Key KeyOf(const Need& need) { return {need.value, need.index, need.leaf}; }
  Value Lookup(const Need& need) const;
  void Remember(const Need& need, Value value);
  std::vector<Value> Values(const Frame& frame) const;

  // One step: the result, or null with new needs.
  Value Step(Frame& frame);
  Value Poison(const Instruction& value, absl::string_view why);
  // STEP, which opens loops, in the outermost scope that knows the frame's index.
  Value Hoisted(Frame& frame, Value (Evaluator::*step)(Frame&));
  // Appends CODE at the scope of the deepest of OPERANDS.
  Value Emit(absl::Span<const Value> operands, absl::FunctionRef<Value()> code);

  // evaluator.cc
  Value StepSource(Frame& frame);
  Value StepElementwise(Frame& frame);
  Value StepTuple(Frame& frame);
  // evaluator_movement.cc: needs one operand at a mapped index
  Value Forward(Frame& frame, const Instruction& operand, std::vector<Digits> dims);
  Value StepMovement(Frame& frame);
  Value StepPad(Frame& frame);
  Value StepConcatenate(Frame& frame);
  Value ConcatenateRange(const Instruction& value, const Index& index, const Digit& along,
                         absl::Span<const Instruction* const> pieces,
                         absl::Span<const int64_t> starts);
  Value PerLane(const Instruction& value, const Index& index, int leaf);
  Value StepBitcastConvert(Frame& frame);
  // CONDITION ? THEN : OTHERWISE, by a branch for one condition, by a selection for one a lane.
  Value Choose(Value condition, int lanes, absl::FunctionRef<Value()> then,
               absl::FunctionRef<Value()> otherwise);
  // evaluator_dynamic.cc
  Digit ClampedStart(Value start, ElementType type, int64_t limit);
  Digit AddDigits(const Digit& a, const Digit& b, int64_t extent);
  Value StepDynamicSlice(Frame& frame);
  Value StepDynamicUpdateSlice(Frame& frame);
  Value StepGather(Frame& frame);
  // evaluator_scatter.cc
  // Entry Q of the index vector of UPDATE.
  Value StartOf(const Instruction& scatter, const GatherDims& dims, const Index& update, size_t q);
  // The update of a batch index that falls on an element of the result, if INSIDE; SAFE is an index
  // that may be read whether it is or not.
  struct ScatterSource {
    Index at, safe;
    Value inside = nullptr;
  };
  ScatterSource LocateSource(const Instruction& scatter, const Index& result, Index batch);
  Value StepScatter(Frame& frame);
  // evaluator_reduction.cc
  Value StepReduce(Frame& frame);
  Value StepReduceWindow(Frame& frame);
  Value StepSelectAndScatter(Frame& frame);
  std::vector<Value> Splats(std::vector<Value> values, int lanes);
  Value Finished(const Frame& frame, const std::vector<Value>& results);
  void NestLoops(absl::Span<const int64_t> extents, absl::FunctionRef<void(const Digits&)> body);
  Value SelectInWindow(const Instruction& value, const std::vector<Digits>& out, int lanes);

  EmitContext context_;
  Scopes& scopes_;
  IndexBuilder& indices_;
  ValueSource& source_;
  absl::Status status_;
  absl::flat_hash_map<Key, Value> memo_;
  std::vector<std::vector<Key>> memo_by_depth_;
  int nesting_ = 0;  // of conditions and loops that evaluation opened itself
  int64_t evaluated_ = 0;
};

// The lanes of the widest digit.
int LanesOf(const Index& index);
// A zero of TYPE's register form: what stands for a value that cannot be emitted.
Value NullValue(llvm::LLVMContext& context, ElementType type);

}  // namespace astitch::codegen
