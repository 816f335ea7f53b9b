// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The two first steps of a layered drawing: which layer each node is in, and in which order the nodes
// and lines of a layer stand side by side.
#pragma once

#include <vector>

#include "report/layered_layout.h"

namespace astitch {

// A node, or a line that passes a layer.
struct LayerItem {
  int node = -1;  // -1: a line
  int from = 0;   // of a line: the node that it leaves
  int style = 0;
  int layer = 0;
  std::vector<int> above, below;  // items of the layers beside that lines join it with
};

struct Layers {
  std::vector<LayerItem> items;        // nodes first, by number
  std::vector<std::vector<int>> rows;  // by layer: its items from left to right
  std::vector<int> band_of_layer;
};

Layers MakeLayers(const LayeredGraph& graph, int nodes_in_layer);

// How many pairs of lines cross between the layers.
long CountCrossings(const Layers& layers);

}  // namespace astitch
