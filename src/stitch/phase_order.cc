// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks up to inputs and down to results, for few candidates each.
#include "stitch/phase_order.h"

#include <algorithm>

namespace astitch {
namespace {

constexpr int64_t kSmall = 16;      // times fewer elements than the largest reduction
constexpr size_t kCandidates = 8;   // looked at
constexpr int64_t kCacheParts = 4;  // an input of a smaller part of the cache stays there

// By number: the values that are computed from FROM.
std::vector<bool> ComputedFrom(const RegionInfo& info, const Instruction& from) {
  std::vector<bool> below(info.values().size(), false);
  below[info.number(&from)] = true;
  for (size_t n = info.number(&from) + 1; n < info.values().size(); ++n) {
    for (const Instruction* operand : info.values()[n]->operands())
      below[n] = below[n] || (info.IsComputed(operand) && below[info.number(operand)]);
  }
  return below;
}

bool HasRows(const RegionInfo& info, const Instruction* value, const std::vector<int32_t>& rows) {
  const std::vector<int32_t>& axes = info.axes().Of(value);
  return std::all_of(rows.begin(), rows.end(), [&](int32_t row) {
    return std::find(axes.begin(), axes.end(), row) != axes.end();
  });
}

// The array that a target walks over.
const Instruction* WalkOf(const Instruction* target) {
  return target->opcode() == Opcode::kReduce ? target->operand(0) : target;
}

// The inputs of at least BYTES that evaluating TARGET reads; what reductions give it is not read
// from them.
absl::flat_hash_set<const Instruction*> LargeInputs(const RegionInfo& info, const OrderState& state,
                                                    const Instruction* target, int64_t bytes) {
  absl::flat_hash_set<const Instruction*> inputs, seen = {target};
  std::vector<const Instruction*> stack(target->operands().begin(), target->operands().end());
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    if (!seen.insert(value).second) continue;
    if (!info.IsComputed(value)) {
      if (value->shape().IsArray() && value->shape().byte_size() >= bytes) inputs.insert(value);
    } else if (!state.available.contains(value) && RegionInfo::ReduceOf(value) == nullptr) {
      stack.insert(stack.end(), value->operands().begin(), value->operands().end());
    }
  }
  return inputs;
}

}  // namespace

const Instruction* SmallReductionFirst(const RegionInfo& info, const OrderState& state,
                                       const std::vector<const Instruction*>& ready,
                                       const Instruction& largest,
                                       const std::vector<int32_t>& rows) {
  const int64_t elements = largest.operand(0)->shape().num_elements();
  size_t looked_at = 0;
  for (const Instruction* reduce : ready) {
    if (rows.empty() || reduce == &largest) continue;
    if (reduce->operand(0)->shape().num_elements() > elements / kSmall) continue;
    if (++looked_at > kCandidates) break;
    const std::vector<bool> below = ComputedFrom(info, *reduce);
    for (const Instruction* target : state.pending) {
      const Instruction* walk = WalkOf(target);
      if (target != reduce && below[info.number(target)] &&
          walk->shape().num_elements() >= elements / 2 && HasRows(info, walk, rows))
        return reduce;
    }
  }
  return nullptr;
}

std::vector<const Instruction*> ReductionsThatCanWait(const RegionInfo& info,
                                                      const MachineModel& machine,
                                                      const OrderState& state,
                                                      const std::vector<const Instruction*>& roots,
                                                      const std::vector<const Instruction*>& now,
                                                      const std::vector<int32_t>& rows) {
  const int64_t cache = machine.is_host() ? machine.l3_bytes : machine.l2_bytes;
  const int64_t large = std::max<int64_t>(1, cache / kCacheParts);
  std::vector<const Instruction*> waiting;
  if (now.size() < 2 || now.size() > kCandidates) return waiting;
  for (const Instruction* reduce : now) {
    if (waiting.size() + 1 == now.size()) break;
    absl::flat_hash_set<const Instruction*> alone = LargeInputs(info, state, reduce, large);
    for (const Instruction* root : roots) {
      if (root == reduce) continue;
      for (const Instruction* input : LargeInputs(info, state, root, large)) alone.erase(input);
    }
    if (alone.empty()) continue;
    const std::vector<bool> below = ComputedFrom(info, *reduce);
    for (const Instruction* target : state.pending) {
      if (std::find(roots.begin(), roots.end(), target) != roots.end()) continue;
      if (below[info.number(target)] || !HasRows(info, WalkOf(target), rows)) continue;
      const auto reads = LargeInputs(info, state, target, large);
      if (std::any_of(alone.begin(), alone.end(),
                      [&](const Instruction* input) { return reads.contains(input); })) {
        waiting.push_back(reduce);
        break;
      }
    }
  }
  return waiting;
}

}  // namespace astitch
