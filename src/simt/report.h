// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a simulated launch has to say about the program: located faults, each kept once with a
// count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"

namespace astitch::simt {

//   enumerator        word
#define ASTITCH_SIMT_REPORTS(X)                    \
  X(kOutOfBounds, "out of bounds")                 \
  X(kMisaligned, "misaligned access")              \
  X(kUnwrittenRead, "read of unwritten memory")    \
  X(kReadOnlyWrite, "write to a read-only buffer") \
  X(kDataRace, "data race")                        \
  X(kNonCoherentRead, "non-coherent read")         \
  X(kDivergentBarrier, "divergent barrier")        \
  X(kCollective, "collective")                     \
  X(kDeadlock, "deadlock")                         \
  X(kNonResident, "non-resident barrier")          \
  X(kTrap, "trap")                                 \
  X(kStepLimit, "step limit")                      \
  X(kUndefined, "undefined behaviour")

enum class ReportKind : uint8_t {
#define X(enumerator, word) enumerator,
  ASTITCH_SIMT_REPORTS(X)
#undef X
};
absl::string_view ToString(ReportKind kind);

struct Report {
  ReportKind kind = ReportKind::kUndefined;
  int32_t line = 0;        // of the PTX text
  int32_t other_line = 0;  // of the access or the barrier it collides with; 0: none
  std::string stage;       // "0.1 %root", as the code generator marked it; may be empty
  int64_t block = 0;
  int32_t thread = 0;  // in the block
  std::string message;
  int64_t count = 1;  // how often; the rest is of the first time
};

// "42: data race (stage 0.1 %root): ... [block 3, thread 17; 5 times]".
std::string ToString(const Report& report);

// Collects reports: the first of each kind and pair of lines in full, the others as a count.
class ReportSink {
 public:
  // True: this is the first of its kind there, so a message is wanted in reports().back().
  bool Count(ReportKind kind, int32_t line, int32_t other_line);
  void Add(Report report) { reports_.push_back(std::move(report)); }
  bool empty() const { return reports_.empty(); }
  bool full() const { return reports_.size() >= kMaxReports; }
  std::vector<Report> Take() { return std::move(reports_); }

 private:
  static constexpr size_t kMaxReports = 64;
  std::vector<Report> reports_;
  std::map<std::tuple<ReportKind, int32_t, int32_t>, size_t> index_;
};

}  // namespace astitch::simt
