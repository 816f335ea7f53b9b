// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a sort of short rows into two reductions: how many elements come before each, and which element
// has so many before it.
//
//   %s = f32[B,N] sort(%x), dimensions={1}, by total order
//   =>  %p = s64[B,N]  a number for each element that orders as the comparator does, of equal ones the
//                      first before the others
//       %rank = s32[B,N] sum over j of (%p[b,j] < %p[b,i])
//       %s    = f32[B,N] sum over i of (%rank[b,i] == k ? bits of %x[b,i] : 0)
//
// N steps an element, but steps of a kernel: in rows of up to a few hundred elements far fewer
// nanoseconds than one comparison of the interpreter. A sorting network would need fewer and exchange
// elements between places of a row in each of them, which homes in registers and tiles do not have.
//
// The comparator must compare one operand's elements, each by the same expression, and be a total
// order: of integers, or TOTALORDER of floats. Everything sorted along is moved alike.
#pragma once

#include "passes/pass.h"

namespace astitch {

class SortToReduce final : public Pass {
 public:
  absl::string_view name() const override { return "sort-to-reduce"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
