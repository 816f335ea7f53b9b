// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels for the host: plans in, one ELF object out, with one symbol a kernel and none undefined.
//
// Safe to call from several threads: each call has an LLVM context of its own. The object depends
// on the plans and the options alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "plan/kernel_plan.h"

namespace astitch {

struct HostCompileOptions {
  std::string cpu;       // LLVM's name ("znver3"); empty: this machine, with its features
  std::string features;  // "+avx2,-avx512f", beyond the cpu's
  bool fast_math = false;
  bool keep_ir = false, keep_assembly = false;  // fill the texts of the result
};

struct CompiledHostKernel {
  std::string symbol;
  int64_t tile_bytes = 0;  // private memory of a worker, at least the plan's shared_bytes
};

struct HostObject {
  std::string bytes;                        // ELF, relocatable
  std::vector<CompiledHostKernel> kernels;  // in the order of the plans
  std::string ir, assembly;
};

// REQUIRES: names of the plans are distinct. Errors name what cannot be emitted.
absl::StatusOr<HostObject> CompileHostKernels(absl::Span<const KernelPlan* const> plans,
                                              const HostCompileOptions& options = {});

// "znver3" and "+avx2,+fma,...": what an empty cpu stands for.
std::string HostCpuName();
std::string HostCpuFeatures();

}  // namespace astitch
