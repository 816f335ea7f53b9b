// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The attributes written behind one instruction, before they become typed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/hlo_text/attribute_value.h"

namespace astitch::hlo_text {

struct AttributeEntry {
  AttributeId id;
  Token at;
  AttributeValue value;
};

class AttributeSet {
 public:
  // Null when it was not written.
  const AttributeEntry* Find(AttributeId id) const;
  const std::vector<AttributeEntry>& entries() const { return entries_; }
  const std::vector<std::pair<std::string, std::string>>& unknown() const { return unknown_; }

  // Reads { "," word= value }. OPCODES take the attributes: one, or for asynchronous sugar the
  // wrapped operation's and the wrapper's. Unknown words are kept when ALLOW_UNKNOWN, else faults.
  bool Read(Reader& reader, absl::Span<const Opcode> opcodes, const AttributeScope& scope,
            bool allow_unknown);
  // Sorted into print order, which is the order of ids.
  void Sort();
  // Takes out what belongs to INNER, the operation that asynchronous sugar wraps; annotations stay.
  AttributeSet Split(Opcode inner);
  // calls=COMPUTATION, as if it stood at AT.
  void AddCalls(const Token& at, Computation* computation);

 private:
  bool ReadOne(Reader& reader, absl::Span<const Opcode> opcodes, const AttributeScope& scope,
               bool allow_unknown);

  std::vector<AttributeEntry> entries_;
  std::vector<std::pair<std::string, std::string>> unknown_;
};

}  // namespace astitch::hlo_text
