// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fork, a pipe for the answer, and an alarm.
#include "check/child.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace astitch {
namespace {

void WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0) _exit(3);
    done += static_cast<size_t>(n);
  }
}

std::string ReadAll(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof(buffer))) > 0;) out.append(buffer, n);
  return out;
}

}  // namespace

std::string RunInChild(absl::FunctionRef<std::string()> code, int limit_seconds) {
  int ends[2];
  ASTITCH_CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  ASTITCH_CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    alarm(limit_seconds);
    WriteAll(ends[1], code());
    _exit(0);
  }
  close(ends[1]);
  const std::string answer = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  ASTITCH_CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return answer;
  if (!WIFSIGNALED(status)) return absl::StrCat("crash: exit code ", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM)
    return absl::StrCat("hang: no answer in ", limit_seconds, " seconds");
  return absl::StrCat("crash: signal ", WTERMSIG(status));
}

}  // namespace astitch
