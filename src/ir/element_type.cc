// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tables of the element-type X-macro.
#include "astitch/element_type.h"

#include "base/check.h"

namespace astitch {
namespace {

struct TypeInfo {
  absl::string_view word;
  int bits;
  TypeKind kind;
};

constexpr TypeInfo kInfo[] = {
#define ASTITCH_X(enumerator, word, bits, kind) {word, bits, TypeKind::kind},
    ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
};

}  // namespace

absl::string_view ToString(ElementType type) { return kInfo[static_cast<int>(type)].word; }
int BitWidth(ElementType type) { return kInfo[static_cast<int>(type)].bits; }
int ByteWidth(ElementType type) { return BitWidth(type) < 8 ? 1 : BitWidth(type) / 8; }
TypeKind KindOf(ElementType type) { return kInfo[static_cast<int>(type)].kind; }

std::optional<ElementType> ElementTypeFromString(absl::string_view word) {
  int i = 0;
  for (const TypeInfo& info : kInfo) {
    if (info.word == word) return static_cast<ElementType>(i);
    ++i;
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, ElementType type) { return out << ToString(type); }

FloatFormat FormatOf(ElementType type) {
  using S = FloatFormat::Specials;
  switch (type) {
    case ElementType::kF16:
      return {5, 10, 15, S::kIeee};
    case ElementType::kBF16:
      return {8, 7, 127, S::kIeee};
    case ElementType::kF32:
      return {8, 23, 127, S::kIeee};
    case ElementType::kF64:
      return {11, 52, 1023, S::kIeee};
    case ElementType::kF8E5M2:
      return {5, 2, 15, S::kIeee};
    case ElementType::kF8E4M3:
      return {4, 3, 7, S::kIeee};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, S::kNanAllOnes};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, S::kNanNegZero};
    case ElementType::kF8E3M4:
      return {3, 4, 3, S::kIeee};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, S::kNanNegZero};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, S::kNanNegZero};
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, S::kFinite};
    case ElementType::kF6E2M3FN:
      return {2, 3, 1, S::kFinite};
    case ElementType::kF6E3M2FN:
      return {3, 2, 3, S::kFinite};
    case ElementType::kF8E8M0FNU:
      return {8, 0, 127, S::kExponentOnly};
    default:
      break;
  }
  ASTITCH_CHECK(false) << "not a float type: " << ToString(type);
  return {};
}

}  // namespace astitch
