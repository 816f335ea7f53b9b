// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Emitted arithmetic, made callable: loops over arrays, compiled for this processor (or for plain
// x86-64) inside the test, and the objects and PTX of the same IR as bytes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codegen/common/emit_context.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace astitch::codegen {

// The body of a loop: the values of one iteration in, its results out; all as they lie in memory.
using EmitBody =
    std::function<std::vector<llvm::Value*>(EmitContext&, const std::vector<llvm::Value*>&)>;

struct LoopSpec {
  std::string name;
  std::vector<llvm::Type*> inputs;   // of one iteration; scalars or vectors
  std::vector<llvm::Type*> outputs;  // the same
  EmitBody body;
};

// Features of the processor this runs on; empty for plain x86-64.
std::string ThisProcessor();

// void NAME(void** arrays, int64_t iterations): inputs, then outputs.
void EmitLoop(llvm::Module& module, const TargetTraits& traits, const LoopSpec& loop);
// The same for a GPU thread that does one element: a kernel with a pointer an array.
void EmitKernel(llvm::Module& module, const TargetTraits& traits, const LoopSpec& loop);

std::string CompileToObject(llvm::Module& module, const std::string& features);
std::string CompileToPtx(llvm::Module& module, int sm);
// Names of the symbols an object needs from elsewhere.
std::vector<std::string> UndefinedSymbols(const std::string& object);

// A module in this process. REQUIRES: FEATURES are those of this processor or fewer.
class Jit {
 public:
  using Function = void (*)(void** arrays, int64_t iterations);
  explicit Jit(const std::string& features);
  ~Jit();
  // BUILD adds functions to the module; then they can be looked up.
  void Add(const std::function<void(llvm::Module&, const TargetTraits&)>& build);
  Function Find(const std::string& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace astitch::codegen
