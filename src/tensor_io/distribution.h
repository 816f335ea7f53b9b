// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What to draw a tensor's elements from, by the words of manifest.json.
//
//   normal     mean 0, deviation 1         ids:N    whole numbers 0 .. N-1
//   emb small  normal x 0.02               len:N    whole numbers 1 .. N
//   fan        normal / sqrt(rows)         bool:P   true with probability P
//   fan1       normal / sqrt(dim 0)        step:K   the number K everywhere
//   one        1 + 0.02 normal             zero     0 everywhere
//   pos        uniform 0.5 .. 1.5          wide     normal x 20
//   unit       uniform 0 .. 1
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/element_type.h"

namespace astitch {

struct Distribution {
  enum class Kind : uint8_t {
    kNormal,
    kSmall,
    kFan,
    kFan1,
    kOne,
    kPositive,
    kUnit,
    kWide,
    kIds,
    kLength,
    kBool,
    kZero,
    kStep
  };
  Kind kind = Kind::kNormal;
  double argument = 0;  // N, P or K
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

absl::StatusOr<Distribution> ParseDistribution(absl::string_view text);
// For a tensor nobody said anything about: normal floats, integers below 100, fair coins.
Distribution DefaultDistribution(ElementType type);

}  // namespace astitch
