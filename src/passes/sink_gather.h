// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Moves a gather of few elements below the elementwise operations that make its operand:
//
//   gather(subtract(%x, broadcast(%m)), %i)  =>  subtract(gather(%x, %i), broadcast'(%m))
//
// What is gathered from then is memory, where an index may lead anywhere, and the operand itself need
// not be stored: the loss of a cross-entropy reads one element of each row of a log-softmax.
#pragma once

#include "passes/pass.h"

namespace astitch {

class SinkGather final : public Pass {
 public:
  absl::string_view name() const override { return "sink-gather"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
