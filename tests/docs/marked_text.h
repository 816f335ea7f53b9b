// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Documents that cannot go stale: parts of a Markdown file that a test makes anew and compares.
//
//   <!-- walk:plan -->
//   ```text
//   plan 1 ...
//   ```
//   <!-- /walk:plan -->
//
// ASTITCH_UPDATE_GOLDEN=1 rewrites the part instead; the reviewer reads the difference.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace astitch {

// Fails the running test when FILE (from the root of the source tree) has another text than GOT
// between the marks of PART, or no such marks. GOT is Markdown, ending with a new line.
void ExpectMarkedText(const std::string& file, const std::string& part, const std::string& got);

// The same for a code block of LANGUAGE.
void ExpectMarkedCode(const std::string& file, const std::string& part, absl::string_view language,
                      const std::string& got);

}  // namespace astitch
