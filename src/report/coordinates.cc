// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Items are joined to chains, chains are packed to the left, and then each goes where its neighbours
// are, as far as the chains beside it let it.
#include "report/coordinates.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace astitch {
namespace {

class Placer {
 public:
  Placer(const Layers& layers, const LayoutSizes& sizes)
      : layers_(layers), sizes_(sizes), chain_(layers.items.size()), place_(layers.items.size()) {
    std::iota(chain_.begin(), chain_.end(), 0);
    for (const std::vector<int>& row : layers.rows) {
      for (size_t k = 0; k < row.size(); ++k) place_[row[k]] = k;
    }
  }

  std::vector<double> Run() {
    for (size_t layer = 0; layer + 1 < layers_.rows.size(); ++layer) JoinBelow(layer);
    members_.resize(chain_.size());
    for (size_t i = 0; i < chain_.size(); ++i) members_[chain_[i]].push_back(static_cast<int>(i));
    PackLeft();
    Relax();
    std::vector<double> x(chain_.size());
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = x_[chain_[i]];
      least = std::min(least, x[i] - Half(static_cast<int>(i)));
    }
    for (double& of : x) of -= least;
    return x;
  }

 private:
  bool IsLine(int item) const { return layers_.items[item].node < 0; }
  double Half(int item) const { return IsLine(item) ? 0 : sizes_.node_width / 2; }
  // Of the middles of two items side by side.
  double Apart(int a, int b) const {
    return Half(a) + Half(b) + (IsLine(a) && IsLine(b) ? sizes_.line_gap : sizes_.node_gap);
  }

  // The item above that the item at LOWER would rather stand under.
  int Wanted(int lower) const {
    std::vector<int> above = layers_.items[lower].above;
    if (above.empty()) return -1;
    std::sort(above.begin(), above.end(), [&](int a, int b) { return place_[a] < place_[b]; });
    return above[(above.size() - 1) / 2];
  }

  // Joins items of LAYER with items under them; lines first, which would rather be straight, and no
  // join across another.
  void JoinBelow(size_t layer) {
    struct Join {
      int rank;
      int upper, lower;
    };
    std::vector<Join> wanted;
    for (const int lower : layers_.rows[layer + 1]) {
      const int upper = Wanted(lower);
      if (upper < 0) continue;
      const bool sole = layers_.items[upper].below.size() == 1;
      const int rank = IsLine(upper) && IsLine(lower) ? 0 : sole ? 1 : 2;
      wanted.push_back({rank, upper, lower});
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Join& a, const Join& b) { return a.rank < b.rank; });
    std::vector<std::pair<size_t, size_t>> taken;
    for (const Join& join : wanted) {
      const size_t a = place_[join.upper], b = place_[join.lower];
      const bool free = std::all_of(taken.begin(), taken.end(), [&](const auto& other) {
        return (other.first < a && other.second < b) || (other.first > a && other.second > b);
      });
      if (!free) continue;
      taken.emplace_back(a, b);
      chain_[join.lower] = chain_[join.upper];
    }
  }

  // Every chain as far left as those to its left allow.
  void PackLeft() {
    x_.assign(chain_.size(), 0);
    std::vector<int> missing(chain_.size(), 0), ready;
    for (const std::vector<int>& row : layers_.rows) {
      for (size_t k = 1; k < row.size(); ++k) ++missing[chain_[row[k]]];
    }
    for (size_t c = 0; c < members_.size(); ++c) {
      if (!members_[c].empty() && missing[c] == 0) ready.push_back(static_cast<int>(c));
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      order_.push_back(ready[i]);
      for (const int item : members_[ready[i]]) {
        const std::vector<int>& row = layers_.rows[layers_.items[item].layer];
        const size_t k = place_[item] + 1;
        if (k == row.size()) continue;
        const int next = chain_[row[k]];
        x_[next] = std::max(x_[next], x_[ready[i]] + Apart(item, row[k]));
        if (--missing[next] == 0) ready.push_back(next);
      }
    }
  }

  void Relax() {
    constexpr int kSweeps = 40;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (size_t k = 0; k < order_.size(); ++k)
        Move(order_[sweep % 2 == 0 ? order_.size() - 1 - k : k]);
    }
  }

  // To the mean of what its items are joined with in other chains.
  void Move(int chain) {
    double sum = 0, weight = 0;
    double least = std::numeric_limits<double>::lowest(), most = std::numeric_limits<double>::max();
    for (const int item : members_[chain]) {
      const LayerItem& of = layers_.items[item];
      for (const std::vector<int>* beside : {&of.above, &of.below}) {
        for (const int other : *beside) {
          if (chain_[other] == chain) continue;
          sum += x_[chain_[other]];
          ++weight;
        }
      }
      const std::vector<int>& row = layers_.rows[of.layer];
      const size_t k = place_[item];
      if (k > 0) least = std::max(least, x_[chain_[row[k - 1]]] + Apart(row[k - 1], item));
      if (k + 1 < row.size())
        most = std::min(most, x_[chain_[row[k + 1]]] - Apart(item, row[k + 1]));
    }
    if (weight > 0 && least <= most) x_[chain] = std::clamp(sum / weight, least, most);
  }

  const Layers& layers_;
  const LayoutSizes& sizes_;
  std::vector<int> chain_;  // by item: the highest item of its chain
  std::vector<size_t> place_;
  std::vector<std::vector<int>> members_;  // by chain
  std::vector<int> order_;                 // chains from left to right
  std::vector<double> x_;                  // by chain
};

}  // namespace

std::vector<double> PlaceItems(const Layers& layers, const LayoutSizes& sizes) {
  return Placer(layers, sizes).Run();
}

}  // namespace astitch
