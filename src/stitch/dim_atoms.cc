// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Mixed radix, both ways.
#include "stitch/dim_atoms.h"

#include <algorithm>

namespace astitch {

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape.dim(d + 1);
  return strides;
}

std::optional<int64_t> OneStride(absl::Span<const int64_t> extents,
                                 absl::Span<const int64_t> strides) {
  int64_t extent = 1, stride = 1;
  bool first = true;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    if (!first && strides[i] != stride * extent) return std::nullopt;
    if (first) stride = strides[i];
    first = false;
    extent *= extents[i];
  }
  return stride;
}

bool IsTurn(const Instruction* i) {
  return i->opcode() == Opcode::kTranspose || i->opcode() == Opcode::kReshape;
}

DimAtoms::DimAtoms(const Shape& origin) {
  for (int64_t d = 0; d < origin.rank(); ++d) {
    origin_.push_back(origin.dim(d));
    current_.push_back({{origin.dim(d), d, 1}});
  }
}

bool DimAtoms::Follow(const Instruction& i) {
  if (i.shape().num_elements() == 0) return false;
  if (i.opcode() == Opcode::kTranspose) {
    std::vector<std::vector<Atom>> turned;
    for (int64_t d : i.dimensions()) turned.push_back(current_[d]);
    current_ = std::move(turned);
    return true;
  }
  return i.opcode() == Opcode::kReshape && Reshape(i.shape());
}

bool DimAtoms::Reshape(const Shape& to) {
  std::vector<Atom> left;  // innermost last
  for (const std::vector<Atom>& atoms : current_) {
    for (const Atom& atom : atoms) {
      if (atom.extent > 1) left.push_back(atom);
    }
  }
  std::vector<std::vector<Atom>> dims(to.rank());
  for (int64_t d = to.rank(); d-- > 0;) {
    int64_t wanted = to.dim(d);
    while (wanted > 1) {
      Atom& atom = left.back();
      if (wanted % atom.extent == 0) {
        dims[d].insert(dims[d].begin(), atom);
        wanted /= atom.extent;
        left.pop_back();
      } else if (atom.extent % wanted == 0) {
        dims[d].insert(dims[d].begin(), {wanted, atom.dim, atom.inner});
        atom = {atom.extent / wanted, atom.dim, atom.inner * wanted};
        wanted = 1;
      } else {
        return false;
      }
    }
  }
  current_ = std::move(dims);
  return true;
}

std::optional<std::vector<int64_t>> DimAtoms::AlongOrigin(absl::Span<const int64_t> strides) const {
  struct Piece {
    int64_t inner, extent, stride;
  };
  std::vector<std::vector<Piece>> pieces(origin_.size());
  for (size_t d = 0; d < current_.size(); ++d) {
    int64_t stride = strides[d];
    for (size_t a = current_[d].size(); a-- > 0;) {
      const Atom& atom = current_[d][a];
      pieces[atom.dim].push_back({atom.inner, atom.extent, stride});
      stride *= atom.extent;
    }
  }
  std::vector<int64_t> out;
  for (std::vector<Piece>& of : pieces) {
    std::sort(of.begin(), of.end(),
              [](const Piece& a, const Piece& b) { return a.inner > b.inner; });
    std::vector<int64_t> extents, inner_strides;
    for (const Piece& piece : of) {
      extents.push_back(piece.extent);
      inner_strides.push_back(piece.stride);
    }
    const std::optional<int64_t> one = OneStride(extents, inner_strides);
    if (!one.has_value()) return std::nullopt;
    out.push_back(*one);
  }
  return out;
}

std::optional<std::vector<int64_t>> DimAtoms::AlongCurrent(
    absl::Span<const int64_t> strides) const {
  std::vector<int64_t> out;
  for (const std::vector<Atom>& atoms : current_) {
    std::vector<int64_t> extents, inner_strides;
    for (const Atom& atom : atoms) {
      extents.push_back(atom.extent);
      inner_strides.push_back(strides[atom.dim] * atom.inner);
    }
    const std::optional<int64_t> one = OneStride(extents, inner_strides);
    if (!one.has_value()) return std::nullopt;
    out.push_back(*one);
  }
  return out;
}

}  // namespace astitch
