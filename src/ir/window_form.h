// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the windows of a reduce-window look like, which decides how it is computed.
//
//   scan         every window begins at the first element of a dimension (or ends at the last):
//                one pass along it, each result from the one before
//   disjoint     pooling with a stride of the window's size: no element is in two windows, so that
//                each may be computed where its window is folded
//   overlapping  what is folded has to be in memory, or it would be computed once a window
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.h"

namespace astitch {

// The dimension along which VALUE, a reduce-window, is a scan; nothing where it is none.
std::optional<int64_t> ScannedDim(const Instruction& value);

// Whether VALUE, which has a ScannedDim, is scanned from the last element to the first.
bool ScansBackward(const Instruction& value);

// Whether an element may be in two windows of VALUE, a reduce-window.
bool WindowsOverlap(const Instruction& value);

}  // namespace astitch
