// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Constants are numbered in graph order, which is what a random fill depends on.
#include "tensor_io/elided.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "ir/number.h"
#include "tensor_io/random.h"

namespace astitch {
namespace {

// Streams of constants lie beyond those of parameters.
constexpr uint64_t kFirstStream = uint64_t{1} << 32;

bool HasElided(const Literal& value) {
  if (value.is_elided()) return true;
  for (const Literal& element : value.elements()) {
    if (HasElided(element)) return true;
  }
  return false;
}

Literal Fill(const Shape& shape, const ElidedPolicy& policy, uint64_t stream) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(Fill(element, policy, stream));
    }
    return Literal::Tuple(std::move(elements));
  }
  const ElementType type = shape.element_type();
  if (policy.kind == ElidedPolicy::Kind::kRandom) {
    return DrawLiteral(shape, DefaultDistribution(type), policy.seed, kFirstStream + stream);
  }
  Literal out(shape);
  if (policy.kind == ElidedPolicy::Kind::kZeros) return out;
  const ElementType part = PartType(type);
  const absl::Span<std::byte> bytes = out.mutable_bytes();
  for (size_t at = 0; at < bytes.size(); at += ByteWidth(type)) {
    StoreFromDouble(part, &bytes[at], 1);
  }
  return out;
}

Literal FillWhereElided(const Literal& value, const ElidedPolicy& policy, uint64_t stream) {
  if (value.is_elided()) return Fill(value.shape(), policy, stream);
  if (!value.shape().IsTuple()) return value;
  std::vector<Literal> elements;
  for (const Literal& element : value.elements()) {
    elements.push_back(FillWhereElided(element, policy, stream));
  }
  return Literal::Tuple(std::move(elements));
}

absl::Status Refuse(absl::Span<Instruction* const> constants) {
  std::vector<std::string> names;
  for (const Instruction* constant : constants) {
    names.push_back(absl::StrCat("%", constant->name()));
  }
  Diagnostic diagnostic;
  diagnostic.position = constants[0]->position();
  diagnostic.message = absl::StrCat(
      "the values of ", names.size() == 1 ? "constant " : absl::StrCat(names.size(), " constants "),
      absl::StrJoin(names, ", "),
      " were elided ({...}) when the text was printed; print it with large constants, or choose "
      "values with --elided=zeros, ones or random:SEED");
  return DiagnosticsError({diagnostic});
}

}  // namespace

absl::StatusOr<ElidedPolicy> ParseElidedPolicy(absl::string_view text) {
  if (text.empty()) return ElidedPolicy{};
  if (text == "zeros") return ElidedPolicy{ElidedPolicy::Kind::kZeros, 0};
  if (text == "ones") return ElidedPolicy{ElidedPolicy::Kind::kOnes, 0};
  ElidedPolicy out{ElidedPolicy::Kind::kRandom, 0};
  absl::string_view seed = text;
  if (absl::ConsumePrefix(&seed, "random:") && absl::SimpleAtoi(seed, &out.seed)) return out;
  return absl::InvalidArgumentError(
      absl::StrCat("expected zeros, ones or random:SEED, got '", text, "'"));
}

absl::Status FillElidedConstants(Graph& graph, const ElidedPolicy& policy) {
  std::vector<Instruction*> elided;
  for (const auto& computation : graph.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kConstant && HasElided(instruction->literal())) {
        elided.push_back(instruction.get());
      }
    }
  }
  if (elided.empty()) return absl::OkStatus();
  if (policy.kind == ElidedPolicy::Kind::kRefuse) return Refuse(elided);
  for (size_t i = 0; i < elided.size(); ++i) {
    ConstantAttributes attributes = elided[i]->as<ConstantAttributes>();
    attributes.value = FillWhereElided(attributes.value, policy, i);
    elided[i]->mutable_attributes() = std::move(attributes);
  }
  return absl::OkStatus();
}

}  // namespace astitch
