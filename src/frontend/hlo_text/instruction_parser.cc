// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One instruction: name, shape, opcode, payload, attributes, and what these must agree on.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontend/hlo_text/attribute_builder.h"
#include "frontend/hlo_text/limits.h"
#include "frontend/hlo_text/literal_parser.h"
#include "frontend/hlo_text/module_parser.h"
#include "frontend/hlo_text/shape_parser.h"
#include "ir/hlo_words.h"
#include "ir/shape_inference.h"

namespace astitch::hlo_text {
namespace {

// XLA's own generated names may start so.
bool HasReservedPrefix(absl::string_view name) {
  return absl::StartsWith(name, "__") && !absl::StartsWith(name, "__xla_");
}

const std::string* FindText(const Instruction& instruction, absl::string_view key) {
  const RawAttributes* raw = std::get_if<RawAttributes>(&instruction.attributes());
  if (raw == nullptr) return nullptr;
  for (const auto& [name, value] : raw->values) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace

// ---- names

bool ModuleParser::ParseInstruction(Body& body) {
  const Token root_at = reader_.token();
  const bool is_root = reader_.EatKeyword("ROOT");
  Statement statement;
  statement.at = reader_.token();
  if (!ParseInstructionName(body, &statement)) return false;
  Instruction* instruction = nullptr;
  const bool ok = ParseRightSide(body, &statement, /*depth=*/0) &&
                  ParseAttributes(body, &statement) &&
                  AddInstruction(body, &statement, &instruction);
  if (!ok) {
    body.broken.insert(statement.name);
    return false;
  }
  if (!is_root) return true;
  if (body.computation->root() != nullptr)
    return reader_.FailAt(root_at, "expected one ROOT in a computation, got a second");
  body.computation->set_root(instruction);
  return true;
}

// name '=', which a text of one instruction may leave out.
bool ModuleParser::ParseInstructionName(Body& body, Statement* statement) {
  const bool is_name = reader_.Is(TokenKind::kName) || reader_.Is(TokenKind::kIdentifier);
  if (body.operands_are_parameters &&
      !(is_name && reader_.lexer().PeekKind() == TokenKind::kEquals))
    return true;
  const Token at = reader_.token();
  if (!reader_.ReadName("the name of an instruction", &statement->name)) return false;
  const std::string& name = statement->name;
  if (IsHloTypeWord(name) || HasReservedPrefix(name))
    return reader_.FailAt(at, absl::StrCat("expected a name that is not reserved, got ", name));
  if (body.computation->Find(name) != nullptr)
    return reader_.FailAt(at, absl::StrCat("instruction %", name, " is defined twice"));
  if (reader_.Expect(TokenKind::kEquals, "'='")) return true;
  body.broken.insert(name);
  return false;
}

bool ModuleParser::ParseInstructionReference(Body& body, Instruction** out) {
  const Token at = reader_.token();
  std::string name;
  if (!reader_.ReadName("the name of an instruction", &name)) return false;
  *out = body.computation->Find(name);
  if (*out != nullptr) return true;
  if (body.broken.contains(name)) return false;
  return reader_.FailAt(at,
                        absl::StrCat("expected an instruction defined above, got '%", name, "'"));
}

// ---- shape opcode(payload)

bool ModuleParser::ParseRightSide(Body& body, Statement* statement, int depth) {
  if (StartsShape(reader_) && !ReadShape(reader_, &statement->shape.emplace())) return false;
  return ParseOpcode(statement) && ParsePayload(body, statement, depth);
}

bool ModuleParser::ParseOpcode(Statement* statement) {
  statement->opcode_at = reader_.token();
  if (!reader_.Is(TokenKind::kIdentifier)) return reader_.Fail("an opcode");
  const absl::string_view word = reader_.token().text;
  reader_.Next();
  if (const std::optional<Opcode> opcode = OpcodeFromString(word)) {
    statement->opcode = *opcode;
    return true;
  }
  static constexpr std::pair<absl::string_view, Opcode> kSuffixes[] = {
      {"-start", Opcode::kAsyncStart},
      {"-update", Opcode::kAsyncUpdate},
      {"-done", Opcode::kAsyncDone}};
  for (const auto& [suffix, opcode] : kSuffixes) {
    if (!absl::EndsWith(word, suffix)) continue;
    statement->wrapped = OpcodeFromString(absl::StripSuffix(word, suffix));
    if (!statement->wrapped || *statement->wrapped == Opcode::kParameter ||
        *statement->wrapped == Opcode::kConstant)
      break;
    statement->opcode = opcode;
    return true;
  }
  return reader_.FailAt(statement->opcode_at,
                        absl::StrCat("expected an opcode, got ", Describe(statement->opcode_at)));
}

bool ModuleParser::ParsePayload(Body& body, Statement* statement, int depth) {
  if (!reader_.Expect(TokenKind::kLeftParen, "'(' after the opcode")) return false;
  if (statement->opcode == Opcode::kParameter) {
    if (!reader_.ReadNonNegative("the number of the parameter", &statement->parameter_number))
      return false;
  } else if (statement->opcode == Opcode::kConstant) {
    if (!statement->shape)
      return reader_.FailAt(statement->opcode_at, "expected the shape of the constant, got none");
    if (!ReadLiteral(reader_, *statement->shape, &statement->literal)) return false;
  } else {
    while (reader_.Eat(TokenKind::kComma)) {
    }
    while (!reader_.Is(TokenKind::kRightParen)) {
      Instruction* operand = nullptr;
      if (!ParseOperand(body, depth, &operand)) return false;
      statement->operands.push_back(operand);
      if (!reader_.Is(TokenKind::kComma)) break;
      while (reader_.Eat(TokenKind::kComma)) {  // more than one is harmless
      }
    }
  }
  return reader_.Expect(TokenKind::kRightParen, "',' or ')'");
}

bool ModuleParser::ParseOperand(Body& body, int depth, Instruction** out) {
  const Token at = reader_.token();
  std::optional<Shape> shape;
  if (StartsShape(reader_) && !ReadShape(reader_, &shape.emplace())) return false;
  if (reader_.Is(TokenKind::kIdentifier) && reader_.lexer().PeekKind() == TokenKind::kLeftParen)
    return ParseNestedOperation(body, std::move(shape), depth + 1, out);
  if (body.operands_are_parameters && shape &&
      body.computation->Find(reader_.token().text) == nullptr) {
    Statement parameter;
    parameter.at = parameter.opcode_at = reader_.token();
    parameter.opcode = Opcode::kParameter;
    parameter.shape = std::move(shape);
    parameter.parameter_number = static_cast<int64_t>(body.computation->parameters().size());
    return reader_.ReadName("the name of an operand", &parameter.name) &&
           AddInstruction(body, &parameter, out);
  }
  if (!ParseInstructionReference(body, out)) return false;
  if (shape && !shape->CompatibleWith((*out)->shape())) {
    return reader_.FailAt(
        at, absl::StrCat("expected ", (*out)->shape().ToString(false), " for operand %",
                         (*out)->name(), ", got ", shape->ToString(false)));
  }
  return true;
}

// An operation inside an operand list has no name and no attributes.
bool ModuleParser::ParseNestedOperation(Body& body, std::optional<Shape> shape, int depth,
                                        Instruction** out) {
  if (depth > kMaxOperandNesting) {
    return reader_.Fail(absl::StrCat("operations nested at most ", kMaxOperandNesting, " deep"));
  }
  Statement statement;
  statement.at = reader_.token();
  statement.shape = std::move(shape);
  if (!ParseOpcode(&statement)) return false;
  statement.name = absl::StrCat(statement.opcode_at.text, ".anon");
  return ParsePayload(body, &statement, depth) && AddInstruction(body, &statement, out);
}

bool ModuleParser::ParseAttributes(Body& body, Statement* statement) {
  const auto read_computation = [&](Computation** out) { return ParseComputationReference(out); };
  const auto read_instruction = [&](Instruction** out) {
    return ParseInstructionReference(body, out);
  };
  const Opcode opcodes[] = {statement->wrapped.value_or(statement->opcode), statement->opcode};
  if (!statement->attributes.Read(reader_, opcodes, {read_computation, read_instruction},
                                  options_.allow_unknown_attributes))
    return false;
  statement->attributes.Sort();
  return true;
}

// ---- what must agree

bool ModuleParser::CheckOperands(const Statement& statement) {
  const size_t count = statement.operands.size();
  const auto fail = [&](absl::string_view expected) {
    return reader_.FailAt(
        statement.opcode_at,
        absl::StrCat("expected ", expected, " of ", ToString(statement.opcode), ", got ", count));
  };
  const int arity = ArityOf(statement.opcode);
  if (arity >= 0 && count != static_cast<size_t>(arity))
    return fail(absl::StrCat(arity, arity == 1 ? " operand" : " operands"));
  switch (statement.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return (count >= 2 && count % 2 == 0) || fail("arrays and as many initial values");
    case Opcode::kScatter:
      return (count >= 3 && count % 2 == 1) || fail("arrays, indices and as many updates");
    case Opcode::kSort:
    case Opcode::kMap:
    case Opcode::kConcatenate:
    case Opcode::kDynamicReshape:
      return count >= 1 || fail("at least one operand");
    case Opcode::kDynamicSlice:
    case Opcode::kConvolution:
      return count >= 1 || fail("at least one operand");
    case Opcode::kDynamicUpdateSlice:
      return count >= 2 || fail("at least two operands");
    case Opcode::kConditional: {
      if (count == 0) return fail("an index and the branches' arguments");
      const Shape& index = statement.operands[0]->shape();
      if (index.IsScalar() &&
          (index.element_type() == ElementType::kPred || index.element_type() == ElementType::kS32))
        return true;
      return reader_.FailAt(statement.opcode_at,
                            absl::StrCat("expected pred[] or s32[] for the index of conditional, "
                                         "got ",
                                         index.ToString(false)));
    }
    case Opcode::kSendDone:
    case Opcode::kRecvDone:
      return CheckTransferEnd(statement);
    default:
      return true;
  }
}

// send-done and recv-done repeat the channel of what they end.
bool ModuleParser::CheckTransferEnd(const Statement& statement) {
  const Instruction& start = *statement.operands[0];
  for (AttributeId id : {AttributeId::kChannelId, AttributeId::kIsHostTransfer}) {
    const std::string* wanted = FindText(start, WordOf(id));
    const AttributeEntry* entry = statement.attributes.Find(id);
    std::string got = entry == nullptr ? "none" : ValueText(FormOf(id), entry->value);
    if (got == "false") got = "none";
    if (got == (wanted == nullptr ? "none" : *wanted)) continue;
    return reader_.FailAt(
        statement.opcode_at,
        absl::StrCat("expected ", WordOf(id), "=", wanted == nullptr ? "none" : *wanted, " as on %",
                     start.name(), ", got ", got));
  }
  return true;
}

bool ModuleParser::CheckParameter(Body& body, const Statement& statement) {
  const size_t number = static_cast<size_t>(statement.parameter_number);
  const absl::Span<Instruction* const> parameters = body.computation->parameters();
  if (number < parameters.size()) {
    if (parameters[number] == nullptr) return true;
    return reader_.FailAt(statement.opcode_at,
                          absl::StrCat("parameter ", number, " is defined twice"));
  }
  // Numbers have no gaps, so all of them together need text for as many parameters.
  const size_t most = text_bytes_ / kMinParameterText + 1;
  const size_t more = number - parameters.size();
  if (more >= most || parameter_slots_ + more + 1 > most) {
    return reader_.FailAt(statement.opcode_at,
                          absl::StrCat("expected parameters numbered without gaps, got ", number));
  }
  parameter_slots_ += more + 1;
  return true;
}

// The written shape, or the inferred one.
bool ModuleParser::ResultShape(Body& body, Statement* statement, const Attributes& attributes,
                               absl::Span<Computation* const> called) {
  if (statement->opcode == Opcode::kInfeed && statement->shape && statement->shape->IsTuple() &&
      statement->shape->elements().size() == 1) {
    statement->shape = Shape::Tuple({statement->shape->elements()[0], Shape::Token()});
  }
  if (statement->shape) return true;
  if (!HasInferableShape(statement->opcode)) {
    return reader_.FailAt(
        statement->opcode_at,
        absl::StrCat("expected the shape of ", ToString(statement->opcode), ", got none"));
  }
  // Tuples of tuples double with each line that leaves its shape out.
  int64_t parts = 1;
  for (const Instruction* operand : statement->operands) parts += body.shape_parts[operand->id()];
  for (const Computation* computation : called) parts += ShapeParts(computation->root()->shape());
  inferred_shape_parts_ += parts;
  if (inferred_shape_parts_ > kMaxInferredShapeParts + static_cast<int64_t>(text_bytes_)) {
    return reader_.FailAt(statement->opcode_at,
                          "expected a written shape, got too many large tuples without one");
  }
  absl::StatusOr<Shape> shape =
      InferShape(statement->opcode, statement->operands, attributes, called);
  if (!shape.ok()) {
    return reader_.FailAt(statement->opcode_at, absl::StrCat(shape.status().message(), " in ",
                                                             ToString(statement->opcode)));
  }
  statement->shape = *std::move(shape);
  return true;
}

// ---- into the graph

Instruction* ModuleParser::Add(Body& body, const Statement& statement, Attributes attributes) {
  Instruction* instruction =
      body.computation->Add(statement.opcode, *statement.shape, statement.operands,
                            std::move(attributes), statement.name);
  instruction->set_position(statement.at.position);
  body.shape_parts.resize(body.computation->id_bound());
  body.shape_parts[instruction->id()] = ShapeParts(instruction->shape());
  return instruction;
}

bool ModuleParser::AddInstruction(Body& body, Statement* statement, Instruction** out) {
  if (!CheckOperands(*statement)) return false;
  if (statement->wrapped && !WrapAsynchronous(statement)) return false;
  const AttributeOwner owner = {statement->opcode, statement->opcode_at, statement->operands};
  Attributes attributes;
  std::vector<Computation*> called;
  if (statement->opcode == Opcode::kParameter) {
    if (!CheckParameter(body, *statement)) return false;
    attributes = ParameterAttributes{statement->parameter_number};
  } else if (statement->opcode == Opcode::kConstant) {
    attributes = ConstantAttributes{std::move(statement->literal)};
  } else if (!BuildAttributes(reader_, owner, statement->attributes, &attributes) ||
             !BuildCalled(reader_, owner, statement->attributes, &called)) {
    return false;
  }
  if (!ResultShape(body, statement, attributes, called)) return false;
  *out = Add(body, *statement, std::move(attributes));
  (*out)->set_called(std::move(called));
  Annotations annotations = BuildAnnotations(statement->attributes, frame_of_id_);
  if (!annotations.empty()) (*out)->set_annotations(std::move(annotations));
  if (const AttributeEntry* controls =
          statement->attributes.Find(AttributeId::kControlPredecessors))
    for (Instruction* i : std::get<std::vector<Instruction*>>(controls->value))
      (*out)->AddControlPredecessor(i);
  return true;
}

// X-start(a, b), attributes of X: becomes async-start(a, b), calls=BODY, where BODY is parameters
// and one X. The updates and the end repeat X's attributes, which says nothing new.
bool ModuleParser::WrapAsynchronous(Statement* statement) {
  AttributeSet inner = statement->attributes.Split(*statement->wrapped);
  if (statement->opcode != Opcode::kAsyncStart) return true;
  const Shape* shape = statement->shape ? &*statement->shape : nullptr;
  if (shape == nullptr || !shape->IsTuple() || shape->elements().size() < 2 ||
      !shape->elements()[0].IsTuple()) {
    return reader_.FailAt(statement->opcode_at,
                          "expected the shape ((operands), result, ...) of an asynchronous start");
  }
  Body body;
  body.computation = graph_->AddComputation(
      FreshComputationName(absl::StrCat("async_", ToString(*statement->wrapped))));
  added_callee_after_caller_ = true;
  Statement wrapped;
  for (const Instruction* operand : statement->operands) {
    Statement parameter;
    parameter.at = parameter.opcode_at = statement->at;
    parameter.name = absl::StrCat("param_", wrapped.operands.size());
    parameter.opcode = Opcode::kParameter;
    parameter.shape = operand->shape();
    parameter.parameter_number = static_cast<int64_t>(wrapped.operands.size());
    // Not counted as parameters of the text: there is one for each operand.
    wrapped.operands.push_back(
        Add(body, parameter, ParameterAttributes{parameter.parameter_number}));
  }
  wrapped.name = std::string(ToString(*statement->wrapped));
  wrapped.at = statement->at;
  wrapped.opcode_at = statement->opcode_at;
  wrapped.opcode = *statement->wrapped;
  wrapped.shape = shape->elements()[1];
  wrapped.attributes = std::move(inner);
  Instruction* root = nullptr;
  if (!AddInstruction(body, &wrapped, &root)) return false;
  body.computation->set_root(root);
  if (const AttributeEntry* thread = statement->attributes.Find(AttributeId::kAsyncExecutionThread))
    body.computation->set_execution_thread(std::get<std::string>(thread->value));
  statement->attributes.AddCalls(statement->opcode_at, body.computation);
  return true;
}

}  // namespace astitch::hlo_text
