// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sums run in double, in element order.
#include "tensor_io/format.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/number.h"

namespace astitch {
namespace {

std::string FormatFloat(ElementType type, double value) {
  // Decimal digits that tell all values of a type apart: 1 + ceil(bits of the significand * log10
  // 2)
  const int significand = type == ElementType::kF64 ? 53 : FormatOf(type).mantissa_bits + 1;
  const int digits = 1 + static_cast<int>(std::ceil(significand * 0.30103));
  return absl::StrFormat("%.*g", digits, value);
}

}  // namespace

std::string FormatElement(const Literal& value, int64_t flat) {
  const ElementType type = value.shape().element_type();
  const std::byte* at = &value.bytes()[flat * ByteWidth(type)];
  if (IsComplex(type)) {
    const ElementType part = PartType(type);
    return absl::StrCat("(", FormatFloat(part, LoadAsDouble(part, at)), ", ",
                        FormatFloat(part, LoadAsDouble(part, at + ByteWidth(part))), ")");
  }
  if (IsFloat(type)) return FormatFloat(type, LoadAsDouble(type, at));
  const int64_t integer = LoadAsInteger(type, at);
  if (IsPred(type)) return integer ? "true" : "false";
  return IsUnsigned(type) ? absl::StrCat(static_cast<uint64_t>(integer)) : absl::StrCat(integer);
}

Statistics ComputeStatistics(const Literal& value) {
  Statistics out;
  out.count = value.shape().num_elements();
  const ElementType type = PartType(value.shape().element_type());
  const int width = ByteWidth(type);
  const absl::Span<const std::byte> bytes = value.bytes();
  double sum = 0;
  int64_t finite = 0;
  for (size_t at = 0; at < bytes.size(); at += width) {
    const double x = LoadAsDouble(type, &bytes[at]);
    if (std::isnan(x)) {
      ++out.nans;
    } else if (std::isinf(x)) {
      ++out.infinities;
    } else {
      out.min = finite == 0 ? x : std::min(out.min, x);
      out.max = finite == 0 ? x : std::max(out.max, x);
      sum += x;
      ++finite;
    }
  }
  if (finite > 0) out.mean = sum / static_cast<double>(finite);
  return out;
}

std::string Summarize(const Literal& value, int64_t max_elements) {
  const Statistics statistics = ComputeStatistics(value);
  std::string out = absl::StrCat(value.shape().ToString(false), " {");
  const int64_t shown = std::min(max_elements, statistics.count);
  for (int64_t i = 0; i < shown; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", FormatElement(value, i));
  }
  absl::StrAppend(&out, shown < statistics.count ? ", ...}" : "}");
  if (statistics.count > 1) {
    absl::StrAppend(&out, absl::StrFormat(" min %.6g max %.6g mean %.6g", statistics.min,
                                          statistics.max, statistics.mean));
  }
  if (statistics.nans > 0) absl::StrAppend(&out, " nan ", statistics.nans);
  if (statistics.infinities > 0) absl::StrAppend(&out, " inf ", statistics.infinities);
  return out;
}

}  // namespace astitch
