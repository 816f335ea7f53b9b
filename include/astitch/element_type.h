// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Element types of tensors, spelled as HLO spells them.
//
// Storage: every type but the complex ones takes bits/8 bytes, and the types narrower than a byte
// take one byte an element (value in the low bits; signed ones sign-extended).
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "absl/strings/string_view.h"

namespace astitch {

enum class TypeKind : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex };

//   enumerator    HLO word         bits  kind
#define ASTITCH_ELEMENT_TYPES(X)                \
  X(kPred, "pred", 1, kPred)                    \
  X(kS1, "s1", 1, kSigned)                      \
  X(kS2, "s2", 2, kSigned)                      \
  X(kS4, "s4", 4, kSigned)                      \
  X(kS8, "s8", 8, kSigned)                      \
  X(kS16, "s16", 16, kSigned)                   \
  X(kS32, "s32", 32, kSigned)                   \
  X(kS64, "s64", 64, kSigned)                   \
  X(kU1, "u1", 1, kUnsigned)                    \
  X(kU2, "u2", 2, kUnsigned)                    \
  X(kU4, "u4", 4, kUnsigned)                    \
  X(kU8, "u8", 8, kUnsigned)                    \
  X(kU16, "u16", 16, kUnsigned)                 \
  X(kU32, "u32", 32, kUnsigned)                 \
  X(kU64, "u64", 64, kUnsigned)                 \
  X(kF16, "f16", 16, kFloat)                    \
  X(kBF16, "bf16", 16, kFloat)                  \
  X(kF32, "f32", 32, kFloat)                    \
  X(kF64, "f64", 64, kFloat)                    \
  X(kF8E5M2, "f8e5m2", 8, kFloat)               \
  X(kF8E4M3, "f8e4m3", 8, kFloat)               \
  X(kF8E4M3FN, "f8e4m3fn", 8, kFloat)           \
  X(kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, kFloat) \
  X(kF8E3M4, "f8e3m4", 8, kFloat)               \
  X(kF8E5M2FNUZ, "f8e5m2fnuz", 8, kFloat)       \
  X(kF8E4M3FNUZ, "f8e4m3fnuz", 8, kFloat)       \
  X(kF4E2M1FN, "f4e2m1fn", 4, kFloat)           \
  X(kF6E2M3FN, "f6e2m3fn", 6, kFloat)           \
  X(kF6E3M2FN, "f6e3m2fn", 6, kFloat)           \
  X(kF8E8M0FNU, "f8e8m0fnu", 8, kFloat)         \
  X(kC64, "c64", 64, kComplex)                  \
  X(kC128, "c128", 128, kComplex)

enum class ElementType : uint8_t {
#define ASTITCH_X(enumerator, word, bits, kind) enumerator,
  ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
};

absl::string_view ToString(ElementType type);
// Nothing when WORD is not an element type (token and opaque are not).
std::optional<ElementType> ElementTypeFromString(absl::string_view word);
std::ostream& operator<<(std::ostream& out, ElementType type);

int BitWidth(ElementType type);
// Bytes an element takes in memory: 1, 2, 4, 8 or 16.
int ByteWidth(ElementType type);
TypeKind KindOf(ElementType type);

inline bool IsPred(ElementType type) { return type == ElementType::kPred; }
inline bool IsSigned(ElementType type) { return KindOf(type) == TypeKind::kSigned; }
inline bool IsUnsigned(ElementType type) { return KindOf(type) == TypeKind::kUnsigned; }
inline bool IsInteger(ElementType type) { return IsSigned(type) || IsUnsigned(type); }
inline bool IsFloat(ElementType type) { return KindOf(type) == TypeKind::kFloat; }
inline bool IsComplex(ElementType type) { return KindOf(type) == TypeKind::kComplex; }
// The type of the two parts of a complex number; any other type is its own.
inline ElementType PartType(ElementType type) {
  if (!IsComplex(type)) return type;
  return type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
}

// Exponent and mantissa fields of a float type, its bias, and what its special codes mean.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum class Specials : uint8_t {
    kIeee,          // infinities and NaNs at the top exponent
    kNanAllOnes,    // no infinity; NaN is all ones below the sign (f8e4m3fn)
    kNanNegZero,    // no infinity, no -0; NaN is the code of -0 (fnuz)
    kFinite,        // neither (f4, f6)
    kExponentOnly,  // f8e8m0fnu: unsigned power of two, 0xFF is NaN
  } specials;
};
// REQUIRES: IsFloat(type).
FloatFormat FormatOf(ElementType type);

}  // namespace astitch
