// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Images built by hand run, alone and many at once, with the same bits for any number of workers;
// what a caller may get wrong is an error that says what.
#include "astitch/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "image_builder.h"
#include "runtime/host/worker_team.h"
#include "runtime/load.h"

namespace astitch {
namespace {

using testing::HasSubstr;

constexpr int64_t kN = 100000;
constexpr int64_t kBytes = kN * 4;

// out 0 = normalize(a + b), out 1 = a copy of a + b.
ExecutableImage SumAndNormalize(int max_workers) {
  ExecutableImage image;
  image.target = "host:test";
  image.inputs = {Spec("f32", {kN}, 4), Spec("f32", {kN}, 4)};
  image.outputs = {Spec("f32", {kN}, 4), Spec("f32", {kN}, 4)};
  image.constants = {ConstantOf(kN)};
  image.objects = {KernelObject("host_kernels")};
  image.arena_bytes = kBytes + 64;
  image.plan_text = "plan";
  image.steps = {
      HostKernelStep{"sum",
                     "add",
                     0,
                     {Input(0, kBytes), Input(1, kBytes), Arena(0, kBytes), Constant(0, 8)},
                     0,
                     max_workers},
      HostKernelStep{"scale",
                     "normalize",
                     0,
                     {Arena(0, kBytes), Arena(kBytes, 64), Output(0, kBytes), Constant(0, 8)},
                     0,
                     max_workers},
      CopyStep{"keep", Arena(0, kBytes), Output(1, kBytes)},
  };
  return image;
}

struct Tensors {
  std::vector<float> a = std::vector<float>(kN), b = a, normalized = a, sum = a;
  Tensors() {
    for (int64_t i = 0; i < kN; ++i) {
      a[i] = 1.0f + static_cast<float>(i % 17) / 16;
      b[i] = static_cast<float>(i % 5) / 3;
    }
  }
  absl::Status Run(const Executable& executable) {
    return executable.Run({{a.data(), kBytes}, {b.data(), kBytes}},
                          {{normalized.data(), kBytes}, {sum.data(), kBytes}});
  }
};

std::unique_ptr<Executable> LoadOrDie(ExecutableImage image, int threads,
                                      std::shared_ptr<WorkerTeam> team = nullptr) {
  auto executable = LoadExecutable(std::move(image), {.threads = threads}, std::move(team));
  EXPECT_TRUE(executable.ok()) << executable.status();
  return *std::move(executable);
}

TEST(Executable, RunsItsStepsInOrder) {
  const auto executable = LoadOrDie(SumAndNormalize(4), 2);
  Tensors t;
  ASSERT_TRUE(t.Run(*executable).ok());
  double total = 0;
  for (int64_t i = 0; i < kN; ++i) {
    ASSERT_EQ(t.sum[i], t.a[i] + t.b[i]) << i;
    total += t.sum[i];
  }
  for (int64_t i = 0; i < kN; ++i) ASSERT_NEAR(t.normalized[i] * total / t.sum[i], 1, 1e-4) << i;
}

TEST(Executable, DescribesItself) {
  const auto executable = LoadOrDie(SumAndNormalize(4), 2);
  EXPECT_EQ(executable->inputs().size(), 2u);
  EXPECT_EQ(executable->outputs()[1].bytes, kBytes);
  EXPECT_EQ(executable->target(), "host:test");
  EXPECT_EQ(executable->plan_text(), "plan");
  EXPECT_EQ(executable->scratch_bytes(), kBytes + 64);
}

TEST(Executable, BitsDoNotDependOnTheNumberOfWorkers) {
  Tensors expected;
  ASSERT_TRUE(expected.Run(*LoadOrDie(SumAndNormalize(1), 1)).ok());
  for (int threads : {1, 2, 3, 8}) {
    for (int max_workers : {1, 2, 5, 64}) {
      Tensors t;
      ASSERT_TRUE(t.Run(*LoadOrDie(SumAndNormalize(max_workers), threads)).ok());
      EXPECT_EQ(t.normalized, expected.normalized) << threads << " " << max_workers;
      EXPECT_EQ(t.sum, expected.sum);
    }
  }
}

TEST(Executable, ManyThreadsAtOnceGetTheSameBits) {
  Tensors expected;
  ASSERT_TRUE(expected.Run(*LoadOrDie(SumAndNormalize(1), 1)).ok());
  const auto shared = LoadOrDie(SumAndNormalize(3), 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto own = LoadOrDie(SumAndNormalize(3), 2);
      for (int round = 0; round < 10; ++round) {
        Tensors t;
        ASSERT_TRUE(t.Run(round % 2 == 0 ? *shared : *own).ok());
        ASSERT_EQ(t.normalized, expected.normalized);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Executable, ABusyTeamMeansTheCallersThreadAlone) {
  const auto team = std::make_shared<WorkerTeam>();
  const auto executable = LoadOrDie(SumAndNormalize(2), 2, team);
  Tensors expected, t;
  ASSERT_TRUE(expected.Run(*executable).ok());
  team->TryRun(1, [&](int, int) { ASSERT_TRUE(t.Run(*executable).ok()); });  // the team is busy
  EXPECT_EQ(t.normalized, expected.normalized);
}

TEST(Executable, WorkersHaveTilesOfTheirOwn) {
  ExecutableImage image;
  image.outputs = {Spec("s64", {4}, 8)};
  image.objects = {KernelObject("host_kernels")};
  image.steps = {HostKernelStep{"tiles", "use_tile", 0, {Output(0, 32)}, 65536, 4}};
  const auto executable = LoadOrDie(image, 4);
  std::vector<int64_t> out(4);
  ASSERT_TRUE(executable->Run({}, {{out.data(), 32}}).ok());
  EXPECT_THAT(out, testing::ElementsAre(8192, 2 * 8192, 3 * 8192, 4 * 8192));
}

TEST(Executable, AKernelsBarrierSeparatesItsPhases) {
  ExecutableImage image;
  image.outputs = {Spec("s64", {64}, 8), Spec("s64", {64}, 8)};
  image.objects = {KernelObject("host_kernels")};
  // Fewer members than the run has workers, and different numbers from step to step.
  for (int members : {3, 2, 8, 1}) {
    image.steps.push_back(
        HostKernelStep{"p", "phases", 0, {Output(0, 512), Output(1, 512)}, 0, members});
  }
  const auto executable = LoadOrDie(image, 8);
  std::vector<int64_t> out(64), errors(64);
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(executable->Run({}, {{out.data(), 512}, {errors.data(), 512}}).ok());
    EXPECT_EQ(std::accumulate(errors.begin(), errors.end(), int64_t{0}), 0);
  }
}

TEST(Executable, TimesNameEachStep) {
  const auto executable = LoadOrDie(SumAndNormalize(2), 2);
  Tensors t;
  const auto times = executable->RunTimed({{t.a.data(), kBytes}, {t.b.data(), kBytes}},
                                          {{t.normalized.data(), kBytes}, {t.sum.data(), kBytes}});
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 3u);
  EXPECT_EQ((*times)[1].name, "scale");
  for (const StepTime& time : *times) EXPECT_GT(time.time_us, 0);
}

TEST(Executable, FlushToZeroOfTheCallerDoesNotReachTheKernels) {
  const auto executable = LoadOrDie(SumAndNormalize(1), 1);
  Tensors t;
  t.a[0] = t.b[0] = 1e-40f;
  const float expected = t.a[0] + t.b[0];
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);  // flush to zero, denormals are zero
  ASSERT_TRUE(t.Run(*executable).ok());
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(after & 0x8040, 0x8040u);
  EXPECT_EQ(t.sum[0], expected);
  EXPECT_GT(expected, 0);
}

// ---- what a caller may get wrong

class WrongBuffers : public testing::Test {
 protected:
  std::string ErrorOf(std::vector<ConstBuffer> in, std::vector<Buffer> out) {
    return std::string(executable_->Run(in, out).message());
  }
  std::unique_ptr<Executable> executable_ = LoadOrDie(SumAndNormalize(2), 2);
  Tensors t_;
  ConstBuffer a_ = {t_.a.data(), kBytes}, b_ = {t_.b.data(), kBytes};
  Buffer x_ = {t_.normalized.data(), kBytes}, y_ = {t_.sum.data(), kBytes};
};

TEST_F(WrongBuffers, NumberAndSize) {
  EXPECT_EQ(ErrorOf({a_}, {x_, y_}), "expected 2 inputs, got 1");
  EXPECT_EQ(ErrorOf({a_, b_}, {x_, y_, y_}), "expected 2 outputs, got 3");
  EXPECT_EQ(ErrorOf({a_, {b_.data, 12}}, {x_, y_}),
            "expected 400000 bytes for input 1 (f32[100000]{0}), got 12");
  EXPECT_EQ(ErrorOf({a_, b_}, {{x_.data, 0}, y_}),
            "expected 400000 bytes for output 0 (f32[100000]{0}), got 0");
}

TEST_F(WrongBuffers, NullAndMisaligned) {
  EXPECT_EQ(ErrorOf({{nullptr, kBytes}, b_}, {x_, y_}),
            "expected memory for input 0 (f32[100000]{0}), got a null pointer");
  std::vector<char> bytes(kBytes + 64);
  EXPECT_THAT(ErrorOf({a_, b_}, {{bytes.data() + 2, kBytes}, y_}),
              HasSubstr("expected output 0 (f32[100000]{0}) aligned to 4 bytes"));
}

TEST_F(WrongBuffers, OverlapsNameBothSides) {
  std::vector<float> wide(2 * kN);
  EXPECT_EQ(ErrorOf({a_, b_}, {x_, x_}), "output 0 overlaps output 1");
  EXPECT_EQ(ErrorOf({a_, b_}, {{t_.b.data(), kBytes}, y_}), "output 0 overlaps input 1");
  EXPECT_EQ(ErrorOf({{wide.data(), kBytes}, b_}, {x_, {wide.data() + kN - 1, kBytes}}),
            "output 1 overlaps input 0");
  EXPECT_EQ(ErrorOf({{wide.data() + kN / 2, kBytes}, b_}, {x_, {wide.data(), kBytes}}),
            "output 1 overlaps input 0");
  EXPECT_EQ(ErrorOf({a_, a_}, {x_, y_}), "");  // inputs may be the same memory
  EXPECT_EQ(ErrorOf({{wide.data(), kBytes}, b_}, {x_, {wide.data() + kN, kBytes}}), "");
}

TEST(Alias, AnInputMayBeItsOutputsMemoryAndIsReadAsItWas) {
  // Output 0 aliases input 1; step "scale" writes it, step "again" reads the input afterwards.
  ExecutableImage image = SumAndNormalize(2);
  image.aliases = {{.output = 0, .input = 1}};
  image.steps.push_back(
      HostKernelStep{"again",
                     "add",
                     0,
                     {Input(0, kBytes), Input(1, kBytes), Output(1, kBytes), Constant(0, 8)},
                     0,
                     2});
  const auto executable = LoadOrDie(image, 2);
  Tensors t;
  const std::vector<float> a = t.a, b = t.b;
  ASSERT_TRUE(executable
                  ->Run({{t.a.data(), kBytes}, {t.b.data(), kBytes}},
                        {{t.b.data(), kBytes}, {t.sum.data(), kBytes}})
                  .ok());
  for (int64_t i = 0; i < kN; ++i) ASSERT_EQ(t.sum[i], a[i] + b[i]) << i;
  EXPECT_NE(t.b, b);
  // The other input is not aliased, and a shifted range is no alias.
  EXPECT_FALSE(executable
                   ->Run({{t.a.data(), kBytes}, {t.b.data(), kBytes}},
                         {{t.a.data(), kBytes}, {t.sum.data(), kBytes}})
                   .ok());
  // A third buffer on the aliased memory is still an error.
  EXPECT_EQ(executable
                ->Run({{t.b.data(), kBytes}, {t.b.data(), kBytes}},
                      {{t.b.data(), kBytes}, {t.sum.data(), kBytes}})
                .message(),
            "output 0 overlaps input 0");
}

// ---- what an image may get wrong

std::string LoadError(ExecutableImage image, int threads = 2) {
  return std::string(LoadExecutable(std::move(image), {.threads = threads}).status().message());
}

TEST(Load, NamesWhatIsWrongWithAnImage) {
  ExecutableImage image = SumAndNormalize(2);
  std::get<HostKernelStep>(image.steps[1]).symbol = "nothing";
  EXPECT_EQ(LoadError(image), "step 1 scale: expected function nothing in object 0");
  image = SumAndNormalize(2);
  image.objects[0].resize(100);
  EXPECT_THAT(LoadError(image), HasSubstr("object 0: object: expected section table within 100"));
  image = SumAndNormalize(2);
  image.arena_bytes = 100;
  EXPECT_EQ(LoadError(image),
            "image: step 0 sum: expected a range within 100 bytes, got arena [0,+400000)");
  image = SumAndNormalize(2);
  image.cpu_features = {"sse2", "avx2048", "nonsense"};
  EXPECT_EQ(LoadError(image),
            "the image needs CPU features that are missing here: avx2048, nonsense");
  EXPECT_EQ(LoadError(SumAndNormalize(2), -1), "expected 0 to 1024 threads, got -1");
}

}  // namespace
}  // namespace astitch
