// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads the list behind an instruction; lookups are linear, lists are short.
#include "frontend/hlo_text/attribute_set.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/limits.h"

namespace astitch::hlo_text {

const AttributeEntry* AttributeSet::Find(AttributeId id) const {
  for (const AttributeEntry& entry : entries_) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

void AttributeSet::Sort() {
  std::sort(entries_.begin(), entries_.end(),
            [](const AttributeEntry& a, const AttributeEntry& b) { return a.id < b.id; });
}

AttributeSet AttributeSet::Split(Opcode inner) {
  const auto stays = [&](const AttributeEntry& entry) {
    return IsAnnotation(entry.id) || !Accepts(inner, entry.id);
  };
  AttributeSet taken;
  const auto middle = std::stable_partition(entries_.begin(), entries_.end(), stays);
  taken.entries_.assign(std::make_move_iterator(middle), std::make_move_iterator(entries_.end()));
  entries_.erase(middle, entries_.end());
  return taken;
}

void AttributeSet::AddCalls(const Token& at, Computation* computation) {
  entries_.push_back({AttributeId::kCalls, at, std::vector<Computation*>{computation}});
  Sort();
}

bool AttributeSet::Read(Reader& reader, absl::Span<const Opcode> opcodes,
                        const AttributeScope& scope, bool allow_unknown) {
  while (reader.Eat(TokenKind::kComma)) {
    if (!ReadOne(reader, opcodes, scope, allow_unknown)) return false;
  }
  return true;
}

bool AttributeSet::ReadOne(Reader& reader, absl::Span<const Opcode> opcodes,
                           const AttributeScope& scope, bool allow_unknown) {
  const Token at = reader.token();
  if (at.kind != TokenKind::kAttribute) return reader.Fail("an attribute, word=value");
  if (entries_.size() + unknown_.size() == kMaxAttributes)
    return reader.Fail(absl::StrCat("at most ", kMaxAttributes, " attributes"));
  std::optional<AttributeId> id;
  for (Opcode opcode : opcodes) {
    if (!id) id = FindAttribute(opcode, at.text);
  }
  if (!id && !allow_unknown) {
    return reader.FailAt(at, absl::StrCat("expected an attribute of ", ToString(opcodes[0]),
                                          ", got ", Describe(at)));
  }
  const bool is_repeated =
      id ? Find(*id) != nullptr
         : std::any_of(unknown_.begin(), unknown_.end(),
                       [&](const auto& entry) { return entry.first == at.text; });
  if (is_repeated) return reader.FailAt(at, absl::StrCat("attribute ", at.text, " stands twice"));
  reader.Next();
  if (!id) {
    unknown_.emplace_back(std::string(at.text), "");
    return ReadUnknownValue(reader, &unknown_.back().second);
  }
  entries_.push_back({*id, at, {}});
  return ReadAttributeValue(reader, FormOf(*id), scope, &entries_.back().value);
}

}  // namespace astitch::hlo_text
