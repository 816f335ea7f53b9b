// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// First the bitcasts, while the shapes still carry the layouts that give them meaning: elements in
// the memory order of the operand, retyped, cut into the dimensions of the result in its memory
// order, then moved to their logical places. Users go before operands, so a chain of bitcasts
// still finds the layouts it was written with. Then every layout is row-major and the shapes say
// no more.
#include "passes/normalize_layouts.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

Shape RowMajor(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) elements.push_back(RowMajor(element));
    return Shape::Tuple(std::move(elements));
  }
  Shape plain = shape;
  if (shape.IsArray()) plain.mutable_layout() = Layout::RowMajor(shape.rank());
  return plain;
}

// The dimensions from the outermost in memory to the innermost.
std::vector<int64_t> MajorToMinor(const Shape& shape) {
  return {shape.layout().minor_to_major.rbegin(), shape.layout().minor_to_major.rend()};
}

bool IsIdentity(const std::vector<int64_t>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

// What a bitcast means, in operations that know no layout.
class BitcastExpansion {
 public:
  BitcastExpansion(Rewriter& rewriter, const Instruction& bitcast)
      : rewriter_(rewriter), bitcast_(bitcast), value_(bitcast.operand(0)) {}

  Instruction* Build() {
    const Shape& to = bitcast_.shape();
    Transpose(MajorToMinor(bitcast_.operand(0)->shape()));
    Retype(to.element_type());
    const std::vector<int64_t> order = MajorToMinor(to);
    std::vector<int64_t> dims, back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      dims.push_back(to.dim(order[i]));
      back[order[i]] = i;
    }
    Reshape(std::move(dims));
    Transpose(back);
    return value_;
  }

 private:
  void Add(Opcode opcode, ElementType type, std::vector<int64_t> dims, Attributes attributes) {
    value_ = rewriter_.Add(bitcast_, opcode, Shape::Array(type, std::move(dims)), {value_},
                           std::move(attributes));
  }
  void Transpose(const std::vector<int64_t>& permutation) {
    if (IsIdentity(permutation)) return;
    std::vector<int64_t> dims;
    for (int64_t d : permutation) dims.push_back(value_->shape().dim(d));
    Add(Opcode::kTranspose, value_->shape().element_type(), std::move(dims),
        DimensionsAttributes{permutation});
  }
  void Reshape(std::vector<int64_t> dims) {
    if (dims == value_->shape().dims()) return;
    Add(Opcode::kReshape, value_->shape().element_type(), std::move(dims), ReshapeAttributes{});
  }
  // bitcast-convert appends or drops a last dimension when the widths differ.
  void Retype(ElementType type) {
    const ElementType from = value_->shape().element_type();
    if (type == from) return;
    const int64_t from_bits = BitWidth(from), to_bits = BitWidth(type);
    if (from_bits == to_bits) {
      Add(Opcode::kBitcastConvert, type, value_->shape().dims(), {});
      return;
    }
    const int64_t elements = value_->shape().num_elements();
    if (from_bits > to_bits) {
      std::vector<int64_t> dims = value_->shape().dims();
      dims.push_back(from_bits / to_bits);
      Add(Opcode::kBitcastConvert, type, std::move(dims), {});
    } else {
      const int64_t merged = to_bits / from_bits;
      Reshape({elements / merged, merged});
      Add(Opcode::kBitcastConvert, type, {elements / merged}, {});
    }
  }

  Rewriter& rewriter_;
  const Instruction& bitcast_;
  Instruction* value_;
};

absl::Status ExpandBitcasts(Rewriter& rewriter) {
  std::vector<Instruction*> bitcasts;
  for (const auto& instruction : rewriter.computation().instructions()) {
    if (instruction->opcode() == Opcode::kBitcast) bitcasts.push_back(instruction.get());
  }
  // Users first: the operand must still have the layout it was written with.
  std::reverse(bitcasts.begin(), bitcasts.end());
  for (Instruction* bitcast : bitcasts) {
    for (const Shape* shape : {&bitcast->shape(), &bitcast->operand(0)->shape()}) {
      if (!IsStaticArray(*shape) || absl::StrContains(shape->layout().extras, "T("))
        return ErrorAt(*bitcast, "a bitcast of arrays in plain layouts", shape->ToString());
    }
    rewriter.Replace(bitcast, BitcastExpansion(rewriter, *bitcast).Build());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> NormalizeLayouts::Run(Graph& graph) {
  bool changed = false;
  for (const auto& computation : graph.computations()) {
    Rewriter rewriter(*computation);
    ASTITCH_RETURN_IF_ERROR(ExpandBitcasts(rewriter));
    changed |= rewriter.Finish();
    for (const auto& instruction : computation->instructions()) {
      Shape plain = RowMajor(instruction->shape());
      if (plain == instruction->shape()) continue;
      instruction->set_shape(std::move(plain));
      changed = true;
    }
  }
  return changed;
}

}  // namespace astitch
