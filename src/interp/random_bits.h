// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The two counter-based generators of rng-bit-generator, one block at a time.
#pragma once

#include <array>
#include <cstdint>

namespace astitch::interp {

// Threefry-2x32, 20 rounds.
std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
// Philox-4x32, 10 rounds.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

}  // namespace astitch::interp
