// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One instruction in a kernel of its own: known operands in, the bits of the result out.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace astitch::simt {

// TEXT computes %d from %a, %b, %c, %e, in that order; a result of one bit is put into %d as 0 or 1
// by way of the predicate %p.
struct InstructionCase {
  std::string text;               // "add.s32 %d, %a, %b;"
  int bits;                       // of %d; 1: TEXT writes %p
  std::vector<int> operand_bits;  // 16, 32, 64; 1: a predicate
  std::vector<uint64_t> operands;
  uint64_t expected;
};

// %d for each lane of a warp, lane l having %a + l * STEP in %a; STEP 0 for one thread only.
std::vector<uint64_t> RunInstruction(const InstructionCase& c, uint64_t step = 0);

// Every case, with a message that shows the text.
void ExpectAll(const std::vector<InstructionCase>& cases);

constexpr uint64_t F(float v) { return std::bit_cast<uint32_t>(v); }
constexpr uint64_t D(double v) { return std::bit_cast<uint64_t>(v); }
constexpr uint64_t S(int64_t v) { return static_cast<uint32_t>(static_cast<uint64_t>(v)); }
constexpr uint64_t Halves(uint64_t low, uint64_t high) { return low | high << 16; }
constexpr uint64_t Words(uint64_t low, uint64_t high) { return low | high << 32; }

}  // namespace astitch::simt
