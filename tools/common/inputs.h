// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The arguments of a graph's entry, from a command line's SPECs and manifest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "tensor_io/manifest.h"
#include "tools/common/cli.h"

namespace astitch {

// Reads PATH into MANIFEST; SOURCE is for Fail(). An empty path leaves it empty.
absl::Status ReadManifest(const std::string& path, Source& source,
                          std::optional<Manifest>& manifest);

// LoadInputs for the leaves of GRAPH's parameters, refused before it starts when they and the
// results are larger than the memory that is free. MANIFEST may be null; with one, no SPECS means
// random:0.
absl::StatusOr<std::vector<Literal>> LoadGraphInputs(const Graph& graph,
                                                     absl::Span<const std::string> specs,
                                                     const Manifest* manifest);

}  // namespace astitch
