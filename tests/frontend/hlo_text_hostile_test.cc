// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Texts made to do harm end in an error, soon: cut anywhere, bytes changed, nested without end,
// sizes that lie. What is large but honest is read in linear time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "frontend/hlo_text/limits.h"
#include "frontend/hlo_text/parser.h"
#include "ir/graph_equal.h"
#include "ir/hlo_printer.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

std::string Data(absl::string_view name) {
  return *ReadFile(absl::StrCat(ASTITCH_TEST_DATA "/hlo/", name));
}

std::string Repeat(absl::string_view piece, int64_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (int64_t i = 0; i < times; ++i) absl::StrAppend(&out, piece);
  return out;
}

// Of processor time: other processes do not count.
double Seconds(const std::function<void()>& run) {
  const std::clock_t start = std::clock();
  run();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void ExpectError(absl::string_view text, absl::string_view words) {
  const absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(text);
  ASSERT_FALSE(graph.ok()) << text.substr(0, 100);
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr(std::string(words)));
}

// Whatever comes in: a status, or a graph that comes back through its text.
void ExpectStatusOrGraph(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(text);
  if (!graph.ok()) {
    EXPECT_FALSE(GetDiagnostics(graph.status()).empty());
    return;
  }
  const absl::StatusOr<std::unique_ptr<Graph>> again =
      ParseHloText(ToHloText(**graph, HloPrintOptions::Complete()));
  ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << text;
  const absl::Status same = GraphsEqual(**graph, **again);
  EXPECT_TRUE(same.ok()) << same.message() << "\n" << text;
}

TEST(HloTextHostile, CutAnywhere) {
  for (const char* name : {"accept/odd_spellings.hlo", "accept/compiled_jax.hlo",
                           "accept/scan_cumsum.hlo", "accept/devices.hlo"}) {
    const std::string text = Data(name);
    for (size_t length = 0; length < text.size(); ++length)
      ExpectStatusOrGraph(absl::string_view(text).substr(0, length));
  }
}

TEST(HloTextHostile, BytesChanged) {
  std::mt19937 random(20260101);
  const std::string alphabet = "{}()[]=,:%\"'/*-_ x0129.e\n?<>\\ab\xff";
  for (const char* name : {"accept/odd_spellings.hlo", "accept/compiled_jax.hlo",
                           "accept/structural.hlo", "accept/devices.hlo"}) {
    const std::string text = Data(name);
    for (int round = 0; round < 1500; ++round) {
      std::string changed = text;
      for (int change = random() % 3; change >= 0; --change) {
        const size_t at = random() % changed.size();
        const char with = alphabet[random() % alphabet.size()];
        switch (random() % 3) {
          case 0:
            changed[at] = with;
            break;
          case 1:
            changed.insert(at, 1, with);
            break;
          default:
            changed.erase(at, 1 + random() % 8);
        }
      }
      ExpectStatusOrGraph(changed);
    }
  }
}

TEST(HloTextHostile, LinesMoved) {
  std::mt19937 random(7);
  const std::string text = Data("accept/structural.hlo");
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> moved = lines;
    std::swap(moved[random() % moved.size()], moved[random() % moved.size()]);
    moved[random() % moved.size()] = lines[random() % lines.size()];
    std::string all;
    for (const std::string& line : moved) all += line;
    ExpectStatusOrGraph(all);
  }
}

TEST(HloTextHostile, Garbage) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string text = round % 2 == 0 ? "HloModule m\n" : "";
    for (int i = 0; i < 400; ++i) text += static_cast<char>(random());
    EXPECT_FALSE(ParseHloText(text).ok());
  }
  ExpectError(std::string("HloModule m\0", 12), "no token begins so");
}

TEST(HloTextHostile, BracketsWithoutEnd) {
  const int64_t many = 2'000'000;
  for (const char* piece : {"(", "{", "[", "((", "f(", "f32[", "/*", "\"", "ENTRY e {", "{{\""}) {
    for (const char* before :
         {"", "HloModule m\nENTRY e { x = ", "e { x = f32[2] add(", "e { x = f32[] constant(",
          "e { x = f32[] parameter(0), sharding=", "e { x = f32[] call(), to_apply="}) {
      const std::string text =
          absl::StrCat(before, Repeat(piece, many / static_cast<int64_t>(strlen(piece))));
      absl::Status status;
      EXPECT_LT(Seconds([&] { status = ParseHloText(text).status(); }), 2.0) << before << piece;
      EXPECT_FALSE(status.ok());
    }
  }
}

TEST(HloTextHostile, NestingIsLimited) {
  const int64_t deep = 100'000;
  ExpectError(absl::StrCat("e { x = ", Repeat("(", deep), Repeat(")", deep), " tuple() }"),
              "nested at most");
  ExpectError(absl::StrCat("e { p = f32[] parameter(0) x = f32[] ", Repeat("negate(", deep), "p",
                           Repeat(")", deep), " }"),
              "nested at most");
  ExpectError(absl::StrCat("e { p = f32[] parameter(0) x = ",
                           Repeat("f32[] map(p), to_apply={ p = f32[] parameter(0) x = ", 1000)),
              "nested at most");
  ExpectError(absl::StrCat("e { x = f32[", Repeat("1,", deep), "1] parameter(0) }"), "dimensions");
  ExpectError(absl::StrCat("e { x = f32[2]{0:", Repeat("P(f32[2]{0:", deep)), "nested at most");
  // What the limits allow is read.
  const int64_t fine = hlo_text::kMaxOperandNesting;
  EXPECT_TRUE(ParseHloText(absl::StrCat("e { p = f32[] parameter(0) x = f32[] ",
                                        Repeat("negate(", fine), "p", Repeat(")", fine), " }"))
                  .ok());
}

TEST(HloTextHostile, SizesThatLieTakeNoMemory) {
  ExpectError("e { a = f32[1000000000000] constant({1, 2}) }", "less text than they need");
  ExpectError("e { a = f32[100000,100000] constant({{1}}) }", "less text than they need");
  ExpectError("e { a = f32[0,4611686018427387904,4611686018427387904] constant({}) }", "2^63-1");
  ExpectError("e { a = f32[1000000000000,0] constant({ {}, {} }) }", "1000000000000 elements");
  ExpectError("e { a = f32[] parameter(4611686018427387904) }", "without gaps");
  // Each of many bodies claims a parameter as far away as the text could reach.
  std::string bodies;
  for (int i = 0; i < 20000; ++i)
    absl::StrAppend(&bodies, "c", i, " { a = f32[] parameter(40000) }\n");
  ExpectError(bodies, "expected parameter");
}

TEST(HloTextHostile, InferredTuplesCannotDoubleForEver) {
  std::string text = "e { t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 60; ++i)
    absl::StrAppend(&text, "t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  ExpectError(text + "}", "expected at most");
}

TEST(HloTextHostile, InferredShapesTogetherAreLimited) {
  std::string text = "e { t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 15; ++i)
    absl::StrAppend(&text, "t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "c", i, " = copy(t14)\n");
  ExpectError(text + "}", "too many large tuples");
}

TEST(HloTextHostile, ManyFaultsAreReportedUpToALimit) {
  std::string text = "e {\n";
  for (int i = 0; i < 100000; ++i) absl::StrAppend(&text, "  a", i, " = f32[] nonsense(x)\n");
  const absl::Status status = ParseHloText(text + "}\n").status();
  EXPECT_EQ(GetDiagnostics(status).size(), hlo_text::kMaxDiagnostics);
}

TEST(HloTextHostile, LongTextsAreReadInLinearTime) {
  std::string chain = "ENTRY e {\n  a0 = f32[8]{0} parameter(0)\n";
  for (int i = 1; i <= 100000; ++i)
    absl::StrAppend(&chain, "  a", i, " = f32[8]{0} add(a", i - 1, ", a0)\n");
  chain += "}\n";
  std::string wide = "ENTRY e {\n  a = f32[] parameter(0)\n  t = tuple(a";
  for (int i = 1; i <= 60000; ++i) wide += ", a";
  wide += ")\n}\n";
  std::string literal = "ENTRY e {\n  a = f32[1000000]{0} constant({0";
  for (int i = 1; i < 1000000; ++i) absl::StrAppend(&literal, ", ", i % 1000, ".5");
  literal += "})\n}\n";
  std::string inline_bodies = "ENTRY e {\n  a = f32[2] parameter(0)\n";
  for (int i = 0; i < 50000; ++i)
    inline_bodies +=
        absl::StrCat("  m", i, " = f32[2] map(a), to_apply={ x = f32[] parameter(0) }\n");
  inline_bodies += "}\n";
  std::string anonymous = "ENTRY e {\n  a = f32[2] parameter(0)\n";
  for (int i = 0; i < 50000; ++i)
    absl::StrAppend(&anonymous, "  m", i, " = f32[2] negate(f32[2] negate(a))\n");
  anonymous += "}\n";
  for (const std::string& text : {chain, wide, literal, inline_bodies, anonymous}) {
    absl::StatusOr<std::unique_ptr<Graph>> graph = absl::UnknownError("");
    EXPECT_LT(Seconds([&] { graph = ParseHloText(text); }), 3.0) << text.substr(0, 80);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    EXPECT_LT(Seconds([&] { ToHloText(**graph); }), 3.0) << text.substr(0, 80);
  }
}

}  // namespace
}  // namespace astitch
