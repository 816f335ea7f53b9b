// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ptxas, where this machine has it.
#pragma once

#include <string>

namespace astitch::testing {

// Its path, or null.
const char* Assembler();

// What it says of a kernel; WORDS is empty when it took the text.
struct Assembled {
  std::string words;
  int registers = 0, spilled_bytes = 0, static_shared_bytes = 0;
};
Assembled AssemblePtx(const std::string& ptx, int sm);

// The words alone.
std::string Assemble(const std::string& ptx, int sm);

}  // namespace astitch::testing
