// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Braces nest in logical order, so elements arrive in the order in which they are stored.
//
// Memory is taken only for elements that the rest of the text could hold: an element takes two
// bytes of text at least, and a 10-byte text that claims 10^12 elements is refused before that.
#include "frontend/hlo_text/literal_parser.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/number.h"

namespace astitch::hlo_text {
namespace {

// ---- elements

// nan(0x12): the payload, or nothing.
bool ReadNanPayload(absl::string_view text, uint64_t* payload) {
  const size_t at = text.find("(0x");
  if (at == absl::string_view::npos) return false;
  const char* const begin = text.data() + at + 3;
  const char* const end = text.data() + text.size() - 1;
  const auto result = std::from_chars(begin, end, *payload, 16);
  if (result.ec != std::errc()) *payload = 0;
  return true;
}

bool NanBits(Reader& reader, ElementType type, uint64_t* bits) {
  const Token& token = reader.token();
  const double sign = token.text[0] == '-' ? -1.0 : 1.0;
  if (!HasNan(type)) return reader.Fail(absl::StrCat("a finite number of type ", ToString(type)));
  *bits = EncodeFloat(type, std::copysign(std::numeric_limits<double>::quiet_NaN(), sign));
  uint64_t payload;
  if (!ReadNanPayload(token.text, &payload)) return true;
  const FloatFormat format = FormatOf(type);
  const uint64_t mask = (uint64_t{1} << format.mantissa_bits) - 1;
  if (format.specials != FloatFormat::Specials::kIeee || payload == 0 || payload > mask)
    return reader.Fail(absl::StrCat("a NaN payload of ", ToString(type)));
  *bits = (*bits & ~mask) | payload;
  return true;
}

bool FiniteBits(Reader& reader, ElementType type, double value, uint64_t* bits) {
  *bits = EncodeFloat(type, value);
  const bool is_finite = std::isfinite(DecodeFloat(type, *bits));
  // e8m0 has no zero and no sign: what it cannot hold becomes NaN as it does in convert.
  const bool may_be_nan =
      FormatOf(type).specials == FloatFormat::Specials::kExponentOnly && value <= 0;
  if (is_finite || may_be_nan) return true;
  return reader.Fail(absl::StrCat("a number in the range of ", ToString(type)));
}

// Reads one number of a float type; the sign of -0 counts even when it is written as an integer.
bool ReadFloatBits(Reader& reader, ElementType type, uint64_t* bits) {
  const Token& token = reader.token();
  const double infinity = std::numeric_limits<double>::infinity();
  switch (token.kind) {
    case TokenKind::kInteger: {
      double value = static_cast<double>(token.integer);
      if (token.negative) {
        value =
            token.integer == 0 ? -0.0 : static_cast<double>(static_cast<int64_t>(token.integer));
      }
      if (!FiniteBits(reader, type, value, bits)) return false;
      break;
    }
    case TokenKind::kDecimal:
      if (std::isnan(token.decimal) ? !NanBits(reader, type, bits)
                                    : !FiniteBits(reader, type, token.decimal, bits))
        return false;
      break;
    case TokenKind::kNegativeInfinity:
      *bits = EncodeFloat(type, -infinity);
      break;
    default:
      if (!reader.IsKeyword("inf"))
        return reader.Fail(absl::StrCat("a number of type ", ToString(type)));
      *bits = EncodeFloat(type, infinity);
  }
  reader.Next();
  return true;
}

bool ReadIntegerElement(Reader& reader, ElementType type, std::byte* at) {
  const Token& token = reader.token();
  const auto fail = [&] {
    return reader.Fail(absl::StrCat("an integer in the range of ", ToString(type)));
  };
  if (token.kind != TokenKind::kInteger) return fail();
  const int64_t value = static_cast<int64_t>(token.integer);
  if (BitWidth(type) < 64) {
    const bool above = !token.negative && token.integer > MaxInteger(type);
    const bool below = token.negative && value < MinInteger(type);
    if (above || below) return fail();
  }
  StoreBits(type, at, static_cast<uint64_t>(WrapInteger(type, value)));
  reader.Next();
  return true;
}

bool ReadPred(Reader& reader, std::byte* at) {
  bool value = false;
  if (reader.Is(TokenKind::kInteger)) {
    value = reader.token().integer != 0;
    reader.Next();
  } else if (!reader.ReadBool("true, false or an integer", &value)) {
    return false;
  }
  *at = std::byte{value};
  return true;
}

bool ReadComplex(Reader& reader, ElementType type, std::byte* at) {
  const ElementType part = PartType(type);
  uint64_t real, imaginary;
  if (!reader.Expect(TokenKind::kLeftParen, "'(' of a complex number") ||
      !ReadFloatBits(reader, part, &real) || !reader.Expect(TokenKind::kComma, "','") ||
      !ReadFloatBits(reader, part, &imaginary) ||
      !reader.Expect(TokenKind::kRightParen, "')' of a complex number"))
    return false;
  StoreBits(part, at, real);
  StoreBits(part, at + ByteWidth(part), imaginary);
  return true;
}

bool ReadElement(Reader& reader, ElementType type, std::byte* at) {
  switch (KindOf(type)) {
    case TypeKind::kPred:
      return ReadPred(reader, at);
    case TypeKind::kSigned:
    case TypeKind::kUnsigned:
      return ReadIntegerElement(reader, type, at);
    case TypeKind::kFloat: {
      uint64_t bits;
      if (!ReadFloatBits(reader, type, &bits)) return false;
      StoreBits(type, at, bits);
      return true;
    }
    case TypeKind::kComplex:
      return ReadComplex(reader, type, at);
  }
  return false;
}

// ---- arrays

void SkipCommas(Reader& reader) {
  while (reader.Eat(TokenKind::kComma)) {
  }
}

// {...}; the token stands on '{'.
bool ReadElided(Reader& reader, const Shape& shape, Literal* literal) {
  reader.Next();
  reader.Next();
  if (!reader.Expect(TokenKind::kRightBrace, "'}' after '...'")) return false;
  *literal = Literal::Elided(shape);
  return true;
}

// Braces down to LEVEL's elements; rank is limited, so recursion is.
class ArrayReader {
 public:
  ArrayReader(Reader& reader, const Shape& shape, std::byte* at)
      : reader_(reader), dims_(shape.dims()), type_(shape.element_type()), at_(at) {}

  bool Read(size_t level) {
    if (level == dims_.size()) {
      if (!ReadElement(reader_, type_, at_)) return false;
      at_ += ByteWidth(type_);
      return true;
    }
    const auto expected = [&] {
      return absl::StrCat("'{' of ", dims_[level], " elements in dimension ", level);
    };
    if (!reader_.Is(TokenKind::kLeftBrace)) return reader_.Fail(expected());
    reader_.Next();
    SkipCommas(reader_);
    for (int64_t i = 0; i < dims_[level]; ++i) {
      if (reader_.Is(TokenKind::kRightBrace)) {
        return reader_.Fail(
            absl::StrCat(dims_[level], " elements in dimension ", level, " (found ", i, ")"));
      }
      if (!Read(level + 1)) return false;
      SkipCommas(reader_);
    }
    if (reader_.Eat(TokenKind::kRightBrace)) return true;
    return reader_.Fail(absl::StrCat("'}' after ", dims_[level], " elements in dimension ", level));
  }

 private:
  Reader& reader_;
  const std::vector<int64_t>& dims_;
  const ElementType type_;
  std::byte* at_;
};

bool ReadArrayLiteral(Reader& reader, const Shape& shape, Literal* literal) {
  if (shape.has_dynamic_dims())
    return reader.FailAt(reader.token(), absl::StrCat("expected a constant of static shape, got ",
                                                      shape.ToString(false)));
  const absl::StatusOr<int64_t> elements = shape.CheckedNumElements();
  if (!elements.ok() || *elements > static_cast<int64_t>(reader.lexer().remaining())) {
    return reader.FailAt(reader.token(),
                         absl::StrCat("expected the elements of ", shape.ToString(false),
                                      ", got less text than they need"));
  }
  *literal = Literal(shape);
  return ArrayReader(reader, literal->shape(), literal->mutable_bytes().data()).Read(0);
}

bool ReadTupleLiteral(Reader& reader, const Shape& shape, Literal* literal) {
  if (!reader.Expect(TokenKind::kLeftParen, "'(' of a tuple literal")) return false;
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    if (!elements.empty() && !reader.Expect(TokenKind::kComma, "','")) return false;
    elements.emplace_back();
    if (!ReadLiteral(reader, element, &elements.back())) return false;
  }
  *literal = Literal::Tuple(std::move(elements));
  return reader.Expect(TokenKind::kRightParen, "')' at the end of the tuple literal");
}

}  // namespace

bool ReadLiteral(Reader& reader, const Shape& shape, Literal* literal) {
  const bool is_elided =
      reader.Is(TokenKind::kLeftBrace) && reader.lexer().PeekKind() == TokenKind::kDots;
  if (is_elided && (shape.IsTuple() || (shape.IsArray() && shape.rank() > 0)))
    return ReadElided(reader, shape, literal);
  if (shape.IsTuple()) return ReadTupleLiteral(reader, shape, literal);
  if (shape.IsArray()) return ReadArrayLiteral(reader, shape, literal);
  return reader.FailAt(
      reader.token(),
      absl::StrCat("expected an array or tuple constant, got one of ", shape.ToString(false)));
}

}  // namespace astitch::hlo_text
