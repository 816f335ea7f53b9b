// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every constant that is no figure of the machine stands here, with what it is from.
#include "stitch/stage_rates.h"

#include <algorithm>
#include <cmath>

#include "base/checked_math.h"

namespace astitch {
namespace {

// ---- GPU

// A multiprocessor takes 64 bytes a clock from L2 (CUDA C++ Best Practices Guide).
constexpr double kBytesPerClock = 64;
// Threads that keep all lanes of a multiprocessor busy: four schedulers, four clocks from an operation
// to the next that needs it.
constexpr double kBusyThreads = 512;
// Share of the issue slots that operations take; the others are indices, addresses, branches. Estimate.
constexpr double kOperationShare = 0.8;
// Loads that the assembler takes together where the plan unrolls less. Estimate.
constexpr double kAssemblerUnroll = 4;
constexpr double kSharedNs = 25;  // shared memory, from a load to its use
constexpr double kSearchNs =
    60;  // a round of loads from the first-level cache, compared, and a vote
constexpr double kShuffleNs = 15;  // one step of an exchange between the lanes of a warp

// ---- host; calibrated with astitch-bench on an AVX2 server

// Of the lesser of memory and arithmetic, what does not overlap.
constexpr double kSerialShare = 0.2;
// Share of the nominal peak of the vector units that compiled sweeps reach.
constexpr double kVectorShare = 0.95;
// Of what a worker moves from and to memory, how much may be reads: they wait for lines to come, while
// stores around the caches wait for nothing.
constexpr double kReadShare = 0.62;
constexpr double kFirstCacheBytesPerClock = 64;
constexpr double kTaskNs = 150;  // taking a task from the team's counter, entering its loops

double Columns(const Stage& stage, const Phase& phase) {
  return static_cast<double>(phase.columns_per_task(stage));
}

// GPU: of all multiprocessors in a nanosecond.
double OperationsPerNs(const MachineModel& m) {
  return m.fp32_lanes_per_sm * m.clock_ghz * kOperationShare * static_cast<double>(m.num_sms);
}

}  // namespace

double OperationsOfBarrier(const MachineModel& m) {
  return 1e3 * m.grid_barrier_us * OperationsPerNs(m);
}

double OperationsOfRoundTrip(const Instruction& value, const MachineModel& m) {
  const double bytes = ByteWidth(value.shape().element_type());
  if (!m.is_host()) {
    // More is not worth the registers and the code.
    constexpr double kMost = 64;
    return std::min(kMost, 2 * bytes / (m.dram_gb_per_s * m.reachable_share) * OperationsPerNs(m));
  }
  const double operations = m.vector_bytes / 4.0 * m.vector_ports * m.clock_ghz * kVectorShare;
  if (value.shape().byte_size() <= m.last_cache_bytes())
    return 2 * bytes / m.worker_l3_gb_per_s * operations;
  // A store reads its line first.
  return 3 * bytes / m.worker_dram_gb_per_s * operations;
}

void StageWants::Add(const StageWants& next) {
  memory_ns += next.memory_ns;
  cache_ns += next.cache_ns;
  arithmetic_ns += next.arithmetic_ns;
  latency_ns += next.latency_ns;
  first_access_ns = std::max(first_access_ns, next.first_access_ns);
  in_turn_ns += next.in_turn_ns;
}

PhaseTime StageWants::Of(const MachineModel& machine) const {
  const double most = std::max({memory_ns, cache_ns, arithmetic_ns, latency_ns});
  PhaseTime time;
  time.bound = most == memory_ns       ? Bound::kMemory
               : most == cache_ns      ? Bound::kCache
               : most == arithmetic_ns ? Bound::kArithmetic
                                       : Bound::kLatency;
  time.ns = machine.is_host()               ? in_turn_ns
            : time.bound == Bound::kLatency ? latency_ns
                                            : most + first_access_ns;
  return time;
}

StageRates::StageRates(const MachineModel& machine, const KernelPlan& kernel, const Phase& phase,
                       const std::vector<StageWork>& works)
    : machine_(machine), kernel_(kernel), phase_(phase) {
  for (const StageWork& work : works) phase_bytes_ += work.first_bytes + work.written_bytes;
  const int64_t tasks = std::max<int64_t>(1, phase.num_tasks());
  const int64_t grid = std::max<int64_t>(1, kernel.launch.grid);
  const int64_t active = phase.repeated ? grid : std::min(grid, tasks);
  blocks_ = static_cast<double>(active);
  rounds_ = static_cast<double>(phase.repeated ? tasks : CeilDiv(tasks, active));
  tiles_ = static_cast<double>(CeilDiv(std::max<int64_t>(1, phase.rows_per_task), phase.tile_rows));
  // Tasks are dealt to blocks, and those to multiprocessors, in turn.
  const int64_t cores = std::min(active, machine.is_host() ? machine.workers : machine.num_sms);
  const int64_t most = phase.repeated ? tasks : CeilDiv(tasks, cores);
  cores_ = static_cast<double>(phase.repeated ? tasks * cores : tasks) / static_cast<double>(most);
}

StageWants StageRates::WantsOf(const Stage& stage, const StageWork& work,
                               const Traffic& dram) const {
  return machine_.is_host() ? OnHost(stage, work, dram) : OnGpu(stage, work, dram);
}

// A block that has a multiprocessor for itself is in one stage at a time.
double StageRates::OverlappingTiles() const {
  const double blocks = std::ceil(blocks_ / static_cast<double>(machine_.num_sms));
  return blocks > 1 ? blocks * rounds_ * tiles_ : 1;
}

StageWants StageRates::OnGpu(const Stage& stage, const StageWork& work, const Traffic& dram) const {
  const MachineModel& m = machine_;
  StageWants wants;
  wants.memory_ns = static_cast<double>(dram.total()) / (m.dram_gb_per_s * m.reachable_share);
  wants.cache_ns =
      work.moved_bytes / std::min(m.l2_gb_per_s, kBytesPerClock * m.clock_ghz * cores_);
  // Threads that are resident on one multiprocessor.
  const double blocks = static_cast<double>(CeilDiv(kernel_.launch.grid, m.num_sms));
  const double busy = std::min(1.0, blocks * kernel_.launch.block / kBusyThreads);
  wants.arithmetic_ns =
      work.operations / (m.fp32_lanes_per_sm * m.clock_ghz * cores_ * busy * kOperationShare);
  wants.latency_ns = rounds_ * tiles_ * TileLatency(stage, work, dram);
  wants.first_access_ns = work.moved_bytes == 0 ? 0
                          : dram.read > 0       ? m.dram_latency_ns
                                                : m.l2_latency_ns;
  return wants;
}

// Of one tile in a block: rounds of accesses that wait for each other, then the exchanges.
double StageRates::TileLatency(const Stage& stage, const StageWork& work,
                               const Traffic& dram) const {
  const MachineModel& m = machine_;
  const double elements =
      Columns(stage, phase_) *
      static_cast<double>(std::min(phase_.tile_rows, std::max<int64_t>(1, phase_.num_rows())));
  const double in_flight = static_cast<double>(kernel_.launch.block) * stage.vector *
                           std::max<double>(kAssemblerUnroll, stage.unroll);
  const bool reads = work.first_bytes + work.again_bytes > 0;
  const double access = !reads ? kSharedNs : dram.read > 0 ? m.dram_latency_ns : m.l2_latency_ns;
  double ns = std::ceil(elements / in_flight) * access + work.search_rounds * kSearchNs;
  if (work.folds_columns && phase_.threads_per_row > 1)
    ns += kShuffleNs * std::log2(std::min(32, phase_.threads_per_row));
  const bool over_warps = work.folds_columns && phase_.threads_per_row > 32;
  if (over_warps || stage.barrier == StageBarrier::kBlock) ns += m.block_barrier_ns;
  if (stage.barrier == StageBarrier::kCluster) ns += m.cluster_barrier_ns;
  return ns;
}

// Bytes a nanosecond of one worker from the cache that holds a tile of the phase.
double StageRates::TileRate() const {
  const double tiles = static_cast<double>(std::max<int64_t>(1, phase_.num_tasks())) * tiles_;
  const double bytes = phase_bytes_ / tiles + static_cast<double>(kernel_.launch.shared_bytes);
  if (bytes <= static_cast<double>(machine_.l1_bytes))
    return kFirstCacheBytesPerClock * machine_.clock_ghz;
  return bytes <= static_cast<double>(machine_.l2_bytes) ? machine_.worker_l2_gb_per_s
                                                         : machine_.worker_l3_gb_per_s;
}

// Operations of elements that are no whole vector are done one by one.
double StageRates::VectorShare(const Stage& stage) const {
  if (stage.vector_rows || stage.vector <= 1) return 1;
  const double lanes = machine_.vector_bytes / 4.0;
  const double columns = Columns(stage, phase_);
  const double whole = std::floor(columns / stage.vector) * stage.vector;
  return columns / (whole + (columns - whole) * lanes);
}

StageWants StageRates::OnHost(const Stage& stage, const StageWork& work,
                              const Traffic& dram) const {
  const MachineModel& m = machine_;
  StageWants wants;
  // A store reads its line first, unless it goes around the caches.
  const double reads = static_cast<double>(dram.read + (stage.streaming ? 0 : dram.written));
  const double bytes = reads + static_cast<double>(dram.written);
  wants.memory_ns = std::max({bytes / (m.dram_gb_per_s * m.reachable_share),
                              bytes / (m.worker_dram_gb_per_s * cores_),
                              reads / (m.worker_dram_gb_per_s * kReadShare * cores_)});
  const double again =
      std::max(0.0, work.moved_bytes + work.slot_bytes - static_cast<double>(dram.total()));
  wants.cache_ns = again / (TileRate() * cores_);
  const double lanes = m.vector_bytes / 4.0 * m.vector_ports * VectorShare(stage);
  wants.arithmetic_ns = work.operations / (lanes * m.clock_ghz * cores_ * kVectorShare);
  wants.latency_ns = rounds_ * kTaskNs / static_cast<double>(phase_.stages.size());
  const double busy = wants.arithmetic_ns + wants.cache_ns;
  wants.in_turn_ns = std::max(wants.memory_ns, busy) +
                     kSerialShare * std::min(wants.memory_ns, busy) + wants.latency_ns;
  return wants;
}

}  // namespace astitch
