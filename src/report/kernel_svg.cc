// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Bands first, then lines, then boxes, so that boxes lie on top.
#include "report/kernel_svg.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "report/html_text.h"
#include "report/layered_layout.h"
#include "report/quantity_text.h"

namespace astitch {
namespace {

constexpr double kGutter = 172, kMargin = 16;
constexpr size_t kNameWidth = 22, kShapeWidth = 25;  // characters that a box has room for
constexpr double kTextLine = 15;

// "64×32 rows", "1 row".
std::string Extents(const std::vector<int64_t>& extents, absl::string_view unit) {
  const std::string product = ExtentsText(extents);
  return absl::StrCat(product, " ", unit, product == "1" ? "" : "s");
}

std::vector<std::string> PhaseWords(const KernelPlan& kernel, int phase_number) {
  const Phase& phase = kernel.phases[phase_number];
  std::vector<std::string> words = {
      absl::StrCat("phase ", phase_number), Extents(phase.rows, "row"),
      absl::StrCat(phase.num_tasks(), phase.num_tasks() == 1 ? " task" : " tasks", ", tile ",
                   phase.tile_rows)};
  if (phase.repeated) words.push_back("repeated by every block");
  if (phase.barrier != PhaseBarrier::kNone)
    words.push_back(absl::StrCat("behind a ", ToString(phase.barrier), " barrier"));
  return words;
}

// What stands in the gutter beside a stage.
std::vector<std::string> BandWords(const KernelPlan& kernel, StageId at) {
  const Stage& stage = kernel.phases[at.phase].stages[at.stage];
  std::vector<std::string> words;
  if (at.stage == 0) words = PhaseWords(kernel, at.phase);
  words.push_back(absl::StrCat("stage ", at.stage, ", ", Extents(stage.columns, "column")));
  std::string how;
  if (stage.vector > 1)
    how = absl::StrCat("vectors of ", stage.vector, stage.vector_rows ? " rows" : "");
  if (stage.chunk > 0) absl::StrAppend(&how, how.empty() ? "" : ", ", "chunks of ", stage.chunk);
  if (!how.empty()) words.push_back(how);
  if (stage.barrier != StageBarrier::kNone)
    words.push_back(absl::StrCat("behind a ", ToString(stage.barrier), " barrier"));
  return words;
}

std::string ShapeOf(const Instruction& value) {
  return value.shape().ToString(/*with_layout=*/false);
}

// Everything that is known of a value, for whoever rests the pointer on it.
std::string Hint(const KernelDrawing::Node& node) {
  std::string hint = absl::StrCat("%", node.value->name(), " = ", ShapeOf(*node.value), " ",
                                  ToString(node.value->opcode()), "\n");
  if (node.value->shape().IsArray())
    absl::StrAppend(&hint, BytesText(node.value->shape().byte_size()), "; ");
  absl::StrAppend(&hint, node.input ? "read" : "evaluated", " in ");
  std::vector<std::string> stages;
  for (const StageId at : node.stages)
    stages.push_back(absl::StrCat("phase ", at.phase, " stage ", at.stage));
  absl::StrAppend(&hint, absl::StrJoin(stages, ", "));
  if (node.place != nullptr) {
    absl::StrAppend(&hint, "; home ", node.input ? "memory" : ToString(node.place->home));
    if (node.place->keep != Keep::kNone)
      absl::StrAppend(&hint, ", kept in ", ToString(node.place->keep));
    if (node.place->bytes > 0) absl::StrAppend(&hint, ", ", BytesText(node.place->bytes));
  }
  return hint;
}

std::string BoxClass(const KernelDrawing::Node& node) {
  if (node.input) return "in";
  if (node.output) return "out";
  return node.root ? "root" : "value";
}

void AppendBox(const KernelDrawing::Node& node, GraphLayout::Point top, const LayoutSizes& sizes,
               std::string& svg) {
  const Instruction& value = *node.value;
  const std::string opcode(ToString(value.opcode()));
  std::string below = ShapeOf(value);
  // Names that dumps give say the operation already.
  if (!absl::StartsWith(value.name(), opcode.substr(0, 3)) && !node.input)
    below = absl::StrCat(opcode, " ", below);
  const double left = top.x - sizes.node_width / 2;
  absl::StrAppendFormat(&svg,
                        "<g class=\"n %s\"><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" "
                        "width=\"%.0f\" height=\"%.0f\" rx=\"%d\"/>",
                        BoxClass(node), Escape(Hint(node)), left, top.y, sizes.node_width,
                        sizes.node_height, node.input ? 18 : 4);
  absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" class=\"a\">%s</text>", top.x,
                        top.y + 16, Escape(Shortened(value.name(), kNameWidth)));
  absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" class=\"b\">%s</text></g>\n", top.x,
                        top.y + 30, Escape(Shortened(below, kShapeWidth)));
}

void AppendSegment(const GraphLayout::Segment& segment, int num_homes, std::string& svg) {
  const auto home = static_cast<EdgeHome>(segment.style % num_homes);
  const bool again = segment.style >= num_homes;
  const GraphLayout::Point a = segment.a, b = segment.b;
  absl::StrAppendFormat(&svg, "<path class=\"e %s%s\" d=\"M%.1f %.1f", ToString(home),
                        again ? " again" : "", a.x, a.y);
  if (segment.straight || a.x == b.x) {
    absl::StrAppendFormat(&svg, "V%.1f", b.y);
  } else {
    const double middle = (a.y + b.y) / 2;
    absl::StrAppendFormat(&svg, "C%.1f %.1f %.1f %.1f %.1f %.1f", a.x, middle, b.x, middle, b.x,
                          b.y);
  }
  svg += "\"/>";
  if (segment.to >= 0) {
    absl::StrAppendFormat(&svg, "<path class=\"h %s\" d=\"M%.1f %.1fl-3.5 -6h7z\"/>",
                          ToString(home), b.x, b.y);
  }
  svg += "\n";
}

void AppendWords(const std::vector<std::string>& words, double x, double y, bool heading,
                 std::string& svg) {
  for (size_t i = 0; i < words.size(); ++i) {
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x,
                          y + kTextLine * static_cast<double>(i + 1), heading && i == 0 ? "p" : "s",
                          Escape(words[i]));
  }
}

// Of the line above the band of AT.
absl::string_view LineClass(const KernelPlan& kernel, StageId at) {
  if (at.stage > 0) return "stage";
  if (at.phase == 0) return "first";
  return kernel.phases[at.phase].waits_for_blocks() ? "phase" : "own";
}

void AppendBands(const KernelPlan& kernel, const KernelDrawing& drawing, const GraphLayout& layout,
                 double width, std::string& svg) {
  for (size_t band = 0; band < drawing.bands.size(); ++band) {
    const StageId at = drawing.bands[band];
    const GraphLayout::Band of = layout.bands[band];
    const bool opens = at.stage == 0;
    absl::StrAppendFormat(&svg,
                          "<rect class=\"band %s\" x=\"0\" y=\"%.1f\" width=\"%.1f\" "
                          "height=\"%.1f\"/>\n",
                          at.phase % 2 == 0 ? "even" : "odd", of.top, width, of.bottom - of.top);
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M0 %.1fH%.1f\"/>\n", LineClass(kernel, at),
                          of.top, width);
    AppendWords(BandWords(kernel, at), 10, of.top + 4, opens, svg);
  }
}

}  // namespace

std::string KernelSvg(const KernelPlan& kernel, const KernelDrawing& drawing) {
  constexpr int kHomes = static_cast<int>(std::size(kEdgeHomes));
  LayeredGraph graph;
  graph.num_bands = static_cast<int>(drawing.bands.size());
  for (const KernelDrawing::Node& node : drawing.nodes) graph.band.push_back(node.band);
  for (const KernelDrawing::Edge& edge : drawing.edges) {
    graph.edges.push_back(
        {edge.from, edge.to, static_cast<int>(edge.home) + (edge.again ? kHomes : 0)});
  }
  LayoutSizes sizes;
  for (const StageId at : drawing.bands) {
    const auto lines = static_cast<double>(BandWords(kernel, at).size());
    sizes.least_band_heights.push_back(kTextLine * lines + 14);
  }
  GraphLayout layout = LayOut(graph, sizes);
  const double width = kGutter + layout.width + 2 * kMargin;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
      "%.0f\" role=\"img\" aria-label=\"%s\">\n",
      width, layout.height, width, layout.height, Escape(kernel.name));
  AppendBands(kernel, drawing, layout, width, svg);
  absl::StrAppendFormat(&svg, "<g transform=\"translate(%.0f 0)\">\n", kGutter + kMargin);
  for (const GraphLayout::Segment& segment : layout.segments) AppendSegment(segment, kHomes, svg);
  for (size_t n = 0; n < drawing.nodes.size(); ++n)
    AppendBox(drawing.nodes[n], layout.nodes[n], sizes, svg);
  return svg + "</g></svg>\n";
}

std::string LegendSvg() {
  constexpr double kStep = 104, kHeight = 26;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"legend\" width=\"%.0f\" height=\"%.0f\" "
      "role=\"img\" aria-label=\"legend\">\n",
      kStep * static_cast<double>(std::size(kEdgeHomes) + 2), kHeight);
  double x = 4;
  const auto sample = [&](absl::string_view classes, absl::string_view word) {
    absl::StrAppendFormat(&svg,
                          "<path class=\"e %s\" d=\"M%.0f 13h26\"/><text class=\"s\" x=\"%.0f\" "
                          "y=\"17\">%s</text>\n",
                          classes, x, x + 32, word);
    x += kStep;
  };
  for (const EdgeHome home : kEdgeHomes) sample(ToString(home), ToString(home));
  sample("local again", "once more (dashed)");
  return svg + "</svg>\n";
}

}  // namespace astitch
