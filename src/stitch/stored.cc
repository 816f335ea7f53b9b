// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Costs by walks up, spreading by a walk down through reshapes and broadcasts.
#include "stitch/stored.h"

#include <algorithm>

#include "stitch/op_class.h"
#include "stitch/scope.h"
#include "stitch/stage_rates.h"

namespace astitch {
namespace {

// An operation worth a phase of its own once a broadcast would repeat it so often that many simple
// operations are spared: so many on the host, those of a barrier on a GPU.
constexpr int kCostlyOperation = 15;
constexpr double kCostlyWork = 64 << 20;

// Elements of the largest broadcast that reads VALUE through reshapes, other than along its rows.
int64_t SpreadTo(const RegionInfo& info, const Instruction* value) {
  const std::vector<int32_t>& own = info.axes().Of(value);
  int64_t elements = 0;
  std::vector<const Instruction*> stack = {value};
  absl::flat_hash_set<const Instruction*> seen = {value};
  while (!stack.empty()) {
    const Instruction* from = stack.back();
    stack.pop_back();
    for (const Instruction* reader : info.readers(from)) {
      if (reader->opcode() != Opcode::kBroadcast && reader->opcode() != Opcode::kReshape) continue;
      if (!seen.insert(reader).second) continue;
      stack.push_back(reader);
      const std::vector<int32_t>& axes = info.axes().Of(reader);
      const bool rows =
          axes.size() >= own.size() && std::equal(own.begin(), own.end(), axes.begin());
      if (!rows) elements = std::max(elements, reader->shape().num_elements());
    }
  }
  return elements;
}

// Whether evaluating VALUE, wherever it is wanted, takes simple operations that cost so much at most, on
// what the region reads and on scatters and reductions, which are in memory by then.
bool IsCheap(const RegionInfo& info, const Instruction& value, int most_cost) {
  constexpr size_t kMostOperations = 16;
  int cost = 0;
  std::vector<const Instruction*> stack = {&value};
  absl::flat_hash_set<const Instruction*> seen = {&value};
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    if (IsImmediate(*at) || !info.IsComputed(at) || (at != &value && IsMade(*at))) continue;
    const OpKind kind = KindOf(at->opcode());
    const bool simple =
        kind == OpKind::kElementwise || kind == OpKind::kIndexMap || kind == OpKind::kSource;
    cost += ElementCost(*at);
    if (!simple || cost > most_cost || seen.size() > kMostOperations) return false;
    for (const Instruction* operand : at->operands()) {
      if (seen.insert(operand).second) stack.push_back(operand);
    }
  }
  return true;
}

// What an element of VALUE may cost, done again for each look of READER: more where few are looked at.
// The elements of a window are wanted by several.
int MostCost(const Instruction& reader, const Instruction& value) {
  constexpr int64_t kAnElement = 8, kMost = 1000;
  constexpr int kOfAWindow = 1;
  if (reader.opcode() == Opcode::kSelectAndScatter) return 0;
  if (reader.opcode() == Opcode::kReduceWindow) return kOfAWindow;
  if (reader.opcode() != Opcode::kGather) return kAnElement;
  const int64_t looks = std::max<int64_t>(1, reader.shape().num_elements());
  const int64_t not_looked_at = value.shape().num_elements() / looks;
  return static_cast<int>(kAnElement * std::clamp<int64_t>(not_looked_at, 1, kMost / kAnElement));
}

}  // namespace

bool Folds(const Instruction& value) { return value.opcode() == Opcode::kReduce || IsScan(value); }

bool IsMade(const Instruction& value) {
  return Folds(value) || IsScatter(value) || RegionInfo::ReduceOf(&value) != nullptr;
}

bool LooksUp(const RegionInfo& info, const Instruction& reader, int64_t i) {
  if (!IsScatter(reader)) return NeedsMemory(reader, i);
  return info.IsUpdated(&reader) ? i == 1 : i > 0;
}

std::vector<const Instruction*> FindLookedUpValues(const RegionInfo& info, bool scatters_only) {
  std::vector<bool> found(info.values().size(), false);
  for (const Instruction* reader : info.values()) {
    if (scatters_only && !IsScatter(*reader)) continue;
    for (int64_t i = 0; i < reader->num_operands(); ++i) {
      const Instruction* operand = reader->operand(i);
      if (!info.IsComputed(operand) || !LooksUp(info, *reader, i)) continue;
      if (!IsCheap(info, *operand, MostCost(*reader, *operand))) found[info.number(operand)] = true;
    }
  }
  std::vector<const Instruction*> values;
  for (size_t n = 0; n < found.size(); ++n) {
    if (found[n]) values.push_back(info.values()[n]);
  }
  return values;
}

std::vector<const Instruction*> FindCostly(const RegionInfo& info,
                                           const absl::flat_hash_set<const Instruction*>& waiting,
                                           const MachineModel& machine) {
  const double least = machine.is_host() ? kCostlyWork : OperationsOfBarrier(machine);
  std::vector<const Instruction*> costly;
  std::vector<bool> waits(info.values().size(), false);
  std::vector<int64_t> cost(info.values().size(), 0);
  for (size_t n = 0; n < info.values().size(); ++n) {
    const Instruction* value = info.values()[n];
    waits[n] = Folds(*value) || IsScatter(*value);
    cost[n] = ElementCost(*value);
    for (int64_t i = 0; i < value->num_operands(); ++i) {
      const Instruction* operand = value->operand(i);
      if (!info.IsComputed(operand)) continue;
      const bool looks = waiting.contains(operand) && LooksUp(info, *value, i);
      waits[n] = waits[n] || looks || waits[info.number(operand)];
      cost[n] = std::max(cost[n], cost[info.number(operand)]);
    }
    if (waits[n] || ElementCost(*value) == 0 || !value->shape().IsArray()) continue;
    if (info.IsOutput(value) || cost[n] < kCostlyOperation) continue;
    const int64_t again = SpreadTo(info, value) - value->shape().num_elements();
    if (static_cast<double>(again) * static_cast<double>(cost[n]) < least) continue;
    costly.push_back(value);
    cost[n] = 0;
  }
  return costly;
}

}  // namespace astitch
