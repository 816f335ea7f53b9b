// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/ladder/device.h"

#include "astitch/compile.h"
#include "base/status.h"
#include "check/differential.h"
#include "interp/interpreter.h"
#include "ir/graph.h"
#include "ir/number.h"

namespace astitch::testing {

absl::StatusOr<Program> CompileProgram(const std::string& hlo, const std::string& target,
                                       const std::string& fusion) {
  Program program;
  ASTITCH_ASSIGN_OR_RETURN(program.graph, ParseGraph(hlo));
  const Graph& graph = *program.graph;
  CompileOptions options;
  options.target = target;
  options.fusion = fusion;
  ASTITCH_ASSIGN_OR_RETURN(const auto compiled, Compile(graph, options));
  ASTITCH_ASSIGN_OR_RETURN(program.image, compiled->GpuImage());
  program.arguments = InputsOf(graph);
  ASTITCH_ASSIGN_OR_RETURN(const Literal result, Evaluate(graph, program.arguments));
  if (result.shape().IsTuple()) {
    program.expected.assign(result.elements().begin(), result.elements().end());
  } else {
    program.expected.push_back(result);
  }
  return program;
}

std::vector<Literal> DistinctArguments(const Graph& graph) {
  std::vector<Literal> arguments = InputsOf(graph);
  for (Literal& argument : arguments) {
    const Shape& shape = argument.shape();
    if (!IsFloat(shape.element_type())) continue;
    const int width = ByteWidth(shape.element_type());
    const int64_t columns = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const int64_t row = i / columns, column = i % columns;
      const int64_t shifted = (column + columns * (row % 4) / 4) % columns;
      const int64_t rank = row % 4 == 1 ? columns - 1 - column : shifted;
      const double rise = rank == columns - 1 ? 5 : 4 * static_cast<double>(rank + 1) / columns;
      const double own = static_cast<double>(i * 40503 % 65521) / 524288;
      StoreFromDouble(shape.element_type(), &argument.mutable_bytes()[i * width],
                      rise * (1 + static_cast<double>(row % 5) / 8) + own);
    }
  }
  return arguments;
}

Outcome RunProgram(const Program& program, SimulatorOptions options, int runs) {
  Outcome outcome;
  options.kernels = program.kernels.get();
  auto loaded = LoadOnSimulator(program.image, options);
  if (!loaded.ok()) {
    outcome.status = loaded.status();
    return outcome;
  }
  std::vector<ConstBuffer> inputs;
  for (const Literal& argument : program.arguments)
    inputs.push_back({argument.bytes().data(), static_cast<int64_t>(argument.bytes().size())});
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Buffer> outputs;
  for (const TensorSpec& spec : program.image.outputs) bytes.emplace_back(spec.bytes);
  for (std::vector<std::byte>& output : bytes)
    outputs.push_back({output.data(), static_cast<int64_t>(output.size())});
  for (int run = 0; run < runs && outcome.status.ok(); ++run)
    outcome.status = loaded->executable->Run(inputs, outputs);
  for (size_t i = 0; i < bytes.size(); ++i)
    outcome.outputs.emplace_back(program.expected[i].shape(), std::move(bytes[i]));
  outcome.log = *loaded->log;
  return outcome;
}

std::string Fault(const Program& program, const Outcome& outcome) {
  if (!outcome.status.ok()) return std::string(outcome.status.message());
  return CompareResults(*program.graph, outcome.outputs, program.expected);
}

}  // namespace astitch::testing
