// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A run after the first allocates nothing: operator new of this binary counts. Library steps are
// left out: what oneDNN does inside a call is its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

#include "image_builder.h"
#include "runtime/load.h"

namespace {

std::atomic<int64_t> allocations = 0;

}  // namespace

// Not inlined: the compiler would pair malloc with delete and warn.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace astitch {
namespace {

constexpr int64_t kN = 50000, kBytes = kN * 4;

TEST(NoAllocation, OnceTheFirstRunIsThrough) {
  ExecutableImage image;
  image.inputs = {Spec("f32", {kN}, 4), Spec("f32", {kN}, 4)};
  image.outputs = {Spec("f32", {kN}, 4), Spec("f32", {kN}, 4)};
  image.aliases = {{.output = 1, .input = 1}};
  image.constants = {ConstantOf(kN)};
  image.objects = {KernelObject("host_kernels")};
  image.arena_bytes = kBytes + 64;
  image.steps = {
      HostKernelStep{"sum",
                     "add",
                     0,
                     {Input(0, kBytes), Input(1, kBytes), Arena(0, kBytes), Constant(0, 8)},
                     1024,
                     4},
      HostKernelStep{"scale",
                     "normalize",
                     0,
                     {Arena(0, kBytes), Arena(kBytes, 64), Output(0, kBytes), Constant(0, 8)},
                     0,
                     4},
      CopyStep{"keep", Arena(0, kBytes), Output(1, kBytes)},
  };
  const auto executable = LoadExecutable(image, {.threads = 2});
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::vector<float> a(kN, 1.0f), b(kN, 2.0f), out(kN);
  const ConstBuffer inputs[] = {{a.data(), kBytes}, {b.data(), kBytes}};
  const Buffer outputs[] = {{out.data(), kBytes}, {b.data(), kBytes}};
  ASSERT_TRUE((*executable)->Run(inputs, outputs).ok());
  const int64_t before = allocations;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE((*executable)->Run(inputs, outputs).ok());
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(before, 0);  // the counter counts
}

}  // namespace
}  // namespace astitch
