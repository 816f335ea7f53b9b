// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Traits from a feature string: the last mention of a feature wins, as in LLVM.
#include "codegen/common/target_traits.h"

#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace astitch::codegen {
namespace {

bool Has(absl::string_view features, absl::string_view name) {
  bool on = false;
  for (absl::string_view feature : absl::StrSplit(features, ',')) {
    if (feature.size() == name.size() + 1 && feature.substr(1) == name) on = feature[0] == '+';
  }
  return on;
}

bool HasAny(absl::string_view features, std::initializer_list<absl::string_view> names) {
  for (absl::string_view name : names) {
    if (Has(features, name)) return true;
  }
  return false;
}

}  // namespace

TargetTraits NvptxTraits(int sm) {
  return {.is_nvptx = true,
          .sm = sm,
          .has_fma = true,
          .has_f16c = true,
          .has_bf16 = sm >= 80,
          .has_rounding = true,
          .vector_bits = 128};
}

TargetTraits HostTraits(absl::string_view features) {
  TargetTraits traits;
  traits.has_fma = HasAny(features, {"fma", "avx512f"});
  traits.has_f16c = HasAny(features, {"f16c", "avx512f"});
  traits.has_rounding = HasAny(features, {"sse4.1", "sse4.2", "avx", "avx2", "avx512f"});
  if (HasAny(features, {"avx", "avx2"})) traits.vector_bits = 256;
  if (Has(features, "avx512f")) traits.vector_bits = 512;
  return traits;
}

}  // namespace astitch::codegen
