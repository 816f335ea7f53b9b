// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays in memory, and elements of them in registers: one element, or one in each lane.
//
// Contiguous lanes are one vector access, equal lanes one scalar, lanes in one aligned block that nobody writes a
// vector access as well; anything else is an access a lane.
#pragma once

#include <cstdint>

#include "astitch/element_type.h"
#include "codegen/common/emit_context.h"
#include "codegen/common/index.h"

namespace astitch::codegen {

// A dense array. Arrays of different alias scopes never overlap.
struct Array {
  Value pointer = nullptr;  // to element 0
  ElementType type = ElementType::kF32;
  int64_t alignment = 1;            // of the pointer, bytes
  int64_t elements = 0;             // how many there are; loads from an empty one are never reached
  bool invariant = false;           // nobody writes it while the kernel runs
  llvm::MDNode* scope = nullptr;    // alias.scope list, or null
  llvm::MDNode* noalias = nullptr;  // the other scopes
};

// The elements at POSITION, as registers hold them: a scalar when POSITION is uniform.
Value LoadElements(const EmitContext& context, IndexBuilder& indices, const Array& array,
                   const Digit& position);
// REQUIRES: VALUE has as many lanes as POSITION, or one.
void StoreElements(const EmitContext& context, IndexBuilder& indices, const Array& array,
                   const Digit& position, Value value, bool nontemporal);

// Brings the cache line of ADDRESS near; reads nothing.
void FetchLine(llvm::IRBuilderBase& builder, Value address);

// COUNT lanes of a vector from FIRST on.
Value LanesOf(llvm::IRBuilderBase& builder, Value vector, int first, int count);

// VALUE in every one of LANES lanes; VALUE itself when it has them already.
Value SplatLanes(llvm::IRBuilderBase& builder, Value value, int lanes);

}  // namespace astitch::codegen
