// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// DRAM figures of counts are whole sectors of 32 bytes, so that small tensors show more than the plan.
#include "tools/simulated_report.h"

#include "absl/strings/str_cat.h"
#include "tools/simt_counts.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kSectorBytes = 32;

}  // namespace

std::string SimulatedText(const std::vector<SimulatedStep>& steps) {
  std::string out;
  for (const SimulatedStep& step : steps) {
    if (!step.is_kernel) {
      absl::StrAppend(&out, "library ", step.name, "  by the host\n");
      continue;
    }
    const simt::StageCounts sum = step.Total();
    const simt::BufferTraffic traffic = step.TensorTraffic(), own = step.OwnTraffic();
    absl::StrAppend(&out, "kernel ", step.name, "\n  DRAM bytes read ",
                    traffic.dram_read_sectors * kSectorBytes, " written ",
                    traffic.dram_write_sectors * kSectorBytes, "; the plan says ",
                    step.planned_read_bytes, " and ", step.planned_write_bytes,
                    "\n  L2 sectors loaded ", traffic.l2_load_sectors, " stored ",
                    traffic.l2_store_sectors, "; of scratch and barriers ", own.l2_load_sectors,
                    " and ", own.l2_store_sectors, "\n  warp instructions ", WarpInstructions(sum),
                    "  shared accesses ", sum.shared_accesses, "  bank conflicts ",
                    sum.bank_conflicts, "  barriers: block ", sum.block_barriers, " warp ",
                    sum.warp_barriers, " cluster ", sum.cluster_barriers, "\n");
  }
  return out;
}

nlohmann::ordered_json SimulatedJson(const std::vector<SimulatedStep>& steps) {
  Json out = Json::array();
  for (const SimulatedStep& step : steps) {
    if (!step.is_kernel) {
      out.push_back({{"library", step.name}});
      continue;
    }
    Json stages = Json::array();
    for (const simt::StageCounts& stage : step.stages)
      stages.push_back(StageJson(stage, step.buffers));
    out.push_back({{"kernel", step.name},
                   {"planned_read_bytes", step.planned_read_bytes},
                   {"planned_write_bytes", step.planned_write_bytes},
                   {"tensors", step.num_tensors},
                   {"resident_blocks", step.resident_blocks},
                   {"total", StageJson(step.Total(), step.buffers)},
                   {"stages", stages}});
  }
  return out;
}

}  // namespace astitch
