// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An object that is not complete.
extern "C" {
long missing_function(long x);
extern long missing_variable;
long use(long x) { return missing_function(x) + missing_variable; }
}
