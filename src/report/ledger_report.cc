// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks the plan's steps and ledger once for each form.
#include "report/ledger_report.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json TrafficJson(const Traffic& traffic) {
  return {{"read", traffic.read}, {"written", traffic.written}, {"bound", traffic.bound}};
}

Json StepJson(const PlanStep& step) {
  if (const auto* kernel = std::get_if<KernelPlan>(&step)) {
    Json out = {{"kind", "kernel"},
                {"name", kernel->name},
                {"phases", kernel->phases.size()},
                {"grid", kernel->launch.grid},
                {"block", kernel->launch.block},
                {"shared_bytes", kernel->launch.shared_bytes},
                {"scratch_bytes", kernel->launch.scratch_bytes},
                {"traffic", TrafficJson(kernel->traffic)}};
    for (const Instruction* value : kernel->inputs) out["inputs"].push_back(value->name());
    for (const Instruction* value : kernel->outputs) out["outputs"].push_back(value->name());
    return out;
  }
  if (const auto* dot = std::get_if<DotCall>(&step)) {
    return {{"kind", "dot"},       {"name", dot->dot->name()},
            {"batch", dot->batch}, {"m", dot->m},
            {"n", dot->n},         {"k", dot->k}};
  }
  if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
    return {{"kind", "convolution"}, {"name", call->convolution->name()}};
  }
  const CopyCall& copy = std::get<CopyCall>(step);
  return {{"kind", "copy"}, {"name", copy.from->name()}, {"output", copy.output}};
}

}  // namespace

std::string LedgerText(const Plan& plan) {
  std::string out = absl::StrFormat("%-32s %-32s %-10s %-26s %12s\n", "producer", "consumer",
                                    "home", "reason", "bytes");
  for (const LedgerEntry& entry : plan.ledger) {
    absl::StrAppend(
        &out,
        absl::StrFormat("%-32s %-32s %-10s %-26s %12d", absl::StrCat("%", entry.producer->name()),
                        entry.consumer != nullptr ? absl::StrCat("%", entry.consumer->name()) : "-",
                        entry.home, entry.reason, entry.bytes));
    if (!entry.detail.empty()) absl::StrAppend(&out, "  ", entry.detail);
    out += "\n";
  }
  return out;
}

std::string LedgerJson(const Plan& plan) {
  const Traffic total = plan.total_traffic();
  Json root = {{"schema", kSchema},
               {"target", plan.target},
               {"fusion", plan.fusion},
               {"summary",
                {{"kernels", plan.num_kernels()},
                 {"library_calls", plan.num_library_calls()},
                 {"arena_bytes", plan.arena_bytes},
                 {"traffic", TrafficJson(total)}}},
               {"steps", Json::array()},
               {"edges", Json::array()}};
  for (const PlanStep& step : plan.steps) root["steps"].push_back(StepJson(step));
  for (const LedgerEntry& entry : plan.ledger) {
    Json edge = {{"producer", entry.producer->name()},
                 {"consumer", nullptr},
                 {"home", entry.home},
                 {"reason", entry.reason},
                 {"bytes", entry.bytes}};
    if (entry.consumer != nullptr) edge["consumer"] = entry.consumer->name();
    if (!entry.detail.empty()) edge["detail"] = entry.detail;
    root["edges"].push_back(std::move(edge));
  }
  return root.dump(1) + "\n";
}

}  // namespace astitch
