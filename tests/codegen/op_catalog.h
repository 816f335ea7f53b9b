// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every elementwise operation on every element type it is defined on, each as an instruction of a
// graph, for the tests that go through all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "jit.h"

namespace astitch::codegen {

struct CatalogOp {
  std::string name;  // "convert_f32_s8"
  const Instruction* instruction;
  bool exact;  // the result has one right value; else an elementary function's bound applies
};

enum class CatalogSize {
  kMain,  // the types programs use: pred, s/u 8 32 64, f16, bf16, f32, f64, one f8
  kFull,  // all of them
};

// Owns the instructions; each is the root of its computation, its operands are parameters of shape
// [num_elements].
class OpCatalog {
 public:
  OpCatalog(CatalogSize size, int64_t num_elements);
  const std::vector<CatalogOp>& ops() const { return ops_; }

 private:
  void AddFloatOps(ElementType type);
  void AddIntegerOps(ElementType type);
  void AddCommonOps(ElementType type);
  void AddCompares(ElementType type);
  void AddConversions(const std::vector<ElementType>& types);
  void Add(const std::string& name, Opcode opcode, ElementType result,
           const std::vector<ElementType>& operands, Attributes attributes = {});

  int64_t num_elements_;
  std::unique_ptr<Graph> graph_;
  std::vector<CatalogOp> ops_;
};

// A loop that runs OP on WIDTH elements an iteration, memory to memory.
LoopSpec LoopOf(llvm::LLVMContext& context, const CatalogOp& op, int width);

}  // namespace astitch::codegen
