// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Canonical operands first ([batch, free, contracted]); the expansion works on those.
#include "compile/expand_dots.h"

#include <algorithm>
#include <numeric>

#include "stitch/dot_call.h"

namespace astitch {
namespace {

std::vector<int64_t> Iota(int64_t first, int64_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// The operand with dimensions in the order batch, free, contracted.
Instruction* Transposed(Computation& c, Instruction* dot, int64_t which,
                        const std::vector<int64_t>& batch,
                        const std::vector<int64_t>& contracting) {
  Instruction* operand = dot->operand(which);
  std::vector<int64_t> order = batch;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const bool taken = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                       std::find(contracting.begin(), contracting.end(), d) != contracting.end();
    if (!taken) order.push_back(d);
  }
  order.insert(order.end(), contracting.begin(), contracting.end());
  if (std::is_sorted(order.begin(), order.end())) return operand;
  std::vector<int64_t> dims;
  for (int64_t d : order) dims.push_back(operand->shape().dim(d));
  return c.AddBefore(dot, Opcode::kTranspose, Shape::Array(operand->shape().element_type(), dims),
                     {operand}, DimensionsAttributes{order});
}

Instruction* Canonical(Computation& c, Instruction* dot) {
  const DotAttributes old = dot->as<DotAttributes>();
  Instruction* lhs = Transposed(c, dot, 0, old.lhs_batch, old.lhs_contracting);
  Instruction* rhs = Transposed(c, dot, 1, old.rhs_batch, old.rhs_contracting);
  if (lhs == dot->operand(0) && rhs == dot->operand(1)) return dot;
  DotAttributes attributes = old;
  const int64_t batch = static_cast<int64_t>(old.lhs_batch.size());
  const int64_t contracted = static_cast<int64_t>(old.lhs_contracting.size());
  attributes.lhs_batch = attributes.rhs_batch = Iota(0, batch);
  attributes.lhs_contracting = Iota(lhs->shape().rank() - contracted, contracted);
  attributes.rhs_contracting = Iota(rhs->shape().rank() - contracted, contracted);
  Instruction* canonical =
      c.AddBefore(dot, Opcode::kDot, dot->shape(), {lhs, rhs}, std::move(attributes), dot->name());
  canonical->set_position(dot->position());
  c.ReplaceUses(dot, canonical);
  c.Remove(dot);
  return canonical;
}

// The scalar computation a + b of TYPE.
Computation* Adder(Graph& graph, ElementType type) {
  const Shape scalar = Shape::Scalar(type);
  Computation* add = graph.AddComputation("dot_add");
  Instruction* a = add->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
  Instruction* b = add->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
  add->set_root(add->Add(IsPred(type) ? Opcode::kOr : Opcode::kAdd, scalar, {a, b}));
  return add;
}

// REQUIRES: DOT is canonical.
void Expand(Graph& graph, Computation& c, Instruction* dot) {
  const DotAttributes& attributes = dot->as<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(attributes.lhs_batch.size());
  const int64_t contracted = static_cast<int64_t>(attributes.lhs_contracting.size());
  Instruction *lhs = dot->operand(0), *rhs = dot->operand(1);
  const int64_t lhs_free = lhs->shape().rank() - batch - contracted,
                rhs_free = rhs->shape().rank() - batch - contracted;
  const ElementType type = dot->shape().element_type();
  std::vector<int64_t> dims = dot->shape().dims();
  for (int64_t d : attributes.lhs_contracting) dims.push_back(lhs->shape().dim(d));
  const Shape wide = Shape::Array(type, dims);
  const int64_t first_contracted = batch + lhs_free + rhs_free;
  const auto spread = [&](Instruction* operand, int64_t first_free, int64_t free) {
    if (operand->shape().element_type() != type) {
      operand = c.AddBefore(dot, Opcode::kConvert, Shape::Array(type, operand->shape().dims()),
                            {operand});
    }
    std::vector<int64_t> to = Iota(0, batch);
    for (int64_t d : Iota(first_free, free)) to.push_back(d);
    for (int64_t d : Iota(first_contracted, contracted)) to.push_back(d);
    return c.AddBefore(dot, Opcode::kBroadcast, wide, {operand}, DimensionsAttributes{to});
  };
  Instruction* left = spread(lhs, batch, lhs_free);
  Instruction* right = spread(rhs, batch + lhs_free, rhs_free);
  Instruction* product =
      c.AddBefore(dot, IsPred(type) ? Opcode::kAnd : Opcode::kMultiply, wide, {left, right});
  Instruction* zero = c.AddBefore(dot, Opcode::kConstant, Shape::Scalar(type), {},
                                  ConstantAttributes{Literal(Shape::Scalar(type))});
  Instruction* sum =
      c.AddBefore(dot, Opcode::kReduce, Shape::Array(type, dot->shape().dims()), {product, zero},
                  DimensionsAttributes{Iota(first_contracted, contracted)}, dot->name());
  sum->set_called({Adder(graph, type)});
  sum->set_position(dot->position());
  c.ReplaceUses(dot, sum);
  c.Remove(dot);
}

}  // namespace

absl::StatusOr<bool> ExpandDots(Graph& graph, const std::function<bool(const DotCall&)>& taken) {
  Computation& entry = *graph.entry();
  std::vector<Instruction*> dots;
  for (const auto& instruction : entry.instructions()) {
    if (instruction->opcode() == Opcode::kDot) dots.push_back(instruction.get());
  }
  bool changed = false;
  for (Instruction* dot : dots) {
    absl::StatusOr<DotCall> call = MakeDotCall(*dot);
    if (call.ok() && taken(*call)) continue;
    changed = true;
    dot = Canonical(entry, dot);
    call = MakeDotCall(*dot);
    if (!call.ok() || !taken(*call)) Expand(graph, entry, dot);
  }
  return changed;
}

}  // namespace astitch
