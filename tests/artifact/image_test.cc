// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Images print as lines, and whatever is out of range in one is found and named.
#include <gtest/gtest.h>

#include <functional>

#include "artifact/executable_image.h"

namespace astitch {
namespace {

constexpr DataType kF32 = DataType::kF32;

BufferRef Ref(BufferRef::Space space, int32_t index, int64_t offset, int64_t bytes) {
  return {space, index, offset, bytes};
}
BufferRef Input(int32_t index, int64_t bytes) {
  return Ref(BufferRef::Space::kInput, index, 0, bytes);
}

TensorSpec Spec(std::string name, std::vector<int64_t> dims, std::vector<int64_t> layout) {
  TensorSpec spec = {std::move(name), "f32", std::move(dims), std::move(layout), 4};
  for (int64_t dim : spec.dims) spec.bytes *= dim;
  return spec;
}

// x f32[8,16], w f32[16,4] -> f32[8,4]: a kernel, a product, a convolution and a copy.
ExecutableImage Image() {
  ExecutableImage image;
  image.target = "host:test";
  image.cpu_features = {"avx2", "fma"};
  image.inputs = {Spec("x", {8, 16}, {1, 0}), Spec("w", {16, 4}, {0, 1})};
  image.outputs = {Spec("", {8, 4}, {1, 0})};
  image.constants = {std::vector<std::byte>(16)};
  image.objects = {std::vector<std::byte>(100)};
  image.arena_bytes = 1024;
  MatmulStep matmul;
  matmul.name = "dot";
  matmul.m = 8, matmul.n = 4, matmul.k = 16;
  matmul.lhs = {Input(0, 512), kF32, {16, 1}};
  matmul.rhs = {Input(1, 256), kF32, {1, 16}};
  matmul.out = {Ref(BufferRef::Space::kArena, 0, 512, 128), kF32, {4, 1}};
  matmul.epilogue = {{.kind = Epilogue::Kind::kAdd,
                      .view = {Ref(BufferRef::Space::kConstant, 0, 0, 16), kF32, {0, 1}}},
                     {.kind = Epilogue::Kind::kScale, .scale = 0.5f},
                     {.kind = Epilogue::Kind::kRelu}};
  ConvolutionStep convolution;
  convolution.name = "conv";
  convolution.batch = 1, convolution.in_channels = 1, convolution.out_channels = 1;
  convolution.in_spatial = {8}, convolution.kernel_spatial = {3}, convolution.out_spatial = {8};
  convolution.window = {{.pad_low = 1, .pad_high = 1}};
  convolution.in = {Ref(BufferRef::Space::kArena, 0, 0, 32), kF32, {8, 8, 1}};
  convolution.kernel = {Ref(BufferRef::Space::kConstant, 0, 4, 12), kF32, {3, 3, 1}};
  convolution.out = {Ref(BufferRef::Space::kArena, 0, 64, 32), kF32, {8, 8, 1}};
  image.steps = {
      HostKernelStep{
          "k", "k0", 0, {Input(0, 512), Ref(BufferRef::Space::kArena, 0, 0, 64)}, 4096, 8},
      matmul,
      convolution,
      CopyStep{"keep", Ref(BufferRef::Space::kArena, 0, 512, 128),
               Ref(BufferRef::Space::kOutput, 0, 0, 128)},
      ReferenceStep{
          "loop", "HloModule m", {Input(0, 512)}, {Ref(BufferRef::Space::kArena, 0, 0, 64)}, 7},
  };
  return image;
}

TEST(Image, PrintsALineForEachPart) {
  EXPECT_EQ(ToString(Image()),
            "image target=host:test features=avx2,fma arena=1024\n"
            "input 0 x f32[8,16]{1,0} 512 bytes\n"
            "input 1 w f32[16,4]{0,1} 256 bytes\n"
            "output 0 f32[8,4]{1,0} 128 bytes\n"
            "constant 0 16 bytes\n"
            "object 0 100 bytes\n"
            "step 0 kernel k symbol=k0 object=0 workers<=8 tile=4096 "
            "buffers=(input 0 [0,+512), arena [0,+64))\n"
            "step 1 matmul dot batch=[] m=8 n=4 k=16 parts=1x1x1 "
            "lhs=(f32 input 0 [0,+512) strides 16,1) rhs=(f32 input 1 [0,+256) strides 1,16) "
            "out=(f32 arena [512,+128) strides 4,1) "
            "add(f32 constant 0 [0,+16) strides 0,1) scale(0.5) relu\n"
            "step 2 convolution conv batch=1 channels=1->1 groups=1 spatial=8->8 kernel=3 "
            "window=1/1_1/1 parts=1x1 in=(f32 arena [0,+32) strides 8,8,1) "
            "kernel=(f32 constant 0 [4,+12) strides 3,3,1) "
            "out=(f32 arena [64,+32) strides 8,8,1)\n"
            "step 3 copy keep arena [512,+128) -> output 0 [0,+128)\n"
            "step 4 reference loop hlo=11 random=7 (input 0 [0,+512)) -> (arena [0,+64))\n");
}

TEST(Image, ALaunchSaysWhetherItsClustersArePortable) {
  PtxKernelStep step;
  step.grid = 16;
  for (const auto& [cluster, says] : {std::pair{1, false}, {8, false}, {16, true}}) {
    step.cluster = cluster;
    EXPECT_EQ(step.non_portable_cluster(), says) << cluster;
    EXPECT_EQ(ToString(Step(step)).find("non-portable") != std::string::npos, says) << cluster;
  }
}

TEST(Image, EqualImagesAreEqual) {
  ExecutableImage image = Image();
  EXPECT_EQ(image, Image());
  std::get<MatmulStep>(image.steps[1]).epilogue[1].scale = 2;
  EXPECT_FALSE(image == Image());
}

TEST(ValidateImage, AGoodOneIsGood) { EXPECT_TRUE(ValidateImage(Image()).ok()); }

struct Damage {
  const char* error;
  std::function<void(ExecutableImage&)> damage;
};

template <typename S>
S& At(ExecutableImage& image, size_t step) {
  return std::get<S>(image.steps[step]);
}

TEST(ValidateImage, EachDamageIsNamed) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<Damage> cases = {
      {"expected an arena of 0 bytes or more, got -1",
       [](ExecutableImage& i) { i.arena_bytes = -1; }},
      {"input 0: expected a permutation as layout",
       [](ExecutableImage& i) { i.inputs[0].minor_to_major = {1, 1}; }},
      {"output 0: expected dimensions of 0 or more, got -8",
       [](ExecutableImage& i) { i.outputs[0].dims[0] = -8; }},
      {"alias of output 0 and input 7: no such tensor",
       [](ExecutableImage& i) { i.aliases = {{.output = 0, .input = 7}}; }},
      {"alias of output 0 and input 0: sizes differ",
       [](ExecutableImage& i) { i.aliases = {{.output = 0, .input = 0}}; }},
      {"step 0 k: expected an object below 1, got 1",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).object = 1; }},
      {"step 0 k: expected 1 to 65536 workers, got 0",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).max_workers = 0; }},
      {"step 0 k: expected a tile of 0 to 2^30 bytes, got -1",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).tile_bytes = -1; }},
      {"step 0 k: expected an index below 2, got input 2 [0,+512)",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).buffers[0].index = 2; }},
      {"step 0 k: expected a range within 1024 bytes, got arena [4611686018427387904,+64)",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).buffers[1].offset = kHuge; }},
      {"step 0 k: expected a range within 1024 bytes, got arena [0,+-1)",
       [](ExecutableImage& i) { At<HostKernelStep>(i, 0).buffers[1].bytes = -1; }},
      {"step 1 dot: expected lhs inside its 512 bytes, got 516",
       [](ExecutableImage& i) {
         At<MatmulStep>(i, 1).lhs.strides = {16, 1}, At<MatmulStep>(i, 1).k = 17,
                           At<MatmulStep>(i, 1).rhs.strides = {1, 1};
       }},
      {"step 1 dot: expected lhs inside its 512 bytes, got more than 2^63",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).lhs.strides = {kHuge, kHuge}; }},
      {"step 1 dot: expected 2 strides of rhs, got 1",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).rhs.strides = {1}; }},
      {"step 1 dot: expected strides of 0 or more in rhs, got -1",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).rhs.strides = {-1, 16}; }},
      {"step 1 dot: expected an output stride of at least 4, got 3",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).out.strides = {3, 1}; }},
      {"step 1 dot: expected an output in an output or the arena, got input 0 [0,+128)",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).out.buffer = Input(0, 128); }},
      {"step 1 dot: rhs arena [600,+256) overlaps the output arena [512,+128)",
       [](ExecutableImage& i) {
         At<MatmulStep>(i, 1).rhs.buffer = Ref(BufferRef::Space::kArena, 0, 600, 256);
       }},
      {"step 1 dot: expected an offset of lhs divisible by 4, got 2",
       [](ExecutableImage& i) {
         At<MatmulStep>(i, 1).lhs.buffer = Ref(BufferRef::Space::kInput, 0, 2, 510);
       }},
      {"step 1 dot: expected 1 to 8 parts, got 9",
       [](ExecutableImage& i) { At<MatmulStep>(i, 1).m_parts = 9; }},
      {"step 2 conv: expected output size 8 in spatial dimension 0, got 7",
       [](ExecutableImage& i) { At<ConvolutionStep>(i, 2).out_spatial[0] = 7; }},
      {"step 2 conv: window dimension 0 is out of range",
       [](ExecutableImage& i) { At<ConvolutionStep>(i, 2).window[0].stride = 0; }},
      {"step 2 conv: expected groups that divide 1 and 1 channels, got 0",
       [](ExecutableImage& i) { At<ConvolutionStep>(i, 2).groups = 0; }},
      {"step 2 conv: expected 1 to 3 spatial dimensions, alike in all, got 1, 1, 1 and 2",
       [](ExecutableImage& i) { At<ConvolutionStep>(i, 2).window.push_back({}); }},
      {"step 3 keep: expected ranges of one length, got 128 and 64",
       [](ExecutableImage& i) { At<CopyStep>(i, 3).to.bytes = 64; }},
      {"step 3 keep: expected ranges that do not overlap",
       [](ExecutableImage& i) {
         At<CopyStep>(i, 3).to = Ref(BufferRef::Space::kArena, 0, 600, 128);
       }},
      {"step 3 keep: expected a copy to an output or the arena, got constant 0 [0,+16)",
       [](ExecutableImage& i) {
         At<CopyStep>(i, 3).to = Ref(BufferRef::Space::kConstant, 0, 0, 16);
         At<CopyStep>(i, 3).from.bytes = 16;
       }},
      {"step 4 loop: expected a module to evaluate, got no text",
       [](ExecutableImage& i) { At<ReferenceStep>(i, 4).hlo_text = ""; }},
      {"step 4 loop: expected a random start of 0 or more, got -1",
       [](ExecutableImage& i) { At<ReferenceStep>(i, 4).random_start = -1; }},
      {"step 4 loop: expected a range within 512 bytes, got input 0 [0,+513)",
       [](ExecutableImage& i) { At<ReferenceStep>(i, 4).inputs[0].bytes = 513; }},
      {"step 4 loop: expected an output in an output or the arena, got input 1 [0,+64)",
       [](ExecutableImage& i) { At<ReferenceStep>(i, 4).outputs[0] = Input(1, 64); }},
      {"step 4 loop: arena [32,+64) overlaps arena [0,+64)",
       [](ExecutableImage& i) {
         At<ReferenceStep>(i, 4).outputs.push_back(Ref(BufferRef::Space::kArena, 0, 32, 64));
       }},
      {"step 4 loop: arena [0,+64) overlaps arena [8,+4)",
       [](ExecutableImage& i) {
         At<ReferenceStep>(i, 4).inputs[0] = Ref(BufferRef::Space::kArena, 0, 8, 4);
       }},
  };
  for (const Damage& c : cases) {
    ExecutableImage image = Image();
    c.damage(image);
    EXPECT_EQ(ValidateImage(image).message(), c.error);
  }
}

TEST(ChooseSplit, IsAFunctionOfTheSizes) {
  struct Case {
    std::vector<int64_t> batch;
    int64_t m, n, k;
    DataType type;
    int32_t batch_parts, m_parts, n_parts;
  };
  const Case cases[] = {
      {{}, 8, 4, 16, kF32, 1, 1, 1},                    // too small to share
      {{}, 1024, 768, 768, kF32, 1, 16, 1},             // rows
      {{}, 128, 768, 768, kF32, 1, 2, 8},               // few rows: columns too
      {{}, 1, 50257, 768, kF32, 1, 1, 16},              // one row
      {{}, 1, 50257, 768, DataType::kBF16, 1, 1, 588},  // one row, slices of rhs that stay in cache
      {{2, 12}, 384, 384, 64, kF32, 16, 1, 1},          // the batch is enough
      {{3}, 1024, 1024, 1024, kF32, 3, 5, 1},
      {{}, 0, 768, 768, kF32, 1, 1, 1},
  };
  for (const Case& c : cases) {
    MatmulStep step;
    step.batch = c.batch;
    step.m = c.m, step.n = c.n, step.k = c.k;
    step.lhs.type = step.rhs.type = c.type;
    ChooseSplit(step);
    EXPECT_EQ(step.batch_parts, c.batch_parts) << c.m << "x" << c.n << "x" << c.k;
    EXPECT_EQ(step.m_parts, c.m_parts) << c.m << "x" << c.n << "x" << c.k;
    EXPECT_EQ(step.n_parts, c.n_parts) << c.m << "x" << c.n << "x" << c.k;
  }
}

TEST(ChooseSplit, ConvolutionsByImagesThenRows) {
  ConvolutionStep step;
  step.batch = 2, step.in_channels = step.out_channels = 64;
  step.in_spatial = step.out_spatial = {56, 56}, step.kernel_spatial = {3, 3};
  ChooseSplit(step);
  EXPECT_EQ(step.batch_parts, 2);
  EXPECT_EQ(step.row_parts, 8);
}

}  // namespace
}  // namespace astitch
