// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise instructions: blocks of lanes through one kernel. Scalar operands of clamp and select
// stand for a whole array.
#include <algorithm>
#include <vector>

#include "interp/lane_op.h"
#include "interp/ops.h"

namespace astitch::interp {
namespace {

// One operand, decoded a block at a time; a scalar is decoded once.
class BlockReader {
 public:
  BlockReader(const Literal& literal, ElementType type, int64_t result_elements)
      : type_(type), bytes_(literal.bytes().data()), block_(kLanes) {
    splat_ = literal.shape().IsScalar() && result_elements != 1;
    if (splat_) std::fill(block_.begin(), block_.end(), DecodeOne(type_, bytes_));
  }
  const Lane* Read(int64_t start, int64_t n) {
    if (!splat_) Decode(type_, bytes_ + start * ByteWidth(type_), n, block_.data());
    return block_.data();
  }

 private:
  ElementType type_;
  const std::byte* bytes_;
  std::vector<Lane> block_;
  bool splat_;
};

Literal RunBlocks(const LaneOp& op, const Instruction& instruction, Operands operands) {
  Literal result(instruction.shape());
  const int64_t n = result.shape().num_elements();
  std::vector<BlockReader> readers;
  for (int i = 0; i < op.num_operands; ++i) {
    readers.emplace_back(operands[i], op.operand_types[i], n);
  }
  std::vector<Lane> out(kLanes);
  std::byte* to = result.mutable_bytes().data();
  for (int64_t start = 0; start < n; start += kLanes) {
    const int64_t count = std::min(kLanes, n - start);
    const Lane* in[3] = {};
    for (int i = 0; i < op.num_operands; ++i) in[i] = readers[i].Read(start, count);
    op.Run(in[0], in[1], in[2], count, out.data());
    Encode(op.result_type, out.data(), count, to + start * ByteWidth(op.result_type));
  }
  return result;
}

}  // namespace

Result EvalElementwise(const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(const LaneOp op, MakeLaneOp(instruction));
  return RunBlocks(op, instruction, operands);
}

// A real operand is its own real part: it stays as it is.
Result EvalReal(const Instruction& instruction, Operands operands) {
  if (!IsComplex(operands[0].shape().element_type())) return std::move(operands[0]);
  return EvalElementwise(instruction, operands);
}

// Elements pass through select as bits: a NaN keeps its payload.
Result EvalSelect(const Instruction& instruction, Operands operands) {
  if (instruction.shape().IsTuple()) {
    return ErrorAt(instruction, "select between tuples is not implemented in the interpreter");
  }
  ASTITCH_ASSIGN_OR_RETURN(LaneOp op, MakeLaneOp(instruction));
  op.result_type = BitsType(op.result_type);
  op.operand_types[1] = op.operand_types[2] = op.result_type;
  if (operands[0].shape().IsScalar()) {
    const bool on_true = DecodeOne(op.operand_types[0], operands[0].bytes().data()).i != 0;
    return std::move(operands[on_true ? 1 : 2]);
  }
  return RunBlocks(op, instruction, operands);
}

}  // namespace astitch::interp
