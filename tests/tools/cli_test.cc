// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The nearest flag: near enough to help, silent where it would mislead.
#include "tools/common/cli.h"

#include <gtest/gtest.h>

#include "tools/common/stopwatch.h"

namespace astitch {
namespace {

TEST(Nearest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> known = {"--input", "--output", "--target", "--time", "-o"};
  EXPECT_EQ(Nearest("--imput", known), "--input");
  EXPECT_EQ(Nearest("--outptu", known), "--output");
  EXPECT_EQ(Nearest("--targets", known), "--target");
  EXPECT_EQ(Nearest("--times", known), "--time");
  EXPECT_EQ(Nearest("--quux-quux-quux", known), "");
  EXPECT_EQ(Nearest("--x", {}), "");
}

TEST(Spread, TakesTheMiddle) {
  EXPECT_EQ(SpreadOf({3, 1, 2}).median, 2);
  EXPECT_EQ(SpreadOf({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(SpreadOf({4, 1, 2, 3}).max, 4);
  EXPECT_EQ(SpreadOf({}).min, 0);
}

}  // namespace
}  // namespace astitch
