// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From the SPECs of a command line to one array a leaf, and from results to files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "tensor_io/manifest.h"

namespace astitch {

// One array for each of WANTED, in order. Each spec fills the next array that is still missing;
// @all.npz fills argK for every K it holds; random:SEED as the last spec fills all that are left,
// by the manifest's distributions when MANIFEST is not null. Errors name the array.
absl::StatusOr<std::vector<Literal>> LoadInputs(absl::Span<const std::string> specs,
                                                absl::Span<const Shape> wanted,
                                                const Manifest* manifest);

// The same for expected outputs, named outK in an archive; random is refused. Leaves that no spec
// speaks of are nullopt.
absl::StatusOr<std::vector<std::optional<Literal>>> LoadExpected(
    absl::Span<const std::string> specs, absl::Span<const Shape> wanted);

// Writes out0, out1, ... to an archive (a path in .npz) or the only array to a .npy file. PATH may
// begin with '@'.
absl::Status SaveOutputs(const std::string& path, absl::Span<const Literal> outputs);

}  // namespace astitch
