// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the ledger advises, of graphs whose figures are known, and where it says nothing.
#include "report/improve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "report/ledger_report.h"
#include "report/quantity_text.h"
#include "tests/report/planned.h"

namespace astitch {
namespace {

using testing::HasSubstr;

constexpr char kHead[] = R"(
HloModule m
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
ENTRY e {
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
)";

constexpr char kSoftmaxOf[] = R"(
  m = f32[$0] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[$0,$1] broadcast(m), dimensions={0}
  c = f32[$0,$1] subtract(x, mb)
  e = f32[$0,$1] exponential(c)
  s = f32[$0] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[$0,$1] broadcast(s), dimensions={0}
  ROOT p = f32[$0,$1] divide(e, sb)
})";

std::string Softmax(int rows, int columns) {
  return absl::StrCat(kHead, absl::Substitute("  x = f32[$0,$1] parameter(0)\n", rows, columns),
                      absl::Substitute(kSoftmaxOf, rows, columns));
}

// The advice on the edge, or on the value where CONSUMER is empty; "no such line" if there is none.
std::string Advice(const std::string& hlo, const std::string& target, const std::string& producer,
                   const std::string& consumer, const std::string& reason,
                   const std::string& fusion = "stitch") {
  const auto planned = PlanOf(hlo, target, fusion);
  if (!planned.ok()) return planned.status().ToString();
  PlanFacts facts(planned->plan);
  for (size_t n = 0; n < planned->plan.ledger.size(); ++n) {
    const LedgerEntry& entry = planned->plan.ledger[n];
    const std::string reader = entry.consumer == nullptr ? "" : entry.consumer->name();
    if (entry.producer->name() == producer && reader == consumer && entry.reason == reason)
      return ImprovementOf(facts, planned->limits, n);
  }
  return absl::StrCat("no such line\n", LedgerText(planned->plan, planned->limits));
}

TEST(Improvement, OfASlotThatTheSameThreadReadsAgainIsRegisters) {
  EXPECT_THAT(Advice(Softmax(4096, 1024), "a100", "e", "p", "same-rows"),
              HasSubstr("32 registers more of each of the 32 threads that share a row"));
  EXPECT_EQ(Advice(Softmax(4096, 1024), "a100", "m", "mb", "same-element"), "");
  EXPECT_EQ(Advice(Softmax(4096, 1024), "a100", "x", "c", "input"), "");
}

TEST(Improvement, OfSplitRowsIsAsManyRowsAsMultiprocessors) {
  EXPECT_THAT(Advice(Softmax(64, 30000), "a100", "m", "", "reduction-crosses-blocks"),
              HasSubstr("108 rows, one for each of the 108 multiprocessors: 64 rows of 30000"));
}

TEST(Improvement, OfWhatIsReadAgainFromTheCacheIsNothing) {
  // 7.7 MB fit the second-level cache: the plan moves them once.
  EXPECT_EQ(Advice(Softmax(64, 30000), "a100", "x", "c", "read-again"), "");
}

TEST(Improvement, OfWhatIsReadAgainFromMemoryIsRoomForATile) {
  const std::string hlo = Softmax(16384, 131072);
  EXPECT_THAT(Advice(hlo, "a100", "x", "c", "read-again"),
              HasSubstr("349 KiB more of shared memory than the 163 KiB of a block"));
}

TEST(Improvement, AcrossALibraryCallNamesIt) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[64,128] parameter(0)
  w = f32[128,128] parameter(1)
  t = f32[64,128] tanh(x)
  e = f32[64,128] exponential(t)
  d = f32[64,128] dot(e, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[64,128] tanh(d)
  r = f32[64,128] multiply(n, e)
  ROOT out = (f32[64,128]) tuple(r)
})");
  EXPECT_THAT(Advice(hlo, "a100", "e", "r", "other-kernel"),
              HasSubstr("the product %d runs between the two kernels; only an epilogue"));
  EXPECT_EQ(Advice(hlo, "a100", "d", "n", "library-call"), "");
  EXPECT_EQ(Advice(hlo, "a100", "x", "t", "input"), "");
}

TEST(Improvement, OfOtherFusionsIsStitchingWhereNoCallLiesBetween) {
  EXPECT_THAT(Advice(Softmax(4096, 1024), "a100", "e", "s", "other-kernel", "none"),
              HasSubstr("--fusion=stitch"));
}

TEST(Improvement, OfOtherRowsIsASharedDimension) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[4096,1024] parameter(0)
  r = f32[4096] reduce(x, zero), dimensions={1}, to_apply=add
  rb = f32[4096,1024] broadcast(r), dimensions={0}
  y = f32[4096,1024] subtract(x, rb)
  c = f32[1024] reduce(y, zero), dimensions={0}, to_apply=add
  cb = f32[4096,1024] broadcast(c), dimensions={1}
  ROOT z = f32[4096,1024] divide(y, cb)
})");
  EXPECT_THAT(Advice(hlo, "a100", "c", "cb", "other-rows"),
              HasSubstr("it is made in rows [1024] and read in rows [4096]"));
  // The same rows, and tasks of other sizes behind the barrier that %c needs.
  EXPECT_EQ(Advice(hlo, "a100", "r", "rb", "other-rows"), "");
}

TEST(Improvement, OfWhatALaterPhaseReadsAgainIsABlocksShare) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[16384,4096] parameter(0)
  s = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add
  sb = f32[16384,4096] broadcast(s), dimensions={}
  ROOT z = f32[16384,4096] divide(x, sb)
})");
  EXPECT_THAT(Advice(hlo, "a100", "x", "z", "read-again"), HasSubstr("of it across the barrier: "));
}

TEST(Improvement, OfAnOperationOfItsOwnIsAStage) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[64,128] parameter(0)
  i = s32[16,1] parameter(1)
  u = f32[16,128] parameter(2)
  t = f32[64,128] tanh(x)
  ROOT s = f32[64,128] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
})");
  EXPECT_THAT(Advice(hlo, "host2", "t", "s", "scatter-alone"),
              HasSubstr("a stage for scatter inside a stitched kernel"));
}

TEST(BytesText, HasThreeDigits) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1024), "1 KiB");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(200 << 10), "200 KiB");
  EXPECT_EQ(BytesText(int64_t{3} << 40), "3 TiB");
}

TEST(OverBound, IsOneWhereEachArrayMovesOnce) {
  EXPECT_EQ(OverBound({.read = 100, .written = 100, .bound = 200}), "1.00");
  EXPECT_EQ(OverBound({.read = 150, .written = 100, .bound = 200}), "1.25");
  EXPECT_EQ(OverBound({}), "1");
}

}  // namespace
}  // namespace astitch
