// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Writes out loops that are known to turn a few times, so that what they compute is stitched like
// anything else: recurrent networks, mostly.
//
//   %w = (s32[], f32[8]) while((0, %x)), until the counter is 3; each turn adds %x to itself
//   =>  %1 = add(%x, %x)   %2 = add(%1, %1)   %3 = add(%2, %2)   %w = (3, %3)
//
// A loop turns as often as its counter says: an integer among its state that starts from a constant,
// is compared with a constant, and moves by a constant. In each turn it is that number, so that what
// is indexed by it is a slice. Inner loops go before outer ones. A loop whose body needs a step of
// its own in each turn, such as a sort, stays: it is one step as it is.
#pragma once

#include "passes/pass.h"

namespace astitch {

class UnrollLoops final : public Pass {
 public:
  absl::string_view name() const override { return "unroll-loops"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
