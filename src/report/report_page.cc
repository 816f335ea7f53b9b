// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The frame around the sections.
#include "report/report_page.h"

#include "absl/strings/str_cat.h"
#include "report/html_text.h"
#include "report/kernel_groups.h"
#include "report/page_sections.h"
#include "report/page_style.h"

namespace astitch {

std::string ReportHtml(const Plan& plan, const PlanLimits& limits) {
  PlanFacts facts(plan);
  const std::vector<std::vector<int>> groups = GroupKernels(facts);
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      Escape(plan.graph->name()), ": plan for ", Escape(plan.target), "</title>\n<style>",
      kPageStyle, "</style>\n</head>\n<body>\n", HeadSection(facts), TrafficSection(facts, groups),
      CutSection(facts, limits), ChoiceSection(facts), KernelSection(facts, groups),
      "</body>\n</html>\n");
}

}  // namespace astitch
