// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Text for people, one JSON object for programs; both carry the same facts.
#include "tools/run_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tensor_io/format.h"
#include "tools/simulated_report.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kShownElements = 8;

Json OutputJson(const Literal& value, const std::optional<Comparison>& comparison) {
  const Statistics s = ComputeStatistics(value);
  Json out = {{"shape", value.shape().ToString(false)},
              {"count", s.count},
              {"min", s.min},
              {"max", s.max},
              {"mean", s.mean},
              {"nan", s.nans},
              {"inf", s.infinities}};
  Json& first = out["first"] = Json::array();
  for (int64_t i = 0; i < std::min(kShownElements, s.count); ++i) {
    first.push_back(FormatElement(value, i));
  }
  if (comparison) {
    out["right"] = comparison->ok();
    out["wrong_elements"] = comparison->wrong;
    out["max_abs_error"] = comparison->max_abs_error;
    if (!comparison->ok()) out["fault"] = comparison->Describe();
  }
  return out;
}

}  // namespace

bool RunReport::AllRight() const {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const auto& comparison) { return !comparison || comparison->ok(); });
}

std::string RunReport::ToText() const {
  std::string out;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (with_values) {
      absl::StrAppend(&out, "out", i, " ", Summarize(outputs[i], kShownElements), "\n");
    }
    if (!comparisons[i]) continue;
    absl::StrAppend(&out, "out", i, " ",
                    comparisons[i]->ok() ? absl::StrFormat("as expected, largest difference %.3g",
                                                           comparisons[i]->max_abs_error)
                                         : "differs: " + comparisons[i]->Describe(),
                    "\n");
  }
  absl::StrAppend(&out, SimulatedText(simulated));
  if (with_times) {
    const Spread s = SpreadOf(run_ms);
    absl::StrAppendFormat(&out, "time ms: min %.4g median %.4g max %.4g of %d\n", s.min, s.median,
                          s.max, run_ms.size());
  }
  return out;
}

std::string RunReport::ToJson() const {
  const Spread s = SpreadOf(run_ms);
  Json out = {{"version", 1}, {"graph", graph}, {"target", target}};
  Json& list = out["outputs"] = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    list.push_back(OutputJson(outputs[i], comparisons[i]));
  }
  out["run_ms"] = {
      {"min", s.min}, {"median", s.median}, {"max", s.max}, {"repeats", run_ms.size()}};
  if (!simulated.empty()) out["steps"] = SimulatedJson(simulated);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace astitch
