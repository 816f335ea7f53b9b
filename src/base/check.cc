// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A failed check prints one line and aborts; there is nothing to recover to.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace astitch {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  stream_ << file << ":" << line << ": check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", stream_.str().c_str());
  std::abort();
}

}  // namespace astitch
