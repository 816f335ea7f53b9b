// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Programs that the NVPTX back end emitted are right as they are, and every way of breaking them is
// noticed, under every order of execution.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Program {
  std::string file;
  LaunchParams params;
  std::vector<Buffer> buffers;
  size_t output;
  std::vector<float> expected;
};

std::vector<float> Ramp(size_t count) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(i % 7) - 2;
  return out;
}

Program VectorAdd() {
  Program out{"vadd.ptx", {}, {}, 2, {}};
  out.params.grid = {4, 1, 1};
  out.params.block = {64, 1, 1};
  const std::vector<float> x = Ramp(250);
  out.buffers = {InputOf("a", x), InputOf("b", x), Buffer::Unwritten("c", 1000)};
  out.params.arguments = Pointers(3);
  out.params.arguments.push_back(Scalar32(250));
  for (const float v : x) out.expected.push_back(v + v);
  return out;
}

Program Tree() {
  Program out{"tree.ptx", {}, {}, 1, std::vector<float>(4)};
  out.params.grid = {4, 1, 1};
  out.params.block = {256, 1, 1};
  out.params.dynamic_smem_bytes = 1024;
  const std::vector<float> x = Ramp(1024);
  out.buffers = {InputOf("x", x), Buffer::Unwritten("sums", 16)};
  out.params.arguments = Pointers(2);
  for (size_t i = 0; i < x.size(); ++i) out.expected[i / 256] += x[i];
  return out;
}

Program Softmax() {
  Program out{"softmax.ptx", {}, {}, 1, {}};
  out.params.grid = {2, 1, 1};
  out.params.block = {256, 1, 1};
  out.params.dynamic_smem_bytes = 64;
  const std::vector<float> x = Ramp(2048);
  out.buffers = {InputOf("x", x), Buffer::Unwritten("y", 8192)};
  out.params.arguments = Pointers(2);
  for (size_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 1024; ++i) sum += std::exp(x[row * 1024 + i]);
    for (size_t i = 0; i < 1024; ++i) out.expected.push_back(std::exp(x[row * 1024 + i]) / sum);
  }
  return out;
}

Program TwoPhase() {
  Program out{"two_phase.ptx", {}, {}, 3, {}};
  out.params.grid = {6, 1, 1};
  out.params.block = {256, 1, 1};
  out.params.dynamic_smem_bytes = 64;
  out.params.cooperative = true;
  const std::vector<float> x = Ramp(6 * 256);
  out.buffers = {InputOf("x", x), Buffer::Unwritten("partial", 24), BufferOf<uint32_t>("word", {0}),
                 Buffer::Unwritten("y", x.size() * 4)};
  out.params.arguments = Pointers(4);
  float total = 0;
  for (const float v : x) total += v;
  for (const float v : x) out.expected.push_back(v - total);
  return out;
}

constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kRandom, Order::kStarve};

TEST(Emitted, GivesTheRightValuesWithoutAReportInEveryOrder) {
  for (const auto make : {VectorAdd, Tree, Softmax, TwoPhase}) {
    for (const Order order : kOrders) {
      for (const int64_t slice : {0, 3, 37}) {
        Program program = make();
        program.params.order = order;
        program.params.slice = slice;
        program.params.seed = 7;
        const LaunchResult result =
            MustLaunch(ReadTestFile(program.file), program.params, program.buffers);
        EXPECT_THAT(result.reports, IsEmpty()) << program.file << "\n" << Texts(result);
        const auto got = ValuesOf<float>(program.buffers[program.output]);
        ASSERT_EQ(got.size(), program.expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], program.expected[i], 1e-6) << program.file << " at " << i;
        }
      }
    }
  }
}

// The grid barrier leaves its word fit for the next launch, whatever the grid.
TEST(Emitted, TheGridBarrierWorksAgainOnTheSameWord) {
  Program program = TwoPhase();
  for (const int64_t grid : {6, 3, 6, 1}) {
    program.params.grid[0] = grid;
    const LaunchResult result =
        MustLaunch(ReadTestFile(program.file), program.params, program.buffers);
    EXPECT_THAT(result.reports, IsEmpty()) << Texts(result);
  }
}

struct Mutation {
  const char* what;
  Program (*program)();
  const char* from;
  const char* to;
  int occurrence;
  const char* kind;
};

const Mutation kMutations[] = {
    {"barrier after the tree's store", Tree, "bar.sync", "// bar.sync", 0, "data race"},
    {"barrier in the tree's loop", Tree, "bar.sync", "// bar.sync", 1, "data race"},
    {"softmax's first barrier", Softmax, "bar.sync", "// bar.sync", 0, "data race"},
    {"softmax's second barrier", Softmax, "bar.sync", "// bar.sync", 1, "data race"},
    {"barrier before the partial sums", TwoPhase, "bar.sync", "// bar.sync", 0, "data race"},
    {"barrier after the grid's", TwoPhase, "bar.sync", "// bar.sync", 2, "data race"},
    {"release made relaxed", TwoPhase, "atom.add.release", "atom.add.relaxed", 0, "data race"},
    {"acquire made relaxed", TwoPhase, "ld.acquire", "ld.relaxed", 0, "data race"},
    {"release of the block only", TwoPhase, "atom.add.release.gpu", "atom.add.release.cta", 0,
     "data race"},
    {"acquire of the block only", TwoPhase, "ld.acquire.gpu", "ld.acquire.cta", 0, "data race"},
    {"acquire made plain", TwoPhase, "ld.acquire.gpu.global", "ld.global", 0, "data race"},
    {"a lane left out of a shuffle", Softmax, "16, 31, -1", "16, 31, 0x7fffffff", 0, "collective"},
    {"half of the lanes left out", TwoPhase, "1, 31, -1", "1, 31, 0xffff", 0, "collective"},
    {"partial sums through the other path", TwoPhase, "ld.global.b32", "ld.global.nc.b32", 0,
     "non-coherent read"},
    {"vector of partial sums likewise", TwoPhase, "ld.global.v4", "ld.global.nc.v4", 0,
     "non-coherent read"},
    {"bound off by one", VectorAdd, "setp.ge.u32", "setp.gt.u32", 0, "out of bounds"},
    {"address off by two", Tree, "smem+4", "smem+6", 0, "misaligned access"},
    {"address past shared memory", Softmax, "smem+48", "smem+64", 0, "out of bounds"},
    {"a store that is missing", Tree, "st.shared", "// st.shared", 0, "read of unwritten memory"},
    {"a store to the input", VectorAdd, "st.global.b32 \t[%rd1]", "st.global.b32 \t[%rd3]", 0,
     "write to a read-only buffer"},
    {"a lane that passes by a barrier", Tree, "bar.sync \t0;",
     "{ .reg .pred q; setp.eq.u32 q, %r1, 5; @q bra OVER; bar.sync 0; OVER: }", 1,
     "divergent barrier"},
};

TEST(Mutated, EveryFaultIsReported) {
  for (const Mutation& mutation : kMutations) {
    for (const Order order : kOrders) {
      Program program = mutation.program();
      program.params.order = order;
      const LaunchResult result = MustLaunch(
          Replaced(ReadTestFile(program.file), mutation.from, mutation.to, mutation.occurrence),
          program.params, program.buffers);
      EXPECT_THAT(Kinds(result), HasSubstr(mutation.kind)) << mutation.what << "\n"
                                                           << Texts(result);
    }
  }
}

TEST(Mutated, EveryBarrierOfTheTreeCounts) {
  for (int i = 0; i < 9; ++i) {
    Program program = Tree();
    const LaunchResult result =
        MustLaunch(Replaced(ReadTestFile(program.file), "bar.sync", "// bar.sync", i),
                   program.params, program.buffers);
    // The last one has nothing behind it but the read of thread 0, which wrote that word itself.
    EXPECT_EQ(Kinds(result).find("data race") != std::string::npos, i < 8) << i << "\n"
                                                                           << Texts(result);
  }
}

// Thread 0 wrote the partial sum itself, so this one orders nothing.
TEST(Mutated, ABarrierThatOrdersNothingIsNotMissed) {
  Program program = TwoPhase();
  const LaunchResult result =
      MustLaunch(Replaced(ReadTestFile(program.file), "bar.sync", "// bar.sync", 1), program.params,
                 program.buffers);
  EXPECT_THAT(result.reports, IsEmpty()) << Texts(result);
}

}  // namespace
}  // namespace astitch::simt
