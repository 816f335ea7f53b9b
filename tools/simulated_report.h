// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a program's steps did on the simulated GPU: a few lines a kernel, its counts beside the plan's
// words; library steps by name.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "runtime/simt/simulated_device.h"

namespace astitch {

std::string SimulatedText(const std::vector<SimulatedStep>& steps);
nlohmann::ordered_json SimulatedJson(const std::vector<SimulatedStep>& steps);

}  // namespace astitch
