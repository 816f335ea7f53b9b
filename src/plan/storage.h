// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Storage: whose memory a value is, row-major in all of them:
//
//   written by a step, a parameter, a constant      its own
//   reshape that no step writes                     its operand's
//   concatenate that no step writes                 its operands', which lie side by side in its order:
//                                                   a stack (stitch/stacks.h)
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "plan/plan.h"

namespace astitch {

class Storage {
 public:
  // Of the steps that PLAN has now.
  explicit Storage(const Plan& plan);

  static constexpr int64_t kNone = -1;
  // The number of the first step that writes VALUE into memory of its own; kNone: there is none.
  int64_t WriterOf(const Instruction* value) const;

  // VALUE, or what it is another name of: below reshapes that no step writes.
  const Instruction* Of(const Instruction* value) const;
  // Whether VALUE, which is no other name, is a stack.
  bool IsStack(const Instruction* value) const;

  // What together is the memory of a value, in the order of the bytes: what it is another name of, or
  // that of each operand of a stack, none of which is a stack.
  struct Part {
    const Instruction* value = nullptr;
    int64_t offset = 0;  // bytes from the value's begin
  };
  std::vector<Part> PartsOf(const Instruction* value) const;

 private:
  absl::flat_hash_map<const Instruction*, int64_t> writer_;
};

}  // namespace astitch
