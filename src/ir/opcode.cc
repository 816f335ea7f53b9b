// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tables of the opcode X-macro.
#include "ir/opcode.h"

#include "absl/container/flat_hash_map.h"

namespace astitch {
namespace {

struct OpcodeInfo {
  absl::string_view word;
  int arity;
  OpKind kind;
};

constexpr OpcodeInfo kInfo[] = {
#define ASTITCH_X(enumerator, word, arity, kind) {word, arity, OpKind::kind},
    ASTITCH_OPCODES(ASTITCH_X)
#undef ASTITCH_X
};

}  // namespace

absl::string_view ToString(Opcode opcode) { return kInfo[static_cast<int>(opcode)].word; }
int ArityOf(Opcode opcode) { return kInfo[static_cast<int>(opcode)].arity; }
OpKind KindOf(Opcode opcode) { return kInfo[static_cast<int>(opcode)].kind; }

std::optional<Opcode> OpcodeFromString(absl::string_view word) {
  static const auto* const kByWord = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Opcode>();
    int i = 0;
    for (const OpcodeInfo& info : kInfo) map->emplace(info.word, static_cast<Opcode>(i++));
    return map;
  }();
  const auto it = kByWord->find(word);
  if (it == kByWord->end()) return std::nullopt;
  return it->second;
}

std::ostream& operator<<(std::ostream& out, Opcode opcode) { return out << ToString(opcode); }

}  // namespace astitch
