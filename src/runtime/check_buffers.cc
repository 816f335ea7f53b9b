// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Overlaps are found by sorting all ranges by address and sweeping once, so that a program of a
// thousand parameters pays microseconds and not a million comparisons.
#include "runtime/check_buffers.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch {
namespace {

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Bytes of one element, as far as size and dimensions tell; 1 when they do not.
uint64_t ElementBytes(const TensorSpec& spec) {
  int64_t elements = 1;
  for (int64_t dim : spec.dims) {
    if (__builtin_mul_overflow(elements, dim, &elements)) return 1;
  }
  if (elements == 0 || spec.bytes % elements != 0) return 1;
  const uint64_t width = static_cast<uint64_t>(spec.bytes / elements);
  return std::has_single_bit(width) ? std::min<uint64_t>(width, 8) : 1;
}

absl::Status CheckOne(const char* word, size_t index, const TensorSpec& spec, const void* data,
                      int64_t bytes) {
  const auto name = [&] { return absl::StrCat(word, " ", index, " (", ToString(spec), ")"); };
  if (bytes != spec.bytes) {
    return Bad(absl::StrCat("expected ", spec.bytes, " bytes for ", name(), ", got ", bytes));
  }
  if (bytes > 0 && data == nullptr) {
    return Bad(absl::StrCat("expected memory for ", name(), ", got a null pointer"));
  }
  const uint64_t width = ElementBytes(spec);
  if (bytes > 0 && reinterpret_cast<uintptr_t>(data) % width != 0) {
    return Bad(absl::StrCat("expected ", name(), " aligned to ", width, " bytes, got an address ",
                            reinterpret_cast<uintptr_t>(data) % width, " past such a one"));
  }
  return absl::OkStatus();
}

std::string NameOf(const BufferRange& range) {
  return absl::StrCat(range.is_output ? "output " : "input ", range.index);
}

absl::Status OverlapError(const BufferRange& a, const BufferRange& b) {
  const BufferRange& first = a.is_output ? a : b;  // name an output first
  const BufferRange& second = a.is_output ? b : a;
  return Bad(absl::StrCat(NameOf(first), " overlaps ", NameOf(second)));
}

BufferRange RangeOf(const void* data, int64_t bytes, bool is_output, size_t index) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  return {begin, begin + static_cast<uintptr_t>(bytes), is_output, static_cast<int32_t>(index)};
}

}  // namespace

absl::Status CheckBuffers(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
                          absl::Span<const Buffer> outputs) {
  if (inputs.size() != image.inputs.size()) {
    return Bad(absl::StrCat("expected ", image.inputs.size(), " inputs, got ", inputs.size()));
  }
  if (outputs.size() != image.outputs.size()) {
    return Bad(absl::StrCat("expected ", image.outputs.size(), " outputs, got ", outputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(CheckOne("input", i, image.inputs[i], inputs[i].data, inputs[i].bytes));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(
        CheckOne("output", i, image.outputs[i], outputs[i].data, outputs[i].bytes));
  }
  return absl::OkStatus();
}

bool IsAliased(const AliasedPair& alias, absl::Span<const ConstBuffer> inputs,
               absl::Span<const Buffer> outputs) {
  return inputs[alias.input].data == outputs[alias.output].data && inputs[alias.input].bytes > 0;
}

absl::Status CheckOverlaps(const ExecutableImage& image, absl::Span<const ConstBuffer> inputs,
                           absl::Span<const Buffer> outputs, std::vector<BufferRange>& ranges) {
  ranges.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].bytes == 0) continue;
    ranges.push_back(RangeOf(inputs[i].data, inputs[i].bytes, false, i));
  }
  // An input that is its output's memory is left out: what overlaps it overlaps the output.
  for (const AliasedPair& alias : image.aliases) {
    if (!IsAliased(alias, inputs, outputs)) continue;
    ranges.erase(std::find_if(ranges.begin(), ranges.end(), [&](const BufferRange& range) {
      return range.index == alias.input;
    }));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].bytes == 0) continue;
    ranges.push_back(RangeOf(outputs[i].data, outputs[i].bytes, true, i));
  }
  std::sort(ranges.begin(), ranges.end(), [](const BufferRange& a, const BufferRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.is_output < b.is_output;
  });
  // From low to high addresses, with the range of each kind that reaches farthest so far.
  const BufferRange* any = nullptr;
  const BufferRange* output = nullptr;
  for (const BufferRange& range : ranges) {
    const BufferRange* before = range.is_output ? any : output;
    if (before != nullptr && before->end > range.begin) return OverlapError(*before, range);
    if (any == nullptr || range.end > any->end) any = &range;
    if (range.is_output && (output == nullptr || range.end > output->end)) output = &range;
  }
  return absl::OkStatus();
}

}  // namespace astitch
