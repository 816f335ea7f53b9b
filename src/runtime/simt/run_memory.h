// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The device's memory of one run, with a note for each byte whether it was written.
//
// A kernel gets a copy of each of its ranges, so that it cannot reach past any of them; what it may
// write starts as unwritten memory, whatever lay there before.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "artifact/executable_image.h"
#include "astitch/executable.h"
#include "simt/memory/region.h"

namespace astitch {

class RunMemory {
 public:
  // IMAGE, INPUTS and OUTPUTS outlive this.
  RunMemory(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
            absl::Span<const Buffer> outputs);

  simt::Buffer Load(const KernelArgument& argument) const;
  void Store(const KernelArgument& argument, const simt::Buffer& buffer);

  // The memory itself, for a step of the host.
  void* Address(const BufferRef& ref);
  // Error: part of the range was never written.
  absl::Status CheckWritten(const BufferRef& ref) const;
  void MarkWritten(const BufferRef& ref);

 private:
  const uint8_t* Bytes(const BufferRef& ref) const;
  // Null: all of the space is written.
  const std::vector<uint8_t>* Valid(const BufferRef& ref) const;

  const ExecutableImage& image_;
  absl::Span<const Buffer> outputs_;
  std::vector<const void*> inputs_;          // the caller's, or a copy of what an output takes
  std::vector<std::vector<uint8_t>> aside_;  // those copies
  std::vector<uint8_t> arena_, arena_valid_;
  std::vector<std::vector<uint8_t>> output_valid_;
};

}  // namespace astitch
