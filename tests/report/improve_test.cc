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

// The advice on an edge of the only kernel of PLAN, as if its ledger had that line alone.
std::string AdviceByHand(Plan plan, const PlanLimits& limits, const std::string& producer,
                         const std::string& consumer, const std::string& home,
                         const std::string& reason) {
  const Computation& entry = *plan.graph->entry();
  const Instruction* value = entry.Find(producer);
  const Instruction* reader = consumer.empty() ? nullptr : entry.Find(consumer);
  plan.ledger = {{value, reader, home, reason, value->shape().byte_size(), ""}};
  PlanFacts facts(plan);
  return ImprovementOf(facts, limits, 0);
}

PlanLimits SharedBytes(int64_t of_block, int64_t of_sm) {
  return {.shared_bytes_per_block = of_block, .shared_bytes_per_sm = of_sm};
}

// Tiles of 4 rows of 600, of which one takes 2400 of the launch's 2464 bytes.
TEST(Improvement, OfRowsThatAreKeptInPartIsRoomForTheOthers) {
  const auto advice = [](int64_t of_block, int64_t of_sm) {
    Plan plan = PlanByHand("kept-shared-in-part");
    KernelPlan& kernel = std::get<KernelPlan>(plan.steps[0]);
    kernel.launch.blocks_per_sm = 4;
    kernel.launch.shared_bytes = 2464;
    kernel.placements[0].kept_rows = 1;
    kernel.placements[0].bytes = 2400;
    return AdviceByHand(std::move(plan), SharedBytes(of_block, of_sm), "x", "mx", "kept", "input");
  };
  EXPECT_EQ(advice(5000, 50000),
            "to keep the other 3 rows of the tile: 4.6 KiB more of shared memory than the 4.9 "
            "KiB of a block");
  EXPECT_EQ(advice(10240, 50000),
            "to keep the other 3 rows of the tile: 7 KiB more of shared memory a block, which "
            "has 7.6 KiB to spare");
  EXPECT_EQ(advice(10240, 20000),
            "to keep the other 3 rows of the tile: 7 KiB more of shared memory a block, which "
            "has 7.6 KiB to spare; then a multiprocessor has room for 2 instead of 4 blocks");
}

TEST(Improvement, OfASlotThatFoundNoRoomIsATileOfIt) {
  const auto advice = [](int64_t of_block) {
    return AdviceByHand(PlanByHand("kept-shared-in-part"), SharedBytes(of_block, 50000), "e", "",
                        "recomputed", "shared-memory-full");
  };
  // 4864 + 4 rows x 600 columns x 4 bytes.
  EXPECT_EQ(advice(14464), "");
  EXPECT_EQ(advice(14463),
            "to keep a tile of it: 1 byte more of shared memory than the 14.1 KiB of a block");
}

TEST(Improvement, OfTurnedLanesIsOneInnermostDimension) {
  EXPECT_THAT(AdviceByHand(PlanByHand("turned"), {}, "h", "", "regional", "read-along-other-axis"),
              HasSubstr("the same innermost dimension for what the phase reads and"));
}

// A grid of 6 blocks has 40960 bytes of %x between them.
TEST(Improvement, OfAnInputBehindABarrierIsABlocksShareOfIt) {
  const auto advice = [](const PlanLimits& limits, int64_t more) {
    Plan plan = PlanByHand("grid-barrier");
    std::get<KernelPlan>(plan.steps[0]).traffic = {.read = 40960 + more, .bound = 40960};
    return AdviceByHand(std::move(plan), limits, "x", "y", "memory", "read-again");
  };
  EXPECT_EQ(advice(SharedBytes(8192, 50000), 40960),
            "to keep a block's 6.7 KiB of it across the barrier: 6.7 KiB more of shared memory a "
            "block, which has 8 KiB to spare");
  EXPECT_EQ(advice({.is_host = true}, 40960),
            "a cache that holds the 6.7 KiB of each worker across the barrier");
  EXPECT_EQ(advice(SharedBytes(8192, 50000), 0), "");
}

// Rows of one phase are columns of the other.
TEST(Improvement, OfAnInputReadAlongOtherRowsNamesTheDimensions) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[65536,4096] parameter(0)
  c = f32[4096] reduce(x, zero), dimensions={0}, to_apply=add
  cb = f32[65536,4096] broadcast(c), dimensions={1}
  y = f32[65536,4096] subtract(x, cb)
  r = f32[65536] reduce(y, low), dimensions={1}, to_apply=max
  rb = f32[65536,4096] broadcast(r), dimensions={0}
  ROOT z = f32[65536,4096] divide(x, rb)
})");
  auto planned = PlanOf(hlo, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  KernelPlan& kernel = std::get<KernelPlan>(planned->plan.steps[0]);
  ASSERT_EQ(kernel.phases.front().rows, std::vector<int64_t>({65536}));
  // As if the columns had been the first phase's rows.
  Phase& first = kernel.phases.front();
  first.rows = {4096};
  first.stages[0].columns = {65536};
  first.stages[0].roots[0].map = {{1}, {0}};
  kernel.traffic.read = 2 * kernel.traffic.bound;
  EXPECT_EQ(
      AdviceByHand(std::move(planned->plan), planned->limits, "x", "y", "memory", "read-again"),
      "the same rows in phases 0 and 2: the one has [4096] along dimensions {1} of the "
      "array, the other [65536] along {0}");
}

TEST(Improvement, OfSplitColumnsIsAWarpOfThemForEachMultiprocessor) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[65536,256] parameter(0)
  ROOT c = f32[256] reduce(x, zero), dimensions={0}, to_apply=add
})");
  EXPECT_THAT(Advice(hlo, "a100", "c", "", "reduction-crosses-blocks"),
              HasSubstr("3456 columns, a warp of them for each of the 108 multiprocessors: 256 "
                        "columns of 65536 rows leave some idle"));
}

TEST(Improvement, BetweenTwoKernelsIsOneThatDoesTheirWork) {
  const std::string hlo = absl::StrCat(kHead, R"(
  x = f32[64,128] parameter(0)
  a = f32[64,128] tanh(x)
  b = f32[64,128] exponential(a)
  ROOT c = f32[64,128] add(a, b)
})");
  auto planned = PlanOf(hlo, "a100", "none");
  ASSERT_TRUE(planned.ok()) << planned.status();
  planned->plan.fusion = "stitch";  // as if it had left them apart
  PlanFacts facts(planned->plan);
  std::vector<std::string> advice;
  for (size_t n = 0; n < planned->plan.ledger.size(); ++n) {
    if (planned->plan.ledger[n].reason == "other-kernel")
      advice.push_back(ImprovementOf(facts, planned->limits, n));
  }
  EXPECT_THAT(advice, testing::UnorderedElementsAre(
                          "one kernel for k0.a and k1.b: nothing has to run between them",
                          "one kernel that does the work of k1.b, too, which runs between the two",
                          "one kernel for k1.b and k2.c: nothing has to run between them"));
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
  const std::string hlo = R"(HloModule m
both { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  e = f32[] add(a, c) f = f32[] maximum(b, d) ROOT r = (f32[], f32[]) tuple(e, f) }
ENTRY e {
  zero = f32[] constant(0)
  x = f32[64,128] parameter(0)
  t = f32[64,128] tanh(x)
  w = (f32[64,64], f32[64,64]) reduce-window(t, t, zero, zero), window={size=1x2 stride=1x2},
    to_apply=both
  s = f32[64,64] get-tuple-element(w), index=0
  ROOT r = (f32[64,64], f32[64,128]) tuple(s, t)
})";
  EXPECT_THAT(Advice(hlo, "host2", "t", "w", "reduce-window-alone"),
              HasSubstr("a stage for reduce-window inside a stitched kernel"));
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
