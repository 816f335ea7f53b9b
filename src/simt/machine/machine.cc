// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Setting the machine up: buffers, parameters, blocks and their warps.
#include "simt/machine/machine.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace astitch::simt {
namespace {

int64_t Product(const std::array<int64_t, 3>& dims) { return dims[0] * dims[1] * dims[2]; }

std::array<uint32_t, 3> Unflatten(int64_t index, const std::array<int64_t, 3>& dims) {
  return {static_cast<uint32_t>(index % dims[0]), static_cast<uint32_t>(index / dims[0] % dims[1]),
          static_cast<uint32_t>(index / (dims[0] * dims[1]))};
}

}  // namespace

Machine::Machine(const Module& module, const Program& program, const LaunchParams& params,
                 absl::Span<Buffer> buffers)
    : module_(module),
      program_(program),
      params_(params),
      num_blocks_(Product(params.grid)),
      cluster_blocks_(Product(params.cluster)),
      cluster_dims_(params.cluster),
      threads_per_block_(static_cast<int32_t>(Product(params.block))),
      padded_threads_((threads_per_block_ + 31) / 32 * 32),
      warps_per_block_(padded_threads_ / 32),
      shared_bytes_(program.static_shared_bytes + params.dynamic_smem_bytes),
      detector_(static_cast<uint32_t>(num_blocks_), padded_threads_,
                static_cast<uint32_t>(cluster_blocks_)) {
  AddBuffers(module, buffers);
  FillParameters();
  const_bytes_ = program.const_bytes;
  const_region_ = {"constant memory",
                   Space::kConst,
                   const_bytes_.data(),
                   nullptr,
                   static_cast<int64_t>(const_bytes_.size()),
                   true};
  stages_.resize(module.stages.size());
  for (size_t i = 0; i < stages_.size(); ++i) {
    stages_[i].stage = module.stages[i];
    stages_[i].buffers.resize(buffers_.size());
  }
}

void Machine::AddBuffers(const Module& module, absl::Span<Buffer> buffers) {
  for (Buffer& buffer : buffers) AddBuffer(buffer);
  num_caller_buffers_ = buffers.size();
  module_buffers_.reserve(program_.module_buffers.size());
  for (const int32_t index : program_.module_buffers) {
    const Variable& variable = module.variables[index];
    std::vector<uint8_t> bytes = variable.init;
    bytes.resize(variable.bytes);  // without an initial value: zeros
    module_buffers_.push_back(Buffer::Of(variable.name, bytes));
    AddBuffer(module_buffers_.back());
  }
  std::vector<int64_t> sizes;
  for (const Region& region : buffers_) sizes.push_back(region.size);
  if (params_.traffic) l2_ = std::make_unique<L2Cache>(params_.l2_bytes, sizes);
}

void Machine::AddBuffer(Buffer& buffer) {
  Region region{absl::StrCat("buffer ", buffer.name),
                Space::kGlobal,
                buffer.bytes.data(),
                buffer.valid.data(),
                static_cast<int64_t>(buffer.bytes.size()),
                buffer.read_only};
  // What nobody may write has no races.
  if (params_.races && !buffer.read_only) region.shadow = &shadows_.emplace_back(region.size);
  region.buffer = static_cast<int32_t>(buffers_.size());
  buffers_.push_back(std::move(region));
}

void Machine::FillParameters() {
  parameter_bytes_.resize(program_.parameter_bytes);
  for (size_t i = 0; i < program_.parameters.size(); ++i) {
    const Argument& argument = params_.arguments[i];
    uint8_t* const to = parameter_bytes_.data() + program_.parameters[i].offset;
    if (argument.buffer < 0) {
      std::copy(argument.scalar.begin(), argument.scalar.end(), to);
    } else {
      const uint64_t address = GlobalBase(argument.buffer) + argument.offset;
      std::memcpy(to, &address, sizeof(address));
    }
  }
  parameter_region_ = {"the kernel's parameters",
                       Space::kParam,
                       parameter_bytes_.data(),
                       nullptr,
                       static_cast<int64_t>(parameter_bytes_.size()),
                       true};
}

std::unique_ptr<Cluster> Machine::MakeCluster(int64_t index) {
  auto out = std::make_unique<Cluster>();
  for (int64_t rank = 0; rank < cluster_blocks_; ++rank) {
    out->blocks.push_back(MakeBlock(index, *out, static_cast<uint32_t>(rank)));
  }
  if (cluster_blocks_ > 1) out->arrived_in.resize(cluster_blocks_ * padded_threads_);
  return out;
}

std::unique_ptr<Block> Machine::MakeBlock(int64_t index, Cluster& cluster, uint32_t rank) {
  auto block = std::make_unique<Block>();
  // Numbered so that the blocks of a cluster follow each other.
  block->index = index * cluster_blocks_ + rank;
  std::array<int64_t, 3> clusters;
  for (int i = 0; i < 3; ++i) clusters[i] = params_.grid[i] / cluster_dims_[i];
  const auto of_cluster = Unflatten(index, clusters);
  const auto in_cluster = Unflatten(rank, cluster_dims_);
  for (int i = 0; i < 3; ++i) {
    block->position[i] = of_cluster[i] * static_cast<uint32_t>(cluster_dims_[i]) + in_cluster[i];
  }
  block->cluster = &cluster;
  block->rank = rank;
  block->live_threads = threads_per_block_;
  block->shared.assign(shared_bytes_, kUnwrittenByte);
  block->shared_valid.assign(shared_bytes_, 0);
  if (params_.races) {
    block->shadow = std::make_unique<Shadow>(shared_bytes_);
    block->clocks.resize(padded_threads_);
  }
  block->shared_region = {
      "shared memory", Space::kShared, block->shared.data(), block->shared_valid.data(),
      shared_bytes_,   false,          block->shadow.get()};
  block->warps.resize(warps_per_block_);
  for (int32_t w = 0; w < warps_per_block_; ++w) {
    Warp& warp = block->warps[w];
    warp.machine = this;
    warp.block = block.get();
    warp.index = w;
    StartWarp(warp);
  }
  return block;
}

void Machine::StartWarp(Warp& warp) {
  const int32_t lanes = std::min(32, threads_per_block_ - static_cast<int32_t>(warp.index) * 32);
  warp.live = lanes == 32 ? ~0u : (1u << lanes) - 1;
  warp.constants = program_.constants.data();
  warp.registers.assign(static_cast<size_t>(program_.num_registers) * 32, kUnwrittenRegister);
  warp.pc.fill(program_.entry);
  warp.local.assign(program_.local_bytes * 32, kUnwrittenByte);
  warp.local_valid.assign(program_.local_bytes * 32, 0);
  warp.local_region = {"local memory", Space::kLocal, nullptr, nullptr, program_.local_bytes};
  for (const Program::SpecialRegister& special : program_.specials) {
    for (int lane = 0; lane < 32; ++lane) {
      warp.Dest(special.reg)[lane] = ReadSpecial(warp, lane, special.special);
    }
  }
}

// The three registers of one vector; VALUE of an `axis`.
#define ASTITCH_AXES(name, value) \
  case Special::name##X: {        \
    constexpr int axis = 0;       \
    return value;                 \
  }                               \
  case Special::name##Y: {        \
    constexpr int axis = 1;       \
    return value;                 \
  }                               \
  case Special::name##Z: {        \
    constexpr int axis = 2;       \
    return value;                 \
  }

uint64_t Machine::ReadSpecial(const Warp& warp, int lane, Special special) const {
  const Block& block = *warp.block;
  const uint32_t thread = warp.index * 32 + lane;
  const auto tid = Unflatten(thread, params_.block);
  const auto rank = Unflatten(block.rank, cluster_dims_);
  const auto& dims = params_.block;
  const auto& grid = params_.grid;
  const auto& c = cluster_dims_;
  // A tick a warp instruction; nanoseconds pass as fast.
  const uint64_t time = clock;
  switch (special) {
    ASTITCH_AXES(kTid, tid[axis])
    ASTITCH_AXES(kNtid, dims[axis])
    ASTITCH_AXES(kCtaid, block.position[axis])
    ASTITCH_AXES(kNctaid, grid[axis])
    case Special::kLaneid:
      return lane;
    case Special::kWarpid:
      return warp.index;
    case Special::kNwarpid:
      return warps_per_block_;
    case Special::kWarpSize:
      return 32;
    case Special::kSmid:
      return block.index % params_.resident_blocks;
    case Special::kNsmid:
      return params_.resident_blocks;
    case Special::kGridid:
      return 1;
    case Special::kLanemaskEq:
      return 1u << lane;
    case Special::kLanemaskLe:
      return (2ull << lane) - 1;
    case Special::kLanemaskLt:
      return (1ull << lane) - 1;
    case Special::kLanemaskGe:
      return ~0u << lane;
    case Special::kLanemaskGt:
      return ~0u & ~static_cast<uint32_t>((2ull << lane) - 1);
      ASTITCH_AXES(kClusterid, block.position[axis] / c[axis])
      ASTITCH_AXES(kNclusterid, grid[axis] / c[axis])
      ASTITCH_AXES(kClusterCtaid, rank[axis])
      ASTITCH_AXES(kClusterNctaid, c[axis])
    case Special::kClusterCtarank:
      return block.rank;
    case Special::kClusterNctarank:
      return cluster_blocks_;
    case Special::kIsExplicitCluster:
      return cluster_blocks_ > 1;
    case Special::kDynamicSmemSize:
      return params_.dynamic_smem_bytes;
    case Special::kTotalSmemSize:
      return shared_bytes_;
    case Special::kClock:
      return time & 0xFFFFFFFF;
    case Special::kClockHi:
      return time >> 32;
    case Special::kClock64:
      return time;
    case Special::kGlobaltimer:
      return time;
    case Special::kGlobaltimerLo:
      return time & 0xFFFFFFFF;
    case Special::kGlobaltimerHi:
      return time >> 32;
  }
  ASTITCH_UNREACHABLE();
}

#undef ASTITCH_AXES

void Machine::ReportAt(ReportKind kind, const Warp& warp, const Op& op, int lane,
                       int32_t other_line, absl::FunctionRef<std::string()> message) {
  if (!reports_.Count(kind, op.line, other_line)) {
    // Enough of them to see what is wrong.
    if (reports_.full()) Stop();
    return;
  }
  Report report;
  report.kind = kind;
  report.line = op.line;
  report.other_line = other_line;
  report.stage = module_.stages[op.stage];
  report.block = warp.block->index;
  report.thread = static_cast<int32_t>(warp.index) * 32 + lane;
  report.message = message();
  reports_.Add(std::move(report));
  if (params_.first_report_only) Stop();
}

void Machine::Poll(Warp& warp, uint64_t address, uint64_t value) {
  warp.yield = true;
  const uint64_t poll = (address * 0x9E3779B97F4A7C15u ^ value) * 0x9E3779B97F4A7C15u | 1;
  const bool repeated = std::find(warp.polls.begin(), warp.polls.end(), poll) != warp.polls.end();
  if (repeated && warp.seen_progress == progress_) {
    ++warp.idle_polls;
    return;
  }
  warp.seen_progress = progress_;
  warp.idle_polls = 0;
  if (!repeated) warp.polls[warp.next_poll++ % warp.polls.size()] = poll;
}

}  // namespace astitch::simt
