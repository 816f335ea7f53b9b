// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Happens-before, kept small: what a thread knows to have happened.
//
// A full vector clock has an entry a thread, 150,000 of them in a large grid. But threads learn
// from each other mostly through barriers of whole blocks. So time in a block is an epoch, which
// ends at each of its barriers, and a sub-clock of each thread inside it, which ends at each of its
// releases. What a thread knows of another block is a floor, "everything before epoch 7", and a few
// exceptions, "of thread 512 up to sub-clock 3 of epoch 7": those that released by themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace astitch::simt {

// A thread of the grid: block * threads of a block, in whole warps, + its number in the block.
using ThreadId = uint32_t;
inline constexpr ThreadId kNoThread = ~ThreadId{0};

struct Moment {
  uint32_t epoch = 0, sub = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

struct Knowledge {
  struct Exception {
    ThreadId thread;
    Moment moment;
  };
  std::vector<uint32_t> floors;       // by block: all of it before this epoch; empty: nothing
  std::vector<Exception> exceptions;  // by thread; only what the floors do not cover
  // Knowledge of the same chain with a higher number includes this one.
  uint64_t chain = 0, number = 0;

  bool CoversBlock(uint32_t block, uint32_t epoch) const {
    return !floors.empty() && epoch < floors[block];
  }
  bool Covers(ThreadId thread, uint32_t block, Moment moment) const;
};
using KnowledgePtr = std::shared_ptr<const Knowledge>;

// What either of them knows; null knows nothing. THREADS_PER_BLOCK gives an exception its block.
KnowledgePtr Join(const KnowledgePtr& a, const KnowledgePtr& b, uint32_t threads_per_block);

// KNOWN with one more floor and one more exception.
std::shared_ptr<Knowledge> Extend(const KnowledgePtr& known, uint32_t num_blocks, uint32_t block,
                                  uint32_t floor, Knowledge::Exception exception);

}  // namespace astitch::simt
