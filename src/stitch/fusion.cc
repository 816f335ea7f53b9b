// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The names on the command line.
#include "stitch/fusion.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace astitch {
namespace {

constexpr Fusion kFusions[] = {Fusion::kStitch, Fusion::kTvm, Fusion::kXla, Fusion::kNone};

}  // namespace

absl::string_view ToString(Fusion fusion) {
  switch (fusion) {
    case Fusion::kStitch:
      return "stitch";
    case Fusion::kTvm:
      return "tvm";
    case Fusion::kXla:
      return "xla";
    case Fusion::kNone:
      return "none";
  }
  return "?";
}

absl::StatusOr<Fusion> ParseFusion(absl::string_view name) {
  for (Fusion fusion : kFusions) {
    if (ToString(fusion) == name) return fusion;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected fusion ", absl::StrJoin(FusionNames(), ", "), ", got ", name));
}

std::vector<std::string> FusionNames() {
  std::vector<std::string> names;
  for (Fusion fusion : kFusions) names.emplace_back(ToString(fusion));
  return names;
}

}  // namespace astitch
