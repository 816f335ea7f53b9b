// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compares in program order; the first difference is named by its instruction.
#include "ir/graph_equal.h"

#include "absl/strings/str_cat.h"
#include "ir/hlo_printer.h"

namespace astitch {
namespace {

absl::Status Differ(absl::string_view what, absl::string_view a, absl::string_view b) {
  return absl::FailedPreconditionError(absl::StrCat(what, " differs: ", a, " against ", b));
}

// Of instructions or computations; equal when the names are, since names are compared elsewhere.
template <typename Span>
bool SameNames(const Span& a, const Span& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i]->name() != b[i]->name()) return false;
  }
  return true;
}

// No attributes and an empty list of raw ones are the same.
bool SameAttributes(const Attributes& a, const Attributes& b) {
  const auto is_empty = [](const Attributes& attributes) {
    const RawAttributes* raw = std::get_if<RawAttributes>(&attributes);
    return std::holds_alternative<std::monostate>(attributes) ||
           (raw != nullptr && raw->values.empty());
  };
  return a == b || (is_empty(a) && is_empty(b));
}

Annotations Compared(const Instruction& instruction, const GraphEqualOptions& options) {
  Annotations annotations = instruction.annotations();
  if (!options.metadata) {
    annotations.metadata.clear();
    annotations.stack_frame = 0;
  }
  return annotations;
}

absl::Status InstructionsEqual(const Instruction& a, const Instruction& b,
                               const GraphEqualOptions& options) {
  const auto differ = [&](absl::string_view what) {
    return Differ(absl::StrCat(what, " of ", a.name(), " in ", a.parent()->name()),
                  InstructionText(a), InstructionText(b));
  };
  if (a.name() != b.name()) return differ("name");
  if (a.opcode() != b.opcode()) return differ("opcode");
  if (!(a.shape() == b.shape())) return differ("shape");
  if (!SameNames(a.operands(), b.operands())) return differ("an operand");
  if (!SameNames(a.called(), b.called())) return differ("a called computation");
  if (!SameNames(a.control_predecessors(), b.control_predecessors()))
    return differ("a control predecessor");
  if (!SameAttributes(a.attributes(), b.attributes())) return differ("an attribute");
  if (!(Compared(a, options) == Compared(b, options))) return differ("an annotation");
  return absl::OkStatus();
}

absl::Status ComputationsEqual(const Computation& a, const Computation& b,
                               const GraphEqualOptions& options) {
  const auto differ = [&](absl::string_view what, absl::string_view of_a, absl::string_view of_b) {
    return Differ(absl::StrCat(what, " of computation ", a.name()), of_a, of_b);
  };
  if (a.execution_thread() != b.execution_thread())
    return differ("execution thread", a.execution_thread(), b.execution_thread());
  if (a.size() != b.size())
    return differ("number of instructions", absl::StrCat(a.size()), absl::StrCat(b.size()));
  for (int64_t i = 0; i < a.size(); ++i) {
    const absl::Status same =
        InstructionsEqual(*a.instructions()[i], *b.instructions()[i], options);
    if (!same.ok()) return same;
  }
  const auto root = [](const Computation& c) { return c.root() ? c.root()->name() : "none"; };
  if (root(a) != root(b)) return differ("root", root(a), root(b));
  return absl::OkStatus();
}

}  // namespace

absl::Status GraphsEqual(const Graph& a, const Graph& b, const GraphEqualOptions& options) {
  if (a.name() != b.name()) return Differ("module name", a.name(), b.name());
  if (!(a.header() == b.header())) return absl::FailedPreconditionError("module header differs");
  if (options.metadata && !(a.stack_frames() == b.stack_frames()))
    return absl::FailedPreconditionError("stack frames differ");
  if (a.computations().size() != b.computations().size())
    return Differ("number of computations", absl::StrCat(a.computations().size()),
                  absl::StrCat(b.computations().size()));
  const auto entry = [](const Graph& graph) {
    return graph.entry() != nullptr ? graph.entry()->name() : "none";
  };
  if (entry(a) != entry(b)) return Differ("entry", entry(a), entry(b));
  for (const auto& computation : a.computations()) {
    const Computation* twin = b.FindComputation(computation->name());
    if (twin == nullptr) return Differ("computation", computation->name(), "none");
    const absl::Status same = ComputationsEqual(*computation, *twin, options);
    if (!same.ok()) return same;
  }
  return absl::OkStatus();
}

}  // namespace astitch
