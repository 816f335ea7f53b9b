// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A reference step made ready to run: its module is read and checked once, when a program is loaded; a
// run hands arrays to the interpreter and takes the results from it.
//
// Thread-safe. Evaluating allocates: values of the interpreter are its own. Memory that is not there,
// a loop without end and whatever else the interpreter refuses come back as a status.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "artifact/step.h"

namespace astitch {

class ReferenceModule {
 public:
  // Errors: a text that is no module, or one whose parameters and results are not the step's ranges.
  static absl::StatusOr<std::unique_ptr<ReferenceModule>> Read(const ReferenceStep& step);
  virtual ~ReferenceModule() = default;

  // REQUIRES: addresses of the step's inputs and outputs, in order.
  virtual absl::Status Evaluate(absl::Span<void* const> inputs,
                                absl::Span<void* const> outputs) const = 0;
};

}  // namespace astitch
