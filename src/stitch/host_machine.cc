// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Linux: affinity mask, sysfs caches, cpuid by the compiler's built-in.
#include "stitch/host_machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "stitch/machine_defaults.h"

namespace astitch {
namespace {

int UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string CacheField(int index, absl::string_view field) {
  absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", index, "/", field));
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
}

// "48K", "32M" in bytes; 0 when it is neither.
int64_t ParseSize(absl::string_view text) {
  int64_t scale = 1;
  if (!text.empty() && text.back() == 'K') scale = 1 << 10;
  if (!text.empty() && text.back() == 'M') scale = 1 << 20;
  if (scale > 1) text.remove_suffix(1);
  int64_t value;
  return absl::SimpleAtoi(text, &value) ? value * scale : 0;
}

}  // namespace

MachineModel DetectHost(int workers) {
  MachineModel machine;
  machine.name = "host";
  machine.kind = MachineModel::Kind::kHost;
  machine.workers = workers > 0 ? workers : UsableCores();
  machine.l3_bytes = 8 << 20;
  for (int i = 0; i < 8; ++i) {
    const std::string level = CacheField(i, "level"), type = CacheField(i, "type");
    const int64_t bytes = ParseSize(CacheField(i, "size"));
    if (bytes <= 0 || type == "Instruction") continue;
    if (level == "1") machine.l1_bytes = bytes;
    if (level == "2") machine.l2_bytes = bytes;
    if (level == "3") machine.l3_bytes = bytes;
  }
#if defined(__x86_64__)
  machine.vector_bytes = __builtin_cpu_supports("avx512f") ? 64 : 32;
#else
  machine.vector_bytes = 16;
#endif
  machine.dram_bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  constexpr double kWorkerGbPerS = 25;
  machine.worker_dram_gb_per_s = kWorkerGbPerS;
  machine.dram_gb_per_s = kWorkerGbPerS * std::min(machine.workers, 8);
  machine.reachable_share = 1;
  for (const char* field :
       {"workers", "l1_bytes", "l2_bytes", "l3_bytes", "vector_bytes", "dram_bytes"})
    machine.sources[field] = "read off the machine";
  machine.sources["dram_gb_per_s"] = "estimate: 25 GB/s a worker, of at most eight";
  machine.sources["worker_dram_gb_per_s"] = "estimate: copies of one worker on servers";
  machine.sources["reachable_share"] = "estimate: the bandwidth is one that is reached";
  // The nominal clock: the current one would make plans differ from run to run.
  const absl::StatusOr<std::string> khz =
      ReadFile("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency");
  double clock_khz = 0;
  if (khz.ok() && absl::SimpleAtod(absl::StripAsciiWhitespace(*khz), &clock_khz)) {
    machine.clock_ghz = clock_khz / 1e6;
    machine.sources["clock_ghz"] = "read off the machine";
  }
  FillDefaults(machine);
  return machine;
}

}  // namespace astitch
