// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An array that does not fit would not fail to be allocated: the process would be killed when it is
// filled.
#include "tools/common/inputs.h"

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "interp/memory_estimate.h"
#include "tensor_io/layout.h"
#include "tensor_io/load.h"
#include "tools/common/graph_input.h"

namespace astitch {

absl::Status ReadManifest(const std::string& path, Source& source,
                          std::optional<Manifest>& manifest) {
  if (path.empty()) return absl::OkStatus();
  ASTITCH_RETURN_IF_ERROR(ReadSource(path, source));
  ASTITCH_ASSIGN_OR_RETURN(manifest, ParseManifest(source.text));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> LoadGraphInputs(const Graph& graph,
                                                     absl::Span<const std::string> specs,
                                                     const Manifest* manifest) {
  const std::vector<Shape> shapes = EntryInputShapes(graph);
  std::optional<int64_t> bytes = 0;
  for (const std::vector<Shape>& list : {shapes, EntryOutputShapes(graph)}) {
    for (const Shape& shape : list) {
      if (bytes) bytes = CheckedAdd(*bytes, shape.byte_size());
    }
  }
  const int64_t available = interp::AvailableMemory();
  if (!bytes || *bytes > available) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the inputs and outputs take ", bytes ? absl::StrCat(*bytes) : "more than 2^63",
        " bytes, and ", available, " are free"));
  }
  const std::string any = "random:0";
  if (specs.empty() && manifest != nullptr) return LoadInputs({any}, shapes, manifest);
  return LoadInputs(specs, shapes, manifest);
}

}  // namespace astitch
