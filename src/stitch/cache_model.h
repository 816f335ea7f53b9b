// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// CacheModel: what the last level of cache still has of arrays that phases walk piece by piece.
//
// Least recently used first out, as in the simulator's L2 (simt/count/l2_cache.h), but in pieces of
// arrays rather than sectors, so that a plan of thousands of operations is counted in no time.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

namespace astitch {

// Arrays, and the pieces of each, are numbered from 0.
class CacheModel {
 public:
  explicit CacheModel(int64_t capacity) : capacity_(capacity) {}

  // Touches PIECE, of BYTES, of ARRAY, and returns the bytes of it that were not there. EVICT_FIRST:
  // it is the first to go.
  int64_t Touch(int64_t array, int64_t piece, int64_t bytes, bool evict_first = false);
  // Forgets what is there of pieces [BEGIN, END) of ARRAY; returns the bytes of it.
  int64_t Drop(int64_t array, int64_t begin, int64_t end);

 private:
  struct Entry {
    int64_t array, piece, bytes;
  };
  using Place = std::list<Entry>::iterator;
  Place& PlaceOf(int64_t array, int64_t piece);
  void Erase(Place place);

  int64_t capacity_, used_ = 0;
  std::list<Entry> entries_;                // newest first
  std::vector<std::vector<Place>> places_;  // by array and piece; entries_.end(): not there
};

}  // namespace astitch
