// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Names inside a function: registers, variables and labels of nested { } blocks.
//
// Inline assembly and calls open blocks of their own and reuse names in them, labels too; labels
// may be used before they stand. So every block keeps its names after it ends, and an unknown name
// is looked up once more, from its block outward, when the function is complete.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "simt/ptx/module.h"

namespace astitch::simt {

class Scopes {
 public:
  Scopes() { Enter(); }
  void Enter();
  void Leave();
  bool AtTop() const { return current_ == 0; }
  int current() const { return current_; }

  // False: the block already has that name.
  bool Declare(const std::string& name, Operand::Kind kind, int32_t index);
  std::optional<Operand> Find(const std::string& name, int scope) const;
  // %r<100> declares %r0 to %r99: kept as a range, since there may be many.
  void DeclareRange(const std::string& prefix, int32_t first_index, int32_t count);

 private:
  struct Range {
    int32_t first_index = 0, count = 0;
  };
  struct Scope {
    int parent = -1;
    std::map<std::string, Operand> names;
    std::map<std::string, Range> ranges;
  };
  std::vector<Scope> scopes_;
  int current_ = -1;
};

}  // namespace astitch::simt
