// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// MachineModel: what the planner needs to know of the machine a plan is for.
//
// GPUs come from the JSON files in machines/, embedded at build; a user adds one with
// --target=@file.json. The host is read off the machine it runs on (host_machine.h). A plain value.
//
// Where each figure is from is a figure's other half: data sheets are to be trusted, estimates are to
// be replaced by measurements.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

struct MachineModel {
  enum class Kind : uint8_t { kHost, kGpu };
  std::string name;
  Kind kind = Kind::kGpu;
  std::vector<std::string> aliases;  // "sm_80"
  bool is_host() const { return kind == Kind::kHost; }

  // ---- GPU
  int32_t sm = 80;
  int64_t num_sms = 1;
  int32_t max_threads_per_sm = 2048, max_blocks_per_sm = 32, max_threads_per_block = 1024;
  int64_t registers_per_sm = 65536;
  int32_t max_registers_per_thread = 255;
  int64_t shared_bytes_per_sm = 0, shared_bytes_per_block = 0;
  // Of each resident block, by the system (CUDA C++ Programming Guide, compute capabilities).
  int64_t reserved_shared_bytes() const { return sm >= 80 ? 1024 : 0; }
  int32_t max_cluster = 1;
  // Operations a clock of a multiprocessor: adds and multiplications; reciprocals, square roots and
  // the like.
  double fp32_lanes_per_sm = 64, fp64_lanes_per_sm = 2, special_lanes_per_sm = 16;
  double l2_gb_per_s = 0;  // of the device, read
  double dram_latency_ns = 500, l2_latency_ns = 200;
  double block_barrier_ns = 40, cluster_barrier_ns = 250;

  // ---- host
  int32_t workers = 1;         // threads that may take part
  int64_t l1_bytes = 32768;    // data, a core
  int64_t l2_bytes = 1 << 20;  // a core on the host; of the device on a GPU
  int64_t l3_bytes = 0;        // shared by the workers
  int32_t vector_bytes = 32;   // widest vector registers
  double vector_ports = 2;     // vector operations a clock of a core
  // Of one worker: what it reads and writes of its own second-level cache, of the shared cache, and of
  // memory.
  double worker_l2_gb_per_s = 0, worker_l3_gb_per_s = 0, worker_dram_gb_per_s = 0;

  // What a phase may leave the next in the last level of cache: all of a GPU's; half of the host's,
  // which others use as well.
  int64_t last_cache_bytes() const { return is_host() ? l3_bytes / 2 : l2_bytes; }

  // ---- both
  int64_t dram_bytes = 0;
  double dram_gb_per_s = 0;      // peak
  double reachable_share = 0.9;  // of the peak, by a good streaming kernel
  double launch_us = 1.0;        // gap between two kernels
  double grid_barrier_us = 1.3;
  double clock_ghz = 0;      // that it keeps under load
  double matrix_tflops = 0;  // matrix products of 16-bit floats (host: of f32), dense

  // By field, where its figure is from; one that a file leaves out has a default, and says so.
  std::map<std::string, std::string> sources;

  friend bool operator==(const MachineModel&, const MachineModel&) = default;
};

// Reads one machine file. Every figure in it has a source: "sources" has a list of fields for each,
// "source" is that of all other fields. What the cost model needs and the file leaves out is derived
// from the others (machine_defaults.h). Errors name the field and what was expected.
absl::StatusOr<MachineModel> ParseMachine(absl::string_view json, absl::string_view file);

// A GPU by name or alias ("a100", "sm_80"). Error: unknown name, with the known ones.
absl::StatusOr<MachineModel> FindMachine(absl::string_view name);

// Names of all embedded machines, sorted.
std::vector<std::string> ListMachines();

}  // namespace astitch
