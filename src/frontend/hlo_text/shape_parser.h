// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Shapes with layouts: f32[2,3]{1,0:T(8,128)S(1)}, (f32[], token[]), b(s32[4]).
#pragma once

#include "astitch/shape.h"
#include "frontend/hlo_text/reader.h"

namespace astitch::hlo_text {

// Whether a shape starts at the token: f32, '(' or b(.
bool StartsShape(Reader& reader);

// Refuses layouts that are no permutation of the dimensions, and arrays of more than 2^63-1 bytes.
bool ReadShape(Reader& reader, Shape* shape);

// The number of shapes in the tree.
int64_t ShapeParts(const Shape& shape);

}  // namespace astitch::hlo_text
