// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps and buffers: each step reads what the caller gave or an earlier step wrote, each result of
// the graph is written, each value that crosses steps has memory, and what lives in the arena at
// once is apart there.
#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "plan/reference_call.h"
#include "plan/storage.h"
#include "plan/verify_kernel.h"

namespace astitch::plan_check {
namespace {

using Values = std::vector<const Instruction*>;

Values ResultsOf(const Graph& graph) {
  Values results, stack = {graph.entry()->root()};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    if (value->opcode() == Opcode::kTuple) {
      stack.insert(stack.end(), value->operands().rbegin(), value->operands().rend());
    } else {
      results.push_back(value);
    }
  }
  return results;
}

class ProgramChecker {
 public:
  explicit ProgramChecker(const Plan& plan) : plan_(plan), storage_(plan) {
    for (const BufferPlan& buffer : plan.buffers) buffers_.emplace(buffer.value, &buffer);
  }

  absl::Status Run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      Values reads, writes;
      const auto* call = std::get_if<ConvolutionCall>(&plan_.steps[s]);
      if (call != nullptr && call->convolution->opcode() != Opcode::kConvolution)
        return Fault(s, call->convolution, "expected a convolution, got another operation");
      ASTITCH_RETURN_IF_ERROR(CheckReference(s));
      ReadsAndWrites(plan_.steps[s], reads, writes);
      for (const Instruction* value : writes) {
        if (storage_.WriterOf(value) != static_cast<int64_t>(s))
          return Fault(s, value, "expected to be written by one step, got another");
      }
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) ASTITCH_RETURN_IF_ERROR(CheckStep(s));
    ASTITCH_RETURN_IF_ERROR(CheckResults());
    return CheckArena();
  }

 private:
  static absl::Status Fault(size_t step, const Instruction* value, absl::string_view words) {
    return absl::InvalidArgumentError(
        absl::StrCat("step ", step, ": %", value->name(), ": ", words));
  }

  // What the interpreter is given and gives are arrays: tuples are taken apart on both sides.
  absl::Status CheckReference(size_t s) const {
    const auto* call = std::get_if<ReferenceCall>(&plan_.steps[s]);
    if (call == nullptr) return absl::OkStatus();
    const Instruction* value = call->instruction;
    if (KindOf(value->opcode()) == OpKind::kTuple || value->opcode() == Opcode::kParameter ||
        value->opcode() == Opcode::kConstant)
      return Fault(s, value, "expected an operation to evaluate, got none");
    for (const Instruction* input : ReferenceInputs(*value)) {
      if (!input->shape().IsArray())
        return Fault(s, input,
                     absl::StrCat("expected an array or a tuple of them for %", value->name(),
                                  ", got ", input->shape().ToString()));
    }
    std::vector<const Instruction*> parts = {value};
    while (!parts.empty()) {
      const Instruction* part = parts.back();
      parts.pop_back();
      if (!part->shape().IsTuple()) continue;
      for (const Instruction* user : part->users()) {
        if (user->opcode() != Opcode::kGetTupleElement)
          return Fault(
              s, part,
              absl::StrCat("expected to be taken apart, got read whole by %", user->name()));
        parts.push_back(user);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckStep(size_t s) {
    Values reads, writes;
    ReadsAndWrites(plan_.steps[s], reads, writes);
    for (const Instruction* value : reads) {
      ASTITCH_RETURN_IF_ERROR(CheckBuffer(s, value));
      for (const Storage::Part& part : storage_.PartsOf(value)) {
        const bool given =
            part.value->opcode() == Opcode::kParameter || part.value->opcode() == Opcode::kConstant;
        const int64_t writer = storage_.WriterOf(part.value);
        if (!given && (writer == Storage::kNone || writer >= static_cast<int64_t>(s)))
          return Fault(s, value,
                       absl::StrCat("expected ",
                                    storage_.IsStack(storage_.Of(value))
                                        ? absl::StrCat("its piece %", part.value->name(), " ")
                                        : "",
                                    "to be written by an earlier step, got read before"));
        if (writer != Storage::kNone) Reach(part.value, s);
      }
    }
    for (const Instruction* value : writes) {
      ASTITCH_RETURN_IF_ERROR(CheckBuffer(s, value));
      Reach(value, s);
    }
    return absl::OkStatus();
  }

  void Reach(const Instruction* storage, size_t step) {
    size_t& last = last_[storage];
    last = std::max(last, step);
  }

  absl::Status CheckBuffer(size_t s, const Instruction* value) const {
    const auto it = buffers_.find(value);
    if (it == buffers_.end()) return Fault(s, value, "expected a buffer, got none");
    const BufferPlan& buffer = *it->second;
    if (buffer.bytes < value->shape().byte_size())
      return Fault(s, value,
                   absl::StrCat("expected a buffer of ", value->shape().byte_size(), " bytes, got ",
                                buffer.bytes));
    const Instruction* storage = storage_.Of(value);
    if (storage_.IsStack(storage)) return CheckStack(s, value, *storage, buffer);
    const bool written = storage_.WriterOf(storage) != Storage::kNone;
    const bool parameter = storage->opcode() == Opcode::kParameter;
    const bool fits = written     ? buffer.space == BufferPlan::Space::kArena ||
                                        buffer.space == BufferPlan::Space::kOutput
                      : parameter ? buffer.space == BufferPlan::Space::kInput
                                  : buffer.space == BufferPlan::Space::kConstant;
    if (!fits)
      return Fault(s, value,
                   absl::StrCat("expected memory for what is ",
                                written     ? "written by a step"
                                : parameter ? "a parameter"
                                            : "a constant",
                                ", got ", ToString(buffer.space)));
    if (parameter && !written && buffer.index != storage->parameter_number())
      return Fault(
          s, value,
          absl::StrCat("expected input ", storage->parameter_number(), ", got ", buffer.index));
    const auto of_storage = buffers_.find(storage);
    if (of_storage == buffers_.end() || storage == value) return absl::OkStatus();
    const BufferPlan& other = *of_storage->second;
    if (other.space == buffer.space && other.index == buffer.index && other.offset == buffer.offset)
      return absl::OkStatus();
    return Fault(s, value,
                 absl::StrCat("expected the memory of %", storage->name(),
                              ", of which it is a reshape, got another"));
  }

  // The pieces of STACK, which is VALUE by another name, lie in BUFFER as they follow each other in it.
  absl::Status CheckStack(size_t s, const Instruction* value, const Instruction& stack,
                          const BufferPlan& buffer) const {
    const absl::Span<const int64_t> dims = stack.shape().dims();
    const int64_t dim = stack.dimensions()[0];
    if (std::any_of(dims.begin(), dims.begin() + dim, [](int64_t extent) { return extent != 1; }))
      return Fault(s, value,
                   absl::StrCat("expected to be written by an earlier step, or pieces that follow "
                                "each other in memory, got some along dimension ",
                                dim));
    for (const Storage::Part& part : storage_.PartsOf(&stack)) {
      const auto it = buffers_.find(part.value);
      if (it == buffers_.end()) return Fault(s, part.value, "expected a buffer, got none");
      const BufferPlan& piece = *it->second;
      const int64_t at = buffer.offset + part.offset;
      if (buffer.space == BufferPlan::Space::kArena && piece.space == buffer.space &&
          piece.offset == at)
        continue;
      return Fault(s, part.value,
                   absl::StrCat("expected its place in %", stack.name(), ", byte ", at, " of ",
                                ToString(buffer.space), ", got ", ToString(piece.space), " byte ",
                                piece.offset));
    }
    return absl::OkStatus();
  }

  // Result k is in output k: written there by a step, or copied.
  absl::Status CheckResults() const {
    const Values results = ResultsOf(*plan_.graph);
    std::vector<int64_t> times(results.size(), 0);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const auto* copy = std::get_if<CopyCall>(&plan_.steps[s]);
      if (copy == nullptr) continue;
      const auto k = static_cast<size_t>(copy->output);
      if (copy->output < 0 || k >= results.size() ||
          storage_.Of(results[k]) != storage_.Of(copy->from))
        return Fault(
            s, copy->from,
            absl::StrCat("expected a result of the graph, got output ", copy->output, " for it"));
      ++times[k];
    }
    for (const auto& buffer : plan_.buffers) {
      if (buffer.space != BufferPlan::Space::kOutput || storage_.Of(buffer.value) != buffer.value)
        continue;
      const auto k = static_cast<size_t>(buffer.index);
      if (buffer.index < 0 || k >= results.size() || storage_.Of(results[k]) != buffer.value)
        return absl::InvalidArgumentError(absl::StrCat("buffer %", buffer.value->name(),
                                                       ": expected the number of its result, got ",
                                                       buffer.index));
      ++times[k];
    }
    for (size_t k = 0; k < results.size(); ++k) {
      if (times[k] == 1) continue;
      return absl::InvalidArgumentError(absl::StrCat("result ", k, ", %", results[k]->name(),
                                                     ": expected to be written once, got ",
                                                     times[k], " times"));
    }
    return absl::OkStatus();
  }

  // Step after step: what is written takes its bytes, what was read last gives them back.
  absl::Status CheckArena() const {
    std::vector<Values> freed(plan_.steps.size());
    for (const auto& [storage, last] : last_) freed[last].push_back(storage);
    std::map<int64_t, const BufferPlan*> taken;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      Values reads, writes;
      ReadsAndWrites(plan_.steps[s], reads, writes);
      for (const Instruction* value : writes) {
        const BufferPlan& buffer = *buffers_.at(value);
        if (buffer.space != BufferPlan::Space::kArena || buffer.bytes == 0) continue;
        ASTITCH_RETURN_IF_ERROR(CheckRoom(s, buffer));
        const auto next = taken.lower_bound(buffer.offset);
        const BufferPlan* other = nullptr;
        if (next != taken.end() && next->first < buffer.offset + buffer.bytes) other = next->second;
        if (next != taken.begin()) {
          const BufferPlan* before = std::prev(next)->second;
          if (before->offset + before->bytes > buffer.offset) other = before;
        }
        if (other != nullptr)
          return Fault(s, value,
                       absl::StrCat("expected bytes of its own in the arena, got some of %",
                                    other->value->name(), ", which is still needed"));
        taken.emplace(buffer.offset, &buffer);
      }
      for (const Instruction* value : freed[s]) {
        const auto it = buffers_.find(value);
        if (it == buffers_.end() || it->second->space != BufferPlan::Space::kArena) continue;
        const auto at = taken.find(it->second->offset);
        if (at != taken.end() && at->second == it->second) taken.erase(at);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRoom(size_t s, const BufferPlan& buffer) const {
    const int64_t width = ByteWidth(LeafShape(*buffer.value, 0).element_type());
    if (buffer.offset < 0 || buffer.offset > plan_.arena_bytes ||
        buffer.bytes > plan_.arena_bytes - buffer.offset)
      return Fault(
          s, buffer.value,
          absl::StrCat("expected to lie in the ", plan_.arena_bytes, " bytes of the arena, got ",
                       buffer.bytes, " from byte ", buffer.offset));
    if (buffer.offset % std::max<int64_t>(1, width) == 0) return absl::OkStatus();
    return Fault(s, buffer.value,
                 absl::StrCat("expected an offset in the arena that is a multiple ", "of ", width,
                              ", got ", buffer.offset));
  }

  const Plan& plan_;
  const Storage storage_;
  absl::flat_hash_map<const Instruction*, const BufferPlan*> buffers_;
  absl::flat_hash_map<const Instruction*, size_t> last_;  // step that needs the memory
};

}  // namespace

absl::Status CheckProgram(const Plan& plan) { return ProgramChecker(plan).Run(); }

}  // namespace astitch::plan_check
