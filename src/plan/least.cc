// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ranks in the order of the steps, then sets of arrays by rank.
#include "plan/least.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "plan/storage.h"

namespace astitch {
namespace {

using Values = std::vector<const Instruction*>;

class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), storage_(plan) {}

  LeastPlan Run() {
    for (const PlanStep& step : plan_.steps) Rank(step);
    FindLeaving();
    LeastPlan least;
    least.kernels = static_cast<int64_t>(ranks_.size());
    for (const auto& [rank, kernels] : ranks_) least.bytes += BytesOf(rank, kernels);
    return least;
  }

 private:
  struct Origin {
    int64_t rank = 0;
    bool library = false;
  };

  void Rank(const PlanStep& step) {
    Values reads, writes;
    ReadsAndWrites(step, reads, writes);
    const auto* kernel = std::get_if<KernelPlan>(&step);
    int64_t rank = 0;
    for (const Instruction* value : reads) {
      for (const Storage::Part& part : storage_.PartsOf(value)) {
        const auto it = written_.find(part.value);
        if (it == written_.end()) continue;
        rank = std::max(rank, it->second.rank + (kernel != nullptr && it->second.library));
      }
    }
    for (const Instruction* value : writes) written_[value] = {rank, kernel == nullptr};
    if (kernel != nullptr) ranks_[rank].push_back(kernel);
  }

  // Arrays that a kernel writes for a library call, for another rank, or as a result.
  void FindLeaving() {
    for (const BufferPlan& buffer : plan_.buffers) {
      if (buffer.space == BufferPlan::Space::kOutput) leaving_.insert(storage_.Of(buffer.value));
    }
    for (const PlanStep& step : plan_.steps) {
      if (std::holds_alternative<KernelPlan>(step)) continue;
      Values reads, writes;
      ReadsAndWrites(step, reads, writes);
      for (const Instruction* value : reads) {
        for (const Storage::Part& part : storage_.PartsOf(value)) leaving_.insert(part.value);
      }
    }
    for (const auto& [rank, kernels] : ranks_) {
      for (const KernelPlan* kernel : kernels) {
        for (const Instruction* value : kernel->inputs) {
          for (const Storage::Part& part : storage_.PartsOf(value)) {
            const auto it = written_.find(part.value);
            if (it != written_.end() && it->second.rank != rank) leaving_.insert(part.value);
          }
        }
      }
    }
  }

  int64_t BytesOf(int64_t rank, const std::vector<const KernelPlan*>& kernels) const {
    absl::flat_hash_map<const Instruction*, int64_t> entering;
    int64_t bytes = 0;
    for (const KernelPlan* kernel : kernels) {
      for (const Instruction* value : kernel->inputs) {
        for (const Storage::Part& part : storage_.PartsOf(value)) {
          const auto it = written_.find(part.value);
          if (it != written_.end() && !it->second.library && it->second.rank == rank) continue;
          int64_t& touched = entering[part.value];
          touched = std::min(part.value->shape().byte_size(), touched + Touched(*kernel, value));
        }
      }
      for (const Instruction* value : kernel->outputs) {
        if (leaving_.contains(value)) bytes += value->shape().byte_size();
      }
    }
    for (const auto& [value, touched] : entering) bytes += touched;
    return bytes;
  }

  // Of an array that a kernel takes slices of or looks up in, only those.
  static int64_t Touched(const KernelPlan& kernel, const Instruction* value) {
    if (!value->shape().IsArray()) return 0;
    int64_t bytes = 0;
    for (const Instruction* reader : value->users()) {
      if (kernel.FindPlacement(reader) == nullptr && reader->opcode() != Opcode::kReduce) continue;
      const bool part = reader->operand(0) == value && (reader->opcode() == Opcode::kSlice ||
                                                        reader->opcode() == Opcode::kDynamicSlice ||
                                                        reader->opcode() == Opcode::kGather);
      bytes += part ? reader->shape().byte_size() : value->shape().byte_size();
    }
    return std::min(bytes, value->shape().byte_size());
  }

  const Plan& plan_;
  const Storage storage_;
  absl::flat_hash_map<const Instruction*, Origin> written_;
  absl::flat_hash_set<const Instruction*> leaving_;
  std::map<int64_t, std::vector<const KernelPlan*>> ranks_;
};

}  // namespace

LeastPlan LeastOf(const Plan& plan) { return Counter(plan).Run(); }

}  // namespace astitch
