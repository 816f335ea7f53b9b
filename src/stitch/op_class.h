// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the planner asks about an opcode: may it be stitched, does it cut a region, what does
// evaluating it cost.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace astitch {

enum class StitchClass : uint8_t {
  kSource,     // parameter, constant, iota: no work of its own
  kStitch,     // evaluated at any index inside a region
  kReduce,     // reduce and scans: dominants
  kSolo,       // a kernel of its own for now: scatter and reduce-window of several results
  kLibrary,    // a library call: dot, convolution
  kReference,  // evaluated by the interpreter, between kernels: loops, sorts, linear algebra
  kTuple,      // tuple and get-tuple-element: no work
  kRefused,    // there is no way to run it
};
StitchClass ClassOf(const Instruction& instruction);

// Whether VALUE is a cumulative reduce-window that is swept, each element from the one before: one of a
// few elements is folded window by window, like any other whose windows overlap.
bool IsScan(const Instruction& value);

// Whether VALUE is an array that updates are scattered into: it is made as a whole, in memory, and its
// readers wait for it.
bool IsScatter(const Instruction& value);

// Operand I of a stitched operation that had better lie in memory before the operation runs: it is read
// at indices that depend on values, or in windows that overlap, so that evaluating it in place would
// compute elements again and again.
bool NeedsMemory(const Instruction& reader, int64_t i);

// Bytes of the array that is operand I of READER which it reads at most: of what a slice or a gather takes
// from, no more than it takes.
int64_t BytesTaken(const Instruction& reader, int64_t i);

// Rough cost of one element in simple operations (an add is 1): 0 for what only moves data, 10 to
// 40 for what expands into a polynomial or an iteration. Expensive is what is worth a slot in
// memory rather than a second evaluation.
int ElementCost(const Instruction& instruction);
inline bool IsExpensive(const Instruction& instruction) { return ElementCost(instruction) >= 8; }

}  // namespace astitch
