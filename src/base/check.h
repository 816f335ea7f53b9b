// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ASTITCH_CHECK: for what only a bug in this library can break. Input of a user never reaches one;
// that is a Status.
#pragma once

#include <sstream>

namespace astitch {

// Collects the message of a failed check and ends the process when it goes out of scope.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  ~CheckFailure();
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

}  // namespace astitch

#define ASTITCH_CHECK(condition) \
  if (condition) {               \
  } else                         \
    ::astitch::CheckFailure(__FILE__, __LINE__, #condition).stream()

#define ASTITCH_UNREACHABLE() \
  (::astitch::CheckFailure(__FILE__, __LINE__, "unreachable").stream(), __builtin_unreachable())
