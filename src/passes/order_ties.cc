// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Puts "index of the left <= index of the right" before a body, and keeps the new body if that is
// all it lacked (selection_proof.h).
#include "passes/order_ties.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ir/fold_order.h"
#include "ir/selection_proof.h"
#include "passes/constants.h"

namespace astitch {
namespace {

// VALUE ascends strictly along dimension D, from zero.
bool AscendsAlong(const Instruction& value, int64_t d) {
  const ElementType type = value.shape().element_type();
  if (!value.shape().IsArray() || !IsInteger(type)) return false;
  if (value.opcode() == Opcode::kIota) {
    const int bits = std::min(62, BitWidth(type) - (IsSigned(type) ? 1 : 0));
    return value.dimensions()[0] == d && value.shape().dim(d) <= int64_t{1} << bits;
  }
  if (value.opcode() != Opcode::kBroadcast) return false;
  const std::vector<int64_t>& dimensions = value.dimensions();
  const auto from = std::find(dimensions.begin(), dimensions.end(), d);
  return from != dimensions.end() && AscendsAlong(*value.operand(0), from - dimensions.begin());
}

// The operand that is the index of its element, and starts from an index that is no later.
std::optional<int64_t> IndexOperand(const Instruction& reduce) {
  if (reduce.num_operands() != 4 || reduce.dimensions().size() != 1) return std::nullopt;
  for (int64_t i = 0; i < 2; ++i) {
    if (AscendsAlong(*reduce.operand(i), reduce.dimensions()[0]) &&
        IsSplatOf(*reduce.operand(i + 2), 0))
      return i;
  }
  return std::nullopt;
}

// A new computation: BODY with its two elements ordered by result INDEX of theirs.
Computation* Ordered(Graph& graph, const Computation& body, int64_t index) {
  Computation* ordered = graph.AddComputation(body.name());
  std::vector<Instruction*> parameters;
  for (int64_t i = 0; i < 4; ++i) {
    const Instruction& origin = *body.parameters()[i];
    parameters.push_back(ordered->Add(Opcode::kParameter, origin.shape(), {},
                                      ParameterAttributes{i}, origin.name()));
  }
  const bool is_signed = IsSigned(parameters[index]->shape().element_type());
  Instruction* in_order = ordered->Add(
      Opcode::kCompare, Shape::Scalar(ElementType::kPred),
      {parameters[index], parameters[index + 2]},
      CompareAttributes{ComparisonDirection::kLe,
                        is_signed ? ComparisonType::kSigned : ComparisonType::kUnsigned});
  std::vector<Instruction*> made(body.id_bound(), nullptr);
  for (int64_t i = 0; i < 4; ++i) {
    Instruction* other = parameters[(i + 2) % 4];
    made[body.parameters()[i]->id()] =
        ordered->Add(Opcode::kSelect, parameters[i]->shape(), {in_order, parameters[i], other});
  }
  for (const auto& instruction : body.instructions()) {
    if (instruction->opcode() == Opcode::kParameter) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands())
      operands.push_back(made[operand->id()]);
    made[instruction->id()] = CloneWithOperands(*instruction, ordered, std::move(operands));
  }
  ordered->set_root(made[body.root()->id()]);
  return ordered;
}

}  // namespace

absl::StatusOr<bool> OrderTies::Run(Graph& graph) {
  std::vector<Instruction*> reduces;
  for (const auto& computation : graph.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kReduce) reduces.push_back(instruction.get());
    }
  }
  bool changed = false;
  std::map<std::pair<std::string, int64_t>, Computation*> bodies;  // null: order does not help
  for (Instruction* reduce : reduces) {
    const std::optional<int64_t> index = IndexOperand(*reduce);
    const Computation& body = *reduce->called()[0];
    if (!index.has_value() || FoldsInAnyOrder(body)) continue;
    const auto [it, first] = bodies.insert({{body.name(), *index}, nullptr});
    if (first) {
      Computation* ordered = Ordered(graph, body, *index);
      if (IsOrderFreeSelection(*ordered)) {
        it->second = ordered;
      } else {
        graph.RemoveComputation(ordered);
      }
    }
    if (it->second == nullptr) continue;
    reduce->set_called({it->second});
    changed = true;
  }
  if (changed) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
