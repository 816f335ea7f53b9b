// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Objects of every code model run, incomplete and damaged ones are refused, and no page is both
// writable and executable.
#include "runtime/host/object_loader.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "base/file.h"

namespace astitch {
namespace {

using testing::HasSubstr;

std::string Object(const std::string& name) {
  return ReadFile(ASTITCH_KERNELS "/" + name + ".o").value();
}

absl::StatusOr<std::unique_ptr<LoadedObject>> Load(const std::string& bytes) {
  return LoadObject({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
}

std::string ErrorOf(const std::string& bytes) {
  return std::string(Load(bytes).status().message());
}

template <typename F>
F* Function(const LoadedObject& object, const char* name) {
  void* const address = object.Find(name);
  EXPECT_NE(address, nullptr) << name;
  return reinterpret_cast<F*>(address);
}

void ExpectWorks(const LoadedObject& object) {
  EXPECT_EQ(Function<long(long)>(object, "prime")(5), 13);
  auto* const call = Function<long(long, long)>(object, "call");
  EXPECT_EQ(call(0, 21), 42);
  EXPECT_EQ(call(1, 5), 25);
  auto* const count = Function<long()>(object, "count");
  EXPECT_EQ(count(), 41);
  EXPECT_EQ(count(), 42);
  auto* const remember = Function<long(long, long)>(object, "remember");
  EXPECT_EQ(remember(999, 7), 0);
  EXPECT_EQ(remember(999, 8), 7);
  auto* const word = Function<const char*(long)>(object, "word");
  EXPECT_STREQ(word(3), "three");
  EXPECT_STREQ(word(9), "many");
  EXPECT_EQ(Function<double(double)>(object, "scale")(2.0), 3.25);
  EXPECT_EQ(Function<long(long)>(object, "sum_of_squares")(4), 14);
  using Twice = long (*)(long);
  EXPECT_EQ(Function<Twice()>(object, "address_of_twice")()(4), 8);
}

class CodeModel : public testing::TestWithParam<const char*> {};

TEST_P(CodeModel, RunsWithAllItsDataAndTables) {
  const auto object = Load(Object(GetParam()));
  ASSERT_TRUE(object.ok()) << object.status();
  ExpectWorks(**object);
}

INSTANTIATE_TEST_SUITE_P(Loader, CodeModel,
                         testing::Values("loader_nopic", "loader_pic", "loader_pic_O0",
                                         "loader_large", "loader_large_pic", "loader_medium_pic"));

TEST(Loader, TwoCopiesOfAnObjectShareNothing) {
  const auto a = Load(Object("loader_pic")), b = Load(Object("loader_pic"));
  ASSERT_TRUE(a.ok() && b.ok());
  ExpectWorks(**a);
  ExpectWorks(**b);
}

TEST(Loader, UndefinedSymbolsAreNamedAllOfThem) {
  EXPECT_EQ(ErrorOf(Object("undefined")),
            "object: undefined symbols: missing_function, missing_variable");
}

TEST(Loader, OnlyGlobalFunctionsAreFound) {
  const auto object = Load(Object("loader_pic"));
  ASSERT_TRUE(object.ok());
  EXPECT_EQ((*object)->Find("nothing"), nullptr);
  EXPECT_EQ((*object)->Find("primes"), nullptr);
  EXPECT_EQ((*object)->Find(""), nullptr);
}

TEST(Loader, NoPageIsWritableAndExecutable) {
  const auto object = Load(Object("loader_pic"));
  ASSERT_TRUE(object.ok());
  const uintptr_t code = reinterpret_cast<uintptr_t>((*object)->Find("prime"));
  std::istringstream maps(ReadFile("/proc/self/maps").value());
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char flags[5] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, flags), 3);
    EXPECT_FALSE(flags[1] == 'w' && flags[2] == 'x') << line;
    if (code < begin || code >= end) continue;
    EXPECT_EQ(std::string(flags), "r-xp");
    found = true;
  }
  EXPECT_TRUE(found);
}

TEST(Loader, AnotherMachineIsNamed) {
  std::string bytes = Object("loader_pic");
  const uint16_t machine = EM_AARCH64;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_machine), &machine, 2);
  EXPECT_EQ(ErrorOf(bytes), "object: unsupported machine 183 (aarch64), expected 62 (x86-64)");
}

TEST(Loader, WhatIsNoObjectIsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("expected ELF header within 0 bytes"));
  EXPECT_THAT(ErrorOf(std::string(100, 'x')), HasSubstr("expected the ELF magic"));
  std::string executable = Object("loader_pic");
  const uint16_t type = ET_DYN;
  std::memcpy(executable.data() + offsetof(Elf64_Ehdr, e_type), &type, 2);
  EXPECT_THAT(ErrorOf(executable), HasSubstr("expected a relocatable object"));
}

TEST(Loader, EveryTruncationIsRefusedOrHarmless) {
  const std::string whole = Object("loader_large_pic");
  for (size_t size = 0; size < whole.size(); size += 3) {
    // A copy of the exact size, so that a sanitizer sees a read past its end.
    const std::string cut(whole.data(), size);
    EXPECT_FALSE(Load(cut).ok()) << size;  // the section table is at the end
  }
}

TEST(Loader, DamageIsRefusedOrHarmless) {
  std::mt19937 random(20260101);
  for (const char* name : {"loader_pic", "loader_nopic", "loader_large_pic"}) {
    const std::string whole = Object(name);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = whole;
      const int changes = 1 + static_cast<int>(random() % 4);
      for (int i = 0; i < changes; ++i) {
        // Half of the changes hit the header or the section table, where structure is.
        size_t at = random() % bytes.size();
        if (random() % 2 == 0) {
          at = random() % 2 == 0 ? random() % 64 : bytes.size() - 1 - random() % 1024;
        }
        bytes[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
      }
      (void)Load(bytes);  // an error or an object; never a crash
    }
  }
}

}  // namespace
}  // namespace astitch
