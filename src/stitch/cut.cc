// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which phase evaluates and which stores a value says to which part it belongs.
#include "stitch/cut.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "plan/kernel_flow.h"
#include "stitch/region_info.h"

namespace astitch {
namespace {

// Several kernels have to be predicted to be so much faster than one.
constexpr double kClearly = 1.15;

class Cutter {
 public:
  Cutter(const Region& region, const KernelPlan& kernel)
      : region_(region), kernel_(kernel), inputs_(region.inputs.begin(), region.inputs.end()) {}

  std::vector<Region> Run() {
    const int parts = NumberParts();
    if (parts < 2) return {};
    FindValues(parts);
    std::vector<Region> out;
    for (int part = 0; part < parts; ++part) {
      Region& of = out.emplace_back();
      if (!Fill(part, of)) return {};
    }
    SetOutputs(out);
    // A phase may only finish what others made, say by names of it.
    const bool all = std::all_of(out.begin(), out.end(), [](const Region& part) {
      return !part.values.empty() && !part.outputs.empty();
    });
    return all ? out : std::vector<Region>{};
  }

 private:
  using Values = absl::flat_hash_set<const Instruction*>;

  // The part of each phase. Returns how many there are.
  int NumberParts() {
    absl::flat_hash_set<const Instruction*> scattered;
    for (const Phase& phase : kernel_.phases) {
      for (const Stage& stage : phase.stages) {
        for (const Root& root : stage.roots) {
          if (root.kind == RootKind::kScatter) scattered.insert(root.value);
        }
      }
    }
    absl::flat_hash_map<const Instruction*, size_t> waiting;   // since the phase
    std::vector<bool> together(kernel_.phases.size(), false);  // with the phase before
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      for (const Stage& stage : kernel_.phases[p].stages) {
        for (const Root& root : stage.roots) {
          const bool updates = root.kind == RootKind::kScatter;
          if (root.leaves_parts() || (scattered.contains(root.value) && !updates))
            waiting.emplace(root.value, p);
          if (!(root.takes_parts() || updates) || !waiting.contains(root.value)) continue;
          for (size_t q = waiting[root.value] + 1; q <= p; ++q) together[q] = true;
        }
      }
    }
    int part = 0;
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      const bool waits = kernel_.phases[p].barrier == PhaseBarrier::kGrid;
      if (p > 0 && waits && !together[p]) ++part;
      part_of_phase_.push_back(part);
    }
    return part + 1;
  }

  void FindValues(int parts) {
    evaluated_.resize(parts);
    for (const KernelFlow::Sweep& sweep : FlowOf(kernel_).sweeps) {
      Values& values = evaluated_[part_of_phase_[sweep.at.phase]];
      for (const Instruction* value : sweep.values) {
        if (!inputs_.contains(value)) values.insert(value);
      }
    }
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      for (const Stage& stage : kernel_.phases[p].stages) {
        for (const Root& root : stage.roots) {
          if (root.leaves_parts()) continue;
          stored_in_[root.value] = part_of_phase_[p];
          for (const Instruction* result : ElementsOf(root.value))
            stored_in_[result] = part_of_phase_[p];
        }
      }
    }
  }

  static std::vector<const Instruction*> ElementsOf(const Instruction* value) {
    std::vector<const Instruction*> elements;
    if (!value->shape().IsTuple()) return elements;
    for (const Instruction* user : value->users()) {
      if (user->opcode() == Opcode::kGetTupleElement) elements.push_back(user);
    }
    return elements;
  }

  // An element of a tuple is where the tuple is.
  bool ComputedIn(int part, const Instruction* value) const {
    if (value->opcode() == Opcode::kGetTupleElement) value = value->operand(0);
    return evaluated_[part].contains(value);
  }

  // False: the part reads what nobody has stored before it.
  bool Fill(int part, Region& of) const {
    Values inputs;
    for (const Instruction* value : region_.values) {
      if (!ComputedIn(part, value)) continue;
      of.values.push_back(value);
      for (const Instruction* operand : value->operands()) {
        if (IsImmediate(*operand) || ComputedIn(part, operand)) continue;
        if (!inputs.insert(operand).second) continue;
        of.inputs.push_back(operand);
        const auto stored = stored_in_.find(operand);
        if (!inputs_.contains(operand) && (stored == stored_in_.end() || stored->second >= part))
          return false;
      }
    }
    return true;
  }

  void SetOutputs(std::vector<Region>& parts) const {
    Values wanted(region_.outputs.begin(), region_.outputs.end());
    for (const Region& part : parts) wanted.insert(part.inputs.begin(), part.inputs.end());
    for (size_t part = 0; part < parts.size(); ++part) {
      Region& of = parts[part];
      for (const Instruction* value : of.values) {
        const auto stored = stored_in_.find(value);
        if (wanted.contains(value) && stored != stored_in_.end() &&
            stored->second == static_cast<int>(part))
          of.outputs.push_back(value);
      }
      if (!of.outputs.empty()) of.name = of.outputs.back()->name();
    }
  }

  const Region& region_;
  const KernelPlan& kernel_;
  const Values inputs_;
  std::vector<int> part_of_phase_;
  std::vector<Values> evaluated_;  // by part
  absl::flat_hash_map<const Instruction*, int> stored_in_;
};

using ValueSet = absl::flat_hash_set<const Instruction*>;

// Values that one of PARTS makes and another reads, in the order of their making.
std::vector<const Instruction*> HandedOver(const std::vector<Region>& parts) {
  ValueSet read;
  for (const Region& part : parts) read.insert(part.inputs.begin(), part.inputs.end());
  std::vector<const Instruction*> out;
  for (const Region& part : parts) {
    for (const Instruction* value : part.outputs) {
      if (read.contains(value)) out.push_back(value);
    }
  }
  return out;
}

void Take(int64_t bytes, int64_t Traffic::* what, std::vector<Traffic>& traffic) {
  for (Traffic& phase : traffic) {
    const int64_t taken = std::min(bytes, phase.*what);
    phase.*what -= taken;
    bytes -= taken;
  }
}

}  // namespace

std::vector<Region> CutAtBarriers(const Region& region, const KernelPlan& kernel) {
  std::vector<Region> parts = Cutter(region, kernel).Run();
  if (HandedOver(parts).empty()) parts.clear();
  return parts;
}

void LeaveInCache(const Region& region, const std::vector<Region>& parts, const Region& part,
                  const MachineModel& machine, std::vector<Traffic>& traffic) {
  const std::vector<const Instruction*> list = HandedOver(parts);
  const ValueSet handed(list.begin(), list.end());
  const ValueSet results(region.outputs.begin(), region.outputs.end());
  int64_t bytes = 0, read = 0, written = 0;
  for (const Instruction* value : list) bytes += value->shape().byte_size();
  if (bytes > machine.last_cache_bytes() / 2) return;
  for (const Instruction* value : part.inputs)
    read += handed.contains(value) ? value->shape().byte_size() : 0;
  for (const Instruction* value : part.outputs)
    written += results.contains(value) ? 0 : value->shape().byte_size();
  Take(read, &Traffic::read, traffic);
  Take(written, &Traffic::written, traffic);
}

bool CutChoice::cuts() const {
  return static_cast<double>(one_ns) > kClearly * static_cast<double>(several_ns);
}

LedgerEntry CutEntry(const std::vector<Region>& parts, const KernelPlan& one,
                     const CutChoice& choice) {
  const Instruction* largest = nullptr;
  for (const Instruction* value : HandedOver(parts)) {
    if (largest == nullptr || value->shape().byte_size() > largest->shape().byte_size())
      largest = value;
  }
  const Placement* place = one.FindPlacement(largest);
  LedgerEntry entry;
  entry.producer = largest;
  entry.bytes = largest->shape().byte_size();
  entry.home = choice.cuts() || place == nullptr ? "memory" : std::string(ToString(place->home));
  entry.reason = choice.cuts() ? "several-kernels" : "one-kernel";
  entry.detail = absl::StrFormat(
      "predicted %.1f us in one kernel with %d %s of the grid, %.1f us in %d kernels",
      static_cast<double>(choice.one_ns) / 1e3, choice.barriers,
      choice.barriers == 1 ? "barrier" : "barriers", static_cast<double>(choice.several_ns) / 1e3,
      choice.kernels);
  return entry;
}

}  // namespace astitch
