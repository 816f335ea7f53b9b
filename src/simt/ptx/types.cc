// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tables of the types and state spaces: their words and their widths.
#include "simt/ptx/types.h"

#include "base/check.h"

namespace astitch::simt {

absl::string_view TypeName(Type type) {
  switch (type) {
#define X(enumerator, name, bits, kind) \
  case Type::enumerator:                \
    return name;
    ASTITCH_PTX_TYPES(X)
#undef X
  }
  ASTITCH_UNREACHABLE();
}

int TypeBits(Type type) {
  switch (type) {
#define X(enumerator, name, bits, kind) \
  case Type::enumerator:                \
    return bits;
    ASTITCH_PTX_TYPES(X)
#undef X
  }
  ASTITCH_UNREACHABLE();
}

TypeKind KindOf(Type type) {
  switch (type) {
#define X(enumerator, name, bits, kind) \
  case Type::enumerator:                \
    return TypeKind::kind;
    ASTITCH_PTX_TYPES(X)
#undef X
  }
  ASTITCH_UNREACHABLE();
}

std::optional<Type> TypeFromName(absl::string_view name) {
#define X(enumerator, text, bits, kind) \
  if (name == text) return Type::enumerator;
  ASTITCH_PTX_TYPES(X)
#undef X
  return std::nullopt;
}

absl::string_view SpaceName(Space space) {
  switch (space) {
    case Space::kGeneric:
      return "generic";
    case Space::kGlobal:
      return "global";
    case Space::kShared:
      return "shared";
    case Space::kSharedCluster:
      return "shared::cluster";
    case Space::kLocal:
      return "local";
    case Space::kParam:
      return "param";
    case Space::kConst:
      return "const";
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace astitch::simt
