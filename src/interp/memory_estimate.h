// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Memory: what a graph will need, before it runs, and what the machine can give.
#pragma once

#include <cstdint>

namespace astitch::interp {

// Bytes that can be allocated without swapping: what the kernel calls available, or what is left
// of the control group's limit when that is less. 2^63-1 when the system does not say.
int64_t AvailableMemory();

}  // namespace astitch::interp
