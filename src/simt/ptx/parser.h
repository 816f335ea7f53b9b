// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The parser's own pieces: variables, operands, function bodies. ParsePtx in module.h is the door.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "simt/ptx/module.h"
#include "simt/ptx/scope.h"
#include "simt/ptx/token_stream.h"

namespace astitch::simt {

// What a variable declaration allows where it stands.
struct VariableRules {
  Space space = Space::kGlobal;
  bool initializer = false;
  bool unsized = false;
};

// ".align 4 .b8 name[16] = {1, 2}", after the state space; the terminator is left. A list
// "a, b[4]" gives several.
absl::StatusOr<std::vector<Variable>> ParseVariables(TokenStream& in, const VariableRules& rules);

// One parameter of a function, ".param .u64 .ptr .global .align 4 name".
absl::StatusOr<Variable> ParseParameter(TokenStream& in);

// The body of FUNCTION, from '{' to its '}'. Names that are neither registers nor variables of the
// function stay kName for the module to resolve; MARKERS give each instruction its stage.
class BodyParser {
 public:
  BodyParser(TokenStream& in, Function& function, const std::vector<StageMarker>& markers);
  absl::Status Run();

 private:
  struct Unresolved {
    int32_t instruction;
    int scope;
  };
  struct NamedTable {
    std::string name;
    int scope;
    std::vector<Token> labels;
  };

  absl::Status DeclareParameters();
  absl::Status Statement();
  absl::Status Declaration();
  absl::Status Registers();
  absl::Status AddVariables(Space space);
  absl::Status Label();
  absl::Status BranchTargets(const std::string& name);
  absl::Status ParseInstruction();
  absl::Status ParseOperand(Operand& out);
  absl::Status ParsePlain(Operand& out);
  absl::Status ParseNumber(Operand& out);
  absl::Status ParseAddress(Operand& out);
  absl::Status ParseList(absl::string_view end, Operand::Kind kind, Operand& out);
  absl::Status ResolveTables();
  void Resolve(Operand& operand, int scope);
  int32_t StageOf(int32_t line);

  TokenStream& in_;
  Function& function_;
  const std::vector<StageMarker>& markers_;
  Scopes scopes_;
  std::vector<int> scope_of_instruction_;
  std::vector<NamedTable> tables_;
};

}  // namespace astitch::simt
