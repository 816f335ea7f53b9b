// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Liveness over steps, then best fit by first gap in order of size: small programs, exact enough,
// deterministic.
#include "stitch/buffers.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/checked_math.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

constexpr int64_t kAlign = 64;

struct Life {
  const Instruction* value = nullptr;
  int64_t first = 0, last = 0, bytes = 0, offset = 0;
};

// A reshape of row-major data is the same bytes: its memory is its operand's.
const Instruction* Storage(const Instruction* value,
                           const absl::flat_hash_set<const Instruction*>& written) {
  while (!written.contains(value) &&
         (value->opcode() == Opcode::kReshape || value->opcode() == Opcode::kBitcast)) {
    value = value->operand(0);
  }
  return value;
}

// Places the values of ARENA so that no two that live at once overlap; returns the bytes of all.
int64_t Pack(std::vector<Life>& arena) {
  std::vector<Life*> by_size;
  for (Life& life : arena) by_size.push_back(&life);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const Life* a, const Life* b) { return a->bytes > b->bytes; });
  std::vector<const Life*> placed;
  int64_t total = 0;
  for (Life* life : by_size) {
    std::map<int64_t, int64_t> taken;  // offset -> end, of what lives at the same time
    for (const Life* other : placed) {
      if (other->first > life->last || life->first > other->last) continue;
      int64_t& end = taken[other->offset];
      end = std::max(end, other->offset + RoundUp(other->bytes, kAlign));
    }
    int64_t at = 0;
    for (const auto& [offset, end] : taken) {
      if (offset - at >= life->bytes) break;
      at = std::max(at, end);
    }
    life->offset = at;
    total = std::max(total, at + RoundUp(life->bytes, kAlign));
    placed.push_back(life);
  }
  return total;
}

}  // namespace

void AssignBuffers(Plan& plan) {
  absl::flat_hash_set<const Instruction*> written;
  absl::flat_hash_map<const Instruction*, int64_t> life_of;
  std::vector<Life> lives;
  std::vector<const Instruction*> outside;  // inputs and constants that steps read
  for (const PlanStep& step : plan.steps) {
    std::vector<const Instruction*> reads, writes;
    ReadsAndWrites(step, reads, writes);
    written.insert(writes.begin(), writes.end());
  }
  std::vector<const Instruction*> used;  // every value a step names, in order
  absl::flat_hash_set<const Instruction*> seen;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    std::vector<const Instruction*> reads, writes;
    ReadsAndWrites(plan.steps[s], reads, writes);
    for (const Instruction* value : writes) {
      life_of[value] = static_cast<int64_t>(lives.size());
      lives.push_back(
          {value, static_cast<int64_t>(s), static_cast<int64_t>(s), value->shape().byte_size(), 0});
    }
    for (const Instruction* value : reads) {
      const auto it = life_of.find(Storage(value, written));
      if (it != life_of.end()) lives[it->second].last = static_cast<int64_t>(s);
    }
    for (const auto* list : {&reads, &writes}) {
      for (const Instruction* value : *list) {
        if (seen.insert(value).second) used.push_back(value);
      }
    }
  }
  absl::flat_hash_map<const Instruction*, BufferPlan> place;
  const std::vector<const Instruction*> results = GraphResults(*plan.graph);
  for (size_t k = 0; k < results.size(); ++k) {
    const Instruction* storage = Storage(results[k], written);
    if (written.contains(storage) && !place.contains(storage)) {
      place[storage] = {storage, BufferPlan::Space::kOutput, static_cast<int32_t>(k), 0,
                        storage->shape().byte_size()};
    } else {
      plan.steps.emplace_back(CopyCall{results[k], static_cast<int32_t>(k)});
      if (written.contains(storage))
        lives[life_of[storage]].last = static_cast<int64_t>(plan.steps.size());
      if (seen.insert(results[k]).second) used.push_back(results[k]);
    }
  }
  std::vector<Life> arena;
  for (const Life& life : lives) {
    if (!place.contains(life.value)) arena.push_back(life);
  }
  plan.arena_bytes = Pack(arena);
  for (const Life& life : arena) {
    place[life.value] = {life.value, BufferPlan::Space::kArena, 0, life.offset, life.bytes};
  }
  int32_t constants = 0;
  for (const Instruction* value : used) {
    const Instruction* storage = Storage(value, written);
    auto it = place.find(storage);
    if (it == place.end()) {
      BufferPlan buffer{storage, BufferPlan::Space::kConstant, 0, 0, storage->shape().byte_size()};
      if (storage->opcode() == Opcode::kParameter) {
        buffer.space = BufferPlan::Space::kInput;
        buffer.index = static_cast<int32_t>(storage->parameter_number());
      } else {
        buffer.index = constants++;
      }
      it = place.emplace(storage, buffer).first;
    }
    BufferPlan buffer = it->second;
    buffer.value = value;
    plan.buffers.push_back(buffer);
  }
}

}  // namespace astitch
