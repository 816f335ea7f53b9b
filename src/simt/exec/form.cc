// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Takes modifiers off the front and reports whatever nobody took, with the whole instruction.
#include "simt/exec/form.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace astitch::simt {

Form::Form(const Instruction& i, OperandResolver& r)
    : instruction(i), resolver(r), modifiers_(i.modifiers) {
  op.line = i.line;
  op.stage = i.stage;
}

absl::Status Form::Error(std::string message) const {
  const std::string name =
      instruction.modifiers.empty()
          ? instruction.opcode
          : absl::StrCat(instruction.opcode, ".", absl::StrJoin(instruction.modifiers, "."));
  return DiagnosticsError(
      {{{instruction.line, instruction.column}, absl::StrCat(message, " in ", name), ""}});
}

bool Form::Take(absl::string_view modifier) {
  const auto it = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (it == modifiers_.end()) return false;
  modifiers_.erase(it);
  return true;
}

std::optional<Type> Form::TakeType() {
  for (auto it = modifiers_.begin(); it != modifiers_.end(); ++it) {
    if (const std::optional<Type> type = TypeFromName(*it)) {
      modifiers_.erase(it);
      return type;
    }
  }
  return std::nullopt;
}

absl::Status Form::NeedType(Type& type) {
  const std::optional<Type> taken = TakeType();
  if (!taken) return Error("expected a type");
  type = *taken;
  return absl::OkStatus();
}

std::optional<Rounding> Form::TakeRounding() {
  if (Take("rn")) return Rounding::kNearest;
  if (Take("rz")) return Rounding::kZero;
  if (Take("rm")) return Rounding::kDown;
  if (Take("rp")) return Rounding::kUp;
  if (Take("rna")) return Rounding::kAway;
  return std::nullopt;
}

absl::Status Form::Finish() const {
  if (modifiers_.empty()) return absl::OkStatus();
  return Error(absl::StrCat("unknown modifier .", modifiers_[0]));
}

absl::Status Form::NeedOperands(size_t least, size_t most) const {
  if (num_operands() >= least && num_operands() <= most) return absl::OkStatus();
  return Error(absl::StrCat("expected ", least,
                            least == most ? std::string() : absl::StrCat(" to ", most),
                            " operands, got ", num_operands()));
}

absl::Status Form::CheckWidth(const Operand& operand, Type type, bool may_be_wider) const {
  const Type declared = resolver.TypeOf(operand);
  const int bits = TypeBits(declared), wanted = TypeBits(type);
  const bool predicate = declared == Type::kPred;
  if (predicate == (type == Type::kPred) && (bits == wanted || (may_be_wider && bits > wanted))) {
    return absl::OkStatus();
  }
  return Error(absl::StrCat("expected a register of ", wanted, " bits, got ", operand.name, " of .",
                            TypeName(declared)));
}

absl::Status Form::AddDst(const Operand& operand, Type type, bool may_be_wider) {
  if (op.num_dst == op.dst.size()) return Error("too many results");
  if (operand.kind == Operand::Kind::kSink) {
    op.dst[op.num_dst++] = resolver.ScratchRegister();
    return absl::OkStatus();
  }
  if (operand.kind == Operand::Kind::kSpecial) {
    return Error(absl::StrCat(operand.name, " is not declared"));
  }
  if (operand.kind != Operand::Kind::kRegister || operand.negated) {
    return Error("expected a register for the result");
  }
  ASTITCH_RETURN_IF_ERROR(CheckWidth(operand, type, may_be_wider));
  op.dst[op.num_dst++] = resolver.RegisterOf(operand);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ImmediateBits(const Form& form, const Operand& operand, Type type) {
  const bool is_float = KindOf(type) == TypeKind::kFloat;
  const uint64_t mask = TypeBits(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << TypeBits(type)) - 1;
  if (operand.kind == Operand::Kind::kInteger) {
    if (is_float) return form.Error("an integer where a float is expected");
    return operand.value & mask;
  }
  if (operand.kind == Operand::Kind::kFloat32 && TypeBits(type) == 32) return operand.value;
  if (operand.kind == Operand::Kind::kFloat64 && TypeBits(type) == 64) return operand.value;
  if (operand.kind == Operand::Kind::kFloat64 && type == Type::kF32) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
  }
  return form.Error(absl::StrCat("a constant that .", TypeName(type), " does not take"));
}

absl::Status Form::AddSrc(const Operand& operand, Type type, bool may_be_wider) {
  if (op.num_src == op.src.size()) return Error("too many sources");
  if (operand.negated && type != Type::kPred) return Error("only predicates are negated");
  int32_t& src = op.src[op.num_src];
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      ASTITCH_RETURN_IF_ERROR(CheckWidth(operand, type, may_be_wider));
      src = resolver.RegisterOf(operand);
      break;
    case Operand::Kind::kSpecial: {
      ASTITCH_ASSIGN_OR_RETURN(src, resolver.SpecialOf(operand));
      break;
    }
    case Operand::Kind::kModuleVar:
    case Operand::Kind::kFunctionVar: {
      Space space;
      ASTITCH_ASSIGN_OR_RETURN(const uint64_t address, resolver.AddressOf(operand, space));
      src = resolver.Constant(address);
      break;
    }
    case Operand::Kind::kInteger:
    case Operand::Kind::kFloat32:
    case Operand::Kind::kFloat64: {
      ASTITCH_ASSIGN_OR_RETURN(const uint64_t bits, ImmediateBits(*this, operand, type));
      src = resolver.Constant(bits);
      break;
    }
    default:
      return Error("an operand that cannot stand here");
  }
  if (operand.negated) op.negated |= 1u << op.num_src;
  ++op.num_src;
  return absl::OkStatus();
}

absl::Status Form::AddPredicate(const Operand& operand) { return AddSrc(operand, Type::kPred); }

absl::Status Form::AddAddress(const Operand& operand) {
  if (operand.kind != Operand::Kind::kAddress) return Error("expected an address in brackets");
  op.imm = static_cast<int64_t>(operand.value);
  if (operand.elements.empty()) {
    op.src[op.num_src++] = resolver.Constant(0);
    return absl::OkStatus();
  }
  const Operand& base = operand.elements[0];
  const bool narrow =
      base.kind == Operand::Kind::kRegister && TypeBits(resolver.TypeOf(base)) == 32;
  op.memory.narrow_address = narrow;
  return AddSrc(base, narrow ? Type::kB32 : Type::kB64);
}

absl::Status Form::AddAll(Type type, Type from) {
  ASTITCH_RETURN_IF_ERROR(AddDst(operand(0), type));
  for (size_t i = 1; i < num_operands(); ++i) {
    ASTITCH_RETURN_IF_ERROR(AddSrc(operand(i), from));
  }
  return absl::OkStatus();
}

absl::Status Form::Run(ExecFn fn, OpClass op_class) {
  ASTITCH_RETURN_IF_ERROR(Finish());
  if (fn == nullptr) return Error("no such form");
  op.run = fn;
  op.op_class = op_class;
  return absl::OkStatus();
}

absl::Status Form::Flow(FlowFn fn, OpClass op_class) {
  ASTITCH_RETURN_IF_ERROR(Finish());
  op.flow = fn;
  op.op_class = op_class;
  return absl::OkStatus();
}

void Form::Wrap(ExecFn wrapper) {
  op.inner = op.run;
  op.run = wrapper;
}

}  // namespace astitch::simt
