// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks names up in what steps write, and goes on to operands while nobody does.
#include "plan/storage.h"

namespace astitch {

Storage::Storage(const Plan& plan) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    std::vector<const Instruction*> reads, writes;
    ReadsAndWrites(plan.steps[s], reads, writes);
    for (const Instruction* value : writes) writer_.emplace(value, static_cast<int64_t>(s));
  }
}

int64_t Storage::WriterOf(const Instruction* value) const {
  const auto it = writer_.find(value);
  return it == writer_.end() ? kNone : it->second;
}

const Instruction* Storage::Of(const Instruction* value) const {
  while ((value->opcode() == Opcode::kReshape || value->opcode() == Opcode::kBitcast) &&
         WriterOf(value) == kNone)
    value = value->operand(0);
  return value;
}

bool Storage::IsStack(const Instruction* value) const {
  return value->opcode() == Opcode::kConcatenate && WriterOf(value) == kNone;
}

std::vector<Storage::Part> Storage::PartsOf(const Instruction* value) const {
  const Instruction* whole = Of(value);
  if (!IsStack(whole)) return {{whole, 0}};
  std::vector<Part> parts;
  int64_t offset = 0;
  for (const Instruction* operand : whole->operands()) {
    parts.push_back({Of(operand), offset});
    offset += operand->shape().byte_size();
  }
  return parts;
}

}  // namespace astitch
