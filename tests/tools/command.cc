// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fork and exec with the three streams on files: no shell, so no quoting.
#include "tests/tools/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "gtest/gtest.h"

namespace astitch {
namespace {

void Redirect(int stream, const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0 || ::dup2(fd, stream) < 0) ::_exit(127);
}

}  // namespace

CommandResult RunCommand(const std::string& tool, const std::vector<std::string>& arguments,
                         const std::string& stdin_text, const std::string& stdout_path) {
  const std::string folder = FreshFolder();
  const std::string in = folder + "/stdin", err = folder + "/stderr";
  const std::string out = stdout_path.empty() ? folder + "/stdout" : stdout_path;
  EXPECT_TRUE(WriteFile(in, stdin_text).ok());
  std::vector<std::string> words = {ASTITCH_BIN_DIR "/" + tool};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t child = ::fork();
  if (child == 0) {
    Redirect(STDIN_FILENO, in, O_RDONLY);
    Redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    Redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(&word[0]);
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CommandResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (stdout_path.empty()) result.out = ReadFile(out).value_or("");
  result.err = ReadFile(err).value_or("");
  std::filesystem::remove_all(folder);
  return result;
}

std::string ToolData(const std::string& name) { return ASTITCH_TEST_DATA "/tools/" + name; }

}  // namespace astitch
