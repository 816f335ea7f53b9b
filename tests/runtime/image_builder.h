// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Images by hand, for tests of the runtime.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "artifact/executable_image.h"
#include "base/file.h"

namespace astitch {

inline std::vector<std::byte> BytesOf(const std::string& text) {
  const std::byte* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// An object that the build made from tests/runtime/kernels.
inline std::vector<std::byte> KernelObject(const std::string& name) {
  return BytesOf(ReadFile(ASTITCH_KERNELS "/" + name + ".o").value());
}

template <typename T>
std::vector<std::byte> ConstantOf(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline TensorSpec Spec(std::string type, std::vector<int64_t> dims, int64_t width) {
  TensorSpec spec;
  spec.element_type = std::move(type);
  spec.bytes = width;
  for (int64_t dim : dims) spec.bytes *= dim;
  for (int64_t i = static_cast<int64_t>(dims.size()); i-- > 0;) spec.minor_to_major.push_back(i);
  spec.dims = std::move(dims);
  return spec;
}

inline BufferRef Input(int32_t i, int64_t bytes) { return {BufferRef::Space::kInput, i, 0, bytes}; }
inline BufferRef Output(int32_t i, int64_t bytes) {
  return {BufferRef::Space::kOutput, i, 0, bytes};
}
inline BufferRef Arena(int64_t offset, int64_t bytes) {
  return {BufferRef::Space::kArena, 0, offset, bytes};
}
inline BufferRef Constant(int32_t i, int64_t bytes) {
  return {BufferRef::Space::kConstant, i, 0, bytes};
}

}  // namespace astitch
