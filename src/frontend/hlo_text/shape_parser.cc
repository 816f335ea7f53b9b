// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Recursive descent with a limit on depth. What a layout says besides the order of dimensions is
// checked for form and kept as text without blanks.
#include "frontend/hlo_text/shape_parser.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "astitch/element_type.h"
#include "base/checked_math.h"
#include "frontend/hlo_text/limits.h"

namespace astitch::hlo_text {
namespace {

bool ReadShapeAt(Reader& reader, int depth, Shape* shape);

// ---- layouts

// The longest extras first, and in the order in which they may stand.
class LayoutExtras {
 public:
  LayoutExtras(Reader& reader, int depth) : reader_(reader), depth_(depth) {}

  // Up to the '}' that ends the layout.
  bool Read(std::string* out) {
    // D (level types) is read and dropped: nothing prints it.
    if (IsWord("D") && !(Word() && Levels())) return false;
    if (IsWord("T") && !(Word(out, "T") && Tiles(out))) return false;
    if (IsWord("L") && !(Word(out, "L") && Parenthesized(out, TokenKind::kInteger))) return false;
    if (reader_.Is(TokenKind::kHash) && !(Word(out, "#") && Parenthesized(out, TokenKind::kType)))
      return false;
    if (reader_.Is(TokenKind::kStar) && !(Word(out, "*") && Parenthesized(out, TokenKind::kType)))
      return false;
    if (IsWord("E") && !(Word(out, "E") && Parenthesized(out, TokenKind::kInteger))) return false;
    if (IsWord("S") && !MemorySpace(out)) return false;
    if (IsWord("SC") && !(Word(out, "SC") && Splits(out))) return false;
    if (IsWord("P") && !(Word(out, "P") && PhysicalShape(out))) return false;
    if (IsWord("M") && !(Word(out, "M") && Parenthesized(out, TokenKind::kInteger))) return false;
    return true;
  }

 private:
  bool IsWord(absl::string_view word) const {
    return reader_.Is(TokenKind::kIdentifier) && reader_.token().text == word;
  }
  bool Word(std::string* out = nullptr, absl::string_view text = "") {
    if (out != nullptr) absl::StrAppend(out, text);
    reader_.Next();
    return true;
  }
  // Appends the token when it is of KIND.
  bool Take(TokenKind kind, absl::string_view what, std::string* out) {
    if (!reader_.Is(kind)) return reader_.Fail(what);
    absl::StrAppend(out, reader_.token().text);
    reader_.Next();
    return true;
  }
  bool Parenthesized(std::string* out, TokenKind kind) {
    const absl::string_view what = kind == TokenKind::kType ? "a type" : "a number";
    return Take(TokenKind::kLeftParen, "'('", out) && Take(kind, what, out) &&
           Take(TokenKind::kRightParen, "')'", out);
  }
  // S(0) is the default and not kept.
  bool MemorySpace(std::string* out) {
    std::string text;
    if (!(Word(&text, "S") && Parenthesized(&text, TokenKind::kInteger))) return false;
    if (text != "S(0)") absl::StrAppend(out, text);
    return true;
  }
  bool Levels() {
    std::string dropped;
    if (!Take(TokenKind::kLeftParen, "'('", &dropped)) return false;
    do {
      if (!Take(TokenKind::kIdentifier, "a level type", &dropped)) return false;
      reader_.Eat(TokenKind::kPlus);
      reader_.Eat(TokenKind::kTilde);
    } while (reader_.Eat(TokenKind::kComma));
    return Take(TokenKind::kRightParen, "')'", &dropped);
  }
  bool Tiles(std::string* out) {
    if (!reader_.Is(TokenKind::kLeftParen)) return reader_.Fail("'('");
    while (reader_.Is(TokenKind::kLeftParen)) {
      Take(TokenKind::kLeftParen, "'('", out);
      if (!reader_.Is(TokenKind::kRightParen)) {
        do {
          if (out->back() != '(') *out += ',';
          if (reader_.Is(TokenKind::kStar)) {
            Take(TokenKind::kStar, "'*'", out);
          } else if (!Take(TokenKind::kInteger, "a tile size", out)) {
            return false;
          }
        } while (reader_.Eat(TokenKind::kComma));
      }
      if (!Take(TokenKind::kRightParen, "')'", out)) return false;
    }
    return true;
  }
  bool Splits(std::string* out) {
    if (!reader_.Is(TokenKind::kLeftParen)) return reader_.Fail("'('");
    while (reader_.Is(TokenKind::kLeftParen)) {
      Take(TokenKind::kLeftParen, "'('", out);
      if (!Take(TokenKind::kInteger, "a dimension", out) || !Take(TokenKind::kColon, "':'", out) ||
          !Take(TokenKind::kInteger, "an index", out))
        return false;
      while (reader_.Eat(TokenKind::kComma)) {
        *out += ',';
        if (!Take(TokenKind::kInteger, "an index", out)) return false;
      }
      if (!Take(TokenKind::kRightParen, "')'", out)) return false;
    }
    return true;
  }
  bool PhysicalShape(std::string* out) {
    Shape shape;
    if (!Take(TokenKind::kLeftParen, "'('", out) || !ReadShapeAt(reader_, depth_ + 1, &shape))
      return false;
    *out += shape.ToString();
    return Take(TokenKind::kRightParen, "')'", out);
  }

  Reader& reader_;
  int depth_;
};

// '{' opens a layout only before a number or ':'; else it belongs to what follows the shape.
bool StartsLayout(Reader& reader) {
  if (!reader.Is(TokenKind::kLeftBrace)) return false;
  const TokenKind next = reader.lexer().PeekKind();
  return next == TokenKind::kInteger || next == TokenKind::kColon;
}

bool CheckOrder(Reader& reader, const Token& at, int64_t rank, const std::vector<int64_t>& order) {
  if (static_cast<int64_t>(order.size()) != rank) {
    return reader.FailAt(
        at, absl::StrCat("expected a layout of ", rank, " dimensions, got ", order.size()));
  }
  std::vector<bool> seen(rank, false);
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= rank || seen[dimension]) {
      return reader.FailAt(at, absl::StrCat("expected each dimension below ", rank,
                                            " once in a layout, got ", dimension));
    }
    seen[dimension] = true;
  }
  return true;
}

bool ReadLayout(Reader& reader, int depth, int64_t rank, Layout* layout) {
  const Token at = reader.token();
  reader.Next();
  layout->minor_to_major.clear();
  if (reader.Is(TokenKind::kInteger)) {
    do {
      layout->minor_to_major.push_back(0);
      if (!reader.ReadInteger("a dimension number", &layout->minor_to_major.back())) return false;
    } while (reader.Eat(TokenKind::kComma));
  }
  if (reader.Eat(TokenKind::kColon) && !LayoutExtras(reader, depth).Read(&layout->extras))
    return false;
  if (!reader.Expect(TokenKind::kRightBrace, "'}' at the end of the layout")) return false;
  return CheckOrder(reader, at, rank, layout->minor_to_major);
}

// ---- arrays and tuples

// One dimension: 4, <=4 or ?.
bool ReadDim(Reader& reader, std::vector<int64_t>* dims, std::vector<bool>* dynamic) {
  dims->push_back(Shape::kUnboundedSize);
  dynamic->push_back(true);
  if (reader.Eat(TokenKind::kQuestion)) return true;
  dynamic->back() = reader.Eat(TokenKind::kLessEqual);
  return reader.ReadNonNegative("a dimension", &dims->back());
}

bool CheckSize(Reader& reader, const Token& at, const Shape& shape) {
  int64_t bytes = ByteWidth(shape.element_type());
  for (int64_t dim : shape.dims()) {
    if (dim <= 0) continue;  // a zero elsewhere does not make the others harmless
    const std::optional<int64_t> product = CheckedMul(bytes, dim);
    if (!product)
      return reader.FailAt(at, absl::StrCat("more than 2^63-1 bytes in ", shape.ToString(false)));
    bytes = *product;
  }
  return true;
}

bool ReadArray(Reader& reader, int depth, Shape* shape) {
  const Token at = reader.token();
  reader.Next();
  std::vector<int64_t> dims;
  std::vector<bool> dynamic;
  if (!reader.Expect(TokenKind::kLeftBracket, "'[' after the element type")) return false;
  if (!reader.Is(TokenKind::kRightBracket)) {
    do {
      if (dims.size() == kMaxRank)
        return reader.Fail(absl::StrCat("at most ", kMaxRank, " dimensions"));
      if (!ReadDim(reader, &dims, &dynamic)) return false;
    } while (reader.Eat(TokenKind::kComma));
  }
  if (!reader.Expect(TokenKind::kRightBracket, "',' or ']' in a shape")) return false;
  if (at.text == "token" || at.text == "opaque") {
    if (!dims.empty())
      return reader.FailAt(at, absl::StrCat("expected no dimensions of ", at.text));
    *shape = at.text == "token" ? Shape::Token() : Shape::Opaque();
    return true;
  }
  const int64_t rank = static_cast<int64_t>(dims.size());
  *shape = Shape::Array(*ElementTypeFromString(at.text), std::move(dims));
  for (int64_t i = 0; i < rank; ++i) {
    if (dynamic[i]) shape->set_dynamic(i);
  }
  if (!CheckSize(reader, at, *shape)) return false;
  return !StartsLayout(reader) || ReadLayout(reader, depth, rank, &shape->mutable_layout());
}

bool ReadTuple(Reader& reader, int depth, Shape* shape) {
  reader.Next();
  std::vector<Shape> elements;
  if (!reader.Is(TokenKind::kRightParen)) {
    do {
      elements.emplace_back();
      if (!ReadShapeAt(reader, depth + 1, &elements.back())) return false;
    } while (reader.Eat(TokenKind::kComma));
  }
  if (!reader.Expect(TokenKind::kRightParen, "',' or ')' in a tuple shape")) return false;
  *shape = Shape::Tuple(std::move(elements));
  return true;
}

bool ReadBuffer(Reader& reader, int depth, Shape* shape) {
  reader.Next();
  if (!reader.Expect(TokenKind::kLeftParen, "'(' after b")) return false;
  Shape array;
  const Token at = reader.token();
  if (!ReadShapeAt(reader, depth + 1, &array)) return false;
  if (!array.IsArray()) return reader.FailAt(at, "expected an array shape in a buffer");
  *shape = Shape::Buffer(std::move(array));
  return reader.Expect(TokenKind::kRightParen, "')'");
}

bool IsBufferWord(const Reader& reader) {
  return reader.Is(TokenKind::kIdentifier) && reader.token().text == "b";
}

bool ReadShapeAt(Reader& reader, int depth, Shape* shape) {
  if (depth > kMaxShapeNesting)
    return reader.Fail(absl::StrCat("a shape nested at most ", kMaxShapeNesting, " deep"));
  if (reader.Is(TokenKind::kType)) return ReadArray(reader, depth, shape);
  if (reader.Is(TokenKind::kLeftParen)) return ReadTuple(reader, depth, shape);
  if (IsBufferWord(reader)) return ReadBuffer(reader, depth, shape);
  return reader.Fail("a shape");
}

}  // namespace

bool StartsShape(Reader& reader) {
  return reader.Is(TokenKind::kType) || reader.Is(TokenKind::kLeftParen) ||
         (IsBufferWord(reader) && reader.lexer().PeekKind() == TokenKind::kLeftParen);
}

bool ReadShape(Reader& reader, Shape* shape) { return ReadShapeAt(reader, 0, shape); }

int64_t ShapeParts(const Shape& shape) {
  int64_t parts = 0;
  std::vector<const Shape*> open = {&shape};
  while (!open.empty()) {
    const Shape* top = open.back();
    open.pop_back();
    ++parts;
    for (const Shape& element : top->elements()) open.push_back(&element);
  }
  return parts;
}

}  // namespace astitch::hlo_text
