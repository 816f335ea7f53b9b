// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stages' wants from their work, phases from those.
#include "stitch/cost.h"

#include <algorithm>
#include <cmath>

#include "base/checked_math.h"
#include "stitch/stage_rates.h"
#include "stitch/stage_work.h"

namespace astitch {
namespace {

int64_t Whole(double value) { return std::llround(std::min(value, 9e18)); }

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

// Parts of TOTAL in the ratio of WEIGHTS, whole numbers that add up to it.
std::vector<int64_t> Share(int64_t total, const std::vector<double>& weights) {
  std::vector<int64_t> parts(weights.size(), 0);
  const double sum = Sum(weights);
  double before = 0;
  int64_t given = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    before += weights[i];
    const bool last = i + 1 == weights.size();
    const double share = sum > 0 ? before / sum : static_cast<double>(i + 1) / weights.size();
    const int64_t until = last ? total : std::min(total, Whole(static_cast<double>(total) * share));
    parts[i] = until - given;
    given = until;
  }
  return parts;
}

class Predictor {
 public:
  Predictor(const MachineModel& machine, const std::vector<Traffic>& traffic, KernelPlan& kernel)
      : machine_(machine), kernel_(kernel), works_(WorkOf(kernel, machine)), traffic_(traffic) {
    if (traffic_.size() != works_.size()) traffic_ = SpreadOverPhases();
  }

  void Run() {
    Prediction all;
    all.dram_bytes = kernel_.traffic.total();
    std::vector<double> by_bound(4, 0.0);
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      const PhaseTime time = RunPhase(p, all);
      by_bound[static_cast<size_t>(time.bound)] += time.ns;
    }
    all.barriers = NumBarriers();
    const double waits =
        1e3 * (machine_.launch_us + static_cast<double>(all.barriers) * machine_.grid_barrier_us);
    all.latency_ns += Whole(waits);
    by_bound[static_cast<size_t>(Bound::kLatency)] += waits;
    all.ns = Whole(Sum(by_bound));
    all.bound =
        static_cast<Bound>(std::max_element(by_bound.begin(), by_bound.end()) - by_bound.begin());
    kernel_.predicted = all;
  }

 private:
  // Where nobody says, as if no cache kept anything between phases.
  std::vector<Traffic> SpreadOverPhases() const {
    std::vector<double> read, written;
    for (const std::vector<StageWork>& stages : works_) {
      double r = 0, w = 0;
      for (const StageWork& work : stages) {
        r += work.first_bytes;
        w += work.written_bytes;
      }
      read.push_back(r);
      written.push_back(w);
    }
    const std::vector<int64_t> reads = Share(kernel_.traffic.read, read);
    const std::vector<int64_t> writes = Share(kernel_.traffic.written, written);
    std::vector<Traffic> out(works_.size());
    for (size_t p = 0; p < out.size(); ++p) out[p] = {.read = reads[p], .written = writes[p]};
    return out;
  }

  // What is read again comes from memory as far as the phase reads more than everything once.
  std::vector<Traffic> SpreadOverStages(size_t p) const {
    std::vector<double> first, again, written;
    for (const StageWork& work : works_[p]) {
      first.push_back(work.first_bytes);
      again.push_back(work.again_bytes);
      written.push_back(work.written_bytes);
    }
    const bool more = Sum(again) > 0 && static_cast<double>(traffic_[p].read) > Sum(first);
    const int64_t once = more ? Whole(Sum(first)) : traffic_[p].read;
    const std::vector<int64_t> reads = Share(once, first);
    const std::vector<int64_t> more_reads = Share(traffic_[p].read - once, again);
    const std::vector<int64_t> writes = Share(traffic_[p].written, written);
    std::vector<Traffic> out(works_[p].size());
    for (size_t s = 0; s < out.size(); ++s)
      out[s] = {.read = reads[s] + more_reads[s], .written = writes[s]};
    return out;
  }

  // Sets the predictions of the stages, adds their inputs to ALL's, and returns how long all of them take.
  PhaseTime RunPhase(size_t p, Prediction& all) {
    Phase& phase = kernel_.phases[p];
    const std::vector<Traffic> traffic = SpreadOverStages(p);
    const StageRates rates(machine_, kernel_, phase, works_[p]);
    StageWants sum;
    double in_turn_ns = 0;
    for (size_t s = 0; s < phase.stages.size(); ++s) {
      const StageWants wants = rates.WantsOf(phase.stages[s], works_[p][s], traffic[s]);
      sum.Add(wants);
      const PhaseTime time = wants.Of(machine_);
      in_turn_ns += time.ns;
      Prediction& stage = phase.stages[s].predicted;
      stage = {};
      stage.ns = Whole(time.ns);
      stage.bound = time.bound;
      stage.dram_bytes = traffic[s].total();
      const double slots = machine_.is_host() ? works_[p][s].slot_bytes : 0;
      stage.cache_bytes = Whole(works_[p][s].moved_bytes + slots);
      stage.operations = Whole(works_[p][s].operations);
      stage.latency_ns = Whole(wants.latency_ns);
      all.cache_bytes += stage.cache_bytes;
      all.operations += stage.operations;
    }
    all.latency_ns += Whole(sum.latency_ns);
    PhaseTime phase_time = sum.Of(machine_);
    if (!machine_.is_host())
      phase_time.ns += std::max(0.0, in_turn_ns - phase_time.ns) / rates.OverlappingTiles();
    return phase_time;
  }

  // Phases that run slice by slice meet in each slice, but not before the first of them: slices have
  // nothing to do with each other.
  int64_t NumBarriers() const {
    int64_t barriers = 0;
    for (size_t p = 0; p < kernel_.phases.size();) {
      const auto [first, last] = kernel_.SlicedWith(p);
      for (size_t q = first; q <= last; ++q) {
        const int64_t times = q == first ? 1 : kernel_.phases[q].num_slices();
        barriers += kernel_.phases[q].waits_for_blocks() ? times : 0;
      }
      p = last + 1;
    }
    return barriers;
  }

  const MachineModel& machine_;
  KernelPlan& kernel_;
  const std::vector<std::vector<StageWork>> works_;
  std::vector<Traffic> traffic_;
};

}  // namespace

void PredictKernel(const MachineModel& machine, const std::vector<Traffic>& traffic,
                   KernelPlan& kernel) {
  Predictor(machine, traffic, kernel).Run();
}

}  // namespace astitch
