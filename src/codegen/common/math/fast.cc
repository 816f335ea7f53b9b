// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Each is one or a few special-function instructions.
#include "codegen/common/math/fast.h"

#include "codegen/common/math/exp_log.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace astitch::codegen::math {
namespace {

Value Exp2(const MathBuilder& b, Value x) {
  return b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::nvvm_ex2_approx, x);
}

Value Divide(const MathBuilder& b, Value x, Value y) {
  return b.ir().CreateIntrinsic(llvm::Intrinsic::nvvm_div_approx_f, {}, {x, y});
}

Value Tanh(const MathBuilder& b, Value x) {
  if (b.context().traits.sm < 80) return nullptr;  // does not select under the PTX of sm_75
  llvm::CallInst* call =
      llvm::cast<llvm::CallInst>(b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::tanh, x));
  call->setHasApproxFunc(true);
  return call;
}

}  // namespace

Value Approximation(const MathBuilder& b, Opcode opcode, absl::Span<const Value> operands) {
  if (!b.context().traits.is_nvptx || b.is_f64() || b.type()->isVectorTy()) return nullptr;
  Value x = operands[0];
  Value log2e = b.F(coefficients::kLog2eF32[0]);
  switch (opcode) {
    case Opcode::kDivide:
      return Divide(b, x, operands[1]);
    case Opcode::kExponential:
      return Exp2(b, b.Mul(x, log2e));
    case Opcode::kLog: {
      Value log2 = b.ir().CreateIntrinsic(llvm::Intrinsic::nvvm_lg2_approx_f, {}, {x});
      return b.Mul(log2, b.F(coefficients::kLn2F32[0] + coefficients::kLn2F32[1]));
    }
    case Opcode::kLogistic:
      return Divide(b, b.F(1), b.Add(b.F(1), Exp2(b, b.Mul(b.Neg(x), log2e))));
    case Opcode::kRsqrt:
      return b.ir().CreateIntrinsic(llvm::Intrinsic::nvvm_rsqrt_approx_f, {}, {x});
    case Opcode::kSqrt:
      return b.ir().CreateIntrinsic(llvm::Intrinsic::nvvm_sqrt_approx_f, {}, {x});
    case Opcode::kTanh:
      return Tanh(b, x);
    default:
      return nullptr;
  }
}

}  // namespace astitch::codegen::math
