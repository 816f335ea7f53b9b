// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// simplify-reduce: reductions of at most one element.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "simplify-reduce";

TEST(SimplifyReduceTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    ENTRY main {
      x = f32[8,2] parameter(0)
      z = f32[] parameter(1)
      ROOT r = f32[8] reduce(x, z), dimensions={1}, to_apply=sum
    })");
}

constexpr char kSum[] = R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    })";

TEST(SimplifyReduceTest, OneElementMeetsTheStartValueOnce) {
  ExpectRewrite(kPass, absl::StrCat(kSum, R"(
    ENTRY main {
      x = f32[8,1] parameter(0)
      z = f32[] parameter(1)
      ROOT r = f32[8] reduce(x, z), dimensions={1}, to_apply=sum
    })"),
                absl::StrCat(kSum, R"(
    ENTRY main {
      x = f32[8,1] parameter(0)
      z = f32[] parameter(1)
      broadcast = f32[8] broadcast(z), dimensions={}
      reshape = f32[8] reshape(x)
      ROOT s = f32[8] add(broadcast, reshape)
    })"));
}

TEST(SimplifyReduceTest, NothingGivesTheStartValue) {
  ExpectRewrite(kPass, absl::StrCat(kSum, R"(
    ENTRY main {
      x = f32[8,0] parameter(0)
      z = f32[] parameter(1)
      ROOT r = f32[8] reduce(x, z), dimensions={1}, to_apply=sum
    })"),
                absl::StrCat(kSum, R"(
    ENTRY main {
      x = f32[8,0] parameter(0)
      z = f32[] parameter(1)
      ROOT broadcast = f32[8] broadcast(z), dimensions={}
    })"));
}

TEST(SimplifyReduceTest, SeveralResultsStayATuple) {
  ExpectRewrite(kPass, R"(
    both {
      a = f32[] parameter(0)
      i = s32[] parameter(1)
      b = f32[] parameter(2)
      j = s32[] parameter(3)
      m = f32[] maximum(a, b)
      k = s32[] add(i, j)
      ROOT t = (f32[], s32[]) tuple(m, k)
    }
    ENTRY main {
      x = f32[8,1] parameter(0)
      y = s32[8,1] parameter(1)
      z = f32[] parameter(2)
      o = s32[] parameter(3)
      ROOT r = (f32[8], s32[8]) reduce(x, y, z, o), dimensions={1}, to_apply=both
    })",
                R"(
    both {
      a = f32[] parameter(0)
      i = s32[] parameter(1)
      b = f32[] parameter(2)
      j = s32[] parameter(3)
      m = f32[] maximum(a, b)
      k = s32[] add(i, j)
      ROOT t = (f32[], s32[]) tuple(m, k)
    }
    ENTRY main {
      x = f32[8,1] parameter(0)
      y = s32[8,1] parameter(1)
      z = f32[] parameter(2)
      o = s32[] parameter(3)
      broadcast = f32[8] broadcast(z), dimensions={}
      broadcast.1 = s32[8] broadcast(o), dimensions={}
      reshape = f32[8] reshape(x)
      reshape.1 = s32[8] reshape(y)
      m = f32[8] maximum(broadcast, reshape)
      k = s32[8] add(broadcast.1, reshape.1)
      ROOT tuple = (f32[8], s32[8]) tuple(m, k)
    })");
}

}  // namespace
}  // namespace astitch
