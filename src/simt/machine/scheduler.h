// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which warp runs next, for how long, and when nothing can.
//
// Resident blocks take turns in slices, so that a thread that spins for another block lets it run.
// Interleaving is of whole instructions on one host thread: what a schedule cannot show, the race
// detector does.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simt/machine/machine.h"

namespace astitch::simt {

class Scheduler {
 public:
  explicit Scheduler(Machine& machine);
  // Runs the grid to its end, or until a report says that it has none.
  void Run();
  int64_t steps() const { return static_cast<int64_t>(machine_.clock); }

 private:
  void Admit();
  void Retire();
  // One turn of every warp. True: something ran.
  bool Round();
  void RunSlice(Warp& warp, int64_t budget);
  int32_t PickCounter(const Warp& warp, uint32_t runnable);
  // Runs the lanes at one counter until they part, wait or meet others. False: end of slice.
  bool RunGroup(Warp& warp, int32_t pc, uint32_t group, int32_t next_other, int64_t& budget);
  // Lanes that wait at a barrier for lanes that will not come.
  bool ReleaseDivergent(Warp& warp);
  bool OnlyPolls() const;
  void ReportDeadlock(bool spinning);
  std::string WaitText(const Warp& warp) const;

  Machine& machine_;
  std::vector<std::unique_ptr<Cluster>> resident_;
  std::vector<Warp*> turns_;
  bool changed_ = false;  // resident_, and turns_ not yet
  int64_t next_cluster_ = 0, num_clusters_, max_resident_;
  uint64_t random_state_;
  uint64_t NextRandom();
};

}  // namespace astitch::simt
