// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether an instruction's written result shape is one it can have.
//
// Where InferShape has an answer it is compared (layouts aside; dot and convolution may be written
// wider). Where the shape is a free choice of the program (iota, convert, broadcast, reshape, ...)
// the choice is checked against the operands.
#pragma once

#include "absl/status/status.h"
#include "ir/graph.h"

namespace astitch {

// Errors of both are InvalidArgument, "expected X, got Y", without a position.

// Static sizes that a machine can count, and layouts that order the dimensions.
absl::Status CheckShapeBounds(const Shape& shape);

// REQUIRES: CheckShapeBounds holds for the instruction and its operands.
absl::Status CheckPrintedShape(const Instruction& instruction);

}  // namespace astitch
