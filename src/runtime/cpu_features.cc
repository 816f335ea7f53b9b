// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One list pairs LLVM's word for a feature with the one that the system's compiler tests at run
// time; where the two differ is here and nowhere else.
#include "runtime/cpu_features.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace astitch {
namespace {

//   LLVM's word, the compiler's word
#define ASTITCH_CPU_FEATURES(X) \
  X("sse3", "sse3")             \
  X("ssse3", "ssse3")           \
  X("sse4.1", "sse4.1")         \
  X("sse4.2", "sse4.2")         \
  X("popcnt", "popcnt")         \
  X("avx", "avx")               \
  X("avx2", "avx2")             \
  X("fma", "fma")               \
  X("f16c", "f16c")             \
  X("bmi", "bmi")               \
  X("bmi2", "bmi2")             \
  X("lzcnt", "lzcnt")           \
  X("avx512f", "avx512f")       \
  X("avx512bw", "avx512bw")     \
  X("avx512cd", "avx512cd")     \
  X("avx512dq", "avx512dq")     \
  X("avx512vl", "avx512vl")     \
  X("avx512vnni", "avx512vnni") \
  X("avx512bf16", "avx512bf16")

bool Has(const std::string& feature) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#define ASTITCH_X(llvm, gcc) \
  if (feature == llvm) return __builtin_cpu_supports(gcc);
  ASTITCH_CPU_FEATURES(ASTITCH_X)
#undef ASTITCH_X
  // Part of every x86-64.
  return feature == "64bit" || feature == "sse" || feature == "sse2" || feature == "cx8" ||
         feature == "cmov" || feature == "fxsr" || feature == "mmx";
#else
  return false;
#endif
}

}  // namespace

absl::Status CheckCpuFeatures(const std::vector<std::string>& features) {
  std::vector<std::string> missing;
  for (const std::string& feature : features) {
    if (!Has(feature)) missing.push_back(feature);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the image needs CPU features that are missing here: ", absl::StrJoin(missing, ", ")));
}

}  // namespace astitch
