// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The launch: what a block asks for is what the machine has, and where blocks wait for each other
// all of them are resident.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "plan/exchange.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

class LaunchChecker {
 public:
  LaunchChecker(const KernelView& view, const PlanLimits& limits)
      : view_(view), launch_(view.kernel().launch), limits_(limits) {}

  absl::Status Run() const {
    if (launch_.grid < 1 || launch_.block < 1)
      return view_.Fault({}, nullptr,
                         absl::StrCat("expected at least one block of one thread, got ",
                                      launch_.grid, " of ", launch_.block));
    if (limits_.is_host)
      return AtMost("workers", launch_.grid, std::max<int64_t>(1, limits_.workers));
    ASTITCH_RETURN_IF_ERROR(CheckBlock());
    for (size_t p = 0; p < view_.kernel().phases.size(); ++p)
      ASTITCH_RETURN_IF_ERROR(CheckPhase(static_cast<int64_t>(p)));
    ASTITCH_RETURN_IF_ERROR(
        AtMost("bytes of shared memory of a block", SharedBytes(), limits_.shared_bytes_per_block));
    return CheckResidence();
  }

 private:
  absl::Status AtMost(absl::string_view what, int64_t got, int64_t most) const {
    if (got <= most) return absl::OkStatus();
    return view_.Fault({}, nullptr,
                       absl::StrCat("expected at most ", most, " ", what, ", got ", got));
  }

  int64_t SharedBytes() const { return SharedBytesOf(view_.kernel()); }

  absl::Status CheckBlock() const {
    ASTITCH_RETURN_IF_ERROR(AtMost("threads of a block", launch_.block, limits_.threads_per_block));
    ASTITCH_RETURN_IF_ERROR(
        AtMost("registers of a thread", launch_.registers, limits_.registers_per_thread));
    return AtMost("registers of a block", int64_t{launch_.registers} * launch_.block,
                  limits_.registers_per_sm);
  }

  absl::Status CheckPhase(int64_t p) const {
    const Phase& phase = view_.kernel().phases[p];
    const PlanPlace at{p, -1};
    const int64_t threads = int64_t{phase.threads_per_row} * phase.rows_at_once;
    if (threads != launch_.block)
      return view_.Fault(
          at, nullptr,
          absl::StrCat("expected ", launch_.block, " threads of the block, got ",
                       phase.threads_per_row, " for each of ", phase.rows_at_once, " rows"));
    if (phase.cluster > 1 && phase.col_tasks() != phase.cluster)
      return view_.Fault(at, nullptr,
                         absl::StrCat("expected a row in ", phase.cluster,
                                      " parts for its cluster, got ", phase.col_tasks()));
    if (phase.cluster > 1 && launch_.grid % phase.cluster != 0)
      return view_.Fault(at, nullptr,
                         absl::StrCat("expected a grid of whole clusters of ", phase.cluster,
                                      ", got ", launch_.grid));
    if (phase.cluster > limits_.cluster)
      return view_.Fault(at, nullptr,
                         absl::StrCat("expected at most ", limits_.cluster,
                                      " blocks of a cluster, got ", phase.cluster));
    if (!phase.waits_for_blocks() || launch_.cooperative) return absl::OkStatus();
    return view_.Fault(at, nullptr,
                       "expected a cooperative launch for a barrier between blocks, got none");
  }

  // The blocks that the plan counts on are on the machine at once.
  absl::Status CheckResidence() const {
    const int64_t blocks = launch_.blocks_per_sm;
    if (blocks > 0) {
      ASTITCH_RETURN_IF_ERROR(AtMost("blocks of an SM", blocks, limits_.blocks_per_sm));
      ASTITCH_RETURN_IF_ERROR(
          AtMost("threads of an SM", blocks * launch_.block, limits_.threads_per_sm));
      ASTITCH_RETURN_IF_ERROR(AtMost("registers of an SM",
                                     blocks * launch_.block * launch_.registers,
                                     limits_.registers_per_sm));
      ASTITCH_RETURN_IF_ERROR(
          AtMost("bytes of shared memory of an SM",
                 SharedBytes() == 0 ? 0 : blocks * (SharedBytes() + limits_.reserved_shared_bytes),
                 limits_.shared_bytes_per_sm));
    }
    if (!launch_.cooperative) return absl::OkStatus();
    return AtMost("resident blocks in a grid with a barrier", launch_.grid,
                  std::max<int64_t>(1, blocks) * limits_.num_sms);
  }

  const KernelView& view_;
  const Launch& launch_;
  const PlanLimits& limits_;
};

}  // namespace

absl::Status CheckLaunch(const KernelView& view, const PlanLimits& limits) {
  return LaunchChecker(view, limits).Run();
}

}  // namespace astitch::plan_check
