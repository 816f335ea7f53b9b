// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What random graphs reach: kinds of operations, element types, homes and mappings, together. A cell
// that is legal and hardly ever hit is a part of the code generators that nothing tests.
//
// What is counted: every operation of every stage that evaluates or reads it, in the plans of
//
//   the graphs that run on every commit (ci_graphs.h), for each of the GPUs they run on
//   graphs of the same series that are planned for one GPU and not run here: all that have a focus,
//   since a cell such as a pad of s8 that is read by columns takes hundreds of graphs to be met
//   twenty times; those of the label `long` run some of them
//
// A legal cell has to be hit twenty times by both together, and a third of the cells by the first
// alone; the table says how often by each.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status.h"
#include "passes/pass_runner.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/random/ci_graphs.h"
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
  if (stage.vector_rows && phase.threads_per_row > 1) return "turned";
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

// Which cells are legal. A value is evaluated in registers in any sweep, and stored as a result by
// any. Beyond that it is handed on through scratch, which the planner does with what is dear:
// reductions and elementwise operations, these not to folds of columns, which would sooner evaluate
// them again. A slot of a block has whatever several sweeps of its rows would have to evaluate again
// at a cost, of any type: see IsKept. Few kinds are narrower. Products are a library's, in calls of
// their own.
constexpr const char* kMappings[] = {"flat",       "rows", "lanes along rows", "turned", "columns",
                                     "split rows", "call"};
constexpr const char* kHomes[] = {"local", "output", "regional", "block", "global", "library"};

bool IsOneOf(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool HasType(const std::string& kind, ElementType type) {
  if (kind == "compare") return IsPred(type);
  if (kind == "dot") return !IsPred(type) && (!IsFloat(type) || BitWidth(type) >= 16);
  if (kind == "iota" || kind == "reduce-window") return !IsPred(type);
  return true;
}

// Whether sweeps of MAPPING find a value that KIND made in a slot of their block. Not where tasks
// split the rows, and not what costs nothing to evaluate again: numbers of places, elements that lie
// in memory. What moves elements makes, beside whole rows of a block's own, mostly values of other
// rows, which have no slot; folds of columns are asked for what they read most.
bool IsKept(const std::string& kind, const std::string& mapping) {
  if (IsOneOf(kind, {"iota", "gather"}) || mapping == "split rows") return false;
  if (mapping == "rows") return true;
  if (mapping == "turned" && kind == "reduce") return true;
  if (mapping == "columns") return kind == "elementwise";
  return IsOneOf(kind, {"compare", "convert", "elementwise", "select"});
}

bool HasPlace(const std::string& kind, const std::string& home, const std::string& mapping) {
  if (home == "library" || mapping == "call")
    return kind == "dot" && home == "library" && mapping == "call";
  // Read several times by a kernel, which keeps it.
  if (kind == "dot") return home == "local" && IsOneOf(mapping, {"flat", "rows"});
  // Made in memory, and read there.
  if (kind == "scatter") return IsOneOf(home, {"output", "global"});
  // Sweeps of their own: they look at a window for each element.
  if (kind == "reduce-window") {
    return home == "local" ? mapping != "split rows"
                           : home == "output" && IsOneOf(mapping, {"flat", "rows"});
  }
  // What a small phase makes of little: sums, and what is made of them.
  if (home == "block") return kind == "reduce" || (kind == "elementwise" && mapping == "rows");
  if (home == "global") return kind == "reduce" || (kind == "elementwise" && mapping != "columns");
  if (home == "regional") return IsKept(kind, mapping);
  return true;
}

struct Hits {
  int run = 0, planned = 0;
  int all() const { return run + planned; }
};

// TARGET: a name, or @ and a file.
MachineModel MachineOf(const std::string& target) {
  if (target[0] != '@') return FindMachine(target).value();
  const std::string file = target.substr(1);
  return ParseMachine(ReadFile(file).value(), file).value();
}

absl::StatusOr<Plan> PlanOf(uint32_t seed, const MachineModel& machine) {
  std::unique_ptr<Graph> graph = MakeRandomGraph(OptionsOf(seed, kSimulatorGraphs.largest));
  ASTITCH_RETURN_IF_ERROR(RunPasses(*graph, StandardPipeline()).status());
  return MakePlan(std::move(graph), machine, {});
}

// Counts the cells of a plan; whether one block reads in a kernel what another wrote.
bool Count(const Plan& plan, std::map<Cell, int>& cells) {
  bool across_blocks = false;
  for (const PlanStep& step : plan.steps) {
    if (const auto* call = std::get_if<DotCall>(&step)) {
      const ElementType type = call->dot->shape().element_type();
      ++cells[{"dot", std::string(ToString(type)), "library", "call"}];
    }
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) continue;
    Count(*kernel, cells);
    across_blocks |= kernel->launch.grid > 1 && kernel->phases.size() > 1;
  }
  return across_blocks;
}

bool HasStack(const Plan& plan) {
  return std::any_of(plan.ledger.begin(), plan.ledger.end(),
                     [](const LedgerEntry& entry) { return entry.reason == "in-its-place"; });
}

// Of the graphs that run; at least a quarter of them meet across blocks, and some have a stack.
std::map<Cell, int> CellsOfRuns() {
  std::map<Cell, int> cells;
  std::map<std::string, MachineModel> machines;
  int runs = 0, across_blocks = 0, with_stack = 0;
  for (uint32_t i = 0; i < kSimulatorGraphs.count; ++i) {
    const uint32_t seed = kSimulatorGraphs.first + i;
    for (const Way& way : SimulatorWaysOf(seed)) {
      auto it = machines.find(way.target);
      if (it == machines.end()) it = machines.emplace(way.target, MachineOf(way.target)).first;
      const auto plan = PlanOf(seed, it->second);
      ++runs;
      if (!plan.ok()) continue;
      across_blocks += Count(*plan, cells);
      with_stack += HasStack(*plan);
    }
  }
  std::cout << across_blocks << " of " << runs << " runs on GPUs have an edge across blocks, "
            << with_stack << " a stack\n";
  EXPECT_GE(4 * across_blocks, runs);
  EXPECT_GE(with_stack, 20);
  return cells;
}

std::map<Cell, int> CellsOfPlans(uint32_t first, uint32_t graphs, uint32_t stride) {
  const MachineModel machine = FindMachine("sm_80").value();
  std::map<Cell, int> cells;
  for (uint32_t i = 0; i < graphs; ++i) {
    const auto plan = PlanOf(first + i * stride, machine);
    if (plan.ok()) Count(*plan, cells);
  }
  return cells;
}

TEST(RandomCoverage, EveryLegalCellIsHit) {
  constexpr int kLeast = 20;
  constexpr uint32_t kFirst = kSimulatorGraphs.first + kSimulatorGraphs.count, kAny = 6000,
                     kWithFocus = 96000;
  std::map<Cell, Hits> cells;
  for (const auto& [cell, n] : CellsOfRuns()) cells[cell].run += n;
  for (const auto& [cell, n] : CellsOfPlans(kFirst, kAny, 1)) cells[cell].planned += n;
  const uint32_t focused = (kFirst + kAny) / kFocusStride * kFocusStride + kFocusStride - 1;
  for (const auto& [cell, n] : CellsOfPlans(focused, kWithFocus, kFocusStride))
    cells[cell].planned += n;
  std::cout << absl::StrFormat("%-22s %-9s %-9s %-17s %8s %8s\n", "kind", "type", "home", "mapping",
                               "run", "planned");
  for (const auto& [cell, hits] : cells) {
    const auto& [kind, type, home, mapping] = cell;
    std::cout << absl::StrFormat("%-22s %-9s %-9s %-17s %8d %8d\n", kind, type, home, mapping,
                                 hits.run, hits.planned);
  }
  int legal = 0, by_runs = 0;
  for (const std::string kind : kKinds) {
    for (ElementType type : kTypes) {
      if (!HasType(kind, type)) continue;
      for (const std::string home : kHomes) {
        for (const std::string mapping : kMappings) {
          if (!HasPlace(kind, home, mapping)) continue;
          const Hits hits = cells[{kind, std::string(ToString(type)), home, mapping}];
          EXPECT_GE(hits.all(), kLeast)
              << kind << " of " << ToString(type) << ", " << home << ", " << mapping;
          ++legal;
          by_runs += hits.run >= kLeast;
        }
      }
    }
  }
  std::cout << legal << " legal cells; " << by_runs << " of them are hit " << kLeast
            << " times by what runs on every commit\n";
  EXPECT_GE(3 * by_runs, legal);
}

}  // namespace
}  // namespace astitch::testing
