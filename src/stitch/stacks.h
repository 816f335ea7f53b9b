// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stacks: concatenations of what is in memory anyway, which only products read. Nothing is moved for
// one: its pieces are written where it has them, side by side in the arena.
//
//   %h1 .. %h50 = f32[256,32]                         the states of a recurrent layer, each of which the
//   %s = f32[256,50,32] concatenate(%h1', .., %h50')  next step's product reads
//   %d = dot(%s, %w)
//                                           =>
//   %s = f32[50,256,32] concatenate(%h1", .., %h50")  outermost, so that a piece is a range of bytes
//   %t = f32[256,50,32] transpose(%s)                 which the product reads through by strides
//   %d = dot(%t, %w)
#pragma once

#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"

namespace astitch {

// Finds the stacks of the entry of GRAPH, makes them outermost, and copies the pieces that cannot lie
// in them: what is a result of the graph, an input, a constant, or a piece already.
absl::flat_hash_set<const Instruction*> MakeStacks(Graph& graph);

}  // namespace astitch
