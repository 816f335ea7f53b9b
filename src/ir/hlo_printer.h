// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A Graph as HLO text. What is printed parses back to an equal graph (metadata and large constants
// permitting), and printing that gives the same text.
//
//   HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}
//
//   ENTRY main {
//     x = f32[2]{0} parameter(0)
//     ROOT y = f32[2]{0} add(x, x)
//   }
#pragma once

#include <string>

#include "ir/graph.h"

namespace astitch {

// The default is the short style of lowered JAX programs.
struct HloPrintOptions {
  bool percent = false;         // %x, %region_0
  bool signatures = false;      // ENTRY main (x: f32[2]) -> f32[2] {
  bool operand_shapes = false;  // add(f32[2]{0} x, f32[2]{0} x)
  bool metadata = false;        // metadata={...} and the stack-frame tables
  bool large_constants = true;  // otherwise arrays of more than ten elements print as {...}
  bool index_comments = false;  // /*index=5*/ in operand lists too
  // -0.0 rather than -0, which HLO writes but XLA reads as +0.
  bool decimal_negative_zero = false;
  // Nothing is left out: what a file keeps.
  static HloPrintOptions Complete() { return {.metadata = true}; }
  // The long style of compiled modules.
  static HloPrintOptions Long() {
    return {.percent = true, .signatures = true, .metadata = true, .index_comments = true};
  }
};

std::string ToHloText(const Graph& graph, const HloPrintOptions& options = {});

// "y = f32[2]{0} add(x, x)", one line in the short style, constants above ten elements elided.
std::string InstructionText(const Instruction& instruction);

}  // namespace astitch
