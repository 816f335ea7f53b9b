// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the interpreter evaluates, as a step among others: one worker, the others wait.
#include <utility>

#include "base/status.h"
#include "reference/reference_module.h"
#include "runtime/library/library_call.h"

namespace astitch {
namespace {

class ReferenceCall final : public LibraryCall {
 public:
  ReferenceCall(std::unique_ptr<ReferenceModule> module, const ReferenceStep& step)
      : module_(std::move(module)), num_inputs_(step.inputs.size()) {
    buffers_ = step.inputs;
    buffers_.insert(buffers_.end(), step.outputs.begin(), step.outputs.end());
  }

  absl::StatusOr<std::unique_ptr<State>> NewState() const override {
    return std::make_unique<State>();
  }

  absl::Status Run(const HostKernelArgs& args, std::byte*, State&) const override {
    const absl::Span<void* const> buffers(args.buffers, buffers_.size());
    return module_->Evaluate(buffers.first(num_inputs_), buffers.subspan(num_inputs_));
  }

 private:
  const std::unique_ptr<ReferenceModule> module_;
  const size_t num_inputs_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareReference(const ReferenceStep& step) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<ReferenceModule> module, ReferenceModule::Read(step));
  return std::make_unique<ReferenceCall>(std::move(module), step);
}

}  // namespace astitch
