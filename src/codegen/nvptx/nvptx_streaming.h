// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stores that leave L2 first. LLVM's NVPTX prints non-temporal stores like any other, so they are
// spelled here: st.global.cs (PTX ISA, cache operators: evict-first).
#pragma once

#include <cstdint>

#include "llvm/IR/Module.h"

namespace astitch::codegen {

// Replaces the non-temporal stores to global memory of MODULE by accesses of at most so many bytes.
// Nothing of the kernel may read what they store, since LLVM does not see them as stores any more.
void SpellStreamingStores(llvm::Module& module, int64_t most_bytes);

}  // namespace astitch::codegen
