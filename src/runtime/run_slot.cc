// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The table of addresses is filled once a run for all steps; a step then only points into it.
#include "runtime/run_slot.h"

#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/status.h"

namespace astitch {
namespace {

// What HostKernelArgs::team points to.
struct Members {
  Barrier* barrier;
  uint32_t count;
  SpinPolicy policy;
};

void ArriveAtBarrier(void* team) {
  const Members& members = *static_cast<const Members*>(team);
  members.barrier->Arrive(members.count, members.policy);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunSlot>> RunSlot::Create(const Program& program) {
  std::unique_ptr<RunSlot> slot(new RunSlot(program));
  ASTITCH_RETURN_IF_ERROR(slot->Allocate());
  return slot;
}

absl::Status RunSlot::Allocate() {
  ASTITCH_ASSIGN_OR_RETURN(arena_, Scratch::Allocate(program_.image.arena_bytes));
  ASTITCH_ASSIGN_OR_RETURN(shared_, Scratch::Allocate(program_.shared_bytes));
  ASTITCH_ASSIGN_OR_RETURN(tiles_, Scratch::Allocate(program_.tile_bytes * program_.workers));
  ASTITCH_ASSIGN_OR_RETURN(aside_, Scratch::Allocate(program_.aside_bytes));
  input_addresses_.resize(program_.image.inputs.size());
  table_.resize(program_.buffers.size());
  ranges_.reserve(program_.image.inputs.size() + program_.image.outputs.size());
  states_.resize(program_.steps.size());
  for (size_t i = 0; i < states_.size(); ++i) {
    const LoadedStep& step = program_.steps[i];
    if (step.call == nullptr) continue;
    for (int w = 0; w < std::min(program_.workers, step.max_workers); ++w) {
      ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<LibraryCall::State> state, step.call->NewState());
      states_[i].push_back(std::move(state));
    }
  }
  return absl::OkStatus();
}

absl::Status RunSlot::Bind(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs) {
  ASTITCH_RETURN_IF_ERROR(CheckOverlaps(program_.image, inputs, outputs, ranges_));
  for (size_t i = 0; i < inputs.size(); ++i) input_addresses_[i] = inputs[i].data;
  int64_t at = 0;
  for (const AliasedPair& alias : program_.image.aliases) {
    if (alias.in_place) continue;
    const ConstBuffer& input = inputs[alias.input];
    if (IsAliased(alias, inputs, outputs)) {
      std::memcpy(aside_.data() + at, input.data, input.bytes);
      input_addresses_[alias.input] = aside_.data() + at;
    }
    at += RoundUp(input.bytes, 64);
  }
  for (size_t i = 0; i < table_.size(); ++i) table_[i] = AddressOf(program_.buffers[i], outputs);
  return absl::OkStatus();
}

void* RunSlot::AddressOf(const BufferRef& ref, absl::Span<const Buffer> outputs) const {
  const auto at = [&ref](const void* base) {
    // Kernels take one table of addresses; those of inputs and constants they only read.
    std::byte* const begin = static_cast<std::byte*>(const_cast<void*>(base));
    return begin == nullptr ? nullptr : begin + ref.offset;
  };
  switch (ref.space) {
    case BufferRef::Space::kInput:
      return at(input_addresses_[ref.index]);
    case BufferRef::Space::kOutput:
      return at(outputs[ref.index].data);
    case BufferRef::Space::kArena:
      return at(arena_.data());
    case BufferRef::Space::kConstant:
      return at(program_.constants.data() + program_.constant_offsets[ref.index]);
  }
  return nullptr;
}

void RunSlot::RunStep(size_t index, int worker, int members, const SpinPolicy& policy) {
  const LoadedStep& step = program_.steps[index];
  Members team = {&kernel_barrier_, static_cast<uint32_t>(members), policy};
  const HostKernelArgs args = {
      .buffers = table_.data() + step.first_buffer,
      .tile = tiles_.data() + program_.tile_bytes * worker,
      .worker = worker,
      .num_workers = members,
      .barrier = ArriveAtBarrier,
      .team = &team,
  };
  if (step.kernel != nullptr) return step.kernel(&args);
  const absl::Status status = step.call->Run(args, shared_.data(), *states_[index][worker]);
  if (status.ok()) return;
  std::lock_guard<std::mutex> lock(status_mutex_);
  if (status_.ok()) status_ = Annotate(status, step.name);
}

absl::Status RunSlot::TakeStatus() {
  std::lock_guard<std::mutex> lock(status_mutex_);
  return std::exchange(status_, absl::OkStatus());
}

}  // namespace astitch
