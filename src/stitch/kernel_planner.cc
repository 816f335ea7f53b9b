// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A way is a draft of phases, with what it becomes on the machine; every choice replaces the best way
// so far by a better one.
#include "stitch/kernel_planner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "stitch/cost.h"
#include "stitch/fit_shared.h"
#include "stitch/phases.h"
#include "stitch/repeat.h"
#include "stitch/stay.h"
#include "stitch/stored.h"
#include "stitch/traffic.h"

namespace astitch {
namespace {

// A way that the rules would not go has to be predicted to be so much faster, and by more than what no
// prediction tells.
constexpr double kClearly = 1.05;
constexpr int64_t kLeastNs = 1000;
// ... where whole rows leave part of the machine idle, which the prediction knows least about.
constexpr double kClearlyWhole = 1.25;
// Registers of a thread that are left to spare where the launch is not that of the tables, which are known
// to do with what they have.
constexpr int64_t kSpare = 16;
// Values and sweeps of a kernel that is planned in several ways: no way suits many sweeps.
constexpr size_t kMostValues = 2000, kMostSweeps = 64;

// What is planned, and what it is predicted to take.
struct Way {
  KernelDraft draft;   // before slots had to fit
  KernelDraft fitted;  // as mapped
  KernelPlan kernel;
  std::vector<Traffic> traffic;  // by phase

  std::string launch;  // for the ledger, where the launch is not by the tables

  int64_t ns() const { return kernel.predicted.ns; }
};

bool IsFaster(const Way& way, const Way& than, double factor) {
  return factor * static_cast<double>(way.ns()) <= static_cast<double>(than.ns());
}

bool LeavesParts(const PhaseDraft& phase) {
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.partial && root.over == ReduceOver::kColumns) return true;
      if (root.partial && root.kind == RootKind::kScan) return true;
    }
  }
  return false;
}

bool HasClusters(const KernelDraft& draft) {
  return std::any_of(draft.phases.begin(), draft.phases.end(),
                     [](const PhaseDraft& phase) { return phase.space.cluster > 1; });
}

// Whether tasks, or the blocks of a cluster, fold rows together of which each could have whole ones.
bool SharesRows(const KernelDraft& draft) {
  return HasClusters(draft) ||
         std::any_of(draft.phases.begin(), draft.phases.end(), [](const PhaseDraft& phase) {
           return !phase.space.rows.empty() && LeavesParts(phase);
         });
}

// Whether rows that are to be shared have one task each: parts that nobody else has a part of.
bool SharesInVain(const Way& way) {
  for (size_t p = 0; p < way.fitted.phases.size(); ++p) {
    const PhaseDraft& draft = way.fitted.phases[p];
    const bool shares = !draft.space.rows.empty() && LeavesParts(draft);
    if (shares && way.kernel.phases[p].col_tasks() == 1) return true;
  }
  return false;
}

// Whether a phase that every block does stores VALUE.
bool IsRepeated(const KernelDraft& draft, const Instruction* value) {
  for (const PhaseDraft& phase : draft.phases) {
    if (!phase.repeated) continue;
    for (const StageDraft& stage : phase.stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.value == value) return true;
      }
    }
  }
  return false;
}

std::string Us(int64_t ns) { return absl::StrFormat("%.1f us", static_cast<double>(ns) / 1e3); }

class KernelPlanner {
 public:
  KernelPlanner(const RegionInfo& info, const MachineModel& machine, Fusion fusion, int64_t more)
      : info_(info), machine_(machine), fusion_(fusion), more_(more) {}

  absl::StatusOr<PlannedKernel> Run() {
    // To a worker, a barrier is little beside what is computed again and again.
    PhaseRules rules{.costly_first = machine_.is_host()};
    ASTITCH_ASSIGN_OR_RETURN(Way best, Plan(rules));
    if (fusion_ == Fusion::kStitch) {
      if (MayGoOtherWays(best)) {
        ChooseLaunch(best);
        ASTITCH_RETURN_IF_ERROR(ChooseCostly(best, rules));
        ASTITCH_RETURN_IF_ERROR(ChooseRows(best, rules));
        ASTITCH_RETURN_IF_ERROR(ChooseRepeated(best, rules));
      }
      if (!best.launch.empty()) AddEntry("launch-as-predicted", best.launch);
    }
    std::vector<LedgerEntry> ledger = std::move(best.fitted.ledger);
    ledger.insert(ledger.end(), ledger_.begin(), ledger_.end());
    return PlannedKernel{std::move(best.kernel), std::move(best.traffic), std::move(ledger)};
  }

 private:
  absl::StatusOr<Way> Plan(PhaseRules rules) const {
    ASTITCH_ASSIGN_OR_RETURN(KernelDraft draft, BuildPhases(info_, machine_, fusion_, rules));
    draft.launch.more_registers = more_;
    return Map(std::move(draft));
  }

  // DRAFT as it is best on the machine.
  Way Map(KernelDraft draft) const {
    Way way = FitSlices(std::move(draft));
    if (fusion_ == Fusion::kStitch) ChooseStaying(way);
    return way;
  }

  bool MayGoOtherWays(const Way& way) const {
    size_t sweeps = 0;
    for (const Phase& phase : way.kernel.phases) sweeps += phase.stages.size();
    return info_.values().size() <= kMostValues && sweeps <= kMostSweeps;
  }

  // ---- costly values

  // What is costly and handed to many by a broadcast: computed where it is wanted, or in a phase before.
  absl::Status ChooseCostly(Way& best, PhaseRules& rules) {
    if (rules.costly_first || FindCostly(info_, {}, machine_).empty()) return absl::OkStatus();
    PhaseRules first = rules;
    first.costly_first = true;
    ASTITCH_ASSIGN_OR_RETURN(Way other, Plan(first));
    ChooseLaunch(other);
    const bool better = IsBetter(other, best);
    AddEntry(better ? "costly-stored" : "costly-in-place",
             absl::StrCat("predicted ", Us(other.ns()), " with what is costly in a phase before, ",
                          Us(best.ns()), " with it computed where it is wanted"));
    if (!better) return absl::OkStatus();
    best = std::move(other);
    rules = first;
    return absl::OkStatus();
  }

  // ---- rows

  // Rows that blocks share as the rules have it, in clusters or in parts that meet behind barriers; or the
  // other way; or whole, each in one block. RULES become those of what it takes.
  absl::Status ChooseRows(Way& best, PhaseRules& rules) {
    if (!SharesRows(best.draft)) return absl::OkStatus();
    if (HasClusters(best.draft)) {
      PhaseRules in_parts = rules;
      in_parts.clusters = false;
      ASTITCH_ASSIGN_OR_RETURN(Way parts, Plan(in_parts));
      ChooseLaunch(parts);
      const bool better = IsBetter(parts, best);
      AddEntry(better ? "rows-in-parts" : "rows-in-clusters",
               absl::StrCat("predicted ", Us(best.ns()), " with clusters whose blocks share rows, ",
                            Us(parts.ns()), " with parts that meet behind barriers of the grid"));
      if (better) {
        best = std::move(parts);
        rules = in_parts;
      }
    }
    PhaseRules in_whole = rules;
    in_whole.clusters = true;
    in_whole.whole_rows = true;
    ASTITCH_ASSIGN_OR_RETURN(Way whole, Plan(in_whole));
    ChooseLaunch(whole);
    const bool better = IsBetter(whole, best, kClearlyWhole);
    AddEntry(better ? "rows-whole" : "rows-shared",
             absl::StrCat("predicted ", Us(best.ns()), " with rows that blocks share, ",
                          Us(whole.ns()), " with whole rows"));
    if (better) {
      best = std::move(whole);
      rules = in_whole;
    }
    return absl::OkStatus();
  }

  // ---- launch

  // Where more than the bytes takes time: other sizes of the block, fewer columns in the registers of a
  // thread, no inputs there for later sweeps.
  void ChooseLaunch(Way& best) {
    if (machine_.is_host() || AtBound(best)) return;
    const Way by_tables = best;
    Way fastest = best;  // of all sizes of the block
    for (int32_t block : {128, 256, 512, 1024}) {
      if (block > std::min(machine_.max_threads_per_block, machine_.max_threads_per_sm)) break;
      Way other = With(best, [&](LaunchRules& launch) { launch.block = block; });
      if (other.ns() < fastest.ns() && IsBetter(other, best)) fastest = std::move(other);
    }
    best = std::move(fastest);
    for (const auto& change : {+[](LaunchRules& launch) { launch.held_registers /= 2; },
                               +[](LaunchRules& launch) { launch.holds_inputs = false; }}) {
      Way other = With(best, change);
      if (IsBetter(other, best)) best = std::move(other);
    }
    if (!(best.draft.launch == by_tables.draft.launch)) best.launch = LaunchDetail(best, by_tables);
  }

  static std::string LaunchDetail(const Way& way, const Way& by_tables) {
    const LaunchRules& rules = way.draft.launch;
    std::string detail =
        absl::StrCat("predicted ", Us(by_tables.ns()), " by the tables, ", Us(way.ns()), " with ");
    std::vector<std::string> changes;
    if (rules.block > 0) changes.push_back(absl::StrCat("blocks of ", rules.block, " threads"));
    if (rules.held_registers != LaunchRules().held_registers)
      changes.push_back(
          absl::StrCat("at most ", rules.held_registers, " registers of a thread for columns"));
    if (!rules.holds_inputs) changes.push_back("inputs that are read again");
    return absl::StrCat(detail, absl::StrJoin(changes, ", "));
  }

  // Of the largest result.
  void AddEntry(absl::string_view reason, std::string detail) {
    const Instruction* largest = nullptr;
    for (const Instruction* output : info_.region().outputs) {
      if (largest == nullptr || output->shape().byte_size() > largest->shape().byte_size())
        largest = output;
    }
    ledger_.push_back({largest, nullptr, "output", std::string(reason),
                       largest->shape().byte_size(), std::move(detail)});
  }

  // WAY with another launch; as it is where there is no such: a block whose registers are not there, or
  // whose rows turn, and parts of rows that nobody else has a part of.
  template <typename Change>
  Way With(const Way& way, Change change) const {
    KernelDraft draft = way.draft;
    change(draft.launch);
    draft.launch.more_registers = more_ + kSpare;
    const int32_t block = draft.launch.block;
    Way other = Map(std::move(draft));
    const bool as_asked = block == 0 || other.kernel.launch.block == block;
    return as_asked && !SharesInVain(other) ? other : way;
  }

  // Clearly faster, with no more traffic.
  static bool IsBetter(const Way& way, const Way& than, double clearly = kClearly) {
    return IsFaster(way, than, clearly) && way.ns() + kLeastNs <= than.ns() &&
           way.kernel.traffic.total() <= than.kernel.traffic.total();
  }

  // Whether no way could be clearly faster: the launch, a first access and the bytes that have to move take
  // almost all of the time.
  bool AtBound(const Way& way) const {
    const double least = static_cast<double>(way.kernel.traffic.bound) /
                             (machine_.dram_gb_per_s * machine_.reachable_share) +
                         1e3 * machine_.launch_us + machine_.dram_latency_ns;
    return static_cast<double>(way.ns()) < std::max(kClearly * least, least + kLeastNs);
  }

  // ---- repeat

  // Phases that every block does, where that is predicted to be faster than a barrier: phases as they
  // are, or small reductions in one place.
  absl::Status ChooseRepeated(Way& best, PhaseRules rules) const {
    constexpr int64_t kMostBarriers = 16;  // of more, one is little
    const int64_t barriers = best.kernel.predicted.barriers;
    if (barriers == 0 || barriers > kMostBarriers) return absl::OkStatus();
    const int64_t behind_barriers = best.ns();
    RepeatPhases(best.fitted, best);
    const auto& values = info_.values();
    if (std::any_of(values.begin(), values.end(),
                    [](const Instruction* value) { return IsSmallReduction(*value); })) {
      rules.in_one_place = true;
      ASTITCH_ASSIGN_OR_RETURN(KernelDraft other, BuildPhases(info_, machine_, fusion_, rules));
      other.launch = best.draft.launch;
      RepeatPhases(std::move(other), best);
    }
    for (LedgerEntry& entry : best.fitted.ledger) {
      if (entry.home == "block" && entry.consumer == nullptr)
        entry.detail = RepeatDetail(best.ns(), behind_barriers);
    }
    return absl::OkStatus();
  }

  // Tries the phases of FROM, one group after the other.
  void RepeatPhases(KernelDraft from, Way& best) const {
    constexpr double kFaster = 1.01;
    for (const std::vector<size_t>& phases : RepeatablePhases(info_, from)) {
      KernelDraft repeated = WithRepeated(info_, from, phases);
      Way way = Map(repeated);
      if (!IsFaster(way, best, kFaster)) continue;
      way.launch = best.launch;
      from = std::move(repeated);
      best = std::move(way);
    }
  }

  // ---- stay

  void ChooseStaying(Way& best) const {
    KernelPlan staying = KeepRowsAcrossPhases(info_, best.fitted, machine_, best.kernel);
    if (staying == best.kernel) return;
    Way way{best.draft, best.fitted, std::move(staying), {}, best.launch};
    Predict(way);
    if (way.ns() < best.ns()) best = std::move(way);
  }

  // ---- slices

  // Phases that run together, slice after slice, or without, where that is clearly faster, or where slices
  // save nothing: they cost barriers for traffic.
  Way FitSlices(KernelDraft draft) const {
    Way way = Fit(std::move(draft));
    const auto sliced = [](const Phase& phase) { return phase.slice > 0; };
    if (std::none_of(way.kernel.phases.begin(), way.kernel.phases.end(), sliced)) return way;
    KernelDraft whole = way.draft;
    whole.launch.slices = false;
    Way other = Fit(std::move(whole));
    const bool in_vain =
        IsFaster(other, way, 1) && other.kernel.traffic.total() <= way.kernel.traffic.total();
    return in_vain || IsFaster(other, way, kClearly) ? other : way;
  }

  // ---- slots

  // DRAFT within the machine's shared memory. Of the slots that have to go, each moves to scratch memory,
  // the largest first, where that is predicted to be faster than computing its value again; none, unless
  // all together are much faster: it is traffic that no bound has.
  Way Fit(KernelDraft draft) const {
    constexpr double kMuch = 1.5;
    constexpr size_t kTriedOperations = 5000;  // values of the kernel times moves that are tried
    absl::flat_hash_set<const Instruction*> to_memory;
    std::vector<const Instruction*> tried;
    Way again = FitWith(draft, to_memory, &tried);
    if (fusion_ != Fusion::kStitch) tried.clear();
    // Blocks that all do a phase would write the same memory.
    std::erase_if(tried, [&](const Instruction* value) { return IsRepeated(draft, value); });
    tried.resize(std::min(tried.size(), kTriedOperations / info_.values().size()));
    if (tried.empty()) return again;
    Way moved = again;
    for (const Instruction* value : tried) {
      to_memory.insert(value);
      Way other = FitWith(draft, to_memory, nullptr);
      if (other.ns() < moved.ns()) {
        moved = std::move(other);
      } else {
        to_memory.erase(value);
      }
    }
    return IsFaster(moved, again, kMuch) ? moved : again;
  }

  // RECOMPUTED, if given: the values whose slots went.
  Way FitWith(const KernelDraft& draft, const absl::flat_hash_set<const Instruction*>& to_memory,
              std::vector<const Instruction*>* recomputed) const {
    FittedKernel fitted = MapWithinSharedMemory(info_, draft, machine_, to_memory);
    if (recomputed != nullptr) *recomputed = std::move(fitted.recomputed);
    Way way{draft, std::move(fitted.draft), std::move(fitted.kernel), {}, {}};
    Predict(way);
    return way;
  }

  void Predict(Way& way) const {
    way.traffic = CountTraffic(info_, way.fitted, way.kernel, machine_);
    way.kernel.traffic = SumOf(way.traffic);
    PredictKernel(machine_, way.traffic, way.kernel);
  }

  const RegionInfo& info_;
  const MachineModel& machine_;
  const Fusion fusion_;
  const int64_t more_;
  std::vector<LedgerEntry> ledger_;  // of choices
};

}  // namespace

absl::StatusOr<PlannedKernel> PlanKernel(const RegionInfo& info, const MachineModel& machine,
                                         Fusion fusion, int64_t more_registers) {
  return KernelPlanner(info, machine, fusion, more_registers).Run();
}

}  // namespace astitch
