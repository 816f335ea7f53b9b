// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An elementwise instruction as a kernel over lanes: found once an instruction, run once a block.
//
// Kernels compute in the widest type and do not round: the caller encodes (or rounds) the result,
// once an instruction. Which kernel an opcode has depends on the kind of its operand:
// float_kernels.cc, complex_kernels.cc, integer_kernels.cc (pred too) and convert_kernels.cc each
// answer for theirs.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "astitch/element_type.h"
#include "interp/lanes.h"
#include "ir/attributes.h"
#include "ir/graph.h"

namespace astitch::interp {

struct LaneOp;
using LaneKernel = void (*)(const LaneOp& op, const Lane* a, const Lane* b, const Lane* c,
                            int64_t n, Lane* out);

struct LaneOp {
  LaneKernel kernel = nullptr;
  Opcode opcode = Opcode::kCopy;
  int num_operands = 1;
  // How each operand's lanes are decoded, and how the result is encoded.
  ElementType operand_types[3] = {};
  ElementType result_type = ElementType::kPred;
  int exponent_bits = 0, mantissa_bits = 0;  // reduce-precision

  void Run(const Lane* a, const Lane* b, const Lane* c, int64_t n, Lane* out) const {
    kernel(*this, a, b, c, n, out);
  }
};

// Refuses, by name and place, opcodes that are not elementwise or not defined on these types.
absl::StatusOr<LaneOp> MakeLaneOp(const Instruction& instruction);

// Null where the opcode is not defined on the type.
LaneKernel FindFloatKernel(Opcode opcode, ElementType type);
LaneKernel FindComplexKernel(Opcode opcode, ElementType type);
LaneKernel FindIntegerKernel(Opcode opcode, ElementType type);
LaneKernel FindCompareKernel(const CompareAttributes& compare);
LaneKernel FindComplexCompareKernel(ComparisonDirection direction);
LaneKernel FindConvertKernel(ElementType from, ElementType to);
// Between types of one width.
LaneKernel FindBitcastConvertKernel(ElementType from, ElementType to);
LaneKernel FindStochasticConvertKernel(ElementType from, ElementType to);
LaneKernel ReducePrecisionKernel();
LaneKernel ComplexFromPartsKernel();

// max and min as HLO wants them: NaN when either is, and -0 below +0.
double FloatMaximum(double a, double b);
double FloatMinimum(double a, double b);
// The bits of VALUE as an integer that orders as TOTALORDER does.
int64_t TotalOrderKey(double value);

}  // namespace astitch::interp
