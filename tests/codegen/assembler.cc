// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/assembler.h"

#include <fstream>

namespace astitch::testing {

const char* Assembler() {
  for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
    if (std::ifstream(path).good()) return path;
  }
  return nullptr;
}

absl::StatusOr<AssembledKernel> AssembleHere(const std::string& ptx, int sm) {
  return AssemblePtx(Assembler(), ptx, sm);
}

std::string Assemble(const std::string& ptx, int sm) {
  return std::string(AssembleHere(ptx, sm).status().message());
}

}  // namespace astitch::testing
