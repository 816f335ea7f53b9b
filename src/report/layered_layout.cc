// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Puts the steps together: layers, coordinates, and then the lines between them.
#include "report/layered_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/coordinates.h"
#include "report/layers.h"

namespace astitch {
namespace {

// Where the lines into each node end: side by side along its top, in the order in which they come.
void SpreadEnds(const LayoutSizes& sizes, GraphLayout& layout) {
  std::vector<std::vector<size_t>> into(layout.nodes.size());
  for (size_t s = 0; s < layout.segments.size(); ++s) {
    if (layout.segments[s].to >= 0) into[layout.segments[s].to].push_back(s);
  }
  for (std::vector<size_t>& ends : into) {
    std::stable_sort(ends.begin(), ends.end(), [&](size_t a, size_t b) {
      return layout.segments[a].a.x < layout.segments[b].a.x;
    });
    // The line that comes straight down stays straight; the others end beside it.
    const auto straight = std::find_if(ends.begin(), ends.end(), [&](size_t s) {
      return layout.segments[s].a.x == layout.segments[s].b.x;
    });
    const auto count = static_cast<double>(ends.size());
    const double middle =
        straight == ends.end() ? (count - 1) / 2 : static_cast<double>(straight - ends.begin());
    const double step = std::min(20.0, sizes.node_width * 0.44 / std::max(count - 1, 1.0));
    for (size_t k = 0; k < ends.size(); ++k)
      layout.segments[ends[k]].b.x += step * (static_cast<double>(k) - middle);
  }
}

// Tops of the layers, and the bands around them.
std::vector<double> PlaceLayers(const Layers& layers, const LayoutSizes& sizes,
                                GraphLayout& layout) {
  std::vector<double> top;
  double y = 0;
  for (size_t layer = 0; layer < layers.band_of_layer.size(); ++layer) {
    const int band = layers.band_of_layer[layer];
    const bool first = layer == 0 || layers.band_of_layer[layer - 1] != band;
    if (first) {
      if (layer > 0) y = layout.bands.back().bottom;
      layout.bands.push_back({y, y});
      y += sizes.band_gap;
    } else {
      y += sizes.layer_gap;
    }
    top.push_back(y);
    y += sizes.node_height;
    GraphLayout::Band& of = layout.bands.back();
    const auto number = static_cast<size_t>(band);
    const double least =
        number < sizes.least_band_heights.size() ? sizes.least_band_heights[number] : 0;
    of.bottom = std::max(y + sizes.band_gap, of.top + least);
  }
  layout.height = layout.bands.empty() ? 0 : layout.bands.back().bottom;
  return top;
}

void AddSegments(const LayeredGraph& graph, const Layers& layers, const LayoutSizes& sizes,
                 const std::vector<double>& x, const std::vector<double>& top,
                 GraphLayout& layout) {
  std::map<std::pair<int, int>, int> style;  // of edges
  for (const LayeredGraph::Edge& edge : graph.edges) style[{edge.from, edge.to}] = edge.style;
  for (size_t i = 0; i < layers.items.size(); ++i) {
    const LayerItem& item = layers.items[i];
    const double bottom = top[item.layer] + sizes.node_height;
    layout.width = std::max(layout.width, x[i]);
    if (item.node < 0) {
      layout.segments.push_back(
          {{x[i], top[item.layer]}, {x[i], bottom}, true, item.from, -1, item.style});
    }
    for (const int below : item.below) {
      const LayerItem& to = layers.items[below];
      const int of = to.node < 0     ? to.style
                     : item.node < 0 ? item.style
                                     : style[{item.node, to.node}];
      layout.segments.push_back(
          {{x[i], bottom}, {x[below], top[to.layer]}, false, item.from, to.node, of});
    }
  }
}

}  // namespace

GraphLayout LayOut(const LayeredGraph& graph, const LayoutSizes& sizes) {
  const Layers layers = MakeLayers(graph, sizes.nodes_in_layer);
  const std::vector<double> x = PlaceItems(layers, sizes);
  GraphLayout layout;
  const std::vector<double> top = PlaceLayers(layers, sizes, layout);
  for (size_t n = 0; n < graph.band.size(); ++n) {
    layout.nodes.push_back({x[n], top[layers.items[n].layer]});
    layout.width = std::max(layout.width, x[n] + sizes.node_width / 2);
  }
  AddSegments(graph, layers, sizes, x, top, layout);
  SpreadEnds(sizes, layout);
  return layout;
}

}  // namespace astitch
