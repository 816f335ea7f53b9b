// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Layers from the bottom of each band, as late as readers allow and no wider than asked for; then
// places by the mean of the neighbours' places, up and down, keeping the order with fewest crossings.
#include "report/layers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace astitch {
namespace {

class Builder {
 public:
  Builder(const LayeredGraph& graph, int nodes_in_layer)
      : graph_(graph), most_(std::max(1, nodes_in_layer)) {
    const size_t count = graph.band.size();
    readers_.resize(count);
    operands_.resize(count);
    for (const LayeredGraph::Edge& edge : graph.edges) {
      readers_[edge.from].push_back(edge.to);
      operands_[edge.to].push_back(edge.from);
    }
  }

  Layers Run() {
    FindDepths();
    AssignLayers();
    AddLines();
    for (auto& row : layers_.rows) Number(row);
    Order();
    return std::move(layers_);
  }

 private:
  // Nodes in an order in which operands come first.
  std::vector<int> Sorted() const {
    std::vector<int> missing(graph_.band.size()), order;
    for (size_t n = 0; n < missing.size(); ++n) {
      missing[n] = static_cast<int>(operands_[n].size());
      if (missing[n] == 0) order.push_back(static_cast<int>(n));
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (const int reader : readers_[order[i]]) {
        if (--missing[reader] == 0) order.push_back(reader);
      }
    }
    return order;
  }

  // Longest path to the node inside its band.
  void FindDepths() {
    depth_.assign(graph_.band.size(), 0);
    for (const int n : Sorted()) {
      for (const int operand : operands_[n]) {
        if (graph_.band[operand] == graph_.band[n])
          depth_[n] = std::max(depth_[n], depth_[operand] + 1);
      }
    }
  }

  void AssignLayers() {
    int bands = graph_.num_bands;
    for (const int band : graph_.band) bands = std::max(bands, band + 1);
    std::vector<std::vector<int>> nodes(bands);
    for (size_t n = 0; n < graph_.band.size(); ++n)
      nodes[graph_.band[n]].push_back(static_cast<int>(n));
    layer_.assign(graph_.band.size(), 0);
    int top = 0;
    for (int band = 0; band < bands; ++band) {
      const int height = FromBelow(nodes[band]);
      for (const int n : nodes[band]) layer_[n] = top + height - 1 - layer_[n];
      // A band without a node has a layer all the same: it is a stage that only folds what is there.
      const int layers = std::max(1, height);
      layers_.band_of_layer.insert(layers_.band_of_layer.end(), layers, band);
      top += layers;
    }
  }

  // Sets layer_ of a band's nodes, 0 being the lowest; how many layers they take.
  int FromBelow(const std::vector<int>& nodes) {
    std::map<int, int> missing;
    std::vector<int> ready;
    for (const int n : nodes) {
      int& count = missing[n];
      for (const int reader : readers_[n]) count += graph_.band[reader] == graph_.band[n];
      if (count == 0) ready.push_back(n);
    }
    int layer = 0;
    while (!ready.empty()) {
      // Deep ones first: they have most above them that waits.
      std::stable_sort(ready.begin(), ready.end(),
                       [&](int a, int b) { return depth_[a] > depth_[b]; });
      const size_t taken = std::min<size_t>(ready.size(), most_);
      std::vector<int> next(ready.begin() + static_cast<long>(taken), ready.end());
      for (size_t i = 0; i < taken; ++i) {
        layer_[ready[i]] = layer;
        for (const int operand : operands_[ready[i]]) {
          if (graph_.band[operand] != graph_.band[ready[i]]) continue;
          if (--missing[operand] == 0) next.push_back(operand);
        }
      }
      ready = std::move(next);
      ++layer;
    }
    return layer;
  }

  // Nodes become items; an edge over several layers becomes a line through those between, which other
  // edges of its node and style follow as far as they go.
  void AddLines() {
    std::vector<LayerItem>& items = layers_.items;
    for (size_t n = 0; n < layer_.size(); ++n) {
      items.push_back({static_cast<int>(n), static_cast<int>(n), 0, layer_[n], {}, {}});
    }
    std::map<std::pair<int, int>, std::vector<int>> lines;  // of node and style, from above
    for (const LayeredGraph::Edge& edge : graph_.edges) {
      std::vector<int>& line = lines[{edge.from, edge.style}];
      int at = edge.from;
      for (int layer = layer_[edge.from] + 1; layer < layer_[edge.to]; ++layer) {
        const size_t k = layer - layer_[edge.from] - 1;
        if (k == line.size()) {
          line.push_back(static_cast<int>(items.size()));
          items.push_back({-1, edge.from, edge.style, layer, {}, {}});
          Join(at, line[k]);
        }
        at = line[k];
      }
      Join(at, edge.to);
    }
    layers_.rows.resize(layers_.band_of_layer.size());
    for (size_t i = 0; i < items.size(); ++i)
      layers_.rows[items[i].layer].push_back(static_cast<int>(i));
  }

  void Join(int upper, int lower) {
    std::vector<int>& below = layers_.items[upper].below;
    if (std::find(below.begin(), below.end(), lower) != below.end()) return;
    below.push_back(lower);
    layers_.items[lower].above.push_back(upper);
  }

  void Number(const std::vector<int>& row) {
    place_.resize(layers_.items.size());
    for (size_t k = 0; k < row.size(); ++k) place_[row[k]] = static_cast<double>(k);
  }

  void Order() {
    constexpr int kSweeps = 24;
    std::vector<std::vector<int>> best = layers_.rows;
    long fewest = CountCrossings(layers_);
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      const size_t count = layers_.rows.size();
      for (size_t k = 0; k < count; ++k) Arrange(layers_.rows[down ? k : count - 1 - k], down);
      const long crossings = CountCrossings(layers_);
      if (crossings >= fewest) continue;
      fewest = crossings;
      best = layers_.rows;
    }
    layers_.rows = std::move(best);
  }

  // By the mean place of the neighbours above (DOWN) or below; who has none stays where it is.
  void Arrange(std::vector<int>& row, bool down) {
    std::vector<std::pair<double, int>> wanted;
    for (const int i : row) {
      const std::vector<int>& beside = down ? layers_.items[i].above : layers_.items[i].below;
      double sum = 0;
      for (const int other : beside) sum += place_[other];
      wanted.emplace_back(beside.empty() ? place_[i] : sum / static_cast<double>(beside.size()), i);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t k = 0; k < row.size(); ++k) row[k] = wanted[k].second;
    Number(row);
  }

  const LayeredGraph& graph_;
  const int most_;
  std::vector<std::vector<int>> readers_, operands_;
  std::vector<int> depth_, layer_;
  std::vector<double> place_;
  Layers layers_;
};

}  // namespace

Layers MakeLayers(const LayeredGraph& graph, int nodes_in_layer) {
  return Builder(graph, nodes_in_layer).Run();
}

long CountCrossings(const Layers& layers) {
  std::vector<int> place(layers.items.size());
  for (const std::vector<int>& row : layers.rows) {
    for (size_t k = 0; k < row.size(); ++k) place[row[k]] = static_cast<int>(k);
  }
  long crossings = 0;
  for (size_t layer = 0; layer + 1 < layers.rows.size(); ++layer) {
    // Of lines in the order of their upper ends: how many that came before end further right.
    std::vector<int> seen(layers.rows[layer + 1].size() + 1, 0);  // sums over powers of two
    long before = 0;
    for (const int upper : layers.rows[layer]) {
      std::vector<int> ends;
      for (const int lower : layers.items[upper].below) ends.push_back(place[lower]);
      for (const int end : ends) {
        long left = 0;
        for (int k = end + 1; k > 0; k -= k & -k) left += seen[k];
        crossings += before - left;
      }
      for (const int end : ends) {
        for (int k = end + 1; k < static_cast<int>(seen.size()); k += k & -k) ++seen[k];
        ++before;
      }
    }
  }
  return crossings;
}

}  // namespace astitch
