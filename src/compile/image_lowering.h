// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What every target lowers alike: the caller's tensors, constants, ranges, library calls, copies.
#pragma once

#include "absl/status/status.h"
#include "artifact/executable_image.h"
#include "compile/entry_layout.h"
#include "plan/plan.h"

namespace astitch {

class ImageLowering {
 public:
  // The image of PLAN with inputs, outputs, aliases and the size of its arena. PLAN outlives this.
  ImageLowering(const Plan& plan, const EntrySpecs& specs);

  // Error: a constant whose values were left out of the text.
  absl::Status AddConstants();
  // REQUIRES: STEP is no kernel.
  absl::Status AddCall(const PlanStep& step);

  BufferRef Ref(const Instruction* value) const;
  BufferRef Scratch(const KernelPlan& kernel) const;
  ExecutableImage& image() { return image_; }

 private:
  absl::Status AddReference(const Instruction& instruction);

  const Plan& plan_;
  ExecutableImage image_;
  int64_t scratch_offset_ = 0;
};

}  // namespace astitch
