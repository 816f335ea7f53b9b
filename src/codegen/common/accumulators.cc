// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stack slots for the copies and lanes, and the fixed tree that brings them together.
#include "codegen/common/accumulators.h"

#include <numeric>

#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {

Accumulators::Accumulators(const EmitContext& context, const Reducer& reducer,
                           std::vector<int> lanes)
    : context_(context), reducer_(reducer), lanes_(std::move(lanes)) {
  llvm::BasicBlock& entry = context.builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  for (int width : lanes_) {
    slots_.emplace_back();
    for (int i = 0; i < reducer.num_results(); ++i) {
      slots_.back().push_back(
          top.CreateAlloca(RegisterType(top.getContext(), reducer.accumulator_type(i), width)));
    }
  }
}

void Accumulators::Start(absl::Span<const Value> inits) {
  const std::vector<Value> start = reducer_.Start(context_, inits);
  for (size_t copy = 0; copy < slots_.size(); ++copy) Store(static_cast<int>(copy), start);
}

std::vector<Value> Accumulators::Load(int copy) const {
  std::vector<Value> values;
  for (llvm::AllocaInst* slot : slots_[copy])
    values.push_back(context_.builder.CreateLoad(slot->getAllocatedType(), slot));
  return values;
}

void Accumulators::Store(int copy, absl::Span<const Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    Value wide = SplatLanes(context_.builder, values[i], lanes_[copy]);
    context_.builder.CreateStore(wide, slots_[copy][i]);
  }
}

void Accumulators::Fold(int copy, std::vector<Value> values, Value valid) {
  llvm::IRBuilderBase& builder = context_.builder;
  for (Value& value : values) value = SplatLanes(builder, value, lanes_[copy]);
  const std::vector<Value> before = Load(copy);
  std::vector<Value> after = reducer_.Fold(context_, before, values);
  for (size_t i = 0; i < after.size() && valid != nullptr; ++i) {
    after[i] = builder.CreateSelect(SplatLanes(builder, valid, lanes_[copy]), after[i], before[i]);
  }
  Store(copy, after);
}

std::vector<Value> Accumulators::Halved(std::vector<Value> values, int lanes) const {
  llvm::IRBuilderBase& builder = context_.builder;
  for (int width = WidthOf(values[0]); width > lanes; width /= 2) {
    std::vector<int> order(width / 2);
    std::iota(order.begin(), order.end(), 0);
    std::vector<Value> low, high;
    for (Value value : values) {
      if (width == 2) {
        low.push_back(builder.CreateExtractElement(value, uint64_t{0}));
        high.push_back(builder.CreateExtractElement(value, uint64_t{1}));
        continue;
      }
      low.push_back(builder.CreateShuffleVector(value, order));
      std::vector<int> upper(order);
      for (int& lane : upper) lane += width / 2;
      high.push_back(builder.CreateShuffleVector(value, upper));
    }
    values = reducer_.Fold(context_, low, high);
  }
  return values;
}

std::vector<Value> Accumulators::Meet(int lanes) const {
  std::vector<std::vector<Value>> wide, narrow;
  for (size_t copy = 0; copy < lanes_.size(); ++copy) {
    const bool full = lanes_[copy] == lanes_[0];
    (full ? wide : narrow).push_back(Load(static_cast<int>(copy)));
  }
  while (wide.size() > 1) {
    std::vector<std::vector<Value>> pairs;
    for (size_t i = 0; i < wide.size(); i += 2) {
      pairs.push_back(i + 1 < wide.size() ? reducer_.Fold(context_, wide[i], wide[i + 1])
                                          : wide[i]);
    }
    wide = std::move(pairs);
  }
  std::vector<Value> all = Halved(wide[0], lanes);
  for (const std::vector<Value>& values : narrow) all = reducer_.Fold(context_, all, values);
  return all;
}

}  // namespace astitch::codegen
