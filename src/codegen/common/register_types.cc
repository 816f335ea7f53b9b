// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loads, stores and rounding by type; the narrow floats' bits are in narrow_float.cc.
#include "codegen/common/register_types.h"

#include "base/check.h"
#include "codegen/common/narrow_float.h"
#include "ir/number.h"
#include "llvm/IR/Constants.h"

namespace astitch::codegen {
namespace {

llvm::Type* Widen(llvm::Type* scalar, int width) {
  return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, width);
}

bool IsNarrowFloat(ElementType type) {
  return IsFloat(type) && type != ElementType::kF32 && type != ElementType::kF64;
}

llvm::Type* Like(llvm::Value* value, llvm::Type* scalar) {
  return value->getType()->getWithNewType(scalar);
}

// To f32 with the last bit set where bits were lost (round to odd), so that a further rounding goes
// as from the double itself.
llvm::Value* RoundToOddFloat(llvm::IRBuilderBase& ir, llvm::Value* value) {
  llvm::Value* nearest = ir.CreateFPTrunc(value, Like(value, ir.getFloatTy()));
  llvm::Value* back = ir.CreateFPExt(nearest, value->getType());
  llvm::Value* bits = ir.CreateBitCast(nearest, Like(value, ir.getInt32Ty()));
  llvm::Type* int_type = bits->getType();
  llvm::Value* inexact = ir.CreateFCmpONE(back, value);
  llvm::Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, llvm::ConstantInt::get(int_type, 1)),
                                      llvm::ConstantInt::get(int_type, 0));
  // Up where the magnitude was cut, down where it was raised.
  llvm::Value* cut = ir.CreateFCmpOLT(ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                      ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  llvm::Value* step = ir.CreateSelect(cut, llvm::ConstantInt::get(int_type, 1),
                                      llvm::ConstantInt::getSigned(int_type, -1));
  llvm::Value* odd = ir.CreateSelect(ir.CreateAnd(inexact, even), ir.CreateAdd(bits, step), bits);
  return ir.CreateBitCast(odd, nearest->getType());
}

}  // namespace

llvm::Type* RegisterType(llvm::LLVMContext& context, ElementType type, int width) {
  ASTITCH_CHECK(!IsComplex(type)) << ToString(type) << " has no register";
  if (IsPred(type)) return Widen(llvm::Type::getInt1Ty(context), width);
  if (type == ElementType::kF64) return Widen(llvm::Type::getDoubleTy(context), width);
  if (IsFloat(type)) return Widen(llvm::Type::getFloatTy(context), width);
  return Widen(llvm::Type::getIntNTy(context, 8 * ByteWidth(type)), width);
}

llvm::Type* MemoryType(llvm::LLVMContext& context, ElementType type, int width) {
  ASTITCH_CHECK(!IsComplex(type)) << ToString(type) << " has no memory type";
  if (type == ElementType::kF32) return Widen(llvm::Type::getFloatTy(context), width);
  if (type == ElementType::kF64) return Widen(llvm::Type::getDoubleTy(context), width);
  return Widen(llvm::Type::getIntNTy(context, 8 * ByteWidth(type)), width);
}

llvm::Value* FromMemory(const EmitContext& context, ElementType type, llvm::Value* memory) {
  llvm::IRBuilderBase& ir = context.builder;
  if (IsPred(type)) {
    return ir.CreateICmpNE(memory, llvm::Constant::getNullValue(memory->getType()));
  }
  if (IsInteger(type)) return NormalizeInteger(context, type, memory);
  return IsNarrowFloat(type) ? DecodeNarrow(context, type, memory) : memory;
}

llvm::Value* ToMemory(const EmitContext& context, ElementType type, llvm::Value* value) {
  llvm::IRBuilderBase& ir = context.builder;
  if (IsPred(type)) return ir.CreateZExt(value, Like(value, ir.getInt8Ty()));
  return IsNarrowFloat(type) ? EncodeNarrow(context, type, value) : value;
}

llvm::Value* RoundTo(const EmitContext& context, ElementType type, llvm::Value* value) {
  llvm::IRBuilderBase& ir = context.builder;
  const bool is_double = value->getType()->getScalarType()->isDoubleTy();
  if (type == ElementType::kF64) {
    return is_double ? value : ir.CreateFPExt(value, Like(value, ir.getDoubleTy()));
  }
  if (type == ElementType::kF32) {
    return is_double ? ir.CreateFPTrunc(value, Like(value, ir.getFloatTy())) : value;
  }
  return RoundToNarrow(context, type, is_double ? RoundToOddFloat(ir, value) : value);
}

llvm::Value* RoundResult(const EmitContext& context, ElementType type, llvm::Value* value) {
  const bool is_float = value->getType()->getScalarType()->isFloatTy();
  if (type != ElementType::kBF16 || context.traits.is_nvptx || !is_float)
    return RoundTo(context, type, value);
  return RoundArithmeticToBFloat(context, value);
}

llvm::Value* NormalizeInteger(const EmitContext& context, ElementType type, llvm::Value* value) {
  llvm::IRBuilderBase& ir = context.builder;
  const int bits = BitWidth(type);
  if (bits >= 8) return value;
  if (IsUnsigned(type)) {
    return ir.CreateAnd(value, llvm::ConstantInt::get(value->getType(), (1 << bits) - 1));
  }
  llvm::Value* unused = llvm::ConstantInt::get(value->getType(), 8 - bits);
  return ir.CreateAShr(ir.CreateShl(value, unused), unused);
}

llvm::Value* Splat(const EmitContext& context, llvm::Value* value, int width) {
  return width == 1 ? value : context.builder.CreateVectorSplat(width, value);
}

int WidthOf(const llvm::Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

llvm::Value* EmitConstant(const EmitContext& context, ElementType type, const std::byte* bytes,
                          int width) {
  llvm::Type* target = RegisterType(context.builder.getContext(), type, width);
  if (IsFloat(type)) {
    const double value = LoadAsDouble(type, bytes);
    if (value == value) return llvm::ConstantFP::get(target, value);
    // A NaN keeps its payload where the register has the type's own format.
    const uint64_t bits = LoadBits(type, bytes);
    const llvm::fltSemantics& format = target->getScalarType()->getFltSemantics();
    if (!IsNarrowFloat(type)) {
      const llvm::APInt payload(static_cast<unsigned>(BitWidth(type)), bits);
      return llvm::ConstantFP::get(target, llvm::APFloat(format, payload));
    }
    const bool negative = (bits >> (BitWidth(type) - 1)) & 1;
    return llvm::ConstantFP::get(target, llvm::APFloat::getQNaN(format, negative));
  }
  return llvm::ConstantInt::getSigned(target, LoadAsInteger(type, bytes), /*implicitTrunc=*/true);
}

}  // namespace astitch::codegen
