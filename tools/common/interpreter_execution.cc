// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The interpreter takes and gives literals; only tuples are put together and taken apart.
#include <utility>

#include "base/status.h"
#include "interp/interpreter.h"
#include "tensor_io/layout.h"
#include "tools/common/execution.h"

namespace astitch {
namespace {

class InterpreterExecution final : public Execution {
 public:
  explicit InterpreterExecution(const Graph& graph) : graph_(graph) {}

  absl::Status SetInputs(std::vector<Literal> inputs) override {
    arguments_ = AssembleParameters(graph_, std::move(inputs));
    return absl::OkStatus();
  }
  absl::Status Run() override {
    ASTITCH_ASSIGN_OR_RETURN(result_, Evaluate(graph_, arguments_));
    return absl::OkStatus();
  }
  std::vector<Literal> Outputs() const override { return ArrayLeaves(result_); }

 private:
  const Graph& graph_;
  std::vector<Literal> arguments_;
  Literal result_;
};

}  // namespace

std::unique_ptr<Execution> MakeInterpreterExecution(const Graph& graph) {
  return std::make_unique<InterpreterExecution>(graph);
}

}  // namespace astitch
