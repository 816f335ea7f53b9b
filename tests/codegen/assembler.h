// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The assembler, where this machine has it.
#pragma once

#include <string>

#include "codegen/nvptx/assembler.h"

namespace astitch::testing {

// Its path, or null.
const char* Assembler();

// REQUIRES: Assembler() is one.
absl::StatusOr<AssembledKernel> AssembleHere(const std::string& ptx, int sm);

// What it has against the text; empty when it takes it.
std::string Assemble(const std::string& ptx, int sm);

}  // namespace astitch::testing
