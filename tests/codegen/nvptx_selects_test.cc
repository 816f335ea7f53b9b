// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Nothing we emit needs a library: every operation on every type selects for every GPU, and its
// host object has no undefined symbols, with and without the processor's extensions. Where ptxas is
// installed, it takes the PTX, too.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jit.h"
#include "op_catalog.h"
#include "tests/fresh_folder.h"

namespace astitch::codegen {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const OpCatalog& Catalog(CatalogSize size) {
  static const OpCatalog* main = new OpCatalog(CatalogSize::kMain, 32);
  static const OpCatalog* full = new OpCatalog(CatalogSize::kFull, 32);
  return size == CatalogSize::kMain ? *main : *full;
}

std::string PtxOfAll(CatalogSize size, int sm) {
  llvm::LLVMContext context;
  llvm::Module module("all", context);
  for (const CatalogOp& op : Catalog(size).ops()) {
    EmitKernel(module, NvptxTraits(sm), LoopOf(context, op, 1));
  }
  return CompileToPtx(module, sm);
}

std::string PathOfPtxas() {
  for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

class PtxTest : public testing::TestWithParam<int> {};

TEST_P(PtxTest, EveryOperationSelectsWithoutACall) {
  // The full list on the oldest target, where most is expanded; the others have what it has.
  const CatalogSize size = GetParam() == 70 ? CatalogSize::kFull : CatalogSize::kMain;
  const std::string ptx = PtxOfAll(size, GetParam());
  EXPECT_THAT(ptx, Not(HasSubstr("call")));
  EXPECT_THAT(ptx, Not(HasSubstr(".extern")));
}

TEST_P(PtxTest, FastMathTakesTheSpecialFunctionsAndSelectsToo) {
  llvm::LLVMContext context;
  llvm::Module module("fast", context);
  TargetTraits traits = NvptxTraits(GetParam());
  traits.fast_math = true;
  for (const CatalogOp& op : Catalog(CatalogSize::kMain).ops()) {
    EmitKernel(module, traits, LoopOf(context, op, 1));
  }
  const std::string ptx = CompileToPtx(module, GetParam());
  EXPECT_THAT(ptx, Not(HasSubstr("call")));
  for (const char* instruction : {"ex2.approx.f32", "lg2.approx.f32", "rsqrt.approx.f32",
                                  "sqrt.approx.f32", "div.approx.f32"}) {
    EXPECT_THAT(ptx, HasSubstr(instruction));
  }
}

TEST_P(PtxTest, TheAssemblerTakesEveryOperation) {
  const std::string ptxas = PathOfPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas on this machine";
  if (GetParam() < 75) GTEST_SKIP() << "ptxas 13 no longer knows sm_70";
  const std::string base = FreshFolder() + "/all_ops";
  std::ofstream(base + ".ptx") << PtxOfAll(CatalogSize::kMain, GetParam());
  const std::string command = ptxas + " -O1 -arch=sm_" + std::to_string(GetParam()) + " -o " +
                              base + ".cubin " + base + ".ptx";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

INSTANTIATE_TEST_SUITE_P(Sm, PtxTest, testing::Values(70, 75, 80, 90, 100, 120));

class HostObjectTest : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(HostObjectTest, NeedsNoSymbolFromElsewhere) {
  const auto& [features, width] = GetParam();
  llvm::LLVMContext context;
  llvm::Module module("all", context);
  for (const CatalogOp& op : Catalog(CatalogSize::kMain).ops()) {
    EmitLoop(module, HostTraits(features), LoopOf(context, op, width));
  }
  EXPECT_THAT(UndefinedSymbols(CompileToObject(module, features)), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Features, HostObjectTest,
    testing::Values(std::pair{"", 4}, std::pair{"", 1}, std::pair{"+sse4.2,+popcnt", 4},
                    std::pair{"+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt", 8},
                    std::pair{"+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt", 1},
                    std::pair{"+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi2",
                              16}));

}  // namespace
}  // namespace astitch::codegen
