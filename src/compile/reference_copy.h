// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A reference call written down once more in another computation, which has parameters for what it reads.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "ir/graph.h"

namespace astitch {

// By instruction: its copy. The call's inputs (plan/reference_call.h) are there before anything is copied.
using Copies = absl::flat_hash_map<const Instruction*, Instruction*>;
// Adds an instruction like the one given, which reads OPERANDS.
using CopyOne =
    absl::FunctionRef<Instruction*(const Instruction&, std::vector<Instruction*> operands)>;

// Copies CALL behind the tuples and numbers that it reads.
void CopyReferenceCall(const Instruction& call, CopyOne copy, Copies& copies);

// The copy of OUTPUT, which is part of such a call's result. REQUIRES: the call is copied.
Instruction* CopyReferenceOutput(const Instruction* output, CopyOne copy, Copies& copies);

}  // namespace astitch
