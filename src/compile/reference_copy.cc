// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks with stacks of their own: tuples may nest deeply.
#include "compile/reference_copy.h"

#include <utility>

namespace astitch {

void CopyReferenceCall(const Instruction& call, CopyOne copy, Copies& copies) {
  std::vector<const Instruction*> open = {&call};
  while (!open.empty()) {
    const Instruction* value = open.back();
    const size_t before = open.size();
    for (const Instruction* operand : value->operands()) {
      if (!copies.contains(operand)) open.push_back(operand);
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (copies.contains(value)) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : value->operands()) operands.push_back(copies.at(operand));
    copies[value] = copy(*value, std::move(operands));
  }
}

Instruction* CopyReferenceOutput(const Instruction* output, CopyOne copy, Copies& copies) {
  std::vector<const Instruction*> chain;
  for (; !copies.contains(output); output = output->operand(0)) chain.push_back(output);
  Instruction* part = copies.at(output);
  for (size_t i = chain.size(); i-- > 0;) {
    part = copy(*chain[i], {part});
    copies[chain[i]] = part;
  }
  return part;
}

}  // namespace astitch
