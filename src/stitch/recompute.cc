// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One forward walk: cost and bytes of a value from memory, as sums over its operands.
#include "stitch/recompute.h"

#include <algorithm>

#include "ir/gather_dims.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"
#include "stitch/stage_rates.h"

namespace astitch {
namespace {

// Of what a store and a load take in time, what computing it again may: it is no load on DRAM, but
// what reads it may have operations of its own.
constexpr double kCheapShare = 0.5;
constexpr int64_t kFewOperations = 16;  // however simple: they are code in every kernel
constexpr int64_t kSmallBytes = 4096;   // scales and biases beside the data

bool IsReduction(const Instruction* i) {
  return i->opcode() == Opcode::kReduce || ScopeGraph::IsReduceElement(*i) || IsScan(*i);
}

// Never part of what its readers evaluate, nor has its operands evaluated in it.
bool StandsAlone(const Instruction* i) { return ScopeGraph::IsSolo(i) || IsScatter(*i); }

// PART of ALL of so many BYTES.
int64_t Share(int64_t bytes, int64_t part, int64_t all) {
  if (part == all) return bytes;
  return static_cast<int64_t>(static_cast<double>(bytes) * static_cast<double>(part) /
                              static_cast<double>(all));
}

// Whether READER is a scatter that takes each element of VALUE once, wherever it comes from: its operand
// as it starts from it, updates as it comes to their row. Indices have to be there for all rows.
bool ScattersFrom(const Instruction* value, const Instruction& reader) {
  if (reader.opcode() != Opcode::kScatter || !reader.shape().IsArray()) return false;
  return reader.operand(1) != value && WindowsAreSameOrApart(reader);
}

}  // namespace

bool MayEvaluateAtReaders(const ScopeGraph& scope, const Instruction* i) {
  if (!scope.InRegion(i) || IsReduction(i) || StandsAlone(i)) return false;
  if (scope.IsResult(i) || scope.readers(i).empty()) return false;
  return std::none_of(scope.readers(i).begin(), scope.readers(i).end(),
                      [&](const Instruction* reader) {
                        return (StandsAlone(reader) && !ScattersFrom(i, *reader)) ||
                               scope.ReadsFromMemory(*reader, i);
                      });
}

std::vector<bool> CheapFromMemory(const ScopeGraph& scope, const MachineModel& machine) {
  struct Way {
    int64_t cost = 0, operations = 0, bytes = 0;
  };
  std::vector<bool> cheap(scope.id_bound(), false);
  std::vector<Way> ways(scope.id_bound());
  for (const Instruction* i : scope.order()) {
    if (!MayEvaluateAtReaders(scope, i)) continue;
    Way way{ElementCost(*i), 1, 0};
    bool from_memory = true;
    for (int64_t k = 0; k < i->num_operands(); ++k) {
      const Instruction* operand = i->operand(k);
      if (IsImmediate(*operand)) continue;
      if (cheap[operand->id()]) {
        const Way& before = ways[operand->id()];
        way.cost += before.cost;
        way.operations += before.operations;
        way.bytes += Share(before.bytes, BytesTaken(*i, k), operand->shape().byte_size());
      } else if (MayEvaluateAtReaders(scope, operand) || IsReduction(operand)) {
        from_memory = false;  // nobody else stores it
      } else {
        way.bytes += operand->shape().IsArray() ? BytesTaken(*i, k) : 0;
      }
    }
    ways[i->id()] = way;
    cheap[i->id()] =
        from_memory && way.operations <= kFewOperations &&
        static_cast<double>(way.cost) < kCheapShare * OperationsOfRoundTrip(*i, machine) &&
        way.bytes <= i->shape().byte_size() + kSmallBytes;
  }
  return cheap;
}

}  // namespace astitch
