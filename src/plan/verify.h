// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// VerifyPlan: whether a plan computes its graph, from the plan and the graph alone.
//
// Nothing of the planner is asked: what a planner got wrong, it would get wrong here again. One
// file a check:
//
//   verify_structure.cc   extents, tasks, tiles; every map is one to one between axes and elements
//   verify_walk.cc        what a root evaluates ends in inputs and in values whose home was written
//                         before, behind the barrier which that home needs, at the rows it has
//   verify_reductions.cc  parts are as many as tasks and are folded behind a barrier
//   verify_stores.cc      every output and every other home is written once
//   verify_memory.cc      slots and scratch hold what lives there; what lives at once is apart
//   verify_launch.cc      the machine takes the launch; the resident wave holds
//   verify_program.cc     steps read what earlier ones wrote; results are produced; arena slots
//   verify_ledger.cc      no edge without a line
//
// The first fault is an InvalidArgument error which says kernel, phase, stage and value, what was
// expected and what came.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "plan/plan.h"

namespace astitch {

// What a machine gives a kernel.
struct PlanLimits {
  bool is_host = false;
  int64_t workers = 1;  // host
  int64_t num_sms = 1;
  int64_t threads_per_block = 1024, threads_per_sm = 2048, blocks_per_sm = 32;
  int64_t registers_per_sm = 65536, registers_per_thread = 255;
  int64_t shared_bytes_per_block = 0, shared_bytes_per_sm = 0;
  int64_t reserved_shared_bytes = 0;  // of each block
  int64_t cluster = 1;                // blocks of one
};

struct VerifyOptions {
  std::optional<PlanLimits> limits;  // without: nothing is said about the machine
  // Plans written by hand may leave out the places of values in registers, and the ledger.
  bool complete = true;
};

absl::Status VerifyPlan(const Plan& plan, const VerifyOptions& options = {});
absl::Status VerifyKernel(const KernelPlan& kernel, const VerifyOptions& options = {});

}  // namespace astitch
