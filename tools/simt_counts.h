// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the stages of a simulated kernel cost, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "simt/count/counts.h"

namespace astitch {

// BUFFERS: names, as the counts number them.
void AppendStage(const simt::StageCounts& stage, absl::Span<const std::string> buffers,
                 std::string* out);
nlohmann::ordered_json StageJson(const simt::StageCounts& stage,
                                 absl::Span<const std::string> buffers);

int64_t WarpInstructions(const simt::StageCounts& counts);

}  // namespace astitch
