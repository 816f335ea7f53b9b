// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Inputs and constants are whole from the start; outputs and the arena fill up.
#include "runtime/simt/run_memory.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "runtime/check_buffers.h"

namespace astitch {

RunMemory::RunMemory(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
                     absl::Span<const Buffer> outputs)
    : image_(image),
      outputs_(outputs),
      arena_(image.arena_bytes, simt::kUnwrittenByte),
      arena_valid_(image.arena_bytes, 0) {
  for (const ConstBuffer& input : inputs) inputs_.push_back(input.data);
  aside_.reserve(image.aliases.size());
  for (const AliasedPair& alias : image.aliases) {
    if (alias.in_place || !IsAliased(alias, inputs, outputs)) continue;
    const auto* data = static_cast<const uint8_t*>(inputs[alias.input].data);
    aside_.emplace_back(data, data + inputs[alias.input].bytes);
    inputs_[alias.input] = aside_.back().data();
  }
  for (const Buffer& output : outputs) output_valid_.emplace_back(output.bytes, 0);
}

const uint8_t* RunMemory::Bytes(const BufferRef& ref) const {
  const auto at = [&ref](const void* base) {
    return static_cast<const uint8_t*>(base) + ref.offset;
  };
  switch (ref.space) {
    case BufferRef::Space::kInput:
      return at(inputs_[ref.index]);
    case BufferRef::Space::kOutput:
      return at(outputs_[ref.index].data);
    case BufferRef::Space::kArena:
      return at(arena_.data());
    case BufferRef::Space::kConstant:
      return at(image_.constants[ref.index].data());
  }
  ASTITCH_UNREACHABLE();
}

const std::vector<uint8_t>* RunMemory::Valid(const BufferRef& ref) const {
  switch (ref.space) {
    case BufferRef::Space::kOutput:
      return &output_valid_[ref.index];
    case BufferRef::Space::kArena:
      return &arena_valid_;
    case BufferRef::Space::kInput:
    case BufferRef::Space::kConstant:
      return nullptr;
  }
  ASTITCH_UNREACHABLE();
}

simt::Buffer RunMemory::Load(const KernelArgument& argument) const {
  const BufferRef& ref = argument.buffer;
  if (!argument.read_only) return simt::Buffer::Unwritten(argument.name, ref.bytes);
  simt::Buffer out;
  out.name = argument.name;
  out.read_only = true;
  if (ref.bytes == 0) return out;
  const uint8_t* const bytes = Bytes(ref);
  out.bytes.assign(bytes, bytes + ref.bytes);
  const std::vector<uint8_t>* const valid = Valid(ref);
  if (valid == nullptr) {
    out.valid.assign(ref.bytes, 1);
  } else {
    const auto begin = valid->begin() + ref.offset;
    out.valid.assign(begin, begin + ref.bytes);
  }
  return out;
}

void RunMemory::Store(const KernelArgument& argument, const simt::Buffer& buffer) {
  const BufferRef& ref = argument.buffer;
  if (argument.read_only || ref.bytes == 0) return;
  std::memcpy(Address(ref), buffer.bytes.data(), ref.bytes);
  auto& valid = ref.space == BufferRef::Space::kOutput ? output_valid_[ref.index] : arena_valid_;
  std::copy(buffer.valid.begin(), buffer.valid.end(), valid.begin() + ref.offset);
}

void* RunMemory::Address(const BufferRef& ref) {
  // The host's steps take one table of addresses; those of inputs and constants they only read.
  return ref.bytes == 0 ? nullptr : const_cast<uint8_t*>(Bytes(ref));
}

absl::Status RunMemory::CheckWritten(const BufferRef& ref) const {
  const std::vector<uint8_t>* const valid = Valid(ref);
  if (valid == nullptr) return absl::OkStatus();
  const auto begin = valid->begin() + ref.offset, end = begin + ref.bytes;
  const int64_t missing = std::count(begin, end, 0);
  if (missing == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(missing, " of ", ref.bytes, " bytes of ", ToString(ref),
                                          " were never written, the first at ",
                                          std::find(begin, end, 0) - begin));
}

void RunMemory::MarkWritten(const BufferRef& ref) {
  if (Valid(ref) == nullptr) return;
  auto& valid = ref.space == BufferRef::Space::kOutput ? output_valid_[ref.index] : arena_valid_;
  std::fill_n(valid.begin() + ref.offset, ref.bytes, 1);
}

}  // namespace astitch
