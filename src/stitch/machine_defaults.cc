// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Starting values: good enough to compare two plans, to be replaced by a file's own.
#include "stitch/machine_defaults.h"

#include <algorithm>
#include <string>

namespace astitch {
namespace {

class Defaults {
 public:
  explicit Defaults(MachineModel& machine) : m_(machine) {}

  void Run() {
    Set("reachable_share", m_.reachable_share, 0.9, "of a good streaming kernel");
    if (m_.is_host()) {
      Host();
    } else {
      Gpu();
    }
  }

 private:
  void Set(const char* field, double& out, double value, const char* why) {
    const auto [it, fresh] = m_.sources.emplace(field, std::string("default: ") + why);
    if (fresh) out = value;
  }

  // Lanes: CUDA C++ Programming Guide, throughput of native arithmetic instructions.
  void Gpu() {
    const int sm = m_.sm;
    const bool half = sm == 70 || sm == 75 || sm == 80;
    const bool wide64 = sm == 70 || sm == 80 || (sm >= 90 && sm < 120);
    const auto sms = static_cast<double>(m_.num_sms);
    constexpr const char* kArchitecture = "of the architecture";
    Set("clock_ghz", m_.clock_ghz, 1.5, "of server GPUs");
    Set("fp32_lanes_per_sm", m_.fp32_lanes_per_sm, half ? 64 : 128, kArchitecture);
    Set("fp64_lanes_per_sm", m_.fp64_lanes_per_sm, wide64 ? m_.fp32_lanes_per_sm / 2 : 2,
        kArchitecture);
    Set("special_lanes_per_sm", m_.special_lanes_per_sm, 16, kArchitecture);
    // A multiprocessor takes 64 bytes a clock; half of that reaches it where all do.
    Set("l2_gb_per_s", m_.l2_gb_per_s, 32 * sms * m_.clock_ghz,
        "32 bytes a clock of a multiprocessor");
    // The first tensor cores did 512 multiply-adds a clock of a multiprocessor.
    Set("matrix_tflops", m_.matrix_tflops, 1.024 * sms * m_.clock_ghz,
        "1024 operations a clock of a multiprocessor");
    Set("dram_latency_ns", m_.dram_latency_ns, 500, "of GPUs");
    Set("l2_latency_ns", m_.l2_latency_ns, 200, "of GPUs");
    Set("block_barrier_ns", m_.block_barrier_ns, 40, "of GPUs");
    Set("cluster_barrier_ns", m_.cluster_barrier_ns, 250, "of GPUs with clusters");
    Set("launch_us", m_.launch_us, 1.0, "of kernels of one stream");
    Set("grid_barrier_us", m_.grid_barrier_us, 1.3, "at one or two blocks a multiprocessor");
  }

  // Caches in bytes a clock of a core, as measured on servers of two makers.
  void Host() {
    Set("clock_ghz", m_.clock_ghz, 2.5, "of servers");
    Set("vector_ports", m_.vector_ports, 2, "of servers");
    Set("worker_l2_gb_per_s", m_.worker_l2_gb_per_s, 24 * m_.clock_ghz, "24 bytes a clock");
    Set("worker_l3_gb_per_s", m_.worker_l3_gb_per_s, 12 * m_.clock_ghz, "12 bytes a clock");
    Set("worker_dram_gb_per_s", m_.worker_dram_gb_per_s, m_.dram_gb_per_s / std::min(m_.workers, 4),
        "four workers, or all, take what memory gives");
    // Two multiply-adds of vectors a clock.
    Set("matrix_tflops", m_.matrix_tflops, 4e-3 * m_.workers * m_.clock_ghz * (m_.vector_bytes / 4),
        "multiply-adds on two ports");
    Set("launch_us", m_.launch_us, 0.3, "of a team that waits awake");
    Set("grid_barrier_us", m_.grid_barrier_us, 0.2, "of a team that waits awake");
  }

  MachineModel& m_;
};

}  // namespace

void FillDefaults(MachineModel& machine) { Defaults(machine).Run(); }

}  // namespace astitch
