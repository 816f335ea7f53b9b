// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The loop around all passes. A version number counts the changes; in a group it tells which
// passes have already seen the graph as it stands, so the last round costs only the passes that
// could still find something. Verification follows a change, not a pass: an unchanged graph is
// still verified.
#include "passes/pass_runner.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "ir/hlo_printer.h"
#include "ir/verifier.h"

namespace astitch {
namespace {

// Three rounds are usual; a graph that needs more than this is left correct, if not minimal.
constexpr int kMaxRounds = 10;

class Runner {
 public:
  Runner(Graph& graph, const PassRunnerOptions& options) : graph_(graph), options_(options) {}

  absl::Status Verify(absl::string_view when) {
    if (!options_.verify) return absl::OkStatus();
    const absl::Status status = VerifyGraph(graph_);
    return status.ok() ? status : Annotate(status, when);
  }

  absl::Status RunPass(const std::string& name) {
    ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Pass> pass, MakePass(name));
    absl::StatusOr<bool> changed = pass->Run(graph_);
    if (!changed.ok()) return Annotate(changed.status(), absl::StrCat("in pass ", name));
    if (*changed) {
      ++version_;
      ASTITCH_RETURN_IF_ERROR(Verify(absl::StrCat("while verifying the output of pass ", name)));
      ASTITCH_RETURN_IF_ERROR(Dump(name));
    }
    if (options_.after_pass) options_.after_pass(name, graph_, *changed);
    return absl::OkStatus();
  }

  // A pass that found nothing to do is not asked again before another one has changed the graph.
  absl::Status RunGroup(const PassGroup& group) {
    std::vector<int64_t> clean_at(group.passes.size(), -1);
    for (int round = 0; round < group.max_rounds; ++round) {
      const int64_t before = version_;
      for (size_t i = 0; i < group.passes.size(); ++i) {
        if (clean_at[i] == version_) continue;
        const int64_t version = version_;
        ASTITCH_RETURN_IF_ERROR(RunPass(group.passes[i]));
        if (version_ == version) clean_at[i] = version;
      }
      if (version_ == before) break;
    }
    return absl::OkStatus();
  }

  bool changed() const { return version_ > 0; }

 private:
  absl::Status Dump(absl::string_view pass) {
    if (options_.dumper == nullptr) return absl::OkStatus();
    const std::string name = absl::StrCat(pass, ".hlo");
    if (!options_.dumper->Wants(name)) {
      options_.dumper->Skip();
      return absl::OkStatus();
    }
    return options_.dumper->Write(name, ToHloText(graph_, HloPrintOptions::Complete()));
  }

  Graph& graph_;
  const PassRunnerOptions& options_;
  int64_t version_ = 0;  // counts the passes that changed the graph
};

}  // namespace

const std::vector<PassGroup>& PassGroups() {
  static const auto* const kGroups = new std::vector<PassGroup>{
      {"simplify",
       "run the local simplifications, cse and dce until nothing changes",
       {"simplify-tuples", "cse", "fold-reshape", "fold-transpose", "fold-broadcast", "fold-slice",
        "join-updates", "hoist-broadcast", "algebraic-simplify", "simplify-reduce",
        "fold-constants", "canonicalize-constants", "dce"},
       kMaxRounds}};
  return *kGroups;
}

absl::StatusOr<bool> RunPasses(Graph& graph, absl::Span<const std::string> names,
                               const PassRunnerOptions& options) {
  Runner runner(graph, options);
  if (!names.empty()) {
    ASTITCH_RETURN_IF_ERROR(
        runner.Verify(absl::StrCat("while verifying the input of pass ", names[0])));
  }
  for (const std::string& name : names) {
    const auto& groups = PassGroups();
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const PassGroup& g) { return g.name == name; });
    ASTITCH_RETURN_IF_ERROR(group == groups.end() ? runner.RunPass(name) : runner.RunGroup(*group));
  }
  return runner.changed();
}

std::vector<std::string> StandardPipeline() {
  return {"normalize-layouts",
          "inline-calls",
          "remove-identities",
          "dce",
          "decompose",
          "topk-to-reduce",
          "select-branches",
          "simplify-tuples",
          "unroll-loops",
          "split-complex",
          "sort-to-reduce",
          "order-ties",
          "scatter-to-select",
          "canonicalize-constants",
          "scatter-to-reduce",
          "simplify",
          "sink-gather",
          "simplify",
          "nest-reductions",
          "scatter-to-gather",
          "simplify"};
}

}  // namespace astitch
