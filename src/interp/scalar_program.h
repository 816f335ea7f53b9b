// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A computation on scalars (a reducer, a comparator, the body of a map), compiled to a list of lane
// operations over registers, so that one pass evaluates it for up to kLanes elements.
//
//   add_f { a, b, r = add(a, b) }   =>   registers [a][b][r], step 0: r = add(a, b)
//
// Rounding. kEach rounds after every instruction, as HLO says. kWide is for reducers and does not
// round floats (nor the parts of complex numbers) at all: the accumulator stays a double from the
// first element to the last, and who runs the program rounds the end result once. So a bf16 or f16
// sum is right to its last bit instead of losing everything below its running total, and an f32 sum
// of any length has one rounding.
//
// What cannot be compiled (a loop inside a comparator, say) is evaluated lane by lane through the
// interpreter: slow, and the same result as kEach.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/lane_op.h"
#include "interp/lanes.h"
#include "ir/graph.h"

namespace astitch::interp {

class Context;

enum class Rounding : uint8_t { kEach, kWide };

class ScalarProgram {
 public:
  // REQUIRES: the parameters of COMPUTATION are scalars, and its root is one or a tuple of them.
  static absl::StatusOr<ScalarProgram> Compile(Context& context, const Computation& computation,
                                               Rounding rounding);

  int64_t num_params() const { return static_cast<int64_t>(param_types_.size()); }
  int64_t num_results() const { return static_cast<int64_t>(result_types_.size()); }
  ElementType param_type(int64_t i) const { return param_types_[i]; }
  ElementType result_type(int64_t i) const { return result_types_[i]; }

  // Lanes to fill before a run and to read after it. Runs leave the parameters as they are.
  Lane* param(int64_t i) { return Register(i); }
  const Lane* result(int64_t i) { return Register(results_[i]); }
  // REQUIRES: 0 <= n <= kLanes.
  absl::Status Run(int64_t n);

  // The opcode when the program is that one operation on its two parameters, in order.
  std::optional<Opcode> single_binary() const;
  // True when result I is parameter I + num_results: the second one wins, an assignment.
  bool takes_second() const;

 private:
  struct Step {
    LaneOp op;
    int inputs[3] = {};
    int output = 0;
    bool rounds = true;
  };
  struct Compiler;

  Lane* Register(int64_t i) { return registers_.data() + i * kLanes; }
  absl::Status RunThroughInterpreter(int64_t n);

  std::vector<ElementType> param_types_, result_types_;
  std::vector<Step> steps_;
  std::vector<int> results_;
  std::vector<Lane> registers_;
  const Computation* interpreted_ = nullptr;
  Context* context_ = nullptr;
};

}  // namespace astitch::interp
