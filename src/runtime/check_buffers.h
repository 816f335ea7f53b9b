// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a caller hands to a run, against what the program expects. Allocates nothing when all is
// well: the ranges to compare are sorted in memory of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "artifact/executable_image.h"
#include "astitch/executable.h"

namespace astitch {

// Counts, sizes, null pointers and the alignment of each element type.
absl::Status CheckBuffers(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
                          absl::Span<const Buffer> outputs);

struct BufferRange {
  uintptr_t begin = 0, end = 0;
  bool is_output = false;
  int32_t index = 0;
};

// No output overlaps another buffer, but for an aliased pair that names the very same memory.
// REQUIRES: CheckBuffers; RANGES has room for inputs and outputs.
absl::Status CheckOverlaps(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
                           absl::Span<const Buffer> outputs, std::vector<BufferRange>& ranges);

// The caller gave the pair one memory.
bool IsAliased(const AliasedPair& alias, absl::Span<const ConstBuffer> inputs,
               absl::Span<const Buffer> outputs);

}  // namespace astitch
