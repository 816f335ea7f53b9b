// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A pass: one transformation of a Graph, named, that says whether it changed anything.
//
// Passes keep the meaning of the graph; where an expansion replaces an operation whose rounding
// HLO leaves open (batch-norm, functions of complex numbers), the numbers may differ in the last place. They keep the entry's
// parameters, and they are deterministic: the same graph gives the same text.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"

namespace astitch {

class Pass {
 public:
  virtual ~Pass() = default;
  // The file's, the class's and the command line's name: "fold-reshape".
  virtual absl::string_view name() const = 0;
  // True: the graph changed. REQUIRES: the graph is verified. An error leaves it unspecified.
  virtual absl::StatusOr<bool> Run(Graph& graph) = 0;
};

}  // namespace astitch
