// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ways to break the PTX of a kernel: each is one edit of one line.
//
//   kind             site                          edit
//   barrier          bar.sync, bar.warp.sync       deleted
//   cluster-barrier  barrier.cluster               deleted
//   fence            fence, membar                 deleted
//   shuffle          shfl.sync                     the lane's own value comes back
//   relaxed          .release, .acquire, .acq_rel  relaxed
//   narrow           .gpu                          .cta
//   mask             a membermask                  one bit cleared
//   non-coherent     ld.global                     ld.global.nc
//   bound            setp with a constant          one more, one less
//   unguarded        @p before an access           dropped
//   branch           a conditional branch          never taken
//   divergent        bar.sync                      under a condition on the thread
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace astitch::testing {

struct Mutation {
  std::string kind;
  int line = 0;          // of the text, from 1
  std::string original;  // the line
  std::string site;      // kernel, stage, line without the numbers of registers, edit
  std::string text;      // the whole broken text
};

// All of them, in order of lines.
std::vector<Mutation> MutationsOf(absl::string_view ptx);

}  // namespace astitch::testing
