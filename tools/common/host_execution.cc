// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Buffers are aligned to cache lines, as a framework's allocator gives them.
#include "tools/common/host_execution.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensor_io/layout.h"

namespace astitch {
namespace {

class AlignedBytes {
 public:
  explicit AlignedBytes(int64_t size) : size_(size) {
    constexpr int64_t kAlignment = 64;
    const int64_t padded = std::max(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
    data_.reset(std::aligned_alloc(kAlignment, padded));
    if (!data_) throw std::bad_alloc();  // RunTool says "out of memory"
    std::memset(data_.get(), 0, padded);
  }
  void* data() const { return data_.get(); }
  int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> data_;
  int64_t size_;
};

class HostExecution final : public Execution {
 public:
  HostExecution(const Executable& executable, std::vector<Shape> inputs, std::vector<Shape> outputs)
      : executable_(executable),
        input_shapes_(std::move(inputs)),
        output_shapes_(std::move(outputs)) {
    for (const Shape& shape : input_shapes_) inputs_.emplace_back(shape.byte_size());
    for (const Shape& shape : output_shapes_) outputs_.emplace_back(shape.byte_size());
    for (const AlignedBytes& b : inputs_) input_views_.push_back({b.data(), b.size()});
    for (const AlignedBytes& b : outputs_) output_views_.push_back({b.data(), b.size()});
  }

  absl::Status SetInputs(std::vector<Literal> inputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (IsDenseRowMajor(input_shapes_[i])) {
        Copy(inputs[i].bytes(), inputs_[i]);
      } else {
        Copy(ToPhysical(inputs[i], input_shapes_[i]), inputs_[i]);
      }
      inputs[i] = Literal();  // models are large: one copy at a time
    }
    return absl::OkStatus();
  }
  absl::Status Run() override { return executable_.Run(input_views_, output_views_); }
  std::vector<Literal> Outputs() const override {
    std::vector<Literal> out;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto* bytes = static_cast<const std::byte*>(outputs_[i].data());
      out.push_back(
          FromPhysical(output_shapes_[i], {bytes, static_cast<size_t>(outputs_[i].size())}));
    }
    return out;
  }

 private:
  static void Copy(absl::Span<const std::byte> from, const AlignedBytes& to) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  }

  const Executable& executable_;
  std::vector<Shape> input_shapes_, output_shapes_;
  std::vector<AlignedBytes> inputs_, outputs_;
  std::vector<ConstBuffer> input_views_;
  std::vector<Buffer> output_views_;
};

}  // namespace

std::unique_ptr<Execution> MakeHostExecution(const Executable& executable,
                                             std::vector<Shape> inputs,
                                             std::vector<Shape> outputs) {
  return std::make_unique<HostExecution>(executable, std::move(inputs), std::move(outputs));
}

}  // namespace astitch
