// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tokens of PTX text.
//
//   ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];
//
// A word runs over its dots and double colons, so an instruction with all its modifiers, a
// directive and a special register such as %tid.x are one token each. Comments are not tokens,
// except the markers that a code generator writes to say which stage of its plan follows:
//
//   // stage 0.1 %softmax.7
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch::simt {

enum class TokenKind : uint8_t {
  kWord,         // add.rn.f32  %r1  .reg  $L__BB0_1  _
  kInteger,      // 12  0x1F  7U
  kFloat32,      // 0f3F800000, in `integer`
  kFloat64,      // 0d3FF0000000000000, or 1.5
  kString,       // "nounroll", without the quotes
  kPunctuation,  // one character
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;
  uint64_t integer = 0;  // the value, or the bits of a float
  int32_t line = 0, column = 0;
};

// "stage 0.1 %root" applies from LINE on.
struct StageMarker {
  int32_t line = 0;
  std::string name;  // "0.1 %root"
};

struct TokenList {
  std::vector<Token> tokens;  // the last one is kEnd; they point into the text
  std::vector<StageMarker> markers;
};

absl::StatusOr<TokenList> Tokenize(absl::string_view text);

}  // namespace astitch::simt
