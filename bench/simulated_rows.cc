// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A compilation for the GPU, one run on the simulator, a row for each kernel of its log.
#include "bench/simulated_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "artifact/executable_image.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "nlohmann/json.hpp"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/layout.h"
#include "tools/common/host_execution.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSectorBytes = 32;

SimulatedRow RowOf(const SimulatedStep& step) {
  SimulatedRow row;
  row.kernel = step.name;
  row.planned_read_bytes = step.planned_read_bytes;
  row.planned_write_bytes = step.planned_write_bytes;
  const simt::BufferTraffic traffic = step.TensorTraffic();
  row.dram_read_sectors = traffic.dram_read_sectors;
  row.dram_write_sectors = traffic.dram_write_sectors;
  const simt::BufferTraffic own = step.OwnTraffic();
  row.scratch_dram_sectors = own.dram_read_sectors + own.dram_write_sectors;
  row.l2_load_sectors = traffic.l2_load_sectors;
  row.l2_store_sectors = traffic.l2_store_sectors;
  const simt::StageCounts total = step.Total();
  row.shared_accesses = total.shared_accesses;
  row.bank_conflicts = total.bank_conflicts;
  row.warp_instructions =
      std::accumulate(total.warp_instructions.begin(), total.warp_instructions.end(), int64_t{0});
  return row;
}

}  // namespace

// Blocks come to memory side by side.
constexpr int64_t kTrafficSlice = 32;

double SimulatedRow::CountedOverPlanned() const {
  const auto planned = static_cast<double>(planned_read_bytes + planned_write_bytes);
  const auto sectors = static_cast<double>(dram_read_sectors + dram_write_sectors);
  return planned > 0 ? sectors * kSectorBytes / planned : 0;
}

absl::StatusOr<std::vector<SimulatedRow>> SimulateGraph(const Graph& graph,
                                                        std::vector<Literal> inputs,
                                                        const std::string& gpu,
                                                        const std::string& fusion) {
  CompileOptions options;
  options.target = gpu;
  options.fusion = fusion;
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Compiled> compiled, Compile(graph, options));
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled->GpuImage());
  ASTITCH_ASSIGN_OR_RETURN(const SimulatedExecutable simulated,
                           LoadOnSimulator(std::move(image), {.slice = kTrafficSlice}));
  const std::unique_ptr<Execution> execution =
      MakeHostExecution(*simulated.executable, EntryInputShapes(graph), EntryOutputShapes(graph));
  ASTITCH_RETURN_IF_ERROR(execution->SetInputs(std::move(inputs)));
  ASTITCH_RETURN_IF_ERROR(execution->Run());
  std::vector<SimulatedRow> rows;
  for (const SimulatedStep& step : *simulated.log) {
    if (!step.is_kernel) continue;
    rows.push_back(RowOf(step));
    rows.back().fusion = fusion;
  }
  return rows;
}

std::string SimulatedTable(absl::Span<const SimulatedRow> rows) {
  size_t graphs = 5, kernels = 6;
  for (const SimulatedRow& row : rows) {
    graphs = std::max(graphs, row.graph.size());
    kernels = std::max(kernels, row.kernel.size());
  }
  std::string out = absl::StrFormat(
      "%-*s  fusion  %-*s  read: plan MB  DRAM MB  L2 MB  written: plan MB  DRAM MB  DRAM x plan  "
      "scratch MB  "
      "conflicts  warp instr., M\n",
      graphs, "graph", kernels, "kernel");
  const auto megabytes = [](int64_t sectors) { return kSectorBytes * sectors / 1e6; };
  for (const SimulatedRow& row : rows) {
    absl::StrAppendFormat(
        &out,
        "%-*s  %-6s  %-*s  %13.3f  %7.3f  %5.2f  %16.3f  %7.3f  %11.3f  %10.3f  %9d  %13.3f\n",
        graphs, row.graph, row.fusion, kernels, row.kernel, row.planned_read_bytes / 1e6,
        megabytes(row.dram_read_sectors), megabytes(row.l2_load_sectors),
        row.planned_write_bytes / 1e6, megabytes(row.dram_write_sectors), row.CountedOverPlanned(),
        megabytes(row.scratch_dram_sectors), row.bank_conflicts,
        static_cast<double>(row.warp_instructions) / 1e6);
  }
  return out;
}

std::string SimulatedRowsJson(absl::Span<const SimulatedRow> rows, const std::string& gpu) {
  Json out = {{"context", {{"schema_version", 1}, {"simulated", gpu}}}};
  Json& list = out["kernels"] = Json::array();
  for (const SimulatedRow& row : rows) {
    list.push_back({{"name", absl::StrCat(row.graph, "/", row.fusion, "/", row.kernel)},
                    {"planned_read_bytes", row.planned_read_bytes},
                    {"planned_write_bytes", row.planned_write_bytes},
                    {"dram_read_sectors", row.dram_read_sectors},
                    {"dram_write_sectors", row.dram_write_sectors},
                    {"scratch_dram_sectors", row.scratch_dram_sectors},
                    {"l2_load_sectors", row.l2_load_sectors},
                    {"l2_store_sectors", row.l2_store_sectors},
                    {"counted_over_planned", row.CountedOverPlanned()},
                    {"shared_accesses", row.shared_accesses},
                    {"bank_conflicts", row.bank_conflicts},
                    {"warp_instructions", row.warp_instructions}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace astitch
