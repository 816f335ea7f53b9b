// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One line of PTX a store, in words of up to 32 bits.
#include "codegen/nvptx/nvptx_streaming.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace astitch::codegen {
namespace {

constexpr unsigned kGlobal = 1;

// Words of BITS each that make up a store, and the constraint of a register that holds one.
struct Words {
  unsigned bits = 32, count = 1;
};

// Whether a store of BYTES is one instruction.
bool IsOneAccess(uint64_t bytes) { return bytes > 0 && bytes <= 32 && (bytes & (bytes - 1)) == 0; }

Words WordsOf(uint64_t bytes) {
  if (bytes >= 4) return {32, static_cast<unsigned>(bytes / 4)};
  return {static_cast<unsigned>(bytes * 8), 1};
}

void Spell(llvm::StoreInst& store) {
  llvm::IRBuilder<> b(&store);
  const llvm::DataLayout& layout = store.getModule()->getDataLayout();
  llvm::Value* value = store.getValueOperand();
  const uint64_t bytes = layout.getTypeStoreSize(value->getType());
  const Words words = WordsOf(bytes);
  llvm::Type* word = b.getIntNTy(words.bits);
  llvm::Value* whole = b.CreateBitCast(value, llvm::FixedVectorType::get(word, words.count));
  // A byte travels in a register of 16 bits.
  llvm::Type* held = words.bits == 8 ? b.getInt16Ty() : word;
  std::vector<llvm::Value*> operands = {store.getPointerOperand()};
  std::vector<llvm::Type*> types = {store.getPointerOperandType()};
  std::string list, constraints = "l";
  for (unsigned i = 0; i < words.count; ++i) {
    operands.push_back(b.CreateZExt(b.CreateExtractElement(whole, i), held));
    types.push_back(held);
    absl::StrAppend(&list, i > 0 ? ", $" : "$", i + 1);
    absl::StrAppend(&constraints, words.bits == 32 ? ",r" : ",h");
  }
  const std::string vector = words.count > 1 ? absl::StrCat(".v", words.count) : "";
  const std::string text = absl::StrCat("st.global.cs", vector, ".b", words.bits, " [$0], ",
                                        words.count > 1 ? absl::StrCat("{", list, "}") : list, ";");
  auto* type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  b.CreateCall(llvm::InlineAsm::get(type, text, absl::StrCat(constraints, ",~{memory}"), true),
               operands);
  store.eraseFromParent();
}

}  // namespace

void SpellStreamingStores(llvm::Module& module) {
  for (llvm::Function& function : module) {
    std::vector<llvm::StoreInst*> stores;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || !store->hasMetadata(llvm::LLVMContext::MD_nontemporal)) continue;
      llvm::Type* stored = store->getValueOperand()->getType();
      const uint64_t bytes = module.getDataLayout().getTypeStoreSize(stored);
      const bool padded = module.getDataLayout().getTypeStoreSizeInBits(stored) !=
                          module.getDataLayout().getTypeSizeInBits(stored);
      if (store->getPointerAddressSpace() == kGlobal && IsOneAccess(bytes) && !padded &&
          store->getAlign().value() >= bytes)
        stores.push_back(store);
    }
    for (llvm::StoreInst* store : stores) Spell(*store);
  }
}

}  // namespace astitch::codegen
