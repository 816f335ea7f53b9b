// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Literals inside constant(...) and literal=: the shape is known, the braces must follow it.
#pragma once

#include "astitch/literal.h"
#include "frontend/hlo_text/reader.h"

namespace astitch::hlo_text {

// {...} gives an elided literal. Values out of the type's range are faults, as are finite floats
// that would round to infinity.
bool ReadLiteral(Reader& reader, const Shape& shape, Literal* literal);

}  // namespace astitch::hlo_text
