// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Buffers in the entry's layouts, two runs, and back to logical arrays.
#include "check/guarded_run.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "tensor_io/layout.h"

namespace astitch {
namespace {

std::vector<GuardedBuffer> Fill(const std::vector<Shape>& shapes, absl::Span<const Literal> inputs,
                                Place place) {
  std::vector<GuardedBuffer> out;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<std::byte> bytes = ToPhysical(inputs[i], shapes[i]);
    out.emplace_back(static_cast<int64_t>(bytes.size()), place);
    if (!bytes.empty()) std::memcpy(out.back().data(), bytes.data(), bytes.size());
    out.back().MakeReadOnly();
  }
  return out;
}

absl::StatusOr<std::vector<Literal>> RunOnce(const std::vector<Shape>& shapes,
                                             const Executable& executable,
                                             const std::vector<ConstBuffer>& inputs, Place place) {
  std::vector<GuardedBuffer> memory;
  std::vector<Buffer> outputs;
  for (const Shape& shape : shapes) memory.emplace_back(shape.byte_size(), place);
  for (const GuardedBuffer& buffer : memory) outputs.push_back({buffer.data(), buffer.size()});
  ASTITCH_RETURN_IF_ERROR(executable.Run(inputs, outputs));
  std::vector<Literal> out;
  for (size_t i = 0; i < shapes.size(); ++i)
    out.push_back(FromPhysical(shapes[i], memory[i].bytes()));
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RunGuarded(const Graph& graph, const Executable& executable,
                                                absl::Span<const Literal> inputs, Place place) {
  const std::vector<GuardedBuffer> memory = Fill(EntryInputShapes(graph), inputs, place);
  std::vector<ConstBuffer> views;
  for (const GuardedBuffer& buffer : memory) views.push_back({buffer.data(), buffer.size()});
  const std::vector<Shape> shapes = EntryOutputShapes(graph);
  ASTITCH_ASSIGN_OR_RETURN(std::vector<Literal> first, RunOnce(shapes, executable, views, place));
  ASTITCH_ASSIGN_OR_RETURN(const std::vector<Literal> second,
                           RunOnce(shapes, executable, views, place));
  for (size_t i = 0; i < first.size(); ++i) {
    if (!(first[i] == second[i]))
      return absl::DataLossError(absl::StrCat("the second run gives other bits for output ", i));
  }
  return first;
}

}  // namespace astitch
