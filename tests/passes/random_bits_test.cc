// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// decompose of rng-bit-generator: the interpreter's bits and state, for every form of the result; and
// what the papers of the generators print.
#include "absl/strings/str_cat.h"
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

// The text of a generator of TYPE from a STATE of so many words.
std::string Generator(const std::string& algorithm, const std::string& type,
                      const std::string& state, int words) {
  const std::string of_state = absl::StrCat("u64[", words, "]");
  return absl::StrCat("ENTRY main {\n  s = ", of_state, " constant({", state, "})\n  ROOT r = (",
                      of_state, ", ", type, ") rng-bit-generator(s), algorithm=", algorithm,
                      "\n}\n");
}

void ExpectSame(const std::string& text) {
  ExpectSameWithout("rng-bit-generator", "decompose", text);
}

TEST(RandomBits, AreThoseOfTheInterpreterForEveryTypeAndShape) {
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const char* type : {"u8", "s16", "u32", "s32", "u64", "s64"}) {
      for (const char* dims : {"[]", "[1]", "[7]", "[8]", "[3,5]", "[5,4,3]", "[3,7,5]", "[2,0]"})
        ExpectSame(Generator(algorithm, absl::StrCat(type, dims), "81985529216486895,42", 2));
    }
  }
}

TEST(RandomBits, TheCounterCarriesIntoItsUpperHalf) {
  for (const char* type : {"u32[11]", "u64[5]"}) {
    ExpectSame(Generator("rng_philox", type, "7,18446744073709551614,3", 3));
    ExpectSame(Generator("rng_philox", type, "7,18446744073709551614", 2));
    ExpectSame(Generator("rng_three_fry", type, "7,18446744073709551614", 2));
    ExpectSame(Generator("rng_philox", type, "7,18446744073709551615,18446744073709551615", 3));
  }
}

// Salmon et al.: known answers of both generators for key and counter zero.
TEST(RandomBits, ZeroKeysGiveThePublishedWords) {
  const auto words = [](const char* algorithm, const char* type, const char* state, int n) {
    const std::unique_ptr<Graph> graph = ParseModule(Generator(algorithm, type, state, n));
    EXPECT_TRUE(RunPasses(*graph, {"decompose", "simplify"}).ok());
    return ValueOf(*graph);
  };
  EXPECT_NE(words("rng_three_fry", "u32[2]", "0,0", 2).find("{1797259609, 2579123966}"),
            std::string::npos);
  EXPECT_NE(words("rng_philox", "u32[4]", "0,0,0", 3)
                .find("{1713891541, 3781805453, 3159862348, 2600524760}"),
            std::string::npos)
      << words("rng_philox", "u32[4]", "0,0,0", 3);
}

}  // namespace
}  // namespace astitch
