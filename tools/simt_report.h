// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a simulated launch said and cost, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "simt/launch.h"
#include "tools/simt_arguments.h"

namespace astitch {

std::string SimtText(const simt::LaunchResult& result, const SimtArguments& arguments,
                     bool with_values);
std::string SimtJson(const simt::LaunchResult& result, const SimtArguments& arguments);
// The reports as located errors.
absl::Status SimtReportsError(const std::vector<simt::Report>& reports);

}  // namespace astitch
