// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The parameters of a kernel, from a command line: scalars and buffers.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "simt/launch.h"

namespace astitch {

struct SimtArguments {
  std::vector<simt::Argument> values;
  std::vector<simt::Buffer> buffers;
  std::vector<Shape> shapes;  // of the buffers

  // The buffers that a kernel may write, as they are now.
  std::vector<Literal> Outputs() const;
};

absl::StatusOr<SimtArguments> LoadSimtArguments(absl::Span<const std::string> args);

}  // namespace astitch
