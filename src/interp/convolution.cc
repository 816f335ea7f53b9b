// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// convolution: for each output position the covered input features times the kernel, accumulated in
// double (integers: modulo 2^64) over the output features, and encoded once.
//
// Operands are first brought into one order: lhs [batch, spatial.., i], rhs [spatial.., i, o],
// result [batch, spatial.., o]; dim_labels say where each of these lies.
#include <algorithm>
#include <vector>

#include "interp/arrange.h"
#include "interp/ops.h"
#include "interp/strides.h"
#include "ir/convolution_dims.h"
#include "ir/window.h"

namespace astitch::interp {
namespace {

std::vector<int64_t> Joined(std::vector<int64_t> first, const std::vector<int64_t>& second,
                            const std::vector<int64_t>& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

template <typename T>
struct Convolution {
  const ConvolutionAttributes& attributes;
  std::vector<int64_t> in_spatial, kernel_spatial, out_spatial;
  int64_t in_features, kernel_features, out_features, out_batch;
  std::vector<T> lhs, rhs;

  // Features of output position OUT of output batch B into SUMS, zeroed by the caller.
  void Accumulate(int64_t b, const std::vector<int64_t>& out, T* sums) const {
    std::vector<int64_t> k(kernel_spatial.size());
    const int64_t per_feature_group = out_features / attributes.feature_group_count;
    const int64_t per_batch_group = out_features / attributes.batch_group_count;
    do {
      int64_t position = 0, kernel = 0;
      bool covered = true;
      for (size_t d = 0; covered && d < k.size(); ++d) {
        const WindowDim& window = attributes.window[d];
        const int64_t element = WindowElement(in_spatial[d], window, out[d], k[d]);
        covered = element >= 0;
        position = position * in_spatial[d] + element;
        const int64_t tap = window.reversal ? window.size - 1 - k[d] : k[d];
        kernel = kernel * kernel_spatial[d] + tap;
      }
      if (!covered) continue;
      const int64_t in_positions = Positions(in_spatial);
      for (int64_t o = 0; o < out_features;) {
        const int64_t feature_group = o / per_feature_group;
        const int64_t batch = o / per_batch_group * out_batch + b;
        const int64_t end = std::min((feature_group + 1) * per_feature_group,
                                     (o / per_batch_group + 1) * per_batch_group);
        const T* in = lhs.data() + (batch * in_positions + position) * in_features +
                      feature_group * kernel_features;
        const T* taps = rhs.data() + kernel * kernel_features * out_features;
        for (int64_t i = 0; i < kernel_features; ++i) {
          for (int64_t f = o; f < end; ++f) {
            sums[f] = MultiplyAdd(in[i], taps[i * out_features + f], sums[f]);
          }
        }
        o = end;
      }
    } while (Next(kernel_spatial, k));
  }

  static int64_t Positions(const std::vector<int64_t>& dims) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    return n;
  }
  static bool Next(const std::vector<int64_t>& dims, std::vector<int64_t>& at) {
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) return true;
      at[d] = 0;
    }
    return false;
  }
};

std::vector<int64_t> Sizes(const Shape& shape, const std::vector<int64_t>& dims) {
  std::vector<int64_t> sizes;
  for (int64_t d : dims) sizes.push_back(shape.dim(d));
  return sizes;
}

template <typename T>
Literal Convolve(const Instruction& instruction, const ConvolutionDims& dims, Operands operands) {
  const auto& attributes = instruction.as<ConvolutionAttributes>();
  const Shape& shape = instruction.shape();
  const ElementType type = shape.element_type();
  const Shape& in = operands[0].shape();
  const Shape& kernel = operands[1].shape();
  const Convolution<T> convolution{
      attributes,
      Sizes(in, dims.lhs_spatial),
      Sizes(kernel, dims.rhs_spatial),
      Sizes(shape, dims.out_spatial),
      in.dim(dims.lhs_feature),
      kernel.dim(dims.rhs_input_feature),
      kernel.dim(dims.rhs_output_feature),
      shape.dim(dims.out_batch),
      Arrange<T>(operands[0], Joined({dims.lhs_batch}, dims.lhs_spatial, {dims.lhs_feature})),
      Arrange<T>(operands[1],
                 Joined(dims.rhs_spatial, {dims.rhs_input_feature}, {dims.rhs_output_feature}))};
  Literal result(shape);
  if (shape.num_elements() == 0) return result;
  std::byte* bytes = result.mutable_bytes().data();
  const std::vector<int64_t> strides = RowMajorStrides(shape.dims());
  const int64_t features = convolution.out_features;
  std::vector<T> sums(features);
  std::vector<std::byte> encoded(features * ByteWidth(type));
  for (int64_t b = 0; b < convolution.out_batch; ++b) {
    std::vector<int64_t> out(convolution.out_spatial.size());
    do {
      std::fill(sums.begin(), sums.end(), T{0});
      convolution.Accumulate(b, out, sums.data());
      EncodeElements(type, sums.data(), features, encoded.data());
      Strided to{b * strides[dims.out_batch], {strides[dims.out_feature]}};
      for (size_t d = 0; d < out.size(); ++d) to.start += out[d] * strides[dims.out_spatial[d]];
      CopyBox({features}, ByteWidth(type), encoded.data(), {0, {1}}, bytes, to);
    } while (Convolution<T>::Next(convolution.out_spatial, out));
  }
  return result;
}

}  // namespace

Result EvalConvolution(const Instruction& instruction, Operands operands) {
  const absl::StatusOr<ConvolutionDims> dims =
      ParseConvolutionDims(instruction.as<ConvolutionAttributes>().dim_labels);
  if (!dims.ok()) return ErrorAt(instruction, dims.status().message());
  const ElementType type = instruction.shape().element_type();
  if (IsFloat(type)) return Convolve<double>(instruction, *dims, operands);
  if (IsComplex(type)) return Convolve<Complex>(instruction, *dims, operands);
  return Convolve<uint64_t>(instruction, *dims, operands);
}

}  // namespace astitch::interp
