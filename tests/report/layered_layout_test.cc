// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A drawing reads well when boxes and lines keep apart: what must hold of every one.
#include "report/layered_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "report/layers.h"

namespace astitch {
namespace {

LayeredGraph RandomGraph(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  LayeredGraph graph;
  const int nodes = 1 + below(60), bands = 1 + below(5);
  for (int n = 0; n < nodes; ++n) graph.band.push_back(n * bands / nodes);
  std::set<std::pair<int, int>> seen;
  for (int e = below(2 * nodes); e > 0; --e) {
    const int a = below(nodes), b = below(nodes);
    if (a < b && seen.insert({a, b}).second) graph.edges.push_back({a, b, below(3)});
  }
  return graph;
}

struct Box {
  double left, right, top, bottom;
};

Box BoxOf(const GraphLayout& layout, const LayoutSizes& sizes, size_t n) {
  const GraphLayout::Point at = layout.nodes[n];
  return {at.x - sizes.node_width / 2, at.x + sizes.node_width / 2, at.y, at.y + sizes.node_height};
}

TEST(LayeredLayout, BoxesNeitherOverlapNorLeaveTheirBand) {
  const LayoutSizes sizes;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const LayeredGraph graph = RandomGraph(seed);
    const GraphLayout layout = LayOut(graph, sizes);
    for (size_t a = 0; a < layout.nodes.size(); ++a) {
      const Box box = BoxOf(layout, sizes, a);
      const GraphLayout::Band& band = layout.bands[graph.band[a]];
      EXPECT_GE(box.top, band.top) << seed;
      EXPECT_LE(box.bottom, band.bottom) << seed;
      EXPECT_GE(box.left, -1e-6) << seed;
      EXPECT_LE(box.right, layout.width + 1e-6) << seed;
      for (size_t b = a + 1; b < layout.nodes.size(); ++b) {
        const Box other = BoxOf(layout, sizes, b);
        const bool apart = box.right < other.left || other.right < box.left ||
                           box.bottom < other.top || other.bottom < box.top;
        EXPECT_TRUE(apart) << seed << ": " << a << " and " << b;
      }
    }
  }
}

// Lines bend in the gaps between layers; where they pass a layer, they pass beside its boxes.
TEST(LayeredLayout, LinesLeadDownAndPassNoBox) {
  const LayoutSizes sizes;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const LayeredGraph graph = RandomGraph(seed);
    const GraphLayout layout = LayOut(graph, sizes);
    for (const GraphLayout::Segment& line : layout.segments) {
      EXPECT_LT(line.a.y, line.b.y) << seed;
      for (size_t n = 0; n < layout.nodes.size(); ++n) {
        const Box box = BoxOf(layout, sizes, n);
        const bool passes_layer = line.a.y < box.bottom && line.b.y > box.top;
        if (!passes_layer) continue;
        EXPECT_TRUE(line.straight) << seed << ": bends beside " << n;
        EXPECT_TRUE(line.a.x < box.left || line.a.x > box.right) << seed << ": through " << n;
      }
    }
  }
}

TEST(LayeredLayout, EveryEdgeHasALineToItsEnd) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const LayeredGraph graph = RandomGraph(seed);
    const GraphLayout layout = LayOut(graph, {});
    std::set<std::pair<int, int>> ends;
    for (const GraphLayout::Segment& line : layout.segments) {
      if (line.to >= 0) ends.insert({line.from, line.to});
    }
    std::set<std::pair<int, int>> edges;
    for (const LayeredGraph::Edge& edge : graph.edges) edges.insert({edge.from, edge.to});
    EXPECT_EQ(ends, edges) << seed;
  }
}

TEST(LayeredLayout, LayersAreNoWiderThanAsked) {
  LayeredGraph wide;
  for (int n = 0; n < 40; ++n) {
    wide.band.push_back(0);
    if (n > 0) wide.edges.push_back({n, 0, 0});  // 39 readers' operand last
  }
  for (LayeredGraph::Edge& edge : wide.edges) std::swap(edge.from, edge.to);
  const Layers layers = MakeLayers(wide, 6);
  for (const std::vector<int>& row : layers.rows) {
    const auto nodes = std::count_if(row.begin(), row.end(),
                                     [&](int item) { return layers.items[item].node >= 0; });
    EXPECT_LE(nodes, 6);
  }
}

TEST(LayeredLayout, AChainIsStraightAndASecondLineRunsBesideIt) {
  LayeredGraph graph;
  graph.band = {0, 0, 1, 1};
  graph.edges = {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {0, 3, 1}};
  const GraphLayout layout = LayOut(graph, {});
  for (size_t n = 1; n < 4; ++n) EXPECT_EQ(layout.nodes[n].x, layout.nodes[0].x);
  EXPECT_EQ(CountCrossings(MakeLayers(graph, 6)), 0);
}

TEST(LayeredLayout, OrdersLayersSoThatLinesDoNotCross) {
  // 0 -> 3 and 1 -> 2, told in the order in which they would cross.
  LayeredGraph graph;
  graph.band = {0, 0, 1, 1};
  graph.edges = {{0, 3, 0}, {1, 2, 0}};
  EXPECT_EQ(CountCrossings(MakeLayers(graph, 6)), 0);
}

TEST(LayeredLayout, SharedLinesAreDrawnOnce) {
  // One value, read in the three last of four layers: one line down, not three.
  LayeredGraph graph;
  graph.band = {0, 1, 2, 3};
  graph.edges = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}};
  const Layers layers = MakeLayers(graph, 6);
  EXPECT_EQ(layers.items.size(), 4u + 2u);
}

TEST(LayeredLayout, BandsWithoutNodesHaveRoom) {
  LayeredGraph graph;
  graph.band = {1};
  graph.num_bands = 3;
  const GraphLayout layout = LayOut(graph, {});
  ASSERT_EQ(layout.bands.size(), 3u);
  for (const GraphLayout::Band& band : layout.bands) EXPECT_LT(band.top, band.bottom);
}

TEST(LayeredLayout, OfNothingIsNothing) {
  const GraphLayout layout = LayOut({}, {});
  EXPECT_TRUE(layout.nodes.empty());
  EXPECT_EQ(layout.height, 0);
}

}  // namespace
}  // namespace astitch
