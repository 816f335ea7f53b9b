// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The estimate follows the walk: a value lives from its instruction to the last reader of it or of
// what shares its bytes (tuples, reshapes, the state of a loop); an instruction that runs other
// computations needs their peak on top of what is alive, and some need scratch in the widest type.
#include "interp/memory_estimate.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/checked_math.h"
#include "interp/interpreter.h"
#include "interp/schedule.h"

namespace astitch {
namespace {

constexpr int64_t kLaneBytes = 16;

int64_t Plus(int64_t a, int64_t b) { return CheckedAdd(a, b).value_or(INT64_MAX); }
int64_t Times(int64_t a, int64_t b) { return CheckedMul(a, b).value_or(INT64_MAX); }

// The result has no bytes of its own: it is an operand, or made of operands.
bool SharesOperands(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAddDependency:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kCopy:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kGetTupleElement:
    case Opcode::kOptBarrier:
    case Opcode::kReshape:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    default:
      return KindOf(instruction.opcode()) == OpKind::kCollective;
  }
}

int64_t OperandElements(const Instruction& instruction) {
  int64_t total = 0;
  for (const Instruction* operand : instruction.operands()) {
    total = Plus(total, operand->shape().CheckedNumElements().value_or(INT64_MAX));
  }
  return total;
}

// A double or a 64-bit integer an element, or two doubles.
int64_t WideBytes(const Instruction& instruction) {
  return IsComplex(instruction.shape().element_type()) ? 16 : 8;
}

// What runs with whole operands in lanes, or in the widest type.
int64_t ScratchBytes(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      return Times(OperandElements(instruction), kLaneBytes);
    case Opcode::kCholesky:
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kTriangularSolve:
      return Times(OperandElements(instruction), WideBytes(instruction));
    case Opcode::kFft: {  // complex inside, whatever it takes and gives
      const int64_t result = instruction.shape().CheckedNumElements().value_or(INT64_MAX);
      return Times(Plus(OperandElements(instruction), result), 16);
    }
    default:
      return 0;
  }
}

using Peaks = absl::flat_hash_map<const Computation*, int64_t>;

// Step after which the value of each instruction is gone, by id; sharing extends lives. Backward,
// so that a sharer's own life is known when its operands are met.
std::vector<int64_t> LastSteps(const Computation& computation, const interp::Schedule& schedule) {
  const int64_t steps = static_cast<int64_t>(schedule.steps.size());
  std::vector<int64_t> last(computation.id_bound(), -1);
  last[computation.root()->id()] = steps;
  for (int64_t s = steps; s-- > 0;) {
    const Instruction& instruction = *schedule.steps[s].instruction;
    const int64_t until = SharesOperands(instruction) ? std::max(s, last[instruction.id()]) : s;
    for (const Instruction* operand : instruction.operands()) {
      last[operand->id()] = std::max(last[operand->id()], until);
    }
  }
  return last;
}

// Beyond the bytes of the arguments.
int64_t PeakOf(const Computation& computation, const Peaks& callees) {
  const interp::Schedule schedule = interp::MakeSchedule(computation);
  const int64_t steps = static_cast<int64_t>(schedule.steps.size());
  const std::vector<int64_t> last = LastSteps(computation, schedule);
  std::vector<int64_t> released(steps + 1);  // by step
  int64_t live = 0;
  int64_t peak = 0;
  for (int64_t s = 0; s < steps; ++s) {
    const Instruction& instruction = *schedule.steps[s].instruction;
    int64_t own = 0;
    if (instruction.opcode() != Opcode::kParameter && instruction.opcode() != Opcode::kConstant &&
        !SharesOperands(instruction)) {
      own = instruction.shape().CheckedByteSize().value_or(INT64_MAX);
    }
    int64_t extra = ScratchBytes(instruction);
    for (const Computation* callee : instruction.called()) {
      extra = std::max(extra, callees.at(callee));
    }
    peak = std::max(peak, Plus(live, Plus(own, extra)));
    live = Plus(live, own);
    const int64_t end = std::clamp(last[instruction.id()], s, steps);
    released[end] = Plus(released[end], own);
    if (live != INT64_MAX) live -= released[s];
  }
  return peak;
}

// The first number in FILE after LABEL, or at its start; -1 when there is none.
int64_t NumberIn(const char* file, absl::string_view label) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    int64_t number;
    if (!label.empty() && word != label) continue;
    if (!label.empty() && !(in >> word)) return -1;
    return absl::SimpleAtoi(word, &number) ? number : -1;
  }
  return -1;
}

}  // namespace

int64_t EstimateMemory(const Graph& graph) {
  Peaks peaks;
  for (const Computation* computation : graph.CalleesFirst()) {
    peaks[computation] = PeakOf(*computation, peaks);
    if (computation == graph.entry()) break;
  }
  return peaks.at(graph.entry());
}

namespace interp {

int64_t AvailableMemory() {
  int64_t available = INT64_MAX;
  const int64_t kilobytes = NumberIn("/proc/meminfo", "MemAvailable:");
  if (kilobytes >= 0) available = Times(kilobytes, 1024);
  const int64_t limit = NumberIn("/sys/fs/cgroup/memory.max", "");
  const int64_t used = NumberIn("/sys/fs/cgroup/memory.current", "");
  if (limit >= 0 && used >= 0) available = std::min(available, std::max<int64_t>(0, limit - used));
  return available;
}

}  // namespace interp
}  // namespace astitch
