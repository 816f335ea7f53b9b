// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whole programs on the simulated GPU: what is emitted for a GPU gives the expected values, and the
// simulator has nothing to report of it. Each run is done twice on the same barrier state.
#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "artifact/executable_image.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/guarded_run.h"
#include "gtest/gtest.h"
#include "interp/interpreter.h"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/layout.h"
#include "tensor_io/load.h"
#include "tests/e2e/example.h"

namespace astitch::testing {
namespace {

struct Simulation {
  CompileOptions compile = {.target = "sm_80"};
  SimulatorOptions simulator;
};

absl::StatusOr<SimulatedExecutable> Load(const Graph& graph, const Simulation& how) {
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Compiled> compiled, Compile(graph, how.compile));
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled->GpuImage());
  return LoadOnSimulator(std::move(image), how.simulator);
}

absl::StatusOr<std::vector<Literal>> Simulate(const Graph& graph, absl::Span<const Literal> inputs,
                                              const Simulation& how) {
  ASTITCH_ASSIGN_OR_RETURN(const SimulatedExecutable loaded, Load(graph, how));
  return RunGuarded(graph, *loaded.executable, inputs, Place::kAtEnd);
}

std::string TestName(std::string name) {
  for (char& c : name) c = std::isalnum(c) ? c : '_';
  return name;
}

// ---- cases and corpus: the values are in their folders

class SimulatedExampleTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SimulatedExampleTest, IsRightAndWithoutReports) {
  const std::string folder = GetParam().substr(0, GetParam().find('/'));
  const std::string name = GetParam().substr(folder.size() + 1);
  const absl::StatusOr<Example> example = folder == "cases" ? LoadCase(name) : LoadEntry(name);
  ASSERT_TRUE(example.ok()) << example.status();
  for (const char* target : {"sm_80", "sm_75", "sm_90", "sm_100"}) {
    Simulation how;
    how.compile.target = target;
    const auto got = Simulate(*example->graph, example->inputs, how);
    const bool refused = absl::IsInvalidArgument(got.status());
    if (refused && (example->may_be_refused || !example->all_targets)) return;
    ASSERT_TRUE(got.ok()) << target << ": " << RenderError(got.status(), "graph.hlo");
    EXPECT_EQ(Judge(*got, example->outputs), "") << target;
  }
}

std::vector<std::string> AllExamples() {
  std::vector<std::string> out;
  for (const char* folder : {"cases", "corpus"}) {
    for (const std::string& name : ExampleNames(folder)) {
      // 2^31 elements; at a smaller size it is tests/data/simulated/large-index-reduced.hlo.
      if (!absl::StartsWith(name, "008")) out.push_back(absl::StrCat(folder, "/", name));
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Data, SimulatedExampleTest, ::testing::ValuesIn(AllExamples()),
                         [](const auto& info) { return TestName(info.param); });

// ---- graphs that once went wrong: the interpreter knows the values

class SimulatedGraphTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto graph = LoadGraph(absl::StrCat(ASTITCH_TEST_DATA "/simulated/", GetParam()));
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
    auto inputs = LoadInputs({"random:3"}, EntryInputShapes(*graph_), nullptr);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    inputs_ = *std::move(inputs);
    const auto value = Evaluate(*graph_, AssembleParameters(*graph_, inputs_));
    ASSERT_TRUE(value.ok()) << value.status();
    expected_ = ArrayLeaves(*value);
  }

  void ExpectRight(const Simulation& how) {
    const auto got = Simulate(*graph_, inputs_, how);
    ASSERT_TRUE(got.ok()) << RenderError(got.status(), GetParam());
    ASSERT_EQ(got->size(), expected_.size());
    for (size_t i = 0; i < got->size(); ++i) {
      const Tolerance tolerance = DefaultTolerance(expected_[i].shape().element_type());
      const Comparison comparison = Compare((*got)[i], expected_[i], tolerance);
      EXPECT_TRUE(comparison.ok()) << "output " << i << ": " << comparison.Describe();
    }
  }

  std::unique_ptr<Graph> graph_;
  std::vector<Literal> inputs_, expected_;
};

TEST_P(SimulatedGraphTest, IsRightInEveryOrder) {
  for (const std::string& word : simt::OrderWords()) {
    SCOPED_TRACE(word);
    Simulation how;
    how.simulator.order = simt::OrderOf(word);
    how.simulator.seed = 5;
    ExpectRight(how);
  }
}

TEST_P(SimulatedGraphTest, IsRightWithWideIndices) {
  Simulation how;
  how.compile.wide_indices = true;
  ExpectRight(how);
}

std::vector<std::string> AllGraphs() { return ExampleNames("simulated"); }

INSTANTIATE_TEST_SUITE_P(Data, SimulatedGraphTest, ::testing::ValuesIn(AllGraphs()),
                         [](const auto& info) { return TestName(info.param); });

// ---- the device's own behaviour

constexpr char kWithBarrier[] = "split-row-value-is-an-output.hlo";

absl::StatusOr<ExecutableImage> ImageOf(const std::string& name) {
  ASTITCH_ASSIGN_OR_RETURN(const auto graph,
                           LoadGraph(absl::StrCat(ASTITCH_TEST_DATA "/simulated/", name)));
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Compiled> compiled,
                           Compile(*graph, {.target = "sm_80"}));
  return compiled->GpuImage();
}

absl::Status RunOnce(ExecutableImage image, const SimulatorOptions& options) {
  ASTITCH_ASSIGN_OR_RETURN(const SimulatedExecutable loaded,
                           LoadOnSimulator(std::move(image), options));
  std::vector<std::vector<float>> memory;
  std::vector<ConstBuffer> inputs;
  std::vector<Buffer> outputs;
  memory.reserve(8);
  for (const TensorSpec& spec : loaded.executable->inputs()) {
    memory.emplace_back(spec.bytes / 4, 1.0f);
    inputs.push_back({memory.back().data(), spec.bytes});
  }
  for (const TensorSpec& spec : loaded.executable->outputs()) {
    memory.emplace_back(spec.bytes / 4);
    outputs.push_back({memory.back().data(), spec.bytes});
  }
  return loaded.executable->Run(inputs, outputs);
}

TEST(SimulatedDeviceTest,
     CooperativeGridsRunOnJustEnoughResidentBlocksAndOneBlockTooManyIsRefused) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  const auto& kernel = std::get<PtxKernelStep>(image->steps[0]);
  ASSERT_TRUE(kernel.cooperative);
  ASSERT_LE(kernel.grid, kernel.resident_blocks);
  SimulatorOptions options;
  options.resident_blocks = kernel.grid;
  EXPECT_TRUE(RunOnce(*image, options).ok());
  options.resident_blocks = kernel.grid - 1;
  const absl::Status refused = RunOnce(*image, options);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
}

TEST(SimulatedDeviceTest, KernelsAreRightOnAnyGridUpToTheLargestThatIsResident) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  auto& kernel = std::get<PtxKernelStep>(image->steps[0]);
  for (const int64_t grid : {int64_t{1}, int64_t{3}, kernel.resident_blocks}) {
    kernel.grid = grid;
    EXPECT_TRUE(RunOnce(*image, {}).ok()) << grid << " blocks: " << RunOnce(*image, {});
  }
  kernel.grid = kernel.resident_blocks + 1;
  EXPECT_TRUE(absl::IsFailedPrecondition(RunOnce(*image, {})));
}

TEST(SimulatedDeviceTest, ReportsNameKernelLineStageAndInstruction) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  std::string& ptx = image->ptx[0];
  // The barrier of the first exchange between warps is gone.
  const size_t barrier = ptx.find("bar.sync", ptx.find("st.shared"));
  ASSERT_NE(barrier, std::string::npos);
  ptx.replace(barrier, 8, "// r.syn");
  const absl::Status status = RunOnce(*image, {});
  ASSERT_TRUE(absl::IsDataLoss(status)) << status;
  for (const char* word : {"k0.q", "PTX line", "data race", "stage 0.0 %sum"})
    EXPECT_TRUE(absl::StrContains(status.message(), word)) << word << " in " << status.message();
}

TEST(SimulatedDeviceTest, WhatAKernelLeavesUnwrittenIsReportedAtItsReader) {
  absl::StatusOr<ExecutableImage> image = ImageOf("two-reductions-over-rows.hlo");
  ASSERT_TRUE(image.ok()) << image.status();
  image->steps.pop_back();
  image->steps.emplace_back(CopyStep{
      "copy", {BufferRef::Space::kOutput, 0, 0, 160}, {BufferRef::Space::kOutput, 1, 0, 160}});
  const absl::Status status = RunOnce(*image, {});
  ASSERT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "copy: 160 of 160 bytes of output 0"))
      << status.message();
}

TEST(SimulatedDeviceTest, PartsOfColumnsMeetWithoutBankConflicts) {
  const auto graph = LoadGraph(ASTITCH_TEST_DATA "/simulated/two-reductions-over-rows.hlo");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto inputs = LoadInputs({"random:1"}, EntryInputShapes(**graph), nullptr);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  for (const char* target : {"sm_80", "sm_100"}) {
    Simulation how;
    how.compile.target = target;
    const auto loaded = Load(**graph, how);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const auto got = RunGuarded(**graph, *loaded->executable, *inputs, Place::kAtEnd);
    ASSERT_TRUE(got.ok()) << got.status();
    const simt::StageCounts total = loaded->log->front().Total();
    EXPECT_GT(total.shared_accesses, 0) << target;
    EXPECT_EQ(total.bank_conflicts, 0) << target;
  }
}

TEST(SimulatedDeviceTest, SharedMemoryBeyondTheMachinesIsRefused) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  std::get<PtxKernelStep>(image->steps[0]).shared_bytes = image->gpu.shared_bytes_per_block + 16;
  EXPECT_TRUE(absl::IsFailedPrecondition(RunOnce(*std::move(image), {})));
}

TEST(SimulatedDeviceTest, TooMuchWorkIsRefused) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_TRUE(absl::IsResourceExhausted(RunOnce(*std::move(image), {.max_points = 1000})));
}

TEST(SimulatedDeviceTest, HostAndGpuDoNotRunEachOthersKernels) {
  absl::StatusOr<ExecutableImage> image = ImageOf(kWithBarrier);
  ASSERT_TRUE(image.ok()) << image.status();
  image->steps = {HostKernelStep{.name = "k", .symbol = "k", .buffers = {}}};
  image->objects.resize(1);
  EXPECT_TRUE(absl::IsInvalidArgument(RunOnce(*std::move(image), {})));
}

TEST(SimulatedDeviceTest, TheLogHasCountsOfKernelsAndNamesOfLibrarySteps) {
  const auto example = LoadEntry("bert_layer");
  ASSERT_TRUE(example.ok()) << example.status();
  const auto loaded = Load(*example->graph, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto got =
      RunGuarded(*example->graph, *loaded->executable, example->inputs, Place::kAtStart);
  ASSERT_TRUE(got.ok()) << got.status();
  int kernels = 0, library = 0;
  for (const SimulatedStep& step : *loaded->log) {
    (step.is_kernel ? kernels : library) += 1;
    EXPECT_FALSE(step.name.empty());
    EXPECT_EQ(step.is_kernel, !step.stages.empty());
  }
  EXPECT_GT(kernels, 0);
  EXPECT_GT(library, 0);
}

}  // namespace
}  // namespace astitch::testing
