// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Matrix products of every layout, split, type and epilogue against three loops in double.
#include <gmock/gmock.h>

#include <filesystem>

#include "library_case.h"
#include "runtime/library/support.h"

namespace astitch {
namespace {

using testing::HasSubstr;
using Kind = Epilogue::Kind;

struct Addend {
  DataType type = DataType::kF32;
  std::vector<int64_t> strides = {};  // empty: as the output's
};

struct MatmulCase {
  const char* name = "";
  std::vector<int64_t> batch = {};
  int64_t m = 1, n = 1, k = 1;
  DataType lhs = DataType::kF32, rhs = DataType::kF32, out = DataType::kF32;
  // Empty: row-major.
  std::vector<int64_t> lhs_strides = {}, rhs_strides = {}, out_strides = {};
  std::vector<Epilogue> epilogue = {};
  std::vector<Addend> addends = {};
  int32_t batch_parts = 1, m_parts = 1, n_parts = 1;
  double tolerance = 1e-5;
};

std::ostream& operator<<(std::ostream& out, const MatmulCase& c) { return out << c.name; }

std::vector<int64_t> RowMajor(const std::vector<int64_t>& dims) {
  std::vector<int> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  return StridesInOrder(dims, order);
}

class Matmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, IsThreeLoops) {
  const MatmulCase& c = GetParam();
  const auto dims = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> out = c.batch;
    out.insert(out.end(), {rows, columns});
    return out;
  };
  const auto make = [&](DataType type, const std::vector<int64_t>& d,
                        const std::vector<int64_t>& strides, int seed) {
    return Operand(type, d, strides.empty() ? RowMajor(d) : strides, seed);
  };
  Operand lhs = make(c.lhs, dims(c.m, c.k), c.lhs_strides, 1);
  Operand rhs = make(c.rhs, dims(c.k, c.n), c.rhs_strides, 2);
  Operand out = make(c.out, dims(c.m, c.n), c.out_strides, 3);
  MatmulStep step;
  step.name = c.name;
  step.batch = c.batch;
  step.m = c.m, step.n = c.n, step.k = c.k;
  step.lhs = lhs.View(Input(0, lhs.bytes()));
  step.rhs = rhs.View(Input(1, rhs.bytes()));
  step.out = out.View(Output(0, out.bytes()));
  step.epilogue = c.epilogue;
  step.batch_parts = c.batch_parts, step.m_parts = c.m_parts, step.n_parts = c.n_parts;
  std::vector<Operand> addends;
  for (const Addend& addend : c.addends) {
    addends.push_back(make(addend.type, dims(c.m, c.n),
                           addend.strides.empty() ? c.out_strides : addend.strides,
                           static_cast<int>(10 + addends.size())));
  }
  std::vector<Operand*> inputs = {&lhs, &rhs};
  for (size_t i = 0, e = 0; i < addends.size(); ++i, ++e) {
    while (step.epilogue[e].kind != Kind::kAdd) ++e;
    inputs.push_back(&addends[i]);
    step.epilogue[e].view = addends[i].View(Input(static_cast<int32_t>(2 + i), addends[i].bytes()));
  }
  ASSERT_TRUE(CanRunMatmul(step).ok()) << CanRunMatmul(step);
  RunLibraryStep(step, inputs, out);
  if (HasFatalFailure()) return;
  ForEachIndex(out.dims(), [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> l = index, r = index;
    double sum = 0;
    for (int64_t k = 0; k < c.k; ++k) {
      l[l.size() - 1] = r[r.size() - 2] = k;
      sum += lhs.At(l) * rhs.At(r);
    }
    const double expected = Apply(c.epilogue, addends, index, sum);
    ASSERT_NEAR(out.At(index), expected, c.tolerance * std::max(1.0, std::abs(expected)))
        << testing::PrintToString(index);
  });
}

constexpr DataType kBF16 = DataType::kBF16, kF16 = DataType::kF16, kF32 = DataType::kF32,
                   kS8 = DataType::kS8, kU8 = DataType::kU8, kS32 = DataType::kS32;
const Epilogue kAdd = {.kind = Kind::kAdd}, kRelu = {.kind = Kind::kRelu},
               kGeluTanh = {.kind = Kind::kGeluTanh}, kGeluErf = {.kind = Kind::kGeluErf},
               kHalf = {.kind = Kind::kScale, .scale = 0.5f};

INSTANTIATE_TEST_SUITE_P(
    Layouts, Matmul,
    testing::Values(
        MatmulCase{.name = "plain", .m = 33, .n = 47, .k = 65},
        MatmulCase{.name = "one by one", .m = 1, .n = 1, .k = 1},
        MatmulCase{.name = "row vector", .m = 1, .n = 130, .k = 70, .n_parts = 3},
        MatmulCase{.name = "column vector", .m = 130, .n = 1, .k = 70, .m_parts = 4},
        MatmulCase{.name = "outer product", .m = 40, .n = 50, .k = 1, .m_parts = 2, .n_parts = 2},
        MatmulCase{.name = "lhs transposed", .m = 33, .n = 47, .k = 65, .lhs_strides = {1, 33}},
        MatmulCase{.name = "rhs transposed", .m = 33, .n = 47, .k = 65, .rhs_strides = {1, 65}},
        MatmulCase{.name = "both transposed",
                   .m = 200,
                   .n = 47,
                   .k = 65,
                   .lhs_strides = {1, 200},
                   .rhs_strides = {1, 65},
                   .m_parts = 3},
        MatmulCase{.name = "output transposed",
                   .m = 33,
                   .n = 470,
                   .k = 65,
                   .out_strides = {1, 33},
                   .n_parts = 5},
        MatmulCase{.name = "padded rows",
                   .m = 100,
                   .n = 47,
                   .k = 65,
                   .lhs_strides = {70, 1},
                   .rhs_strides = {50, 1},
                   .out_strides = {60, 1},
                   .m_parts = 2,
                   .n_parts = 2},
        MatmulCase{.name = "no unit stride",
                   .m = 100,
                   .n = 47,
                   .k = 65,
                   .lhs_strides = {200, 3},
                   .rhs_strides = {2, 140},
                   .out_strides = {100, 2},
                   .m_parts = 2},
        MatmulCase{
            .name = "lhs broadcast over rows", .m = 30, .n = 20, .k = 10, .lhs_strides = {0, 1}},
        MatmulCase{.name = "column of a matrix", .m = 1, .n = 20, .k = 10, .lhs_strides = {1, 7}},
        MatmulCase{.name = "heads inside rows",
                   .batch = {2, 3},
                   .m = 20,
                   .n = 24,
                   .k = 16,
                   .lhs_strides = {20 * 48, 16, 48, 1},
                   .rhs_strides = {24 * 48, 16, 1, 48},
                   .batch_parts = 4},
        MatmulCase{.name = "context inside rows",
                   .batch = {2, 3},
                   .m = 20,
                   .n = 16,
                   .k = 24,
                   .rhs_strides = {24 * 48, 16, 48, 1},
                   .out_strides = {20 * 48, 16, 48, 1},
                   .batch_parts = 3,
                   .m_parts = 2},
        MatmulCase{.name = "rhs broadcast over the batch",
                   .batch = {5},
                   .m = 20,
                   .n = 16,
                   .k = 24,
                   .rhs_strides = {0, 16, 1},
                   .batch_parts = 2},
        MatmulCase{.name = "a batch of vectors",
                   .batch = {7},
                   .m = 1,
                   .n = 30,
                   .k = 40,
                   .batch_parts = 7}),
    [](const auto& info) { return std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(Epilogues, Matmul,
                         testing::Values(MatmulCase{.name = "bias",
                                                    .m = 70,
                                                    .n = 150,
                                                    .k = 20,
                                                    .epilogue = {kAdd},
                                                    .addends = {{kF32, {0, 1}}},
                                                    .m_parts = 2,
                                                    .n_parts = 3},
                                         MatmulCase{.name = "bias of a transposed output",
                                                    .m = 70,
                                                    .n = 150,
                                                    .k = 20,
                                                    .out_strides = {1, 70},
                                                    .epilogue = {kAdd, kRelu},
                                                    .addends = {{kF32, {0, 1}}},
                                                    .m_parts = 2},
                                         MatmulCase{.name = "bias for each row",
                                                    .m = 70,
                                                    .n = 150,
                                                    .k = 20,
                                                    .epilogue = {kAdd},
                                                    .addends = {{kF32, {1, 0}}},
                                                    .m_parts = 2},
                                         MatmulCase{.name = "bias, gelu by tanh",
                                                    .m = 40,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kGeluTanh},
                                                    .addends = {{kF32, {0, 1}}}},
                                         MatmulCase{.name = "bias, gelu by erf",
                                                    .m = 40,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kGeluErf},
                                                    .addends = {{kF32, {0, 1}}}},
                                         MatmulCase{.name = "scale, then bias",
                                                    .m = 40,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kHalf, kAdd},
                                                    .addends = {{kF32, {0, 1}}}},
                                         MatmulCase{.name = "bias, scale, relu, bias",
                                                    .m = 40,
                                                    .n = 150,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kHalf, kRelu, kAdd},
                                                    .addends = {{kF32, {0, 1}}, {kF32, {0, 1}}},
                                                    .n_parts = 2},
                                         MatmulCase{.name = "bias and residual",
                                                    .m = 140,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kAdd},
                                                    .addends = {{kF32, {0, 1}}, {kF32, {50, 1}}},
                                                    .m_parts = 2},
                                         MatmulCase{.name = "residual with padded rows",
                                                    .m = 140,
                                                    .n = 50,
                                                    .k = 20,
                                                    .out_strides = {64, 1},
                                                    .epilogue = {kAdd},
                                                    .addends = {{kF32, {64, 1}}},
                                                    .m_parts = 2,
                                                    .n_parts = 2},
                                         MatmulCase{.name = "residual that lies otherwise",
                                                    .m = 140,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kRelu},
                                                    .addends = {{kF32, {1, 140}}},
                                                    .m_parts = 2},
                                         MatmulCase{.name = "two residuals, one bf16",
                                                    .m = 140,
                                                    .n = 50,
                                                    .k = 20,
                                                    .epilogue = {kAdd, kGeluTanh, kAdd},
                                                    .addends = {{kF32, {50, 1}}, {kBF16, {50, 1}}},
                                                    .m_parts = 2},
                                         MatmulCase{.name = "mask of the batch",
                                                    .batch = {2, 3},
                                                    .m = 20,
                                                    .n = 24,
                                                    .k = 16,
                                                    .epilogue = {kHalf, kAdd},
                                                    .addends = {{kF32, {24, 0, 0, 1}}},
                                                    .batch_parts = 6},
                                         MatmulCase{.name = "a scalar",
                                                    .m = 20,
                                                    .n = 24,
                                                    .k = 16,
                                                    .epilogue = {kAdd},
                                                    .addends = {{kF32, {0, 0}}}}),
                         [](const auto& info) { return std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(Types, Matmul,
                         testing::Values(MatmulCase{.name = "bf16",
                                                    .m = 150,
                                                    .n = 47,
                                                    .k = 65,
                                                    .lhs = kBF16,
                                                    .rhs = kBF16,
                                                    .out = kBF16,
                                                    .m_parts = 2,
                                                    .tolerance = 4e-3},
                                         MatmulCase{.name = "f16",
                                                    .m = 150,
                                                    .n = 47,
                                                    .k = 65,
                                                    .lhs = kF16,
                                                    .rhs = kF16,
                                                    .out = kF16,
                                                    .m_parts = 2,
                                                    .n_parts = 2,
                                                    .tolerance = 5e-4},
                                         MatmulCase{.name = "bf16, rhs transposed, bias",
                                                    .m = 150,
                                                    .n = 47,
                                                    .k = 65,
                                                    .lhs = kBF16,
                                                    .rhs = kBF16,
                                                    .out = kBF16,
                                                    .rhs_strides = {1, 65},
                                                    .epilogue = {kAdd, kGeluTanh},
                                                    .addends = {{kBF16, {0, 1}}},
                                                    .m_parts = 4,
                                                    .n_parts = 3,
                                                    .tolerance = 4e-3},
                                         MatmulCase{.name = "bf16 to f32 in a batch",
                                                    .batch = {3},
                                                    .m = 20,
                                                    .n = 30,
                                                    .k = 40,
                                                    .lhs = kBF16,
                                                    .rhs = kBF16,
                                                    .batch_parts = 2},
                                         MatmulCase{.name = "mixed",
                                                    .m = 20,
                                                    .n = 30,
                                                    .k = 40,
                                                    .lhs = kF32,
                                                    .rhs = kBF16,
                                                    .out = kF16,
                                                    .tolerance = 5e-4},
                                         MatmulCase{.name = "s8",
                                                    .m = 150,
                                                    .n = 47,
                                                    .k = 65,
                                                    .lhs = kS8,
                                                    .rhs = kS8,
                                                    .out = kS32,
                                                    .m_parts = 3,
                                                    .tolerance = 0},
                                         MatmulCase{.name = "s8 in several exact chunks",
                                                    .m = 70,
                                                    .n = 17,
                                                    .k = 3000,
                                                    .lhs = kS8,
                                                    .rhs = kS8,
                                                    .out = kS32,
                                                    .m_parts = 2,
                                                    .tolerance = 0},
                                         MatmulCase{.name = "u8 by s8, rhs transposed",
                                                    .m = 70,
                                                    .n = 17,
                                                    .k = 1300,
                                                    .lhs = kU8,
                                                    .rhs = kS8,
                                                    .out = kS32,
                                                    .rhs_strides = {1, 1300},
                                                    .m_parts = 2,
                                                    .n_parts = 2,
                                                    .tolerance = 0},
                                         MatmulCase{.name = "u8 by u8, output transposed",
                                                    .m = 70,
                                                    .n = 17,
                                                    .k = 600,
                                                    .lhs = kU8,
                                                    .rhs = kU8,
                                                    .out = kS32,
                                                    .out_strides = {1, 70},
                                                    .m_parts = 2,
                                                    .tolerance = 0}),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(MatmulSupport, WhatNoLibraryTakesIsUnimplementedAndNamed) {
  const auto reason = [](DataType lhs, DataType rhs, DataType out, int64_t k,
                         std::vector<Epilogue> epilogue = {}) {
    MatmulStep step;
    step.m = step.n = 4, step.k = k;
    step.lhs = {Input(0, 64), lhs, {4, 1}};
    step.rhs = {Input(1, 64), rhs, {4, 1}};
    step.out = {Output(0, 64), out, {4, 1}};
    step.epilogue = std::move(epilogue);
    const absl::Status status = CanRunMatmul(step);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    return std::string(status.message());
  };
  EXPECT_EQ(reason(kS32, kF32, kF32, 4), "matmul of s32 and f32 to f32");
  EXPECT_EQ(reason(kS8, kS8, kF32, 4), "matmul of s8 and s8 to f32");
  EXPECT_EQ(reason(kS8, kS8, kS32, 4, {kRelu}), "epilogue of an integer matmul");
  EXPECT_EQ(reason(kF32, kF32, kF32, 0), "a matmul without elements");
}

TEST(MatmulSupport, WhatIsNoMatmulIsInvalid) {
  MatmulStep step;
  step.m = step.n = step.k = 4;
  step.lhs = {Input(0, 60), kF32, {4, 1}};
  EXPECT_THAT(std::string(CanRunMatmul(step).message()), HasSubstr("expected lhs inside its 60"));
}

int ThreadsOfThisProcess() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<int>(std::distance(begin(entries), end(entries)));
}

TEST(MatmulThreads, TheLibraryStartsNoneOfItsOwn) {
  MatmulStep step;
  step.m = step.n = step.k = 256;
  step.lhs = {Input(0, 262144), kF32, {256, 1}};
  step.rhs = {Input(1, 262144), kF32, {256, 1}};
  step.out = {Output(0, 262144), kF32, {256, 1}};
  step.m_parts = 4;
  ExecutableImage image;
  image.inputs = {Spec("f32", {256, 256}, 4), Spec("f32", {256, 256}, 4)};
  image.outputs = {Spec("f32", {256, 256}, 4)};
  image.steps = {step};
  std::vector<float> a(65536, 1.0f), b(65536, 2.0f), c(65536);
  const int before = ThreadsOfThisProcess();
  const auto executable = LoadExecutable(image, {.threads = 2});
  ASSERT_TRUE(executable.ok()) << executable.status();
  ASSERT_TRUE(
      (*executable)->Run({{a.data(), 262144}, {b.data(), 262144}}, {{c.data(), 262144}}).ok());
  EXPECT_EQ(c[65535], 512.0f);
  EXPECT_EQ(ThreadsOfThisProcess(), before + 1);  // the team's second worker
}

TEST(Convert, HalvesOfAllBitsGoThereAndBack) {
  // Every f16 and every bf16, by rows (the CPU's converter) and by strides (ours): the same bits,
  // and back again unless it is a signalling NaN.
  for (DataType type : {kF16, kBF16}) {
    std::vector<uint16_t> all(65536), back(65536), back_strided(65536);
    for (int i = 0; i < 65536; ++i) all[i] = static_cast<uint16_t>(i);
    std::vector<float> rows(65536), strided(65536);
    LoadAsF32(type, all.data(), {1, 65536, 0, 1}, rows.data());
    LoadAsF32(type, all.data(), {1, 32768, 0, 2}, strided.data());
    for (int i = 0; i < 32768; ++i) {
      if (std::isnan(rows[2 * i])) {
        EXPECT_TRUE(std::isnan(strided[i])) << i;
      } else {
        ASSERT_EQ(strided[i], rows[2 * i]) << i;
      }
    }
    StoreFromF32(type, rows.data(), {1, 65536, 0, 1}, back.data());
    for (int i = 0; i < 65536; ++i) {
      StoreFromF32(type, &rows[i], {1, 1, 0, 2}, &back_strided[i]);
      if (std::isnan(rows[i])) continue;
      ASSERT_EQ(back[i], all[i]);
      ASSERT_EQ(back_strided[i], all[i]);
    }
  }
}

TEST(Convert, RoundsToNearestEven) {
  const auto round = [](DataType type, float x) {
    uint16_t by_row[8], by_stride = 0;
    const std::vector<float> copies(8, x);
    StoreFromF32(type, copies.data(), {1, 8, 0, 1}, by_row);
    StoreFromF32(type, &x, {1, 1, 0, 2}, &by_stride);
    EXPECT_EQ(by_row[0], by_stride) << x;
    return by_stride;
  };
  EXPECT_EQ(round(kF16, 1.0f + 0x1p-11f), 0x3c00);      // a tie, to even below
  EXPECT_EQ(round(kF16, 1.0f + 3 * 0x1p-11f), 0x3c02);  // a tie, to even above
  EXPECT_EQ(round(kF16, 65519.0f), 0x7bff);             // the largest
  EXPECT_EQ(round(kF16, 65520.0f), 0x7c00);             // infinity
  EXPECT_EQ(round(kF16, 0x1p-25f), 0x0000);             // half of the smallest: to even
  EXPECT_EQ(round(kF16, 0x1.8p-24f), 0x0002);           // subnormal tie
  EXPECT_EQ(round(kF16, 0x1.ffep-15f), 0x0400);         // up into the normal numbers
  EXPECT_EQ(round(kF16, -0x1p-30f), 0x8000);
  EXPECT_EQ(round(kBF16, 1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(round(kBF16, 1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(round(kBF16, 3.4e38f), 0x7f80);
  EXPECT_EQ(round(kBF16, std::nanf("")) & 0x7fc0, 0x7fc0);
  EXPECT_EQ(round(kF16, std::nanf("")) & 0x7e00, 0x7e00);
}

}  // namespace
}  // namespace astitch
