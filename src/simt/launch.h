// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The simulated device: launches a kernel of a PTX module, warp by warp, and says what was wrong
// with it and what it cost.
//
//   ASTITCH_ASSIGN_OR_RETURN(const Module module, ParsePtx(text));
//   std::vector<Buffer> buffers = {Buffer::Of("x", bytes), Buffer::Unwritten("y", 4096)};
//   ASTITCH_ASSIGN_OR_RETURN(LaunchResult result, Launch(module, {.kernel = "k", ...}, buffers));
//
// A fault of the kernel is a Report in the result; a launch that a device would refuse, or text
// that is not understood, is an error status. Deterministic: the same arguments give the same
// result. Launches share nothing and may run at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "simt/count/counts.h"
#include "simt/memory/region.h"
#include "simt/ptx/module.h"
#include "simt/report.h"

namespace astitch::simt {

// How blocks and warps take turns. All but kForward look for what a fixed order hides.
//
//   kForward  blocks and warps in order, in slices of a fixed length
//   kReverse  the last first
//   kRandom   the seed picks block, warp, lanes and length of each slice
//   kStarve   one warp as far as it can go, then the next; the first blocks come last
//
//   enumerator  word
#define ASTITCH_SIMT_ORDERS(X) \
  X(kForward, "forward")       \
  X(kReverse, "reverse")       \
  X(kRandom, "random")         \
  X(kStarve, "starve")

enum class Order : uint8_t {
#define X(enumerator, word) enumerator,
  ASTITCH_SIMT_ORDERS(X)
#undef X
};
std::vector<std::string> OrderWords();
// REQUIRES: WORD is one of OrderWords().
Order OrderOf(absl::string_view word);

// A value, or the address of a buffer.
struct Argument {
  int32_t buffer = -1;          // of the launch's buffers
  int64_t offset = 0;           // added to the buffer's address
  std::vector<uint8_t> scalar;  // where buffer is -1: as many bytes as the parameter has
};

struct LaunchParams {
  std::string kernel;  // may be empty when the module has one entry
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  std::array<int64_t, 3> cluster = {0, 0, 0};  // 0: as .reqnctapercluster says, else 1
  int64_t dynamic_smem_bytes = 0;
  std::vector<Argument> arguments;
  bool cooperative = false;      // refuse a grid that is not resident as a whole
  int64_t resident_blocks = 64;  // at a time; raised to one cluster
  Order order = Order::kForward;
  uint64_t seed = 0;
  int64_t slice = 0;  // instructions of a warp before the next one; 0: as the order likes it
  int64_t max_steps = int64_t{1} << 32;  // instructions of warps
  int64_t l2_bytes = int64_t{40} << 20;
  bool races = true;               // report data races
  bool traffic = true;             // count sectors and bank conflicts
  bool first_report_only = false;  // stop there, where it is only asked whether all is right
};

struct LaunchResult {
  std::vector<Report> reports;      // in the order in which they came up
  std::vector<StageCounts> stages;  // those that ran, as the text has them
  int64_t steps = 0;                // instructions of warps
};

// Errors: FailedPrecondition when a device would refuse the launch (too many threads, too much
// shared memory, a cooperative grid that is not resident), InvalidArgument for arguments that do
// not fit the kernel and for instructions that are not known (located).
absl::StatusOr<LaunchResult> Launch(const Module& module, const LaunchParams& params,
                                    absl::Span<Buffer> buffers);

struct Program;

// A kernel that is decoded once, for many launches; they may run at the same time.
class Kernel {
 public:
  // NAME may be empty when MODULE has one entry.
  static absl::StatusOr<std::shared_ptr<const Kernel>> Create(Module module,
                                                              const std::string& name);
  ~Kernel();
  // As the function above; PARAMS name no kernel.
  absl::StatusOr<LaunchResult> Launch(const LaunchParams& params, absl::Span<Buffer> buffers) const;

 private:
  explicit Kernel(Module module);
  Module module_;
  const Function* function_ = nullptr;
  std::unique_ptr<const Program> program_;
};

}  // namespace astitch::simt
