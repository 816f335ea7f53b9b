// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/ladder/mutator.h"

#include <cctype>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace astitch::testing {
namespace {

// An instruction: "\t@%p1 bra \t$L__BB0_3;".
struct Line {
  std::string guard;  // "@%p1", or empty
  std::string opcode;
  std::vector<std::string> operands;
};

Line Parse(absl::string_view text) {
  Line line;
  std::string body(absl::StripSuffix(absl::StripAsciiWhitespace(text), ";"));
  if (absl::StartsWith(body, "@")) {
    const size_t space = body.find_first_of(" \t");
    line.guard = body.substr(0, space);
    body = std::string(absl::StripAsciiWhitespace(body.substr(space)));
  }
  const size_t end = body.find_first_of(" \t");
  line.opcode = body.substr(0, end);
  if (end == std::string::npos) return line;
  for (absl::string_view operand : absl::StrSplit(body.substr(end), ','))
    line.operands.emplace_back(absl::StripAsciiWhitespace(operand));
  return line;
}

std::string Text(const Line& line) {
  return absl::StrCat("\t", line.guard, line.guard.empty() ? "" : " ", line.opcode, " \t",
                      absl::StrJoin(line.operands, ", "), ";");
}

// A condition on the thread, whatever registers the kernel has.
std::string UnderACondition(const Line& line) {
  return absl::StrCat(
      "\t{ .reg .pred mp; .reg .b32 mt; mov.u32 mt, %tid.x; setp.gt.u32 mp, mt, 5; ", "@mp ",
      line.opcode, " \t", absl::StrJoin(line.operands, ", "), "; }");
}

class Mutator {
 public:
  explicit Mutator(absl::string_view ptx) : lines_(absl::StrSplit(ptx, '\n')) {}

  std::vector<Mutation> Run() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      const absl::string_view text = absl::StripAsciiWhitespace(lines_[at_]);
      Locate(text);
      if (text.empty() || !absl::EndsWith(text, ";") || absl::StartsWith(text, ".") ||
          absl::StartsWith(text, "//"))
        continue;
      Visit(Parse(text));
    }
    return std::move(found_);
  }

 private:
  // The emitter names kernels and, in comments, stages with their roots.
  void Locate(absl::string_view text) {
    if (absl::ConsumePrefix(&text, ".visible .entry ")) {
      kernel_ = std::string(text.substr(0, text.find('(')));
      stage_ = "before its stages";
    } else if (absl::ConsumePrefix(&text, "// stage ")) {
      stage_ = absl::StrCat("stage ", text);
    }
  }

  // Which register or label it is changes with every version of the compiler.
  static std::string WithoutNumbers(absl::string_view line) {
    std::string out;
    bool in_register = false;
    for (const char c : absl::StripSuffix(absl::StripAsciiWhitespace(line), ";")) {
      if (c == '$') {
        out += "a label";
        break;
      }
      const bool digit = c >= '0' && c <= '9';
      in_register = c == '%' || (in_register && (digit || (c >= 'a' && c <= 'z')));
      if (in_register && digit) continue;
      if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
      out += c == '\t' ? ' ' : c;
    }
    return absl::StrReplaceAll(out, {{"  ", " "}});
  }

  void Add(absl::string_view kind, std::string replacement) {
    std::string site = absl::StrCat(kernel_, " | ", stage_, " | ", kind, " | ",
                                    WithoutNumbers(lines_[at_]), " | ");
    absl::StrAppend(&site, replacement.empty() ? "deleted" : WithoutNumbers(replacement));
    std::vector<std::string> changed = lines_;
    changed[at_] = std::move(replacement);
    found_.push_back({std::string(kind), static_cast<int>(at_) + 1, lines_[at_], std::move(site),
                      absl::StrJoin(changed, "\n")});
  }

  void Visit(const Line& line) {
    const std::string& op = line.opcode;
    const bool block_barrier =
        absl::StartsWith(op, "bar.sync") || absl::StartsWith(op, "barrier.sync");
    const bool warp_barrier = absl::StartsWith(op, "bar.warp");
    if (block_barrier || warp_barrier) Add("barrier", "");
    if (block_barrier) Add("divergent", UnderACondition(line));
    if (absl::StartsWith(op, "barrier.cluster")) Add("cluster-barrier", "");
    if (absl::StartsWith(op, "fence") || absl::StartsWith(op, "membar")) Add("fence", "");
    if (absl::StartsWith(op, "shfl.sync")) Shuffle(line);
    for (const char* order : {".release", ".acquire", ".acq_rel"}) {
      if (absl::StrContains(op, order) && !absl::StartsWith(op, "barrier"))
        Replace(line, "relaxed", order, ".relaxed");
    }
    if (absl::StrContains(op, ".gpu")) Replace(line, "narrow", ".gpu", ".cta");
    if (absl::StartsWith(op, "ld.global") && !absl::StrContains(op, ".nc") &&
        !absl::StrContains(op, "acquire") && !absl::StrContains(op, "relaxed"))
      Replace(line, "non-coherent", "ld.global", "ld.global.nc");
    if (absl::StartsWith(op, "setp.")) Bound(line);
    const bool access = absl::StartsWith(op, "ld.") || absl::StartsWith(op, "st.");
    if (!line.guard.empty() && access) {
      Line always = line;
      always.guard.clear();
      Add("unguarded", Text(always));
    }
    if (!line.guard.empty() && op == "bra") Add("branch", "");
  }

  void Replace(const Line& line, absl::string_view kind, absl::string_view from,
               absl::string_view to) {
    Line changed = line;
    changed.opcode = absl::StrReplaceAll(line.opcode, {{from, to}});
    Add(kind, Text(changed));
  }

  // shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1
  void Shuffle(const Line& line) {
    const std::vector<std::string> results = absl::StrSplit(line.operands[0], '|');
    Add("shuffle", absl::StrCat("\tmov.b32 \t", results[0], ", ", line.operands[1], ";"));
    Line masked = line;
    masked.operands.back() = "0x7fffffff";
    if (line.operands.back() == "-1") Add("mask", Text(masked));
  }

  void Bound(const Line& line) {
    int64_t bound = 0;
    if (!absl::SimpleAtoi(line.operands.back(), &bound)) return;
    for (const int64_t changed : {bound + 1, bound - 1}) {
      if (changed < 0 && absl::StrContains(line.opcode, ".u")) continue;
      Line other = line;
      other.operands.back() = absl::StrCat(changed);
      Add("bound", Text(other));
    }
  }

  std::vector<std::string> lines_;
  size_t at_ = 0;
  std::string kernel_ = "no kernel", stage_;
  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> MutationsOf(absl::string_view ptx) { return Mutator(ptx).Run(); }

std::vector<Witness> WitnessesOf(absl::string_view ptx, const Mutation& mutation) {
  std::vector<std::string> lines = absl::StrSplit(ptx, '\n');
  std::string& at = lines[mutation.line - 1];
  const Line original = Parse(mutation.original);
  std::vector<Witness> witnesses;
  const auto add = [&](absl::string_view reason, const Line& line) {
    at = Text(line);
    witnesses.push_back({std::string(reason), absl::StrJoin(lines, "\n")});
  };
  Line other = original;
  if (mutation.kind == "branch") {
    other.guard.clear();
    add("never-taken", other);
  }
  int64_t bound = 0;
  if (mutation.kind != "bound" || !absl::SimpleAtoi(original.operands.back(), &bound))
    return witnesses;
  if (absl::StartsWith(original.opcode, "setp.ne") ||
      absl::StartsWith(original.opcode, "setp.eq")) {
    other.operands.back() = "-1";
    if (bound == 0) add("another-thread", other);
    return witnesses;
  }
  const auto change = [&](absl::string_view reason, int64_t by) {
    if (bound + by < 0 && absl::StrContains(original.opcode, ".u")) return;
    other.operands.back() = absl::StrCat(bound + by);
    add(reason, other);
  };
  const bool more = absl::EndsWith(mutation.site, absl::StrCat(", ", bound + 1));
  if (more) change("past-the-last", -1);
  for (const int64_t sign : {more ? 1 : -1, more ? -1 : 1}) {
    change("", sign * 3);
    for (const int64_t step : {1024, 4096, 256, 64, 16, 4}) change("coarse", sign * step);
  }
  return witnesses;
}

std::string WithoutItsLine(absl::string_view ptx, const Mutation& mutation) {
  std::vector<std::string> lines = absl::StrSplit(ptx, '\n');
  lines[mutation.line - 1].clear();
  return absl::StrJoin(lines, "\n");
}

std::string NeedsNoWitness(absl::string_view ptx, const Mutation& mutation) {
  if (mutation.kind == "barrier") return "no-race";
  const Line line = Parse(mutation.original);
  if (mutation.kind != "bound" || line.operands.back() != "0") return "";
  const bool of_a_bit = absl::StrContains(ptx, absl::StrCat("xor.b32 \t", line.operands[1], ","));
  return of_a_bit ? "sign-of-the-flip" : "";
}

}  // namespace astitch::testing
