// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The composed operations: fused multiply-add, rounding to integer, error-free sums and products.
#include "codegen/common/math/math_builder.h"

#include <cmath>
#include <limits>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

namespace astitch::codegen {

MathBuilder::MathBuilder(const EmitContext& context, llvm::Type* type)
    : context_(context),
      type_(type),
      int_type_(type->getWithNewType(
          llvm::Type::getIntNTy(type->getContext(), type->getScalarSizeInBits()))),
      is_f64_(type->getScalarType()->isDoubleTy()) {}

Value MathBuilder::F(double constant) const { return llvm::ConstantFP::get(type_, constant); }

Value MathBuilder::I(int64_t constant) const {
  return llvm::ConstantInt::getSigned(int_type_, constant, /*implicitTrunc=*/true);
}

Value MathBuilder::Infinity() const { return llvm::ConstantFP::getInfinity(type_); }
Value MathBuilder::NaN() const { return llvm::ConstantFP::getNaN(type_); }

Value MathBuilder::Abs(Value a) const {
  return ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
}

Value MathBuilder::Sqrt(Value a) const {
  return ir().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
}

Value MathBuilder::CopySign(Value magnitude, Value sign) const {
  return ir().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

Value MathBuilder::Fma(Value a, Value b, Value c) const {
  if (context_.traits.has_fma) {
    return ir().CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
  }
  if (!is_f64_) {  // the product of floats is exact in a double
    llvm::Type* wide = type_->getWithNewType(ir().getDoubleTy());
    Value product = ir().CreateFMul(ir().CreateFPExt(a, wide), ir().CreateFPExt(b, wide));
    return ir().CreateFPTrunc(ir().CreateFAdd(product, ir().CreateFPExt(c, wide)), type_);
  }
  const Double product = SplitProduct(a, b);
  const Double sum = TwoSum(product.hi, c);
  return Add(sum.hi, Add(sum.lo, product.lo));
}

Value MathBuilder::MulAdd(Value a, Value b, Value c) const {
  return context_.traits.has_fma ? Fma(a, b, c) : Add(Mul(a, b), c);
}

Value MathBuilder::Polynomial(Value x, absl::Span<const double> coefficients) const {
  Value sum = F(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = MulAdd(sum, x, F(coefficients[i]));
  return sum;
}

Value MathBuilder::OddPolynomial(Value x, absl::Span<const double> coefficients) const {
  Value square = Mul(x, x);
  return MulAdd(Mul(x, square), Polynomial(square, coefficients), x);
}

// Adding 2^(mantissa bits) leaves no room for a fraction; the hardware's rounding does the rest.
Value MathBuilder::RoundByMagic(Value a) const {
  Value magic = F(std::ldexp(1.0, mantissa_bits()));
  Value magnitude = Abs(a);
  Value rounded = Sub(Add(magnitude, magic), magic);
  return CopySign(Select(Lt(magnitude, magic), rounded, magnitude), a);
}

Value MathBuilder::RoundEven(Value a) const {
  if (!context_.traits.has_rounding) return RoundByMagic(a);
  return ir().CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a);
}

Value MathBuilder::Trunc(Value a) const {
  if (context_.traits.has_rounding) return ir().CreateUnaryIntrinsic(llvm::Intrinsic::trunc, a);
  Value magnitude = Abs(a), rounded = RoundByMagic(magnitude);
  Value down = Select(Gt(rounded, magnitude), Sub(rounded, F(1)), rounded);
  return CopySign(down, a);
}

Value MathBuilder::Floor(Value a) const {
  if (context_.traits.has_rounding) return ir().CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
  Value rounded = RoundByMagic(a);
  return CopySign(Select(Gt(rounded, a), Sub(rounded, F(1)), rounded), a);
}

Value MathBuilder::Ceil(Value a) const {
  if (context_.traits.has_rounding) return ir().CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
  Value rounded = RoundByMagic(a);
  return CopySign(Select(Lt(rounded, a), Add(rounded, F(1)), rounded), a);
}

Value MathBuilder::PowerOfTwo(Value n) const {
  return FromBits(ir().CreateShl(ir().CreateAdd(n, I(Pick(127, 1023))), I(mantissa_bits())));
}

Double MathBuilder::TwoSum(Value a, Value b) const {
  Value sum = Add(a, b);
  Value b_part = Sub(sum, a);
  return {sum, Add(Sub(a, Sub(sum, b_part)), Sub(b, b_part))};
}

Double MathBuilder::FastTwoSum(Value a, Value b) const {
  Value sum = Add(a, b);
  return {sum, Sub(b, Sub(sum, a))};
}

Double MathBuilder::TwoProduct(Value a, Value b) const {
  if (!context_.traits.has_fma && is_f64_) return SplitProduct(a, b);
  Value product = Mul(a, b);
  return {product, Fma(a, b, Neg(product))};
}

// Each factor in two halves of 26 bits, whose products are exact.
Double MathBuilder::SplitProduct(Value a, Value b) const {
  auto split = [this](Value x) -> Double {
    Value hi = FromBits(ir().CreateAnd(Bits(x), I(-(int64_t{1} << 27))));
    return {hi, Sub(x, hi)};
  };
  const Double x = split(a), y = split(b);
  Value product = Mul(a, b);
  Value error = Sub(Mul(x.hi, y.hi), product);
  error = Add(Add(error, Mul(x.hi, y.lo)), Mul(x.lo, y.hi));
  return {product, Add(error, Mul(x.lo, y.lo))};
}

Value MathBuilder::Any(Value condition) const {
  return condition->getType()->isVectorTy() ? ir().CreateOrReduce(condition) : condition;
}

std::vector<Value> MathBuilder::Rarely(Value condition, const std::vector<Value>& fast,
                                       const std::function<std::vector<Value>()>& slow) const {
  Value any = Any(condition);
  llvm::BasicBlock* entry = ir().GetInsertBlock();
  llvm::Function* function = entry->getParent();
  auto* slow_block = llvm::BasicBlock::Create(ir().getContext(), "rare", function);
  auto* join = llvm::BasicBlock::Create(ir().getContext(), "join", function);
  llvm::MDNode* weights = llvm::MDBuilder(ir().getContext()).createUnlikelyBranchWeights();
  ir().CreateCondBr(any, slow_block, join, weights);
  ir().SetInsertPoint(slow_block);
  const std::vector<Value> slow_values = slow();
  llvm::BasicBlock* slow_end = ir().GetInsertBlock();
  ir().CreateBr(join);
  ir().SetInsertPoint(join);
  std::vector<Value> results;
  for (size_t i = 0; i < fast.size(); ++i) {
    llvm::PHINode* phi = ir().CreatePHI(fast[i]->getType(), 2);
    phi->addIncoming(fast[i], entry);
    phi->addIncoming(slow_values[i], slow_end);
    results.push_back(phi);
  }
  return results;
}

}  // namespace astitch::codegen
