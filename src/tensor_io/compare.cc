// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Floats are compared as doubles, which hold every element type exactly; integers by their bits.
#include "tensor_io/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/number.h"
#include "tensor_io/format.h"

namespace astitch {
namespace {

// How far an element is off: 0 and right, or wrong by this much.
struct Distance {
  bool right = true;
  double error = 0;
};

Distance FloatDistance(double got, double expected, const Tolerance& tolerance) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return {true, 0};
  if (!std::isfinite(got) || !std::isfinite(expected)) {
    return {false, std::numeric_limits<double>::infinity()};
  }
  const double error = std::fabs(got - expected);
  return {error <= tolerance.atol + tolerance.rtol * std::fabs(expected), error};
}

Distance ElementDistance(ElementType type, const std::byte* got, const std::byte* expected,
                         const Tolerance& tolerance) {
  if (IsFloat(type)) {
    return FloatDistance(LoadAsDouble(type, got), LoadAsDouble(type, expected), tolerance);
  }
  if (LoadAsInteger(type, got) == LoadAsInteger(type, expected)) return {true, 0};
  // At least 1, whatever the doubles round to.
  return {false, std::max(1.0, std::fabs(LoadAsDouble(type, got) - LoadAsDouble(type, expected)))};
}

std::vector<int64_t> IndexOf(const Shape& shape, int64_t flat) {
  std::vector<int64_t> index(shape.rank(), 0);
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    index[d] = flat % shape.dim(d);
    flat /= shape.dim(d);
  }
  return index;
}

}  // namespace

Tolerance DefaultTolerance(ElementType type) {
  if (type == ElementType::kF64) return {1e-12, 1e-13};
  if (type == ElementType::kF32) return {2e-5, 2e-6};
  if (type == ElementType::kF16) return {5e-3, 1e-3};
  if (type == ElementType::kBF16) return {4e-2, 1e-2};
  if (IsFloat(type)) return {0.25, 0.05};
  if (type == ElementType::kC64) return {2e-5, 2e-6};
  if (type == ElementType::kC128) return {1e-12, 1e-13};
  return {};
}

std::string Comparison::Describe() const {
  if (!shape_fault.empty()) return shape_fault;
  if (wrong == 0) return "";
  return absl::StrCat(wrong, " of ", total, " wrong, worst at (", absl::StrJoin(worst_index, ", "),
                      "): got ", worst_got, ", expected ", worst_expected);
}

Comparison Compare(const Literal& got, const Literal& expected, const Tolerance& tolerance) {
  Comparison out;
  if (!got.shape().CompatibleWith(expected.shape())) {
    out.shape_fault = absl::StrCat("shape ", got.shape().ToString(false), ", expected ",
                                   expected.shape().ToString(false));
    return out;
  }
  ElementType type = got.shape().element_type();
  const int whole = ByteWidth(type);
  out.total = got.shape().num_elements();
  type = PartType(type);
  const int width = ByteWidth(type);
  double worst = -1;
  for (int64_t i = 0; i < out.total; ++i) {
    Distance distance;
    for (int part = 0; part < whole; part += width) {
      const int64_t at = i * whole + part;
      const Distance d = ElementDistance(type, &got.bytes()[at], &expected.bytes()[at], tolerance);
      distance.right &= d.right;
      distance.error = std::max(distance.error, d.error);
    }
    if (std::isfinite(distance.error)) {
      out.max_abs_error = std::max(out.max_abs_error, distance.error);
    }
    if (distance.right) continue;
    ++out.wrong;
    if (distance.error <= worst) continue;
    worst = distance.error;
    out.worst_index = IndexOf(got.shape(), i);
    out.worst_got = FormatElement(got, i);
    out.worst_expected = FormatElement(expected, i);
  }
  return out;
}

}  // namespace astitch
