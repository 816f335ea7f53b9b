// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A folder of tests/data/cases or tests/data/corpus, read: a graph, its inputs, what must come out,
// and what else must hold.
//
//   cases/NNN-name/   graph.hlo  case.json  input0.npy ... (or gen.json)  expect0.npy ...
//   corpus/name/      module.hlo  manifest.json  inputs.npz  expected.npz
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "astitch/literal.h"
#include "ir/graph.h"
#include "tensor_io/compare.h"

namespace astitch::testing {

struct ExpectedOutput {
  Literal value;
  Tolerance tolerance;
  bool signed_zero = false;
};

struct Example {
  std::string name;
  std::unique_ptr<Graph> graph;
  std::vector<Literal> inputs;
  std::vector<ExpectedOutput> outputs;
  bool may_be_refused = false;           // with a reason
  bool heavy = false;                    // too much for the interpreter
  bool all_targets = true;               // false: the host may lack an operation of it
  std::map<std::string, double> limits;  // "compile_seconds_max": 20
};

// Names of the folders of tests/data/FOLDER, sorted.
std::vector<std::string> ExampleNames(const std::string& folder);
std::string ExamplePath(const std::string& folder, const std::string& name);

absl::StatusOr<Example> LoadCase(const std::string& name);
absl::StatusOr<Example> LoadEntry(const std::string& name);
absl::StatusOr<std::unique_ptr<Graph>> LoadGraph(const std::string& path);

// "" when GOT is right.
std::string Judge(const std::vector<Literal>& got, const std::vector<ExpectedOutput>& expected);

}  // namespace astitch::testing
