// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs one of the built tools as a user would, and gives back what it said.
#pragma once

#include <string>
#include <vector>

#include "tests/fresh_folder.h"

namespace astitch {

struct CommandResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out, err;
};

// TOOL is a name in the build's bin folder. STDIN_TEXT is what it reads from standard input;
// STDOUT_PATH, when not empty, is where its standard output goes.
CommandResult RunCommand(const std::string& tool, const std::vector<std::string>& arguments,
                         const std::string& stdin_text = "", const std::string& stdout_path = "");

// A file in tests/data/tools.
std::string ToolData(const std::string& name);

}  // namespace astitch
