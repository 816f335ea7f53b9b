// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// HTML as text.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace astitch {

// Nothing of TEXT is markup any more, in elements and in quoted attributes. Control characters, which
// HTML has no place for, become '?'.
std::string Escape(absl::string_view text);

// The first characters of TEXT and an ellipsis where there are more than MOST of them (not bytes: a
// character of several bytes stays whole).
std::string Shortened(absl::string_view text, size_t most);

}  // namespace astitch
