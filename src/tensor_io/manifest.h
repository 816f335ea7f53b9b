// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// manifest.json: what a graph's inputs are drawn from and how exact its outputs must be.
//
//   {"inputs": [{"shape": [2,3], "dtype": "float32", "dist": "normal"}, ...],
//    "outputs": [{"shape": [2], "dtype": "float32", "rtol": 2e-05, "atol": 2e-06}, ...]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/shape.h"
#include "tensor_io/compare.h"
#include "tensor_io/distribution.h"

namespace astitch {

struct Manifest {
  struct Input {
    Shape shape;
    Distribution distribution;
  };
  struct Output {
    Shape shape;
    std::optional<Tolerance> tolerance;
  };
  std::string name;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

// Errors: a diagnostic with the place for what is no JSON, the entry's name for the rest.
absl::StatusOr<Manifest> ParseManifest(absl::string_view json);

// NumPy's word ("float32", "bool") or HLO's ("f32", "pred").
std::optional<ElementType> ElementTypeFromNumpyWord(absl::string_view word);

}  // namespace astitch
