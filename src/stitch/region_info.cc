// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Builds the look-ups of RegionInfo once.
#include "stitch/region_info.h"

#include <algorithm>

#include "stitch/narrow_columns.h"

namespace astitch {
namespace {

// Only arrays have axes that could be shared through memory.
std::vector<const Instruction*> ArrayInputs(const Region& region) {
  std::vector<const Instruction*> out;
  for (const Instruction* input : region.inputs) {
    if (input->shape().IsArray()) out.push_back(input);
  }
  return out;
}

}  // namespace

const Shape& ArrayShapeOf(const Instruction& value) {
  return value.shape().IsTuple() ? value.shape().elements()[0] : value.shape();
}

RegionInfo::RegionInfo(const Region& region, const MachineModel& machine,
                       const absl::flat_hash_set<const Instruction*>& scatters)
    : region_(region),
      axes_(ArrayInputs(region), region.values),
      folded_columns_(WidenNarrowColumns(region, machine, axes_)),
      inputs_(region.inputs.begin(), region.inputs.end()),
      outputs_(region.outputs.begin(), region.outputs.end()) {
  for (size_t n = 0; n < region.values.size(); ++n)
    number_[region.values[n]] = static_cast<int64_t>(n);
  for (const Instruction* value : region.values) {
    if (scatters.contains(value)) updated_.insert(value);
  }
  for (const Instruction* value : region.values) {
    for (const Instruction* operand : value->operands()) {
      std::vector<const Instruction*>& readers = readers_[operand];
      if (readers.empty() || readers.back() != value) readers.push_back(value);
    }
  }
}

const std::vector<const Instruction*>& RegionInfo::readers(const Instruction* value) const {
  static const auto* const kNone = new std::vector<const Instruction*>();
  const auto it = readers_.find(value);
  return it == readers_.end() ? *kNone : it->second;
}

absl::Span<Instruction* const> RegionInfo::OperandsOf(const Instruction* value,
                                                      RootKind kind) const {
  const absl::Span<Instruction* const> all = value->operands();
  if (!IsUpdated(value)) return all;
  return kind == RootKind::kScatter ? all.subspan(1) : all.first(1);
}

std::vector<const Instruction*> RegionInfo::ResultsOf(const Instruction* reduce) const {
  if (reduce->shape().IsArray()) return {reduce};
  std::vector<const Instruction*> results;
  for (const Instruction* reader : readers(reduce)) {
    if (reader->opcode() == Opcode::kGetTupleElement) results.push_back(reader);
  }
  return results;
}

const Instruction* RegionInfo::ReduceOf(const Instruction* result) {
  if (result->opcode() == Opcode::kReduce) return result;
  if (result->opcode() == Opcode::kGetTupleElement &&
      result->operand(0)->opcode() == Opcode::kReduce) {
    return result->operand(0);
  }
  return nullptr;
}

}  // namespace astitch
