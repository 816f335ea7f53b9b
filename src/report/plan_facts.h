// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// PlanFacts: what reports ask of a plan: who makes a value, which step a line of the ledger is of,
// what has to run between two steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "plan/kernel_flow.h"
#include "plan/plan.h"
#include "plan/storage.h"

namespace astitch {

class PlanFacts {
 public:
  static constexpr int kNone = -1;

  // PLAN outlives this.
  explicit PlanFacts(const Plan& plan);

  const Plan& plan() const { return plan_; }
  // Null unless step STEP is a kernel.
  const KernelPlan* KernelOf(int step) const;
  // REQUIRES: KernelOf(step) is not null.
  const KernelFlow& FlowOf(int step) const { return flows_[step]; }
  const KernelFlow::Value* InKernel(int step, const Instruction* value) const;
  // The step whose reading a ledger's line tells, or that makes what it speaks of; kNone: none, such
  // as a reshape between two steps.
  int StepOfLine(size_t line) const { return step_of_line_[line]; }
  // The step that leaves VALUE in memory, perhaps under another name.
  int WriterOf(const Instruction* value) const;
  // "k0.add.11", "the product %dot.3".
  std::string StepName(int step) const;
  // Or a reference call: a step that is no kernel and stands between kernels.
  bool IsLibraryCall(int step) const;

  struct Between {
    bool known = false;  // false: the plan has too many steps to look
    int step = kNone;    // runs behind the one and before the other, a library call if one does
  };
  Between WhatLiesBetween(int from, int to);

 private:
  void FindComputed();
  void FindCallsWork(const DotCall& call, int step);
  void FindReferenceWork(const Instruction& instruction, int step);
  void FindLines();
  int NextStep(const Instruction* value, int at_least) const;

  const Plan& plan_;
  std::vector<KernelFlow> flows_;
  // By step: where FlowOf(step).values has a value.
  std::vector<absl::flat_hash_map<const Instruction*, size_t>> numbers_;
  absl::flat_hash_map<const Instruction*, std::vector<int>> computed_in_;
  const Storage storage_;
  std::vector<int> step_of_line_;
  std::vector<std::vector<int>> before_;  // by step: the steps whose results it reads
  struct Reached {
    bool reached = false;
    int via = kNone;
  };
  absl::flat_hash_map<int, std::vector<Reached>> reached_from_;
  int64_t looked_at_ = 0;
};

}  // namespace astitch
