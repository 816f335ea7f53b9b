// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Declarations of variables and parameters.
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "simt/ptx/parser.h"

namespace astitch::simt {
namespace {

constexpr int64_t kMaxVariableBytes = int64_t{1} << 30;

absl::StatusOr<Type> ExpectType(TokenStream& in) {
  const absl::string_view word = in.Peek().text;
  if (in.IsWord() && word.size() > 1 && word[0] == '.') {
    if (const std::optional<Type> type = TypeFromName(word.substr(1));
        type && *type != Type::kPred) {
      in.Next();
      return *type;
    }
  }
  return in.Expected("a type");
}

// ".align 4": a power of two.
absl::Status TakeAlign(TokenStream& in, int64_t& align) {
  while (in.Take(".align")) {
    ASTITCH_ASSIGN_OR_RETURN(align, in.ExpectInteger());
    if (align < 1 || align > 4096 || (align & (align - 1)) != 0) {
      return in.Expected("an alignment that is a power of two");
    }
  }
  return absl::OkStatus();
}

// "[4][8]" or "[]" behind a name.
absl::Status TakeDims(TokenStream& in, bool unsized_allowed, Variable& out) {
  while (in.Take("[")) {
    if (unsized_allowed && in.Take("]")) {
      out.unsized = true;
      out.bytes = 0;
      return absl::OkStatus();
    }
    ASTITCH_ASSIGN_OR_RETURN(const int64_t extent, in.ExpectInteger());
    const std::optional<int64_t> bytes = CheckedMul(out.bytes, extent);
    if (extent < 0 || !bytes || *bytes > kMaxVariableBytes) return in.Expected("a smaller array");
    out.bytes = *bytes;
    ASTITCH_RETURN_IF_ERROR(in.Expect("]"));
  }
  return absl::OkStatus();
}

absl::Status AppendInitializer(TokenStream& in, int element_bytes, std::vector<uint8_t>& out) {
  const bool minus = in.Take("-");
  const Token& token = in.Peek();
  if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kFloat32 &&
      token.kind != TokenKind::kFloat64) {
    return in.Expected("a number; addresses as initial values are not supported");
  }
  in.Next();
  const uint64_t value = minus ? -token.integer : token.integer;
  for (int i = 0; i < element_bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return absl::OkStatus();
}

absl::Status TakeInitializer(TokenStream& in, int element_bytes, Variable& out) {
  if (!in.Take("=")) return absl::OkStatus();
  const Token& start = in.Peek();
  int depth = 0;
  do {
    if (in.Take("{")) {
      ++depth;
    } else if (in.Take("}")) {
      --depth;
    } else if (!in.Take(",")) {
      ASTITCH_RETURN_IF_ERROR(AppendInitializer(in, element_bytes, out.init));
    }
  } while (depth > 0 && !in.AtEnd());
  if (static_cast<int64_t>(out.init.size()) > out.bytes) {
    return ErrorAtToken(start, absl::StrCat("more initial values than ", out.name, " holds"));
  }
  out.init.resize(out.bytes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Variable>> ParseVariables(TokenStream& in, const VariableRules& rules) {
  Variable prototype;
  prototype.space = rules.space;
  int64_t align = 0;
  ASTITCH_RETURN_IF_ERROR(TakeAlign(in, align));
  ASTITCH_ASSIGN_OR_RETURN(const Type type, ExpectType(in));
  prototype.align = align > 0 ? align : TypeBytes(type);
  std::vector<Variable> out;
  do {
    Variable variable = prototype;
    variable.line = in.Peek().line;
    variable.bytes = TypeBytes(type);
    ASTITCH_ASSIGN_OR_RETURN(variable.name, in.ExpectWord("the name of a variable"));
    ASTITCH_RETURN_IF_ERROR(TakeDims(in, rules.unsized, variable));
    if (rules.initializer) {
      ASTITCH_RETURN_IF_ERROR(TakeInitializer(in, TypeBytes(type), variable));
    }
    out.push_back(std::move(variable));
  } while (in.Take(","));
  return out;
}

absl::StatusOr<Variable> ParseParameter(TokenStream& in) {
  ASTITCH_RETURN_IF_ERROR(in.Expect(".param"));
  Variable out;
  out.space = Space::kParam;
  int64_t align = 0;
  ASTITCH_RETURN_IF_ERROR(TakeAlign(in, align));
  ASTITCH_ASSIGN_OR_RETURN(const Type type, ExpectType(in));
  out.align = align > 0 ? align : TypeBytes(type);
  // .ptr with its space and alignment speaks of what the pointer points to.
  if (in.Take(".ptr")) {
    for (const absl::string_view space : {".global", ".shared", ".local", ".const"}) in.Take(space);
    int64_t pointee_align = 0;
    ASTITCH_RETURN_IF_ERROR(TakeAlign(in, pointee_align));
  }
  out.line = in.Peek().line;
  out.bytes = TypeBytes(type);
  ASTITCH_ASSIGN_OR_RETURN(out.name, in.ExpectWord("the name of a parameter"));
  ASTITCH_RETURN_IF_ERROR(TakeDims(in, false, out));
  return out;
}

}  // namespace astitch::simt
