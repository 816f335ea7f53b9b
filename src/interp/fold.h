// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A fold: accumulators, one or a tuple of them, that a reducer combines with values lane by lane.
//
// Shared by reduce, reduce-window, scatter and select-and-scatter. The reducer runs with wide
// rounding (scalar_program.h), so accumulators are rounded when they are written out and not
// before.
#pragma once

#include <vector>

#include "interp/ops.h"
#include "interp/scalar_program.h"

namespace astitch::interp {

class Fold {
 public:
  // REQUIRES: REDUCER takes 2 N scalars and gives N.
  static absl::StatusOr<Fold> Make(Context& context, const Computation& reducer);

  int64_t width() const { return program_.num_results(); }
  Lane* accumulator(int64_t i) { return program_.param(i); }
  Lane* value(int64_t i) { return program_.param(width() + i); }
  ElementType type(int64_t i) const { return program_.result_type(i); }
  // True when the value replaces the accumulator: no arithmetic, an assignment.
  bool assigns() const { return program_.takes_second(); }

  // True when the order of elements cannot matter: one operation that is known to commute.
  bool commutes() const;

  // accumulator[k] = f(accumulator[k], value[k]) for N lanes.
  absl::Status Combine(int64_t n);
  // accumulator[0] = f(... f(accumulator[0], value[0]) ..., value[n-1]).
  absl::Status CombineAll(int64_t n);

 private:
  explicit Fold(ScalarProgram program) : program_(std::move(program)) {}

  ScalarProgram program_;
  std::optional<Opcode> single_;
  std::vector<Lane> swap_;  // results on their way back into the accumulators
};

}  // namespace astitch::interp
