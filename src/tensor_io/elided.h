// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Constants printed as {...}: their values are lost, and a program that made some up in silence
// would give wrong results. Tools refuse them unless told what to put there.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"

namespace astitch {

struct ElidedPolicy {
  enum class Kind : uint8_t { kRefuse, kZeros, kOnes, kRandom };
  Kind kind = Kind::kRefuse;
  uint64_t seed = 0;
  friend bool operator==(const ElidedPolicy&, const ElidedPolicy&) = default;
};

// "zeros", "ones", "random:SEED"; "" refuses.
absl::StatusOr<ElidedPolicy> ParseElidedPolicy(absl::string_view text);

// Gives every elided constant of GRAPH values by POLICY. Refusing is an error at the first of them
// that names all.
absl::Status FillElidedConstants(Graph& graph, const ElidedPolicy& policy);

}  // namespace astitch
