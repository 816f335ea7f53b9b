// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One table of words.
#include "tensor_io/distribution.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace astitch {
namespace {

struct Word {
  absl::string_view word;
  Distribution::Kind kind;
  bool has_argument;
};

constexpr Word kWords[] = {
    {"normal", Distribution::Kind::kNormal, false}, {"emb", Distribution::Kind::kSmall, false},
    {"small", Distribution::Kind::kSmall, false},   {"fan", Distribution::Kind::kFan, false},
    {"fan1", Distribution::Kind::kFan1, false},     {"one", Distribution::Kind::kOne, false},
    {"pos", Distribution::Kind::kPositive, false},  {"unit", Distribution::Kind::kUnit, false},
    {"wide", Distribution::Kind::kWide, false},     {"zero", Distribution::Kind::kZero, false},
    {"ids", Distribution::Kind::kIds, true},        {"len", Distribution::Kind::kLength, true},
    {"bool", Distribution::Kind::kBool, true},      {"step", Distribution::Kind::kStep, true},
};

// Whole numbers stay exact in a double up to here.
constexpr double kMaxWhole = 9007199254740992.0;

bool ArgumentFits(const Distribution& d) {
  switch (d.kind) {
    case Distribution::Kind::kBool:
      return d.argument >= 0 && d.argument <= 1;
    case Distribution::Kind::kIds:
    case Distribution::Kind::kLength:
      return d.argument >= 1 && d.argument <= kMaxWhole && d.argument == std::floor(d.argument);
    case Distribution::Kind::kStep:
      return std::fabs(d.argument) <= kMaxWhole && d.argument == std::floor(d.argument);
    case Distribution::Kind::kNormal:
    case Distribution::Kind::kSmall:
    case Distribution::Kind::kFan:
    case Distribution::Kind::kFan1:
    case Distribution::Kind::kOne:
    case Distribution::Kind::kPositive:
    case Distribution::Kind::kUnit:
    case Distribution::Kind::kWide:
    case Distribution::Kind::kZero:
      return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Distribution> ParseDistribution(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  for (const Word& word : kWords) {
    if (word.word != parts.first) continue;
    Distribution out{word.kind, 0};
    const bool written = parts.first.size() != text.size();
    if (written != word.has_argument ||
        (written && !absl::SimpleAtod(parts.second, &out.argument)) || !ArgumentFits(out)) {
      break;
    }
    return out;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a distribution (normal, emb, small, fan, fan1, one, pos, unit, wide, zero, ids:N, "
      "len:N, bool:P, step:K), got '",
      text, "'"));
}

Distribution DefaultDistribution(ElementType type) {
  if (IsPred(type)) return {Distribution::Kind::kBool, 0.5};
  if (IsInteger(type)) return {Distribution::Kind::kIds, 100};
  return {Distribution::Kind::kNormal, 0};
}

}  // namespace astitch
