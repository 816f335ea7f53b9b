// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Fusion: which compiler's rules say what becomes one kernel. The stitching planner's own, and for
// comparison those of the compilers that AStitch (ASPLOS 2022) is measured against, spelled as plans
// of the same language, so that the same code generators run them and the same counts are taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

enum class Fusion : uint8_t {
  kStitch,  // whole regions between library calls
  kTvm,     // injective operations into one reader's kernel, nothing behind a reduction; values go
            // through registers only, and what a broadcast repeats is computed again
  kXla,     // light producers into every reader, nothing behind a reduction, nothing expensive
            // before a broadcast; siblings of one shape side by side; a row is a block
  kNone,    // a kernel an operation
};
absl::string_view ToString(Fusion fusion);

// Error: unknown name, with the known ones.
absl::StatusOr<Fusion> ParseFusion(absl::string_view name);
std::vector<std::string> FusionNames();

// Whether values pass between operations of a kernel through registers only, as in every baseline.
inline bool RegistersOnly(Fusion fusion) {
  return fusion == Fusion::kTvm || fusion == Fusion::kXla;
}

}  // namespace astitch
