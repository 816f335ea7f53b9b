// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The page of a plan: whole, closed in itself, safe, the same every time, and light.
#include "report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "report/html_text.h"
#include "report/kernel_drawing.h"
#include "report/kernel_groups.h"
#include "report/kernel_svg.h"
#include "tests/report/planned.h"

namespace astitch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The first element that is closed by another's end or not at all; empty: there is none.
std::string UnbalancedTag(const std::string& html) {
  std::vector<std::string> open;
  size_t at = html.find('>') + 1;  // behind the doctype
  while ((at = html.find('<', at)) != std::string::npos) {
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return html.substr(at, 20);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    at = end;
    if (name == "meta" || tag.back() == '/') continue;
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(Report, OfEveryGoldenGraphIsWholeAndClosedInItself) {
  int looked_at = 0;
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;  // loops, sorts: refused by name
    ++looked_at;
    const std::string html = ReportHtml(planned->plan, planned->limits);
    EXPECT_EQ(UnbalancedTag(html), "") << golden.name;
    EXPECT_TRUE(absl::StartsWith(html, "<!DOCTYPE html>"));
    for (const char* outside : {"<script", "<link", "<img", "src=", "href=", "@import", "url("})
      EXPECT_FALSE(absl::StrContains(html, outside)) << golden.name << ": " << outside;
    EXPECT_FALSE(absl::StrContains(html, "nan")) << golden.name;
    EXPECT_LT(html.size(), size_t{4} << 20) << golden.name;
    EXPECT_EQ(html, ReportHtml(planned->plan, planned->limits)) << golden.name;
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Report, OfPlansWrittenByHandTellsWhatTheirLedgerLeavesOut) {
  const std::vector<Plan> plans = PlansByHand();
  EXPECT_GT(plans.size(), 10u);
  for (const Plan& plan : plans) {
    const std::string html = ReportHtml(plan, {});
    EXPECT_EQ(UnbalancedTag(html), "");
    EXPECT_THAT(html, HasSubstr("<svg xmlns"));
  }
}

TEST(Report, ShowsWhatThePlanSays) {
  const auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const std::string html = ReportHtml(planned->plan, planned->limits);
  for (const char* words :
       {"<h1>softmax</h1>", "<dd>a100</dd>", "k0.p", "16 MiB", "f32[4096,1024]",
        "class=\"e regional\"", "class=\"e kept\"", "behind a warp barrier", "<details open>"})
    EXPECT_THAT(html, HasSubstr(words));
  EXPECT_THAT(html, Not(HasSubstr("by class:")));
}

TEST(Report, TellsWhatWasWeighed) {
  const auto plain = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_THAT(ReportHtml(plain->plan, plain->limits), Not(HasSubstr("What was weighed")));
  const auto split =
      PlanOf(absl::StrReplaceAll(kSoftmax, {{"4096", "64"}, {"1024", "30000"}}), "a100");
  ASSERT_TRUE(split.ok()) << split.status();
  const std::string html = ReportHtml(split->plan, split->limits);
  EXPECT_THAT(html, HasSubstr("<h2>What was weighed</h2>"));
  EXPECT_THAT(html,
              testing::ContainsRegex("<td>rows-shared</td><td class=\"w\">predicted [0-9.]+ us"));
}

TEST(Report, NothingOfThePlanIsMarkup) {
  auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  Plan& plan = planned->plan;
  const std::string hostile = "<script>alert('\"&')</script>";
  plan.target = plan.fusion = hostile;
  for (PlanStep& step : plan.steps) std::get<KernelPlan>(step).name = hostile;
  for (LedgerEntry& entry : plan.ledger) entry.home = entry.reason = hostile;
  plan.ledger.push_back(
      {plan.ledger[0].producer, nullptr, hostile, hostile, 0, "predicted " + hostile});
  const std::string html = ReportHtml(plan, planned->limits);
  EXPECT_EQ(UnbalancedTag(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"));
}

// Kernels that are equal but for names, cuts between them, and advice that names them.
TEST(Report, NoNameOfTheGraphIsMarkup) {
  const std::string hostile = "<script>('\"&')";
  auto graph = std::make_unique<Graph>(hostile);
  Computation* entry = graph->AddComputation("e");
  graph->set_entry(entry);
  const Shape shape = Shape::Array(ElementType::kF32, {64, 128});
  Instruction* last = entry->Add(Opcode::kParameter, shape, {}, ParameterAttributes{0}, hostile);
  for (int i = 0; i < 4; ++i) last = entry->Add(Opcode::kTanh, shape, {last}, {}, hostile);
  entry->set_root(last);
  auto planned = PlanOf(std::move(graph), "a100", "none");
  ASSERT_TRUE(planned.ok()) << planned.status();
  planned->plan.fusion = "stitch";  // as if it had left them apart: advice names both
  const std::string html = ReportHtml(planned->plan, planned->limits);
  EXPECT_EQ(UnbalancedTag(html), "");
  EXPECT_THAT(html, HasSubstr("Equal but for names: <code>"));
  EXPECT_THAT(html, HasSubstr("nothing has to run between them"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("('\"&')")));
}

TEST(Report, DrawsEachEdgeInTheColourOfItsHome) {
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;
    const PlanFacts facts(planned->plan);
    const KernelPlan* kernel = planned->plan.steps.empty() ? nullptr : facts.KernelOf(0);
    if (kernel == nullptr) continue;
    const KernelDrawing drawing = DrawKernel(facts, 0);
    std::map<std::string, int> edges, arrows;
    bool again = false;
    for (const KernelDrawing::Edge& edge : drawing.edges) {
      ++edges[std::string(ToString(edge.home))];
      again |= edge.again;
    }
    const std::string svg = KernelSvg(*kernel, drawing);
    const std::string arrow = "<path class=\"h ";
    for (size_t at = svg.find(arrow); at != std::string::npos; at = svg.find(arrow, at)) {
      at += arrow.size();
      ++arrows[svg.substr(at, svg.find('"', at) - at)];
    }
    EXPECT_EQ(arrows, edges) << golden.name << ", " << golden.target;
    EXPECT_EQ(absl::StrContains(svg, " again\""), again) << golden.name;
    const auto outputs = std::count_if(drawing.nodes.begin(), drawing.nodes.end(),
                                       [](const KernelDrawing::Node& node) { return node.output; });
    EXPECT_EQ(absl::StrContains(svg, "class=\"n out\""), outputs > 0) << golden.name;
  }
}

// Without fusion most values are cut: the arrays first, then what has one element a row.
TEST(Report, ListsCutsByBytesAndSumsReasons) {
  const auto planned = PlanOf(kSoftmax, "a100", "none");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const std::string html = ReportHtml(planned->plan, planned->limits);
  const size_t array = html.find("<code>%c \u2192 %e</code></td><td class=\"n\">16 MiB</td>");
  const size_t row = html.find("<code>%m \u2192 %mb</code></td><td class=\"n\">16 KiB</td>");
  ASSERT_NE(array, std::string::npos);
  ASSERT_NE(row, std::string::npos);
  EXPECT_LT(array, row);
  // %c, %e twice; %m and %s.
  EXPECT_THAT(html, HasSubstr("<td>memory</td><td>other-kernel</td><td class=\"n\">5</td>"
                              "<td class=\"n\">48 MiB</td>"));
}

TEST(Report, ListsWhatABarrierCuts) {
  const auto page = [](const char* home) {
    auto planned = PlanOf(kSoftmax, "a100");
    if (!planned.ok()) return planned.status().ToString();
    for (LedgerEntry& entry : planned->plan.ledger) {
      if (entry.consumer != nullptr && entry.home == "regional") entry.home = home;
    }
    return ReportHtml(planned->plan, planned->limits);
  };
  EXPECT_THAT(page("regional"), HasSubstr("<p>Nothing: beside inputs"));
  EXPECT_THAT(page("global"), HasSubstr("<code>%e \u2192 %p</code>"));
  EXPECT_THAT(page("output"), HasSubstr("<code>%e \u2192 %p</code>"));
}

TEST(Report, BarsShowWhatIsReadAndThenWhatIsWritten) {
  auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  std::get<KernelPlan>(planned->plan.steps[0]).traffic = {
      .read = 3 << 20, .written = 1 << 20, .bound = 2 << 20};
  EXPECT_THAT(ReportHtml(planned->plan, planned->limits),
              HasSubstr("<rect class=\"r\" x=\"0\" y=\"3\" width=\"315.0\" height=\"12\"/>"
                        "<rect class=\"w\" x=\"315.0\" y=\"3\" width=\"105.0\" height=\"12\"/>"
                        "<path class=\"t\" d=\"M210.0 0v18\"/>"));
}

TEST(Report, TellsLargeKernelsByClassAndFoldsLongOnes) {
  const auto chain = [](int length) {
    std::string hlo = "HloModule m\nENTRY e {\n  v0 = f32[4096,1024] parameter(0)\n";
    for (int i = 1; i <= length; ++i)
      absl::StrAppend(&hlo, i == length ? "  ROOT v" : "  v", i, " = f32[4096,1024] ",
                      i % 2 == 0 ? "tanh" : "exponential", "(v", i - 1, ")\n");
    return hlo + "}\n";
  };
  const auto page = [&](int length) {
    const auto planned = PlanOf(chain(length), "a100");
    return planned.ok() ? ReportHtml(planned->plan, planned->limits) : "";
  };
  EXPECT_THAT(page(20), HasSubstr("<details open><summary><b>"));
  EXPECT_THAT(page(200), Not(HasSubstr("<details open>")));
  EXPECT_THAT(page(200), HasSubstr("<svg xmlns"));
  const std::string large = page(1000);
  EXPECT_THAT(large, HasSubstr("Too large to draw. By class:"));
  EXPECT_THAT(large, HasSubstr("exponential 500, tanh 500"));
  EXPECT_LT(large.size(), size_t{100} << 10);
}

std::vector<std::string> EdgesOf(const KernelDrawing& drawing) {
  std::vector<std::string> edges;
  for (const KernelDrawing::Edge& edge : drawing.edges) {
    edges.push_back(absl::StrCat(drawing.nodes[edge.from].value->name(), " ",
                                 drawing.nodes[edge.to].value->name(), " ", ToString(edge.home),
                                 edge.again ? " again" : ""));
  }
  return edges;
}

TEST(KernelDrawing, PutsValuesIntoTheStagesThatEvaluateThem) {
  const auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const KernelDrawing drawing = DrawKernel(PlanFacts(planned->plan), 0);
  std::vector<std::string> nodes;
  for (const KernelDrawing::Node& node : drawing.nodes)
    nodes.push_back(absl::StrCat(node.value->name(), " ", node.band));
  EXPECT_THAT(nodes, ElementsAre("x 0", "m 0", "mb 1", "c 1", "e 1", "s 1", "sb 2", "p 2"));
  EXPECT_THAT(EdgesOf(drawing), testing::UnorderedElementsAre(
                                    "x m kept", "x c kept", "m mb local", "mb c local", "c e local",
                                    "e s local", "s sb local", "sb p local", "e p regional"));
}

// %x is read behind the barrier once more, and parts of %s wait in scratch for it.
TEST(KernelDrawing, TellsWhatIsReadAgainAndWherePartsWait) {
  const Plan plan = PlanByHand("grid-barrier");
  const KernelDrawing drawing = DrawKernel(PlanFacts(plan), 0);
  EXPECT_THAT(EdgesOf(drawing), testing::UnorderedElementsAre("x s memory", "x y memory again",
                                                              "s sb global", "sb y local"));
  std::vector<std::string> roots, outputs;
  for (const KernelDrawing::Node& node : drawing.nodes) {
    if (node.root) roots.push_back(node.value->name());
    if (node.output) outputs.push_back(node.value->name());
  }
  EXPECT_THAT(roots, testing::UnorderedElementsAre("s", "y"));
  EXPECT_THAT(outputs, ElementsAre("y"));
}

TEST(KernelDrawing, TellsWhatEachBlockHasForItself) {
  const Plan plan = PlanByHand("block-columns");
  const KernelDrawing drawing = DrawKernel(PlanFacts(plan), 0);
  EXPECT_THAT(EdgesOf(drawing),
              testing::UnorderedElementsAre("x m memory", "m t block", "t tb block", "a d memory",
                                            "tb d local", "d e local", "e r regional", "r y local",
                                            "e y regional"));
  const std::string svg = KernelSvg(std::get<KernelPlan>(plan.steps[0]), drawing);
  for (const char* words :
       {"repeated by every block", "behind a block barrier", "class=\"own\"", "class=\"e block\""})
    EXPECT_THAT(svg, HasSubstr(words));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"phase\"")));
}

// Nothing keeps %d and %e: the sweep that stores %p makes them again.
TEST(KernelDrawing, TellsWhatIsComputedAgain) {
  const Plan plan = PlanByHand("kept-shared-in-part");
  EXPECT_THAT(EdgesOf(DrawKernel(PlanFacts(plan), 0)), testing::Contains("e p local again"));
}

TEST(KernelDrawing, NoEdgeLeadsToAnEarlierBand) {
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;
    const PlanFacts facts(planned->plan);
    for (size_t s = 0; s < planned->plan.steps.size(); ++s) {
      if (facts.KernelOf(static_cast<int>(s)) == nullptr) continue;
      const KernelDrawing drawing = DrawKernel(facts, static_cast<int>(s));
      for (const KernelDrawing::Edge& edge : drawing.edges)
        EXPECT_LE(drawing.nodes[edge.from].band, drawing.nodes[edge.to].band) << golden.name;
    }
  }
}

TEST(KernelGroups, AreKernelsThatDifferInNamesOnly) {
  // Three equal layers, and one of another size.
  std::string hlo =
      "HloModule m\nENTRY e {\n  w = f32[128,128] parameter(0)\n  v = f32[64,128] "
      "parameter(1)\n  u = f32[128,32] parameter(2)\n";
  std::string last = "v";
  for (int i = 0; i < 4; ++i) {
    const int columns = i == 3 ? 32 : 128;
    absl::StrAppend(&hlo,
                    absl::Substitute("  d$0 = f32[64,$1] dot($2, $3), "
                                     "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                                     "  $4t$0 = f32[64,$1] tanh(d$0)\n",
                                     i, columns, last, i == 3 ? "u" : "w", i == 3 ? "ROOT " : ""));
    last = absl::StrCat("t", i);
  }
  const auto planned = PlanOf(hlo + "}\n", "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const std::vector<std::vector<int>> groups = GroupKernels(PlanFacts(planned->plan));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].size(), 3u);
  EXPECT_EQ(groups[1].size(), 1u);
}

// Sums and largest values of equal arrays: no group.
TEST(KernelGroups, TellOperationsApart) {
  const auto groups = [](const char* second) {
    const auto planned = PlanOf(absl::Substitute(R"(
HloModule m
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[64,128] parameter(0)
  w = f32[128,128] parameter(1)
  zero = f32[] constant(0)
  m = f32[64] reduce(x, zero), dimensions={1}, to_apply=max
  mb = f32[64,128] broadcast(m), dimensions={0}
  a = f32[64,128] divide(x, mb)
  d = f32[64,128] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[64] reduce(d, zero), dimensions={1}, to_apply=$0
  nb = f32[64,128] broadcast(n), dimensions={0}
  ROOT f = f32[64,128] divide(d, nb)
})",
                                                 second),
                                "a100");
    return planned.ok() ? GroupKernels(PlanFacts(planned->plan)).size() : 0;
  };
  EXPECT_EQ(groups("max"), 1u);
  EXPECT_EQ(groups("add"), 2u);
}

TEST(HtmlText, EscapesAndShortens) {
  EXPECT_EQ(Escape("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&#39;?");
  EXPECT_EQ(Shortened("reduce", 6), "reduce");
  EXPECT_EQ(Shortened("reduce.1", 6), "reduc\u2026");
  EXPECT_EQ(Shortened("\u00e4\u00f6\u00fc", 2), "\u00e4\u2026");
}

}  // namespace
}  // namespace astitch
