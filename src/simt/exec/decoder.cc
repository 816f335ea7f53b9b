// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Resolves names and layouts first, then decodes instruction after instruction into functions.
#include "simt/exec/decoder.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "simt/exec/control.h"
#include "simt/exec/families.h"
#include "simt/exec/form.h"
#include "simt/exec/share_registers.h"
#include "simt/memory/region.h"

namespace astitch::simt {
namespace {

struct Placed {
  Space space = Space::kLocal;
  uint64_t address = 0;
};

// A function of the program.
struct Linked {
  const Function* function = nullptr;
  int32_t register_base = 0;
  int32_t back = -1;  // the register of its return address
  int32_t entry = -1;
  std::vector<Placed> variables;
};

bool IsDynamic(Special special) { return special >= Special::kClock; }

absl::Status ErrorAtLine(int32_t line, int32_t column, std::string message) {
  return DiagnosticsError({{{line, column}, std::move(message), ""}});
}

class Decoder final : public OperandResolver {
 public:
  Decoder(const Module& module, const Function& kernel) : module_(module), kernel_(kernel) {}

  absl::StatusOr<Program> Run() {
    ASTITCH_RETURN_IF_ERROR(PlaceModuleVariables());
    ASTITCH_RETURN_IF_ERROR(Link(kernel_));
    ASTITCH_RETURN_IF_ERROR(CheckNoRecursion());
    for (size_t i = 0; i < linked_.size(); ++i) {
      current_ = &linked_[i];
      ASTITCH_RETURN_IF_ERROR(DecodeFunction());
    }
    for (const auto& [at, callee] : calls_) program_.code[at].imm = linked_[callee].entry;
    program_.entry = linked_[0].entry;
    program_.static_shared_bytes = RoundUp(program_.static_shared_bytes, 16);
    program_.local_bytes = RoundUp(program_.local_bytes, 16);
    ShareRegisters(program_);
    return std::move(program_);
  }

  // --- OperandResolver ----------------------------------------------------------------------
  int32_t RegisterOf(const Operand& operand) override {
    return current_->register_base + operand.index;
  }
  Type TypeOf(const Operand& operand) override {
    return current_->function->registers[operand.index].type;
  }
  int32_t Constant(uint64_t bits) override {
    const auto [it, inserted] =
        constants_.emplace(bits, static_cast<int32_t>(program_.constants.size() / 32));
    if (inserted) program_.constants.insert(program_.constants.end(), 32, bits);
    return ~it->second;
  }
  absl::StatusOr<int32_t> SpecialOf(const Operand& operand) override {
    std::optional<Special> special;
#define X(enumerator, text) \
  if (operand.name == text) special = Special::enumerator;
    ASTITCH_SPECIAL_REGISTERS(X)
#undef X
    if (!special) {
      return ErrorAtLine(instruction_->line, instruction_->column,
                         absl::StrCat("unknown special register ", operand.name));
    }
    const auto [it, inserted] = specials_.emplace(*special, program_.num_registers);
    if (inserted) {
      program_.specials.push_back({it->second, *special});
      ++program_.num_registers;
    }
    if (IsDynamic(*special)) Emit(MakeReadDynamic(it->second, *special));
    return it->second;
  }
  absl::StatusOr<uint64_t> AddressOf(const Operand& operand, Space& space) override {
    const Placed& placed = operand.kind == Operand::Kind::kModuleVar
                               ? module_variables_[operand.index]
                               : current_->variables[operand.index];
    space = placed.space;
    return placed.address;
  }
  int32_t ScratchRegister() override { return program_.num_registers++; }

 private:
  absl::Status PlaceModuleVariables();
  absl::Status PlaceFunctionVariables(Linked& linked, bool is_kernel);
  absl::Status Link(const Function& function);
  absl::Status CheckNoRecursion() const;
  absl::Status DecodeFunction();
  absl::Status DecodeInstruction();
  absl::Status DecodeBranch();
  absl::Status DecodeIndexedBranch();
  absl::Status DecodeCall();
  absl::Status CopyParameters(const Operand* group, const std::vector<int32_t>& formal, int callee,
                              bool to_callee);
  absl::Status Error(std::string message) const {
    return ErrorAtLine(instruction_->line, instruction_->column, std::move(message));
  }
  void Emit(Op op) {
    op.line = instruction_->line;
    op.stage = instruction_->stage;
    if (op.guard < 0 && instruction_->guard >= 0) {
      op.guard = current_->register_base + instruction_->guard;
      op.guard_negated = instruction_->guard_negated;
    }
    program_.code.push_back(op);
  }
  uint64_t Reserve(int64_t& size, const Variable& variable) {
    size = RoundUp(size, variable.align);
    const int64_t at = size;
    size += variable.bytes;
    return static_cast<uint64_t>(at);
  }
  int FindLinked(const Function& function) const {
    for (size_t i = 0; i < linked_.size(); ++i) {
      if (linked_[i].function == &function) return static_cast<int>(i);
    }
    return -1;
  }

  const Module& module_;
  const Function& kernel_;
  Program program_;
  std::vector<Linked> linked_;  // the kernel first
  std::vector<std::pair<int, int>> call_edges_;
  std::vector<Placed> module_variables_;
  std::map<uint64_t, int32_t> constants_;
  std::map<Special, int32_t> specials_;
  std::vector<std::pair<size_t, int>> calls_;  // instruction, callee
  Linked* current_ = nullptr;
  const Instruction* instruction_ = nullptr;
  std::vector<std::pair<size_t, int32_t>> jumps_;  // in the current function: instruction, label
};

absl::Status Decoder::PlaceModuleVariables() {
  std::vector<size_t> dynamic;
  int64_t const_bytes = 0;
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    const Variable& variable = module_.variables[i];
    Placed placed{variable.space, 0};
    if (variable.unsized) {
      dynamic.push_back(i);
    } else if (variable.space == Space::kShared) {
      placed.address = Reserve(program_.static_shared_bytes, variable);
    } else if (variable.space == Space::kConst) {
      placed.address = Reserve(const_bytes, variable);
      program_.const_bytes.resize(const_bytes);
      std::copy(variable.init.begin(), variable.init.end(),
                program_.const_bytes.begin() + placed.address);
    } else {
      placed.address =
          GlobalBase(kFirstModuleBuffer + static_cast<int32_t>(program_.module_buffers.size()));
      program_.module_buffers.push_back(static_cast<int32_t>(i));
    }
    module_variables_.push_back(placed);
  }
  return absl::OkStatus();
}

// A kernel's parameters are one constant block; everything else of a function is per thread, except
// its .shared variables.
absl::Status Decoder::PlaceFunctionVariables(Linked& linked, bool is_kernel) {
  const Function& function = *linked.function;
  for (size_t i = 0; i < function.variables.size(); ++i) {
    const Variable& variable = function.variables[i];
    const bool parameter = std::find(function.params.begin(), function.params.end(),
                                     static_cast<int32_t>(i)) != function.params.end();
    Placed placed{variable.space, 0};
    if (is_kernel && parameter) {
      placed.address = Reserve(program_.parameter_bytes, variable);
      program_.parameters.push_back(
          {static_cast<int64_t>(placed.address), variable.bytes, variable.name});
    } else if (variable.space == Space::kShared) {
      placed.address = Reserve(program_.static_shared_bytes, variable);
    } else {
      placed.address = Reserve(program_.local_bytes, variable);
      if (variable.space == Space::kParam) placed.address |= kParamIsLocal;
    }
    linked.variables.push_back(placed);
  }
  return absl::OkStatus();
}

// FUNCTION and, in order of their first calls, everything that it calls.
absl::Status Decoder::Link(const Function& function) {
  std::vector<const Function*> todo = {&function};
  while (linked_.size() < todo.size()) {
    const Function& next = *todo[linked_.size()];
    Linked linked;
    linked.function = &next;
    linked.register_base = program_.num_registers;
    program_.num_registers += static_cast<int32_t>(next.registers.size());
    if (!next.is_entry) linked.back = program_.num_registers++;
    ASTITCH_RETURN_IF_ERROR(PlaceFunctionVariables(linked, linked_.empty()));
    const int caller = static_cast<int>(linked_.size());
    linked_.push_back(std::move(linked));
    for (const Instruction& instruction : next.code) {
      for (const Operand& operand : instruction.operands) {
        if (operand.kind != Operand::Kind::kFunction) continue;
        const Function& callee = module_.functions[operand.index];
        if (!callee.has_body || callee.is_entry) {
          return ErrorAtLine(instruction.line, instruction.column,
                             absl::StrCat("function ", callee.name, " has no body here"));
        }
        auto it = std::find(todo.begin(), todo.end(), &callee);
        call_edges_.emplace_back(caller, static_cast<int>(it - todo.begin()));
        if (it == todo.end()) todo.push_back(&callee);
      }
    }
  }
  return absl::OkStatus();
}

// Takes functions that are called by nobody left away, one after the other.
absl::Status Decoder::CheckNoRecursion() const {
  std::vector<int> callers(linked_.size());
  for (const auto& [caller, callee] : call_edges_) ++callers[callee];
  std::vector<int> ready;
  if (callers[0] == 0) ready.push_back(0);
  for (size_t i = 0; i < ready.size(); ++i) {
    for (const auto& [caller, callee] : call_edges_) {
      if (caller == ready[i] && --callers[callee] == 0) ready.push_back(callee);
    }
  }
  if (ready.size() == linked_.size()) return absl::OkStatus();
  for (size_t i = 0; i < linked_.size(); ++i) {
    if (callers[i] > 0) {
      return ErrorAtLine(linked_[i].function->line, 1,
                         absl::StrCat("function ", linked_[i].function->name, " recurses"));
    }
  }
  return absl::OkStatus();
}

absl::Status Decoder::DecodeFunction() {
  const Function& function = *current_->function;
  current_->entry = static_cast<int32_t>(program_.code.size());
  const size_t first_table = program_.tables.size();
  std::vector<int32_t> starts;
  jumps_.clear();
  for (const Instruction& instruction : function.code) {
    instruction_ = &instruction;
    starts.push_back(static_cast<int32_t>(program_.code.size()));
    ASTITCH_RETURN_IF_ERROR(DecodeInstruction());
  }
  // Falling off the end is a return.
  Instruction end;
  end.line = function.code.empty() ? function.line : function.code.back().line;
  end.stage = function.code.empty() ? 0 : function.code.back().stage;
  instruction_ = &end;
  starts.push_back(static_cast<int32_t>(program_.code.size()));
  Emit(function.is_entry ? MakeExit() : MakeReturn(current_->back));
  for (const auto& [at, label] : jumps_) program_.code[at].imm = starts[label];
  for (const std::vector<int32_t>& table : function.branch_tables) {
    std::vector<int32_t> targets;
    for (const int32_t label : table) targets.push_back(starts[label]);
    program_.tables.push_back(std::move(targets));
  }
  for (size_t at = current_->entry; at < program_.code.size(); ++at) {
    Op& op = program_.code[at];
    if (op.flow == MakeBranchIndexed().flow) op.imm += static_cast<int64_t>(first_table);
  }
  return absl::OkStatus();
}

absl::Status Decoder::DecodeInstruction() {
  const std::string& opcode = instruction_->opcode;
  if (opcode == "bra") return DecodeBranch();
  if (opcode == "brx") return DecodeIndexedBranch();
  if (opcode == "call") return DecodeCall();
  if (opcode == "ret") {
    Form form(*instruction_, *this);
    form.Take("uni");
    ASTITCH_RETURN_IF_ERROR(form.Finish());
    Emit(current_->function->is_entry ? MakeExit() : MakeReturn(current_->back));
    return absl::OkStatus();
  }
  const DecodeFn decode = FindFamily(opcode);
  if (decode == nullptr) return Error(absl::StrCat("unknown instruction ", opcode));
  Form form(*instruction_, *this);
  ASTITCH_RETURN_IF_ERROR(decode(form));
  Emit(form.op);
  return absl::OkStatus();
}

absl::Status Decoder::DecodeBranch() {
  Form form(*instruction_, *this);
  form.Take("uni");
  ASTITCH_RETURN_IF_ERROR(form.Finish());
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(1));
  if (form.operand(0).kind != Operand::Kind::kLabel) return form.Error("expected a label");
  jumps_.emplace_back(program_.code.size(), form.operand(0).index);
  Emit(MakeBranch());
  return absl::OkStatus();
}

absl::Status Decoder::DecodeIndexedBranch() {
  Form form(*instruction_, *this);
  form.Take("uni");
  if (!form.Take("idx")) return form.Error("expected .idx");
  ASTITCH_RETURN_IF_ERROR(form.Finish());
  ASTITCH_RETURN_IF_ERROR(form.NeedOperands(2));
  if (form.operand(1).kind != Operand::Kind::kBranchTable) {
    return form.Error("expected a list of branch targets");
  }
  ASTITCH_RETURN_IF_ERROR(form.AddSrc(form.operand(0), Type::kU32));
  Op op = MakeBranchIndexed();
  op.src[0] = form.op.src[0];
  op.num_src = 1;
  op.imm = form.operand(1).index;
  Emit(op);
  return absl::OkStatus();
}

absl::Status Decoder::CopyParameters(const Operand* group, const std::vector<int32_t>& formal,
                                     int callee, bool to_callee) {
  const size_t given = group == nullptr ? 0 : group->elements.size();
  if (given != formal.size()) {
    return Error(absl::StrCat("expected ", formal.size(), " parameters of call, got ", given));
  }
  for (size_t i = 0; i < given; ++i) {
    const Operand& actual = group->elements[i];
    const Variable& variable = linked_[callee].function->variables[formal[i]];
    if (actual.kind != Operand::Kind::kFunctionVar ||
        current_->function->variables[actual.index].space != Space::kParam ||
        current_->function->variables[actual.index].bytes != variable.bytes) {
      return Error(absl::StrCat("expected a .param variable of ", variable.bytes,
                                " bytes for parameter ", i, " of call"));
    }
    const uint64_t outer = current_->variables[actual.index].address & ~kParamIsLocal;
    const uint64_t inner = linked_[callee].variables[formal[i]].address & ~kParamIsLocal;
    Emit(MakeCopyParameter(Constant(to_callee ? outer : inner), Constant(to_callee ? inner : outer),
                           variable.bytes));
  }
  return absl::OkStatus();
}

// call (results), function, (parameters); the results and the parameters may be left out.
absl::Status Decoder::DecodeCall() {
  Form form(*instruction_, *this);
  form.Take("uni");
  ASTITCH_RETURN_IF_ERROR(form.Finish());
  const std::vector<Operand>& operands = instruction_->operands;
  size_t at = 0;
  const Operand* results = nullptr;
  if (!operands.empty() && operands[0].kind == Operand::Kind::kGroup) results = &operands[at++];
  if (at >= operands.size() || operands[at].kind != Operand::Kind::kFunction) {
    return form.Error("only calls of functions by name are supported");
  }
  const int callee = FindLinked(module_.functions[operands[at++].index]);
  const Operand* arguments = nullptr;
  if (at < operands.size() && operands[at].kind == Operand::Kind::kGroup) {
    arguments = &operands[at++];
  }
  if (at != operands.size()) return form.Error("too many operands");
  const Function& function = *linked_[callee].function;
  ASTITCH_RETURN_IF_ERROR(CopyParameters(arguments, function.params, callee, true));
  calls_.emplace_back(program_.code.size(), callee);
  Emit(MakeCall(linked_[callee].back));
  return CopyParameters(results, function.returns, callee, false);
}

}  // namespace

absl::StatusOr<Program> Decode(const Module& module, const Function& kernel) {
  return Decoder(module, kernel).Run();
}

}  // namespace astitch::simt
