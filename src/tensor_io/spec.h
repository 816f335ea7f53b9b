// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// SPEC: how a command line names tensors.
//
//   @x.npy               one array
//   @all.npz             arrays arg0, arg1, ... (inputs) or out0, out1, ... (expected outputs)
//   2x2xf32=1,2,3,4      the values in row-major order; commas, blanks and brackets separate
//   2x2xf32=0            one value: every element
//   f32=0.5              a scalar
//   2x2xf32=@x.bin       the bytes of a file, row-major, little-endian
//   random:SEED          drawn by seed, parameter and index
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/literal.h"

namespace astitch {

struct InputSpec {
  enum class Kind : uint8_t { kNpy, kNpz, kRawFile, kInline, kRandom };
  Kind kind = Kind::kInline;
  std::string path;    // of the file kinds
  Shape shape;         // of kRawFile and kInline
  std::string values;  // of kInline, not yet parsed
  uint64_t seed = 0;   // of kRandom
};

absl::StatusOr<InputSpec> ParseInputSpec(absl::string_view text);

// "2x2xf32", "f32", "0x3xs8".
absl::StatusOr<Shape> ParseShapeWord(absl::string_view word);

// The values of an inline spec, range-checked against the element type.
absl::StatusOr<Literal> ParseValues(const Shape& shape, absl::string_view values);

}  // namespace astitch
