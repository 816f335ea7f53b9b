// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Puts the bodies of call, fusion, map and asynchronous wrappers in place of the call, however deep
// they nest. Bodies of loops, branches and reducers stay, flat themselves.
//     f { ROOT %r = f32[4] add(%p, %p) }   %c = f32[4] call(%x), to_apply=f
//     =>  %r = f32[4] add(%x, %x)
// A map becomes elementwise operations on whole arrays when its body has nothing else.
#pragma once

#include "passes/pass.h"

namespace astitch {

class InlineCalls final : public Pass {
 public:
  absl::string_view name() const override { return "inline-calls"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
