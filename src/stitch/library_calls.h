// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a stitched plan hands to library calls beside their products: transpositions of what they read
// and write, which are strides, and the epilogues that matrix libraries document. These operations
// then are in no kernel.
//
//   %d = dot(%x, %w)                                  dot %d ... out=%t:[..] then=add:%b:[0,1]
//   %a = add(%d, broadcast(%b))             =>
//   %t = transpose(reshape(%a))
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "plan/plan.h"

namespace astitch {

// An epilogue that a call might have, and has not: a kernel is faster.
struct DeclinedEpilogue {
  const Instruction* product = nullptr;  // what the call leaves for the kernel
  EpilogueKind kind = EpilogueKind::kGeluTanh;
};

struct LibraryCalls {
  absl::flat_hash_map<const Instruction*, DotCall> calls;  // by dot
  // Operations that a call does, and the dot whose call it is.
  absl::flat_hash_map<const Instruction*, const Instruction*> absorbed;
  // Operations that calls read through: never stored for them.
  absl::flat_hash_set<const Instruction*> views;
  // Those of the views that are stacks, and the other names under which they have their pieces.
  absl::flat_hash_set<const Instruction*> stacked;
  // What is written in its place in a stack.
  absl::flat_hash_set<const Instruction*> pieces;
  std::vector<DeclinedEpilogue> declined;  // in the order of the graph
  // Convolutions that no library takes: reference calls.
  absl::flat_hash_set<const Instruction*> refused;
};

// STACKS: of the graph (stacks.h). GELU: whether the library's is worth a kernel.
absl::StatusOr<LibraryCalls> FindLibraryCalls(
    const Graph& graph, bool gelu, const absl::flat_hash_set<const Instruction*>& stacks = {});

}  // namespace astitch
