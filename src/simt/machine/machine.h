// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The machine that instructions act on: memory, order between threads, counts and reports.
//
// Instructions (simt/exec) call it; the scheduler drives it. It knows what an access or a barrier
// means, and nothing of opcodes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "simt/count/l2_cache.h"
#include "simt/launch.h"
#include "simt/machine/block.h"
#include "simt/report.h"

namespace astitch::simt {

// Where an address leads.
struct Place {
  Region* region = nullptr;  // null: nowhere, and reported
  int64_t offset = 0;
};

class Machine {
 public:
  Machine(const Module& module, const Program& program, const LaunchParams& params,
          absl::Span<Buffer> buffers);

  const Program& program() const { return program_; }
  const LaunchParams& params() const { return params_; }

  // --- blocks -------------------------------------------------------------------------------
  int64_t num_blocks() const { return num_blocks_; }
  int64_t cluster_blocks() const { return cluster_blocks_; }
  int32_t threads_per_block() const { return threads_per_block_; }
  std::unique_ptr<Cluster> MakeCluster(int64_t index);
  ThreadId GridThread(const Warp& warp, int lane) const {
    return static_cast<ThreadId>(warp.block->index * padded_threads_ + warp.index * 32 + lane);
  }
  uint64_t ReadSpecial(const Warp& warp, int lane, Special special) const;

  // --- memory -------------------------------------------------------------------------------
  // The place of ADDRESS, checked against bounds and alignment for OP's access of BYTES.
  Place Locate(Warp& warp, const Op& op, int lane, uint64_t address, int bytes);
  // Checks and records; false when a report says that the value means nothing.
  bool Loaded(Warp& warp, const Op& op, int lane, const Place& place, int bytes);
  bool Stored(Warp& warp, const Op& op, int lane, const Place& place, int bytes);
  // An atomic: both at once, and its order.
  bool Exchanged(Warp& warp, const Op& op, int lane, const Place& place, int bytes, bool written);
  // --- memory, a warp at a time (warp_access.cc) -----------------------------------------------
  // The one region to which BASE plus OP's offset leads all lanes of MASK, and where in it, by lane.
  // Null: lanes go apart, or there is something to say of one, so that each is located by itself.
  Region* LocateTogether(Warp& warp, const Op& op, uint32_t mask, const uint64_t* base, int bytes,
                         int64_t (&offsets)[32]);
  // As Loaded and Stored for all lanes of MASK. False: nothing was done, each lane goes by itself.
  bool LoadedTogether(Warp& warp, const Op& op, uint32_t mask, Region& region,
                      const int64_t (&offsets)[32], int bytes);
  bool StoredTogether(Warp& warp, const Op& op, uint32_t mask, Region& region,
                      const int64_t (&offsets)[32], int bytes);
  // Counts one warp's access: OFFSETS and REGIONS by lane, or all of one region.
  void CountTogether(const Op& op, uint32_t mask, const Region& region,
                     const int64_t (&offsets)[32], int bytes, bool store);
  void CountAccess(const Op& op, uint32_t mask, Region* const (&regions)[32],
                   const int64_t (&offsets)[32], int bytes, bool store);

  // --- order --------------------------------------------------------------------------------
  bool races() const { return params_.races; }
  RaceDetector& detector() { return detector_; }
  Accessor AccessorOf(Warp& warp, const Op& op, int lane);
  // Lanes of MASK wait at barrier NUMBER; EXPECTED threads (0: all) complete it. VOTES: lanes whose
  // predicate holds, of bar.red.
  void ArriveAtBarrier(Warp& warp, const Op& op, uint32_t mask, int number, int32_t expected,
                       bool wait, std::optional<uint32_t> votes);
  void ClusterArrive(Warp& warp, const Op& op, uint32_t mask, bool release);
  // True: the barrier is complete and the lanes may go on.
  bool ClusterMayPass(Warp& warp, int lane);
  void ClusterPass(Warp& warp, const Op& op, uint32_t mask, bool acquire);
  void Exit(Warp& warp, const Op& op, uint32_t mask);

  // --- results ------------------------------------------------------------------------------
  void ReportAt(ReportKind kind, const Warp& warp, const Op& op, int lane, int32_t other_line,
                absl::FunctionRef<std::string()> message);
  StageCounts& stage(const Op& op) { return stages_[op.stage]; }
  ReportSink& reports() { return reports_; }
  std::vector<StageCounts> TakeStages() { return std::move(stages_); }
  // Something changed that a waiting thread may be waiting for.
  void Progress() { ++progress_; }
  uint64_t progress() const { return progress_; }
  // A strong read, or an atomic that changed nothing: perhaps one of a thread that waits.
  void Poll(Warp& warp, uint64_t address, uint64_t value);
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  uint64_t clock = 0;  // instructions of warps so far

 private:
  void AddBuffers(const Module& module, absl::Span<Buffer> buffers);
  void AddBuffer(Buffer& buffer);
  void FillParameters();
  std::unique_ptr<Block> MakeBlock(int64_t index, Cluster& cluster, uint32_t rank);
  void StartWarp(Warp& warp);
  Region* FindRegion(Warp& warp, const Op& op, int lane, Space space, uint64_t address,
                     int64_t& offset);
  Region* FindShared(Warp& warp, uint64_t address, int64_t& offset);
  void CheckAlive(Warp& warp, const Op& op, int lane, const Region& region);
  Region* FindLocal(Warp& warp, int lane);
  bool CheckValid(Warp& warp, const Op& op, int lane, const Place& place, int bytes);
  void ReportConflict(Warp& warp, const Op& op, int lane, const Place& place, int bytes,
                      const Conflict& conflict, bool writes);
  std::string ThreadText(ThreadId thread) const;
  void CountSectors(const Op& op, uint32_t mask, Region* const (&regions)[32],
                    const int64_t (&offsets)[32], int bytes, bool store);
  void TouchSector(StageCounts& counts, int32_t buffer, int64_t sector, bool store,
                   bool evict_first = false);
  void CompleteBarrier(Block& block, int number);
  void CheckBarriers(Block& block);
  void CheckCluster(Cluster& cluster);

  const Module& module_;
  const Program& program_;
  const LaunchParams& params_;
  int64_t num_blocks_, cluster_blocks_;
  std::array<int64_t, 3> cluster_dims_;
  int32_t threads_per_block_, padded_threads_, warps_per_block_;
  int64_t shared_bytes_;
  std::vector<Buffer> module_buffers_;
  std::vector<Region> buffers_;  // the caller's, then the module's
  size_t num_caller_buffers_ = 0;
  std::deque<Shadow> shadows_;
  std::vector<uint8_t> parameter_bytes_, const_bytes_;
  Region parameter_region_, const_region_;
  RaceDetector detector_;
  std::unique_ptr<L2Cache> l2_;
  std::vector<StageCounts> stages_;
  ReportSink reports_;
  uint64_t progress_ = 0;
  bool stopped_ = false;
};

}  // namespace astitch::simt
