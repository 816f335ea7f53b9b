// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where the axes of reader and operand are not the same (x plus its own transpose), the operation
// tells which dimension of the reader the operand's innermost one is.
#include "stitch/read_order.h"

namespace astitch {
namespace {

// The innermost dimension that counts: -1 when all have one element.
int64_t Innermost(const Shape& shape) {
  int64_t d = shape.rank() - 1;
  while (d >= 0 && shape.dim(d) == 1) --d;
  return d;
}

int32_t LastAxisOfDim(const RegionInfo& info, const Instruction* value, int64_t d) {
  const std::vector<int32_t>& axes = info.axes().OfDim(value, d);
  return axes.empty() ? -1 : axes.back();
}

}  // namespace

int32_t MemoryAxis(const RegionInfo& info, const Instruction* value) {
  const std::vector<int32_t>& axes = info.axes().Of(value);
  return axes.empty() ? -1 : axes.back();
}

int32_t MemoryAxis(const RegionInfo& info, const Instruction* reader, int64_t i) {
  const Instruction* operand = reader->operand(i);
  const Shape& shape = operand->shape();
  if (!shape.IsArray()) return -1;
  const int64_t innermost = Innermost(shape);
  if (innermost < 0) return -1;
  if (reader->opcode() == Opcode::kTranspose) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (reader->dimensions()[d] == innermost) return LastAxisOfDim(info, reader, d);
    }
  }
  if (info.axes().Aligned(reader, i)) {
    const int32_t axis = MemoryAxis(info, operand);
    for (int32_t own : info.axes().Of(reader)) {
      if (own == axis) return axis;
    }
    if (reader->opcode() == Opcode::kReduce) return axis;
  }
  const bool same_dims = reader->shape().IsArray() && reader->shape().rank() == shape.rank();
  switch (reader->opcode()) {
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kGather:
    case Opcode::kReduce:
      return -1;
    default:  // elementwise, or with the elements of a dimension shifted
      return same_dims ? LastAxisOfDim(info, reader, innermost) : -1;
  }
}

bool ReadInPlace(const RegionInfo& info, const Instruction* value,
                 absl::FunctionRef<bool(const Instruction*)> needed) {
  std::vector<const Instruction*> stack = {value};
  absl::flat_hash_set<const Instruction*> seen = {value};
  while (!stack.empty()) {
    const Instruction* operand = stack.back();
    stack.pop_back();
    for (const Instruction* reader : info.readers(operand)) {
      if (!needed(reader)) continue;
      for (int64_t i = 0; i < reader->num_operands(); ++i) {
        if (reader->operand(i) == operand && !info.axes().Aligned(reader, i)) return false;
      }
      if (reader->opcode() != Opcode::kReduce && seen.insert(reader).second)
        stack.push_back(reader);
    }
  }
  return true;
}

}  // namespace astitch
