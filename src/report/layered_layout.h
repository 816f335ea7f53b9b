// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Layered drawing of an acyclic graph whose nodes belong to bands, one under the other (K. Sugiyama,
// S. Tagawa, M. Toda, 1981: layers, places in the layers, coordinates).
//
//     +--- band 0 ---------------+     Nodes of a layer stand side by side, and an edge that passes
//     |   [x]    [w]             |     a layer has a place of its own in it: lines bend only between
//     |    |      |              |     layers, where no node is, and never cross one. All edges of a
//     |   [mul]   |    layer 1   |     node with one style share a line for as far as they go
//     +----|------|--------------+     together.
//     |   [add]---+    layer 2   |
//     +--------------------------+
//
// Numbers in, numbers out: it knows nothing of plans. The same graph has the same drawing.
#pragma once

#include <vector>

namespace astitch {

struct LayeredGraph {
  struct Edge {
    int from = 0, to = 0;
    int style = 0;
  };
  std::vector<int> band;    // of each node
  int num_bands = 0;        // at least: bands without a node have room, too
  std::vector<Edge> edges;  // REQUIRES: acyclic, and no edge leads to an earlier band
};

struct LayoutSizes {
  double node_width = 156, node_height = 38;
  double node_gap = 16, line_gap = 12;     // beside a node, between two lines
  double layer_gap = 40;                   // between layers
  double band_gap = 18;                    // above the first layer of a band and below its last
  std::vector<double> least_band_heights;  // by band; may be left out
  int nodes_in_layer = 6;                  // at most
};

struct GraphLayout {
  struct Point {
    double x = 0, y = 0;
  };
  // Of a line: from A down to B, through one layer (STRAIGHT) or one gap between layers.
  struct Segment {
    Point a, b;
    bool straight = false;
    int from = 0, to = -1;  // nodes; to: -1 unless B is its top
    int style = 0;
  };
  struct Band {
    double top = 0, bottom = 0;
  };
  std::vector<Point> nodes;  // middle of the top side
  std::vector<Segment> segments;
  std::vector<Band> bands;
  double width = 0, height = 0;
};

GraphLayout LayOut(const LayeredGraph& graph, const LayoutSizes& sizes);

}  // namespace astitch
