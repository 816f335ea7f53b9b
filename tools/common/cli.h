// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What all command-line tools do alike: exit codes, streams, --version, unknown flags, error text.
//
// Data goes to standard output, everything else to standard error. Nothing here or in a tool's body
// throws: the argument parser does, and RunTool catches.
#pragma once

#include <string>

#include "CLI/CLI.hpp"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace astitch {

enum ExitCode {
  kExitOk = 0,
  kExitUserError = 1,       // flags, files, malformed input
  kExitCompileFailure = 2,  // a valid graph that cannot be compiled or evaluated
  kExitMismatch = 3,        // verification: wrong values
  kExitDeviceProblem = 4,   // driver, device, or a CPU that lacks what the code needs
};

// Adds --version, parses, and calls BODY, which returns the exit code. An unknown flag is an error
// that names the nearest known one.
int RunTool(CLI::App& app, int argc, char** argv, absl::FunctionRef<int()> body);

// "astitch 0.1.0 (git 2680b5f) LLVM 22.1.2".
std::string VersionText();

// The known word nearest to WORD by edit distance, empty when none is near.
std::string Nearest(absl::string_view word, const std::vector<std::string>& known);

// The text an error may point into.
struct Source {
  std::string name;  // a path, or "<stdin>"
  std::string text;
};

// Prints "TOOL: error: ..." or, for located errors, "FILE:line:col: error: ..." with the line and a
// caret; gives CODE back.
int Fail(const absl::Status& status, ExitCode code, const Source* source = nullptr);

// Writes TEXT to PATH ("-" and "" are standard output): complete or not at all.
int Emit(const std::string& path, absl::string_view text);

}  // namespace astitch
