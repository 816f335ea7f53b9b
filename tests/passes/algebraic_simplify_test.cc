// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// algebraic-simplify: what is exact happens, what is not does not.
#include <string>
#include <vector>

#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "algebraic-simplify";

// An operation on x, y: TYPE[4] with the constants the row needs; the same text when nothing
// happens.
struct Rule {
  std::string type;
  std::string constant;  // value of the scalar c; cs is its broadcast
  std::string before;    // lines up to and including ROOT
  std::string after;     // empty: unchanged
};

std::string RuleText(const Rule& rule, const std::string& lines, bool with_constant) {
  std::string text = absl::StrCat("x = ", rule.type, "[4] parameter(0)\n", "y = ", rule.type,
                                  "[4] parameter(1)\n", "p = pred[4] parameter(2)\n");
  if (with_constant && !rule.constant.empty()) {
    absl::StrAppend(&text, "c = ", rule.type, "[] constant(", rule.constant, ")\n",
                    "cs = ", rule.type, "[4] broadcast(c), dimensions={}\n");
  }
  return absl::StrCat(text, lines);
}

TEST(AlgebraicSimplifyTest, ChangesNothing) {
  const std::vector<Rule> rules = {
      // Signed zeros: x + 0 makes +0 of -0, and 0 - x is not -x.
      {"f32", "0", "ROOT r = f32[4] add(x, cs)", ""},
      {"f32", "0", "ROOT r = f32[4] subtract(cs, x)", ""},
      {"f32", "-0", "ROOT r = f32[4] subtract(x, cs)", ""},
      {"f32", "0", "ROOT r = f32[4] multiply(x, cs)", ""},
      // Infinities and NaN.
      {"f32", "", "ROOT r = f32[4] subtract(x, x)", ""},
      {"f32", "", "ROOT r = f32[4] divide(x, x)", ""},
      {"f32", "", "ROOT r = pred[4] compare(x, x), direction=EQ", ""},
      {"f32", "", "l = pred[4] compare(x, y), direction=LT\nROOT r = pred[4] not(l)", ""},
      {"f32", "inf", "ROOT r = f32[4] maximum(x, cs)", ""},
      // Rounding: a reciprocal that is not exact, a power that is rounded once only.
      {"f32", "3", "ROOT r = f32[4] divide(x, cs)", ""},
      {"f32", "1e-45", "ROOT r = f32[4] divide(x, cs)", ""},
      {"f32", "3", "ROOT r = f32[4] power(x, cs)", ""},
      {"f32", "0.5", "ROOT r = f32[4] power(x, cs)", ""},
      {"f32", "", "h = bf16[4] convert(x)\nROOT r = f32[4] convert(h)", ""},
      {"s32", "", "h = f32[4] convert(x)\nROOT r = s32[4] convert(h)", ""},
      {"s16", "", "h = f32[4] convert(x)\nROOT r = s8[4] convert(h)", ""},
      {"s32", "2", "ROOT r = s32[4] divide(x, cs)", ""},
      {"s32", "", "ROOT r = s32[4] divide(x, x)", ""},
  };
  for (const Rule& rule : rules) ExpectUnchanged(kPass, RuleText(rule, rule.before, true));
}

TEST(AlgebraicSimplifyTest, NeutralOperandsGo) {
  const std::string user = "ROOT n = (TYPE[4]) tuple(x)";
  const std::vector<Rule> rules = {
      {"f32", "-0", "r = TYPE[4] add(x, cs)", ""},
      {"f32", "-0", "r = TYPE[4] add(cs, x)", ""},
      {"f32", "0", "r = TYPE[4] subtract(x, cs)", ""},
      {"f32", "1", "r = TYPE[4] multiply(x, cs)", ""},
      {"bf16", "1", "r = TYPE[4] divide(x, cs)", ""},
      {"f32", "1", "r = TYPE[4] power(x, cs)", ""},
      {"f32", "-inf", "r = TYPE[4] maximum(x, cs)", ""},
      {"f32", "inf", "r = TYPE[4] minimum(cs, x)", ""},
      {"f32", "", "r = TYPE[4] maximum(x, x)", ""},
      {"s32", "0", "r = TYPE[4] add(x, cs)", ""},
      {"s32", "0", "r = TYPE[4] subtract(x, cs)", ""},
      {"u8", "1", "r = TYPE[4] multiply(cs, x)", ""},
      {"u8", "255", "r = TYPE[4] and(x, cs)", ""},
      {"s32", "-1", "r = TYPE[4] and(x, cs)", ""},
      {"s32", "0", "r = TYPE[4] or(x, cs)", ""},
      {"s32", "0", "r = TYPE[4] xor(cs, x)", ""},
      {"pred", "false", "r = TYPE[4] compare(x, cs), direction=NE", ""},
      {"s32", "", "r = TYPE[4] and(x, x)", ""},
      {"s32", "0", "r = TYPE[4] shift-left(x, cs)", ""},
      {"s32", "-2147483648", "r = TYPE[4] maximum(x, cs)", ""},
      {"u8", "255", "r = TYPE[4] minimum(x, cs)", ""},
      {"f32", "", "a = TYPE[4] negate(x)\nr = TYPE[4] negate(a)", ""},
      {"s32", "", "a = TYPE[4] not(x)\nr = TYPE[4] not(a)", ""},
      {"f32", "", "r = TYPE[4] select(p, x, x)", ""},
      {"f32", "", "t = pred[] constant(true)\nr = TYPE[4] select(t, x, y)", ""},
      {"f32", "", "r = TYPE[4] convert(x)", ""},
      {"f32", "", "w = f64[4] convert(x)\nr = TYPE[4] convert(w)", ""},
      {"bf16", "", "w = f32[4] convert(x)\nr = TYPE[4] convert(w)", ""},
      {"s8", "", "w = f16[4] convert(x)\nr = TYPE[4] convert(w)", ""},
      {"u8", "", "w = s16[4] convert(x)\nr = TYPE[4] convert(w)", ""},
      {"f32", "", "w = s32[4] bitcast-convert(x)\nr = TYPE[4] bitcast-convert(w)", ""},
  };
  for (const Rule& rule : rules) {
    const auto in_type = [&](std::string text) {
      for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
        text.replace(at, 4, rule.type);
      return text;
    };
    ExpectRewrite(kPass,
                  RuleText(rule, in_type(rule.before + "\nROOT n = (TYPE[4]) tuple(r)"), true),
                  RuleText(rule, in_type(user), false));
  }
}

TEST(AlgebraicSimplifyTest, RulesThatGiveSomethingElse) {
  const std::vector<Rule> rules = {
      {"f32", "4", "ROOT r = f32[4] divide(x, cs)",
       "constant = f32[] constant(0.25)\nbroadcast = f32[4] broadcast(constant), dimensions={}\n"
       "ROOT multiply = f32[4] multiply(x, broadcast)"},
      {"f32", "2", "ROOT r = f32[4] power(x, cs)", "ROOT multiply = f32[4] multiply(x, x)"},
      {"f32", "0", "ROOT r = f32[4] power(x, cs)",
       "constant = f32[] constant(1)\nROOT broadcast = f32[4] broadcast(constant), dimensions={}"},
      {"s32", "", "ROOT r = s32[4] subtract(x, x)",
       "constant = s32[] constant(0)\nROOT broadcast = s32[4] broadcast(constant), dimensions={}"},
      {"s32", "", "ROOT r = s32[4] xor(x, x)",
       "constant = s32[] constant(0)\nROOT broadcast = s32[4] broadcast(constant), dimensions={}"},
      {"s32", "", "ROOT r = pred[4] compare(x, x), direction=LE",
       "constant = pred[] constant(true)\n"
       "ROOT broadcast = pred[4] broadcast(constant), dimensions={}"},
      {"u32", "0", "ROOT r = pred[4] compare(x, cs), direction=LT",
       "constant = pred[] constant(false)\n"
       "ROOT broadcast = pred[4] broadcast(constant), dimensions={}"},
      {"s32", "", "l = pred[4] compare(x, y), direction=LT\nROOT r = pred[4] not(l)",
       "ROOT l.1 = pred[4] compare(x, y), direction=GE"},
      {"f32", "", "l = pred[4] compare(x, y), direction=EQ\nROOT r = pred[4] not(l)",
       "ROOT l.1 = pred[4] compare(x, y), direction=NE"},
      {"f32", "", "q = pred[4] not(p)\nROOT r = f32[4] select(q, x, y)",
       "ROOT r.1 = f32[4] select(p, y, x)"},
      {"f32", "", "n = f32[4] negate(x)\nROOT r = f32[4] abs(n)", "ROOT r.1 = f32[4] abs(x)"},
      {"pred", "true", "ROOT r = pred[4] compare(x, cs), direction=NE",
       "ROOT not = pred[4] not(x)"},
      {"bf16", "", "w = f32[4] convert(x)\nROOT r = f64[4] convert(w)",
       "ROOT r.1 = f64[4] convert(x)"},
  };
  for (const Rule& rule : rules)
    ExpectRewrite(kPass, RuleText(rule, rule.before, true), RuleText(rule, rule.after, false));
}

}  // namespace
}  // namespace astitch
