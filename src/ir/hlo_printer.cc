// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Header, tables, then the computations, callees before callers, each in program order: so the text
// never names what it has not defined.
#include "ir/hlo_printer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/attribute_text.h"
#include "ir/hlo_words.h"
#include "ir/literal_text.h"

namespace astitch {
namespace {

class Printer {
 public:
  Printer(const HloPrintOptions& options, std::string* out) : options_(options), out_(*out) {}

  void Module(const Graph& graph);
  void Line(const Instruction& instruction);

 private:
  void Header(const Graph& graph);
  void Aliases(const ModuleHeader& header);
  void EntryLayoutText(const EntryLayout& layout);
  void Frames(const StackFrames& frames);
  void Body(const Computation& computation, bool is_entry);
  void Signature(const Computation& computation);
  void Payload(const Instruction& instruction);
  void Called(const Instruction& instruction);
  void CalledAs(absl::string_view key, const Computation& computation) {
    absl::StrAppend(&out_, ", ", key, "=", Name(computation.name()));
  }
  void CalledListAs(absl::string_view key, absl::Span<Computation* const> computations);
  // Keywords and type words are names only behind '%'.
  std::string Name(absl::string_view name) const {
    const bool percent = options_.percent || IsHloKeyword(name) || IsHloTypeWord(name);
    return absl::StrCat(percent ? "%" : "", name);
  }

  const HloPrintOptions& options_;
  std::string& out_;
};

void Printer::Aliases(const ModuleHeader& header) {
  if (!header.input_output_alias.empty()) {
    out_ += ", input_output_alias={ ";
    absl::string_view separator = "";
    for (const InputOutputAlias& alias : header.input_output_alias) {
      absl::StrAppend(&out_, separator, IntListText(alias.output_index), ": (", alias.parameter,
                      ", ", IntListText(alias.parameter_index), ", ",
                      alias.must_alias ? "must-alias" : "may-alias", ")");
      separator = ", ";
    }
    out_ += " }";
  }
  if (!header.buffer_donor.empty()) {
    out_ += ", buffer_donor={ ";
    absl::string_view separator = "";
    for (const BufferDonor& donor : header.buffer_donor) {
      absl::StrAppend(&out_, separator, "(", donor.parameter, ", ",
                      IntListText(donor.parameter_index), ")");
      separator = ", ";
    }
    out_ += " }";
  }
}

void Printer::EntryLayoutText(const EntryLayout& layout) {
  out_ += ", entry_computation_layout={(";
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (i > 0 && i % 5 == 0) absl::StrAppend(&out_, "/*index=", i, "*/");
    out_ += layout.parameters[i].ToString();
  }
  absl::StrAppend(&out_, ")->", layout.result.ToString(), "}");
}

void Printer::Header(const Graph& graph) {
  const ModuleHeader& header = graph.header();
  const bool is_word = IsHloKeyword(graph.name()) || IsHloTypeWord(graph.name());
  absl::StrAppend(&out_, "HloModule ", is_word ? "%" : "", graph.name());
  if (header.is_scheduled) out_ += ", is_scheduled=true";
  Aliases(header);
  if (header.alias_passthrough_params) out_ += ", alias_passthrough_params=true";
  if (header.has_entry_layout) EntryLayoutText(header.entry_layout);
  const auto add = [&](absl::string_view key, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&out_, ", ", key, "=", value);
  };
  add("allow_spmd_sharding_propagation_to_parameters", header.allow_spmd_to_parameters);
  add("allow_spmd_sharding_propagation_to_output", header.allow_spmd_to_output);
  if (header.replica_count != 1) add("replica_count", absl::StrCat(header.replica_count));
  if (header.num_partitions != 1) add("num_partitions", absl::StrCat(header.num_partitions));
  add("frontend_attributes", header.frontend_attributes);
  out_ += "\n\n";
}

void Printer::Frames(const StackFrames& frames) {
  int64_t id = 0;
  const auto section = [&](absl::string_view title) {
    absl::StrAppend(&out_, id == 0 ? "" : "\n", title, "\n");
    id = 1;
  };
  section("FileNames");
  for (const std::string& file : frames.files)
    absl::StrAppend(&out_, id++, " ", QuoteHloString(file), "\n");
  section("FunctionNames");
  for (const std::string& function : frames.functions)
    absl::StrAppend(&out_, id++, " ", QuoteHloString(function), "\n");
  section("FileLocations");
  for (const StackFrames::Location& at : frames.locations) {
    absl::StrAppend(&out_, id++, " {file_name_id=", at.file, " function_name_id=", at.function,
                    " line=", at.line);
    absl::StrAppend(&out_, " end_line=", at.end_line, " column=", at.column,
                    " end_column=", at.end_column, "}\n");
  }
  section("StackFrames");
  // The text counts parents from one more than it means: 1 says that there is none.
  for (const StackFrames::Frame& frame : frames.frames) {
    absl::StrAppend(&out_, id++, " {file_location_id=", frame.location,
                    " parent_frame_id=", frame.parent + 1, "}\n");
  }
  out_ += "\n\n";
}

void Printer::Signature(const Computation& computation) {
  out_ += " (";
  absl::string_view separator = "";
  for (const Instruction* parameter : computation.parameters()) {
    absl::StrAppend(&out_, separator, parameter->name(), ": ",
                    parameter->shape().ToString(/*with_layout=*/false));
    separator = ", ";
  }
  absl::StrAppend(&out_, ") -> ", computation.root()->shape().ToString(/*with_layout=*/false));
}

void Printer::Body(const Computation& computation, bool is_entry) {
  absl::StrAppend(&out_, is_entry ? "ENTRY " : "", Name(computation.name()));
  if (options_.signatures) Signature(computation);
  out_ += " {\n";
  for (const auto& instruction : computation.instructions()) {
    out_ += instruction.get() == computation.root() ? "  ROOT " : "  ";
    Line(*instruction);
    out_ += "\n";
  }
  out_ += "}";
  if (!computation.execution_thread().empty()) {
    absl::StrAppend(&out_, ", execution_thread=", QuoteHloString(computation.execution_thread()));
  }
  out_ += "\n\n";
}

void Printer::Payload(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(&out_, instruction.parameter_number());
    return;
  }
  if (instruction.opcode() == Opcode::kConstant) {
    AppendLiteralText(instruction.literal(),
                      {options_.large_constants, options_.decimal_negative_zero}, &out_);
    return;
  }
  for (int64_t i = 0; i < instruction.num_operands(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    if (i > 0) out_ += ", ";
    if (i > 0 && i % 5 == 0 && options_.index_comments) absl::StrAppend(&out_, "/*index=", i, "*/");
    if (options_.operand_shapes) absl::StrAppend(&out_, operand.shape().ToString(), " ");
    out_ += Name(operand.name());
  }
}

void Printer::CalledListAs(absl::string_view key, absl::Span<Computation* const> computations) {
  absl::StrAppend(&out_, ", ", key, "={",
                  absl::StrJoin(computations, ", ",
                                [&](std::string* out, const Computation* computation) {
                                  *out += Name(computation->name());
                                }),
                  "}");
}

void Printer::Called(const Instruction& instruction) {
  const absl::Span<Computation* const> called = instruction.called();
  if (called.empty()) return;
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      CalledAs("condition", *called[0]);
      return CalledAs("body", *called[1]);
    case Opcode::kSelectAndScatter:
      CalledAs("select", *called[0]);
      return CalledAs("scatter", *called[1]);
    case Opcode::kConditional:
      if (!IsPred(instruction.operand(0)->shape().element_type()))
        return CalledListAs("branch_computations", called);
      CalledAs("true_computation", *called[0]);
      return CalledAs("false_computation", *called[1]);
    case Opcode::kCustomCall:
      return CalledListAs("called_computations", called);
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return CalledAs("calls", *called[0]);
    default:  // the bodies of reductions, sorts, maps, scatters, calls and collectives
      return CalledAs("to_apply", *called[0]);
  }
}

void Printer::Line(const Instruction& instruction) {
  absl::StrAppend(&out_, Name(instruction.name()), " = ", instruction.shape().ToString(), " ",
                  ToString(instruction.opcode()), "(");
  Payload(instruction);
  absl::StrAppend(&out_, ")", OpcodeAttributesText(instruction));
  Called(instruction);
  const CallAttributes* call = std::get_if<CallAttributes>(&instruction.attributes());
  if (call != nullptr && call->is_composite) out_ += ", is_composite=true";
  std::string controls;
  if (!instruction.control_predecessors().empty()) {
    controls = absl::StrCat(
        "{",
        absl::StrJoin(instruction.control_predecessors(), ", ",
                      [&](std::string* out, const Instruction* i) { *out += Name(i->name()); }),
        "}");
  }
  out_ += AnnotationsText(instruction, controls, options_.metadata);
}

void Printer::Module(const Graph& graph) {
  Header(graph);
  if (options_.metadata && !graph.stack_frames().empty()) Frames(graph.stack_frames());
  for (const Computation* computation : graph.StableCalleesFirst())
    Body(*computation, computation == graph.entry());
}

}  // namespace

std::string ToHloText(const Graph& graph, const HloPrintOptions& options) {
  std::string out;
  Printer(options, &out).Module(graph);
  return out;
}

std::string InstructionText(const Instruction& instruction) {
  std::string out;
  const HloPrintOptions options = {.large_constants = false};
  Printer(options, &out).Line(instruction);
  return out;
}

}  // namespace astitch
