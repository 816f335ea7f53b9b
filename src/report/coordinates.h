// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The last step of a layered drawing: where each item of a layer stands from left to right.
#pragma once

#include <vector>

#include "report/layers.h"

namespace astitch {

// The middles of the items, the leftmost side being 0. What can be straight down is: chains of items
// that do not cross other chains move as one (U. Brandes, B. Köpf, 2001, align so).
std::vector<double> PlaceItems(const Layers& layers, const LayoutSizes& sizes);

}  // namespace astitch
