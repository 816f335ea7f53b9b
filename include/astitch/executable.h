// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A compiled tensor program, loaded and ready to run on the host.
//
// Thread-safe: any number of threads may run one executable, or several, at once. All executables
// share one team of threads by default; a run that finds the team busy runs on its caller's thread
// alone and gives the same bits.
//
//   std::vector<float> x(1024), y(1024);
//   absl::Status status = executable->Run({{x.data(), 4096}}, {{y.data(), 4096}});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/tensor_spec.h"

namespace astitch {

// Memory of the caller: dense, in the layout of its TensorSpec, aligned for its element type.
struct ConstBuffer {
  const void* data = nullptr;
  int64_t bytes = 0;
};
struct Buffer {
  void* data = nullptr;
  int64_t bytes = 0;
};

struct LoadOptions {
  int threads = 0;  // workers of a run, the caller among them; 0: the CPUs this process may use
};

// How long one step took, from the team's arrival to its last worker's end.
struct StepTime {
  std::string name;
  double time_us = 0;
};

class Executable {
 public:
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  absl::Span<const TensorSpec> inputs() const;
  absl::Span<const TensorSpec> outputs() const;
  const std::string& target() const;
  const std::string& plan_text() const;
  int64_t scratch_bytes() const;  // that one run needs beside inputs and outputs

  // Reads INPUTS, fills OUTPUTS. Inputs are never written. An output may not overlap another
  // output, nor an input unless the program aliases the two and both name the same memory.
  // Scratch is kept between runs: only a run that finds none free allocates.
  absl::Status Run(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs) const;
  // The same, and the time of each step; slower by a barrier a step.
  absl::StatusOr<std::vector<StepTime>> RunTimed(absl::Span<const ConstBuffer> inputs,
                                                 absl::Span<const Buffer> outputs) const;

  class Impl;  // of the runtime
  explicit Executable(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace astitch
