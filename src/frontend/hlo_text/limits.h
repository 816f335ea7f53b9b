// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the parser of HLO text refuses to follow. The numbers are far above what real dumps need and
// far below what endangers the stack; memory stays proportional to the text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace astitch::hlo_text {

constexpr size_t kMaxTextBytes = size_t{1} << 31;  // columns and lines are 32-bit numbers
constexpr int kMaxRank = 64;
constexpr int kMaxShapeNesting = 64;        // tuples in tuples
constexpr int kMaxOperandNesting = 200;     // operations written inside operand lists
constexpr int kMaxComputationNesting = 20;  // bodies written inside attributes
constexpr int kMaxAttributes = 64;          // of one instruction
constexpr size_t kMaxDiagnostics = 20;      // then the parser stops
// Shapes that the text leaves out are inferred, and a tuple of tuples doubles with each line: all
// inferred shapes of a module together have no more parts than this plus the length of the text.
constexpr int64_t kMaxInferredShapeParts = int64_t{1} << 20;
// A parameter takes at least this much text: "a=f32[] parameter(0)" less some blanks.
constexpr size_t kMinParameterText = 16;

}  // namespace astitch::hlo_text
