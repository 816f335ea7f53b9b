// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Chooses the access by the lanes' stride: a vector, a splat, a reversed vector, a vector of which some lanes
// are taken, or one access a lane.
#include "codegen/common/memory.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "codegen/common/register_types.h"
#include "llvm/IR/MDBuilder.h"

namespace astitch::codegen {
namespace {

// The largest power of two that divides every address BASE + (multiple of ELEMENTS) elements.
llvm::Align AlignmentOf(const Array& array, int64_t elements) {
  const int64_t bytes = ByteWidth(array.type) * elements;
  const int64_t known = std::gcd(array.alignment, bytes);  // gcd with 0 is the other
  return llvm::Align(static_cast<uint64_t>(known & -known));
}

template <typename Access>
Access* Annotated(const Array& array, Access* access) {
  llvm::LLVMContext& context = access->getContext();
  if (array.scope != nullptr) access->setMetadata(llvm::LLVMContext::MD_alias_scope, array.scope);
  if (array.noalias != nullptr) access->setMetadata(llvm::LLVMContext::MD_noalias, array.noalias);
  if (array.invariant && llvm::isa<llvm::LoadInst>(access)) {
    access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
  }
  return access;
}

Value AddressOf(llvm::IRBuilderBase& builder, const Array& array, Value position) {
  llvm::Type* element = MemoryType(builder.getContext(), array.type, 1);
  return builder.CreateInBoundsGEP(element, array.pointer, position);
}

Value LoadRaw(llvm::IRBuilderBase& builder, const Array& array, llvm::Type* type, Value position,
              int64_t multiple) {
  return Annotated(array, builder.CreateAlignedLoad(type, AddressOf(builder, array, position),
                                                    AlignmentOf(array, multiple)));
}

// The same for single elements: no more than the array's size is a multiple of, since LLVM may round
// neighbouring loads up to an aligned vector.
Value LoadOne(llvm::IRBuilderBase& builder, Array array, llvm::Type* type, Value position,
              int64_t multiple) {
  array.alignment = std::gcd(array.alignment, array.elements * ByteWidth(array.type));
  return LoadRaw(builder, array, type, position, multiple);
}

Value LaneOf(llvm::IRBuilderBase& builder, Value positions, int64_t lane) {
  return builder.CreateExtractElement(positions, lane);
}

// The position of one lane.
Value LanePosition(llvm::IRBuilderBase& builder, const IndexBuilder& indices, const Digit& position,
                   int64_t lane) {
  if (position.per_lane) return LaneOf(builder, position.base, lane);
  return builder.CreateAdd(position.base, indices.Constant(lane * position.stride));
}

// Of lanes that lie at known places in one aligned block of the array: how many elements that block has, at most
// twice as many as there are lanes. 0 where there is no such block. Elements between the lanes' own are
// read as well, so nobody may write them meanwhile.
int64_t BlockOf(const Array& array, const LaneOffsets& lanes) {
  if (!array.invariant) return 0;
  const auto [least, most] = std::minmax_element(lanes.offsets.begin(), lanes.offsets.end());
  for (int64_t block = 2; block <= 2 * static_cast<int64_t>(lanes.offsets.size()); block *= 2) {
    const int64_t first = (*least % block + block) % block;
    const bool whole = lanes.multiple % block == 0 && array.elements % block == 0;
    if (whole && first + *most - *least < block) return block;
  }
  return 0;
}

// Lanes OFFSETS of the block of elements at ORIGIN.
Value LoadBlock(llvm::IRBuilderBase& builder, const Array& array, const LaneOffsets& lanes,
                int64_t block) {
  auto* vector = llvm::FixedVectorType::get(MemoryType(builder.getContext(), array.type, 1), block);
  Value whole = LoadRaw(builder, array, vector, lanes.origin, lanes.multiple);
  return builder.CreateShuffleVector(whole,
                                     std::vector<int>(lanes.offsets.begin(), lanes.offsets.end()));
}

Value ReverseLanes(llvm::IRBuilderBase& builder, Value value) {
  std::vector<int> order(WidthOf(value));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(order.size() - 1 - i);
  return builder.CreateShuffleVector(value, order);
}

}  // namespace

Value LanesOf(llvm::IRBuilderBase& builder, Value vector, int first, int count) {
  std::vector<int> lanes(count);
  std::iota(lanes.begin(), lanes.end(), first);
  return builder.CreateShuffleVector(vector, lanes);
}

Value SplatLanes(llvm::IRBuilderBase& builder, Value value, int lanes) {
  return WidthOf(value) == lanes ? value : builder.CreateVectorSplat(lanes, value);
}

void FetchLine(llvm::IRBuilderBase& builder, Value address) {
  Value read = builder.getInt32(0), keep = builder.getInt32(3), data = builder.getInt32(1);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, read, keep, data});
}

Value LoadElements(const EmitContext& context, IndexBuilder& indices, const Array& array,
                   const Digit& position) {
  llvm::IRBuilderBase& builder = context.builder;
  llvm::Type* element = MemoryType(builder.getContext(), array.type, 1);
  Value raw = nullptr;
  if (array.elements == 0) {
    raw = llvm::Constant::getNullValue(element);
  } else if (position.uniform()) {
    raw = LoadOne(builder, array, element, position.base, position.multiple);
  } else {
    auto* vector = llvm::FixedVectorType::get(element, position.lanes);
    if (!position.per_lane && position.stride == 1) {
      raw = LoadRaw(builder, array, vector, position.base, position.multiple);
    } else if (!position.per_lane && position.stride == -1) {
      Value last = LanePosition(builder, indices, position, position.lanes - 1);
      raw = ReverseLanes(builder, LoadRaw(builder, array, vector, last, 1));
    } else if (const auto known = indices.OffsetsOf(position, position.lanes);
               known.has_value() && BlockOf(array, *known) > 0) {
      const int64_t block = BlockOf(array, *known);
      raw = LoadBlock(builder, array, indices.Rebased(*known, block), block);
    } else {
      raw = llvm::PoisonValue::get(vector);
      for (int64_t lane = 0; lane < position.lanes; ++lane) {
        Value at = LanePosition(builder, indices, position, lane);
        raw = builder.CreateInsertElement(raw, LoadOne(builder, array, element, at, 1), lane);
      }
    }
  }
  return FromMemory(context, array.type, raw);
}

void StoreElements(const EmitContext& context, IndexBuilder& indices, const Array& array,
                   const Digit& position, Value value, bool nontemporal) {
  llvm::IRBuilderBase& builder = context.builder;
  if (position.uniform() && WidthOf(value) > 1) value = builder.CreateExtractElement(value, 0ul);
  Value raw = ToMemory(context, array.type, SplatLanes(builder, value, position.lanes));
  auto store = [&](Value element, Value at, llvm::Align alignment) {
    auto* access = Annotated(
        array, builder.CreateAlignedStore(element, AddressOf(builder, array, at), alignment));
    if (!nontemporal) return;
    auto* one = llvm::ConstantAsMetadata::get(builder.getInt32(1));
    access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                        llvm::MDNode::get(builder.getContext(), one));
  };
  if (position.uniform() || (!position.per_lane && position.stride == 1)) {
    const int64_t bytes = ByteWidth(array.type) * position.lanes;
    const int64_t known = nontemporal ? (bytes & -bytes) : 1;
    llvm::Align alignment = AlignmentOf(array, position.multiple);
    store(raw, position.base, std::max(alignment, llvm::Align(known)));
    return;
  }
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    store(LaneOf(builder, raw, lane), LanePosition(builder, indices, position, lane),
          AlignmentOf(array, 1));
  }
}

}  // namespace astitch::codegen
