// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel is told by the text of its plan and of what it computes, in which values have numbers
// instead of names.
#include "report/kernel_groups.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/attribute_text.h"
#include "ir/literal_text.h"
#include "plan/plan_text.h"

namespace astitch {
namespace {

// "%sum = f32[64]{0} reduce %x %zero , dimensions={1}, add": a blank ends a name.
std::string OperationText(const KernelFlow::Value& of) {
  const Instruction& value = *of.value;
  std::string text = absl::StrCat("%", value.name(), " = ", value.shape().ToString());
  if (of.input) return text + " input";
  absl::StrAppend(&text, " ", ToString(value.opcode()));
  for (const Instruction* operand : value.operands()) absl::StrAppend(&text, " %", operand->name());
  if (value.opcode() == Opcode::kConstant)
    absl::StrAppend(&text, " ", LiteralText(value.literal(), {.large_constants = false}));
  absl::StrAppend(&text, " ", OpcodeAttributesText(value));
  for (const Computation* computation : value.called())
    absl::StrAppend(&text, ", ", computation->name());
  return text;
}

// Each %name as the number of names that came before its first.
std::string Numbered(absl::string_view text) {
  absl::flat_hash_map<absl::string_view, size_t> numbers;
  std::string out;
  while (true) {
    const size_t at = text.find('%');
    absl::StrAppend(&out, text.substr(0, at));
    if (at == absl::string_view::npos) return out;
    text.remove_prefix(at);
    const absl::string_view name = text.substr(0, text.find_first_of(" \n"));
    absl::StrAppend(&out, "%", numbers.emplace(name, numbers.size()).first->second);
    text.remove_prefix(name.size());
  }
}

std::string TextOf(KernelPlan kernel, const KernelFlow& flow) {
  kernel.name.clear();
  std::string text = KernelLines(kernel);
  for (const KernelFlow::Value& value : flow.values)
    absl::StrAppend(&text, OperationText(value), "\n");
  return Numbered(text);
}

}  // namespace

std::vector<std::vector<int>> GroupKernels(const PlanFacts& facts) {
  std::vector<std::vector<int>> groups;
  absl::flat_hash_map<std::string, size_t> group_of;
  for (size_t s = 0; s < facts.plan().steps.size(); ++s) {
    const int step = static_cast<int>(s);
    const KernelPlan* kernel = facts.KernelOf(step);
    if (kernel == nullptr) continue;
    const auto [it, fresh] = group_of.emplace(TextOf(*kernel, facts.FlowOf(step)), groups.size());
    if (fresh) groups.emplace_back();
    groups[it->second].push_back(step);
  }
  return groups;
}

}  // namespace astitch
