// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Counts phase by phase, slice by slice.
#include "stitch/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked_math.h"
#include "stitch/cache_model.h"
#include "stitch/op_class.h"
#include "stitch/residency.h"
#include "stitch/walk.h"

namespace astitch {
namespace {

// Whether STAGE does no more than send home what is in slots.
bool OnlyCopies(const PhaseDraft& phase, const StageDraft& stage) {
  const auto turned = [&](const RootDraft& root) {
    for (const StageDraft& other : phase.stages) {
      for (const RootDraft& from : other.roots) {
        if (from.kind == RootKind::kTurn && from.value == root.value && &other != &stage)
          return true;
      }
    }
    return false;
  };
  return std::all_of(stage.roots.begin(), stage.roots.end(), turned);
}

// Sweeps of one tile over READ that go to DRAM: one, if the rows in flight stay in cache or the
// value is kept.
int64_t SweepsFromDram(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase,
                       const KernelPlan& kernel, const Instruction* read,
                       const MachineModel& machine) {
  if (std::find(draft.reads_again.begin(), draft.reads_again.end(), read) ==
      draft.reads_again.end())
    return 1;
  const Placement* placement = kernel.FindPlacement(read);
  if (placement != nullptr && placement->keep != Keep::kNone) return 1;
  if (kernel.launch.grid * TileBytesOf(*read, phase) <= RereadableBytes(machine)) return 1;
  int64_t sweeps = 0;
  for (const StageDraft& stage : draft.stages)
    sweeps += stage.columns.empty() || OnlyCopies(draft, stage) ? 0 : 1;
  return std::max<int64_t>(1, sweeps);
}

}  // namespace

int64_t TouchedBytes(const RegionInfo& info, const Instruction* input) {
  if (!input->shape().IsArray()) return 0;
  const int64_t all = input->shape().byte_size();
  int64_t touched = 0;
  for (const Instruction* reader : info.readers(input)) {
    for (int64_t i = 0; i < reader->num_operands(); ++i)
      touched += reader->operand(i) == input ? BytesTaken(*reader, i) : 0;
  }
  return std::min(all, touched);
}

namespace {

// What PHASE reads of memory in places that gathers choose, and nowhere else, since it computes what they
// gather there: bytes of each.
absl::flat_hash_map<const Instruction*, int64_t> BytesLookedAt(const RegionInfo& info,
                                                               const PhaseDraft& phase) {
  const absl::flat_hash_set<const Instruction*> memory(phase.reads.begin(), phase.reads.end());
  absl::flat_hash_map<const Instruction*, int64_t> looked_at;
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<const Instruction*> gathers;
  // Calls READ with what evaluating the values of STACK reads, but not through gathers of computed values.
  const auto walk = [&](std::vector<const Instruction*> stack, auto read) {
    while (!stack.empty()) {
      const Instruction* value = stack.back();
      stack.pop_back();
      if (!seen.insert(value).second) continue;
      if (memory.contains(value) || !info.IsComputed(value)) {
        read(value);
        continue;
      }
      const bool gathers_computed = value->opcode() == Opcode::kGather &&
                                    info.IsComputed(value->operand(0)) &&
                                    !memory.contains(value->operand(0));
      if (gathers_computed) gathers.push_back(value);
      const absl::Span<Instruction* const> operands = info.OperandsOf(value, RootKind::kStore);
      stack.insert(stack.end(), operands.begin() + (gathers_computed ? 1 : 0), operands.end());
    }
  };
  std::vector<const Instruction*> roots;
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.kind == RootKind::kCombine) continue;
      const absl::Span<Instruction* const> operands = info.OperandsOf(root.value, root.kind);
      if (root.kind == RootKind::kScatter) {
        roots.insert(roots.end(), operands.begin(), operands.end());
      } else {
        roots.push_back(root.value);
      }
    }
  }
  walk(std::move(roots), [](const Instruction*) {});
  for (size_t g = 0; g < gathers.size(); ++g) {
    const int64_t looks = gathers[g]->shape().num_elements();
    walk({gathers[g]->operand(0)}, [&](const Instruction* read) {
      if (!read->shape().IsArray()) return;
      const int64_t bytes = looks * ByteWidth(read->shape().element_type());
      looked_at[read] = std::min(read->shape().byte_size(), bytes);
    });
  }
  return looked_at;
}

// Bytes of the result of a scatter that updates are written to: of each index vector, unless the result
// has fewer.
int64_t UpdatedBytes(const Instruction& scatter) {
  return std::min(scatter.shape().byte_size(), scatter.operand(2)->shape().byte_size());
}

// Walks through the phases as the kernel does, piece by piece, and counts what the cache lacks.
class Counter {
 public:
  Counter(const RegionInfo& info, const KernelDraft& draft, const KernelPlan& kernel,
          const MachineModel& machine)
      : info_(info),
        draft_(draft),
        kernel_(kernel),
        machine_(machine),
        looked_up_(FindLookedUp(info)),
        cache_(machine.last_cache_bytes()),
        traffic_(std::max<size_t>(1, kernel.phases.size())) {}

  std::vector<Traffic> Run() {
    for (const Instruction* input : kernel_.inputs) traffic_[0].bound += TouchedBytes(info_, input);
    for (const Instruction* output : kernel_.outputs)
      traffic_[0].bound += output->shape().byte_size();
    for (size_t p = 0; p < kernel_.phases.size();) {
      const auto [first, last] = kernel_.SlicedWith(p);
      const int64_t slices = kernel_.phases[p].num_slices();
      for (int64_t slice = 0; slice < slices; ++slice) {
        for (size_t q = first; q <= last; ++q) RunPhase(q, slice, slices);
      }
      p = last + 1;
    }
    return traffic_;
  }

 private:
  // An array as a phase touches it.
  struct Use {
    int64_t array = 0;
    int64_t bytes = 0;   // of all pieces
    bool walks = false;  // piece after piece; else all of it with each
    double share = 1;    // of the steps, after which it is done with
    double stays = 0;    // of the pieces, which are not touched
    bool writes = false, evict_first = false, counts = true;
    int64_t sweeps = 1;
  };

  // Pieces of an array: so many, and a whole number of them a slice.
  static constexpr int64_t kPieces = 64;
  static int64_t PiecesOf(int64_t slices) { return RoundUp(kPieces, slices); }

  void RunPhase(size_t number, int64_t slice, int64_t slices) {
    const bool fresh = slice == 0;
    std::vector<Use> uses = UsesOf(number);
    for (const Use& use : uses) Enter(use, number, slice, slices);
    const int64_t all = PiecesOf(slices), pieces = all / slices;
    const bool backward = WalksBackward(kernel_.phases[number], Grid());
    for (int64_t step = 0; step < pieces; ++step) {
      const int64_t at = backward ? pieces - 1 - step : step;
      for (const Use& use : uses) {
        if (!use.walks) {
          Touch(number, use, 0, all, fresh && step == 0);
          continue;
        }
        const int64_t begin = PieceAt(at, use.share, pieces);
        const int64_t end = PieceAt(at + 1, use.share, pieces);
        const int64_t there = std::llround(use.stays * static_cast<double>(pieces));
        for (int64_t piece = std::max(begin, there); piece < end; ++piece)
          Touch(number, use, slice * pieces + piece, all, false);
      }
    }
  }

  // The first of PIECES of an array that a phase comes to in step AT, when it is done with the array
  // after SHARE of its steps.
  static int64_t PieceAt(int64_t at, double share, int64_t pieces) {
    return std::min<int64_t>(pieces, std::ceil(static_cast<double>(at) / std::max(share, 1e-9)));
  }

  void Touch(size_t number, const Use& use, int64_t piece, int64_t pieces, bool first) {
    const int64_t begin = use.bytes * piece / pieces, end = use.bytes * (piece + 1) / pieces;
    const int64_t bytes = use.walks ? end - begin : use.bytes;
    const int64_t missing = cache_.Touch(use.array, use.walks ? piece : 0, bytes, use.evict_first);
    if (!use.counts) return;
    if (use.writes) {
      if (use.walks || first) traffic_[number].written += bytes;
    } else {
      traffic_[number].read += use.sweeps > 1 ? bytes * use.sweeps : missing;
    }
  }

  // Where another phase walked over the array in another order, what the slice has of it is here as a
  // whole or not at all.
  void Enter(const Use& use, size_t number, int64_t slice, int64_t slices) {
    const Instruction* array = arrays_[use.array];
    const Walk walk = array == nullptr ? Walk{} : WalkAt(number, array);
    const auto [it, fresh] = walks_.emplace(use.array, walk);
    if (fresh || (it->second == walk && !walk.at_once)) return;
    it->second = walk;
    // What little is missing is missing everywhere.
    constexpr double kNearlyAll = 0.9;
    const bool part = use.walks && slices > 1;
    const int64_t all = PiecesOf(slices), pieces = part ? all / slices : use.walks ? all : 1;
    const int64_t begin = part ? slice * pieces : 0;
    const auto bytes_until = [&](int64_t piece) {
      return use.bytes * piece / (use.walks ? all : 1);
    };
    const int64_t end = part ? begin + pieces : std::numeric_limits<int64_t>::max();
    const int64_t bytes = bytes_until(begin + pieces) - bytes_until(begin);
    const double here = static_cast<double>(cache_.Drop(use.array, begin, end)) /
                        static_cast<double>(std::max<int64_t>(1, bytes));
    if (here < kNearlyAll) return;
    for (int64_t piece = begin; piece < begin + pieces; ++piece) {
      const int64_t of = bytes_until(piece + 1) - bytes_until(piece);
      cache_.Touch(use.array, piece, static_cast<int64_t>(here * static_cast<double>(of)));
    }
  }

  int64_t ArrayOf(const Instruction* value) {
    const auto [it, fresh] = numbers_.emplace(value, static_cast<int64_t>(arrays_.size()));
    if (fresh) arrays_.push_back(value);
    return it->second;
  }

  // Parts of reductions, which no walk divides.
  int64_t PartsOf(const Instruction* value) {
    const auto [it, fresh] = parts_.emplace(value, static_cast<int64_t>(arrays_.size()));
    if (fresh) arrays_.push_back(nullptr);
    return it->second;
  }

  Walk WalkAt(size_t number, const Instruction* array) const {
    return WalkOf(info_, draft_.phases[number], kernel_.phases[number], Grid(), looked_up_, array);
  }

  // Workers take a share of the tasks each, in turn.
  int64_t Grid() const { return machine_.is_host() ? 0 : kernel_.launch.grid; }

  std::vector<Use> UsesOf(size_t number) {
    const PhaseDraft& draft = draft_.phases[number];
    std::vector<Use> uses;
    const auto looked_at = BytesLookedAt(info_, draft);
    for (const Instruction* read : draft.reads) {
      if (IsInBlocks(read)) continue;
      const Walk walk = WalkAt(number, read);
      uses.push_back(
          {.array = ArrayOf(read),
           .bytes = looked_at.contains(read) ? looked_at.at(read) : TouchedBytes(info_, read),
           .walks = walk.walks,
           .share = walk.share,
           .stays = StayingShare(read, number),
           .counts = !StaysInAnyOrder(read),
           .sweeps =
               SweepsFromDram(info_, draft, kernel_.phases[number], kernel_, read, machine_)});
    }
    for (size_t s = 0; s < draft.stages.size(); ++s) {
      for (const RootDraft& root : draft.stages[s].roots) {
        if (root.kind == RootKind::kTurn) continue;
        const bool tuple = root.value->shape().IsTuple();
        if (root.kind == RootKind::kScatter) {
          AddUpdates(*root.value, number);
          continue;
        }
        for (const Instruction* result :
             tuple ? info_.ResultsOf(root.value) : std::vector<const Instruction*>{root.value})
          AddResult(root, result, number, uses);
      }
    }
    return uses;
  }

  // The share of an array, at its beginning in every task, that phase NUMBER finds in shared memory.
  double StayingShare(const Instruction* read, size_t number) const {
    const Placement* place = kernel_.FindPlacement(read);
    return place == nullptr ? 0 : kernel_.StayingShare(*place, number);
  }

  void AddResult(const RootDraft& root, const Instruction* result, size_t number,
                 std::vector<Use>& uses) {
    const Placement* place = kernel_.FindPlacement(result);
    if (place == nullptr) return;
    if (root.partial || root.kind == RootKind::kCombine) {
      uses.push_back({.array = PartsOf(result),
                      .bytes = place->partial_bytes,
                      .writes = root.partial,
                      .counts = !ScratchStays()});
    }
    if (root.partial || (place->home != Home::kOutput && place->home != Home::kGlobal)) return;
    bool streams = false;
    for (const Stage& stage : kernel_.phases[number].stages) {
      for (const Root& planned : stage.roots)
        streams |= planned.value == root.value && stage.streaming;
    }
    const Walk walk = WalkAt(number, result);
    uses.push_back({.array = ArrayOf(result),
                    .bytes = result->shape().byte_size(),
                    .walks = walk.walks,
                    .share = walk.share,
                    .writes = true,
                    .evict_first = streams,
                    .counts = place->home == Home::kOutput || !ScratchStays()});
  }

  // Lines that were copied come and go once more, unless the last cache has them still. What starts from
  // one value everywhere is not read.
  void AddUpdates(const Instruction& scatter, size_t number) {
    if (machine_.is_host() || scatter.shape().byte_size() <= machine_.last_cache_bytes() / 2)
      return;
    const bool uniform = scatter.operand(0)->opcode() == Opcode::kBroadcast;
    traffic_[number].read += uniform ? 0 : UpdatedBytes(scatter);
    traffic_[number].written += UpdatedBytes(scatter);
  }

  bool IsInBlocks(const Instruction* value) const {
    const auto home = draft_.homes.find(value);
    return home != draft_.homes.end() && home->second == Home::kBlock;
  }

  // Scratch so small that the last cache has it still, whatever went through meanwhile: tasks come to it
  // again and again.
  bool StaysInAnyOrder(const Instruction* value) const {
    constexpr int64_t kStays = 16;  // times smaller
    const auto home = draft_.homes.find(value);
    return !machine_.is_host() && home != draft_.homes.end() && home->second == Home::kGlobal &&
           ScratchStays() && value->shape().byte_size() <= machine_.last_cache_bytes() / kStays;
  }

  // Scratch that the last cache holds is written and read there.
  bool ScratchStays() const {
    return kernel_.launch.scratch_bytes <= machine_.last_cache_bytes() / 2;
  }

  const RegionInfo& info_;
  const KernelDraft& draft_;
  const KernelPlan& kernel_;
  const MachineModel& machine_;
  const absl::flat_hash_set<const Instruction*> looked_up_;
  CacheModel cache_;
  std::vector<Traffic> traffic_;            // by phase
  std::vector<const Instruction*> arrays_;  // by number; null: parts
  absl::flat_hash_map<const Instruction*, int64_t> numbers_, parts_;
  absl::flat_hash_map<int64_t, Walk> walks_;  // of each array, as the cache has it
};

}  // namespace

std::vector<Traffic> CountTraffic(const RegionInfo& info, const KernelDraft& draft,
                                  const KernelPlan& kernel, const MachineModel& machine) {
  return Counter(info, draft, kernel, machine).Run();
}

Traffic SumOf(const std::vector<Traffic>& phases) {
  Traffic sum;
  for (const Traffic& phase : phases) {
    sum.read += phase.read;
    sum.written += phase.written;
    sum.bound += phase.bound;
  }
  return sum;
}

}  // namespace astitch
