// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One reader a form.
#include "frontend/hlo_text/attribute_value.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "frontend/hlo_text/literal_parser.h"
#include "frontend/hlo_text/shape_parser.h"
#include "frontend/hlo_text/window_parser.h"
#include "ir/attribute_text.h"
#include "ir/hlo_words.h"
#include "ir/literal_text.h"

namespace astitch::hlo_text {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

bool ReadIntLists(Reader& reader, std::string* out) {
  std::vector<std::string> lists;
  const bool ok = ReadBracedList(reader, "a list of lists", [&] {
    std::vector<int64_t> list;
    if (!reader.ReadIntList("a list of integers", &list)) return false;
    lists.push_back(IntListText(list));
    return true;
  });
  *out = absl::StrCat("{", absl::StrJoin(lists, ","), "}");
  return ok;
}

// [2,4] without its meaning; appended as text.
bool ReadBracketedInts(Reader& reader, absl::string_view what, std::vector<int64_t>* out) {
  if (!reader.Expect(TokenKind::kLeftBracket, what)) return false;
  do {
    out->push_back(0);
    if (!reader.ReadInteger(what, &out->back())) return false;
  } while (reader.Eat(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBracket, "',' or ']'");
}

// [2,4]<=[4,2]T(1,0)
bool ReadIotaDevices(Reader& reader, std::string* out) {
  const Token at = reader.token();
  std::vector<int64_t> groups, dims, order;
  if (!ReadBracketedInts(reader, "the number and size of groups", &groups) ||
      !reader.Expect(TokenKind::kLessEqual, "'<='") ||
      !ReadBracketedInts(reader, "dimensions of the device list", &dims))
    return false;
  if (groups.size() != 2)
    return reader.FailAt(at,
                         absl::StrCat("expected two numbers, [groups,size], got ", groups.size()));
  *out = absl::StrCat("[", absl::StrJoin(groups, ","), "]<=[", absl::StrJoin(dims, ","), "]");
  if (dims.size() == 1) return true;
  if (!reader.Is(TokenKind::kIdentifier) || reader.token().text != "T")
    return reader.Fail("T(...) after a device list of several dimensions");
  reader.Next();
  if (!reader.Expect(TokenKind::kLeftParen, "'('")) return false;
  do {
    order.push_back(0);
    if (!reader.ReadInteger("a dimension", &order.back())) return false;
  } while (reader.Eat(TokenKind::kComma));
  absl::StrAppend(out, "T(", absl::StrJoin(order, ","), ")");
  return reader.Expect(TokenKind::kRightParen, "',' or ')'");
}

// Copies the tokens from '[' or '(' to the one that closes it.
bool CopyBracketed(Reader& reader, std::string* out) {
  int depth = 0;
  do {
    const TokenKind kind = reader.token().kind;
    if (kind == TokenKind::kEnd || kind == TokenKind::kError)
      return reader.Fail("a closing bracket");
    if (kind == TokenKind::kLeftBracket || kind == TokenKind::kLeftParen) ++depth;
    if (kind == TokenKind::kRightBracket || kind == TokenKind::kRightParen) --depth;
    const Token& token = reader.token();
    absl::StrAppend(out, reader.lexer().text().substr(token.begin, token.end - token.begin));
    reader.Next();
  } while (depth > 0);
  return true;
}

// mesh['a'=2,'b'=2], device_ids=(0,2,1,3) {'a'}: the comma does not end the attribute.
bool ReadMeshDevices(Reader& reader, std::string* out) {
  *out = "mesh";
  reader.Next();
  if (!reader.Is(TokenKind::kLeftBracket)) return reader.Fail("'[' after mesh");
  if (!CopyBracketed(reader, out)) return false;
  if (reader.Eat(TokenKind::kComma)) {
    if (!reader.Is(TokenKind::kAttribute) || reader.token().text != "device_ids")
      return reader.Fail("device_ids=");
    reader.Next();
    *out += ", device_ids=";
    if (!reader.Is(TokenKind::kLeftParen)) return reader.Fail("'(' after device_ids=");
    if (!CopyBracketed(reader, out)) return false;
  }
  std::string axes;
  if (!reader.ReadTidyBlob("the axes of the mesh in braces", &axes)) return false;
  absl::StrAppend(out, " ", axes);
  return true;
}

bool ReadDevices(Reader& reader, std::string* out) {
  if (reader.Is(TokenKind::kLeftBracket)) return ReadIotaDevices(reader, out);
  if (reader.Is(TokenKind::kIdentifier) && reader.token().text == "mesh")
    return ReadMeshDevices(reader, out);
  return ReadIntLists(reader, out);
}

// {{out}: (operand, {index}), ...}
bool ReadAliasing(Reader& reader, std::string* out) {
  std::vector<std::string> entries;
  const bool ok = ReadBracedList(reader, "'{' of an aliasing", [&] {
    std::vector<int64_t> output, index;
    int64_t operand = 0;
    if (!ReadIndexPath(reader, &output) || !reader.Expect(TokenKind::kColon, "':'") ||
        !reader.Expect(TokenKind::kLeftParen, "'('") ||
        !reader.ReadNonNegative("an operand number", &operand) ||
        !reader.Expect(TokenKind::kComma, "','") || !ReadIndexPath(reader, &index) ||
        !reader.Expect(TokenKind::kRightParen, "')'"))
      return false;
    entries.push_back(
        absl::StrCat(IntListText(output), ": (", operand, ", ", IntListText(index), ")"));
    return true;
  });
  *out = absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
  return ok;
}

bool ReadShapes(Reader& reader, std::string* out) {
  std::vector<std::string> shapes;
  const bool ok = ReadBracedList(reader, "'{' of a shape list", [&] {
    Shape shape;
    if (!ReadShape(reader, &shape)) return false;
    shapes.push_back(shape.ToString());
    return true;
  });
  *out = absl::StrCat("{", absl::StrJoin(shapes, ", "), "}");
  return ok;
}

bool ReadShapedLiteral(Reader& reader, std::string* out) {
  Shape shape;
  Literal literal;
  if (reader.Is(TokenKind::kLeftParen)) {
    // A tuple's elements carry their own shapes: ( s32[1]{0} {4}, pred[] true ).
    reader.Next();
    *out = "( ";
    while (!reader.Is(TokenKind::kRightParen)) {
      std::string element;
      if (out->size() > 2) {
        if (!reader.Expect(TokenKind::kComma, "','")) return false;
        *out += ", ";
      }
      if (!reader.Is(TokenKind::kType)) return reader.Fail("an array shape");
      if (!ReadShapedLiteral(reader, &element)) return false;
      *out += element;
    }
    *out += " )";
    reader.Next();
    return true;
  }
  if (!ReadShape(reader, &shape) || !ReadLiteral(reader, shape, &literal)) return false;
  *out = absl::StrCat(shape.ToString(), " ", LiteralText(literal));
  return true;
}

bool ReadPrecision(Reader& reader, std::vector<std::string>* out) {
  return ReadBracedList(reader, "'{' of a precision list", [&] {
    const absl::string_view word = reader.token().text;
    if (!reader.Is(TokenKind::kIdentifier) ||
        (word != "default" && word != "high" && word != "highest"))
      return reader.Fail("default, high or highest");
    out->emplace_back(word);
    reader.Next();
    return true;
  });
}

// The value of one metadata entry as it prints: number, word, quoted string or blob.
bool ReadMetadataValue(Reader& reader, std::string* out) {
  const Token token = reader.token();
  if (token.kind == TokenKind::kString) {
    std::string bytes;
    if (!reader.ReadString("a string", &bytes)) return false;
    *out = QuoteHloString(bytes);
    return true;
  }
  if (token.kind == TokenKind::kLeftBrace) return reader.ReadTidyBlob("a blob", out);
  if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kKeyword &&
      token.kind != TokenKind::kIdentifier && token.kind != TokenKind::kDecimal)
    return reader.Fail("a metadata value");
  *out = std::string(token.text);
  reader.Next();
  return true;
}

bool ReadMetadata(Reader& reader, Entries* out) {
  if (!reader.Expect(TokenKind::kLeftBrace, "'{' of metadata")) return false;
  while (!reader.Eat(TokenKind::kRightBrace)) {
    const Token key = reader.token();
    if (key.kind != TokenKind::kAttribute) return reader.Fail("key= or '}' in metadata");
    for (const auto& entry : *out) {
      if (entry.first == key.text)
        return reader.FailAt(key, absl::StrCat("metadata has ", key.text, " twice"));
    }
    reader.Next();
    std::string value;
    if (!ReadMetadataValue(reader, &value)) return false;
    out->emplace_back(std::string(key.text), std::move(value));
    reader.Eat(TokenKind::kComma);
  }
  // Values that say nothing are not printed, so they are not kept.
  out->erase(std::remove_if(out->begin(), out->end(),
                            [](const auto& e) { return e.second == "0" || e.second == "\"\""; }),
             out->end());
  return true;
}

template <typename Item, typename Read>
bool ReadItems(Reader& reader, absl::string_view what, Read read, std::vector<Item>* out) {
  const Token at = reader.token();
  const bool ok = ReadBracedList(reader, what, [&] {
    Item item = nullptr;
    if (!read(&item)) return false;
    out->push_back(item);
    return true;
  });
  return ok && (!out->empty() || reader.FailAt(at, absl::StrCat("expected ", what, ", got {}")));
}

// Reads with READ into a value of type T.
template <typename T, typename Read>
bool ReadAs(AttributeValue* value, Read read) {
  return read(&value->emplace<T>());
}

}  // namespace

bool ReadIndexPath(Reader& reader, std::vector<int64_t>* out) {
  const Token at = reader.token();
  if (!reader.ReadIntList("an index such as {0,1}", out)) return false;
  const bool ok = std::all_of(out->begin(), out->end(), [](int64_t i) { return i >= 0; });
  return ok || reader.FailAt(at, "expected an index without negative numbers");
}

bool ReadBoolList(Reader& reader, std::string* out) {
  std::vector<std::string> words;
  const bool ok = ReadBracedList(reader, "'{' of a list of true and false", [&] {
    bool value = false;
    if (!reader.ReadBool("true or false", &value)) return false;
    words.emplace_back(value ? "true" : "false");
    return true;
  });
  *out = absl::StrCat("{", absl::StrJoin(words, ","), "}");
  return ok;
}

bool ReadFrontendAttributes(Reader& reader, std::string* out) {
  std::vector<std::string> entries;
  const bool ok = ReadBracedList(reader, "'{' of frontend attributes", [&] {
    const Token key = reader.token();
    if (key.kind != TokenKind::kAttribute) return reader.Fail("key=");
    reader.Next();
    const bool is_blob = reader.Is(TokenKind::kLeftBrace);
    std::string value;
    if (!reader.ReadStringOrBlob("a string or a blob", &value)) return false;
    entries.push_back(absl::StrCat(key.text, "=", is_blob ? value : QuoteHloString(value)));
    return true;
  });
  *out = entries.empty() ? "" : absl::StrCat("{", absl::StrJoin(entries, ","), "}");
  return ok;
}

bool ReadUnknownValue(Reader& reader, std::string* out) {
  int depth = 0;
  const int32_t line = reader.token().position.line;
  size_t end = reader.token().begin;
  const size_t begin = end;
  while (true) {
    const Token& token = reader.token();
    const TokenKind kind = token.kind;
    if (kind == TokenKind::kEnd || kind == TokenKind::kError) break;
    if (depth == 0 && (kind == TokenKind::kComma || token.position.line != line)) break;
    if (kind == TokenKind::kLeftBrace) {
      std::string blob;
      if (!reader.ReadTidyBlob("a blob", &blob)) return false;
      end = reader.lexer().text().rfind('}', reader.token().begin - 1) + 1;
      continue;
    }
    if (kind == TokenKind::kRightBrace) break;
    if (kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket) ++depth;
    if (kind == TokenKind::kRightParen || kind == TokenKind::kRightBracket) --depth;
    end = token.end;
    reader.Next();
  }
  if (end == begin || depth != 0) return reader.Fail("an attribute value");
  *out = std::string(reader.lexer().text().substr(begin, end - begin));
  return true;
}

bool ReadAttributeValue(Reader& reader, AttributeForm form, const AttributeScope& scope,
                        AttributeValue* value) {
  using Text = std::string;
  using Ints = std::vector<int64_t>;
  const auto text = [&](bool (*read)(Reader&, Text*)) {
    return ReadAs<Text>(value, [&](Text* out) { return read(reader, out); });
  };
  switch (form) {
    case AttributeForm::kAliasing:
      return text(ReadAliasing);
    case AttributeForm::kBlob:
      return ReadAs<Text>(value, [&](Text* out) { return reader.ReadTidyBlob("'{'", out); });
    case AttributeForm::kBool:
      return ReadAs<bool>(value, [&](bool* out) { return reader.ReadBool("true or false", out); });
    case AttributeForm::kBoolList:
      return text(ReadBoolList);
    case AttributeForm::kComputation:
      return ReadAs<std::vector<Computation*>>(value, [&](std::vector<Computation*>* out) {
        out->push_back(nullptr);
        return scope.read_computation(&out->back());
      });
    case AttributeForm::kComputations:
      return ReadAs<std::vector<Computation*>>(value, [&](auto* out) {
        return ReadItems(reader, "a list of computations", scope.read_computation, out);
      });
    case AttributeForm::kDevices:
      return text(ReadDevices);
    case AttributeForm::kDimLabels:
      return text(ReadDimLabels);
    case AttributeForm::kFloat:
      return ReadAs<double>(value, [&](double* out) { return reader.ReadFloat("a number", out); });
    case AttributeForm::kFrontend:
      return text(ReadFrontendAttributes);
    case AttributeForm::kInstructions:
      return ReadAs<std::vector<Instruction*>>(value, [&](auto* out) {
        return ReadItems(reader, "a list of instructions", scope.read_instruction, out);
      });
    case AttributeForm::kInt:
      return ReadAs<int64_t>(value,
                             [&](int64_t* out) { return reader.ReadInteger("an integer", out); });
    case AttributeForm::kIntList:
      return ReadAs<Ints>(value,
                          [&](Ints* out) { return reader.ReadIntList("a list of integers", out); });
    case AttributeForm::kIntLists:
      return text(ReadIntLists);
    case AttributeForm::kLiteral:
      return text(ReadShapedLiteral);
    case AttributeForm::kMetadata:
      return ReadAs<Entries>(value, [&](Entries* out) { return ReadMetadata(reader, out); });
    case AttributeForm::kPadding:
      return ReadAs<PadAttributes>(value, [&](auto* out) { return ReadPadding(reader, out); });
    case AttributeForm::kPrecision:
      return ReadAs<std::vector<Text>>(value,
                                       [&](auto* out) { return ReadPrecision(reader, out); });
    case AttributeForm::kShape:
      return ReadAs<Text>(value, [&](Text* out) {
        Shape shape;
        if (!ReadShape(reader, &shape)) return false;
        *out = shape.ToString();
        return true;
      });
    case AttributeForm::kShapes:
      return text(ReadShapes);
    case AttributeForm::kSlice:
      return ReadAs<SliceAttributes>(value, [&](auto* out) { return ReadSlice(reader, out); });
    case AttributeForm::kString:
      return ReadAs<Text>(value, [&](Text* out) { return reader.ReadString("a string", out); });
    case AttributeForm::kStringOrBlob:
      return ReadAs<Text>(
          value, [&](Text* out) { return reader.ReadStringOrBlob("a string or a blob", out); });
    case AttributeForm::kWindow:
      return ReadAs<Window>(value, [&](Window* out) { return ReadWindow(reader, out); });
    case AttributeForm::kWord:
      return ReadAs<Text>(value, [&](Text* out) { return reader.ReadWord("a word", out); });
  }
  ASTITCH_UNREACHABLE();
}

std::string ValueText(AttributeForm form, const AttributeValue& value) {
  switch (form) {
    case AttributeForm::kBool:
      return std::get<bool>(value) ? "true" : "false";
    case AttributeForm::kInt:
      return absl::StrCat(std::get<int64_t>(value));
    case AttributeForm::kIntList:
      return IntListText(std::get<std::vector<int64_t>>(value));
    case AttributeForm::kPrecision:
      return WordListText(std::get<std::vector<std::string>>(value));
    case AttributeForm::kString:
      return QuoteHloString(std::get<std::string>(value));
    case AttributeForm::kWindow:
      return WindowText(std::get<Window>(value));
    default:  // kept as text
      return std::get<std::string>(value);
  }
}

}  // namespace astitch::hlo_text
