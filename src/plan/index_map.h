// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a root's map speaks of: the array whose index it gives, and the part of it that the result has.
// The meaning of plans, for whoever makes code of them or checks them.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/kernel_plan.h"

namespace astitch {

// Arrays that a value is: those of a tuple, or itself.
int NumLeaves(const Instruction& value);
// Element LEAF of a tuple's shape; the shape itself of an array.
const Shape& LeafShape(const Instruction& value, int64_t leaf);

// The array whose index a root's map gives: of a reduction its operand, of a scatter its updates.
const Shape& MappedShape(const Root& root);

// The map of what ROOT yields: of a reduction, the kept dimensions of its operand.
IndexMap ResultMap(const Root& root);

// The column axes in MAP, ascending, of a phase with so many row axes.
std::vector<int32_t> ColumnsIn(const IndexMap& map, size_t num_row_axes);

// Columns of STAGE for each of which ROOT, a reduction over kRows, has a result: the inner ones.
int64_t KeptColumns(const Phase& phase, const Stage& stage, const Root& root);

}  // namespace astitch
