// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The module level: directives, variables, functions, and the names that functions leave open.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/ptx/parser.h"

namespace astitch::simt {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(const TokenList& tokens) : tokens_(tokens), in_(tokens) {
    module_.stages.push_back("");
    for (const StageMarker& marker : tokens.markers) module_.stages.push_back(marker.name);
  }

  absl::StatusOr<Module> Run() {
    while (!in_.AtEnd()) ASTITCH_RETURN_IF_ERROR(Directive());
    for (Function& function : module_.functions) {
      ASTITCH_RETURN_IF_ERROR(ResolveNames(function));
    }
    return std::move(module_);
  }

 private:
  absl::Status Directive() {
    if (in_.Is(".version")) return Version();
    if (in_.Is(".target")) return Target();
    if (in_.Take(".address_size")) {
      if (in_.Is("64")) return in_.Next(), absl::OkStatus();
      return in_.Expected("64");
    }
    if (in_.Is(".file") || in_.Is(".loc")) return in_.SkipLine(), absl::OkStatus();
    if (in_.Is(".section")) return SkipSection();
    bool external = false;
    for (bool more = true; more;) {
      more = in_.Take(".visible") || in_.Take(".weak") || in_.Take(".common");
      if (in_.Take(".extern")) more = external = true;
    }
    if (in_.Is(".entry") || in_.Is(".func")) return ParseFunction();
    if (in_.Take(".global")) return Variables({Space::kGlobal, true, false}, external);
    if (in_.Take(".const")) return Variables({Space::kConst, true, false}, external);
    if (in_.Take(".shared")) return Variables({Space::kShared, false, external}, external);
    return in_.Expected("a directive that is known here");
  }

  // The version and the target with its options, as they stand to the end of the line.
  absl::Status Version() {
    in_.Next();
    if (in_.Peek().kind != TokenKind::kFloat64) return in_.Expected("a version such as 8.0");
    module_.version = std::string(in_.Peek().text);
    in_.SkipLine();
    return absl::OkStatus();
  }

  absl::Status Target() {
    in_.Next();
    ASTITCH_ASSIGN_OR_RETURN(module_.target, in_.ExpectWord("a target"));
    if (!absl::StartsWith(module_.target, "sm_")) return in_.Expected("a target such as sm_80");
    while (in_.Take(",")) ASTITCH_RETURN_IF_ERROR(in_.ExpectWord("an option").status());
    return absl::OkStatus();
  }

  // Debug information: everything between its braces.
  absl::Status SkipSection() {
    while (!in_.AtEnd() && !in_.Is("{")) in_.Next();
    while (!in_.AtEnd() && !in_.Is("}")) in_.Next();
    return in_.Expect("}");
  }

  absl::Status Variables(const VariableRules& rules, bool external) {
    in_.Take(".attribute");
    const Token token = in_.Peek();
    ASTITCH_ASSIGN_OR_RETURN(std::vector<Variable> variables, ParseVariables(in_, rules));
    for (Variable& variable : variables) {
      if (external && rules.space != Space::kShared) {
        return ErrorAtToken(token, absl::StrCat(variable.name, " is defined in another module"));
      }
      if (FindVariable(variable.name) >= 0) {
        return ErrorAtToken(token, absl::StrCat(variable.name, " is declared twice"));
      }
      module_.variables.push_back(std::move(variable));
    }
    return in_.Expect(";");
  }

  absl::Status ParseFunction() {
    Function out;
    out.line = in_.Peek().line;
    out.is_entry = in_.Next().text == ".entry";
    if (in_.Is("(")) {
      ASTITCH_RETURN_IF_ERROR(Parameters(out, out.returns));
    }
    ASTITCH_ASSIGN_OR_RETURN(out.name, in_.ExpectWord("the name of a function"));
    if (in_.Is("(")) {
      ASTITCH_RETURN_IF_ERROR(Parameters(out, out.params));
    }
    ASTITCH_RETURN_IF_ERROR(Attributes(out));
    if (!in_.Take(";")) {
      out.has_body = true;
      ASTITCH_RETURN_IF_ERROR(BodyParser(in_, out, tokens_.markers).Run());
    }
    const int32_t known = FindFunction(out.name);
    if (known < 0) {
      module_.functions.push_back(std::move(out));
    } else if (!module_.functions[known].has_body) {
      module_.functions[known] = std::move(out);
    } else if (out.has_body) {
      return in_.Expected(absl::StrCat("one definition of ", out.name, " only"));
    }
    return absl::OkStatus();
  }

  absl::Status Parameters(Function& function, std::vector<int32_t>& out) {
    ASTITCH_RETURN_IF_ERROR(in_.Expect("("));
    if (in_.Take(")")) return absl::OkStatus();
    do {
      ASTITCH_ASSIGN_OR_RETURN(Variable variable, ParseParameter(in_));
      out.push_back(static_cast<int32_t>(function.variables.size()));
      function.variables.push_back(std::move(variable));
    } while (in_.Take(","));
    return in_.Expect(")");
  }

  absl::Status Attributes(Function& out) {
    while (!in_.Is("{") && !in_.Is(";")) {
      std::array<int32_t, 3> ignored;
      if (in_.Take(".reqntid")) {
        ASTITCH_RETURN_IF_ERROR(Triple(out.required_threads));
      } else if (in_.Take(".maxntid")) {
        ASTITCH_RETURN_IF_ERROR(Triple(out.max_threads));
      } else if (in_.Take(".reqnctapercluster")) {
        ASTITCH_RETURN_IF_ERROR(Triple(out.required_cluster));
      } else if (in_.Take(".minnctapersm") || in_.Take(".maxnreg") || in_.Take(".maxclusterrank")) {
        ASTITCH_RETURN_IF_ERROR(Triple(ignored));
      } else if (in_.Take(".pragma")) {
        in_.Next();
        ASTITCH_RETURN_IF_ERROR(in_.Expect(";"));
      } else if (!in_.Take(".noreturn") && !in_.Take(".explicitcluster")) {
        return in_.Expected("an attribute of a function that is known");
      }
    }
    return absl::OkStatus();
  }

  // "256", "16, 16" or "4, 4, 4"; what is left out is 1.
  absl::Status Triple(std::array<int32_t, 3>& out) {
    out = {1, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      ASTITCH_ASSIGN_OR_RETURN(const int64_t value, in_.ExpectInteger());
      if (value < 0 || value > INT32_MAX) return in_.Expected("a size");
      out[i] = static_cast<int32_t>(value);
      if (!in_.Take(",")) break;
    }
    return absl::OkStatus();
  }

  int32_t FindVariable(absl::string_view name) const {
    for (size_t i = 0; i < module_.variables.size(); ++i) {
      if (module_.variables[i].name == name) return static_cast<int32_t>(i);
    }
    return -1;
  }
  int32_t FindFunction(absl::string_view name) const {
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      if (module_.functions[i].name == name) return static_cast<int32_t>(i);
    }
    return -1;
  }

  absl::Status ResolveNames(Function& function) {
    for (Instruction& instruction : function.code) {
      for (Operand& operand : instruction.operands) {
        ASTITCH_RETURN_IF_ERROR(ResolveName(instruction, operand));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ResolveName(const Instruction& instruction, Operand& operand) {
    for (Operand& element : operand.elements) {
      ASTITCH_RETURN_IF_ERROR(ResolveName(instruction, element));
    }
    if (operand.kind != Operand::Kind::kName) return absl::OkStatus();
    if (const int32_t variable = FindVariable(operand.name); variable >= 0) {
      operand.kind = Operand::Kind::kModuleVar;
      operand.index = variable;
    } else if (const int32_t function = FindFunction(operand.name); function >= 0) {
      operand.kind = Operand::Kind::kFunction;
      operand.index = function;
    } else if (operand.name[0] == '%' || operand.name == "WARP_SZ") {
      operand.kind = Operand::Kind::kSpecial;
    } else {
      return DiagnosticsError({{{instruction.line, instruction.column},
                                absl::StrCat("nothing is called ", operand.name, " here"),
                                ""}});
    }
    return absl::OkStatus();
  }

  const TokenList& tokens_;
  TokenStream in_;
  Module module_;
};

}  // namespace

absl::StatusOr<Module> ParsePtx(absl::string_view text) {
  ASTITCH_ASSIGN_OR_RETURN(const TokenList tokens, Tokenize(text));
  absl::StatusOr<Module> module = ModuleParser(tokens).Run();
  if (module.ok()) return module;
  // The line itself, so that whoever prints the error need not have the text.
  std::vector<Diagnostic> diagnostics = GetDiagnostics(module.status());
  for (Diagnostic& diagnostic : diagnostics) {
    size_t begin = 0;
    for (int32_t line = 1; line < diagnostic.position.line; ++line) {
      begin = text.find('\n', begin) + 1;
    }
    diagnostic.text_line = std::string(text.substr(begin, text.find('\n', begin) - begin));
  }
  return DiagnosticsError(diagnostics);
}

}  // namespace astitch::simt
