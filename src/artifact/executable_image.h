// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An executable before it is loaded: what the compiler writes and the runtime runs. Plain data:
// copy, ==, print. No pointer, no callback, nothing that depends on the process that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "artifact/step.h"
#include "astitch/tensor_spec.h"

namespace astitch {

// Output number `output` may be given the very memory of input number `input`. Unless the plan is
// `in_place` (nothing of the input is read after its place in the output is written), the runtime
// then copies the input aside first.
struct AliasedPair {
  int32_t output = 0;
  int32_t input = 0;
  bool in_place = false;
  friend bool operator==(const AliasedPair&, const AliasedPair&) = default;
};

// What a GPU image was made for; the host's has an `sm` of 0.
struct GpuTarget {
  int32_t sm = 0;                      // 80
  int64_t num_sms = 0;                 // multiprocessors
  int64_t l2_bytes = 0;                // of the device
  int64_t shared_bytes_per_block = 0;  // at most
  friend bool operator==(const GpuTarget&, const GpuTarget&) = default;
};

struct ExecutableImage {
  std::string target;  // "host:x86-64-v3", "a100"; for people, and for error messages
  GpuTarget gpu;
  std::vector<std::string> cpu_features;  // what the objects need, LLVM's words: "avx2", "fma"
  std::vector<TensorSpec> inputs, outputs;
  std::vector<AliasedPair> aliases;
  std::vector<std::vector<std::byte>> constants;
  std::vector<std::vector<std::byte>> objects;  // relocatable ELF without undefined symbols
  std::vector<std::string> ptx;                 // modules of GPU kernels, as text
  int64_t arena_bytes = 0;                      // scratch of one run
  std::vector<Step> steps;
  std::string plan_text;  // the plan it was made from, for reports; may be empty
  friend bool operator==(const ExecutableImage&, const ExecutableImage&) = default;
};

// One line for each input, output, alias, constant, object, module and step; bytes as sizes only.
std::string ToString(const ExecutableImage& image);

// Every index, range, stride and count is possible, and no library step or copy writes what is only
// read. Does not look into objects: that is the loader's. What a kernel does with its buffers is
// its own affair: an image is trusted as any program is, but a damaged one is found out.
absl::Status ValidateImage(const ExecutableImage& image);
// The same for one library step, without the ranges' place in an image.
absl::Status ValidateStep(const MatmulStep& step);
absl::Status ValidateStep(const ConvolutionStep& step);

}  // namespace astitch
