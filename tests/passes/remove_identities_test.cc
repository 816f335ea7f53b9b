// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// remove-identities: operations that hand on their operand.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "remove-identities";

TEST(RemoveIdentitiesTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[2] parameter(0)
    ROOT c = f32[2] custom-call(x), custom_call_target="Unknown")");
}

TEST(RemoveIdentitiesTest, CopiesBarriersAndMarkersGo) {
  ExpectRewrite(kPass, R"(
    x = f32[2] parameter(0)
    a = f32[2] copy(x)
    b = f32[2] opt-barrier(a)
    c = f32[2] custom-call(b), custom_call_target="Sharding"
    s = (f32[2], f32[2], u32[]) copy-start(c)
    d = f32[2] copy-done(s)
    ROOT n = f32[2] negate(d))",
                R"(
    x = f32[2] parameter(0)
    ROOT n = f32[2] negate(x))");
}

TEST(RemoveIdentitiesTest, MarkerWithASideEffectFlagGoesToo) {
  ExpectRewrite(kPass, R"(
    x = f32[2] parameter(0)
    c = f32[2] custom-call(x), custom_call_target="annotate_device_placement", custom_call_has_side_effect=true
    ROOT n = f32[2] negate(c))",
                R"(
    x = f32[2] parameter(0)
    ROOT n = f32[2] negate(x))");
}

TEST(RemoveIdentitiesTest, ShardOfAnotherShapeStays) {
  ExpectUnchanged(kPass, R"(
    x = f32[4] parameter(0)
    ROOT c = f32[2] custom-call(x), custom_call_target="SPMDFullToShardShape")");
}

constexpr char kCollectives[] = R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    ENTRY main {
      x = f32[2] parameter(0)
      r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum
      g = f32[2] all-gather(r), replica_groups={}, dimensions={0}
      i = u32[] replica-id()
      ROOT t = (f32[2], u32[]) tuple(g, i)
    })";

TEST(RemoveIdentitiesTest, CollectivesOfOneDeviceGo) {
  ExpectRewrite(kPass, kCollectives, R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    ENTRY main {
      x = f32[2] parameter(0)
      constant = u32[] constant(0)
      ROOT t = (f32[2], u32[]) tuple(x, constant)
    })");
}

TEST(RemoveIdentitiesTest, CollectivesOfSeveralDevicesStay) {
  ExpectUnchanged(kPass, absl::StrCat("HloModule m, replica_count=2\n", kCollectives));
}

}  // namespace
}  // namespace astitch
