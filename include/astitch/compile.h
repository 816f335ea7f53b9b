// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compiles a tensor program: every region of memory-bound operations becomes one kernel, every
// matrix product a library call.
//
//   absl::StatusOr<GraphPtr> graph = ParseGraph(text);
//   absl::StatusOr<std::unique_ptr<Compiled>> compiled = Compile(**graph, {.target = "host"});
//   absl::Status status = (*compiled)->executable()->Run(inputs, outputs);
//
// Thread-safe: any number of compilations may run at once. The same graph, target and options give
// the same plan and bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/executable.h"
#include "astitch/graph.h"

namespace astitch {

struct ExecutableImage;  // artifact/executable_image.h

struct CompileOptions {
  // "host", a GPU by name or architecture ("a100", "sm_80"), or "@file.json", a machine file of the
  // user's.
  std::string target = "host";
  // "stitch"; for comparison "none", a kernel for each operation, and the fusion rules of other
  // compilers, "xla" (of 2021) and "tvm".
  std::string fusion = "stitch";
  // Host: worker threads that the plan is made for and that run it; 0: the CPUs this process may
  // use.
  int threads = 0;
  // Keep the intermediate texts of code generation (llvm, asm).
  bool keep_texts = false;
  // GPU: 64-bit index arithmetic even where 32 bits would do, which is slower. An error on the host.
  bool wide_indices = false;
  // GPU: the vendor's assembler, a path or a name to look for ("ptxas"). Kernels for which it finds
  // too few registers are planned again; "" takes the planner's word. An error on the host.
  std::string assembler = "";
  // Stop after planning: no code, no executable.
  bool plan_only = false;
};

// The words of CompileOptions::fusion.
std::vector<std::string> ListFusions();

// Milliseconds of each stage.
struct TimeReport {
  double passes_ms = 0, plan_ms = 0, codegen_ms = 0, load_ms = 0;
};

struct PlanSummary {
  // reference_calls: what neither a kernel nor a library does, but the interpreter, on the host.
  int64_t kernels = 0, library_calls = 0, reference_calls = 0, copies = 0;
  // Planned DRAM bytes of the kernels, and the least: each input and output of a kernel once.
  int64_t bytes_read = 0, bytes_written = 0, bytes_bound = 0;
  // The least that dependences between the library calls allow: one kernel between two ranks of them,
  // and the bytes that enter and leave those.
  int64_t least_kernels = 0, least_bytes = 0;
  // What the cost model predicts, not a measurement: microseconds of all kernels, and of all other
  // steps.
  double predicted_kernels_us = 0, predicted_others_us = 0;
};

// One kernel's text in some language.
struct KernelText {
  std::string name, text;
};

class Compiled {
 public:
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  // Null for targets that this process cannot run, and with plan_only.
  const Executable* executable() const;
  // For a GPU target: the program as data, for the loader of a device. Error: a constant whose
  // values were left out of the text.
  absl::StatusOr<ExecutableImage> GpuImage() const;
  std::string CanonicalHlo() const;  // the graph after the passes
  std::string PlanText() const;      // Compile reads it back: CompilePlan
  std::string LedgerText() const;    // every edge: its home and why
  std::string LedgerJson() const;    // the whole plan for programs; "schema" numbers its version
  std::string ReportHtml() const;    // the plan drawn, on a page of its own
  PlanSummary Summary() const;
  TimeReport times() const;
  // Empty unless the target has it: PTX for GPUs; LLVM IR and assembly with keep_texts.
  const std::vector<KernelText>& Ptx() const;
  const std::vector<KernelText>& Llvm() const;
  const std::vector<KernelText>& Assembly() const;

  class Impl;
  explicit Compiled(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

// Errors: InvalidArgument for a graph or option that cannot be, with the position and name of the
// instruction.
absl::StatusOr<std::unique_ptr<Compiled>> Compile(const Graph& graph,
                                                  const CompileOptions& options = {});

// Compiles a plan from its text (--emit=plan), perhaps edited: the planner is left out.
// OPTIONS.target and fusion are the plan's own.
absl::StatusOr<std::unique_ptr<Compiled>> CompilePlan(absl::string_view plan_text,
                                                      const CompileOptions& options = {});

}  // namespace astitch
