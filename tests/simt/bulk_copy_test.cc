// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// mbarrier and cp.async.bulk: what arrives when, whom it orders, and what a wrong protocol shows.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

// Two warps. Thread 0 sets the barrier up and starts a copy of 256 bytes; all wait, read a word and
// store it; then the same with the next 256 bytes.
constexpr char kText[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
.reg .b64 %in, %out, %x<9>; .reg .b32 %r<9>, %t, %b, %s; .reg .pred %p<9>;
.shared .align 16 .b8 S[272];
ld.param.u64 %in, [p0];
ld.param.u64 %out, [p1];
mov.u32 %t, %tid.x;
mul.wide.u32 %x0, %t, 4;
add.s64 %out, %out, %x0;
mov.u32 %b, S;
shl.b32 %s, %t, 2;
add.s32 %s, %s, %b;
setp.ne.u32 %p0, %t, 0;
setp.eq.u32 %p3, %t, 1;
@%p0 bra READY;
mbarrier.init.shared::cta.b64 [S+256], 1;
fence.mbarrier_init.release.cluster;
READY: bar.sync 0;
ARRIVE0
@%p0 bra WAIT0;
fence.proxy.async.shared::cta;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [S+256], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%b], [%in], 256, [S+256];
WAIT0: mbarrier.try_wait.parity.shared::cta.b64 %p1, [S+256], 0;
@!%p1 bra WAIT0;
ld.shared.b32 %r0, [%s];
st.global.b32 [%out], %r0;
bar.sync 0;
ARRIVE1
@%p0 bra WAIT1;
fence.proxy.async.shared::cta;
mbarrier.arrive.expect_tx.shared::cta.b64 %x5, [S+256], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%b], [%in+256], 256, [S+256];
WAIT1: mbarrier.test_wait.parity.shared::cta.b64 %p2, [S+256], 1;
@!%p2 bra WAIT1;
ld.shared.b32 %r0, [%s];
st.global.b32 [%out+256], %r0;
ret;
}
)";

std::string Text() { return Replaced(Replaced(kText, "ARRIVE0", ""), "ARRIVE1", ""); }

struct Outcome {
  std::string kinds, texts;
  std::vector<uint32_t> out;
};

Outcome RunText(const std::string& ptx, Order order) {
  std::vector<uint32_t> values(128);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = 100 + i;
  std::vector<Buffer> buffers = {InputOf("in", values), Buffer::Unwritten("out", 512)};
  LaunchParams params;
  params.block = {64, 1, 1};
  params.arguments = Pointers(2);
  params.order = order;
  params.max_steps = 100000;
  const LaunchResult result = MustLaunch(ptx, params, buffers);
  return {Kinds(result), Texts(result), ValuesOf<uint32_t>(buffers[1])};
}

constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kRandom, Order::kStarve};

TEST(BulkCopy, ArrivesForWhoeverWaits) {
  for (Order order : kOrders) {
    const Outcome outcome = RunText(Text(), order);
    EXPECT_EQ(outcome.kinds, "") << outcome.texts;
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(outcome.out[i], 100 + i);
  }
}

TEST(BulkCopy, AWaitThatLacksIsSeenInEveryOrder) {
  for (const char* wait : {"@!%p1 bra WAIT0;", "@!%p2 bra WAIT1;"}) {
    // Only the second warp goes on without waiting.
    const std::string number(1, wait[3] == '1' ? '0' : '1');
    const std::string label = "WAIT" + number + ":", skip = "SKIP" + number;
    const std::string rash = absl::StrCat(label, " setp.lt.u32 %p4, %t, 32; @!%p4 bra ", skip, ";");
    const std::string text =
        Replaced(Replaced(Text(), label, rash), wait, absl::StrCat(wait, " ", skip, ":"));
    for (Order order : kOrders) EXPECT_NE(RunText(text, order).kinds, "") << wait;
  }
}

TEST(BulkCopy, ABarrierThatLacksIsARace) {
  // Between the reads of one tile and the copy of the next; between the barrier and its users.
  const std::string unordered = Replaced(Text(), "bar.sync 0;", "", 1);
  const std::string early = Replaced(Text(), "bar.sync 0;", "", 0);
  for (Order order : kOrders) {
    EXPECT_NE(RunText(unordered, order).kinds.find("data race"), std::string::npos);
    // Also where the barrier was set up in time, by chance.
    EXPECT_NE(RunText(early, order).kinds, "") << OrderWords()[static_cast<int>(order)];
  }
}

TEST(BulkCopy, AFenceBetweenTheProxiesIsDemanded) {
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  // Words of the first tile were read by threads.
  const std::string reuse = Replaced(Text(), fence, "", 1);
  // The barrier was set up by a thread.
  const std::string unseen =
      Replaced(Replaced(Text(), fence, "", 0), "fence.mbarrier_init.release.cluster;", "");
  // One of the two fences is enough for the barrier, and so is a reader's own for the words.
  const std::string one = Replaced(Text(), "fence.mbarrier_init.release.cluster;", "");
  const std::string other = Replaced(Text(), fence, "", 0);
  const std::string readers = Replaced(Replaced(Text(), fence, "", 1), "st.global.b32 [%out], %r0;",
                                       "st.global.b32 [%out], %r0; " + fence);
  // Nothing of the kind is needed by those that wait for the bytes.
  for (Order order : kOrders) {
    EXPECT_NE(RunText(reuse, order).texts.find("no fence.proxy.async lies between the read"),
              std::string::npos);
    EXPECT_NE(RunText(unseen, order).texts.find("no fence makes the mbarrier's init"),
              std::string::npos);
    for (const std::string& right : {one, other, readers})
      EXPECT_EQ(RunText(right, order).texts, "");
  }
}

TEST(BulkCopy, WhatThreadsStoredIsFencedBeforeACopyReadsIt) {
  // Thread 0 copies what all have stored to global memory.
  const std::string stored = Replaced(Replaced(Text(), "READY: bar.sync 0;", R"(READY:
mov.u32 %r5, 7;
st.global.b32 [%out], %r5;
st.global.b32 [%out+256], %r5;
FENCE
bar.sync 0;)"),
                                      "[%b], [%in], 256", "[%b], [%x7], 256");
  const std::string text =
      Replaced(stored, "add.s64 %out, %out, %x0;", "mov.b64 %x7, %out; add.s64 %out, %out, %x0;");
  for (Order order : kOrders) {
    EXPECT_EQ(RunText(Replaced(text, "FENCE", "fence.proxy.async;"), order).texts, "");
    EXPECT_EQ(RunText(Replaced(text, "FENCE", "fence.proxy.async.global;"), order).texts, "");
    for (const char* missing : {"", "fence.proxy.async.shared::cta;"}) {
      EXPECT_NE(RunText(Replaced(text, "FENCE", missing), order)
                    .texts.find("no fence.proxy.async lies between the write"),
                std::string::npos);
    }
  }
}

TEST(BulkCopy, ABarrierThatNobodySetUpIsReported) {
  const std::string never = Replaced(Text(), "mbarrier.init.shared::cta.b64 [S+256], 1;", "");
  const std::string ended =
      Replaced(Text(), "WAIT0:", "@!%p0 mbarrier.inval.shared::cta.b64 [S+256];\nWAIT0:");
  for (Order order : kOrders) {
    EXPECT_NE(RunText(never, order).texts.find("no mbarrier was set up"), std::string::npos);
    EXPECT_NE(RunText(ended, order).texts.find("no mbarrier was set up"), std::string::npos);
  }
}

TEST(BulkCopy, WrongCountsAndSizesAreReported) {
  const std::string more = Replaced(Text(), "_, [S+256], 256", "_, [S+256], 272");
  EXPECT_NE(RunText(more, Order::kForward).kinds, "");
  const std::string odd = Replaced(Text(), "[%in], 256,", "[%in], 250,");
  EXPECT_NE(RunText(odd, Order::kForward).kinds.find("undefined"), std::string::npos);
  const std::string beyond = Replaced(Text(), "[%in+256], 256,", "[%in+272], 256,");
  EXPECT_NE(RunText(beyond, Order::kForward).kinds.find("out of bounds"), std::string::npos);
  const std::string nobody =
      Replaced(Text(), "mbarrier.test_wait.parity.shared::cta.b64 %p2, [S+256], 1;",
               "setp.eq.u32 %p2, %t, %t;");
  EXPECT_NE(RunText(nobody, Order::kForward).texts.find("under way"), std::string::npos);
}

TEST(BulkCopy, APhaseOfTwoArrivalsNeedsBoth) {
  const std::string arrive = "@%p3 mbarrier.arrive.shared::cta.b64 %x6, [S+256];";
  const std::string two = Replaced(kText, "b64 [S+256], 1;", "b64 [S+256], 2;");
  const std::string both = Replaced(Replaced(two, "ARRIVE0", arrive), "ARRIVE1", arrive);
  const std::string one = Replaced(Replaced(two, "ARRIVE0", arrive), "ARRIVE1", "");
  for (Order order : kOrders) {
    const Outcome outcome = RunText(both, order);
    EXPECT_EQ(outcome.kinds, "") << outcome.texts;
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(outcome.out[i], 100 + i);
    EXPECT_NE(RunText(one, order).kinds, "");
  }
}

}  // namespace
}  // namespace astitch::simt
