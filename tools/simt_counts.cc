// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One line a class of instructions and a buffer; what did not happen is left out.
#include "tools/simt_counts.h"

#include <numeric>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

int64_t Total(const std::array<int64_t, simt::kNumOpClasses>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

}  // namespace

void AppendStage(const simt::StageCounts& stage, absl::Span<const std::string> buffers,
                 std::string* out) {
  absl::StrAppend(out, "stage ", stage.stage.empty() ? "-" : stage.stage, "  warp instructions ",
                  Total(stage.warp_instructions), "  thread instructions ",
                  Total(stage.thread_instructions), "\n");
  for (int i = 0; i < simt::kNumOpClasses; ++i) {
    if (stage.warp_instructions[i] == 0) continue;
    absl::StrAppend(out, "  ", simt::ToString(static_cast<simt::OpClass>(i)), " ",
                    stage.warp_instructions[i], "\n");
  }
  if (stage.shared_accesses > 0) {
    absl::StrAppend(out, "  shared accesses ", stage.shared_accesses, "  bank conflicts ",
                    stage.bank_conflicts, "\n");
  }
  if (stage.block_barriers + stage.warp_barriers + stage.cluster_barriers > 0) {
    absl::StrAppend(out, "  barriers: block ", stage.block_barriers, "  warp ", stage.warp_barriers,
                    "  cluster ", stage.cluster_barriers, "\n");
  }
  for (size_t b = 0; b < buffers.size() && b < stage.buffers.size(); ++b) {
    const simt::BufferTraffic& t = stage.buffers[b];
    if (t.l2_load_sectors + t.l2_store_sectors == 0) continue;
    absl::StrAppend(out, "  ", buffers[b], ": L2 sectors loaded ", t.l2_load_sectors, " stored ",
                    t.l2_store_sectors, "  DRAM sectors read ", t.dram_read_sectors, " written ",
                    t.dram_write_sectors, "\n");
  }
}

Json StageJson(const simt::StageCounts& stage, absl::Span<const std::string> buffers) {
  Json warps = Json::object(), threads = Json::object(), traffic = Json::object();
  for (int i = 0; i < simt::kNumOpClasses; ++i) {
    if (stage.warp_instructions[i] == 0) continue;
    const std::string name(simt::ToString(static_cast<simt::OpClass>(i)));
    warps[name] = stage.warp_instructions[i];
    threads[name] = stage.thread_instructions[i];
  }
  for (size_t b = 0; b < buffers.size() && b < stage.buffers.size(); ++b) {
    const simt::BufferTraffic& t = stage.buffers[b];
    traffic[buffers[b]] = {{"l2_load_sectors", t.l2_load_sectors},
                           {"l2_store_sectors", t.l2_store_sectors},
                           {"dram_read_sectors", t.dram_read_sectors},
                           {"dram_write_sectors", t.dram_write_sectors}};
  }
  return {{"stage", stage.stage},
          {"warp_instructions", warps},
          {"thread_instructions", threads},
          {"shared_accesses", stage.shared_accesses},
          {"bank_conflicts", stage.bank_conflicts},
          {"block_barriers", stage.block_barriers},
          {"warp_barriers", stage.warp_barriers},
          {"cluster_barriers", stage.cluster_barriers},
          {"buffers", traffic}};
}

int64_t WarpInstructions(const simt::StageCounts& counts) {
  return Total(counts.warp_instructions);
}

}  // namespace astitch
