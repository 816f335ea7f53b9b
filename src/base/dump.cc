// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Numbered dump files.
#include "base/dump.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"

namespace astitch {

absl::StatusOr<Dumper> Dumper::ToDirectory(std::string directory, absl::string_view filter) {
  Dumper dumper;
  dumper.directory_ = std::move(directory);
  if (filter.empty()) return dumper;
  try {
    dumper.filter_ = std::make_shared<const std::regex>(filter.data(), filter.size());
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a regular expression, got ", filter, ": ", error.what()));
  }
  return dumper;
}

absl::StatusOr<Dumper> Dumper::FromEnvironment() {
  const char* value = std::getenv("ASTITCH_DUMP_TO");
  if (value == nullptr || *value == '\0') return Dumper();
  const absl::string_view text(value);
  const size_t comma = text.find(',');
  if (comma == absl::string_view::npos) return ToDirectory(std::string(text));
  return ToDirectory(std::string(text.substr(0, comma)), text.substr(comma + 1));
}

bool Dumper::Wants(absl::string_view name) const {
  if (directory_.empty()) return false;
  return filter_ == nullptr || std::regex_search(name.begin(), name.end(), *filter_);
}

absl::Status Dumper::Write(absl::string_view name, absl::string_view contents) {
  ++count_;
  if (!Wants(name)) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) {
    return absl::InternalError(
        absl::StrCat("cannot make directory ", directory_, ": ", error.message()));
  }
  return WriteFile(absl::StrFormat("%s/%02d-%s", directory_, count_, name), contents);
}

}  // namespace astitch
