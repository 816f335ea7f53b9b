// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One evaluation under way: options, depth of calls, and what the computations it runs have in
// common (their schedules, the counter of the random state).
//
// Not thread-safe; an evaluation has its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "interp/interpreter.h"
#include "interp/schedule.h"
#include "ir/graph.h"

namespace astitch::interp {

class Context {
 public:
  explicit Context(const InterpreterOptions& options) : options_(options) {
    random_state_ += static_cast<unsigned __int128>(options.random_start);
  }

  const InterpreterOptions& options() const { return options_; }

  // The value of the root. Arguments that nothing else holds may be changed in place.
  absl::StatusOr<Literal> Run(const Computation& computation, std::vector<Literal> arguments);
  // One instruction whose operands are given; the same holds for them.
  absl::StatusOr<Literal> RunInstruction(const Instruction& instruction,
                                         absl::Span<Literal> operands);

  // rng-get-and-update-state: the counter before DELTA is added.
  unsigned __int128 AdvanceRandomState(int64_t delta);

 private:
  const Schedule& ScheduleOf(const Computation& computation);
  absl::StatusOr<Literal> RunScheduled(const Computation& computation,
                                       std::vector<Literal> arguments);

  InterpreterOptions options_;
  int depth_ = 0;
  unsigned __int128 random_state_ = 0x7012395;  // where XLA's CPU back end starts
  absl::flat_hash_map<const Computation*, std::unique_ptr<Schedule>> schedules_;
};

}  // namespace astitch::interp
