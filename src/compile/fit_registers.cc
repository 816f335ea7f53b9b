// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tries a few numbers of registers for all kernels that lack some at once: what is planned for one
// kernel does not depend on the others.
#include "compile/fit_registers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "compile/lower_gpu.h"

namespace astitch {
namespace {

constexpr int64_t kTries[] = {8, 16, 32, 64};

// How a kernel falls short of what its plan counts on; blocks weigh more.
struct Shortfall {
  int64_t blocks = 0;   // that are not resident on an SM
  int64_t spilled = 0;  // bytes of a thread
  friend auto operator<=>(const Shortfall&, const Shortfall&) = default;
  bool none() const { return blocks == 0 && spilled == 0; }
};

struct Fit {
  const KernelPlan* kernel = nullptr;
  Shortfall shortfall;
};

class RegisterFitter {
 public:
  RegisterFitter(const MachineModel& machine, const NvptxOptions& options, Replan replan,
                 Assemble assemble)
      : machine_(machine), options_(options), replan_(replan), assemble_(assemble) {}

  absl::StatusOr<Plan> Run(Plan plan) {
    ASTITCH_ASSIGN_OR_RETURN(const std::vector<Fit> first, Measure(plan));
    std::vector<Fit> best = first;
    std::vector<int64_t> more(first.size(), 0);
    std::vector<Plan> tried;  // what BEST points into
    for (const int64_t registers : kTries) {
      std::vector<int64_t> asked = more;
      for (size_t k = 0; k < best.size(); ++k)
        if (!best[k].shortfall.none()) asked[k] = registers;
      if (asked == more) break;
      ASTITCH_ASSIGN_OR_RETURN(Plan next, replan_(asked));
      tried.push_back(std::move(next));
      ASTITCH_ASSIGN_OR_RETURN(const std::vector<Fit> fits, Measure(tried.back()));
      for (size_t k = 0; k < best.size(); ++k) {
        if (!Better(best[k], fits[k])) continue;
        best[k] = fits[k];
        more[k] = asked[k];
      }
    }
    if (std::all_of(more.begin(), more.end(), [](int64_t m) { return m == 0; })) return plan;
    ASTITCH_ASSIGN_OR_RETURN(Plan fitted, replan_(more));
    Tell(first, best, more, fitted);
    return fitted;
  }

 private:
  // In the order of the plan's kernels.
  absl::StatusOr<std::vector<Fit>> Measure(const Plan& plan) {
    std::vector<Fit> fits;
    for (const PlanStep& step : plan.steps) {
      const auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel == nullptr) continue;
      ASTITCH_ASSIGN_OR_RETURN(const PtxKernel ptx, CompileToPtx(*kernel, options_));
      auto known = assembled_.find(ptx.text);
      if (known == assembled_.end()) {
        ASTITCH_ASSIGN_OR_RETURN(const AssembledKernel assembled, assemble_(ptx.text));
        known = assembled_.emplace(ptx.text, assembled).first;
      }
      fits.push_back({kernel, ShortfallOf(*kernel, ptx, known->second)});
    }
    return fits;
  }

  Shortfall ShortfallOf(const KernelPlan& kernel, const PtxKernel& ptx,
                        const AssembledKernel& assembled) const {
    KernelPlan as_assembled = kernel;
    as_assembled.launch.registers = assembled.registers;
    const int64_t resident = ResidentBlocksPerSm(
        as_assembled, ptx.shared_bytes + assembled.static_shared_bytes, machine_);
    return {std::max<int64_t>(kernel.launch.blocks_per_sm - resident, 0), assembled.spilled_bytes};
  }

  // Whether NOW falls less short than BEFORE, and what it reads again for that is less than what was
  // spilled: once in each task, to memory and back.
  static bool Better(const Fit& before, const Fit& now) {
    if (now.shortfall >= before.shortfall) return false;
    if (now.shortfall.blocks < before.shortfall.blocks) return true;
    int64_t tasks = 0;
    for (const Phase& phase : before.kernel->phases) tasks += phase.num_tasks();
    const int64_t saved = before.shortfall.spilled - now.shortfall.spilled;
    return now.kernel->traffic.total() - before.kernel->traffic.total() <=
           2 * saved * tasks * before.kernel->launch.block;
  }

  static std::string Words(const Shortfall& shortfall) {
    return absl::StrCat(shortfall.spilled, " bytes of a thread spilled and ", shortfall.blocks,
                        " planned blocks of a multiprocessor did not fit");
  }

  static void Tell(const std::vector<Fit>& first, const std::vector<Fit>& best,
                   const std::vector<int64_t>& more, Plan& plan) {
    size_t k = 0;
    for (const PlanStep& step : plan.steps) {
      const auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel == nullptr) continue;
      if (more[k] > 0) {
        plan.ledger.push_back(
            {kernel->outputs[0], nullptr, "registers", "assembler-needs-more", 0,
             absl::StrCat(kernel->name, ": planned again with ", more[k],
                          " registers more to spare a thread; ", Words(first[k].shortfall),
                          ", now ", Words(best[k].shortfall))});
      }
      ++k;
    }
  }

  const MachineModel& machine_;
  const NvptxOptions& options_;
  Replan replan_;
  Assemble assemble_;
  absl::flat_hash_map<std::string, AssembledKernel> assembled_;
};

}  // namespace

absl::StatusOr<Plan> FitRegisters(Plan plan, const MachineModel& machine,
                                  const NvptxOptions& options, Replan replan, Assemble assemble) {
  return RegisterFitter(machine, options, replan, assemble).Run(std::move(plan));
}

}  // namespace astitch
