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
#include "plan/storage.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

constexpr int64_t kAlign = 64;

struct Life {
  const Instruction* value = nullptr;
  int64_t first = 0, last = 0, bytes = 0, offset = 0;
};

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

class Assigner {
 public:
  explicit Assigner(Plan& plan) : plan_(plan), storage_(plan) {}

  void Run() {
    FindLives();
    AddResults();
    JoinStacks();
    Place();
    NameAll();
  }

 private:
  void FindLives() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      std::vector<const Instruction*> reads, writes;
      ReadsAndWrites(plan_.steps[s], reads, writes);
      const auto step = static_cast<int64_t>(s);
      for (const Instruction* value : writes) {
        life_of_[value] = lives_.size();
        lives_.push_back({value, step, step, value->shape().byte_size(), 0});
      }
      for (const Instruction* value : reads) {
        for (const Storage::Part& part : storage_.PartsOf(value)) {
          const auto it = life_of_.find(part.value);
          if (it != life_of_.end()) lives_[it->second].last = step;
        }
        const Instruction* whole = storage_.Of(value);
        if (!storage_.IsStack(whole)) continue;
        if (life_of_.emplace(whole, lives_.size()).second)
          lives_.push_back({whole, step, step, whole->shape().byte_size(), 0});
      }
      for (const auto* list : {&reads, &writes}) {
        for (const Instruction* value : *list) Use(value);
      }
    }
  }

  void Use(const Instruction* value) {
    if (seen_.insert(value).second) used_.push_back(value);
  }

  // The first place of a result that a step writes is where it is written; all others are copies.
  void AddResults() {
    const std::vector<const Instruction*> results = GraphResults(*plan_.graph);
    for (size_t k = 0; k < results.size(); ++k) {
      const Instruction* storage = storage_.Of(results[k]);
      const bool written = storage_.WriterOf(storage) != Storage::kNone;
      if (written && !place_.contains(storage)) {
        place_[storage] = {storage, BufferPlan::Space::kOutput, static_cast<int32_t>(k), 0,
                           storage->shape().byte_size()};
      } else {
        plan_.steps.emplace_back(CopyCall{results[k], static_cast<int32_t>(k)});
        if (written) lives_[life_of_[storage]].last = static_cast<int64_t>(plan_.steps.size());
        Use(results[k]);
      }
    }
  }

  // A stack's pieces have its memory, from the first one's writer to the last one's reader.
  void JoinStacks() {
    for (Life& all : lives_) {
      if (!storage_.IsStack(all.value)) continue;
      for (const Storage::Part& part : storage_.PartsOf(all.value)) {
        const Life& life = lives_[life_of_.at(part.value)];
        all.first = std::min(all.first, life.first);
        all.last = std::max(all.last, life.last);
        in_stack_[part.value] = {all.value, part.offset};
      }
    }
  }

  void Place() {
    std::vector<Life> arena;
    for (const Life& life : lives_) {
      if (!place_.contains(life.value) && !in_stack_.contains(life.value)) arena.push_back(life);
    }
    plan_.arena_bytes = Pack(arena);
    const auto place = [this](const Instruction* value, int64_t offset, int64_t bytes) {
      place_[value] = {value, BufferPlan::Space::kArena, 0, offset, bytes};
    };
    for (const Life& life : arena) place(life.value, life.offset, life.bytes);
    for (const auto& [value, at] : in_stack_)
      place(value, place_.at(at.value).offset + at.offset, value->shape().byte_size());
  }

  // Everything that steps name, in order.
  void NameAll() {
    int32_t constants = 0;
    for (const Instruction* value : used_) {
      const Instruction* storage = storage_.Of(value);
      auto it = place_.find(storage);
      if (it == place_.end()) {
        BufferPlan buffer{storage, BufferPlan::Space::kConstant, 0, 0,
                          storage->shape().byte_size()};
        if (storage->opcode() == Opcode::kParameter) {
          buffer.space = BufferPlan::Space::kInput;
          buffer.index = static_cast<int32_t>(storage->parameter_number());
        } else {
          buffer.index = constants++;
        }
        it = place_.emplace(storage, buffer).first;
      }
      BufferPlan buffer = it->second;
      buffer.value = value;
      plan_.buffers.push_back(buffer);
    }
  }

  Plan& plan_;
  const Storage storage_;
  std::vector<Life> lives_;  // of what steps write, and of stacks
  absl::flat_hash_map<const Instruction*, size_t> life_of_;
  std::vector<const Instruction*> used_;
  absl::flat_hash_set<const Instruction*> seen_;
  absl::flat_hash_map<const Instruction*, BufferPlan> place_;
  absl::flat_hash_map<const Instruction*, Storage::Part> in_stack_;  // the stack, and where in it
};

}  // namespace

void AssignBuffers(Plan& plan) { Assigner(plan).Run(); }

}  // namespace astitch
