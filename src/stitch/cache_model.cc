// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A list in order of use, and where each piece stands in it.
#include "stitch/cache_model.h"

#include <algorithm>
#include <iterator>

namespace astitch {

int64_t CacheModel::Touch(int64_t array, int64_t piece, int64_t bytes, bool evict_first) {
  int64_t missing = bytes;
  Place& place = PlaceOf(array, piece);
  if (place != entries_.end()) {
    missing = std::max<int64_t>(0, bytes - place->bytes);
    bytes = std::max(bytes, place->bytes);
    Erase(place);
  }
  // Something larger than the cache passes through and leaves nothing of the others.
  while (used_ + bytes > capacity_ && !entries_.empty()) Erase(std::prev(entries_.end()));
  if (bytes > capacity_) return missing;
  const Place at = evict_first ? entries_.end() : entries_.begin();
  place = entries_.insert(at, {array, piece, bytes});
  used_ += bytes;
  return missing;
}

int64_t CacheModel::Drop(int64_t array, int64_t begin, int64_t end) {
  const size_t number = static_cast<size_t>(array);
  if (number >= places_.size()) return 0;
  int64_t bytes = 0;
  end = std::min(end, static_cast<int64_t>(places_[number].size()));
  for (int64_t piece = begin; piece < end; ++piece) {
    const Place place = places_[number][piece];
    if (place == entries_.end()) continue;
    bytes += place->bytes;
    Erase(place);
  }
  return bytes;
}

CacheModel::Place& CacheModel::PlaceOf(int64_t array, int64_t piece) {
  const size_t number = static_cast<size_t>(array), at = static_cast<size_t>(piece);
  if (number >= places_.size()) places_.resize(number + 1);
  std::vector<Place>& pieces = places_[number];
  if (at >= pieces.size()) pieces.resize(at + 1, entries_.end());
  return pieces[at];
}

void CacheModel::Erase(Place place) {
  used_ -= place->bytes;
  PlaceOf(place->array, place->piece) = entries_.end();
  entries_.erase(place);
}

}  // namespace astitch
