// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The opaque handle and its questions; ParseGraph is in parse_graph.cc.
#include "astitch/graph.h"
#include "ir/graph.h"
#include "ir/hlo_printer.h"

namespace astitch {
namespace {

std::vector<Shape> LeavesOf(const std::vector<Shape>& shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) leaves.push_back(*leaf);
  }
  return leaves;
}

}  // namespace

void GraphDeleter::operator()(Graph* graph) const { delete graph; }

std::string GraphToText(const Graph& graph) {
  return ToHloText(graph, HloPrintOptions::Complete());
}

std::vector<Shape> ParameterShapes(const Graph& graph) {
  if (graph.header().has_entry_layout) return LeavesOf(graph.header().entry_layout.parameters);
  std::vector<Shape> shapes;
  for (const Instruction* parameter : graph.entry()->parameters())
    shapes.push_back(parameter->shape());
  return LeavesOf(shapes);
}

std::vector<Shape> ResultShapes(const Graph& graph) {
  if (graph.header().has_entry_layout) return LeavesOf({graph.header().entry_layout.result});
  return LeavesOf({graph.entry()->root()->shape()});
}

}  // namespace astitch
