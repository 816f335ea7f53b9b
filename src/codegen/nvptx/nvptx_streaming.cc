// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One line of PTX an access, in words of up to 32 bits.
#include "codegen/nvptx/nvptx_streaming.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace astitch::codegen {
namespace {

constexpr unsigned kGlobal = 1;

// Stores WORDS side by side at POINTER. A byte travels in a register of 16 bits.
void SpellAccess(llvm::IRBuilder<>& b, llvm::Value* pointer, llvm::ArrayRef<llvm::Value*> words) {
  const unsigned bits = words[0]->getType()->getIntegerBitWidth();
  llvm::Type* held = b.getIntNTy(std::max(bits, 16u));
  std::vector<llvm::Value*> operands = {pointer};
  std::vector<llvm::Type*> types = {pointer->getType()};
  std::string list, constraints = "l";
  for (llvm::Value* word : words) {
    absl::StrAppend(&list, list.empty() ? "$" : ", $", operands.size());
    absl::StrAppend(&constraints, bits == 32 ? ",r" : ",h");
    operands.push_back(b.CreateZExt(word, held));
    types.push_back(held);
  }
  const bool vector = words.size() > 1;
  const std::string text =
      absl::StrCat("st.global.cs", vector ? absl::StrCat(".v", words.size()) : "", ".b", bits,
                   " [$0], ", vector ? absl::StrCat("{", list, "}") : list, ";");
  auto* type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  b.CreateCall(llvm::InlineAsm::get(type, text, absl::StrCat(constraints, ",~{memory}"), true),
               operands);
}

// Bytes of what STORE stores; 0: not all bits of them.
int64_t BytesOf(const llvm::StoreInst& store) {
  const llvm::DataLayout& layout = store.getModule()->getDataLayout();
  llvm::Type* type = store.getValueOperand()->getType();
  const auto bits = static_cast<int64_t>(layout.getTypeSizeInBits(type).getFixedValue());
  return bits % 8 == 0 ? bits / 8 : 0;
}

void Spell(llvm::StoreInst& store, int64_t most_bytes) {
  llvm::IRBuilder<> b(&store);
  const int64_t bytes = BytesOf(store), word_bytes = std::min<int64_t>(bytes, 4);
  const int64_t count = bytes / word_bytes, together = most_bytes / word_bytes;
  llvm::Type* word = b.getIntNTy(static_cast<unsigned>(8 * word_bytes));
  llvm::Value* whole =
      b.CreateBitCast(store.getValueOperand(), llvm::FixedVectorType::get(word, count));
  std::vector<llvm::Value*> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(b.CreateExtractElement(whole, static_cast<uint64_t>(i)));
  for (int64_t first = 0; first < count; first += together) {
    llvm::Value* pointer = b.CreateConstInBoundsGEP1_64(word, store.getPointerOperand(), first);
    SpellAccess(b, pointer, llvm::ArrayRef(words).slice(first, std::min(together, count - first)));
  }
  store.eraseFromParent();
}

// Whole words of as many bytes as a power of two has, on an address of as many.
bool MayStream(const llvm::StoreInst& store) {
  const int64_t bytes = BytesOf(store);
  return store.hasMetadata(llvm::LLVMContext::MD_nontemporal) &&
         store.getPointerAddressSpace() == kGlobal && bytes > 0 && (bytes & (bytes - 1)) == 0 &&
         static_cast<int64_t>(store.getAlign().value()) >= bytes;
}

}  // namespace

void SpellStreamingStores(llvm::Module& module, int64_t most_bytes) {
  for (llvm::Function& function : module) {
    std::vector<llvm::StoreInst*> stores;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store != nullptr && MayStream(*store)) stores.push_back(store);
    }
    for (llvm::StoreInst* store : stores) Spell(*store, most_bytes);
  }
}

}  // namespace astitch::codegen
