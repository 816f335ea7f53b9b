// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-reduce: makes a graph that fails as small as it goes while it fails in the same way.
//
// A graph fails when compiled code does not give the interpreter's values (on the host, or on the
// simulated device with all its checks), when it cannot be compiled, or when it crashes or hangs; or
// when a command of the user's says so.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "astitch/compile.h"
#include "base/file.h"
#include "base/status.h"
#include "check/differential.h"
#include "check/shrink.h"
#include "ir/hlo_printer.h"
#include "simt/launch.h"
#include "stitch/machine.h"
#include "tools/common/graph_input.h"

namespace astitch {
namespace {

constexpr absl::string_view kSimulated = "simt:";

struct Options {
  std::string input, output = "-", elided, command;
  std::string target = "host", fusion = "stitch", order = "forward";
  int threads = 2;
  uint64_t seed = 0;
};

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("IN", o.input, "HLO text; - is standard input")->required();
  app.add_option("-o", o.output, "Where the small graph goes; - is standard output")
      ->type_name("FILE");
  app.add_option("--target", o.target, "host, or simt:GPU, a simulated GPU")->capture_default_str();
  app.add_option("--fusion", o.fusion,
                 "stitch; none: a kernel an operation; xla, tvm: fused by their rules")
      ->check(CLI::IsMember(ListFusions()));
  app.add_option("--threads", o.threads, "Of the host")->check(CLI::Range(1, 1024));
  app.add_option("--order", o.order, "How the device's blocks and warps take turns")
      ->check(CLI::IsMember(simt::OrderWords()));
  app.add_option("--seed", o.seed, "Of the order 'random'");
  app.add_option("--command", o.command,
                 "Instead: a graph fails when this shell command does, with {} for its file")
      ->type_name("CMD");
  AddElidedFlag(app, o.elided);
}

std::string KindOf(const std::string& fault) { return fault.substr(0, fault.find(':')); }

// "" or what is wrong with GRAPH.
class Judge {
 public:
  Judge(const Options& o, std::string target) : command_(o.command) {
    way_.target = std::move(target);
    way_.fusion = o.fusion;
    way_.threads = o.threads;
    way_.order = simt::OrderOf(o.order);
    way_.seed = o.seed;
    file_ = (std::filesystem::temp_directory_path() /
             absl::StrCat("astitch-reduce-", ::getpid(), ".hlo"))
                .string();
  }
  ~Judge() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

  std::string Fault(const Graph& graph) const {
    if (command_.empty()) return FindFault(graph, {&way_, 1});
    const absl::Status written = WriteFile(file_, ToHloText(graph, HloPrintOptions::Complete()));
    if (!written.ok()) return "";
    const std::string command = absl::StrReplaceAll(command_, {{"{}", file_}});
    return std::system(command.c_str()) == 0 ? "" : "command: it fails";
  }

 private:
  std::string command_, file_;
  Way way_;
};

// "host" or the name of a GPU.
absl::StatusOr<std::string> DeviceOf(const std::string& target) {
  if (target == "host") return target;
  const absl::string_view gpu = absl::StripPrefix(target, kSimulated);
  if (gpu.size() == target.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected host or ", kSimulated, "GPU, got ", target));
  }
  ASTITCH_ASSIGN_OR_RETURN(const MachineModel machine, FindMachine(gpu));
  if (machine.is_host())
    return absl::InvalidArgumentError(absl::StrCat("expected a GPU, got ", gpu));
  return std::string(gpu);
}

int Body(const Options& o) {
  const absl::StatusOr<std::string> target = DeviceOf(o.target);
  if (!target.ok()) return Fail(target.status(), kExitUserError);
  GraphInput input;
  if (absl::Status s = ReadGraph(o.input, o.elided, input); !s.ok()) {
    return Fail(s, kExitUserError, &input.source);
  }
  const Judge judge(o, *target);
  const std::string fault = judge.Fault(*input.graph);
  if (fault.empty()) {
    return Fail(absl::FailedPreconditionError("expected a graph that fails, but this one does not"),
                kExitUserError);
  }
  std::cerr << "fails: " << fault << "\n";
  const std::string kind = KindOf(fault);
  const std::unique_ptr<Graph> smaller =
      Shrink(*input.graph, [&](const Graph& graph) { return KindOf(judge.Fault(graph)) == kind; });
  std::cerr << "reduced from " << input.graph->entry()->size() << " to " << smaller->entry()->size()
            << " instructions: " << judge.Fault(*smaller) << "\n";
  return Emit(o.output, ToHloText(*smaller));
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Makes a graph that fails as small as it goes", "astitch-reduce");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
