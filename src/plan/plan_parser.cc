// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads what plan_printer.cc prints: lines of words and key=value fields, with positions in every
// error.
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "plan/plan_text.h"

namespace astitch {
namespace {

// One line: its words, then its fields; each with its column.
struct Line {
  struct Item {
    std::string key, value;  // key is empty for a word
    int32_t column = 0;
    bool used = false;
  };
  int32_t number = 0;
  std::string text;
  std::vector<Item> items;
};

class Parser {
 public:
  Parser(absl::string_view lines, std::unique_ptr<Graph> graph) : text_(lines) {
    plan_.graph = std::move(graph);
  }

  absl::StatusOr<Plan> Run() {
    int32_t number = 0;
    for (absl::string_view text : absl::StrSplit(text_, '\n')) {
      ++number;
      ASTITCH_RETURN_IF_ERROR(Tokenize(text, number));
      if (line_.items.empty()) continue;
      ASTITCH_RETURN_IF_ERROR(ParseLine());
      for (const Line::Item& item : line_.items) {
        if (!item.used)
          return Error(item.column,
                       absl::StrCat("unexpected ", item.key.empty() ? item.value : item.key));
      }
    }
    if (!seen_header_) return DiagnosticsError({{{1, 1}, "expected plan 1", ""}});
    return std::move(plan_);
  }

 private:
  absl::Status Error(int32_t column, absl::string_view message) const {
    return DiagnosticsError({{{line_.number, column}, std::string(message), line_.text}});
  }

  absl::Status Tokenize(absl::string_view text, int32_t number) {
    line_ = Line{number, std::string(text), {}};
    size_t i = 0;
    while (i < text.size()) {
      if (text[i] == ' ') {
        ++i;
        continue;
      }
      Line::Item item;
      item.column = static_cast<int32_t>(i) + 1;
      size_t end = i, equals = absl::string_view::npos;
      bool quoted = false;
      for (; end < text.size() && (quoted || text[end] != ' '); ++end) {
        if (text[end] == '"' && (end == 0 || text[end - 1] != '\\')) quoted = !quoted;
        if (text[end] == '=' && !quoted && equals == absl::string_view::npos) equals = end;
      }
      if (quoted) return Error(item.column, "unterminated string");
      if (equals != absl::string_view::npos) {
        item.key = std::string(text.substr(i, equals - i));
        item.value = std::string(text.substr(equals + 1, end - equals - 1));
      } else {
        item.value = std::string(text.substr(i, end - i));
      }
      line_.items.push_back(std::move(item));
      i = end;
    }
    return absl::OkStatus();
  }

  // ---- pieces of a line

  absl::StatusOr<std::string> NextWord(absl::string_view what) {
    for (Line::Item& item : line_.items) {
      if (item.used || !item.key.empty()) continue;
      item.used = true;
      return item.value;
    }
    return Error(1, absl::StrCat("expected ", what));
  }

  Line::Item* FindField(absl::string_view key) {
    for (Line::Item& item : line_.items) {
      if (item.key == key) {
        item.used = true;
        return &item;
      }
    }
    return nullptr;
  }

  template <typename T>
  absl::Status Number(absl::string_view key, T& out) {
    const Line::Item* item = FindField(key);
    if (item == nullptr) return absl::OkStatus();
    int64_t value;
    if (!absl::SimpleAtoi(item->value, &value)) {
      return Error(item->column,
                   absl::StrCat("expected an integer for ", key, ", got ", item->value));
    }
    out = static_cast<T>(value);
    if (static_cast<int64_t>(out) != value)
      return Error(item->column, absl::StrCat(key, " is out of range"));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<int64_t>> ParseList(absl::string_view text, int32_t column) {
    std::vector<int64_t> out;
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
      return Error(column, absl::StrCat("expected a list [a,b], got ", text));
    }
    text = text.substr(1, text.size() - 2);
    if (text.empty()) return out;
    for (absl::string_view part : absl::StrSplit(text, ',')) {
      int64_t value;
      if (!absl::SimpleAtoi(part, &value))
        return Error(column, absl::StrCat("expected an integer, got ", part));
      out.push_back(value);
    }
    return out;
  }

  absl::Status Extents(absl::string_view key, std::vector<int64_t>& out) {
    const Line::Item* item = FindField(key);
    if (item == nullptr) return absl::OkStatus();
    ASTITCH_ASSIGN_OR_RETURN(out, ParseList(item->value, item->column));
    return absl::OkStatus();
  }

  // An enum by its word; LAST is its last enumerator.
  template <typename Enum>
  absl::Status EnumWord(absl::string_view word, int32_t column, Enum last, Enum& out) {
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (ToString(static_cast<Enum>(i)) == word) {
        out = static_cast<Enum>(i);
        return absl::OkStatus();
      }
    }
    return Error(column, absl::StrCat("unknown word ", word));
  }
  template <typename Enum>
  absl::Status EnumField(absl::string_view key, Enum last, Enum& out) {
    const Line::Item* item = FindField(key);
    if (item == nullptr) return absl::OkStatus();
    return EnumWord(item->value, item->column, last, out);
  }

  absl::StatusOr<const Instruction*> FindInstruction(absl::string_view name, int32_t column) {
    if (name.empty() || name[0] != '%')
      return Error(column, absl::StrCat("expected %name, got ", name));
    const Instruction* found = plan_.graph->entry()->Find(name.substr(1));
    if (found == nullptr)
      return Error(column, absl::StrCat("no instruction ", name, " in the graph"));
    return found;
  }
  absl::StatusOr<const Instruction*> NextInstruction() {
    ASTITCH_ASSIGN_OR_RETURN(const std::string name, NextWord("%name"));
    return FindInstruction(name, 1);
  }

  absl::Status MapField(IndexMap& out) {
    const Line::Item* item = FindField("map");
    if (item == nullptr) return absl::OkStatus();
    absl::string_view text = item->value;
    while (!text.empty()) {
      const size_t close = text.find(')');
      if (text[0] != '(' || close == absl::string_view::npos)
        return Error(item->column, "expected map=(axis,...)(...)");
      ASTITCH_ASSIGN_OR_RETURN(
          const std::vector<int64_t> axes,
          ParseList(absl::StrCat("[", text.substr(1, close - 1), "]"), item->column));
      out.emplace_back(axes.begin(), axes.end());
      text.remove_prefix(close + 1);
    }
    return absl::OkStatus();
  }

  absl::Status Operand(absl::string_view key, StridedOperand& out) {
    const Line::Item* item = FindField(key);
    if (item == nullptr) return Error(1, absl::StrCat("expected ", key, "=%name:[strides]"));
    return StridedText(item->value, item->column, out);
  }

  // %name:[strides]
  absl::Status StridedText(absl::string_view text, int32_t column, StridedOperand& out) {
    const size_t colon = text.rfind(':');
    if (colon == absl::string_view::npos) return Error(column, "expected %name:[strides]");
    ASTITCH_ASSIGN_OR_RETURN(out.value, FindInstruction(text.substr(0, colon), column));
    ASTITCH_ASSIGN_OR_RETURN(out.strides, ParseList(text.substr(colon + 1), column));
    return absl::OkStatus();
  }

  // add:%name:[strides], scale:NUMBER, or one of the functions
  absl::Status Epilogue(const Line::Item& item, EpilogueOp& op) {
    const size_t colon = item.value.find(':');
    const absl::string_view word = absl::string_view(item.value).substr(0, colon);
    const absl::string_view rest =
        colon == std::string::npos ? "" : absl::string_view(item.value).substr(colon + 1);
    ASTITCH_RETURN_IF_ERROR(EnumWord(word, item.column, EpilogueKind::kGeluErf, op.kind));
    if (op.kind == EpilogueKind::kAdd) return StridedText(rest, item.column, op.addend);
    if (op.kind == EpilogueKind::kScale && !absl::SimpleAtod(rest, &op.scale))
      return Error(item.column, absl::StrCat("expected scale:NUMBER, got ", item.value));
    if (op.kind != EpilogueKind::kScale && !rest.empty())
      return Error(item.column, absl::StrCat("expected only ", word, ", got ", item.value));
    return absl::OkStatus();
  }

  // ---- lines

  absl::Status ParseLine() {
    ASTITCH_ASSIGN_OR_RETURN(const std::string word, NextWord("a line of a plan"));
    if (word == "plan") return ParseHeader();
    if (!seen_header_) return Error(1, absl::StrCat("expected plan 1, got ", word));
    if (word == "target") return ParseTarget();
    if (word == "buffer") return ParseBuffer();
    if (word == "kernel") return ParseKernel();
    if (word == "dot") return ParseDot();
    if (word == "convolution") {
      ConvolutionCall call;
      ASTITCH_ASSIGN_OR_RETURN(call.convolution, NextInstruction());
      plan_.steps.emplace_back(call);
      return absl::OkStatus();
    }
    if (word == "reference") {
      ReferenceCall call;
      ASTITCH_ASSIGN_OR_RETURN(call.instruction, NextInstruction());
      plan_.steps.emplace_back(call);
      return absl::OkStatus();
    }
    if (word == "copy") {
      CopyCall copy;
      ASTITCH_ASSIGN_OR_RETURN(copy.from, NextInstruction());
      ASTITCH_RETURN_IF_ERROR(Number("output", copy.output));
      plan_.steps.emplace_back(copy);
      return absl::OkStatus();
    }
    if (word == "ledger") return ParseLedger();
    if (word == "predicted") return ParsePredicted();
    return ParseKernelLine(word);
  }

  absl::Status ParseHeader() {
    ASTITCH_ASSIGN_OR_RETURN(const std::string version, NextWord("a version"));
    if (version != "1") return Error(6, absl::StrCat("expected version 1, got ", version));
    seen_header_ = true;
    return absl::OkStatus();
  }

  absl::Status ParseTarget() {
    ASTITCH_ASSIGN_OR_RETURN(plan_.target, NextWord("a target"));
    if (const Line::Item* fusion = FindField("fusion")) plan_.fusion = fusion->value;
    return Number("arena", plan_.arena_bytes);
  }

  absl::Status ParseBuffer() {
    BufferPlan buffer;
    ASTITCH_ASSIGN_OR_RETURN(buffer.value, NextInstruction());
    ASTITCH_ASSIGN_OR_RETURN(const std::string space, NextWord("a space"));
    ASTITCH_RETURN_IF_ERROR(EnumWord(space, 1, BufferPlan::Space::kConstant, buffer.space));
    ASTITCH_RETURN_IF_ERROR(Number("index", buffer.index));
    ASTITCH_RETURN_IF_ERROR(Number("offset", buffer.offset));
    ASTITCH_RETURN_IF_ERROR(Number("bytes", buffer.bytes));
    plan_.buffers.push_back(buffer);
    return absl::OkStatus();
  }

  absl::Status ParseKernel() {
    KernelPlan kernel;
    ASTITCH_ASSIGN_OR_RETURN(kernel.name, NextWord("a name"));
    Launch& launch = kernel.launch;
    ASTITCH_RETURN_IF_ERROR(Number("grid", launch.grid));
    ASTITCH_RETURN_IF_ERROR(Number("block", launch.block));
    ASTITCH_RETURN_IF_ERROR(Number("registers", launch.registers));
    ASTITCH_RETURN_IF_ERROR(Number("shared", launch.shared_bytes));
    ASTITCH_RETURN_IF_ERROR(Number("scratch", launch.scratch_bytes));
    ASTITCH_RETURN_IF_ERROR(Number("cooperative", launch.cooperative));
    ASTITCH_RETURN_IF_ERROR(Number("blocks_per_sm", launch.blocks_per_sm));
    plan_.steps.emplace_back(std::move(kernel));
    return absl::OkStatus();
  }

  absl::Status ParseDot() {
    DotCall call;
    ASTITCH_ASSIGN_OR_RETURN(call.dot, NextInstruction());
    ASTITCH_RETURN_IF_ERROR(Extents("batch", call.batch));
    ASTITCH_RETURN_IF_ERROR(Number("m", call.m));
    ASTITCH_RETURN_IF_ERROR(Number("n", call.n));
    ASTITCH_RETURN_IF_ERROR(Number("k", call.k));
    ASTITCH_RETURN_IF_ERROR(Operand("lhs", call.lhs));
    ASTITCH_RETURN_IF_ERROR(Operand("rhs", call.rhs));
    ASTITCH_RETURN_IF_ERROR(Operand("out", call.out));
    for (Line::Item& item : line_.items) {
      if (item.key != "then") continue;
      item.used = true;
      ASTITCH_RETURN_IF_ERROR(Epilogue(item, call.epilogue.emplace_back()));
    }
    plan_.steps.emplace_back(std::move(call));
    return absl::OkStatus();
  }

  absl::Status ParseLedger() {
    LedgerEntry entry;
    ASTITCH_ASSIGN_OR_RETURN(entry.producer, NextInstruction());
    bool has_consumer = false;
    for (Line::Item& item : line_.items) {
      if (!item.used && item.key.empty() && item.value == "->") item.used = has_consumer = true;
    }
    if (has_consumer) {
      ASTITCH_ASSIGN_OR_RETURN(entry.consumer, NextInstruction());
    }
    if (const Line::Item* home = FindField("home")) entry.home = home->value;
    if (const Line::Item* reason = FindField("reason")) entry.reason = reason->value;
    ASTITCH_RETURN_IF_ERROR(Number("bytes", entry.bytes));
    if (const Line::Item* detail = FindField("detail")) {
      absl::string_view text = detail->value;
      if (text.size() < 2 || !absl::CUnescape(text.substr(1, text.size() - 2), &entry.detail)) {
        return Error(detail->column, "expected a quoted string");
      }
    }
    plan_.ledger.push_back(std::move(entry));
    return absl::OkStatus();
  }

  // Of the stage, or else the step, before it.
  absl::Status ParsePredicted() {
    if (plan_.steps.empty()) return Error(1, "expected a step before predicted");
    auto* kernel = std::get_if<KernelPlan>(&plan_.steps.back());
    const bool of_stage = kernel != nullptr && !kernel->phases.empty();
    if (of_stage && kernel->phases.back().stages.empty())
      return Error(1, "expected stage before predicted");
    Prediction& p = of_stage ? kernel->phases.back().stages.back().predicted
                             : std::visit([](auto& step) -> Prediction& { return step.predicted; },
                                          plan_.steps.back());
    ASTITCH_RETURN_IF_ERROR(Number("ns", p.ns));
    ASTITCH_RETURN_IF_ERROR(EnumField("bound", Bound::kLatency, p.bound));
    ASTITCH_RETURN_IF_ERROR(Number("dram", p.dram_bytes));
    ASTITCH_RETURN_IF_ERROR(Number("cache", p.cache_bytes));
    ASTITCH_RETURN_IF_ERROR(Number("operations", p.operations));
    ASTITCH_RETURN_IF_ERROR(Number("latency", p.latency_ns));
    return Number("barriers", p.barriers);
  }

  absl::Status ParseKernelLine(const std::string& word) {
    KernelPlan* kernel =
        plan_.steps.empty() ? nullptr : std::get_if<KernelPlan>(&plan_.steps.back());
    if (kernel == nullptr) return Error(1, absl::StrCat("expected a line of a plan, got ", word));
    if (word == "traffic") {
      ASTITCH_RETURN_IF_ERROR(Number("read", kernel->traffic.read));
      ASTITCH_RETURN_IF_ERROR(Number("written", kernel->traffic.written));
      return Number("bound", kernel->traffic.bound);
    }
    if (word == "in" || word == "out") {
      ASTITCH_ASSIGN_OR_RETURN(const Instruction* value, NextInstruction());
      (word == "in" ? kernel->inputs : kernel->outputs).push_back(value);
      return absl::OkStatus();
    }
    if (word == "place") return ParsePlacement(*kernel);
    if (word == "phase") return ParsePhase(*kernel);
    if (kernel->phases.empty()) return Error(1, absl::StrCat("expected phase before ", word));
    Phase& phase = kernel->phases.back();
    if (word == "stage") return ParseStage(phase);
    if (phase.stages.empty()) return Error(1, absl::StrCat("expected stage before ", word));
    return ParseRoot(word, phase.stages.back());
  }

  absl::Status ParsePlacement(KernelPlan& kernel) {
    Placement p;
    ASTITCH_ASSIGN_OR_RETURN(p.value, NextInstruction());
    ASTITCH_ASSIGN_OR_RETURN(const std::string home, NextWord("a home"));
    ASTITCH_RETURN_IF_ERROR(EnumWord(home, 1, Home::kOutput, p.home));
    ASTITCH_RETURN_IF_ERROR(EnumField("keep", Keep::kCache, p.keep));
    ASTITCH_RETURN_IF_ERROR(Number("kept_rows", p.kept_rows));
    ASTITCH_RETURN_IF_ERROR(Number("stays_from", p.stays_from));
    ASTITCH_RETURN_IF_ERROR(Number("offset", p.offset));
    ASTITCH_RETURN_IF_ERROR(Number("bytes", p.bytes));
    ASTITCH_RETURN_IF_ERROR(Number("pitch", p.pitch));
    ASTITCH_RETURN_IF_ERROR(Number("output", p.output));
    ASTITCH_RETURN_IF_ERROR(Number("partial_offset", p.partial_offset));
    ASTITCH_RETURN_IF_ERROR(Number("partial_bytes", p.partial_bytes));
    kernel.placements.push_back(p);
    return absl::OkStatus();
  }

  absl::Status ParsePhase(KernelPlan& kernel) {
    Phase phase;
    ASTITCH_RETURN_IF_ERROR(Extents("rows", phase.rows));
    ASTITCH_RETURN_IF_ERROR(EnumField("barrier", PhaseBarrier::kFlags, phase.barrier));
    ASTITCH_RETURN_IF_ERROR(Number("batch_axes", phase.batch_axes));
    ASTITCH_RETURN_IF_ERROR(Number("rows_per_task", phase.rows_per_task));
    ASTITCH_RETURN_IF_ERROR(Number("tile_rows", phase.tile_rows));
    ASTITCH_RETURN_IF_ERROR(Number("cols_per_task", phase.cols_per_task));
    ASTITCH_RETURN_IF_ERROR(Number("threads_per_row", phase.threads_per_row));
    ASTITCH_RETURN_IF_ERROR(Number("rows_at_once", phase.rows_at_once));
    ASTITCH_RETURN_IF_ERROR(Number("cluster", phase.cluster));
    ASTITCH_RETURN_IF_ERROR(Number("repeated", phase.repeated));
    ASTITCH_RETURN_IF_ERROR(Number("backward", phase.backward));
    ASTITCH_RETURN_IF_ERROR(Number("slice", phase.slice));
    kernel.phases.push_back(std::move(phase));
    return absl::OkStatus();
  }

  absl::Status ParseStage(Phase& phase) {
    Stage stage;
    ASTITCH_RETURN_IF_ERROR(Extents("columns", stage.columns));
    ASTITCH_RETURN_IF_ERROR(EnumField("barrier", StageBarrier::kCluster, stage.barrier));
    ASTITCH_RETURN_IF_ERROR(Number("vector", stage.vector));
    ASTITCH_RETURN_IF_ERROR(Number("vector_rows", stage.vector_rows));
    ASTITCH_RETURN_IF_ERROR(Number("chunk", stage.chunk));
    ASTITCH_RETURN_IF_ERROR(Number("cols_per_task", stage.cols_per_task));
    ASTITCH_RETURN_IF_ERROR(Number("unroll", stage.unroll));
    ASTITCH_RETURN_IF_ERROR(EnumField("peel", Peel::kBoth, stage.peel));
    ASTITCH_RETURN_IF_ERROR(Number("streaming", stage.streaming));
    ASTITCH_RETURN_IF_ERROR(Number("fetch_ahead", stage.fetch_ahead));
    phase.stages.push_back(std::move(stage));
    return absl::OkStatus();
  }

  absl::Status ParseRoot(const std::string& word, Stage& stage) {
    Root root;
    ASTITCH_RETURN_IF_ERROR(EnumWord(word, 1, RootKind::kTurn, root.kind));
    ASTITCH_ASSIGN_OR_RETURN(root.value, NextInstruction());
    ASTITCH_RETURN_IF_ERROR(EnumField("over", ReduceOver::kAll, root.over));
    ASTITCH_RETURN_IF_ERROR(Number("partial", root.partial));
    ASTITCH_RETURN_IF_ERROR(Number("parts", root.parts));
    ASTITCH_RETURN_IF_ERROR(Number("partial_inner", root.partial_inner));
    ASTITCH_RETURN_IF_ERROR(MapField(root.map));
    stage.roots.push_back(std::move(root));
    return absl::OkStatus();
  }

  absl::string_view text_;
  Plan plan_;
  Line line_;
  bool seen_header_ = false;
};

}  // namespace

absl::StatusOr<PlanTextParts> SplitPlanText(absl::string_view text) {
  constexpr absl::string_view kMark = "\ngraph\n";
  const size_t at = text.find(kMark);
  if (at == absl::string_view::npos)
    return absl::InvalidArgumentError("expected a line 'graph' after the plan's lines");
  return PlanTextParts{text.substr(0, at + 1), text.substr(at + kMark.size())};
}

absl::StatusOr<Plan> ParsePlan(absl::string_view lines, std::unique_ptr<Graph> graph) {
  return Parser(lines, std::move(graph)).Run();
}

}  // namespace astitch
