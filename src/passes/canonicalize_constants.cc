// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// All elements equal is one memcmp of the literal's bytes with themselves, one element later. Bytes
// and not values: -0.0 differs from 0.0 and a NaN equals itself, as a constant that is only written
// differently must. An elided literal has no bytes to compare and stays.
#include "passes/canonicalize_constants.h"

#include <cstring>
#include <utility>

#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

bool AllElementsEqual(const Literal& literal) {
  const absl::Span<const std::byte> bytes = literal.bytes();
  const size_t width = ByteWidth(literal.shape().element_type());
  return !bytes.empty() &&
         std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& constant) {
  if (constant.opcode() != Opcode::kConstant || !IsStaticArray(constant.shape()) ||
      constant.shape().IsScalar() || constant.literal().is_elided() ||
      !AllElementsEqual(constant.literal())) {
    return nullptr;
  }
  const Shape scalar = Shape::Scalar(constant.shape().element_type());
  const auto* first = constant.literal().bytes().data();
  Literal value(scalar, std::vector<std::byte>(first, first + scalar.byte_size()));
  Instruction* source =
      rewriter.Add(constant, Opcode::kConstant, scalar, {}, ConstantAttributes{std::move(value)});
  return AddExpansion(rewriter, constant, constant.shape().dims(), source, {});
}

}  // namespace

absl::StatusOr<bool> CanonicalizeConstants::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
