// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Makes every shape inside the graph row-major. Operations are defined on logical indices, so
// layouts say nothing here, except for bitcast: it reinterprets the bytes of its operand under both
// layouts, and becomes the reshape, transposes and bitcast-convert that this means. What the caller
// sees, the layout of arguments and result, stands in the header and stays.
//     %t = f32[3,2]{1,0} bitcast(f32[2,3]{0,1} %x)
//     =>  f32[3,2] transpose(%x), dimensions={1,0}
#pragma once

#include "passes/pass.h"

namespace astitch {

class NormalizeLayouts final : public Pass {
 public:
  absl::string_view name() const override { return "normalize-layouts"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
