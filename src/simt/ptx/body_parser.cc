// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Function bodies: declarations, labels, instructions and their operands.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "simt/ptx/parser.h"

namespace astitch::simt {
namespace {

constexpr int32_t kMaxRegisters = 1 << 18;

}  // namespace

BodyParser::BodyParser(TokenStream& in, Function& function, const std::vector<StageMarker>& markers)
    : in_(in), function_(function), markers_(markers) {}

absl::Status BodyParser::Run() {
  ASTITCH_RETURN_IF_ERROR(DeclareParameters());
  ASTITCH_RETURN_IF_ERROR(in_.Expect("{"));
  while (!(scopes_.AtTop() && in_.Is("}"))) {
    if (in_.AtEnd()) return in_.Expected("'}'");
    if (in_.Take("{")) {
      scopes_.Enter();
    } else if (in_.Take("}")) {
      scopes_.Leave();
    } else {
      ASTITCH_RETURN_IF_ERROR(Statement());
    }
  }
  in_.Next();
  ASTITCH_RETURN_IF_ERROR(ResolveTables());
  for (size_t i = 0; i < function_.code.size(); ++i) {
    for (Operand& operand : function_.code[i].operands) {
      Resolve(operand, scope_of_instruction_[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status BodyParser::DeclareParameters() {
  for (size_t i = 0; i < function_.variables.size(); ++i) {
    scopes_.Declare(function_.variables[i].name, Operand::Kind::kFunctionVar,
                    static_cast<int32_t>(i));
  }
  return absl::OkStatus();
}

absl::Status BodyParser::Statement() {
  if (in_.Is("@")) return ParseInstruction();
  if (!in_.IsWord()) return in_.Expected("an instruction");
  if (in_.Is(":", 1)) return Label();
  if (in_.Peek().text[0] == '.') return Declaration();
  return ParseInstruction();
}

absl::Status BodyParser::Declaration() {
  if (in_.Is(".loc")) {
    in_.SkipLine();
    return absl::OkStatus();
  }
  if (in_.Take(".pragma")) {
    in_.Next();
    return in_.Expect(";");
  }
  if (in_.Take(".reg")) return Registers();
  if (in_.Take(".local")) return AddVariables(Space::kLocal);
  if (in_.Take(".shared")) return AddVariables(Space::kShared);
  if (in_.Take(".param")) return AddVariables(Space::kParam);
  return in_.Expected("a directive that is known here");
}

absl::Status BodyParser::Registers() {
  const absl::string_view word = in_.Peek().text;
  const std::optional<Type> type =
      word.size() > 1 && word[0] == '.' ? TypeFromName(word.substr(1)) : std::nullopt;
  if (!type) return in_.Expected("a register type");
  in_.Next();
  do {
    const Token token = in_.Peek();
    ASTITCH_ASSIGN_OR_RETURN(const std::string name, in_.ExpectWord("a register"));
    const int32_t first = static_cast<int32_t>(function_.registers.size());
    int64_t count = 1;
    if (in_.Take("<")) {
      ASTITCH_ASSIGN_OR_RETURN(count, in_.ExpectInteger());
      ASTITCH_RETURN_IF_ERROR(in_.Expect(">"));
      if (count < 0 || first + count > kMaxRegisters) {
        return ErrorAtToken(token, absl::StrCat(count, " registers are too many"));
      }
      scopes_.DeclareRange(name, first, static_cast<int32_t>(count));
    } else if (!scopes_.Declare(name, Operand::Kind::kRegister, first)) {
      return ErrorAtToken(token, absl::StrCat(name, " is declared twice"));
    }
    for (int64_t i = 0; i < count; ++i) function_.registers.push_back({name, *type});
  } while (in_.Take(","));
  return in_.Expect(";");
}

absl::Status BodyParser::AddVariables(Space space) {
  const Token token = in_.Peek();
  ASTITCH_ASSIGN_OR_RETURN(std::vector<Variable> variables, ParseVariables(in_, {.space = space}));
  for (Variable& variable : variables) {
    const int32_t index = static_cast<int32_t>(function_.variables.size());
    if (!scopes_.Declare(variable.name, Operand::Kind::kFunctionVar, index)) {
      return ErrorAtToken(token, absl::StrCat(variable.name, " is declared twice"));
    }
    function_.variables.push_back(std::move(variable));
  }
  return in_.Expect(";");
}

absl::Status BodyParser::Label() {
  const Token token = in_.Next();
  const std::string name(token.text);
  in_.Next();
  if (in_.Is(".branchtargets")) return BranchTargets(name);
  if (!scopes_.Declare(name, Operand::Kind::kLabel, static_cast<int32_t>(function_.code.size()))) {
    return ErrorAtToken(token, absl::StrCat("label ", name, " stands twice"));
  }
  return absl::OkStatus();
}

absl::Status BodyParser::BranchTargets(const std::string& name) {
  in_.Next();
  NamedTable table{name, scopes_.current(), {}};
  do {
    if (!in_.IsWord()) return in_.Expected("a label");
    table.labels.push_back(in_.Next());
  } while (in_.Take(","));
  scopes_.Declare(name, Operand::Kind::kBranchTable, static_cast<int32_t>(tables_.size()));
  tables_.push_back(std::move(table));
  return in_.Expect(";");
}

absl::Status BodyParser::ResolveTables() {
  for (const NamedTable& table : tables_) {
    std::vector<int32_t> targets;
    for (const Token& label : table.labels) {
      const std::optional<Operand> found = scopes_.Find(std::string(label.text), table.scope);
      if (!found || found->kind != Operand::Kind::kLabel) {
        return ErrorAtToken(label, absl::StrCat("no label ", label.text));
      }
      targets.push_back(found->index);
    }
    function_.branch_tables.push_back(std::move(targets));
  }
  return absl::OkStatus();
}

int32_t BodyParser::StageOf(int32_t line) {
  const auto after = std::upper_bound(
      markers_.begin(), markers_.end(), line,
      [](int32_t value, const StageMarker& marker) { return value < marker.line; });
  // A marker above the function speaks of another one.
  if (after == markers_.begin() || std::prev(after)->line < function_.line) return 0;
  return static_cast<int32_t>(after - markers_.begin());
}

absl::Status BodyParser::ParseInstruction() {
  Instruction out;
  out.line = in_.Peek().line;
  out.column = in_.Peek().column;
  out.stage = StageOf(out.line);
  if (in_.Take("@")) {
    out.guard_negated = in_.Take("!");
    const Token token = in_.Peek();
    ASTITCH_ASSIGN_OR_RETURN(const std::string name, in_.ExpectWord("a predicate"));
    const std::optional<Operand> guard = scopes_.Find(name, scopes_.current());
    if (!guard || guard->kind != Operand::Kind::kRegister ||
        function_.registers[guard->index].type != Type::kPred) {
      return ErrorAtToken(token, absl::StrCat(name, " is not a predicate"));
    }
    out.guard = guard->index;
  }
  ASTITCH_ASSIGN_OR_RETURN(const std::string word, in_.ExpectWord("an instruction"));
  std::vector<std::string> parts = absl::StrSplit(word, '.');
  out.opcode = parts[0];
  out.modifiers.assign(parts.begin() + 1, parts.end());
  while (!in_.Is(";")) {
    Operand operand;
    ASTITCH_RETURN_IF_ERROR(ParseOperand(operand));
    out.operands.push_back(std::move(operand));
    if (!in_.Take(",")) break;
  }
  ASTITCH_RETURN_IF_ERROR(in_.Expect(";"));
  scope_of_instruction_.push_back(scopes_.current());
  function_.code.push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status BodyParser::ParseOperand(Operand& out) {
  if (in_.Take("{")) return ParseList("}", Operand::Kind::kVector, out);
  if (in_.Take("(")) return ParseList(")", Operand::Kind::kGroup, out);
  if (in_.Take("[")) return ParseAddress(out);
  ASTITCH_RETURN_IF_ERROR(ParsePlain(out));
  if (!in_.Take("|")) return absl::OkStatus();
  Operand second;
  ASTITCH_RETURN_IF_ERROR(ParsePlain(second));
  Operand pair;
  pair.kind = Operand::Kind::kPair;
  pair.elements = {std::move(out), std::move(second)};
  out = std::move(pair);
  return absl::OkStatus();
}

// REQUIRES: the opening bracket is taken.
absl::Status BodyParser::ParseList(absl::string_view end, Operand::Kind kind, Operand& out) {
  out.kind = kind;
  if (in_.Take(end)) return absl::OkStatus();
  do {
    Operand element;
    ASTITCH_RETURN_IF_ERROR(ParsePlain(element));
    out.elements.push_back(std::move(element));
  } while (in_.Take(","));
  return in_.Expect(end);
}

absl::Status BodyParser::ParsePlain(Operand& out) {
  out.negated = in_.Take("!");
  if (!in_.IsWord()) return ParseNumber(out);
  out.name = std::string(in_.Next().text);
  out.kind = out.name == "_" ? Operand::Kind::kSink : Operand::Kind::kName;
  // Registers and variables stand before their use; what comes later can only be a label.
  Resolve(out, scopes_.current());
  return absl::OkStatus();
}

absl::Status BodyParser::ParseNumber(Operand& out) {
  const bool minus = in_.Take("-");
  const Token& token = in_.Peek();
  out.value = token.integer;
  if (token.kind == TokenKind::kInteger) {
    out.kind = Operand::Kind::kInteger;
    if (minus) out.value = -out.value;
  } else if (token.kind == TokenKind::kFloat32) {
    out.kind = Operand::Kind::kFloat32;
    if (minus) out.value ^= uint64_t{1} << 31;
  } else if (token.kind == TokenKind::kFloat64) {
    out.kind = Operand::Kind::kFloat64;
    if (minus) out.value ^= uint64_t{1} << 63;
  } else {
    return in_.Expected("an operand");
  }
  in_.Next();
  return absl::OkStatus();
}

absl::Status BodyParser::ParseAddress(Operand& out) {
  out.kind = Operand::Kind::kAddress;
  if (in_.IsWord()) {
    Operand base;
    ASTITCH_RETURN_IF_ERROR(ParsePlain(base));
    out.elements.push_back(std::move(base));
    const bool minus = in_.Is("-");
    if (in_.Take("+") || minus) {
      ASTITCH_ASSIGN_OR_RETURN(const int64_t offset, in_.ExpectInteger());
      out.value = static_cast<uint64_t>(offset);
    }
  } else {
    ASTITCH_ASSIGN_OR_RETURN(const int64_t address, in_.ExpectInteger());
    out.value = static_cast<uint64_t>(address);
  }
  return in_.Expect("]");
}

void BodyParser::Resolve(Operand& operand, int scope) {
  for (Operand& element : operand.elements) Resolve(element, scope);
  if (operand.kind != Operand::Kind::kName) return;
  const std::optional<Operand> found = scopes_.Find(operand.name, scope);
  if (!found) return;
  operand.kind = found->kind;
  operand.index = found->index;
}

}  // namespace astitch::simt
