// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "simt/count/banks.h"

#include <algorithm>
#include <bit>

namespace astitch::simt {
namespace {

// The most distinct words that LANES want of one bank.
int Passes(const int64_t (&offsets)[32], uint32_t lanes, int words) {
  int64_t wanted[32][32];
  int count[32] = {};
  int most = 1;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int64_t first = offsets[std::countr_zero(lanes)] >> 2;
    for (int w = 0; w < words; ++w) {
      const int64_t word = first + w;
      const int bank = static_cast<int>(word & 31);
      int64_t* const end = wanted[bank] + count[bank];
      if (std::find(wanted[bank], end, word) != end) continue;
      if (count[bank] == 32) return 32;
      wanted[bank][count[bank]++] = word;
      most = std::max(most, count[bank]);
    }
  }
  return most;
}

}  // namespace

int BankConflicts(const int64_t (&offsets)[32], uint32_t lanes, int bytes) {
  const int words = std::max(1, bytes / 4);
  const int parts = std::min(words, 8);
  const int lanes_per_part = 32 / parts;
  int out = 0;
  for (int part = 0; part < parts; ++part) {
    const uint32_t all = lanes_per_part == 32 ? ~0u : (1u << lanes_per_part) - 1;
    const uint32_t some = lanes & (all << (part * lanes_per_part));
    if (some != 0) out += Passes(offsets, some, words) - 1;
  }
  return out;
}

}  // namespace astitch::simt
