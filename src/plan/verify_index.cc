// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Digits are taken from the innermost on; composite axes come apart again as soon as they are whole.
#include "plan/verify_index.h"

#include <algorithm>

namespace astitch::plan_check {

AxisDigits AxisIndices::Unknown(int64_t extent) {
  return extent == 1 ? AxisDigits{} : AxisDigits{{-1, 1, extent}};
}

AxisDigits AxisIndices::Canonical(const AxisDigits& digits) const {
  AxisDigits out, todo(digits.rbegin(), digits.rend());
  while (!todo.empty()) {
    const AxisDigit digit = todo.back();
    todo.pop_back();
    if (digit.extent == 1) continue;
    const auto parts = digit.inner == 1 && digit.axis >= 0 && extents_[digit.axis] == digit.extent
                           ? parts_.find(digit.axis)
                           : parts_.end();
    if (parts != parts_.end()) {
      todo.insert(todo.end(), parts->second.rbegin(), parts->second.rend());
      continue;
    }
    if (!out.empty() && out.back().axis == digit.axis &&
        (digit.axis < 0 || out.back().inner == digit.inner * digit.extent)) {
      // Merged, and perhaps a whole axis now.
      todo.push_back({digit.axis, digit.inner, out.back().extent * digit.extent});
      out.pop_back();
      continue;
    }
    out.push_back(digit);
  }
  return out;
}

int32_t AxisIndices::Composite(const AxisDigits& digits) {
  const auto [it, fresh] = composites_.emplace(digits, static_cast<int32_t>(extents_.size()));
  if (fresh) {
    int64_t extent = 1;
    for (const AxisDigit& digit : digits) extent *= digit.extent;
    extents_.push_back(extent);
    parts_.emplace(it->second, digits);
  }
  return it->second;
}

bool AxisIndices::JoinForSplit(AxisDigits& rest, const std::vector<int64_t>& radices, size_t last) {
  size_t d = last, n = rest.size();
  int64_t want = radices[d], have = 1;
  while (want != have) {
    if (have < want) {
      if (n == 0) return false;
      have *= rest[--n].extent;
    } else {
      if (d == 0) return false;
      want *= radices[--d];
    }
  }
  const AxisDigits joined(rest.begin() + static_cast<int64_t>(n), rest.end());
  rest.resize(n);
  const bool unknown = std::any_of(joined.begin(), joined.end(),
                                   [](const AxisDigit& digit) { return digit.axis < 0; });
  rest.push_back({unknown ? -1 : Composite(joined), 1, have});
  return true;
}

std::vector<AxisDigits> AxisIndices::Regroup(const AxisDigits& all,
                                             const std::vector<int64_t>& radices) {
  std::vector<AxisDigits> out(radices.size());
  AxisDigits rest = all;
  bool exact = true;
  for (size_t d = radices.size(); d-- > 0 && exact;) {
    int64_t want = radices[d];
    AxisDigits taken;  // innermost first
    while (want != 1) {
      const int64_t extent = rest.empty() ? 0 : rest.back().extent;
      if (extent > 1 && want % extent == 0) {
        taken.push_back(rest.back());
        rest.pop_back();
        want /= extent;
      } else if (extent > 1 && want > 0 && extent % want == 0) {
        AxisDigit& last = rest.back();
        taken.push_back({last.axis, last.inner, want});
        if (last.axis >= 0) last.inner *= want;
        last.extent /= want;
        want = 1;
      } else {
        rest.insert(rest.end(), taken.rbegin(), taken.rend());
        taken.clear();
        want = radices[d];
        if (want <= 0 || rest.empty() || !JoinForSplit(rest, radices, d)) {
          exact = false;
          break;
        }
      }
    }
    out[d] = Canonical(AxisDigits(taken.rbegin(), taken.rend()));
  }
  if (exact && rest.empty()) return out;
  for (size_t d = 0; d < radices.size(); ++d) out[d] = Unknown(radices[d]);
  return out;
}

AxisIndices::Id AxisIndices::Number(std::vector<AxisDigits> dims) {
  const auto [it, fresh] = ids_.emplace(dims, static_cast<Id>(by_id_.size()));
  if (fresh) by_id_.push_back(std::move(dims));
  return it->second;
}

}  // namespace astitch::plan_check
