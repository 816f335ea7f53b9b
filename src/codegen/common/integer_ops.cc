// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Integers as HLO defines them where C and LLVM do not: division by zero, MIN / -1, shifts past the
// width, powers with negative exponents. Types below 8 bits compute in i8 and are extended again.
#include "codegen/common/integer_ops.h"

#include "codegen/common/math/math_builder.h"
#include "codegen/common/register_types.h"
#include "ir/number.h"

namespace astitch::codegen {
namespace {

class IntegerBuilder {
 public:
  IntegerBuilder(const EmitContext& context, ElementType type, llvm::Type* register_type)
      : context_(context), ir_(context.builder), type_(type), register_type_(register_type) {}

  Value Unary(Opcode opcode, Value x) const;
  Value Binary(Opcode opcode, Value x, Value y) const;
  Value Pick(Value x, Value y, bool larger) const;

 private:
  bool is_signed() const { return IsSigned(type_); }
  Value I(int64_t constant) const {
    return llvm::ConstantInt::getSigned(register_type_, constant, /*implicitTrunc=*/true);
  }
  Value OwnBits(Value x) const;
  Value SignExtended(Value x) const;
  Value Divide(Value x, Value y, bool remainder) const;
  Value Shift(Opcode opcode, Value x, Value amount) const;
  Value MultiplyHigh(Value x, Value y) const;
  Value Power(Value base, Value exponent) const;
  Value UnsignedPower(Value base, Value exponent) const;

  const EmitContext& context_;
  llvm::IRBuilderBase& ir_;
  ElementType type_;
  llvm::Type* register_type_;
};

// The type's bits, zeros above.
Value IntegerBuilder::OwnBits(Value x) const {
  const int bits = BitWidth(type_);
  return bits < 8 ? ir_.CreateAnd(x, I((1 << bits) - 1)) : x;
}

// The type's top bit taken for a sign.
Value IntegerBuilder::SignExtended(Value x) const {
  if (BitWidth(type_) >= 8) return x;
  Value unused = I(8 - BitWidth(type_));
  return ir_.CreateAShr(ir_.CreateShl(x, unused), unused);
}

Value IntegerBuilder::Pick(Value x, Value y, bool larger) const {
  const llvm::CmpInst::Predicate signed_order =
      larger ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_SLT;
  const llvm::CmpInst::Predicate unsigned_order =
      larger ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_ULT;
  return ir_.CreateSelect(ir_.CreateICmp(is_signed() ? signed_order : unsigned_order, x, y), x, y);
}

Value IntegerBuilder::Unary(Opcode opcode, Value x) const {
  switch (opcode) {
    case Opcode::kAbs:
      if (!is_signed()) return nullptr;
      return ir_.CreateSelect(ir_.CreateICmpSLT(x, I(0)), ir_.CreateNeg(x), x);
    case Opcode::kCopy:
      return x;
    case Opcode::kCountLeadingZeros: {
      Value zeros = ir_.CreateIntrinsic(llvm::Intrinsic::ctlz, {register_type_},
                                        {OwnBits(x), ir_.getFalse()});
      return ir_.CreateSub(zeros, I(8 * ByteWidth(type_) - BitWidth(type_)));
    }
    case Opcode::kNegate:
      return ir_.CreateNeg(x);
    case Opcode::kNot:
      return ir_.CreateNot(x);
    case Opcode::kPopcnt:
      return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, OwnBits(x));
    case Opcode::kSign: {
      Value positive = ir_.CreateSelect(ir_.CreateICmpEQ(x, I(0)), I(0), I(1));
      if (!is_signed()) return positive;
      return ir_.CreateSelect(ir_.CreateICmpSLT(x, I(0)), I(-1), positive);
    }
    default:
      return nullptr;
  }
}

Value IntegerBuilder::Binary(Opcode opcode, Value x, Value y) const {
  switch (opcode) {
    case Opcode::kAdd:
      return ir_.CreateAdd(x, y);
    case Opcode::kAnd:
      return ir_.CreateAnd(x, y);
    case Opcode::kDivide:
      return Divide(x, y, /*remainder=*/false);
    case Opcode::kMaximum:
      return Pick(x, y, /*larger=*/true);
    case Opcode::kMinimum:
      return Pick(x, y, /*larger=*/false);
    case Opcode::kMulhi:
      return MultiplyHigh(x, y);
    case Opcode::kMultiply:
      return ir_.CreateMul(x, y);
    case Opcode::kOr:
      return ir_.CreateOr(x, y);
    case Opcode::kPower:
      return Power(x, y);
    case Opcode::kRemainder:
      return Divide(x, y, /*remainder=*/true);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return Shift(opcode, x, y);
    case Opcode::kSubtract:
      return ir_.CreateSub(x, y);
    case Opcode::kXor:
      return ir_.CreateXor(x, y);
    default:
      return nullptr;
  }
}

// A divisor that would trap becomes 1: MIN / 1 is the wrapped MIN / -1 and its remainder is 0, as
// HLO has it; for a zero divisor the result is replaced.
Value IntegerBuilder::Divide(Value x, Value y, bool remainder) const {
  Value by_zero = ir_.CreateICmpEQ(y, I(0));
  Value unsafe = by_zero;
  if (is_signed()) {
    Value is_min = ir_.CreateICmpEQ(x, I(MinInteger(type_)));
    Value overflows = ir_.CreateAnd(is_min, ir_.CreateICmpEQ(y, I(-1)));
    unsafe = ir_.CreateOr(unsafe, overflows);
  }
  Value divisor = ir_.CreateSelect(unsafe, I(1), y);
  if (remainder) {
    Value rest = is_signed() ? ir_.CreateSRem(x, divisor) : ir_.CreateURem(x, divisor);
    return ir_.CreateSelect(by_zero, x, rest);
  }
  Value quotient = is_signed() ? ir_.CreateSDiv(x, divisor) : ir_.CreateUDiv(x, divisor);
  return ir_.CreateSelect(by_zero, I(-1), quotient);
}

Value IntegerBuilder::Shift(Opcode opcode, Value x, Value amount) const {
  const int bits = BitWidth(type_);
  Value past = ir_.CreateICmpUGE(amount, I(bits));
  if (opcode == Opcode::kShiftRightArithmetic) {
    return ir_.CreateAShr(SignExtended(x), ir_.CreateSelect(past, I(bits - 1), amount));
  }
  Value safe = ir_.CreateSelect(past, I(0), amount);
  Value shifted =
      opcode == Opcode::kShiftLeft ? ir_.CreateShl(x, safe) : ir_.CreateLShr(OwnBits(x), safe);
  return ir_.CreateSelect(past, I(0), shifted);
}

Value IntegerBuilder::MultiplyHigh(Value x, Value y) const {
  const unsigned width = register_type_->getScalarSizeInBits();
  llvm::Type* wide = register_type_->getWithNewType(ir_.getIntNTy(2 * width));
  auto extend = [&](Value v) {
    return is_signed() ? ir_.CreateSExt(v, wide) : ir_.CreateZExt(v, wide);
  };
  Value product = ir_.CreateMul(extend(x), extend(y));
  Value high = ir_.CreateLShr(product, llvm::ConstantInt::get(wide, BitWidth(type_)));
  return ir_.CreateTrunc(high, register_type_);
}

Value IntegerBuilder::Power(Value base, Value exponent) const {
  if (!is_signed()) return UnsignedPower(base, exponent);
  Value negative = ir_.CreateICmpSLT(exponent, I(0));
  Value result = UnsignedPower(base, ir_.CreateSelect(negative, I(0), exponent));
  Value odd = ir_.CreateICmpNE(ir_.CreateAnd(exponent, I(1)), I(0));
  Value minus_one = ir_.CreateSelect(odd, I(-1), I(1));
  Value inverse = ir_.CreateSelect(ir_.CreateICmpEQ(base, I(-1)), minus_one, I(0));
  inverse = ir_.CreateSelect(ir_.CreateICmpEQ(base, I(1)), I(1), inverse);
  return ir_.CreateSelect(negative, inverse, result);
}

// Square and multiply, until every lane's exponent is used up.
Value IntegerBuilder::UnsignedPower(Value base, Value exponent) const {
  llvm::BasicBlock* entry = ir_.GetInsertBlock();
  llvm::LLVMContext& llvm = ir_.getContext();
  auto* loop = llvm::BasicBlock::Create(llvm, "power", entry->getParent());
  auto* done = llvm::BasicBlock::Create(llvm, "power.done", entry->getParent());
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  llvm::PHINode* result = ir_.CreatePHI(register_type_, 2);
  llvm::PHINode* factor = ir_.CreatePHI(register_type_, 2);
  llvm::PHINode* rest = ir_.CreatePHI(register_type_, 2);
  Value odd = ir_.CreateICmpNE(ir_.CreateAnd(rest, I(1)), I(0));
  Value next_result = ir_.CreateSelect(odd, ir_.CreateMul(result, factor), result);
  Value next_factor = ir_.CreateMul(factor, factor);
  Value next_rest = ir_.CreateLShr(rest, I(1));
  result->addIncoming(I(1), entry), result->addIncoming(next_result, loop);
  factor->addIncoming(base, entry), factor->addIncoming(next_factor, loop);
  rest->addIncoming(exponent, entry), rest->addIncoming(next_rest, loop);
  Value more = ir_.CreateICmpNE(next_rest, I(0));
  if (register_type_->isVectorTy()) more = ir_.CreateOrReduce(more);
  ir_.CreateCondBr(more, loop, done);
  ir_.SetInsertPoint(done);
  return next_result;
}

// pred: add is or, multiply is and; ordered false before true.
Value EmitPredOp(llvm::IRBuilderBase& ir, Opcode opcode, absl::Span<Value const> operands) {
  switch (opcode) {
    case Opcode::kCopy:
      return operands[0];
    case Opcode::kNot:
      return ir.CreateNot(operands[0]);
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return ir.CreateOr(operands[0], operands[1]);
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return ir.CreateAnd(operands[0], operands[1]);
    case Opcode::kXor:
      return ir.CreateXor(operands[0], operands[1]);
    case Opcode::kClamp:
      return ir.CreateAnd(ir.CreateOr(operands[1], operands[0]), operands[2]);
    default:
      return nullptr;
  }
}

}  // namespace

Value EmitIntegerOp(const EmitContext& context, Opcode opcode, ElementType type,
                    absl::Span<Value const> operands) {
  if (IsPred(type)) return EmitPredOp(context.builder, opcode, operands);
  const IntegerBuilder b(context, type, operands[0]->getType());
  Value result = nullptr;
  if (opcode == Opcode::kClamp) {
    result = b.Pick(b.Pick(operands[1], operands[0], true), operands[2], false);
  } else if (operands.size() == 2) {
    result = b.Binary(opcode, operands[0], operands[1]);
  } else if (operands.size() == 1) {
    result = b.Unary(opcode, operands[0]);
  }
  return result == nullptr ? nullptr : NormalizeInteger(context, type, result);
}

}  // namespace astitch::codegen
