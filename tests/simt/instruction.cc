// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/simt/instruction.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/simt/harness.h"

namespace astitch::simt {
namespace {

constexpr const char* kNames[] = {"%a", "%b", "%c", "%e"};

// A predicate comes in as 0 or 1.
std::string LoadOperand(size_t i, int bits) {
  const std::string param = absl::StrCat("[p", i, "]");
  if (bits != 1) {
    return absl::StrCat("  .reg .b", bits, " ", kNames[i], ";\n  ld.param.b", bits, " ", kNames[i],
                        ", ", param, ";\n");
  }
  return absl::StrCat("  .reg .pred ", kNames[i], "; .reg .b32 w", i, ";\n  ld.param.b32 w", i,
                      ", ", param, ";\n  setp.ne.b32 ", kNames[i], ", w", i, ", 0;\n");
}

std::string KernelOf(const InstructionCase& c, uint64_t step) {
  std::string params = ".param .u64 out", loads;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const int bits = c.operand_bits[i];
    absl::StrAppend(&params, ", .param .b", bits == 1 ? 32 : bits, " p", i);
    loads += LoadOperand(i, bits);
  }
  if (step != 0) {
    absl::StrAppend(&loads, "  mad.lo.u32 %a, %t, ", step, ", %a;\n");
  }
  const int bits = c.bits == 1 ? 32 : c.bits;
  const std::string result = c.bits == 1 ? "  selp.b32 %d, 1, 0, %p;\n" : "";
  return absl::StrCat(".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(", params,
                      ")\n{\n  .reg .b64 %o, %i; .reg .b32 %t; .reg .pred %p, %q;\n  .reg .b", bits,
                      " %d;\n  mov.u32 %t, %tid.x;\n", loads, "  ", c.text, "\n", result,
                      "  ld.param.u64 %o, [out];\n  mul.wide.u32 %i, %t, 8;\n"
                      "  add.s64 %o, %o, %i;\n  st.global.b",
                      bits, " [%o], %d;\n  ret;\n}\n");
}

}  // namespace

std::vector<uint64_t> RunInstruction(const InstructionCase& c, uint64_t step) {
  const int64_t threads = step == 0 ? 1 : 32;
  std::vector<Buffer> buffers = {BufferOf("out", std::vector<uint64_t>(threads))};
  LaunchParams params;
  params.block = {threads, 1, 1};
  params.arguments = Pointers(1);
  for (size_t i = 0; i < c.operands.size(); ++i) {
    Argument argument;
    argument.scalar.resize(c.operand_bits[i] == 1 ? 4 : c.operand_bits[i] / 8);
    std::memcpy(argument.scalar.data(), &c.operands[i], argument.scalar.size());
    params.arguments.push_back(argument);
  }
  const LaunchResult result = MustLaunch(KernelOf(c, step), params, buffers);
  EXPECT_TRUE(result.reports.empty()) << c.text << "\n" << Texts(result);
  return ValuesOf<uint64_t>(buffers[0]);
}

void ExpectAll(const std::vector<InstructionCase>& cases) {
  for (const InstructionCase& c : cases) {
    EXPECT_EQ(absl::StrCat("0x", absl::Hex(RunInstruction(c)[0])),
              absl::StrCat("0x", absl::Hex(c.expected)))
        << c.text << " of " << absl::StrCat(absl::Hex(c.operands.empty() ? 0 : c.operands[0]));
  }
}

}  // namespace astitch::simt
