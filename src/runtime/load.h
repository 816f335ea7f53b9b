// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From an image to an executable: checks the image, maps its objects, prepares its library calls.
// No LLVM from here down.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "artifact/executable_image.h"
#include "astitch/executable.h"

namespace astitch {

class WorkerTeam;

// TEAM: the threads that runs share; by default the team of the process. Errors: InvalidArgument
// for an image that is damaged, FailedPrecondition for one that this CPU cannot run, Unimplemented
// for a library step that no library here takes.
absl::StatusOr<std::unique_ptr<Executable>> LoadExecutable(
    ExecutableImage image, const LoadOptions& options = {},
    std::shared_ptr<WorkerTeam> team = nullptr);

}  // namespace astitch
