// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elements as numbers: the one place that knows how every element type encodes a value.
//
// Conversions from double round once, to nearest even. Bits are returned in the low BitWidth(type)
// bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "astitch/element_type.h"

namespace astitch {

// ---- floats. REQUIRES: IsFloat(type).

// Out of range: infinity, or NaN where the type has no infinity, or the largest magnitude where it
// has neither; f8e8m0fnu takes the nearest power of two and NaN for negative, zero, infinite and
// NaN. NaN keeps its sign and becomes the quiet NaN.
uint64_t EncodeFloat(ElementType type, double value);
// Exact for every type.
double DecodeFloat(ElementType type, uint64_t bits);
// The largest finite value.
double MaxFinite(ElementType type);
bool HasInfinity(ElementType type);
bool HasNan(ElementType type);

// ---- integers and pred. REQUIRES: IsInteger(type) or IsPred(type).

// Wraps modulo 2^bits and sign- or zero-extends back to 64 bits; pred gives 0 or 1.
int64_t WrapInteger(ElementType type, int64_t value);
// Truncates toward zero, saturates at the type's range, NaN gives 0 (HLO's convert); pred: value !=
// 0, NaN gives 1.
int64_t SaturateToInteger(ElementType type, double value);
int64_t MinInteger(ElementType type);
uint64_t MaxInteger(ElementType type);

// ---- elements in memory, ByteWidth(type) bytes, not complex

// Raw bits, zero-extended.
uint64_t LoadBits(ElementType type, const std::byte* at);
void StoreBits(ElementType type, std::byte* at, uint64_t bits);
// The value as a double: exact for floats, pred and integers below 2^53.
double LoadAsDouble(ElementType type, const std::byte* at);
// Floats round once; integers saturate as SaturateToInteger.
void StoreFromDouble(ElementType type, std::byte* at, double value);
// Integers and pred only: the value sign- or zero-extended (u64 above 2^63-1 reads as negative).
int64_t LoadAsInteger(ElementType type, const std::byte* at);

}  // namespace astitch
