// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tensors for people to read: one element, a line of statistics, a few first elements.
#pragma once

#include <cstdint>
#include <string>

#include "astitch/literal.h"

namespace astitch {

// Element FLAT in row-major order: "1.5", "-inf", "true", "(0.5, -2)". The digits tell the values
// of its type apart. REQUIRES: an array, not elided.
std::string FormatElement(const Literal& value, int64_t flat);

struct Statistics {
  int64_t count = 0, nans = 0, infinities = 0;
  double min = 0, max = 0, mean = 0;  // over the finite elements; 0 when there are none
};
Statistics ComputeStatistics(const Literal& value);

// "f32[2,3] {1, 2, 3, ...} min 1 max 6 mean 3.5", with " nan 2" and " inf 1" where there are any.
std::string Summarize(const Literal& value, int64_t max_elements = 8);

}  // namespace astitch
