// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The simulated GPU as a device: runs whole programs that were compiled for a GPU.
//
// Kernels are parsed and launched on the simulator with all its checks on; products, convolutions
// and copies between them are done by the host's libraries. What a kernel writes and where it was
// never written is followed from step to step, up to the program's outputs.
//
//   ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled->GpuImage());
//   ASTITCH_ASSIGN_OR_RETURN(SimulatedExecutable simulated, LoadOnSimulator(std::move(image)));
//   absl::Status status = simulated.executable->Run(inputs, outputs);
//
// Runs of one executable take turns, as on one stream of a device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/executable_image.h"
#include "astitch/executable.h"
#include "simt/launch.h"

namespace astitch {

// Kernels of programs that are loaded again and again: each is parsed once. Not thread-safe.
class DecodedKernels {
 public:
  absl::StatusOr<std::shared_ptr<const simt::Kernel>> Get(const std::string& ptx,
                                                          const std::string& entry);

 private:
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const simt::Kernel>> kernels_;
};

struct SimulatorOptions {
  simt::Order order = simt::Order::kForward;
  uint64_t seed = 0;
  int64_t resident_blocks = 0;  // instead of what the image says of each kernel; 0: as it says
  int64_t l2_bytes = 0;         // instead of the image's; 0: as it says
  // Instructions of a warp before the next one; 0: as the order likes it. Few are slow, but let blocks
  // come to memory side by side, as a device does.
  int64_t slice = 0;
  int64_t max_steps = 0;  // instructions of warps, after which a kernel counts as hanging; 0: many
  bool races = true;      // look for data races: several times slower
  bool traffic = true;    // count sectors and bank conflicts
  bool first_report_only = false;  // a run ends there, where it is only asked whether all is right
  DecodedKernels* kernels = nullptr;  // takes and leaves those of the program there; or null
  // A kernel whose sweeps visit more elements is refused: it would run for minutes.
  int64_t max_points = int64_t{1} << 28;
};

// What a step of the last run was and cost.
struct SimulatedStep {
  std::string name;
  bool is_kernel = false;  // else: done by the host's library
  int64_t resident_blocks = 0;
  std::vector<std::string> buffers;  // names, as the counts number them
  int32_t num_tensors = 0;           // the first buffers; then scratch and what launches need
  std::vector<simt::StageCounts> stages;
  std::vector<simt::Report> reports;
  int64_t planned_read_bytes = 0, planned_write_bytes = 0;

  // Of all stages: of tensors, and of what the kernel has to itself, which a cache may keep.
  simt::BufferTraffic TensorTraffic() const;
  simt::BufferTraffic OwnTraffic() const;
  simt::StageCounts Total() const;
};

struct SimulatedExecutable {
  std::unique_ptr<Executable> executable;
  // One entry a step that was begun; of the last run. Not to be read while another run is on.
  std::shared_ptr<const std::vector<SimulatedStep>> log;
};

// Errors of loading: InvalidArgument for a damaged image or PTX that the simulator does not know,
// Unimplemented for a library step that no library takes, ResourceExhausted for a kernel that would
// run too long.
// Errors of a run: FailedPrecondition for a launch that a device would refuse, DataLoss when the
// simulator has something to report of a kernel; the words name kernel, line of the PTX, stage of
// the plan and instruction of the graph.
absl::StatusOr<SimulatedExecutable> LoadOnSimulator(ExecutableImage image,
                                                    const SimulatorOptions& options = {});

}  // namespace astitch
