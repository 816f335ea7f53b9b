// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Indices for the verifier: where a value is read, as digits of the axes of the sweep.
//
//   rows=[35] columns=[12], map (0)(1):       element (a0, a1)
//   reshape to f32[5,7,12]:                   (a0/7 % 5, a0 % 7, a1)
//   reshape to f32[420], to f32[35,12] again: (a0, a1), as before
//
// A digit is (axis / inner) % extent. What does not split evenly goes through a new axis that
// stands for several digits at once, so reshapes there and back are exact. What shifts, strides or
// looks up positions is unknown: such an index is never taken for that of the row under way, which
// is the safe side. Indices are numbered: equal ones have equal numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace astitch::plan_check {

struct AxisDigit {
  int32_t axis = -1;  // -1: unknown
  int64_t inner = 1, extent = 1;
  friend bool operator==(const AxisDigit&, const AxisDigit&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const AxisDigit& d) {
    return H::combine(std::move(h), d.axis, d.inner, d.extent);
  }
};
// A number in mixed radix, outermost digit first; without digits of extent 1, and as few as
// possible.
using AxisDigits = std::vector<AxisDigit>;

class AxisIndices {
 public:
  // EXTENTS of the axes of a sweep: rows, then columns.
  explicit AxisIndices(const std::vector<int64_t>& extents) : extents_(extents) {}

  AxisDigits Axis(int32_t axis) const { return Canonical({{axis, 1, extents_[axis]}}); }
  static AxisDigits Unknown(int64_t extent);
  AxisDigits Canonical(const AxisDigits& digits) const;

  // The same position in an array of other dimensions: DIMS of the old one, radices of the new one.
  std::vector<AxisDigits> Regroup(const AxisDigits& all, const std::vector<int64_t>& radices);

  using Id = int32_t;
  Id Number(std::vector<AxisDigits> dims);
  const std::vector<AxisDigits>& Dims(Id id) const { return by_id_[id]; }

 private:
  // Replaces the digits at the end of REST by one, so that they split at the radices up to LAST.
  // False: no end of the one is as long as an end of the other.
  bool JoinForSplit(AxisDigits& rest, const std::vector<int64_t>& radices, size_t last);
  int32_t Composite(const AxisDigits& digits);

  std::vector<int64_t> extents_;
  absl::flat_hash_map<int32_t, AxisDigits> parts_;  // of composite axes
  absl::flat_hash_map<AxisDigits, int32_t> composites_;
  absl::flat_hash_map<std::vector<AxisDigits>, Id> ids_;
  std::deque<std::vector<AxisDigits>> by_id_;
};

}  // namespace astitch::plan_check
