// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A tree of blocks with their names; look-up goes from the innermost outward.
#include "simt/ptx/scope.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace astitch::simt {

void Scopes::Enter() {
  scopes_.push_back({current_, {}, {}});
  current_ = static_cast<int>(scopes_.size()) - 1;
}

void Scopes::Leave() { current_ = scopes_[current_].parent; }

bool Scopes::Declare(const std::string& name, Operand::Kind kind, int32_t index) {
  Operand operand;
  operand.kind = kind;
  operand.index = index;
  operand.name = name;
  return scopes_[current_].names.emplace(name, std::move(operand)).second;
}

void Scopes::DeclareRange(const std::string& prefix, int32_t first_index, int32_t count) {
  scopes_[current_].ranges[prefix] = {first_index, count};
}

std::optional<Operand> Scopes::Find(const std::string& name, int scope) const {
  size_t digits = name.size();
  while (digits > 0 && absl::ascii_isdigit(name[digits - 1])) --digits;
  int32_t number = -1;
  if (digits < name.size() && !absl::SimpleAtoi(name.substr(digits), &number)) number = -1;
  for (; scope >= 0; scope = scopes_[scope].parent) {
    const Scope& s = scopes_[scope];
    if (const auto it = s.names.find(name); it != s.names.end()) return it->second;
    const auto range = number < 0 ? s.ranges.end() : s.ranges.find(name.substr(0, digits));
    if (range == s.ranges.end() || number >= range->second.count) continue;
    Operand operand;
    operand.kind = Operand::Kind::kRegister;
    operand.index = range->second.first_index + number;
    operand.name = name;
    return operand;
  }
  return std::nullopt;
}

}  // namespace astitch::simt
