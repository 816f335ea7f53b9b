// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where to emit and for what: the two things every function of this folder needs.
#pragma once

#include "codegen/common/target_traits.h"
#include "llvm/IR/IRBuilder.h"

namespace astitch::codegen {

// Emission may end the builder's block and go on in a new one (loops, rare slow paths): a caller
// that builds phi nodes asks builder.GetInsertBlock() afterwards.
//
// REQUIRES: the builder stands at the end of a block of a function that is in a module, and sets no
// fast-math flags: what may be contracted or reassociated is spelled out here.
struct EmitContext {
  llvm::IRBuilderBase& builder;
  TargetTraits traits;
};

}  // namespace astitch::codegen
