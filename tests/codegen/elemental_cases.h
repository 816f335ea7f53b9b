// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Small graphs, one an operation, that the host and the simulated device evaluate element by
// element.
#pragma once

#include <ostream>
#include <string>

#include "absl/types/span.h"

namespace astitch::testing {

struct ElementalCase {
  const char* name;
  const char* hlo;  // of the entry computation
};
inline void PrintTo(const ElementalCase& c, std::ostream* out) { *out << c.name; }

absl::Span<const ElementalCase> ElementalCases();
// The whole graph, with the reducers that the cases use.
std::string ElementalText(const ElementalCase& c);

}  // namespace astitch::testing
