// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The grammar is decided by the first characters: '@', "random:", else SHAPE=VALUES.
#include "tensor_io/spec.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "ir/number.h"

namespace astitch {
namespace {

// Inline text is short; this bounds a splat such as 1000000000x1000000000xf32=0.
constexpr int64_t kMaxInlineBytes = int64_t{1} << 36;

absl::Status BadValue(const Shape& shape, absl::string_view word) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", word, "' is not a value of ", ToString(shape.element_type())));
}

bool ParseInteger(ElementType type, absl::string_view word, int64_t& out) {
  if (IsUnsigned(type)) {
    uint64_t value = 0;
    if (!absl::SimpleAtoi(word, &value) || value > MaxInteger(type)) return false;
    out = static_cast<int64_t>(value);
    return true;
  }
  return absl::SimpleAtoi(word, &out) && WrapInteger(type, out) == out;
}

bool ParseFloat(ElementType type, absl::string_view word, uint64_t& bits) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  const char* const end = word.data() + word.size();
  double value = 0;
  if (type == ElementType::kF32) {  // straight to float: one rounding
    float single = 0;
    const std::from_chars_result got = std::from_chars(word.data(), end, single);
    if (got.ec != std::errc() || got.ptr != end) return false;
    value = single;
  } else {
    const std::from_chars_result got = std::from_chars(word.data(), end, value);
    if (got.ec != std::errc() || got.ptr != end) return false;
  }
  bits = EncodeFloat(type, value);
  return true;
}

bool ParseElement(ElementType type, absl::string_view word, std::byte* to) {
  uint64_t bits = 0;
  if (IsPred(type)) {
    if (word != "true" && word != "false" && word != "0" && word != "1") return false;
    bits = word == "true" || word == "1";
  } else if (IsFloat(type)) {
    if (!ParseFloat(type, word, bits)) return false;
  } else {
    int64_t value = 0;
    if (!ParseInteger(type, word, value)) return false;
    bits = static_cast<uint64_t>(value);
  }
  StoreBits(type, to, bits);
  return true;
}

}  // namespace

absl::StatusOr<Shape> ParseShapeWord(absl::string_view word) {
  std::vector<int64_t> dims;
  absl::string_view rest = word;
  while (!rest.empty() && absl::ascii_isdigit(rest[0])) {
    const size_t x = rest.find('x');
    int64_t dim = 0;
    if (x == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, x), &dim)) break;
    dims.push_back(dim);
    rest.remove_prefix(x + 1);
  }
  const std::optional<ElementType> type = ElementTypeFromString(rest);
  if (!type) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape such as 2x3xf32, got '", word, "'"));
  }
  Shape shape = Shape::Array(*type, std::move(dims));
  ASTITCH_RETURN_IF_ERROR(shape.CheckedByteSize().status());
  return shape;
}

absl::StatusOr<InputSpec> ParseInputSpec(absl::string_view text) {
  InputSpec out;
  if (absl::ConsumePrefix(&text, "@")) {
    if (text.empty()) return absl::InvalidArgumentError("expected a file name after '@'");
    out.path = std::string(text);
    out.kind = absl::EndsWith(text, ".npz") ? InputSpec::Kind::kNpz : InputSpec::Kind::kNpy;
    return out;
  }
  if (absl::ConsumePrefix(&text, "random:")) {
    out.kind = InputSpec::Kind::kRandom;
    if (!absl::SimpleAtoi(text, &out.seed)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a whole number after 'random:', got '", text, "'"));
    }
    return out;
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (parts.first.size() == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected @x.npy, @all.npz, 2x2xf32=1,2,3,4 or random:SEED, got '", text, "'"));
  }
  ASTITCH_ASSIGN_OR_RETURN(out.shape, ParseShapeWord(parts.first));
  out.values = std::string(parts.second);
  if (absl::StartsWith(out.values, "@")) {
    out.kind = InputSpec::Kind::kRawFile;
    out.path = out.values.substr(1);
  }
  return out;
}

absl::StatusOr<Literal> ParseValues(const Shape& shape, absl::string_view values) {
  const ElementType type = shape.element_type();
  if (IsComplex(type)) {
    return absl::InvalidArgumentError("complex values cannot be written inline; use a .npy file");
  }
  const std::vector<absl::string_view> words =
      absl::StrSplit(values, absl::ByAnyChar(", []{}\t\n"), absl::SkipEmpty());
  const int64_t count = shape.num_elements();
  const bool splat = words.size() == 1;
  if (!splat && static_cast<int64_t>(words.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", count, " values for ",
                                                   shape.ToString(false), ", got ", words.size()));
  }
  if (shape.byte_size() > kMaxInlineBytes) {
    return absl::InvalidArgumentError(absl::StrCat(shape.ToString(false), " is too large"));
  }
  Literal out(shape);
  const int width = ByteWidth(type);
  std::byte* to = out.mutable_bytes().data();
  std::byte element[16] = {};
  for (int64_t i = 0; i < count; ++i) {
    const absl::string_view word = words[splat ? 0 : i];
    if ((i == 0 || !splat) && !ParseElement(type, word, element)) return BadValue(shape, word);
    std::memcpy(to + i * width, element, width);
  }
  return out;
}

}  // namespace astitch
