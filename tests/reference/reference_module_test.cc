// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A module from the text of an image: what it evaluates, and every text and range that it refuses.
#include "reference/reference_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace astitch {
namespace {

constexpr char kText[] = R"(HloModule m
ENTRY e { x = f32[4]{0} parameter(0) n = s32[] parameter(1)
  y = f32[4]{0} reverse(x), dimensions={0} m = s32[] negate(n)
  ROOT r = (f32[4]{0}, s32[]) tuple(y, m) })";

BufferRef Range(int64_t offset, int64_t bytes) {
  return {BufferRef::Space::kArena, 0, offset, bytes};
}

ReferenceStep Step() {
  ReferenceStep step;
  step.name = "step";
  step.hlo_text = kText;
  step.inputs = {Range(0, 16), Range(64, 4)};
  step.outputs = {Range(128, 16), Range(192, 4)};
  return step;
}

TEST(ReferenceModule, ReadsItsInputsAndWritesItsOutputs) {
  const auto module = ReferenceModule::Read(Step());
  ASSERT_TRUE(module.ok()) << module.status();
  float x[4] = {1, 2, 3, 4}, y[4] = {};
  int32_t n = 5, m = 0;
  void* const inputs[] = {x, &n};
  void* const outputs[] = {y, &m};
  for (int run = 0; run < 2; ++run) {
    const absl::Status status = (*module)->Evaluate(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_THAT(y, testing::ElementsAre(4, 3, 2, 1));
    EXPECT_EQ(m, -5);
    EXPECT_THAT(x, testing::ElementsAre(1, 2, 3, 4));
  }
}

TEST(ReferenceModule, RandomNumbersGoOnWhereTheStepSays) {
  ReferenceStep step;
  step.hlo_text = R"(HloModule m
ENTRY e { a = f32[] constant(0) b = f32[] constant(1)
  r = f32[8]{0} rng(a, b), distribution=rng_uniform ROOT t = (f32[8]{0}) tuple(r) })";
  step.outputs = {Range(0, 32)};
  std::vector<float> at_zero(8), at_one(8);
  for (auto* values : {&at_zero, &at_one}) {
    const auto module = ReferenceModule::Read(step);
    ASSERT_TRUE(module.ok()) << module.status();
    void* const outputs[] = {values->data()};
    ASSERT_TRUE((*module)->Evaluate({}, outputs).ok());
    step.random_start += 1;  // a block is two numbers
  }
  EXPECT_EQ(std::vector<float>(at_zero.begin() + 2, at_zero.end()),
            std::vector<float>(at_one.begin(), at_one.end() - 2));
}

TEST(ReferenceModule, RefusesWhatIsNotTheStepsModule) {
  struct Damage {
    const char* error;
    std::function<void(ReferenceStep&)> damage;
  };
  const Damage kDamages[] = {
      {"expected", [](ReferenceStep& s) { s.hlo_text = "HloModule"; }},
      {"expected", [](ReferenceStep& s) { s.hlo_text.resize(s.hlo_text.size() / 2); }},
      {"expected 2 inputs as in the module, got 1", [](ReferenceStep& s) { s.inputs.pop_back(); }},
      {"expected 2 outputs as in the module, got 1",
       [](ReferenceStep& s) { s.outputs.pop_back(); }},
      {"expected the bytes of f32[4]{0} for input 0, got arena [0,+12)",
       [](ReferenceStep& s) { s.inputs[0].bytes = 12; }},
      {"expected the bytes of s32[] for output 1, got arena [192,+8)",
       [](ReferenceStep& s) { s.outputs[1].bytes = 8; }},
      {"expected a tuple as the module's result, got f32[4]{0}",
       [](ReferenceStep& s) {
         s.hlo_text = "HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }";
         s.inputs.pop_back();
       }},
      {"expected an array as input 0",
       [](ReferenceStep& s) {
         s.hlo_text =
             "HloModule m\nENTRY e { p = (f32[4]{0}) parameter(0)\n"
             "x = f32[4]{0} get-tuple-element(p), index=0\nROOT t = (f32[4]{0}) tuple(x) }";
         s.inputs.pop_back();
       }},
  };
  for (const Damage& c : kDamages) {
    ReferenceStep step = Step();
    c.damage(step);
    const auto module = ReferenceModule::Read(step);
    ASSERT_FALSE(module.ok()) << c.error;
    EXPECT_THAT(std::string(module.status().message()), testing::HasSubstr(c.error));
  }
}

TEST(ReferenceModule, WhatTheInterpreterRefusesIsTheStatusOfTheRun) {
  ReferenceStep step;
  step.hlo_text = R"(HloModule m
ENTRY e { x = f32[] parameter(0) y = f32[1000000000,1000000]{1,0} broadcast(x), dimensions={}
  s = f32[1]{0} slice(f32[1000000000000000]{0} reshape(y)), slice={[0:1]}
  ROOT t = (f32[1]{0}) tuple(s) })";
  step.inputs = {Range(0, 4)};
  step.outputs = {Range(64, 4)};
  const auto module = ReferenceModule::Read(step);
  ASSERT_TRUE(module.ok()) << module.status();
  float x = 1, y = 0;
  void* const inputs[] = {&x};
  void* const outputs[] = {&y};
  EXPECT_TRUE(absl::IsResourceExhausted((*module)->Evaluate(inputs, outputs)));
}

}  // namespace
}  // namespace astitch
