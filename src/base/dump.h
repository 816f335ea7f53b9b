// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Files that show the work: what a stage made, numbered in order, for whoever asked through the
// environment.
//
//   ASTITCH_DUMP_TO=dir           dir/01-inline-calls.hlo, dir/02-fold-reshape.hlo, dir/03-plan.txt
//   ASTITCH_DUMP_TO=dir,fold.*    only names in which the regular expression is found
//
// Nothing outside base reads the environment: a stage is handed a Dumper.
// Not thread-safe.
#pragma once

#include <memory>
#include <regex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

class Dumper {
 public:
  // Writes nothing.
  Dumper() = default;
  // Writes into DIRECTORY, which is made when the first file is. An empty FILTER takes every name.
  static absl::StatusOr<Dumper> ToDirectory(std::string directory, absl::string_view filter = "");
  // As ASTITCH_DUMP_TO says; a Dumper that writes nothing when it is unset or empty.
  static absl::StatusOr<Dumper> FromEnvironment();

  // Worth making the contents of NAME.
  bool Wants(absl::string_view name) const;
  // Writes DIRECTORY/NN-NAME when it is wanted; NN counts the names offered, wanted or not, so that
  // a filter does not renumber.
  absl::Status Write(absl::string_view name, absl::string_view contents);
  // Counts a name whose contents were not made, since Wants said no.
  void Skip() { ++count_; }

 private:
  std::string directory_;  // empty: off
  std::shared_ptr<const std::regex> filter_;
  int count_ = 0;
};

}  // namespace astitch
