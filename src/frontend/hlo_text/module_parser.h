// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The parser's state while it walks a module: module_parser.cc has computations and names,
// instruction_parser.cc what stands inside them.
//
// Functions return true on success. False means that a fault is in the reader, or that the text
// refers to something whose own fault has been reported already.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "frontend/hlo_text/attribute_set.h"
#include "frontend/hlo_text/parser.h"
#include "frontend/hlo_text/reader.h"
#include "ir/graph.h"

namespace astitch::hlo_text {

class ModuleParser {
 public:
  ModuleParser(absl::string_view text, const HloParseOptions& options)
      : reader_(text), options_(options), text_bytes_(text.size()) {}

  absl::StatusOr<std::unique_ptr<Graph>> Parse();

 private:
  // A computation while its instructions are read.
  struct Body {
    Computation* computation = nullptr;
    // By instruction id: the number of shapes in its shape.
    std::vector<int64_t> shape_parts;
    // Names of instructions that had faults: uses of them are no further faults.
    absl::flat_hash_set<std::string> broken;
    bool has_failed = false;
    // Operands that are not defined become parameters (one-instruction texts).
    bool operands_are_parameters = false;
  };

  // An instruction while its parts are read.
  struct Statement {
    std::string name;
    Token at;         // the name, or the opcode of a nested operation
    Token opcode_at;  // the opcode
    Opcode opcode = Opcode::kTuple;
    // The operation inside X-start, X-update, X-done, which are async-start, ... around it.
    std::optional<Opcode> wrapped;
    std::optional<Shape> shape;
    std::vector<Instruction*> operands;
    int64_t parameter_number = 0;
    Literal literal;
    AttributeSet attributes;
  };

  // ---- module_parser.cc
  bool ParseText();
  bool ParseComputations();
  bool ParseSingleInstruction();
  bool ParseComputation();
  bool ParseSignature(std::optional<Shape>* result);
  bool ParseInstructions(Body& body);
  bool RecoverIn(Body& body, const Lexer& at_start);
  bool FinishBody(Body& body, const Token& at, const std::optional<Shape>& result);
  bool ParseComputationReference(Computation** out);
  bool ParseInlineComputation(Computation** out);
  std::string FreshComputationName(const std::string& base);

  // ---- instruction_parser.cc
  bool ParseInstruction(Body& body);
  bool ParseInstructionName(Body& body, Statement* statement);
  bool ParseRightSide(Body& body, Statement* statement, int depth);
  bool ParseOpcode(Statement* statement);
  bool ParsePayload(Body& body, Statement* statement, int depth);
  bool ParseOperand(Body& body, int depth, Instruction** out);
  bool ParseNestedOperation(Body& body, std::optional<Shape> shape, int depth, Instruction** out);
  bool ParseInstructionReference(Body& body, Instruction** out);
  bool ParseAttributes(Body& body, Statement* statement);
  bool CheckOperands(const Statement& statement);
  bool CheckTransferEnd(const Statement& statement);
  bool CheckParameter(Body& body, const Statement& statement);
  bool ResultShape(Body& body, Statement* statement, const Attributes& attributes,
                   absl::Span<Computation* const> called);
  bool AddInstruction(Body& body, Statement* statement, Instruction** out);
  bool WrapAsynchronous(Statement* statement);
  Instruction* Add(Body& body, const Statement& statement, Attributes attributes);

  Reader reader_;
  const HloParseOptions options_;
  const size_t text_bytes_;
  std::unique_ptr<Graph> graph_;
  std::vector<int64_t> frame_of_id_ = {0};
  // Computations that may be named: finished ones.
  absl::flat_hash_map<std::string, Computation*> defined_;
  // Those of them that had faults: calls of them are no further faults.
  absl::flat_hash_set<const Computation*> broken_computations_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;
  bool has_entry_ = false;
  bool added_callee_after_caller_ = false;
  int computation_depth_ = 0;
  int64_t inferred_shape_parts_ = 0;
  size_t parameter_slots_ = 0;
};

}  // namespace astitch::hlo_text
