// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Library steps against loops anyone can read: arrays of doubles on one side, typed memory with
// strides on the other.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "artifact/executable_image.h"
#include "image_builder.h"
#include "runtime/library/convert.h"
#include "runtime/load.h"

namespace astitch {

// Strides of a dense array whose dimensions lie in ORDER, outermost first.
inline std::vector<int64_t> StridesInOrder(const std::vector<int64_t>& dims,
                                           const std::vector<int>& order) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  return strides;
}

inline int64_t ExtentOf(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  int64_t last = 0;
  for (size_t i = 0; i < dims.size(); ++i) last += (dims[i] - 1) * strides[i];
  return last + 1;
}

// Memory of one operand, filled with small multiples of 1/8 (exact in every type) or integers.
class Operand {
 public:
  Operand(DataType type, std::vector<int64_t> dims, std::vector<int64_t> strides, int seed)
      : type_(type), dims_(std::move(dims)), strides_(std::move(strides)) {
    bytes_.resize(ExtentOf(dims_, strides_) * ByteWidth(type));
    std::mt19937 random(static_cast<unsigned>(seed));
    const bool is_float =
        type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16;
    std::vector<float> values(bytes_.size() / ByteWidth(type));
    for (float& value : values) {
      value = is_float ? static_cast<float>(static_cast<int>(random() % 17) - 8) / 8
                       : static_cast<float>(random() % 256) - (type == DataType::kS8 ? 128 : 0);
    }
    const Matrix row = {1, static_cast<int64_t>(values.size()), 0, 1};
    StoreFromF32(type, values.data(), row, bytes_.data());
  }

  double At(const std::vector<int64_t>& index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides_[i];
    if (type_ == DataType::kS32) {
      int32_t value;
      std::memcpy(&value, bytes_.data() + offset * 4, 4);
      return value;
    }
    float value;
    LoadAsF32(type_, bytes_.data() + offset * ByteWidth(type_), {1, 1, 0, 1}, &value);
    return value;
  }

  TensorView View(BufferRef ref) const { return {ref, type_, strides_}; }
  int64_t bytes() const { return static_cast<int64_t>(bytes_.size()); }
  std::byte* data() { return bytes_.data(); }
  const std::vector<std::byte>& contents() const { return bytes_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  TensorSpec Spec() const { return astitch::Spec("u8", {bytes()}, 1); }

 private:
  DataType type_;
  std::vector<int64_t> dims_, strides_;
  std::vector<std::byte> bytes_;
};

// Calls F for every index of an array.
inline void ForEachIndex(const std::vector<int64_t>& dims,
                         const std::function<void(const std::vector<int64_t>&)>& f) {
  for (int64_t dim : dims) {
    if (dim == 0) return;
  }
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    f(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// What an epilogue does to one value; ADDENDS are those of its kAdd members, in order.
inline double Apply(const std::vector<Epilogue>& epilogue, const std::vector<Operand>& addends,
                    const std::vector<int64_t>& index, double x) {
  size_t next = 0;
  for (const Epilogue& e : epilogue) {
    switch (e.kind) {
      case Epilogue::Kind::kAdd:
        x += addends[next++].At(index);
        break;
      case Epilogue::Kind::kScale:
        x *= e.scale;
        break;
      case Epilogue::Kind::kRelu:
        x = std::max(x, 0.0);
        break;
      case Epilogue::Kind::kGeluTanh:
        x = x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        break;
      case Epilogue::Kind::kGeluErf:
        x = x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
        break;
    }
  }
  return x;
}

// An image of one step whose operands are inputs 0..n-1, except the output.
inline ExecutableImage ImageOf(Step step, const std::vector<const Operand*>& inputs,
                               const Operand& output) {
  ExecutableImage image;
  for (const Operand* input : inputs) image.inputs.push_back(input->Spec());
  image.outputs = {output.Spec()};
  image.steps = {std::move(step)};
  return image;
}

// Runs on 1, 2 and 5 workers and twice on the same scratch; all must agree to the bit, and leave
// alone what lies between the output's elements. The result is in OUTPUT.
inline void RunLibraryStep(const Step& step, std::vector<Operand*> inputs, Operand& output) {
  std::vector<const Operand*> views(inputs.begin(), inputs.end());
  const std::vector<std::byte> before = output.contents();
  std::vector<std::byte> first;
  for (int threads : {1, 2, 5}) {
    const auto executable = LoadExecutable(ImageOf(step, views, output), {.threads = threads});
    ASSERT_TRUE(executable.ok()) << executable.status();
    for (int round = 0; round < 2; ++round) {
      std::memcpy(output.data(), before.data(), before.size());
      std::vector<ConstBuffer> in;
      for (Operand* input : inputs) in.push_back({input->data(), input->bytes()});
      const absl::Status status = (*executable)->Run(in, {{output.data(), output.bytes()}});
      ASSERT_TRUE(status.ok()) << status;
      if (first.empty()) first = output.contents();
      ASSERT_TRUE(first == output.contents()) << threads << " workers, round " << round;
    }
  }
}

}  // namespace astitch
