// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The vendor's assembler (ptxas), where a machine has it: what it makes of a kernel's text.
//
// Emitting PTX needs no toolkit. But only the assembler gives out registers, so only it can say
// whether a kernel needs as many as its launch counts on.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace astitch {

struct AssembledKernel {
  int32_t registers = 0;            // of a thread
  int64_t spilled_bytes = 0;        // of a thread, that found no register
  int64_t static_shared_bytes = 0;  // of a block, beside a launch's
  friend bool operator==(const AssembledKernel&, const AssembledKernel&) = default;
};

// The assembler called PROGRAM: a path, or a name that is looked for as a shell would. Error: there is
// no such program.
absl::StatusOr<std::string> FindAssembler(const std::string& program);

// Assembles PTX, a module of one kernel, for sm_SM by the assembler at PATH. Errors: what the assembler
// says against the text; files that cannot be written.
absl::StatusOr<AssembledKernel> AssemblePtx(const std::string& path, const std::string& ptx,
                                            int sm);

}  // namespace astitch
