// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The scalar and packed types of PTX, and the state spaces of its memory.
//
// A register holds bits; the operation names how to read them. So a type here is a way to read, and
// carries no value.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace astitch::simt {

enum class TypeKind : uint8_t {
  kBool,
  kBits,
  kUnsigned,
  kSigned,
  kFloat,
  kPackedFloat,
  kPackedInt
};

//   enumerator  PTX name  bits  kind
#define ASTITCH_PTX_TYPES(X)             \
  X(kPred, "pred", 1, kBool)             \
  X(kB8, "b8", 8, kBits)                 \
  X(kB16, "b16", 16, kBits)              \
  X(kB32, "b32", 32, kBits)              \
  X(kB64, "b64", 64, kBits)              \
  X(kU8, "u8", 8, kUnsigned)             \
  X(kU16, "u16", 16, kUnsigned)          \
  X(kU32, "u32", 32, kUnsigned)          \
  X(kU64, "u64", 64, kUnsigned)          \
  X(kS8, "s8", 8, kSigned)               \
  X(kS16, "s16", 16, kSigned)            \
  X(kS32, "s32", 32, kSigned)            \
  X(kS64, "s64", 64, kSigned)            \
  X(kF16, "f16", 16, kFloat)             \
  X(kBF16, "bf16", 16, kFloat)           \
  X(kTF32, "tf32", 32, kFloat)           \
  X(kF32, "f32", 32, kFloat)             \
  X(kF64, "f64", 64, kFloat)             \
  X(kF16x2, "f16x2", 32, kPackedFloat)   \
  X(kBF16x2, "bf16x2", 32, kPackedFloat) \
  X(kF32x2, "f32x2", 64, kPackedFloat)   \
  X(kE4M3x2, "e4m3x2", 16, kPackedFloat) \
  X(kE5M2x2, "e5m2x2", 16, kPackedFloat) \
  X(kS16x2, "s16x2", 32, kPackedInt)     \
  X(kU16x2, "u16x2", 32, kPackedInt)

enum class Type : uint8_t {
#define X(enumerator, name, bits, kind) enumerator,
  ASTITCH_PTX_TYPES(X)
#undef X
};

absl::string_view TypeName(Type type);
int TypeBits(Type type);
TypeKind KindOf(Type type);
std::optional<Type> TypeFromName(absl::string_view name);

// Bytes in memory; a predicate has none.
inline int TypeBytes(Type type) { return TypeBits(type) / 8; }

enum class Space : uint8_t { kGeneric, kGlobal, kShared, kSharedCluster, kLocal, kParam, kConst };
absl::string_view SpaceName(Space space);

}  // namespace astitch::simt
