// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The flow of the kernel, which knows stages and homes, less what would only clutter it.
#include "report/kernel_drawing.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

EdgeHome Drawn(Home home) {
  switch (home) {
    case Home::kLocal:
      return EdgeHome::kLocal;
    case Home::kRegional:
      return EdgeHome::kRegional;
    case Home::kCluster:
      return EdgeHome::kCluster;
    case Home::kBlock:
      return EdgeHome::kBlock;
    case Home::kGlobal:
      return EdgeHome::kGlobal;
    case Home::kOutput:
      return EdgeHome::kOutput;
  }
  ASTITCH_UNREACHABLE();
}

bool IsScalarConstant(const Instruction& value) {
  return value.opcode() == Opcode::kConstant && value.shape().IsScalar();
}

class Drawer {
 public:
  Drawer(const PlanFacts& facts, int step)
      : kernel_(*facts.KernelOf(step)), flow_(facts.FlowOf(step)) {
    for (const Placement& place : kernel_.placements) places_.emplace(place.value, &place);
  }

  KernelDrawing Run() {
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      for (size_t s = 0; s < kernel_.phases[p].stages.size(); ++s)
        out_.bands.push_back({static_cast<int32_t>(p), static_cast<int32_t>(s)});
    }
    for (const KernelFlow::Value& value : flow_.values) AddNode(value);
    MarkRoots();
    for (const KernelFlow::Edge& edge : flow_.edges) AddEdge(edge);
    PullDown();
    return std::move(out_);
  }

 private:
  int BandOf(StageId at) const {
    const auto it = std::find(out_.bands.begin(), out_.bands.end(), at);
    return static_cast<int>(it - out_.bands.begin());
  }

  void AddNode(const KernelFlow::Value& value) {
    const Instruction& of = *value.value;
    const auto place = places_.find(value.value);
    const bool stored = place != places_.end() && place->second->home != Home::kLocal;
    const bool splat = of.opcode() == Opcode::kBroadcast && IsScalarConstant(*of.operand(0));
    if (!value.input && !stored && (IsScalarConstant(of) || splat)) return;
    KernelDrawing::Node node;
    node.value = value.value;
    node.band = BandOf(value.stages.front());
    node.input = value.input;
    node.stages = value.stages;
    if (place != places_.end()) node.place = place->second;
    node.output = node.place != nullptr && node.place->home == Home::kOutput;
    numbers_.emplace(value.value, static_cast<int>(out_.nodes.size()));
    out_.nodes.push_back(std::move(node));
  }

  void MarkRoots() {
    for (const Phase& phase : kernel_.phases) {
      for (const Stage& stage : phase.stages) {
        for (const Root& root : stage.roots) {
          const auto it = numbers_.find(root.value);
          if (it != numbers_.end()) out_.nodes[it->second].root = true;
        }
      }
    }
  }

  void AddEdge(const KernelFlow::Edge& edge) {
    const auto from = numbers_.find(edge.producer), to = numbers_.find(edge.consumer);
    if (from == numbers_.end() || to == numbers_.end()) return;
    const KernelDrawing::Node& producer = out_.nodes[from->second];
    KernelDrawing::Edge drawn{from->second, to->second, Drawn(edge.home), false};
    if (producer.input) {
      const bool kept = producer.place != nullptr && producer.place->keep != Keep::kNone;
      drawn.again = edge.again;
      drawn.home = kept && !drawn.again ? EdgeHome::kKept : EdgeHome::kMemory;
    } else {
      // In registers, yet made in an earlier stage than the reader: if it is not a result that stays
      // there, it is made again.
      const StageId first = producer.stages.front();
      const StageId reader = out_.nodes[to->second].stages.front();
      const bool remade = std::find(producer.stages.begin(), producer.stages.end(), reader) !=
                          producer.stages.end();
      drawn.again = edge.home == Home::kLocal && !(first == reader) && remade;
      // Parts of a reduction wait in scratch, wherever the finished result lives.
      const bool parts = producer.place != nullptr && producer.place->partial_bytes > 0;
      if (parts && first.phase != reader.phase) {
        drawn.again = false;
        drawn.home = EdgeHome::kGlobal;
      }
    }
    out_.edges.push_back(drawn);
  }

  // What is begun in one stage and goes on in a later one (a scatter) stands where it ends.
  void PullDown() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const KernelDrawing::Edge& edge : out_.edges) {
        const int band = out_.nodes[edge.from].band;
        changed |= out_.nodes[edge.to].band < band;
        out_.nodes[edge.to].band = std::max(out_.nodes[edge.to].band, band);
      }
    }
  }

  const KernelPlan& kernel_;
  const KernelFlow& flow_;
  absl::flat_hash_map<const Instruction*, const Placement*> places_;
  absl::flat_hash_map<const Instruction*, int> numbers_;
  KernelDrawing out_;
};

}  // namespace

absl::string_view ToString(EdgeHome home) {
  switch (home) {
    case EdgeHome::kLocal:
      return "local";
    case EdgeHome::kRegional:
      return "regional";
    case EdgeHome::kCluster:
      return "cluster";
    case EdgeHome::kBlock:
      return "block";
    case EdgeHome::kGlobal:
      return "global";
    case EdgeHome::kOutput:
      return "output";
    case EdgeHome::kKept:
      return "kept";
    case EdgeHome::kMemory:
      return "memory";
  }
  ASTITCH_UNREACHABLE();
}

KernelDrawing DrawKernel(const PlanFacts& facts, int step) { return Drawer(facts, step).Run(); }

}  // namespace astitch
