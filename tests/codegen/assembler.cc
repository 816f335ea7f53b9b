// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/assembler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/fresh_folder.h"

namespace astitch::testing {
namespace {

// The number that ends before the first WORDS in TEXT; 0: none.
int NumberBefore(const std::string& text, const std::string& words) {
  const size_t end = text.find(words);
  if (end == std::string::npos) return 0;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  int number = 0;
  return absl::SimpleAtoi(text.substr(begin, end - begin), &number) ? number : 0;
}

}  // namespace

const char* Assembler() {
  for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
    if (std::ifstream(path).good()) return path;
  }
  return nullptr;
}

Assembled AssemblePtx(const std::string& ptx, int sm) {
  const std::string folder = FreshFolder(), base = folder + "/kernel";
  std::ofstream(base + ".ptx") << ptx;
  const std::string command = absl::StrCat(Assembler(), " -v -arch=sm_", sm, " -o ", base,
                                           ".cubin ", base, ".ptx > ", base, ".log 2>&1");
  const int result = std::system(command.c_str());
  std::ifstream log(base + ".log");
  const std::string words((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  std::filesystem::remove_all(folder);
  Assembled out;
  if (result != 0) out.words = "ptxas: " + words;
  out.registers =
      NumberBefore(words.substr(std::min(words.size(), words.find("Used "))), " registers");
  out.spilled_bytes = NumberBefore(words, " bytes spill stores");
  out.static_shared_bytes = NumberBefore(words, " bytes smem");
  return out;
}

std::string Assemble(const std::string& ptx, int sm) { return AssemblePtx(ptx, sm).words; }

}  // namespace astitch::testing
