// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Both sides are numbered in post order, where operands come first: equal computations then have
// equal operations at equal numbers, and one sweep without search decides. The hash is coarse, it
// looks only at the attributes that tell many instances apart and at 4 KiB of a constant at most;
// equality is always decided by comparing in full.
#include "passes/computation_equality.h"

#include <algorithm>
#include <variant>

#include "absl/hash/hash.h"

namespace astitch {
namespace {

template <typename... Values>
size_t Combine(size_t seed, const Values&... values) {
  return absl::HashOf(seed, values...);
}

// The families whose instances are many and differ in attributes only; for the others the opcode,
// shape and operands tell enough.
size_t HashAttributes(const Attributes& attributes) {
  const size_t seed = attributes.index();
  if (const auto* a = std::get_if<ConstantAttributes>(&attributes)) {
    const absl::Span<const std::byte> bytes = a->value.bytes();
    return Combine(seed, absl::string_view(reinterpret_cast<const char*>(bytes.data()),
                                           std::min<size_t>(bytes.size(), 4096)));
  }
  if (const auto* a = std::get_if<DimensionsAttributes>(&attributes))
    return Combine(seed, a->dimensions);
  if (const auto* a = std::get_if<SliceAttributes>(&attributes))
    return Combine(seed, a->starts, a->limits, a->strides);
  if (const auto* a = std::get_if<TupleIndexAttributes>(&attributes))
    return Combine(seed, a->index);
  if (const auto* a = std::get_if<ParameterAttributes>(&attributes))
    return Combine(seed, a->number);
  if (const auto* a = std::get_if<CompareAttributes>(&attributes))
    return Combine(seed, static_cast<int>(a->direction), static_cast<int>(a->type));
  return seed;
}

// Operands before users, with numbers by position.
struct Numbering {
  explicit Numbering(const Computation& computation)
      : order(computation.post_order()), number(computation.id_bound(), -1) {
    for (size_t i = 0; i < order.size(); ++i) number[order[i]->id()] = i;
  }
  std::vector<Instruction*> order;
  std::vector<int64_t> number;
};

size_t HashComputation(const Computation& computation) {
  const Numbering numbering(computation);
  size_t hash = numbering.order.size();
  for (const Instruction* instruction : numbering.order) {
    hash = Combine(hash, HashOperation(*instruction));
    for (const Instruction* operand : instruction->operands())
      hash = Combine(hash, numbering.number[operand->id()]);
  }
  return hash;
}

bool EqualComputations(const Computation& a, const Computation& b) {
  if (a.size() != b.size() || a.execution_thread() != b.execution_thread()) return false;
  const Numbering x(a), y(b);
  for (size_t i = 0; i < x.order.size(); ++i) {
    const Instruction& p = *x.order[i];
    const Instruction& q = *y.order[i];
    if (!SameOperation(p, q) || p.num_operands() != q.num_operands()) return false;
    for (int64_t k = 0; k < p.num_operands(); ++k) {
      if (x.number[p.operand(k)->id()] != y.number[q.operand(k)->id()]) return false;
    }
    // An elided constant has a value nobody knows.
    if (p.opcode() == Opcode::kConstant && p.literal().is_elided()) return false;
  }
  return x.number[a.root()->id()] == y.number[b.root()->id()];
}

}  // namespace

bool SameOperation(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && a.shape() == b.shape() && a.called() == b.called() &&
         a.attributes() == b.attributes() &&
         a.annotations().result_accuracy == b.annotations().result_accuracy;
}

size_t HashOperation(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  size_t hash =
      Combine(static_cast<size_t>(instruction.opcode()), HashAttributes(instruction.attributes()));
  if (shape.IsArray()) hash = Combine(hash, static_cast<int>(shape.element_type()), shape.dims());
  for (const Computation* computation : instruction.called()) hash = Combine(hash, computation);
  return hash;
}

Computation* ComputationClasses::Representative(Computation* computation) {
  std::vector<Computation*>& candidates = by_hash_[HashComputation(*computation)];
  for (Computation* candidate : candidates) {
    if (EqualComputations(*candidate, *computation)) return candidate;
  }
  candidates.push_back(computation);
  return computation;
}

}  // namespace astitch
