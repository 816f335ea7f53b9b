// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Pitch: elements from one row of a slot in shared memory to the next, so that the lanes of a warp
// are in different banks. Shared memory has 32 banks of 4 bytes; an access of 8 (16) bytes takes
// half (a quarter) of the warp at a time.
#pragma once

#include <cstdint>

namespace astitch {

// Of rows of WIDTH elements that are written by lanes along rows and read by lanes along columns.
int64_t TurnedPitch(int64_t width, int64_t element_bytes);

// Of rows of which a warp has several, each swept by THREADS lanes that take VECTOR elements each.
int64_t SideBySidePitch(int64_t width, int64_t element_bytes, int64_t threads, int64_t vector);

}  // namespace astitch
