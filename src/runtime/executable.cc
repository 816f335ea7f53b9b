// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The part of an executable that all devices share.
#include "astitch/executable.h"

#include <utility>

#include "base/status.h"
#include "runtime/executable_impl.h"

namespace astitch {

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::~Executable() = default;

absl::Span<const TensorSpec> Executable::inputs() const { return impl_->image().inputs; }
absl::Span<const TensorSpec> Executable::outputs() const { return impl_->image().outputs; }
const std::string& Executable::target() const { return impl_->image().target; }
const std::string& Executable::plan_text() const { return impl_->image().plan_text; }
int64_t Executable::scratch_bytes() const { return impl_->scratch_bytes(); }

absl::Status Executable::Run(absl::Span<const ConstBuffer> inputs,
                             absl::Span<const Buffer> outputs) const {
  return impl_->Run(inputs, outputs, nullptr);
}

absl::StatusOr<std::vector<StepTime>> Executable::RunTimed(absl::Span<const ConstBuffer> inputs,
                                                           absl::Span<const Buffer> outputs) const {
  std::vector<StepTime> times;
  for (const Step& step : impl_->image().steps) times.push_back({StepName(step), 0});
  ASTITCH_RETURN_IF_ERROR(impl_->Run(inputs, outputs, &times));
  return times;
}

}  // namespace astitch
