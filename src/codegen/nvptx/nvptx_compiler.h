// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels for NVIDIA GPUs: a kernel plan in, PTX text out.
//
// The text has one entry, named for the plan as far as PTX allows. Its parameters are pointers in
// the order that KernelPlan states, or one pointer to a table of them where they would not fit. It
// is correct for any grid; a cooperative plan needs all its blocks resident. Safe to call from
// several threads.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "plan/kernel_plan.h"

namespace astitch {

struct NvptxOptions {
  int sm = 80;  // 70 to 121
  bool fast_math = false;
  bool keep_ir = false;
  bool wide_indices = false;  // 64-bit index arithmetic even where 32 bits would do
};

struct PtxKernel {
  std::string text;
  std::string entry;               // name of the function
  int64_t shared_bytes = 0;        // dynamic shared memory of a launch
  int64_t num_parameters = 0;      // pointers
  int64_t barrier_bytes = 0;       // of barrier state, zeroed once in its life; 0: none is passed
  int64_t buffer_alignment = 16;   // bytes that every pointer is a multiple of
  int cluster = 1;                 // blocks of a cluster; the grid has to be a multiple of it
  bool has_pointer_table = false;  // they come as one table
  std::string ir;
};

// Errors name what cannot be emitted.
absl::StatusOr<PtxKernel> CompileToPtx(const KernelPlan& plan, const NvptxOptions& options);

// The lowest version of the PTX language that has SM and what a kernel of so many parameters needs,
// as 10 * major + minor.
struct PtxFeatures {
  bool wide_accesses = false;  // of 32 bytes, where SM has them
  bool bulk_copies = false;    // ditto
};
int PtxVersion(int sm, int64_t parameter_bytes, const PtxFeatures& features = {});

}  // namespace astitch
