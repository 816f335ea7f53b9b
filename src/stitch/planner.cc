// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks the scope's steps and assembles the plan and its ledger.
#include "stitch/planner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "plan/reference_call.h"
#include "stitch/buffers.h"
#include "stitch/cost.h"
#include "stitch/cut.h"
#include "stitch/dot_call.h"
#include "stitch/kernel_planner.h"
#include "stitch/ledger.h"
#include "stitch/library_calls.h"
#include "stitch/open_tuples.h"
#include "stitch/scatter_choice.h"
#include "stitch/scope.h"
#include "stitch/scope_graph.h"
#include "stitch/stacks.h"
#include "stitch/traffic.h"

namespace astitch {
namespace {

// A region of nothing but reshapes moves no data: its results are other names of its inputs'
// memory.
bool OnlyRenames(const Region& region) {
  return std::all_of(region.values.begin(), region.values.end(), [](const Instruction* value) {
    return value->opcode() == Opcode::kReshape || value->opcode() == Opcode::kBitcast;
  });
}

// Gives every result of a reduction of several a get-tuple-element, wanted or not: its parts need a
// home in scratch as much as those of the results that somebody reads.
void NameAllResults(Graph& graph) {
  Computation& entry = *graph.entry();
  for (Instruction* reduce : entry.post_order()) {
    if (reduce->opcode() != Opcode::kReduce || !reduce->shape().IsTuple()) continue;
    std::vector<bool> named(reduce->shape().elements().size(), false);
    for (const Instruction* user : reduce->users()) {
      if (user->opcode() == Opcode::kGetTupleElement)
        named[user->as<TupleIndexAttributes>().index] = true;
    }
    for (size_t i = 0; i < named.size(); ++i) {
      if (named[i]) continue;
      entry.Add(Opcode::kGetTupleElement, reduce->shape().elements()[i], {reduce},
                TupleIndexAttributes{static_cast<int64_t>(i)});
    }
  }
}

class Planner {
 public:
  Planner(std::unique_ptr<Graph> graph, const MachineModel& machine, const PlannerOptions& options)
      : machine_(machine), options_(options) {
    plan_.graph = std::move(graph);
    plan_.target = machine.name;
    plan_.fusion = std::string(ToString(options.fusion));
  }

  absl::StatusOr<Plan> Run() {
    NameAllResults(*plan_.graph);
    OpenTuples(*plan_.graph);
    const bool stitch = options_.fusion == Fusion::kStitch;
    if (stitch) {
      const absl::flat_hash_set<const Instruction*> stacks = MakeStacks(*plan_.graph);
      // A worker's own GELU is faster than the host library's.
      ASTITCH_ASSIGN_OR_RETURN(calls_, FindLibraryCalls(*plan_.graph, !machine_.is_host(), stacks));
    }
    for (const std::string& name : options_.no_library)
      calls_.refused.insert(plan_.graph->entry()->Find(name));
    ASTITCH_RETURN_IF_ERROR(ChooseScatters());
    ASTITCH_ASSIGN_OR_RETURN(
        const std::vector<ScopeStep> steps,
        FindScope(*plan_.graph, options_.fusion, stitch ? &calls_ : nullptr, machine_));
    for (const ScopeStep& step : steps) {
      if (step.library != nullptr) {
        ASTITCH_RETURN_IF_ERROR(AddLibraryCall(*step.library));
      } else if (!OnlyRenames(step.region)) {
        ASTITCH_RETURN_IF_ERROR(AddRegion(step.region));
      }
    }
    AddOtherEdges(calls_, plan_);
    AssignBuffers(plan_);
    PredictOthers();
    return std::move(plan_);
  }

 private:
  // Kernels have theirs.
  void PredictOthers() {
    for (PlanStep& step : plan_.steps) {
      if (auto* dot = std::get_if<DotCall>(&step)) dot->predicted = PredictDot(*dot, machine_);
      if (auto* call = std::get_if<ConvolutionCall>(&step))
        call->predicted = PredictConvolution(*call->convolution, machine_);
      if (auto* copy = std::get_if<CopyCall>(&step))
        copy->predicted = PredictCopy(*copy->from, machine_);
      if (auto* call = std::get_if<ReferenceCall>(&step))
        call->predicted = PredictReference(*call->instruction, machine_);
    }
  }

  absl::Status AddLibraryCall(const Instruction& call) {
    const auto found = calls_.calls.find(&call);
    if (found != calls_.calls.end()) {
      AddCallEdges(found->second, plan_);
      plan_.steps.emplace_back(found->second);
      return absl::OkStatus();
    }
    if (ScopeGraph::IsReference(&call) || calls_.refused.contains(&call)) {
      AddReference(call);
      return absl::OkStatus();
    }
    if (call.opcode() == Opcode::kDot) {
      ASTITCH_ASSIGN_OR_RETURN(DotCall dot, MakeDotCall(call));
      plan_.steps.emplace_back(std::move(dot));
    } else {
      plan_.steps.emplace_back(ConvolutionCall{&call});
    }
    AddCallEdges(call, plan_);
    return absl::OkStatus();
  }

  // What draws a random number that nobody takes needs no step.
  void AddReference(const Instruction& call) {
    if (ReferenceOutputs(call).empty()) return;
    AddReferenceEdges(call, plan_);
    plan_.steps.emplace_back(ReferenceCall{&call});
  }

  // Which scatters take their updates row by row.
  absl::Status ChooseScatters() {
    for (const Instruction* scatter : plan_.graph->entry()->post_order()) {
      if (!MayScatterByRows(*scatter, machine_)) continue;
      if (machine_.is_host()) {
        by_rows_.insert(scatter);
        continue;
      }
      const Region alone = RegionOf(*scatter);
      ASTITCH_ASSIGN_OR_RETURN(const PlannedKernel rows,
                               PlanOf(RegionInfo(alone, machine_, {scatter})));
      ASTITCH_ASSIGN_OR_RETURN(const PlannedKernel elements, PlanOf(RegionInfo(alone, machine_)));
      const ScatterChoice choice{.rows_ns = rows.kernel.predicted.ns,
                                 .elements_ns = elements.kernel.predicted.ns};
      if (choice.by_rows()) by_rows_.insert(scatter);
      scatters_.emplace(scatter, choice);
    }
    return absl::OkStatus();
  }

  void AddScatterEntries(const RegionInfo& info, PlannedKernel& planned) const {
    for (const Instruction* value : info.values()) {
      const auto choice = scatters_.find(value);
      if (choice == scatters_.end()) continue;
      const Placement* place = planned.kernel.FindPlacement(value);
      planned.ledger.push_back(ScatterEntry(*value, place->home, choice->second));
    }
  }

  absl::StatusOr<PlannedKernel> PlanOf(const RegionInfo& info, int64_t more = 0) const {
    return PlanKernel(info, machine_, options_.fusion, more);
  }

  // One kernel, or those that are predicted to be clearly faster.
  absl::Status AddRegion(const Region& region) {
    const RegionInfo info(region, machine_, by_rows_);
    // Chosen before an assembler asks for registers, so that a plan's kernels keep their numbers.
    ASTITCH_ASSIGN_OR_RETURN(PlannedKernel one, PlanOf(info));
    std::vector<Region> parts;
    if (options_.fusion == Fusion::kStitch && one.kernel.predicted.barriers > 0)
      parts = CutAtBarriers(region, one.kernel);
    if (parts.empty()) return AddKernel(info, std::move(one));
    ASTITCH_ASSIGN_OR_RETURN(const CutChoice choice, Compare(region, parts, one.kernel));
    LedgerEntry entry = CutEntry(parts, one.kernel, choice);
    if (choice.cuts()) {
      for (const Region& part : parts) {
        const RegionInfo of_part(part, machine_, by_rows_);
        ASTITCH_ASSIGN_OR_RETURN(PlannedKernel planned, PlanOf(of_part));
        ASTITCH_RETURN_IF_ERROR(AddKernel(of_part, std::move(planned)));
      }
    } else {
      ASTITCH_RETURN_IF_ERROR(AddKernel(info, std::move(one)));
    }
    plan_.ledger.push_back(std::move(entry));
    return absl::OkStatus();
  }

  absl::StatusOr<CutChoice> Compare(const Region& region, const std::vector<Region>& parts,
                                    const KernelPlan& one) const {
    CutChoice choice{.one_ns = one.predicted.ns,
                     .several_ns = 0,
                     .barriers = one.predicted.barriers,
                     .kernels = static_cast<int64_t>(parts.size())};
    for (const Region& part : parts) {
      ASTITCH_ASSIGN_OR_RETURN(PlannedKernel planned, PlanOf(RegionInfo(part, machine_, by_rows_)));
      LeaveInCache(region, parts, part, machine_, planned.traffic);
      planned.kernel.traffic = SumOf(planned.traffic);
      PredictKernel(machine_, planned.traffic, planned.kernel);
      choice.several_ns += planned.kernel.predicted.ns;
    }
    return choice;
  }

  absl::Status AddKernel(const RegionInfo& info, PlannedKernel planned) {
    const auto number = static_cast<size_t>(plan_.num_kernels());
    const int64_t more =
        number < options_.more_registers.size() ? options_.more_registers[number] : 0;
    if (more > 0) {
      ASTITCH_ASSIGN_OR_RETURN(planned, PlanOf(info, more));
    }
    AddScatterEntries(info, planned);
    planned.kernel.name = absl::StrCat("k", number, ".", info.region().name);
    AddKernelEdges(info, planned.kernel, calls_, info.region().solo_reason, plan_);
    plan_.ledger.insert(plan_.ledger.end(), planned.ledger.begin(), planned.ledger.end());
    plan_.steps.emplace_back(std::move(planned.kernel));
    return absl::OkStatus();
  }

  const MachineModel& machine_;
  const PlannerOptions& options_;
  LibraryCalls calls_;
  absl::flat_hash_set<const Instruction*> by_rows_;  // scatters
  absl::flat_hash_map<const Instruction*, ScatterChoice> scatters_;
  Plan plan_;
};

}  // namespace

absl::StatusOr<Plan> MakePlan(std::unique_ptr<Graph> graph, const MachineModel& machine,
                              const PlannerOptions& options) {
  return Planner(std::move(graph), machine, options).Run();
}

}  // namespace astitch
