// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The operations, one function a family; a file a group. Operands are the interpreter's own: a
// function may move out of them and change what it moved.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "interp/context.h"
#include "ir/graph.h"

namespace astitch::interp {

using Operands = absl::Span<Literal>;
using Result = absl::StatusOr<Literal>;

// elementwise.cc
Result EvalElementwise(const Instruction& instruction, Operands operands);
Result EvalReal(const Instruction& instruction, Operands operands);
Result EvalSelect(const Instruction& instruction, Operands operands);
// movement.cc
Result EvalBroadcast(const Instruction& instruction, Operands operands);
Result EvalTranspose(const Instruction& instruction, Operands operands);
Result EvalReverse(const Instruction& instruction, Operands operands);
Result EvalSlice(const Instruction& instruction, Operands operands);
Result EvalPad(const Instruction& instruction, Operands operands);
Result EvalConcatenate(const Instruction& instruction, Operands operands);
Result EvalIota(const Instruction& instruction);
Result EvalDynamicSlice(const Instruction& instruction, Operands operands);
Result EvalDynamicUpdateSlice(const Instruction& instruction, Operands operands);
// bitcast.cc
Result EvalBitcast(const Instruction& instruction, Operands operands);
Result EvalBitcastConvert(const Instruction& instruction, Operands operands);
// gather_scatter.cc
Result EvalGather(const Instruction& instruction, Operands operands);
Result EvalScatter(Context& context, const Instruction& instruction, Operands operands);
// reduction.cc
Result EvalReduce(Context& context, const Instruction& instruction, Operands operands);
// window.cc
Result EvalReduceWindow(Context& context, const Instruction& instruction, Operands operands);
Result EvalSelectAndScatter(Context& context, const Instruction& instruction, Operands operands);
// contraction.cc, ragged_dot.cc, convolution.cc
Result EvalDot(const Instruction& instruction, Operands operands);
Result EvalScaledDot(const Instruction& instruction, Operands operands);
Result EvalRaggedDot(const Instruction& instruction, Operands operands);
Result EvalConvolution(const Instruction& instruction, Operands operands);
// norm.cc
Result EvalBatchNormTraining(const Instruction& instruction, Operands operands);
Result EvalBatchNormInference(const Instruction& instruction, Operands operands);
Result EvalBatchNormGrad(const Instruction& instruction, Operands operands);
// sort.cc
Result EvalSort(Context& context, const Instruction& instruction, Operands operands);
Result EvalTopK(const Instruction& instruction, const Literal& operand, int64_t k, bool largest);
// random.cc
Result EvalRng(Context& context, const Instruction& instruction, Operands operands);
Result EvalRngBitGenerator(const Instruction& instruction, Operands operands);
Result EvalRngGetAndUpdateState(Context& context, const Instruction& instruction);
// fft.cc
Result EvalFft(const Instruction& instruction, Operands operands);
// linear_algebra.cc
Result EvalCholesky(const Instruction& instruction, Operands operands);
Result EvalTriangularSolve(const Instruction& instruction, Operands operands);
// control.cc
Result EvalCall(Context& context, const Instruction& instruction, Operands operands);
Result EvalConditional(Context& context, const Instruction& instruction, Operands operands);
Result EvalWhile(Context& context, const Instruction& instruction, Operands operands);
Result EvalMap(Context& context, const Instruction& instruction, Operands operands);
Result EvalScan(Context& context, const Instruction& instruction, Operands operands);
// devices.cc: what speaks to other devices, on one device; asynchronous pairs; custom calls
Result EvalCollective(const Instruction& instruction, Operands operands);
Result EvalCollectivePermute(const Instruction& instruction, Operands operands);
Result EvalDeviceId(const Instruction& instruction);
Result EvalCopyStart(const Instruction& instruction, Operands operands);
Result EvalAsyncStart(Context& context, const Instruction& instruction, Operands operands);
Result EvalCustomCall(const Instruction& instruction, Operands operands);

}  // namespace astitch::interp
