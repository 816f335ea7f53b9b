// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// HLO text, as XLA, JAX, TensorFlow and PyTorch/XLA dump it, to a Graph.
//
// The whole grammar is read: every opcode and attribute, both print styles, nested operands, bodies
// inside attributes, modules without a header, and a single instruction by itself. Nothing of the
// text is kept but what the Graph holds. The result is well-formed (names resolve, parameters are
// complete, literals fit their shapes) but not verified: shapes may still contradict operations.
//
// The text may be hostile: time and memory are proportional to its length, nesting is limited (see
// limits.h), and every fault ends in a status with line and column. Several are reported at once.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"

namespace astitch {

struct HloParseOptions {
  // Keeps attributes that no known HLO has as text, where they are faults otherwise.
  bool allow_unknown_attributes = false;
};

absl::StatusOr<std::unique_ptr<Graph>> ParseHloText(absl::string_view text,
                                                    const HloParseOptions& options = {});

}  // namespace astitch
