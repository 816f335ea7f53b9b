// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A parsed PTX module: variables, functions and their instructions, every name resolved.
//
// Registers, variables and labels are numbers here; what an instruction means is the decoder's
// business (simt/decode), which refuses what it does not know.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "simt/ptx/types.h"

namespace astitch::simt {

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  int64_t align = 1;
  int64_t bytes = 0;          // 0 for an unsized .extern array
  bool unsized = false;       // .extern .shared x[]: the dynamic shared memory
  std::vector<uint8_t> init;  // empty, or `bytes` of them
  int32_t line = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    kRegister,     // index: of the function's registers
    kInteger,      // value
    kFloat32,      // value: its bits
    kFloat64,      // value: its bits
    kSpecial,      // name: %tid.x
    kModuleVar,    // index: of the module's variables; the address is the value
    kFunctionVar,  // index: of the function's variables
    kFunction,     // index: of the module's functions
    kLabel,        // index: of the function's code
    kBranchTable,  // index: of the function's branch tables
    kAddress,      // [elements[0] + value]; no elements: [value]
    kVector,       // {a, b}
    kPair,         // p|q
    kGroup,        // (a, b) of a call
    kSink,         // _
    kName,         // not resolved yet; never in a parsed module
  };
  Kind kind = Kind::kInteger;
  bool negated = false;  // !p
  int32_t index = 0;
  uint64_t value = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  int32_t line = 0, column = 0;
  int32_t stage = 0;   // of Module::stages
  int32_t guard = -1;  // a register: @%p1
  bool guard_negated = false;
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "v4", "f32"
  std::vector<Operand> operands;
};

struct Register {
  std::string name;
  Type type = Type::kB32;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  int32_t line = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;  // parameters, .param of call scopes, .local, .shared
  std::vector<int32_t> params;      // of variables
  std::vector<int32_t> returns;     // of variables
  std::vector<Instruction> code;
  std::vector<std::vector<int32_t>> branch_tables;      // of code
  std::array<int32_t, 3> required_threads = {0, 0, 0};  // .reqntid; 0: not given
  std::array<int32_t, 3> max_threads = {0, 0, 0};       // .maxntid
  std::array<int32_t, 3> required_cluster = {0, 0, 0};  // .reqnctapercluster
};

struct Module {
  std::string version, target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> stages;  // [0] is "", what stands before the first marker
};

// Parses the subset that the NVPTX back end emits, and what people write by hand within it. Errors
// are located.
absl::StatusOr<Module> ParsePtx(absl::string_view text);

}  // namespace astitch::simt
