// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The machines of tests, by name: those of tests/data/machines, else the built-in ones.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "stitch/machine.h"

namespace astitch {

inline absl::StatusOr<MachineModel> TestMachine(absl::string_view name) {
  const std::string file = absl::StrCat(ASTITCH_TEST_DATA, "/machines/", name, ".json");
  const absl::StatusOr<std::string> json = ReadFile(file);
  return json.ok() ? ParseMachine(*json, file) : FindMachine(name);
}

// The same as a target of the compiler: a name, or @ and a file.
inline std::string TestTarget(absl::string_view name) {
  const std::string file = absl::StrCat(ASTITCH_TEST_DATA, "/machines/", name, ".json");
  return ReadFile(file).ok() ? absl::StrCat("@", file) : std::string(name);
}

}  // namespace astitch
