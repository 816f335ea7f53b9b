// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Convolutions of every layout, window, split, type and epilogue against loops in double.
#include <gmock/gmock.h>

#include "library_case.h"
#include "runtime/library/support.h"

namespace astitch {
namespace {

using Kind = Epilogue::Kind;

constexpr DataType kF32 = DataType::kF32, kBF16 = DataType::kBF16, kF16 = DataType::kF16;

struct ConvolutionCase {
  const char* name = "";
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::vector<int64_t> in_spatial = {}, kernel_spatial = {};
  std::vector<ConvolutionWindowDim> window = {};
  const char* layout = "nchw";  // of input and output: channels after the batch, or last
  const char* kernel_layout = "oihw";
  DataType type = kF32;
  bool bias = false;
  DataType bias_type = kF32;
  std::vector<Epilogue> rest = {};  // after the bias; kAdd is an array that lies as the output
  int32_t batch_parts = 1, row_parts = 1;
  double tolerance = 2e-5;
};

std::ostream& operator<<(std::ostream& out, const ConvolutionCase& c) { return out << c.name; }

std::vector<int64_t> Dims(int64_t a, int64_t b, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> out = {a, b};
  out.insert(out.end(), spatial.begin(), spatial.end());
  return out;
}

// Dimension numbers are batch (out), channels (in), spatial; the layout's letters order them.
std::vector<int64_t> StridesOf(const std::vector<int64_t>& dims, const std::string& layout) {
  std::vector<int> order;
  for (char letter : layout) {
    if (letter == 'n' || letter == 'o') order.push_back(0);
    if (letter == 'c' || letter == 'i') order.push_back(1);
    if (letter == 'h') {
      for (size_t i = 2; i < dims.size(); ++i) order.push_back(static_cast<int>(i));
    }
  }
  return StridesInOrder(dims, order);
}

class Convolution : public testing::TestWithParam<ConvolutionCase> {
 protected:
  // The sum of one output, taps in the padding left out.
  static double Sum(const ConvolutionStep& s, const Operand& in, const Operand& kernel,
                    const std::vector<int64_t>& out) {
    const int64_t in_per_group = s.in_channels / s.groups;
    const int64_t group = out[1] / (s.out_channels / s.groups);
    double sum = 0;
    ForEachIndex(Dims(1, in_per_group, s.kernel_spatial), [&](const std::vector<int64_t>& tap) {
      std::vector<int64_t> at = {out[0], group * in_per_group + tap[1]};
      for (size_t i = 0; i < s.window.size(); ++i) {
        const ConvolutionWindowDim& w = s.window[i];
        at.push_back(out[2 + i] * w.stride - w.pad_low + tap[2 + i] * w.dilation);
        if (at.back() < 0 || at.back() >= s.in_spatial[i]) return;
      }
      std::vector<int64_t> of_kernel = tap;
      of_kernel[0] = out[1];
      sum += in.At(at) * kernel.At(of_kernel);
    });
    return sum;
  }
};

TEST_P(Convolution, IsItsLoops) {
  const ConvolutionCase& c = GetParam();
  ConvolutionStep s;
  s.name = c.name;
  s.batch = c.batch, s.in_channels = c.in_channels, s.out_channels = c.out_channels;
  s.groups = c.groups;
  s.in_spatial = c.in_spatial, s.kernel_spatial = c.kernel_spatial, s.window = c.window;
  for (size_t i = 0; i < c.window.size(); ++i) {
    const ConvolutionWindowDim& w = c.window[i];
    s.out_spatial.push_back(
        (c.in_spatial[i] + w.pad_low + w.pad_high - ((c.kernel_spatial[i] - 1) * w.dilation + 1)) /
            w.stride +
        1);
  }
  s.batch_parts = c.batch_parts, s.row_parts = c.row_parts;
  const auto make = [&](const std::vector<int64_t>& dims, const char* layout, int seed) {
    return Operand(c.type, dims, StridesOf(dims, layout), seed);
  };
  Operand in = make(Dims(s.batch, s.in_channels, s.in_spatial), c.layout, 1);
  Operand kernel =
      make(Dims(s.out_channels, s.in_channels / s.groups, s.kernel_spatial), c.kernel_layout, 2);
  Operand out = make(Dims(s.batch, s.out_channels, s.out_spatial), c.layout, 3);
  s.in = in.View(Input(0, in.bytes()));
  s.kernel = kernel.View(Input(1, kernel.bytes()));
  s.out = out.View(Output(0, out.bytes()));
  std::vector<Operand> addends;
  if (c.bias) {
    std::vector<int64_t> strides(out.dims().size(), 0);
    strides[1] = 1;
    addends.emplace_back(c.bias_type, out.dims(), strides, 4);
    s.epilogue.push_back({.kind = Kind::kAdd});
  }
  for (const Epilogue& e : c.rest) {
    s.epilogue.push_back(e);
    if (e.kind == Kind::kAdd) addends.push_back(make(out.dims(), c.layout, 5));
  }
  std::vector<Operand*> inputs = {&in, &kernel};
  size_t next = 0;
  for (Epilogue& e : s.epilogue) {
    if (e.kind != Kind::kAdd) continue;
    e.view = addends[next].View(Input(static_cast<int32_t>(2 + next), addends[next].bytes()));
    inputs.push_back(&addends[next++]);
  }
  ASSERT_TRUE(CanRunConvolution(s).ok()) << CanRunConvolution(s);
  RunLibraryStep(s, inputs, out);
  if (HasFatalFailure()) return;
  ForEachIndex(out.dims(), [&](const std::vector<int64_t>& index) {
    const double expected = Apply(s.epilogue, addends, index, Sum(s, in, kernel, index));
    ASSERT_NEAR(out.At(index), expected, c.tolerance * std::max(1.0, std::abs(expected)))
        << testing::PrintToString(index);
  });
}

const ConvolutionWindowDim kValid = {}, kSame3 = {.pad_low = 1, .pad_high = 1},
                           kStride2 = {.stride = 2, .pad_low = 1, .pad_high = 1},
                           kUneven = {.stride = 2, .pad_low = 0, .pad_high = 1},
                           kDilated = {.pad_low = 2, .pad_high = 2, .dilation = 2};

INSTANTIATE_TEST_SUITE_P(
    All, Convolution,
    testing::Values(ConvolutionCase{"3x3 nchw", 2, 16, 24, 1, {9, 11}, {3, 3}, {kSame3, kSame3}},
                    ConvolutionCase{.name = "3x3 nhwc hwio",
                                    .batch = 3,
                                    .in_channels = 16,
                                    .out_channels = 128,
                                    .groups = 1,
                                    .in_spatial = {9, 11},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .kernel_layout = "hio",
                                    .batch_parts = 2},
                    ConvolutionCase{.name = "few channels, stride 2, nhwc",
                                    .batch = 1,
                                    .in_channels = 3,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {30, 31},
                                    .kernel_spatial = {7, 7},
                                    .window = {{.stride = 2, .pad_low = 3, .pad_high = 3},
                                               {.stride = 2, .pad_low = 3, .pad_high = 3}},
                                    .layout = "nhc",
                                    .kernel_layout = "hio",
                                    .row_parts = 4},
                    ConvolutionCase{.name = "rows split, uneven padding",
                                    .batch = 2,
                                    .in_channels = 8,
                                    .out_channels = 16,
                                    .groups = 1,
                                    .in_spatial = {14, 14},
                                    .kernel_spatial = {3, 3},
                                    .window = {kUneven, kUneven},
                                    .layout = "nhc",
                                    .batch_parts = 2,
                                    .row_parts = 3},
                    ConvolutionCase{.name = "rows split, nchw, stride 2",
                                    .batch = 1,
                                    .in_channels = 16,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {15, 13},
                                    .kernel_spatial = {3, 3},
                                    .window = {kStride2, kStride2},
                                    .row_parts = 3},
                    ConvolutionCase{.name = "dilated",
                                    .batch = 1,
                                    .in_channels = 8,
                                    .out_channels = 8,
                                    .groups = 1,
                                    .in_spatial = {13, 12},
                                    .kernel_spatial = {3, 3},
                                    .window = {kDilated, kDilated},
                                    .layout = "nhc",
                                    .row_parts = 2},
                    ConvolutionCase{.name = "1x1",
                                    .batch = 2,
                                    .in_channels = 32,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {7, 7},
                                    .kernel_spatial = {1, 1},
                                    .window = {kValid, kValid},
                                    .layout = "nhc",
                                    .kernel_layout = "hio",
                                    .batch_parts = 2},
                    ConvolutionCase{.name = "1x1 stride 2",
                                    .batch = 2,
                                    .in_channels = 32,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {8, 8},
                                    .kernel_spatial = {1, 1},
                                    .window = {{.stride = 2}, {.stride = 2}},
                                    .layout = "nhc"},
                    ConvolutionCase{.name = "depthwise",
                                    .batch = 2,
                                    .in_channels = 16,
                                    .out_channels = 16,
                                    .groups = 16,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .batch_parts = 2},
                    ConvolutionCase{.name = "groups",
                                    .batch = 1,
                                    .in_channels = 16,
                                    .out_channels = 32,
                                    .groups = 2,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3}},
                    ConvolutionCase{.name = "1-d",
                                    .batch = 2,
                                    .in_channels = 8,
                                    .out_channels = 16,
                                    .groups = 1,
                                    .in_spatial = {40},
                                    .kernel_spatial = {5},
                                    .window = {{.pad_low = 4}},
                                    .layout = "nhc",
                                    .kernel_layout = "hio",
                                    .batch_parts = 2,
                                    .row_parts = 2},
                    ConvolutionCase{.name = "3-d",
                                    .batch = 1,
                                    .in_channels = 8,
                                    .out_channels = 8,
                                    .groups = 1,
                                    .in_spatial = {5, 6, 7},
                                    .kernel_spatial = {3, 3, 3},
                                    .window = {kSame3, kSame3, kSame3},
                                    .row_parts = 2},
                    ConvolutionCase{.name = "odd channels",
                                    .batch = 1,
                                    .in_channels = 5,
                                    .out_channels = 7,
                                    .groups = 1,
                                    .in_spatial = {6, 6},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .kernel_layout = "hio"},
                    ConvolutionCase{.name = "bias, relu",
                                    .batch = 2,
                                    .in_channels = 16,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .bias = true,
                                    .rest = {{.kind = Kind::kRelu}},
                                    .batch_parts = 2},
                    ConvolutionCase{.name = "bias, residual, relu",
                                    .batch = 1,
                                    .in_channels = 16,
                                    .out_channels = 64,
                                    .groups = 1,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .bias = true,
                                    .rest = {{.kind = Kind::kAdd}, {.kind = Kind::kRelu}},
                                    .row_parts = 3},
                    ConvolutionCase{.name = "residual, relu, nchw",
                                    .batch = 1,
                                    .in_channels = 16,
                                    .out_channels = 16,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .rest = {{.kind = Kind::kAdd}, {.kind = Kind::kRelu}},
                                    .row_parts = 3},
                    ConvolutionCase{.name = "bf16, bias and residual",
                                    .batch = 2,
                                    .in_channels = 16,
                                    .out_channels = 32,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .type = kBF16,
                                    .bias = true,
                                    .rest = {{.kind = Kind::kAdd}},
                                    .row_parts = 2,
                                    .tolerance = 4e-3},
                    ConvolutionCase{.name = "bf16 nhwc with bf16 bias",
                                    .batch = 2,
                                    .in_channels = 16,
                                    .out_channels = 128,
                                    .groups = 1,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .layout = "nhc",
                                    .kernel_layout = "hio",
                                    .type = kBF16,
                                    .bias = true,
                                    .bias_type = kBF16,
                                    .batch_parts = 2,
                                    .row_parts = 2,
                                    .tolerance = 4e-3},
                    ConvolutionCase{.name = "f16 nchw",
                                    .batch = 2,
                                    .in_channels = 16,
                                    .out_channels = 16,
                                    .groups = 1,
                                    .in_spatial = {9, 9},
                                    .kernel_spatial = {3, 3},
                                    .window = {kSame3, kSame3},
                                    .type = kF16,
                                    .row_parts = 2,
                                    .tolerance = 5e-4}),
    [](const auto& info) { return std::to_string(info.index); });

ConvolutionStep Small() {
  ConvolutionStep s;
  s.in_spatial = {4, 4}, s.kernel_spatial = {3, 3}, s.out_spatial = {2, 2};
  s.window = {{}, {}};
  s.in = {Input(0, 64), kF32, {16, 16, 4, 1}};
  s.kernel = {Input(1, 36), kF32, {9, 9, 3, 1}};
  s.out = {Output(0, 16), kF32, {4, 4, 2, 1}};
  return s;
}

TEST(ConvolutionSupport, WhatNoLibraryTakesIsUnimplementedAndNamed) {
  ConvolutionStep s = Small();
  s.out.type = DataType::kS32;
  EXPECT_EQ(CanRunConvolution(s).message(), "convolution of s32");
  s = Small();
  s.window[0] = {.pad_low = -1, .pad_high = 1};
  EXPECT_EQ(CanRunConvolution(s).message(), "convolution with negative padding");
  s = Small();
  const Epilogue add = {.kind = Kind::kAdd, .view = {Input(2, 16), kF32, {0, 0, 1, 2}}};
  s.epilogue = {add, add};
  EXPECT_EQ(CanRunConvolution(s).message(), "convolution followed by the addition of two arrays");
}

TEST(ConvolutionSupport, WhatIsNoConvolutionIsInvalid) {
  ConvolutionStep s = Small();
  s.out_spatial[1] = 3;
  EXPECT_EQ(CanRunConvolution(s).message(), "expected output size 2 in spatial dimension 1, got 3");
  s = Small();
  s.groups = 2;
  EXPECT_EQ(CanRunConvolution(s).message(), "expected groups that divide 1 and 1 channels, got 2");
}

}  // namespace
}  // namespace astitch
