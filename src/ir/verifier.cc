// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stages in the header's order; each collects what it finds.
#include "ir/verifier.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/called_signatures.h"
#include "ir/printed_shape.h"

namespace astitch {
namespace {

constexpr size_t kMaxDiagnostics = 20;

class Faults {
 public:
  bool any() const { return !diagnostics_.empty(); }
  bool full() const { return diagnostics_.size() >= kMaxDiagnostics; }
  absl::Status status() const { return any() ? DiagnosticsError(diagnostics_) : absl::OkStatus(); }

  void Add(TextPosition position, std::string message) {
    if (!full()) diagnostics_.push_back({position, std::move(message), ""});
  }
  // "MESSAGE in add instruction %add.3".
  void AddAt(const Instruction& instruction, absl::string_view message) {
    Add(instruction.position(), absl::StrCat(message, " in ", ToString(instruction.opcode()),
                                             " instruction %", instruction.name()));
  }
  // Whether STATUS is an error, which is then recorded.
  bool Caught(const Instruction& instruction, const absl::Status& status) {
    if (!status.ok()) AddAt(instruction, status.message());
    return !status.ok();
  }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// ---- Structure

void CheckParameters(const Computation& computation, Faults& faults) {
  std::vector<const Instruction*> by_number(computation.parameters().size(), nullptr);
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kParameter) continue;
    const auto* attributes = std::get_if<ParameterAttributes>(&instruction->attributes());
    const int64_t number = attributes == nullptr ? -1 : attributes->number;
    if (number < 0 || number >= static_cast<int64_t>(by_number.size()) ||
        by_number[number] != nullptr) {
      faults.AddAt(*instruction,
                   absl::StrCat("expected parameter numbers once each, got ", number));
      continue;
    }
    by_number[number] = instruction.get();
  }
  for (size_t i = 0; i < by_number.size(); ++i) {
    if (by_number[i] == nullptr)
      faults.Add(
          {}, absl::StrCat("expected parameters 0 to ", by_number.size() - 1, " of computation %",
                           computation.name(), ", got no parameter ", i));
  }
}

class StructureCheck {
 public:
  StructureCheck(const Graph& graph, Faults& faults) : faults_(faults) {
    for (const auto& computation : graph.computations()) computations_.insert(computation.get());
    if (graph.entry() == nullptr || !computations_.contains(graph.entry()))
      faults.Add(
          {}, absl::StrCat("expected an entry computation of graph ", graph.name(), ", got none"));
  }

  void Visit(const Computation& computation) {
    absl::flat_hash_set<const Instruction*> before;
    absl::flat_hash_set<absl::string_view> names;
    for (const auto& instruction : computation.instructions()) {
      if (faults_.full()) return;
      if (!names.insert(instruction->name()).second)
        faults_.AddAt(*instruction, "expected a name used once, got it again");
      VisitReferences(*instruction, before);
      faults_.Caught(*instruction, CheckShapeBounds(instruction->shape()));
      before.insert(instruction.get());
    }
    if (computation.root() == nullptr || !before.contains(computation.root()))
      faults_.Add(
          {}, absl::StrCat("expected a root in computation %", computation.name(), ", got none"));
    CheckParameters(computation, faults_);
  }

 private:
  void VisitReferences(const Instruction& instruction,
                       const absl::flat_hash_set<const Instruction*>& before) {
    for (int64_t i = 0; i < instruction.num_operands(); ++i) {
      if (!before.contains(instruction.operand(i)))
        faults_.AddAt(instruction,
                      absl::StrCat("expected operand ", i, " to be defined before its user, got %",
                                   instruction.operand(i)->name()));
    }
    for (const Instruction* predecessor : instruction.control_predecessors()) {
      if (!before.contains(predecessor))
        faults_.AddAt(instruction, absl::StrCat("expected control predecessors to stand before "
                                                "their successor, got %",
                                                predecessor->name()));
    }
    for (const Computation* callee : instruction.called()) {
      if (!computations_.contains(callee))
        faults_.AddAt(instruction, "expected called computations of this graph, got another");
    }
  }

  Faults& faults_;
  absl::flat_hash_set<const Computation*> computations_;
};

// In a callees-first order only a call inside a cycle points to its own place or a later one.
void CheckRecursion(const std::vector<Computation*>& callees_first, Faults& faults) {
  absl::flat_hash_map<const Computation*, size_t> place;
  for (size_t i = 0; i < callees_first.size(); ++i) place[callees_first[i]] = i;
  for (size_t i = 0; i < callees_first.size(); ++i) {
    for (const auto& instruction : callees_first[i]->instructions()) {
      for (const Computation* callee : instruction->called()) {
        if (place.at(callee) >= i)
          faults.AddAt(*instruction,
                       absl::StrCat("expected calls without recursion, got a call of %",
                                    callee->name(), " inside itself"));
      }
    }
  }
}

// ---- Entry

// The part of SHAPE at an index path; null when there is none.
const Shape* PartAt(const Shape& shape, const std::vector<int64_t>& path) {
  const Shape* part = &shape;
  for (int64_t i : path) {
    if (!part->IsTuple() || i < 0 || i >= static_cast<int64_t>(part->elements().size()))
      return nullptr;
    part = &part->elements()[i];
  }
  return part;
}

void CheckEntryShape(const Instruction& instruction, absl::string_view what, const Shape& layout,
                     Faults& faults) {
  if (!layout.CompatibleWith(instruction.shape())) {
    faults.AddAt(instruction,
                 absl::StrCat("expected ", instruction.shape().ToString(false), " for ", what,
                              " in entry_computation_layout, got ", layout.ToString(false)));
    return;
  }
  faults.Caught(instruction, CheckShapeBounds(layout));
}

void CheckEntryLayout(const Graph& graph, Faults& faults) {
  const Computation& entry = *graph.entry();
  const EntryLayout& layout = graph.header().entry_layout;
  if (layout.parameters.size() != entry.parameters().size()) {
    faults.Add({}, absl::StrCat("expected ", entry.parameters().size(),
                                " parameters in entry_computation_layout, got ",
                                layout.parameters.size()));
    return;
  }
  for (size_t i = 0; i < layout.parameters.size(); ++i)
    CheckEntryShape(*entry.parameters()[i], absl::StrCat("parameter ", i), layout.parameters[i],
                    faults);
  CheckEntryShape(*entry.root(), "the result", layout.result, faults);
}

const Shape* ParameterPart(const Computation& entry, int64_t parameter,
                           const std::vector<int64_t>& path) {
  if (parameter < 0 || parameter >= static_cast<int64_t>(entry.parameters().size())) return nullptr;
  return PartAt(entry.parameters()[parameter]->shape(), path);
}

void CheckDonations(const Graph& graph, Faults& faults) {
  const Computation& entry = *graph.entry();
  for (const InputOutputAlias& alias : graph.header().input_output_alias) {
    const Shape* output = PartAt(entry.root()->shape(), alias.output_index);
    const Shape* input = ParameterPart(entry, alias.parameter, alias.parameter_index);
    if (output == nullptr || input == nullptr || !output->CompatibleWith(*input))
      faults.Add({}, absl::StrCat("expected input_output_alias to pair equal shapes, got ",
                                  output == nullptr ? "no result" : output->ToString(false),
                                  " at {", absl::StrJoin(alias.output_index, ","), "} and ",
                                  input == nullptr ? "no argument" : input->ToString(false),
                                  " of parameter ", alias.parameter));
  }
  for (const BufferDonor& donor : graph.header().buffer_donor) {
    if (ParameterPart(entry, donor.parameter, donor.parameter_index) == nullptr)
      faults.Add({}, absl::StrCat("expected buffer_donor to name an argument, got {",
                                  absl::StrJoin(donor.parameter_index, ","), "} of parameter ",
                                  donor.parameter));
  }
}

}  // namespace

absl::Status VerifyGraph(const Graph& graph) {
  Faults faults;
  StructureCheck structure(graph, faults);
  for (const auto& computation : graph.computations()) structure.Visit(*computation);
  if (faults.any()) return faults.status();
  const std::vector<Computation*> callees_first = graph.CalleesFirst();
  CheckRecursion(callees_first, faults);
  if (faults.any()) return faults.status();
  for (const Computation* computation : callees_first) {
    for (const auto& instruction : computation->instructions()) {
      if (faults.full()) return faults.status();
      if (faults.Caught(*instruction, CheckPrintedShape(*instruction))) continue;
      faults.Caught(*instruction, CheckCalledSignatures(*instruction));
    }
  }
  if (graph.header().has_entry_layout) CheckEntryLayout(graph, faults);
  CheckDonations(graph, faults);
  return faults.status();
}

}  // namespace astitch
