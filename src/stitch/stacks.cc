// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks at the readers of each concatenation, then at what its operands are names of.
#include "stitch/stacks.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "plan/reference_call.h"
#include "stitch/dim_atoms.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

// Every array in the arena begins at a multiple of so many bytes, pieces with the others.
constexpr int64_t kAlign = 64;

Instruction* BelowReshapes(Instruction* i) {
  while (i->opcode() == Opcode::kReshape) i = i->operand(0);
  return i;
}

class StackMaker {
 public:
  explicit StackMaker(Graph& graph) : entry_(*graph.entry()) {
    for (const Instruction* result : GraphResults(graph)) {
      for (results_.insert(result); result->opcode() == Opcode::kReshape;
           result = result->operand(0))
        results_.insert(result->operand(0));
    }
  }

  absl::flat_hash_set<const Instruction*> Run() {
    for (Instruction* i : entry_.post_order()) {
      if (IsStack(*i)) stacks_.insert(Made(i));
    }
    if (!stacks_.empty()) entry_.SortProgramOrder();
    return std::move(stacks_);
  }

 private:
  bool IsStack(const Instruction& whole) {
    if (whole.opcode() != Opcode::kConcatenate || whole.num_operands() < 2) return false;
    if (!OnlyProductsRead(whole)) return false;
    const int64_t dim = whole.dimensions()[0];
    const bool outermost = ExtentBefore(whole.shape(), dim) == 1;
    int64_t shared = 0;
    absl::flat_hash_set<const Instruction*> seen;
    for (Instruction* piece : whole.operands()) {
      const int64_t bytes = piece->shape().byte_size();
      if (bytes == 0 || bytes % kAlign != 0) return false;
      if (!outermost && piece->shape().dim(dim) != 1) return false;
      const Instruction* base = BelowReshapes(piece);
      if (seen.insert(base).second && !NeedsCopy(base) && IsInMemory(base)) shared += bytes;
    }
    return 2 * shared >= whole.shape().byte_size();
  }

  // Perhaps through transpositions and reshapes.
  bool OnlyProductsRead(const Instruction& whole) const {
    std::vector<const Instruction*> stack = {&whole};
    while (!stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      if (results_.contains(i) || i->users().empty()) return false;
      for (const Instruction* reader : i->users()) {
        if (IsTurn(reader)) {
          stack.push_back(reader);
        } else if (reader->opcode() != Opcode::kDot) {
          return false;
        }
      }
    }
    return true;
  }

  static int64_t ExtentBefore(const Shape& shape, int64_t dim) {
    int64_t extent = 1;
    for (int64_t d = 0; d < dim; ++d) extent *= shape.dim(d);
    return extent;
  }

  bool NeedsCopy(const Instruction* base) const {
    return results_.contains(base) || base->opcode() == Opcode::kParameter ||
           base->opcode() == Opcode::kConstant || pieces_.contains(base);
  }

  // A call writes it, or reads it.
  bool IsInMemory(const Instruction* base) {
    const auto [it, added] = in_memory_.emplace(base, false);
    if (!added) return it->second;
    std::vector<const Instruction*> stack = {base};
    bool found = ClassOf(*base) == StitchClass::kLibrary ||
                 ClassOf(*WholeOf(base)) == StitchClass::kReference;
    while (!found && !stack.empty()) {
      const Instruction* i = stack.back();
      stack.pop_back();
      for (const Instruction* reader : i->users()) {
        const StitchClass c = ClassOf(*reader);
        found |= c == StitchClass::kLibrary || c == StitchClass::kReference;
        if (IsTurn(reader)) stack.push_back(reader);
      }
    }
    return it->second = found;
  }

  // The stack that WHOLE becomes.
  const Instruction* Made(Instruction* whole) {
    const int64_t dim = whole->dimensions()[0];
    if (ExtentBefore(whole->shape(), dim) == 1) {
      for (int64_t k = 0; k < whole->num_operands(); ++k)
        whole->ReplaceOperand(k, Piece(whole->operand(k), whole->operand(k)->shape()));
      return whole;
    }
    const std::vector<int64_t> order = Outermost(whole->shape().rank(), dim);
    std::vector<Instruction*> pieces;
    for (Instruction* operand : whole->operands())
      pieces.push_back(Piece(operand, Turned(operand->shape(), order)));
    Instruction* stack = entry_.Add(Opcode::kConcatenate, Turned(whole->shape(), order), pieces,
                                    DimensionsAttributes{{0}}, whole->name());
    std::vector<int64_t> back(order.size());
    for (size_t d = 0; d < order.size(); ++d) back[order[d]] = static_cast<int64_t>(d);
    Instruction* turned = entry_.Add(Opcode::kTranspose, whole->shape(), {stack},
                                     DimensionsAttributes{std::move(back)}, whole->name());
    entry_.ReplaceUses(whole, turned);
    RemoveDead(whole);
    return stack;
  }

  // OPERAND as a piece of SHAPE.
  Instruction* Piece(Instruction* operand, const Shape& shape) {
    Instruction* base = BelowReshapes(operand);
    const bool copy = NeedsCopy(base);
    if (copy) base = entry_.Add(Opcode::kCopy, base->shape(), {base}, {}, base->name());
    pieces_.insert(base);
    if (!copy && operand->shape() == shape) return operand;
    if (base->shape() == shape) return base;
    return entry_.Add(Opcode::kReshape, shape, {base}, ReshapeAttributes{}, operand->name());
  }

  // Dimension DIM, then the others.
  static std::vector<int64_t> Outermost(int64_t rank, int64_t dim) {
    std::vector<int64_t> order = {dim};
    for (int64_t d = 0; d < rank; ++d) {
      if (d != dim) order.push_back(d);
    }
    return order;
  }

  static Shape Turned(const Shape& shape, const std::vector<int64_t>& order) {
    std::vector<int64_t> dims;
    for (int64_t d : order) dims.push_back(shape.dim(d));
    return Shape::Array(shape.element_type(), dims);
  }

  // What only WHOLE read goes with it.
  void RemoveDead(Instruction* whole) {
    std::vector<Instruction*> stack = {whole};
    while (!stack.empty()) {
      Instruction* i = stack.back();
      stack.pop_back();
      const std::vector<Instruction*> operands(i->operands().begin(), i->operands().end());
      entry_.Remove(i);
      absl::flat_hash_set<const Instruction*> seen;
      for (Instruction* operand : operands) {
        const bool dead = operand->opcode() == Opcode::kReshape && operand->users().empty();
        if (dead && seen.insert(operand).second) stack.push_back(operand);
      }
    }
  }

  Computation& entry_;
  absl::flat_hash_set<const Instruction*> results_, pieces_, stacks_;
  absl::flat_hash_map<const Instruction*, bool> in_memory_;
};

}  // namespace

absl::flat_hash_set<const Instruction*> MakeStacks(Graph& graph) { return StackMaker(graph).Run(); }

}  // namespace astitch
