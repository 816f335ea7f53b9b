// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns the choice of a few largest or smallest elements of each row into so many reductions, which a
// kernel takes like any others.
//
//   %t = (f32[B,3], s32[B,3]) topk(f32[B,N] %x), k=3
//   =>  %p  = s64[B,N]  a number for each element that orders as HLO orders the elements, and of equal
//                       ones the first before the others
//       %m0 = s64[B] reduce(%p), maximum
//       %m1 = s64[B] reduce(select(%p < broadcast(%m0), %p, lowest)), maximum, and so on
//       values and indices are taken from %m0, %m1, ... and put side by side
//
// The number has the element's bits above and its index, counted from behind, below. A chosen element
// needs no mask: what comes next is less. Also of the custom call TopK.
#pragma once

#include "passes/pass.h"

namespace astitch {

class TopkToReduce final : public Pass {
 public:
  absl::string_view name() const override { return "topk-to-reduce"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
