// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Read order: along which axis memory runs where a value reads an array.
//
//   t: f32[B,A] = transpose(x: f32[A,B])    t reads x along the axis that is its own outermost
//   y: f32[A,B] = add(x, z)                 y reads x along its innermost
//
// A phase whose rows or columns are that axis reads whole cache lines when its lanes run along rows
// or columns.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "stitch/region_info.h"

namespace astitch {

// The axis of READER along which its operand number I lies in memory; -1 when there is none or it
// cannot be told.
int32_t MemoryAxis(const RegionInfo& info, const Instruction* reader, int64_t i);

// The axis along which VALUE lies in memory once it is stored; -1 when it has one element.
int32_t MemoryAxis(const RegionInfo& info, const Instruction* value);

// Whether those of NEEDED read VALUE at no other row and column than their own, be it through other
// values that are evaluated again where they are read. Results of reductions are not.
bool ReadInPlace(const RegionInfo& info, const Instruction* value,
                 absl::FunctionRef<bool(const Instruction*)> needed);

}  // namespace astitch
