// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rounding to nearest, subnormals kept, no traps, whatever the calling thread is set to: a result
// may not depend on who calls, and callers (audio code, some frameworks) do flush subnormals.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace astitch {

class DefaultFloatingPoint {
 public:
#if defined(__x86_64__)
  DefaultFloatingPoint() : before_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatingPoint() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, nothing else set
  unsigned before_;
#else
  DefaultFloatingPoint() {}
  ~DefaultFloatingPoint() {}
#endif
};

}  // namespace astitch
