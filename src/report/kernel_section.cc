// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The section of the kernels: pictures, as far as they help and the page stays light.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/html_text.h"
#include "report/kernel_drawing.h"
#include "report/kernel_svg.h"
#include "report/page_sections.h"
#include "report/quantity_text.h"

namespace astitch {
namespace {

constexpr size_t kOpenNodes = 120;     // more are folded
constexpr size_t kOpenKernels = 6;     // so are kernels behind so many
constexpr size_t kDrawnNodes = 400;    // more are told by class
constexpr size_t kNodesOfPage = 4000;  // so is everything once so many are drawn: some megabytes

absl::string_view WordOf(OpKind kind) {
  switch (kind) {
    case OpKind::kElementwise:
      return "elementwise";
    case OpKind::kIndexMap:
      return "moved by a fixed map";
    case OpKind::kDynamicMap:
      return "moved by values";
    case OpKind::kSource:
      return "sources";
    case OpKind::kReduction:
      return "reductions";
    case OpKind::kContraction:
      return "products";
    case OpKind::kControl:
      return "control";
    case OpKind::kTuple:
      return "tuples";
    case OpKind::kLibrary:
      return "library routines";
    case OpKind::kCollective:
      return "collectives";
    case OpKind::kOther:
      return "others";
  }
  ASTITCH_UNREACHABLE();
}

// A table: for each class the operations, how many of each, and in which homes.
std::string ClassTable(const KernelDrawing& drawing) {
  struct Class {
    std::map<std::string, int64_t> opcodes;
    std::map<std::string, int64_t> homes;
    int64_t count = 0;
  };
  std::map<std::string, Class> classes;
  for (const KernelDrawing::Node& node : drawing.nodes) {
    const std::string word =
        node.input ? "inputs" : std::string(WordOf(KindOf(node.value->opcode())));
    Class& of = classes[word];
    ++of.count;
    ++of.opcodes[std::string(ToString(node.value->opcode()))];
    if (!node.input && node.place != nullptr) ++of.homes[std::string(ToString(node.place->home))];
  }
  const auto counts = [](const std::map<std::string, int64_t>& of) {
    return absl::StrJoin(of, ", ", [](std::string* out, const auto& entry) {
      absl::StrAppend(out, entry.first, " ", entry.second);
    });
  };
  std::string out =
      "<table><tr><th>class</th><th "
      "class=\"n\">values</th><th>homes</th><th>operations</th></tr>\n";
  for (const auto& [word, of] : classes) {
    absl::StrAppend(&out, "<tr><td>", word, "</td><td class=\"n\">", of.count, "</td><td>",
                    counts(of.homes), "</td><td class=\"w\">",
                    word == "inputs" ? "" : counts(of.opcodes), "</td></tr>\n");
  }
  return out + "</table>\n";
}

std::string StageTable(const KernelPlan& kernel) {
  std::string out =
      "<table><tr><th>phase</th><th>rows</th><th>stage</th><th>columns</th><th>barrier before</th>"
      "<th class=\"n\">stored or folded</th></tr>\n";
  for (size_t p = 0; p < kernel.phases.size(); ++p) {
    const Phase& phase = kernel.phases[p];
    for (size_t s = 0; s < phase.stages.size(); ++s) {
      const Stage& stage = phase.stages[s];
      const absl::string_view barrier = s == 0 ? ToString(phase.barrier) : ToString(stage.barrier);
      absl::StrAppend(&out, "<tr><td>", p, "</td><td>", ExtentsText(phase.rows), "</td><td>", s,
                      "</td><td>", ExtentsText(stage.columns), "</td><td>", barrier,
                      "</td><td class=\"n\">", stage.roots.size(), "</td></tr>\n");
    }
  }
  return out + "</table>\n";
}

std::string LaunchWords(const KernelPlan& kernel) {
  const Launch& launch = kernel.launch;
  // A block of one thread is a worker.
  const bool host = launch.block == 1;
  std::string words =
      host ? absl::StrCat(launch.grid, launch.grid == 1 ? " worker" : " workers")
           : absl::StrCat(launch.grid, launch.grid == 1 ? " block of " : " blocks of ",
                          launch.block, " threads");
  if (launch.registers > 0) absl::StrAppend(&words, ", ", launch.registers, " registers");
  if (launch.shared_bytes > 0)
    absl::StrAppend(&words, ", ", BytesText(launch.shared_bytes),
                    host ? " of tile" : " of shared memory");
  if (launch.scratch_bytes > 0)
    absl::StrAppend(&words, ", ", BytesText(launch.scratch_bytes), " of scratch");
  if (launch.cooperative) words += ", all blocks resident";
  return words;
}

std::string Names(const PlanFacts& facts, const std::vector<int>& group) {
  constexpr size_t kMost = 24;
  std::vector<std::string> names;
  for (size_t k = 1; k < std::min(group.size(), kMost); ++k)
    names.push_back(facts.StepName(group[k]));
  std::string out = absl::StrCat("<p class=\"soft\">Equal but for names: <code>",
                                 Escape(absl::StrJoin(names, ", ")), "</code>");
  if (group.size() > kMost) absl::StrAppend(&out, " and ", group.size() - kMost, " more");
  return out + "</p>\n";
}

std::string NumberOf(const KernelDrawing& drawing) {
  const auto inputs = std::count_if(drawing.nodes.begin(), drawing.nodes.end(),
                                    [](const KernelDrawing::Node& node) { return node.input; });
  const auto operations = static_cast<int64_t>(drawing.nodes.size()) - inputs;
  return absl::StrCat(operations, operations == 1 ? " operation, " : " operations, ", inputs,
                      inputs == 1 ? " input" : " inputs");
}

}  // namespace

std::string KernelSection(const PlanFacts& facts, const std::vector<std::vector<int>>& groups) {
  if (groups.empty()) return "";
  std::string out = absl::StrCat(
      "<h2>Kernels</h2>\n", LegendSvg(),
      "<p class=\"soft\">Bands are the stages of a kernel, sweeps over the rows of a tile; a red "
      "line "
      "is a barrier of the whole grid between phases, a grey one the border of two "
      "phases without. A value stands in the first stage that "
      "evaluates "
      "it. Blue boxes are inputs, orange ones outputs, heavy ones what a stage stores or folds. "
      "Dashed: "
      "computed or read once more. Scalar constants are not drawn. Kernels of more than ",
      kOpenNodes, " values, and those behind the first ", kOpenKernels,
      ", are folded; of more than ", kDrawnNodes, ", and behind ", kNodesOfPage,
      " in all, they are told by class.</p>\n");
  size_t drawn = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const std::vector<int>& group = groups[g];
    const KernelPlan& kernel = *facts.KernelOf(group[0]);
    const KernelDrawing drawing = DrawKernel(facts, group[0]);
    const size_t nodes = drawing.nodes.size();
    const bool draw = nodes <= kDrawnNodes && drawn + nodes <= kNodesOfPage;
    const bool open = g < kOpenKernels && (nodes <= kOpenNodes || !draw);
    absl::StrAppend(&out, open ? "<details open>" : "<details>", "<summary><b><code>",
                    Escape(kernel.name), "</code></b>",
                    group.size() > 1 ? absl::StrCat("\u00d7", group.size(), ", ") : "",
                    NumberOf(drawing), "; ", LaunchWords(kernel), "; traffic over bound ",
                    OverBound(kernel.traffic), "</summary>\n");
    if (group.size() > 1) out += Names(facts, group);
    if (draw) {
      absl::StrAppend(&out, "<div class=\"scroll\">", KernelSvg(kernel, drawing), "</div>\n");
      drawn += nodes;
    } else {
      absl::StrAppend(&out, "<p>Too large to draw. By class:</p>\n", ClassTable(drawing),
                      StageTable(kernel));
    }
    out += "</details>\n";
  }
  return out;
}

}  // namespace astitch
