// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Boxes of elements at strides: every data movement whose map is affine is one copy between two of
// them, and every fold walks one.
//
//   transpose [2,3] -> [3,2]:   dims {3,2}   from strides {1,3}   to strides {2,1}
//   reverse [4]:                dims {4}     from 3, stride {-1}
//   broadcast {} -> [5]:        dims {5}     from stride {0}
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace astitch::interp {

std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dims);

// One side of a copy: element index START plus, for each dimension of the box, its stride.
struct Strided {
  int64_t start = 0;
  std::vector<int64_t> strides;
};

// Copies the box DIMS from FROM_BYTES to TO_BYTES, elements of WIDTH bytes. The two do not overlap.
void CopyBox(absl::Span<const int64_t> dims, int width, const std::byte* from_bytes,
             const Strided& from, std::byte* to_bytes, const Strided& to);

// Visits the element indices of a box in row-major order.
class BoxWalk {
 public:
  // Dimensions of size one are dropped and those that lie in one run are merged.
  BoxWalk(absl::Span<const int64_t> dims, absl::Span<const int64_t> strides);
  int64_t size() const { return size_; }
  int64_t offset() const { return offset_; }
  void Next();
  // Writes the next N offsets and moves past them.
  void Take(int64_t n, int64_t* out);

 private:
  std::vector<int64_t> dims_, strides_, at_;
  int64_t size_ = 1, offset_ = 0;
};

}  // namespace astitch::interp
