// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One instruction while it is decoded: its modifiers are taken one by one, and what is left over at
// the end is an error. So a modifier is either understood or refused, never skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "simt/exec/half.h"
#include "simt/machine/op.h"
#include "simt/ptx/module.h"

namespace astitch::simt {

// What operands are resolved against; the decoder implements it.
class OperandResolver {
 public:
  virtual ~OperandResolver() = default;
  // The warp register of a register operand.
  virtual int32_t RegisterOf(const Operand& operand) = 0;
  virtual Type TypeOf(const Operand& operand) = 0;
  virtual int32_t Constant(uint64_t bits) = 0;
  virtual absl::StatusOr<int32_t> SpecialOf(const Operand& operand) = 0;
  // The address that a variable's name stands for, and its space.
  virtual absl::StatusOr<uint64_t> AddressOf(const Operand& operand, Space& space) = 0;
  // A register that nothing else uses.
  virtual int32_t ScratchRegister() = 0;
};

class Form {
 public:
  Form(const Instruction& instruction, OperandResolver& resolver);

  // --- modifiers ----------------------------------------------------------------------------
  bool Take(absl::string_view modifier);
  std::optional<Type> TakeType();
  absl::Status NeedType(Type& type);
  std::optional<Rounding> TakeRounding();  // .rn .rz .rm .rp .rna
  // Something is left: an error that names it.
  absl::Status Finish() const;

  // --- operands -----------------------------------------------------------------------------
  size_t num_operands() const { return instruction.operands.size(); }
  const Operand& operand(size_t i) const { return instruction.operands[i]; }
  absl::Status NeedOperands(size_t count) const { return NeedOperands(count, count); }
  absl::Status NeedOperands(size_t least, size_t most) const;
  // Adds a result or a source of TYPE; a register may be wider only where that is said.
  absl::Status AddDst(const Operand& operand, Type type, bool may_be_wider = false);
  absl::Status AddSrc(const Operand& operand, Type type, bool may_be_wider = false);
  absl::Status AddPredicate(const Operand& operand);  // a source, perhaps negated
  absl::Status AddAddress(const Operand& operand);    // [base + imm]
  // d, a, b, ...: the first of TYPE, the rest of FROM.
  absl::Status AddAll(Type type, Type from);

  // --- results ------------------------------------------------------------------------------
  // FN is null: the instruction has no such form.
  absl::Status Run(ExecFn fn, OpClass op_class);
  absl::Status Flow(FlowFn fn, OpClass op_class);
  // Around the function of Run: another rounding mode, .sat, .relu, by op's fields.
  void Wrap(ExecFn wrapper);
  absl::Status Error(std::string message) const;

  const Instruction& instruction;
  OperandResolver& resolver;
  Op op;

 private:
  absl::Status CheckWidth(const Operand& operand, Type type, bool may_be_wider) const;
  std::vector<std::string> modifiers_;
};

absl::StatusOr<uint64_t> ImmediateBits(const Form& form, const Operand& operand, Type type);

}  // namespace astitch::simt
