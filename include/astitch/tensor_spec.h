// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What one input or output of an executable looks like in memory: a dense array, its dimensions
// outermost first, and the order in which they lie. Plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace astitch {

struct TensorSpec {
  std::string name;          // of the parameter; may be empty
  std::string element_type;  // HLO's word: "f32", "bf16", "pred"
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;  // a permutation of the dimension numbers
  int64_t bytes = 0;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

std::string ToString(const TensorSpec& spec);  // "x f32[2,3]{1,0}"

}  // namespace astitch
