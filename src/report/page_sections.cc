// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The sections that are text and tables.
#include "report/page_sections.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/html_text.h"
#include "report/improve.h"
#include "report/quantity_text.h"

namespace astitch {
namespace {

std::string Term(absl::string_view term, absl::string_view words) {
  return absl::StrCat("<div><dt>", term, "</dt><dd>", Escape(words), "</dd></div>\n");
}

// ---- traffic

std::string Bar(const Traffic& traffic, int64_t most) {
  constexpr double kWidth = 420;
  const double scale = most > 0 ? kWidth / static_cast<double>(most) : 0;
  const double read = scale * static_cast<double>(traffic.read);
  const double written = scale * static_cast<double>(traffic.written);
  const double bound = std::max(1.0, scale * static_cast<double>(traffic.bound));
  return absl::StrFormat(
      "<svg class=\"bar\" width=\"%.0f\" height=\"18\" role=\"img\" aria-label=\"%s\">"
      "<rect class=\"r\" x=\"0\" y=\"3\" width=\"%.1f\" height=\"12\"/>"
      "<rect class=\"w\" x=\"%.1f\" y=\"3\" width=\"%.1f\" height=\"12\"/>"
      "<path class=\"t\" d=\"M%.1f 0v18\"/></svg>",
      kWidth + 2, BytesText(traffic.total()), read, read, written, bound);
}

// ---- cuts

// One value that leaves the chip on its way to some readers of one step.
struct Cut {
  const Instruction* producer = nullptr;
  std::vector<const Instruction*> consumers;
  int step = PlanFacts::kNone;
  std::string home, reason, improve;
  int64_t bytes = 0;
};

// Edges that leave the chip inside the plan, though no library call is at either end. What is read
// again without a byte more of traffic comes from the cache, and is none.
bool IsCut(const PlanFacts& facts, size_t line) {
  const LedgerEntry& entry = facts.plan().ledger[line];
  if (entry.consumer == nullptr) return false;
  if (entry.home == "global" || entry.home == "output") return true;
  if (entry.home != "memory") return false;
  const KernelPlan* kernel = facts.KernelOf(facts.StepOfLine(line));
  if (entry.reason == "read-again")
    return kernel != nullptr && kernel->traffic.total() > kernel->traffic.bound;
  return entry.reason == "other-kernel" || absl::EndsWith(entry.reason, "-alone");
}

// The largest first.
std::vector<Cut> FindCuts(PlanFacts& facts, const PlanLimits& limits) {
  std::vector<Cut> cuts;
  std::map<std::pair<int64_t, int>, size_t> last;  // by value and step
  for (size_t n = 0; n < facts.plan().ledger.size(); ++n) {
    if (!IsCut(facts, n)) continue;
    const LedgerEntry& entry = facts.plan().ledger[n];
    Cut cut{entry.producer, {entry.consumer}, facts.StepOfLine(n),
            entry.home,     entry.reason,     ImprovementOf(facts, limits, n),
            entry.bytes};
    const auto [it, fresh] =
        last.emplace(std::make_pair(entry.producer->id(), cut.step), cuts.size());
    if (!fresh && cuts[it->second].reason == cut.reason &&
        cuts[it->second].improve == cut.improve) {
      cuts[it->second].consumers.push_back(entry.consumer);
      continue;
    }
    it->second = cuts.size();
    cuts.push_back(std::move(cut));
  }
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const Cut& a, const Cut& b) { return a.bytes > b.bytes; });
  return cuts;
}

std::string CutRow(const PlanFacts& facts, const Cut& cut) {
  constexpr size_t kMostReaders = 4;
  const int writer = facts.WriterOf(cut.producer);
  std::string where = cut.step == PlanFacts::kNone ? "" : facts.StepName(cut.step);
  if (writer != PlanFacts::kNone && writer != cut.step)
    where = absl::StrCat(facts.StepName(writer), " \u2192 ", where);
  std::string readers;
  for (size_t k = 0; k < std::min(kMostReaders, cut.consumers.size()); ++k)
    absl::StrAppend(&readers, k == 0 ? "%" : ", %", cut.consumers[k]->name());
  if (cut.consumers.size() > kMostReaders)
    absl::StrAppend(&readers, " and ", cut.consumers.size() - kMostReaders, " more");
  return absl::StrCat("<tr><td class=\"w\"><code>%", Escape(cut.producer->name()), " \u2192 ",
                      Escape(readers), "</code></td><td class=\"n\">", BytesText(cut.bytes),
                      "</td><td>", Escape(cut.home), "</td><td>", Escape(cut.reason),
                      "</td><td class=\"w\"><code>", Escape(where), "</code></td><td class=\"w\">",
                      Escape(cut.improve), "</td></tr>\n");
}

// ---- choices

// Whether ENTRY tells what two plans of a kernel were predicted to take.
bool IsChoice(const LedgerEntry& entry) {
  return entry.consumer == nullptr && absl::StartsWith(entry.detail, "predicted ");
}

std::string ChoiceRow(const LedgerEntry& entry) {
  return absl::StrCat("<tr><td class=\"w\"><code>%", Escape(entry.producer->name()),
                      "</code></td><td>", Escape(entry.reason), "</td><td class=\"w\">",
                      Escape(entry.detail), "</td></tr>\n");
}

// How many edges and bytes each reason has.
std::string ReasonTable(const PlanFacts& facts) {
  struct Sum {
    int64_t edges = 0, bytes = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const LedgerEntry& entry : facts.plan().ledger) {
    if (entry.consumer == nullptr) continue;
    Sum& sum = sums[{entry.home, entry.reason}];
    ++sum.edges;
    sum.bytes += entry.bytes;
  }
  std::string out =
      "<table><tr><th>home</th><th>reason</th><th class=\"n\">edges</th><th class=\"n\">bytes</th>"
      "</tr>\n";
  for (const auto& [key, sum] : sums) {
    absl::StrAppend(&out, "<tr><td>", Escape(key.first), "</td><td>", Escape(key.second),
                    "</td><td class=\"n\">", sum.edges, "</td><td class=\"n\">",
                    sum.bytes == 0 ? "" : BytesText(sum.bytes), "</td></tr>\n");
  }
  return out + "</table>\n";
}

}  // namespace

std::string HeadSection(const PlanFacts& facts) {
  const Plan& plan = facts.plan();
  const Traffic total = plan.total_traffic();
  const int64_t references = plan.num_reference_calls(), copies = plan.num_copies();
  std::string out =
      absl::StrCat("<h1>", Escape(plan.graph->name()), "</h1>\n<dl>\n", Term("target", plan.target),
                   Term("fusion", plan.fusion), Term("kernels", absl::StrCat(plan.num_kernels())),
                   Term("library calls", absl::StrCat(plan.num_library_calls())));
  if (references > 0) out += Term("reference steps, on the host", absl::StrCat(references));
  if (copies > 0) out += Term("copies", absl::StrCat(copies));
  absl::StrAppend(
      &out, Term("instructions", absl::StrCat(plan.graph->entry()->post_order().size())),
      Term("kernels' traffic", BytesText(total.total())), Term("least", BytesText(total.bound)),
      Term("traffic over least", OverBound(total)),
      Term("memory between steps", BytesText(plan.arena_bytes)),
      Term("predicted time of kernels", TimeText(plan.predicted_kernels_ns())));
  if (plan.predicted_others_ns() > 0)
    out += Term("predicted time of other steps", TimeText(plan.predicted_others_ns()));
  out += "</dl>\n";
  return out;
}

std::string TrafficSection(const PlanFacts& facts, const std::vector<std::vector<int>>& groups) {
  if (groups.empty()) return "";
  int64_t most = 0;
  for (const std::vector<int>& group : groups) {
    const Traffic& traffic = facts.KernelOf(group[0])->traffic;
    most = std::max({most, traffic.total(), traffic.bound});
  }
  std::string out =
      "<h2>Traffic</h2>\n<p class=\"soft\">Planned DRAM bytes of each kernel: read in blue, "
      "written in "
      "orange. The mark is the bound, each input and output once. Kernels that are equal but for "
      "names "
      "share a line. Times are predictions of the cost model, and what they go by.</p>\n<div "
      "class=\"scroll\"><table><tr><th>kernel</th><th "
      "class=\"n\">times</th>"
      "<th></th><th class=\"n\">read</th><th class=\"n\">written</th><th class=\"n\">bound</th>"
      "<th class=\"n\">over bound</th><th class=\"n\">predicted time</th><th>by</th></tr>\n";
  for (const std::vector<int>& group : groups) {
    const KernelPlan& kernel = *facts.KernelOf(group[0]);
    absl::StrAppend(
        &out, "<tr><td><code>", Escape(kernel.name), "</code></td><td class=\"n\">", group.size(),
        "</td><td>", Bar(kernel.traffic, most), "</td><td class=\"n\">",
        BytesText(kernel.traffic.read), "</td><td class=\"n\">", BytesText(kernel.traffic.written),
        "</td><td class=\"n\">", BytesText(kernel.traffic.bound), "</td><td class=\"n\">",
        OverBound(kernel.traffic), "</td><td class=\"n\">", TimeText(kernel.predicted.ns),
        "</td><td>", ToString(kernel.predicted.bound), "</td></tr>\n");
  }
  return out + "</table></div>\n";
}

std::string CutSection(PlanFacts& facts, const PlanLimits& limits) {
  constexpr size_t kMost = 60;
  constexpr int64_t kSmall = 500;  // times less than the largest, and nothing would help
  const std::vector<Cut> cuts = FindCuts(facts, limits);
  std::string out = "<h2>What is cut, and why</h2>\n";
  if (cuts.empty()) {
    out +=
        "<p>Nothing: beside inputs, results and what library calls read and write, no value goes "
        "through memory.</p>\n";
  } else {
    out +=
        "<p class=\"soft\">Values that go through memory inside the plan: between two kernels, "
        "behind a barrier of a kernel, or read again. The largest first.</p>\n"
        "<div class=\"scroll\"><table><tr><th>from \u2192 to</th><th class=\"n\">bytes</th>"
        "<th>home</th><th>reason</th><th>where</th><th>what would improve it</th></tr>\n";
    size_t shown = 0;
    for (const Cut& cut : cuts) {
      const bool small = cut.improve.empty() && cut.bytes < cuts[0].bytes / kSmall;
      if (shown == kMost || small) continue;
      out += CutRow(facts, cut);
      ++shown;
    }
    out += "</table></div>\n";
    if (cuts.size() > shown) {
      absl::StrAppend(&out, "<p>", cuts.size() - shown,
                      " more are left out; <code>--emit=ledger</code> has them all.</p>\n");
    }
  }
  return absl::StrCat(out, "<details><summary>All edges by home and reason</summary>\n",
                      ReasonTable(facts), "</details>\n");
}

std::string ChoiceSection(const PlanFacts& facts) {
  constexpr size_t kMost = 60;
  size_t choices = 0;
  std::string rows;
  for (const LedgerEntry& entry : facts.plan().ledger) {
    if (IsChoice(entry) && choices++ < kMost) rows += ChoiceRow(entry);
  }
  if (choices == 0) return "";
  std::string out = absl::StrCat(
      "<h2>What was weighed</h2>\n<p class=\"soft\">Kernels that were planned in more than one "
      "way, at "
      "the value that tells them. Times are predictions.</p>\n<div class=\"scroll\"><table><tr>"
      "<th>value</th><th>choice</th><th>predictions</th></tr>\n",
      rows, "</table></div>\n");
  if (choices > kMost) {
    absl::StrAppend(&out, "<p>", choices - kMost,
                    " more are left out; <code>--emit=ledger</code> has them all.</p>\n");
  }
  return out;
}

}  // namespace astitch
