// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/kernel_plan.h"

namespace astitch {

// "96 bytes", "48 KiB", "1.5 MiB": three digits at most behind which nothing is lost that matters.
std::string BytesText(int64_t bytes);

// "850 ns", "12.3 us", "4.1 ms".
std::string TimeText(int64_t ns);

// "64×32"; "1" of no extents.
std::string ExtentsText(const std::vector<int64_t>& extents);

// "1.00" of a kernel that moves each array once; "1" where nothing has to be moved.
std::string OverBound(const Traffic& traffic);

}  // namespace astitch
