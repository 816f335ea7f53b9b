// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Phases: turns a region into phases and stages, and gives every value its home (AStitch, ASPLOS
// 2022, 4.3).
//
// One phase after the other: choose rows at the most telling operation that is still to do; take
// with it every reduction and output that those rows allow, by the block-locality check on axes;
// what needs a value of other rows waits for a later phase, behind a barrier of the grid, and the
// value gets a Global home, unless computing it again from what is in memory is cheap. Inside a
// phase, a reduction ends a stage; values needed in several stages are kept Regional if they are
// expensive, and computed again if they are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "plan/plan.h"
#include "stitch/fusion.h"
#include "stitch/machine.h"
#include "stitch/region_info.h"
#include "stitch/row_space.h"

namespace astitch {

struct RootDraft {
  const Instruction* value =
      nullptr;  // a reduce instruction for kReduce and kCombine, a scan for kScan
  RootKind kind = RootKind::kStore;
  ReduceOver over = ReduceOver::kNone;
  bool partial = false;
};

struct StageDraft {
  int64_t step = 0;              // stages run in ascending order of steps
  std::vector<int32_t> columns;  // axes; a combine stage has none here, its columns are the parts
  bool combine = false;
  bool serial = false;      // folds in order: every thread walks all columns
  bool one_by_one = false;  // host: scans, column after column
  std::vector<RootDraft> roots;
  bool last_reader = false;  // of a value in memory with rows
  bool along_rows = false;   // GPU: lanes run along rows, which several threads share (turn.h)
  bool chunked = false;      // takes the columns chunk by chunk, with its neighbours that do, too
};

// How memory runs in a phase, other than along the columns (turn.h).
enum class Turn : uint8_t {
  kNone,
  kRows,  // along the rows
  kTile,  // along both: values are turned in slots of the tile
};

struct PhaseDraft {
  RowSpace space;
  PhaseBarrier barrier =
      PhaseBarrier::kNone;                // before it, since it reads what an earlier phase wrote
  bool repeated = false;                  // every block does all of it, for itself
  std::vector<const Instruction*> reads;  // inputs and values of earlier phases
  std::vector<const Instruction*> reads_again;  // those of READS that several sweeps read
  std::vector<StageDraft> stages;
  Turn turn = Turn::kNone;
};

// What mapping may choose otherwise than its tables do.
struct LaunchRules {
  // The one mapping of XLA in 2021: a block a row, however short or few the rows are.
  bool row_is_block = false;
  // Registers of a thread that the kernel is known to need beyond those that the rules assume.
  int64_t more_registers = 0;
  int32_t block = 0;            // threads, where they and their registers fit; 0: by the tables
  int64_t held_registers = 96;  // the most of a thread for columns of its rows, if wider teams help
  bool holds_inputs = true;     // a thread holds what later sweeps read again, as far as that fits
  bool slices = true;           // phases may run together, slice after slice (slices.h)
  friend bool operator==(const LaunchRules&, const LaunchRules&) = default;
};

struct KernelDraft {
  LaunchRules launch;
  std::vector<PhaseDraft> phases;
  absl::flat_hash_map<const Instruction*, Home> homes;  // of every computed value
  std::vector<LedgerEntry> ledger;
};

struct PhaseRules {
  bool in_one_place = false;  // whoever folds a small reduction folds all of a result (repeat.h)
  bool whole_rows = false;    // blocks share no rows, however few those are
  bool clusters = true;       // they may share them in clusters, where the machine has those
  bool costly_first = false;  // what is costly and handed to many has a phase of its own (stored.h)
};

// Baselines choose rows as we do, but pass values through registers only, and split no row over
// blocks.
absl::StatusOr<KernelDraft> BuildPhases(const RegionInfo& info, const MachineModel& machine,
                                        Fusion fusion, PhaseRules rules = {});

}  // namespace astitch
