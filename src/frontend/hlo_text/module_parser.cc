// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Modules, computations, and how to go on after a fault.
#include "frontend/hlo_text/module_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/header_parser.h"
#include "frontend/hlo_text/limits.h"
#include "frontend/hlo_text/shape_parser.h"

namespace astitch::hlo_text {

absl::StatusOr<std::unique_ptr<Graph>> ModuleParser::Parse() {
  const bool ok = ParseText();
  if (!ok || reader_.has_failed()) {
    ASTITCH_CHECK(reader_.has_failed()) << "a fault without a message";
    return reader_.status();
  }
  if (added_callee_after_caller_) graph_->SortCalleesFirst();
  return std::move(graph_);
}

bool ModuleParser::ParseText() {
  graph_ = std::make_unique<Graph>("module");
  if (reader_.EatKeyword("HloModule")) {
    std::string name;
    if (!reader_.ReadName("the module's name", &name)) return false;
    graph_->set_name(std::move(name));
    return ReadModuleHeader(reader_, options_.allow_unknown_attributes, &graph_->header()) &&
           ReadStackFrames(reader_, &graph_->stack_frames(), &frame_of_id_) && ParseComputations();
  }
  const bool is_name = reader_.Is(TokenKind::kName) || reader_.Is(TokenKind::kIdentifier);
  const bool has_computations = reader_.IsKeyword("ENTRY") ||
                                (is_name && reader_.lexer().PeekKind() == TokenKind::kLeftBrace);
  if (!has_computations) return ParseSingleInstruction();
  if (!ParseComputations()) return false;
  graph_->set_name(absl::StrCat("module_", graph_->entry()->name()));
  return true;
}

bool ModuleParser::ParseComputations() {
  do {
    if (!ParseComputation()) return false;
  } while (!reader_.Is(TokenKind::kEnd));
  return true;
}

// The instruction alone: its undefined operands are the parameters of the entry around it.
bool ModuleParser::ParseSingleInstruction() {
  Body body;
  body.computation = graph_->AddComputation("entry");
  body.operands_are_parameters = true;
  const Token at = reader_.token();
  const bool may_begin = reader_.IsKeyword("ROOT") || reader_.Is(TokenKind::kName) ||
                         reader_.Is(TokenKind::kIdentifier) || StartsShape(reader_);
  if (!may_begin) return reader_.Fail("HloModule, ENTRY, a computation or an instruction");
  if (!ParseInstruction(body)) return false;
  if (!reader_.Is(TokenKind::kEnd)) return reader_.Fail("end of input after one instruction");
  if (!FinishBody(body, at, std::nullopt)) return false;
  graph_->set_entry(body.computation);
  graph_->set_name(body.computation->root()->name());
  return true;
}

bool ModuleParser::ParseComputation() {
  const Token entry_at = reader_.token();
  const bool is_entry = reader_.EatKeyword("ENTRY");
  const Token at = reader_.token();
  std::string name;
  if (!reader_.ReadName("the name of a computation", &name)) return false;
  if (is_entry && has_entry_) return reader_.FailAt(entry_at, "expected one ENTRY, got a second");
  if (defined_.contains(name))
    return reader_.FailAt(at, absl::StrCat("computation ", name, " is defined twice"));
  std::optional<Shape> result;
  if (!ParseSignature(&result)) return false;
  if (!reader_.Expect(TokenKind::kLeftBrace, "'{' of the computation's body")) return false;
  Body body;
  body.computation = graph_->AddComputation(name);
  if (!ParseInstructions(body) || !FinishBody(body, at, result)) return false;
  if (body.has_failed) broken_computations_.insert(body.computation);
  defined_.emplace(std::move(name), body.computation);
  while (reader_.Eat(TokenKind::kComma)) {
    std::string thread;
    if (!reader_.Is(TokenKind::kAttribute) || reader_.token().text != "execution_thread")
      return reader_.Fail("execution_thread=");
    reader_.Next();
    if (!reader_.ReadString("a quoted thread name", &thread)) return false;
    body.computation->set_execution_thread(std::move(thread));
  }
  // Without ENTRY it is the last one.
  if (is_entry || !has_entry_) graph_->set_entry(body.computation);
  has_entry_ = has_entry_ || is_entry;
  return true;
}

// (a: f32[2], b: s32[]) -> f32[2]. Only the result is compared with the body.
bool ModuleParser::ParseSignature(std::optional<Shape>* result) {
  if (!reader_.Eat(TokenKind::kLeftParen)) return true;
  if (!reader_.Is(TokenKind::kRightParen)) {
    do {
      std::string name;
      Shape shape;
      if (!reader_.ReadName("the name of a parameter", &name) || !ReadShape(reader_, &shape))
        return false;
    } while (reader_.Eat(TokenKind::kComma));
  }
  return reader_.Expect(TokenKind::kRightParen, "',' or ')' in the signature") &&
         reader_.Expect(TokenKind::kArrow, "'->' and the result's shape") &&
         ReadShape(reader_, &result->emplace());
}

// Up to and past the '}'.
bool ModuleParser::ParseInstructions(Body& body) {
  do {
    const Lexer at_start = reader_.lexer();
    if (!ParseInstruction(body) && !RecoverIn(body, at_start)) return false;
  } while (!reader_.Is(TokenKind::kRightBrace) && !reader_.Is(TokenKind::kEnd));
  return reader_.Expect(TokenKind::kRightBrace, "an instruction or '}'");
}

// Moves to the next statement of the body; false when there is no telling where that is.
bool ModuleParser::RecoverIn(Body& body, const Lexer& at_start) {
  body.has_failed = true;
  if (computation_depth_ > 0 || reader_.is_full()) return false;
  // From where the instruction began: the fault may have been found lines later.
  reader_.lexer() = at_start;
  reader_.lexer().SkipToNextStatement();
  const bool begins_computation =
      reader_.token().position.column == 1 && !reader_.Is(TokenKind::kRightBrace);
  return !begins_computation && !reader_.Is(TokenKind::kEnd);
}

bool ModuleParser::FinishBody(Body& body, const Token& at, const std::optional<Shape>& result) {
  if (body.has_failed) return true;
  Computation& computation = *body.computation;
  if (computation.root() == nullptr) computation.set_root(computation.instructions().back().get());
  for (size_t i = 0; i < computation.parameters().size(); ++i) {
    if (computation.parameters()[i] != nullptr) continue;
    return reader_.FailAt(at, absl::StrCat("expected parameter ", i, " in computation ",
                                           computation.name(), ", got none"));
  }
  const Shape& shape = computation.root()->shape();
  if (result.has_value() && !result->CompatibleWith(shape)) {
    return reader_.FailAt(at,
                          absl::StrCat("expected the root of ", computation.name(), " to be ",
                                       result->ToString(false), ", got ", shape.ToString(false)));
  }
  return true;
}

bool ModuleParser::ParseComputationReference(Computation** out) {
  if (reader_.Is(TokenKind::kLeftBrace)) return ParseInlineComputation(out);
  const Token at = reader_.token();
  std::string name;
  if (!reader_.ReadName("the name of a computation or a body in braces", &name)) return false;
  const auto found = defined_.find(name);
  if (found == defined_.end()) {
    return reader_.FailAt(at,
                          absl::StrCat("expected a computation defined above, got '", name, "'"));
  }
  *out = found->second;
  // Silent: the fault inside it has been reported.
  return !broken_computations_.contains(found->second);
}

bool ModuleParser::ParseInlineComputation(Computation** out) {
  const Token at = reader_.token();
  if (computation_depth_ == kMaxComputationNesting) {
    return reader_.Fail(absl::StrCat("bodies nested at most ", kMaxComputationNesting, " deep"));
  }
  reader_.Next();
  Body body;
  body.computation = graph_->AddComputation(FreshComputationName("_"));
  added_callee_after_caller_ = true;
  ++computation_depth_;
  const bool ok = ParseInstructions(body) && FinishBody(body, at, std::nullopt);
  --computation_depth_;
  *out = body.computation;
  return ok;
}

std::string ModuleParser::FreshComputationName(const std::string& base) {
  int64_t& suffix = next_suffix_[base];
  std::string name;
  do {
    name = suffix == 0 ? base : absl::StrCat(base, ".", suffix);
    ++suffix;
  } while (graph_->FindComputation(name) != nullptr);
  return name;
}

}  // namespace astitch::hlo_text

namespace astitch {

absl::StatusOr<std::unique_ptr<Graph>> ParseHloText(absl::string_view text,
                                                    const HloParseOptions& options) {
  if (text.size() >= hlo_text::kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat("expected less than ", hlo_text::kMaxTextBytes,
                                                   " bytes of HLO text, got ", text.size()));
  }
  return hlo_text::ModuleParser(text, options).Parse();
}

}  // namespace astitch
