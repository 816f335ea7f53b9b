// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loops are emitted in rotated form (test at the bottom), since that is what every later pass wants
// to see; a loop that may run zero times gets a branch around it.
#include "codegen/common/scopes.h"

#include "base/check.h"

namespace astitch::codegen {
namespace {

// Of a loop that is to stay as it is.
llvm::MDNode* NotUnrolled(llvm::LLVMContext& context) {
  llvm::MDNode* const word =
      llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.unroll.disable")});
  llvm::MDNode* const loop = llvm::MDNode::getDistinct(context, {nullptr, word});
  loop->replaceOperandWith(0, loop);
  return loop;
}

}  // namespace

Scopes::Scopes(llvm::IRBuilder<>& builder) : builder_(builder) {
  scopes_.push_back({builder.GetInsertBlock(), 0});
}

int Scopes::DepthOf(const llvm::Value* value) const {
  const auto it = depths_.find(value);
  if (it != depths_.end()) return it->second;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || instruction->getParent()->isEntryBlock()) return 0;
  return depth();
}

Value Scopes::At(int depth, absl::FunctionRef<Value()> emit) {
  ASTITCH_CHECK(depth >= 0 && depth <= this->depth()) << "scope " << depth << " is not open";
  if (depth == this->depth()) {
    Value value = emit();
    SetDepth(value, depth);
    return value;
  }
  llvm::BasicBlock* const here = builder_.GetInsertBlock();
  builder_.SetInsertPoint(scopes_[depth].block);
  Value value = emit();
  scopes_[depth].block = builder_.GetInsertBlock();
  builder_.SetInsertPoint(here);
  SetDepth(value, depth);
  return value;
}

void Scopes::Hoist(int depth, absl::FunctionRef<void()> body) {
  if (depth == this->depth()) return body();
  scopes_.back().block = builder_.GetInsertBlock();
  const std::vector<Scope> inner(scopes_.begin() + depth + 1, scopes_.end());
  const int guard_depth = guard_depth_;
  scopes_.resize(depth + 1);
  guard_depth_ = scopes_.back().guard_depth;
  builder_.SetInsertPoint(scopes_.back().block);
  body();
  scopes_.back().block = builder_.GetInsertBlock();
  scopes_.insert(scopes_.end(), inner.begin(), inner.end());
  guard_depth_ = guard_depth;
  builder_.SetInsertPoint(scopes_.back().block);
}

llvm::BasicBlock* Scopes::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(builder_.getContext(), name,
                                  builder_.GetInsertBlock()->getParent());
}

llvm::BasicBlock* Scopes::Enter(const char* name, bool guard) {
  scopes_.back().block = builder_.GetInsertBlock();
  llvm::BasicBlock* const start = NewBlock(name);
  if (guard) guard_depth_ = static_cast<int>(scopes_.size());
  scopes_.push_back({start, guard_depth_});
  builder_.SetInsertPoint(start);
  return start;
}

void Scopes::Leave() {
  const int closed = depth();
  scopes_.pop_back();
  guard_depth_ = scopes_.back().guard_depth;
  builder_.SetInsertPoint(scopes_.back().block);
  if (on_close_) on_close_(closed);
}

void Scopes::Loop(Value begin, Value end, Value step, bool at_least_once,
                  absl::FunctionRef<void(Value)> body, bool as_is) {
  llvm::BasicBlock* const start = Enter("loop", false);
  llvm::PHINode* const i = builder_.CreatePHI(begin->getType(), 2);
  SetDepth(i, depth());
  body(i);
  Value next = builder_.CreateAdd(i, step);
  Value again = builder_.CreateICmpSLT(next, end);
  llvm::BasicBlock* const latch = builder_.GetInsertBlock();
  llvm::BasicBlock* const exit = NewBlock("after");
  llvm::Instruction* const back = builder_.CreateCondBr(again, start, exit);
  if (as_is) back->setMetadata(llvm::LLVMContext::MD_loop, NotUnrolled(builder_.getContext()));
  i->addIncoming(next, latch);
  Leave();
  i->addIncoming(begin, builder_.GetInsertBlock());
  if (at_least_once) {
    builder_.CreateBr(start);
  } else {
    builder_.CreateCondBr(builder_.CreateICmpSLT(begin, end), start, exit);
  }
  builder_.SetInsertPoint(exit);
}

void Scopes::Repeat(absl::FunctionRef<Value()> body) {
  llvm::BasicBlock* const start = Enter("loop", false);
  Value again = body();
  llvm::BasicBlock* const exit = NewBlock("after");
  builder_.CreateCondBr(again, start, exit);
  Leave();
  builder_.CreateBr(start);
  builder_.SetInsertPoint(exit);
}

void Scopes::If(Value condition, absl::FunctionRef<void()> body) {
  llvm::BasicBlock* const start = Enter("then", true);
  body();
  llvm::BasicBlock* const exit = NewBlock("after");
  builder_.CreateBr(exit);
  Leave();
  builder_.CreateCondBr(condition, start, exit);
  builder_.SetInsertPoint(exit);
}

Value Scopes::Conditional(Value condition, absl::FunctionRef<Value()> then,
                          absl::FunctionRef<Value()> otherwise) {
  llvm::BasicBlock* const exit = NewBlock("after");
  auto arm = [&](const char* name, absl::FunctionRef<Value()> emit) {
    llvm::BasicBlock* const start = Enter(name, true);
    Value value = emit();
    llvm::BasicBlock* const end = builder_.GetInsertBlock();
    builder_.CreateBr(exit);
    Leave();
    return std::tuple(start, value, end);
  };
  const auto [then_start, then_value, then_end] = arm("then", then);
  const auto [else_start, else_value, else_end] = arm("else", otherwise);
  builder_.CreateCondBr(condition, then_start, else_start);
  builder_.SetInsertPoint(exit);
  llvm::PHINode* const result = builder_.CreatePHI(then_value->getType(), 2);
  result->addIncoming(then_value, then_end);
  result->addIncoming(else_value, else_end);
  SetDepth(result, depth());
  return result;
}

void Scopes::Block(absl::FunctionRef<void()> body) {
  llvm::BasicBlock* const start = Enter("block", false);
  body();
  llvm::BasicBlock* const end = builder_.GetInsertBlock();
  Leave();
  builder_.CreateBr(start);
  builder_.SetInsertPoint(end);
}

}  // namespace astitch::codegen
