// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Parser, verifier, elided constants: in this order, so that the first error is the one to mend.
#include "tools/common/graph_input.h"

#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "ir/verifier.h"
#include "tensor_io/elided.h"
#include "tools/common/stopwatch.h"

namespace astitch {

absl::Status ReadSource(const std::string& path, Source& source) {
  source.name = path == "-" ? "<stdin>" : path;
  ASTITCH_ASSIGN_OR_RETURN(source.text, ReadFile(path));
  return absl::OkStatus();
}

absl::Status ParseSource(const std::string& elided, GraphInput& input) {
  const Stopwatch watch;
  ASTITCH_ASSIGN_OR_RETURN(const ElidedPolicy policy, ParseElidedPolicy(elided));
  ASTITCH_ASSIGN_OR_RETURN(input.graph, ParseHloText(input.source.text));
  ASTITCH_RETURN_IF_ERROR(VerifyGraph(*input.graph));
  ASTITCH_RETURN_IF_ERROR(FillElidedConstants(*input.graph, policy));
  input.parse_ms = watch.ElapsedMs();
  return absl::OkStatus();
}

absl::Status ReadGraph(const std::string& path, const std::string& elided, GraphInput& input) {
  ASTITCH_RETURN_IF_ERROR(ReadSource(path, input.source));
  return ParseSource(elided, input);
}

void AddElidedFlag(CLI::App& app, std::string& elided) {
  app.add_option(
         "--elided", elided,
         "Values for constants printed as {...}: zeros, ones, random:SEED; refused if absent")
      ->type_name("VALUES");
}

}  // namespace astitch
