// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Bank conflicts of one warp's access to shared memory.
#pragma once

#include <cstdint>

namespace astitch::simt {

// Passes beyond the first that each part of the warp needs. 32 banks of 4 bytes; lanes that read
// the same word share it. A warp's 8-byte accesses go in two halves, 16-byte ones in four quarters.
// OFFSETS is indexed by lane; only those in LANES count.
int BankConflicts(const int64_t (&offsets)[32], uint32_t lanes, int bytes);

}  // namespace astitch::simt
