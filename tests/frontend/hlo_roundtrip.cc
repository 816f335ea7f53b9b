// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads HLO text from a file (or '-', standard input) and prints it as we print it, complete. With
// --check it also demands that our text parses back to an equal graph and prints to itself.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "ir/graph_equal.h"
#include "ir/hlo_printer.h"

namespace {

int Fail(const absl::Status& status, const std::string& file) {
  std::fputs(astitch::RenderError(status, file).c_str(), stderr);
  return 1;
}

int Check(const astitch::Graph& graph, const std::string& text, const std::string& file) {
  const auto again = astitch::ParseHloText(text);
  if (!again.ok()) return Fail(again.status(), file + " (as printed)");
  const absl::Status same = astitch::GraphsEqual(graph, **again);
  if (!same.ok()) return Fail(same, file);
  if (astitch::ToHloText(**again, astitch::HloPrintOptions::Complete()) != text)
    return Fail(absl::InternalError("text is no fixed point"), file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fputs("usage: hlo_roundtrip [--check] FILE|-\n", stderr);
    return 2;
  }
  const std::string file = argv[argc - 1];
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    auto read = astitch::ReadFile(file);
    if (!read.ok()) return Fail(read.status(), file);
    text = *std::move(read);
  }
  const auto graph = astitch::ParseHloText(text);
  if (!graph.ok()) return Fail(graph.status(), file);
  astitch::HloPrintOptions options = astitch::HloPrintOptions::Complete();
  options.decimal_negative_zero = !check;
  const std::string printed = astitch::ToHloText(**graph, options);
  if (check) return Check(**graph, printed, file);
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  return 0;
}
