// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a device does with an executable: the public class only passes calls on.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "artifact/executable_image.h"
#include "astitch/executable.h"

namespace astitch {

class Executable::Impl {
 public:
  virtual ~Impl() = default;
  // Constants and code may be gone from it.
  virtual const ExecutableImage& image() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  // TIMES: null, or room for the time of each step. Thread-safe.
  virtual absl::Status Run(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs,
                           std::vector<StepTime>* times) = 0;
};

}  // namespace astitch
