// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Binary units, one digit behind the point where the number is small.
#include "report/quantity_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace astitch {

std::string BytesText(int64_t bytes) {
  constexpr double kStep = 1024;
  constexpr absl::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  double amount = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  while (amount >= kStep && unit + 1 < std::size(kUnits)) {
    amount /= kStep;
    ++unit;
  }
  const std::string number = absl::StrFormat(amount < 100 ? "%.1f" : "%.0f", amount);
  return absl::StrCat(absl::StripSuffix(number, ".0"), " ", kUnits[unit]);
}

std::string TimeText(int64_t ns) {
  constexpr absl::string_view kUnits[] = {"us", "ms", "s"};
  if (ns < 1000) return absl::StrCat(ns, " ns");
  double amount = static_cast<double>(ns) / 1000;
  size_t unit = 0;
  while (amount >= 1000 && unit + 1 < std::size(kUnits)) {
    amount /= 1000;
    ++unit;
  }
  return absl::StrFormat(amount < 100 ? "%.1f %s" : "%.0f %s", amount, kUnits[unit]);
}

std::string ExtentsText(const std::vector<int64_t>& extents) {
  return extents.empty() ? "1" : absl::StrJoin(extents, "\u00d7");
}

std::string OverBound(const Traffic& traffic) {
  if (traffic.bound <= 0) return "1";
  return absl::StrFormat("%.2f",
                         static_cast<double>(traffic.total()) / static_cast<double>(traffic.bound));
}

}  // namespace astitch
