// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// --emit: which texts of a compilation are wanted, and where they go. One kind goes to a file or to
// standard output; several go into a folder, a file each.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace astitch {

//   enumerator   word           file (k00-NAME is put before those that begin with a dot)
#define ASTITCH_EMIT_KINDS(X)                  \
  X(kHlo, "hlo", "graph.hlo")                  \
  X(kPlan, "plan", "plan.txt")                 \
  X(kLedger, "ledger", "ledger.txt")           \
  X(kLedgerJson, "ledger.json", "ledger.json") \
  X(kReport, "report", "report.html")          \
  X(kLlvm, "llvm", ".ll")                      \
  X(kPtx, "ptx", ".ptx")                       \
  X(kAsm, "asm", ".s")

enum class EmitKind {
#define ASTITCH_X(enumerator, word, file) enumerator,
  ASTITCH_EMIT_KINDS(ASTITCH_X)
#undef ASTITCH_X
};

absl::string_view ToString(EmitKind kind);
absl::string_view FileOf(EmitKind kind);
// Errors name the nearest word.
absl::StatusOr<std::vector<EmitKind>> ParseEmitKinds(absl::Span<const std::string> words);

struct EmittedText {
  EmitKind kind;
  std::string name;  // of the file in a folder: "k00-softmax.ptx"
  std::string text;
};

// "k07-softmax.ptx": the name of one kernel's text, safe in any file system.
std::string KernelFileName(int index, absl::string_view kernel, EmitKind kind);

// Writes TEXTS to OUT: "" and "-" are standard output, which takes one kind only. A folder is used
// when NUM_KINDS > 1, when OUT is one or when it ends in '/'. Each file appears complete or not at
// all.
absl::Status WriteEmitted(absl::Span<const EmittedText> texts, size_t num_kinds,
                          const std::string& out);

}  // namespace astitch
