// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complex arrays as they lie in memory: real arrays with one dimension more, of two.
//
//   %z = c64[N] parameter(0)          =>  %z = f32[N,2] parameter(0)
//   %f = c64[N] fft(%z), ...          =>  %f = f32[N,2] call(%z), to_apply={ complex, fft, pairs again }
//   ROOT %r = c64[N] complex(%a, %b)  =>  ROOT %r = f32[N,2] concatenate of %a and %b
//
// After this only what calls evaluate knows of complex numbers, and those are reference steps.
#pragma once

#include "ir/graph.h"

namespace astitch {

// REQUIRES: calls are inlined, parameters are arrays, the root is an array or a tuple of them, and
// complex numbers are split (passes/split_complex.h). True when the graph changed.
bool PairComplex(Graph& graph);

}  // namespace astitch
