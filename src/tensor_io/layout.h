// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Between logical arrays and the bytes of a buffer. A Literal is row-major; a buffer at the API is
// dense in the layout of entry_computation_layout.
//
//   logical f32[2,3] {{a,b,c},{d,e,f}}    in memory with {0,1}: a d b e c f
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "astitch/literal.h"
#include "ir/graph.h"

namespace astitch {

// Memory order is row-major order: the layout says so, or differs only in dimensions of size 1.
bool IsDenseRowMajor(const Shape& shape);

// The elements of VALUE in the order of SHAPE's layout. REQUIRES: arrays of the same type and dims.
std::vector<std::byte> ToPhysical(const Literal& value, const Shape& shape);
// The way back. REQUIRES: bytes.size() == shape.byte_size(). The result's shape is row-major.
Literal FromPhysical(const Shape& shape, absl::Span<const std::byte> bytes);

// The array leaves of the entry's parameters and of its result, with the layouts their buffers
// have. Tokens and opaque values are left out: they have no buffer.
std::vector<Shape> EntryInputShapes(const Graph& graph);
std::vector<Shape> EntryOutputShapes(const Graph& graph);

// Parameter values of the entry from its leaves, and the leaves of a result.
std::vector<Literal> AssembleParameters(const Graph& graph, std::vector<Literal> leaves);
std::vector<Literal> ArrayLeaves(const Literal& value);

}  // namespace astitch
