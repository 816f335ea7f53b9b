// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Atomic replacement: temporary file in the same folder, fsync, rename.
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

absl::Status SystemError(absl::string_view doing, const std::string& path, int error) {
  const std::string message = absl::StrCat(doing, " ", path, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(message);
  return absl::InternalError(message);
}

absl::Status WriteAll(int fd, absl::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t n = ::write(fd, contents.data(), contents.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot write", path, errno);
    contents.remove_prefix(n);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError("cannot open", path, errno);
  std::string out;
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) out.reserve(info.st_size);
  char buffer[1 << 16];
  absl::Status status;
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) status = SystemError("cannot read", path, errno);
    if (n <= 0) break;
    out.append(buffer, n);
  }
  if (fd != STDIN_FILENO) ::close(fd);
  if (!status.ok()) return status;
  return out;
}

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  if (path == "-") return WriteAll(STDOUT_FILENO, contents, "standard output");
  // A device or a pipe is written in place; there is nothing to replace.
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return SystemError("cannot open", path, errno);
    absl::Status status = WriteAll(fd, contents, path);
    if (::close(fd) != 0 && status.ok()) status = SystemError("cannot write", path, errno);
    return status;
  }
  const std::string temporary = absl::StrCat(path, ".tmp", ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return SystemError("cannot create", temporary, errno);
  absl::Status status = WriteAll(fd, contents, path);
  if (status.ok() && ::fsync(fd) != 0 && errno != EINVAL)
    status = SystemError("cannot write", path, errno);
  if (::close(fd) != 0 && status.ok()) status = SystemError("cannot write", path, errno);
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = SystemError("cannot replace", path, errno);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace astitch
