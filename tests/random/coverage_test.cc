// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What random graphs reach: kinds of operations, element types, homes and mappings, counted over the
// plans of some thousand graphs. A cell that is legal and hardly ever hit is a part of the code
// generators that nothing tests.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "passes/pass_runner.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/random/random_graph.h"
#include "tests/random/search.h"

namespace astitch::testing {
namespace {

std::string KindOfOp(const Instruction& value) {
  switch (KindOf(value.opcode())) {
    case OpKind::kElementwise:
      switch (value.opcode()) {
        case Opcode::kConvert:
        case Opcode::kBitcastConvert:
          return "convert";
        case Opcode::kCompare:
          return "compare";
        case Opcode::kSelect:
        case Opcode::kClamp:
          return "select";
        default:
          return "elementwise";
      }
    default:
      return std::string(ToString(value.opcode()));
  }
}

std::string MappingOf(const Phase& phase, const Stage& stage, const Root& root) {
  if (phase.rows.empty()) return "flat";
  if (phase.cols_per_task > 0) return "split rows";
  if (root.over == ReduceOver::kRows || root.over == ReduceOver::kAll) return "columns";
  return stage.vector_rows ? "lanes along rows" : "rows";
}

using Cell = std::tuple<std::string, std::string, std::string, std::string>;

void Count(const KernelPlan& kernel, std::map<Cell, int>& cells) {
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        const std::string mapping = MappingOf(phase, stage, root);
        std::vector<const Instruction*> stack = {root.value};
        absl::flat_hash_set<const Instruction*> seen = {root.value};
        while (!stack.empty()) {
          const Instruction* value = stack.back();
          stack.pop_back();
          const Placement* place = kernel.FindPlacement(value);
          const bool tuple = value->shape().IsTuple();
          if (place == nullptr && !tuple) continue;
          const ElementType type =
              (tuple ? value->shape().elements()[0] : value->shape()).element_type();
          const std::string home = tuple ? "local" : std::string(ToString(place->home));
          ++cells[{KindOfOp(*value), std::string(ToString(type)), home, mapping}];
          if (value != root.value && home != "local") continue;
          for (const Instruction* operand : value->operands()) {
            if (seen.insert(operand).second) stack.push_back(operand);
          }
        }
      }
    }
  }
}

// Kinds that are made of few types, and the types that they lack.
bool IsLegal(const std::string& kind, ElementType type) {
  if (kind == "compare") return IsPred(type);
  if (kind == "dot") return type == ElementType::kF32;
  if (kind == "iota" || kind == "reduce-window") return !IsPred(type);
  return true;
}

constexpr const char* kKinds[] = {"broadcast",
                                  "compare",
                                  "concatenate",
                                  "convert",
                                  "dot",
                                  "dynamic-slice",
                                  "dynamic-update-slice",
                                  "elementwise",
                                  "gather",
                                  "iota",
                                  "pad",
                                  "reduce",
                                  "reduce-window",
                                  "reshape",
                                  "reverse",
                                  "scatter",
                                  "select",
                                  "slice",
                                  "transpose"};
constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS8,       ElementType::kS16,
                                  ElementType::kS32,  ElementType::kS64,      ElementType::kU8,
                                  ElementType::kU16,  ElementType::kU32,      ElementType::kU64,
                                  ElementType::kF16,  ElementType::kBF16,     ElementType::kF32,
                                  ElementType::kF64,  ElementType::kF8E4M3FN, ElementType::kF8E5M2};

// Where each kind may be: results that a kernel stores or hands on, in each mapping; what folds, and
// what is expensive, in every home.
struct Places {
  const char* kind;  // "": all but dot, which no kernel stores
  const char* home;
  const char* mapping;
};
constexpr Places kPlaces[] = {
    {"", "local", "flat"},
    {"", "local", "rows"},
    {"", "output", "flat"},
    {"", "output", "rows"},
    {"broadcast", "local", "lanes along rows"},
    {"broadcast", "local", "columns"},
    {"broadcast", "local", "split rows"},
    {"elementwise", "local", "lanes along rows"},
    {"elementwise", "local", "columns"},
    {"elementwise", "local", "split rows"},
    {"elementwise", "regional", "rows"},
    {"elementwise", "regional", "lanes along rows"},
    {"elementwise", "global", "flat"},
    {"elementwise", "global", "rows"},
    {"elementwise", "output", "columns"},
    {"elementwise", "output", "split rows"},
    {"reduce", "local", "rows"},
    {"reduce", "local", "columns"},
    {"reduce", "local", "split rows"},
    {"reduce", "global", "rows"},
    {"reduce", "global", "columns"},
    {"reduce", "global", "split rows"},
    {"reduce", "output", "columns"},
    {"reduce", "output", "split rows"},
    {"transpose", "output", "lanes along rows"},
};

// Plans only, so that there can be many.
std::map<Cell, int> CountCells(const MachineModel& machine, uint32_t graphs) {
  std::map<Cell, int> cells;
  for (uint32_t seed = 1; seed <= graphs; ++seed) {
    std::unique_ptr<Graph> graph = MakeRandomGraph(OptionsOf(seed, 20000));
    if (!RunPasses(*graph, StandardPipeline()).ok()) continue;
    const auto plan = MakePlan(std::move(graph), machine, {});
    if (!plan.ok()) continue;
    for (const PlanStep& step : plan->steps) {
      if (const auto* kernel = std::get_if<KernelPlan>(&step)) Count(*kernel, cells);
    }
  }
  return cells;
}

TEST(RandomCoverage, EveryLegalCellIsHit) {
  constexpr int kLeast = 20;
  constexpr uint32_t kGraphs = 28000;
  const std::map<Cell, int> cells = CountCells(FindMachine("sm_80").value(), kGraphs);
  std::map<std::pair<std::string, std::string>, int> by_type;
  std::map<std::tuple<std::string, std::string, std::string>, int> by_place;
  for (const auto& [cell, n] : cells) {
    const auto& [kind, type, home, mapping] = cell;
    by_type[{kind, type}] += n;
    by_place[{kind, home, mapping}] += n;
    std::cout << absl::StrFormat("%-22s %-9s %-9s %-17s %8d\n", kind, type, home, mapping, n);
  }
  for (const std::string kind : kKinds) {
    for (ElementType type : kTypes) {
      if (!IsLegal(kind, type)) continue;
      const std::string word(ToString(type));
      EXPECT_GE((by_type[{kind, word}]), kLeast) << kind << " of " << word;
    }
    for (const Places& place : kPlaces) {
      const bool legal = kind == place.kind || (place.kind[0] == 0 && kind != "dot");
      if (!legal) continue;
      EXPECT_GE((by_place[{kind, place.home, place.mapping}]), kLeast)
          << kind << ", " << place.home << ", " << place.mapping;
    }
  }
}

}  // namespace
}  // namespace astitch::testing
