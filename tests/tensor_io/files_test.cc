// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// .npy and .npz: what NumPy wrote is read, what is written is read back, and damage is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tensor_io/format.h"
#include "tensor_io/npy.h"
#include "tensor_io/zip.h"

namespace astitch {
namespace {

using testing::HasSubstr;

std::string Data(const std::string& name) {
  return ReadFile(ASTITCH_TEST_DATA "/tensor_io/" + name).value();
}

Shape F32(std::vector<int64_t> dims) { return Shape::Array(ElementType::kF32, std::move(dims)); }

Literal Iota(const Shape& shape) {
  Literal out(shape);
  const absl::Span<float> data = out.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  return out;
}

TEST(Npy, ReadsWhatNumpyWritesInEveryOrderAndVersion) {
  for (const char* name : {"f32_c.npy", "f32_fortran.npy", "f32_big_endian.npy", "f32_version2.npy",
                           "f32_version3.npy"}) {
    const absl::StatusOr<Literal> got = DecodeNpyAs(Data(name), F32({2, 3}));
    ASSERT_TRUE(got.ok()) << name << ": " << got.status();
    EXPECT_EQ(*got, Iota(F32({2, 3}))) << name;
  }
}

TEST(Npy, ReadsTheOtherTypes) {
  struct Case {
    const char* file;
    const char* summary;
  };
  for (const Case& c : {Case{"bool.npy", "pred[3] {true, false, true}"},
                        Case{"s64.npy", "s64[2] {-1, 4611686018427387904}"},
                        Case{"u16.npy", "u16[2] {16256, 49152}"}, Case{"scalar.npy", "f64[] {2.5}"},
                        Case{"c64.npy", "c64[1] {(1, -2)}"}, Case{"empty.npy", "f32[0,3] {}"}}) {
    const absl::StatusOr<Literal> got = DecodeNpy(Data(c.file));
    ASSERT_TRUE(got.ok()) << c.file << ": " << got.status();
    EXPECT_THAT(Summarize(*got), HasSubstr(c.summary));
  }
}

TEST(Npy, BitPatternsAreTakenWhereNumpyHasNoName) {
  const Shape bf16 = Shape::Array(ElementType::kBF16, {2});
  for (const char* name : {"u16.npy", "void2.npy"}) {
    const absl::StatusOr<Literal> got = DecodeNpyAs(Data(name), bf16);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_THAT(Summarize(*got), HasSubstr("bf16[2] {1, -2}"));
  }
  const Literal bytes(Shape::Array(ElementType::kU8, {2}));
  for (const ElementType type : {ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kU4}) {
    EXPECT_TRUE(DecodeNpyAs(EncodeNpy(bytes), Shape::Array(type, {2})).ok()) << type;
  }
  EXPECT_FALSE(DecodeNpyAs(Data("u16.npy"), Shape::Array(ElementType::kF16, {2})).ok());
}

TEST(Npy, NarrowIntegersMustBeInRange) {
  Literal bytes(Shape::Array(ElementType::kS8, {2}));
  bytes.mutable_data<int8_t>()[1] = 8;
  const absl::Status got =
      DecodeNpyAs(EncodeNpy(bytes), Shape::Array(ElementType::kS4, {2})).status();
  EXPECT_THAT(std::string(got.message()), HasSubstr("8 is out of range for s4"));
}

TEST(Npy, OtherTypesAndShapesNameBoth) {
  EXPECT_THAT(std::string(DecodeNpyAs(Data("f32_c.npy"), F32({3, 2})).status().message()),
              HasSubstr("expected f32[3,2], got f32[2,3]"));
  EXPECT_THAT(
      std::string(
          DecodeNpyAs(Data("s64.npy"), Shape::Array(ElementType::kS32, {2})).status().message()),
      HasSubstr("expected s32[2], got s64[2]"));
}

TEST(Npy, EveryTypeSurvivesARoundTrip) {
#define ASTITCH_X(enumerator, word, bits, kind) ElementType::enumerator,
  for (const ElementType type : {ASTITCH_ELEMENT_TYPES(ASTITCH_X)}) {
#undef ASTITCH_X
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {3}, {2, 2}, {0, 4}}) {
      Literal value(Shape::Array(type, dims));
      if (!value.bytes().empty()) value.mutable_bytes()[0] = std::byte{1};
      const std::string file = EncodeNpy(value);
      EXPECT_EQ(ReadNpyHeader(file).value().data_offset % 64, 0u);
      const absl::StatusOr<Literal> got = DecodeNpyAs(file, value.shape());
      // s1 holds 0 and -1 only.
      if (type == ElementType::kS1 && !value.bytes().empty()) continue;
      ASSERT_TRUE(got.ok()) << type << ": " << got.status();
      EXPECT_EQ(*got, value);
    }
  }
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string file = Data("f32_c.npy");
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(DecodeNpy(absl::string_view(file).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(DecodeNpy(file + "x").ok());
}

std::string WithHeader(const std::string& dict) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(dict.size()));
  out.push_back('\0');
  return out + dict;
}

TEST(Npy, BadHeadersAreErrors) {
  EXPECT_THAT(std::string(DecodeNpy(Data("structured.npy")).status().message()),
              HasSubstr("structured arrays"));
  for (const char* dict :
       {"", "{", "{}", "{'descr': '<f4'}", "[]", "{'descr': 3}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,)}",
        "{'descr': '<q9', 'fortran_order': False, 'shape': ()}",
        "{'descr': '|O', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'extra': 'x'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"}) {
    EXPECT_FALSE(DecodeNpy(WithHeader(dict)).ok()) << dict;
  }
}

TEST(Zip, ReadsStoredAndDeflatedEntries) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const std::string file = Data(name);
    const absl::StatusOr<ZipArchive> archive = ZipArchive::Open(file);
    ASSERT_TRUE(archive.ok()) << archive.status();
    EXPECT_THAT(archive->names(), testing::ElementsAre("arg0.npy", "arg1.npy"));
    for (const std::string& entry : archive->names()) {
      EXPECT_TRUE(DecodeNpy(archive->Read(entry).value()).ok());
    }
    EXPECT_EQ(archive->Read("arg2.npy").status().code(), absl::StatusCode::kNotFound);
  }
}

TEST(Zip, WhatIsWrittenIsReadBackWithAndWithoutZip64) {
  for (const bool zip64 : {false, true}) {
    ZipWriter writer(zip64);
    writer.Add("a", "hello");
    writer.Add("empty", "");
    const std::string file = writer.Finish();
    const absl::StatusOr<ZipArchive> archive = ZipArchive::Open(file);
    ASSERT_TRUE(archive.ok()) << archive.status();
    EXPECT_EQ(archive->Read("a").value(), "hello");
    EXPECT_EQ(archive->Read("empty").value(), "");
  }
}

// Reads all that an archive says it has; true when all of it is good.
bool ReadsCompletely(absl::string_view file) {
  const absl::StatusOr<ZipArchive> archive = ZipArchive::Open(file);
  if (!archive.ok()) return false;
  bool good = true;
  for (const std::string& name : archive->names()) good &= archive->Read(name).ok();
  return good;
}

TEST(Zip, EveryTruncationIsAnError) {
  const std::string file = Data("deflated.npz");
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadsCompletely(absl::string_view(file).substr(0, size))) << size;
  }
}

TEST(Zip, NoDamagedByteIsReadBeyondTheFile) {
  ZipWriter writer(/*force_zip64=*/true);
  writer.Add("a", "hello");
  for (std::string file : {Data("deflated.npz"), writer.Finish()}) {
    for (size_t at = 0; at < file.size(); ++at) {
      for (const char damage : {'\0', '\x7f', '\xff'}) {
        const char was = std::exchange(file[at], damage);
        ReadsCompletely(file);  // either answer is fine; a sanitizer watches
        file[at] = was;
      }
    }
  }
}

TEST(Zip, DamagedDataFailsTheChecksum) {
  ZipWriter writer;
  writer.Add("a", "hello");
  std::string file = writer.Finish();
  file[file.find("hello")] = 'j';
  EXPECT_THAT(std::string(ZipArchive::Open(file).value().Read("a").status().message()),
              HasSubstr("fails its CRC"));
}

}  // namespace
}  // namespace astitch
