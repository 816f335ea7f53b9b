// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whole files in and out. A file that is written appears complete or not at all.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

// "-" is standard input. Errors: NotFound, PermissionDenied, or Internal with the system's words
// and the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Writes to a temporary file beside PATH, then renames it: a failure leaves what was there before.
// "-" is standard output.
absl::Status WriteFile(const std::string& path, absl::string_view contents);

}  // namespace astitch
