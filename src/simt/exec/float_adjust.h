// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What goes around a float operation: a rounding mode, .sat, .relu.
#pragma once

#include "absl/status/status.h"
#include "simt/exec/form.h"

namespace astitch::simt {

// Takes the rounding mode, .sat and .relu that FORM has and runs FN inside them.
absl::Status RunAdjusted(Form& form, ExecFn fn, Type type);

// Sets op.mode to MODE and runs what op.run was under it.
void WrapRounding(Form& form, Rounding mode);

}  // namespace astitch::simt
