// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Splits the tokens that hold several numbers (3x3, 0_1x1_0) and checks that lists fit each other.
#include "frontend/hlo_text/window_parser.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/hlo_words.h"

namespace astitch::hlo_text {
namespace {

bool ReadNumber(Reader& reader, absl::string_view text, int64_t* out) {
  return absl::SimpleAtoi(text, out) ||
         reader.FailAt(reader.token(), absl::StrCat("integer of more than 64 bits: ", text));
}

// 3 or 3x3.
bool ReadDims(Reader& reader, std::vector<int64_t>* out) {
  if (!reader.Is(TokenKind::kInteger) && !reader.Is(TokenKind::kDims))
    return reader.Fail("numbers joined by x");
  for (absl::string_view number : absl::StrSplit(reader.token().text, 'x')) {
    out->push_back(0);
    if (!ReadNumber(reader, number, &out->back())) return false;
  }
  reader.Next();
  return true;
}

// Groups of two or three numbers; at most MOST of them in a group.
bool ReadGroups(Reader& reader, size_t most, PadAttributes* out) {
  if (!reader.Is(TokenKind::kPadding)) return reader.Fail("padding such as 0_1x2_0");
  for (absl::string_view group : absl::StrSplit(reader.token().text, 'x')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(group, '_');
    if (numbers.size() > most) return reader.Fail("two numbers a dimension");
    PadAttributes::Dim dim;
    if (!ReadNumber(reader, numbers[0], &dim.low) || !ReadNumber(reader, numbers[1], &dim.high) ||
        (numbers.size() == 3 && !ReadNumber(reader, numbers[2], &dim.interior)))
      return false;
    out->dims.push_back(dim);
  }
  reader.Next();
  return true;
}

enum WindowPart { kSize, kStride, kPad, kLhsDilate, kRhsDilate, kRhsReversal, kNumParts };
constexpr absl::string_view kPartWords[] = {"size",       "stride",     "pad",
                                            "lhs_dilate", "rhs_dilate", "rhs_reversal"};

// The lists as they were written; absent ones are empty.
struct WindowLists {
  std::vector<int64_t> numbers[kNumParts];
  std::vector<PadAttributes::Dim> pads;
};

bool ReadWindowPart(Reader& reader, WindowLists* lists, bool (&seen)[kNumParts]) {
  const Token at = reader.token();
  if (at.kind != TokenKind::kAttribute) return reader.Fail("size=, stride=, pad=, ... or '}'");
  const auto word = std::find(std::begin(kPartWords), std::end(kPartWords), at.text);
  if (word == std::end(kPartWords)) return reader.Fail("size=, stride=, pad=, ... or '}'");
  const size_t part = word - std::begin(kPartWords);
  if (seen[part]) return reader.FailAt(at, absl::StrCat("window has ", at.text, " twice"));
  seen[part] = true;
  reader.Next();
  if (part != kPad) return ReadDims(reader, &lists->numbers[part]);
  PadAttributes padding;
  if (!ReadGroups(reader, 2, &padding)) return false;
  lists->pads = std::move(padding.dims);
  return true;
}

bool BuildWindow(Reader& reader, const Token& at, const WindowLists& lists,
                 const bool (&seen)[kNumParts], Window* out) {
  const size_t rank = lists.numbers[kSize].size();
  for (size_t part = 0; part < kNumParts; ++part) {
    const size_t length = part == kPad ? lists.pads.size() : lists.numbers[part].size();
    if (!seen[part] || length == rank) continue;
    if (!seen[kSize]) return reader.FailAt(at, "expected size in the window, got none");
    return reader.FailAt(at, absl::StrCat("expected ", rank, " numbers for ", kPartWords[part],
                                          " of the window, got ", length));
  }
  out->resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    WindowDim& dim = (*out)[i];
    const auto set = [&](WindowPart part, int64_t* to) {
      if (seen[part]) *to = lists.numbers[part][i];
    };
    set(kSize, &dim.size);
    set(kStride, &dim.stride);
    set(kLhsDilate, &dim.base_dilation);
    set(kRhsDilate, &dim.window_dilation);
    if (seen[kRhsReversal]) dim.reversal = lists.numbers[kRhsReversal][i] != 0;
    if (seen[kPad]) {
      dim.pad_low = lists.pads[i].low;
      dim.pad_high = lists.pads[i].high;
    }
  }
  return true;
}

// Labels of one side: B and F at most once, each digit once and none left out.
bool CheckLabels(absl::string_view labels, char b, char f, size_t* spatial) {
  std::vector<bool> seen(labels.size(), false);
  size_t others = 0;
  for (char c : labels) {
    if (c == '?') {
      ++others;
    } else if (IsDigit(c)) {
      const size_t index = c - '0';
      if (index >= seen.size() || seen[index]) return false;
      seen[index] = true;
    } else if (c == b || c == f) {
      if (std::count(labels.begin(), labels.end(), c) != 1) return false;
      ++others;
    } else {
      return false;
    }
  }
  *spatial = labels.size() - others;
  return std::all_of(seen.begin(), seen.begin() + *spatial, [](bool s) { return s; });
}

}  // namespace

bool ReadWindow(Reader& reader, Window* out) {
  const Token at = reader.token();
  if (!reader.Expect(TokenKind::kLeftBrace, "'{' of a window")) return false;
  WindowLists lists;
  bool seen[kNumParts] = {};
  while (!reader.Eat(TokenKind::kRightBrace)) {
    if (!ReadWindowPart(reader, &lists, seen)) return false;
  }
  return BuildWindow(reader, at, lists, seen, out);
}

bool ReadDimLabels(Reader& reader, std::string* out) {
  if (!reader.Is(TokenKind::kDimLabels)) return reader.Fail("labels such as b01f_01io->b01f");
  *out = std::string(reader.token().text);
  const std::vector<absl::string_view> sides = absl::StrSplit(*out, absl::ByString("->"));
  const std::vector<absl::string_view> inputs = absl::StrSplit(sides[0], '_');
  size_t lhs, rhs, result;
  if (!CheckLabels(inputs[0], 'b', 'f', &lhs) || !CheckLabels(inputs[1], 'i', 'o', &rhs) ||
      !CheckLabels(sides[1], 'b', 'f', &result))
    return reader.Fail("labels that each stand once");
  if (lhs != rhs || lhs != result)
    return reader.Fail("labels with the same number of spatial dimensions");
  reader.Next();
  return true;
}

bool ReadPadding(Reader& reader, PadAttributes* out) {
  // A scalar has no dimension to pad.
  if (reader.Eat(TokenKind::kLeftBrace)) return reader.Expect(TokenKind::kRightBrace, "'}'");
  return ReadGroups(reader, 3, out);
}

bool ReadSlice(Reader& reader, SliceAttributes* out) {
  return ReadBracedList(reader, "'{' of slice ranges", [&] {
    int64_t start = 0, limit = 0, stride = 1;
    if (!reader.Expect(TokenKind::kLeftBracket, "'['") ||
        !reader.ReadInteger("a start index", &start) ||
        !reader.Expect(TokenKind::kColon, "':' and a limit") ||
        !reader.ReadInteger("a limit index", &limit))
      return false;
    if (reader.Eat(TokenKind::kColon) && !reader.ReadInteger("a stride", &stride)) return false;
    out->starts.push_back(start);
    out->limits.push_back(limit);
    out->strides.push_back(stride);
    return reader.Expect(TokenKind::kRightBracket, "']'");
  });
}

}  // namespace astitch::hlo_text
