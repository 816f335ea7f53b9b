// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "stitch/cache_model.h"

#include <gtest/gtest.h>

namespace astitch {
namespace {

TEST(CacheModel, WhatWasUsedLeastRecentlyGoesFirst) {
  CacheModel cache(100);
  EXPECT_EQ(cache.Touch(0, 0, 40), 40);
  EXPECT_EQ(cache.Touch(0, 1, 40), 40);
  EXPECT_EQ(cache.Touch(0, 0, 40), 0);
  EXPECT_EQ(cache.Touch(1, 0, 40), 40);  // in place of piece 1
  EXPECT_EQ(cache.Touch(0, 0, 40), 0);
  EXPECT_EQ(cache.Touch(0, 1, 40), 40);
  EXPECT_EQ(cache.Drop(0, 0, 2), 80);
  EXPECT_EQ(cache.Drop(1, 0, 2), 0);
}

TEST(CacheModel, WhatIsEvictedFirstTakesNoRoomFromTheRest) {
  CacheModel cache(100);
  EXPECT_EQ(cache.Touch(0, 0, 60), 60);
  for (int piece = 0; piece < 5; ++piece) EXPECT_EQ(cache.Touch(1, piece, 40, true), 40);
  EXPECT_EQ(cache.Touch(0, 0, 60), 0);
  EXPECT_EQ(cache.Drop(1, 0, 5), 40);
}

TEST(CacheModel, WhatIsThereInPartIsFetchedForTheRest) {
  CacheModel cache(100);
  EXPECT_EQ(cache.Touch(0, 0, 30), 30);
  EXPECT_EQ(cache.Touch(0, 0, 50), 20);
  EXPECT_EQ(cache.Touch(0, 0, 50), 0);
}

TEST(CacheModel, WhatIsLargerLeavesNothing) {
  CacheModel cache(100);
  EXPECT_EQ(cache.Touch(0, 0, 60), 60);
  EXPECT_EQ(cache.Touch(1, 0, 101), 101);
  EXPECT_EQ(cache.Touch(1, 0, 101), 101);
  EXPECT_EQ(cache.Touch(0, 0, 60), 60);
}

TEST(CacheModel, PiecesOfAnArrayAreForgotten) {
  CacheModel cache(200);
  for (int piece = 0; piece < 3; ++piece) cache.Touch(0, piece, 30);
  cache.Touch(1, 1, 30);
  EXPECT_EQ(cache.Drop(0, 1, 3), 60);
  EXPECT_EQ(cache.Drop(0, 1, 3), 0);
  EXPECT_EQ(cache.Touch(0, 0, 30), 0);
  EXPECT_EQ(cache.Touch(0, 1, 30), 30);
  EXPECT_EQ(cache.Touch(1, 1, 30), 0);
}

}  // namespace
}  // namespace astitch
