// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The comparison, in a child process.
#include "check/differential.h"

#include "absl/strings/str_cat.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/child.h"
#include "check/error_bounds.h"
#include "check/guarded_run.h"
#include "interp/interpreter.h"
#include "ir/hlo_printer.h"
#include "ir/number.h"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/compare.h"
#include "tensor_io/layout.h"

namespace astitch {
namespace {

constexpr int kLimitSeconds = 60;

Literal InputOf(const Shape& shape, uint64_t number) {
  Literal out(Shape::Array(shape.element_type(), shape.dims()));
  const ElementType type = PartType(shape.element_type());
  const int width = ByteWidth(type);
  const absl::Span<std::byte> bytes = out.mutable_bytes();
  uint64_t state = number * 0x9E3779B97F4A7C15u + 12345;
  for (size_t at = 0; at < bytes.size(); at += width) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto draw = static_cast<int64_t>(state >> 33);
    const double value = IsPred(type)       ? static_cast<double>(draw % 2)
                         : IsFloat(type)    ? static_cast<double>(draw % 17 - 8) / 4
                         : IsUnsigned(type) ? static_cast<double>(draw % 7)
                                            : static_cast<double>(draw % 13 - 6);
    StoreFromDouble(type, &bytes[at], value);
  }
  return out;
}

}  // namespace

std::string CompareResults(const Graph& graph, absl::Span<const Literal> got,
                           absl::Span<const Literal> expected) {
  const std::vector<ErrorBound> bounds = ResultBounds(graph);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (bounds[i].unknown) continue;
    const Tolerance tolerance{0, bounds[i].exact ? 0 : 2 * bounds[i].error};
    const Comparison comparison = Compare(got[i], expected[i], tolerance);
    if (!comparison.ok()) {
      return absl::StrCat("output ", i, " ", expected[i].shape().ToString(false), ": ",
                          comparison.Describe(), " (allowed ", tolerance.atol, ")");
    }
  }
  return "";
}

namespace {

// Runs COMPILED on its device.
absl::StatusOr<std::vector<Literal>> RunOnDevice(const Graph& graph, const Compiled& compiled,
                                                 const std::vector<Literal>& inputs,
                                                 const Way& way) {
  if (way.target == "host") return RunGuarded(graph, *compiled.executable(), inputs, way.place);
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled.GpuImage());
  SimulatorOptions options;
  options.order = way.order;
  options.seed = way.seed;
  options.traffic = false;
  ASTITCH_ASSIGN_OR_RETURN(const SimulatedExecutable simulated,
                           LoadOnSimulator(std::move(image), options));
  return RunGuarded(graph, *simulated.executable, inputs, way.place);
}

std::string Check(const Graph& graph, absl::Span<const Way> ways) {
  const std::vector<Literal> inputs = InputsOf(graph);
  const absl::StatusOr<Literal> value = Evaluate(graph, AssembleParameters(graph, inputs));
  if (!value.ok()) return absl::StrCat("interpreter: ", value.status().ToString());
  const std::vector<Literal> expected = ArrayLeaves(*value);
  for (const Way& way : ways) {
    CompileOptions options;
    options.target = way.target;
    options.fusion = way.fusion;
    options.threads = way.threads;
    const std::string where = absl::StrCat(" with ", ToString(way), ": ");
    const auto compiled = Compile(graph, options);
    if (!compiled.ok()) {
      return absl::StrCat("compile:", where, RenderError(compiled.status(), "graph"));
    }
    const auto got = RunOnDevice(graph, **compiled, inputs, way);
    if (!got.ok()) return absl::StrCat("run:", where, got.status().ToString());
    const std::string wrong = CompareResults(graph, *got, expected);
    if (!wrong.empty()) return absl::StrCat("value:", where, wrong);
  }
  return "";
}

}  // namespace

std::string ToString(const Way& way) {
  if (way.target == "host")
    return absl::StrCat("fusion ", way.fusion, ", ", way.threads, " threads");
  return absl::StrCat("target ", way.target, ", fusion ", way.fusion, ", order ",
                      simt::OrderWords()[static_cast<int>(way.order)], ", seed ", way.seed);
}

std::vector<Way> HostWays(uint32_t seed) {
  constexpr const char* kBaselines[] = {"none", "xla", "tvm"};
  return {{.threads = 2},
          {.threads = 1, .place = Place::kAtStart},
          {.fusion = kBaselines[seed % 3], .threads = 2}};
}

std::vector<Way> SimulatorWays(uint32_t seed) {
  std::vector<Way> ways;
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const auto order = static_cast<simt::Order>(seed++ % simt::OrderWords().size());
    ways.push_back({.target = target, .order = order, .seed = seed});
  }
  return ways;
}

std::vector<Literal> InputsOf(const Graph& graph) {
  std::vector<Literal> out;
  for (const Shape& shape : EntryInputShapes(graph)) out.push_back(InputOf(shape, out.size() + 1));
  return out;
}

std::string FindFault(const Graph& graph, absl::Span<const Way> ways) {
  return RunInChild([&] { return Check(graph, ways); }, kLimitSeconds);
}

}  // namespace astitch
