// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Literals as HLO writes them inside constant(...): { { 1, 2 }, { 3, 4 } }.
//
// Numbers have just enough digits to read back to the same bits. Braces nest in logical order,
// whatever the layout.
#pragma once

#include <cstddef>
#include <string>

#include "astitch/literal.h"

namespace astitch {

struct LiteralTextOptions {
  // Otherwise arrays of more than ten elements and all tuples print as {...}.
  bool large_constants = true;
  bool decimal_negative_zero = false;  // -0.0 rather than -0
};

void AppendLiteralText(const Literal& literal, const LiteralTextOptions& options, std::string* out);
std::string LiteralText(const Literal& literal, const LiteralTextOptions& options = {});

// One element: "1e-05", "-inf", "nan(0x1)", "(0.5, -2)"; pred as 0 and 1.
void AppendElementText(ElementType type, const std::byte* at, std::string* out,
                       bool decimal_negative_zero = false);
// A float as an attribute value, such as epsilon: six digits, or nine where six are too few.
std::string FloatText(float value);

}  // namespace astitch
