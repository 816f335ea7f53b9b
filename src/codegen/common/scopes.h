// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scopes: the nest of regions that is being emitted, each open at its end.
//
//   function                     A value that needs only what an outer scope knows is appended to
//     task loop                  that outer scope, whoever asks for it and however deep: a row
//       row loop                 statistic used in the column loop is computed once a row, because
//         column loop   <- here  of where its operands live and not because an optimiser found out.
//
// So the branch into a scope is written last, when the scope closes; until then the outer block
// stays without terminator and can be appended to. A guard (the body of a condition) hides outer
// scopes from loads: what is only valid under the condition is not read above it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "llvm/IR/IRBuilder.h"

namespace astitch::codegen {

using Value = llvm::Value*;

class Scopes {
 public:
  // BUILDER stands at the end of the block of scope 0.
  explicit Scopes(llvm::IRBuilder<>& builder);

  llvm::IRBuilder<>& builder() { return builder_; }
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  // The scope at whose end VALUE was emitted; 0 for constants and arguments. Where nobody noted it:
  // the innermost, above which nothing that uses VALUE may go.
  int DepthOf(const llvm::Value* value) const;
  void SetDepth(const llvm::Value* value, int depth) { depths_[value] = depth; }
  // VALUE was emitted in the innermost scope, unless another is noted: constants belong to none.
  void NoteDepth(const llvm::Value* value) {
    if (!llvm::isa<llvm::Constant>(value)) depths_.try_emplace(value, depth());
  }
  // Loads must not be emitted above this scope.
  int guard_depth() const { return guard_depth_; }

  // Appends what EMIT emits to scope DEPTH and notes the result's depth.
  Value At(int depth, absl::FunctionRef<Value()> emit);

  // Emits BODY, loops and all, at the end of scope DEPTH, as if the scopes inside it were not open.
  void Hoist(int depth, absl::FunctionRef<void()> body);

  // for (i = begin; i < end; i += step) body(i). AT_LEAST_ONCE: the caller knows begin < end.
  // AS_IS: the body has all that is to be in flight, the loop is not to be unrolled.
  void Loop(Value begin, Value end, Value step, bool at_least_once,
            absl::FunctionRef<void(Value)> body, bool as_is = false);
  // do again = body() while (again).
  void Repeat(absl::FunctionRef<Value()> body);
  // if (condition) body(), as a guard.
  void If(Value condition, absl::FunctionRef<void()> body);
  // condition ? then() : otherwise(), each under its guard. REQUIRES: results of one type.
  Value Conditional(Value condition, absl::FunctionRef<Value()> then,
                    absl::FunctionRef<Value()> otherwise);
  // A scope without control flow: what it computes is forgotten when it ends.
  void Block(absl::FunctionRef<void()> body);

  // Called with its depth whenever a scope has closed.
  void OnClose(std::function<void(int)> callback) { on_close_ = std::move(callback); }

 private:
  struct Scope {
    llvm::BasicBlock* block = nullptr;  // where to append; of the innermost: where the builder is
    int guard_depth = 0;
  };
  llvm::BasicBlock* NewBlock(const char* name);
  // Emits BODY in a new scope that starts at the block returned; the builder is left at its end.
  llvm::BasicBlock* Enter(const char* name, bool guard);
  // Closes the innermost scope: the builder returns to the end of the one around it.
  void Leave();

  llvm::IRBuilder<>& builder_;
  std::vector<Scope> scopes_;
  int guard_depth_ = 0;
  absl::flat_hash_map<const llvm::Value*, int> depths_;
  std::function<void(int)> on_close_;
};

}  // namespace astitch::codegen
