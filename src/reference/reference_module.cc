// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays go to the interpreter as literals and come back as the elements of a tuple.
#include "reference/reference_module.h"

#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "astitch/graph.h"
#include "base/status.h"
#include "interp/interpreter.h"
#include "ir/graph.h"

namespace astitch {
namespace {

// No loop of a model turns this often, and it takes the interpreter minutes.
constexpr int64_t kMostIterations = 100'000'000;

absl::Status CheckRange(absl::string_view what, size_t n, const Shape& shape,
                        const BufferRef& range) {
  if (!shape.IsArray())
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array as ", what, " ", n, ", got ", shape.ToString()));
  if (shape.CheckedByteSize().value_or(-1) == range.bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected the bytes of ", shape.ToString(),
                                                 " for ", what, " ", n, ", got ", ToString(range)));
}

absl::Status CheckCount(absl::string_view what, size_t expected, size_t got) {
  if (expected == got) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, " ", what, " as in the module, got ", got));
}

absl::Status CheckModule(const Graph& graph, const ReferenceStep& step) {
  const Computation& entry = *graph.entry();
  ASTITCH_RETURN_IF_ERROR(CheckCount("inputs", entry.parameters().size(), step.inputs.size()));
  for (size_t i = 0; i < step.inputs.size(); ++i)
    ASTITCH_RETURN_IF_ERROR(CheckRange("input", i, entry.parameters()[i]->shape(), step.inputs[i]));
  const Shape& result = entry.root()->shape();
  if (!result.IsTuple())
    return absl::InvalidArgumentError(
        absl::StrCat("expected a tuple as the module's result, got ", result.ToString()));
  ASTITCH_RETURN_IF_ERROR(CheckCount("outputs", result.elements().size(), step.outputs.size()));
  for (size_t i = 0; i < step.outputs.size(); ++i)
    ASTITCH_RETURN_IF_ERROR(CheckRange("output", i, result.elements()[i], step.outputs[i]));
  return absl::OkStatus();
}

class InterpretedModule final : public ReferenceModule {
 public:
  InterpretedModule(GraphPtr graph, const ReferenceStep& step) : graph_(std::move(graph)) {
    options_.max_loop_iterations = kMostIterations;
    options_.random_start = step.random_start;
  }

  absl::Status Evaluate(absl::Span<void* const> inputs,
                        absl::Span<void* const> outputs) const override {
    // Memory that is not there is told by exception, which ends here.
    try {
      return Run(inputs, outputs);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("the arrays do not fit in memory a second time");
    }
  }

 private:
  absl::Status Run(absl::Span<void* const> inputs, absl::Span<void* const> outputs) const {
    std::vector<Literal> arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape& shape = graph_->entry()->parameters()[i]->shape();
      // An empty array may have no memory.
      const auto* from = static_cast<const std::byte*>(inputs[i]);
      const int64_t bytes = from == nullptr ? 0 : shape.byte_size();
      arguments.emplace_back(shape, std::vector<std::byte>(from, from + bytes));
    }
    ASTITCH_ASSIGN_OR_RETURN(const Literal result, astitch::Evaluate(*graph_, arguments, options_));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const absl::Span<const std::byte> from = result.elements()[i].bytes();
      if (!from.empty()) std::memcpy(outputs[i], from.data(), from.size());
    }
    return absl::OkStatus();
  }

  const GraphPtr graph_;
  InterpreterOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ReferenceModule>> ReferenceModule::Read(const ReferenceStep& step) {
  ASTITCH_ASSIGN_OR_RETURN(GraphPtr graph, ParseGraph(step.hlo_text));
  ASTITCH_RETURN_IF_ERROR(CheckModule(*graph, step));
  return std::make_unique<InterpretedModule>(std::move(graph), step);
}

}  // namespace astitch
