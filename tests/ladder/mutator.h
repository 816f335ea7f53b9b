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

// Another edit of the line of a mutation that nobody notices. When it is noticed itself, the first
// one is harmless for the reason it names:
//
//   another-thread  bound 0 to 1, when -1 is noticed: some thread has to, and any thread may
//   past-the-last   bound one more, when one less is noticed: what comes then is guarded again
//   coarse          bound one more or less, when no change below 4 is noticed and a greater one is:
//                   what is compared moves in steps of vectors, warps or blocks
//   never-taken     a branch deleted, when it is noticed always taken
//
// The first that is noticed decides, so that those without a reason show nothing.
struct Witness {
  std::string reason;  // or empty
  std::string text;    // the whole text
};
std::vector<Witness> WitnessesOf(absl::string_view ptx, const Mutation& mutation);

// Why MUTATION, if nobody notices it, needs no witness; else empty.
//
//   no-race           a barrier deleted: the simulator finds races by what happens before what,
//                     whatever the order it runs in, so that nobody needs a barrier without which
//                     it finds none
//   sign-of-the-flip  of the barrier of a grid: what is compared is one bit, the sign
std::string NeedsNoWitness(absl::string_view ptx, const Mutation& mutation);

// PTX without the line of MUTATION: if that is a barrier and nobody notices, it is of no use that
// threads wait at it together.
std::string WithoutItsLine(absl::string_view ptx, const Mutation& mutation);

}  // namespace astitch::testing
