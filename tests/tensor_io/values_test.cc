// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Specs, random draws, comparison, printing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/number.h"
#include "tensor_io/compare.h"
#include "tensor_io/format.h"
#include "tensor_io/load.h"
#include "tensor_io/manifest.h"
#include "tensor_io/random.h"
#include "tensor_io/spec.h"
#include "tests/fresh_folder.h"

namespace astitch {
namespace {

using testing::HasSubstr;

Shape F32(std::vector<int64_t> dims) { return Shape::Array(ElementType::kF32, std::move(dims)); }

Literal Parse(const std::string& spec) {
  const InputSpec parsed = ParseInputSpec(spec).value();
  return ParseValues(parsed.shape, parsed.values).value();
}

TEST(Spec, InlineValuesReadInEverySpelling) {
  struct Case {
    const char* spec;
    const char* summary;
  };
  for (const Case& c :
       {Case{"2x2xf32=1,2,3,4", "f32[2,2] {1, 2, 3, 4}"},
        Case{"2x2xf32=[[1 2][3 4]]", "f32[2,2] {1, 2, 3, 4}"},
        Case{"3xf32=0.5", "f32[3] {0.5, 0.5, 0.5}"}, Case{"f32=-inf", "f32[] {-inf}"},
        Case{"2xpred=true,0", "pred[2] {true, false}"}, Case{"2xs8=-128,127", "s8[2] {-128, 127}"},
        Case{"u64=18446744073709551615", "u64[] {18446744073709551615}"},
        Case{"bf16=1.00390625", "bf16[] {1}"}, Case{"0x2xf32=", "f32[0,2] {}"},
        Case{"f32=nan", "f32[] {nan}"}}) {
    EXPECT_THAT(Summarize(Parse(c.spec)), testing::StartsWith(c.summary)) << c.spec;
  }
}

TEST(Spec, BadOnesAreErrorsWithWords) {
  struct Case {
    const char* spec;
    const char* message;
  };
  for (const Case& c :
       {Case{"x.npy", "expected @x.npy"}, Case{"@", "file name"}, Case{"random:x", "whole number"},
        Case{"2x2xf33=1", "2x2xf33"}, Case{"2xx2f32=1", "expected a shape"},
        Case{"=1", "expected a shape"}, Case{"99999999999999999999xf32=1", "expected a shape"},
        Case{"4611686018427387904x4xf32=1", ""}}) {
    const absl::Status status = ParseInputSpec(c.spec).status();
    ASSERT_FALSE(status.ok()) << c.spec;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << c.spec;
  }
  for (const char* spec : {"2xf32=1,2,3", "2xs8=1,128", "u8=-1", "s32=1.5", "f32=abc", "pred=2",
                           "2xf32=", "f32=1e999", "c64=1", "1000000000x1000000000xf32=0"}) {
    const InputSpec parsed = ParseInputSpec(spec).value();
    EXPECT_FALSE(ParseValues(parsed.shape, parsed.values).ok()) << spec;
  }
}

TEST(Random, NumbersAreTheSameOnEveryMachine) {
  // Recorded once. A change here changes every benchmark's inputs.
  const Literal normal = DrawLiteral(F32({4}), {}, 1, 0);
  const Literal ids =
      DrawLiteral(Shape::Array(ElementType::kS32, {6}), {Distribution::Kind::kIds, 1000}, 1, 0);
  EXPECT_EQ(
      Summarize(normal),
      "f32[4] {0.506143749, -0.225581184, -1.01485682, 2.72161555} min -1.01486 max 2.72162 mean "
      "0.49683");
  EXPECT_EQ(Summarize(ids), "s32[6] {693, 827, 506, 897, 543, 654} min 506 max 897 mean 686.667");
}

TEST(Random, SeedAndParameterAndIndexEachMatter) {
  const Literal a = DrawLiteral(F32({100}), {}, 1, 0);
  EXPECT_EQ(a, DrawLiteral(F32({100}), {}, 1, 0));
  EXPECT_FALSE(a == DrawLiteral(F32({100}), {}, 2, 0));
  EXPECT_FALSE(a == DrawLiteral(F32({100}), {}, 1, 1));
  const Literal longer = DrawLiteral(F32({200}), {}, 1, 0);
  EXPECT_EQ(a.data<float>(), longer.data<float>().subspan(0, 100));
}

TEST(Random, DistributionsHaveTheirMomentsAndRanges) {
  struct Case {
    const char* word;
    ElementType type;
    double mean, deviation, min, max;
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const ElementType f32 = ElementType::kF32, s32 = ElementType::kS32;
  for (const Case& c :
       {Case{"normal", f32, 0, 1, -6, 6}, Case{"emb", f32, 0, 0.02, -0.12, 0.12},
        Case{"one", f32, 1, 0.02, 0.88, 1.12}, Case{"pos", f32, 1, 0.2887, 0.5, 1.5},
        Case{"unit", f32, 0.5, 0.2887, 0, 1}, Case{"wide", f32, 0, 20, -120, 120},
        Case{"fan", f32, 0, 0.1, -kInf, kInf}, Case{"ids:10", s32, 4.5, 2.8723, 0, 9},
        Case{"len:4", s32, 2.5, 1.118, 1, 4},
        Case{"bool:0.25", ElementType::kPred, 0.25, 0.433, 0, 1}, Case{"step:7", s32, 7, 0, 7, 7},
        Case{"zero", f32, 0, 0, 0, 0}}) {
    const Literal value =
        DrawLiteral(Shape::Array(c.type, {100, 400}), ParseDistribution(c.word).value(), 3, 1);
    const Statistics s = ComputeStatistics(value);
    double squares = 0;
    for (int64_t i = 0; i < s.count; ++i) {
      const double x = LoadAsDouble(c.type, &value.bytes()[i * ByteWidth(c.type)]) - c.mean;
      squares += x * x;
    }
    EXPECT_NEAR(s.mean, c.mean, 0.02 * c.deviation + 1e-12) << c.word;
    EXPECT_NEAR(std::sqrt(squares / s.count), c.deviation, 0.02 * c.deviation + 1e-12) << c.word;
    EXPECT_GE(s.min, c.min) << c.word;
    EXPECT_LE(s.max, c.max) << c.word;
  }
}

TEST(Random, BadDistributionsAreErrors) {
  for (const char* word : {"", "gauss", "ids", "ids:", "ids:0", "ids:1.5", "len:-1", "bool:2",
                           "normal:1", "step:1e300", "ids:nan"}) {
    EXPECT_FALSE(ParseDistribution(word).ok()) << word;
  }
}

TEST(Compare, FollowsTheRule) {
  struct Case {
    const char *got, *expected;
    bool ok;
  };
  for (const Case& c :
       {Case{"f32=1", "f32=1", true}, Case{"f32=1.01", "f32=1", true},
        Case{"f32=1.2", "f32=1", false}, Case{"f32=nan", "f32=nan", true},
        Case{"f32=nan", "f32=1", false}, Case{"f32=1", "f32=nan", false},
        Case{"f32=inf", "f32=inf", true}, Case{"f32=inf", "f32=-inf", false},
        Case{"f32=inf", "f32=3e38", false}, Case{"f32=0", "f32=-0", true},
        Case{"s32=100", "s32=101", false},
        Case{"u64=18446744073709551615", "u64=18446744073709551614", false},
        Case{"pred=true", "pred=true", true}, Case{"2xf32=1,2", "3xf32=1,2,3", false},
        Case{"bf16=2", "bf16=2.125", true}}) {
    EXPECT_EQ(Compare(Parse(c.got), Parse(c.expected), {0.1, 0}).ok(), c.ok)
        << c.got << " and " << c.expected;
  }
}

TEST(Compare, NamesTheWorstElement) {
  const Comparison c = Compare(Parse("2x2xf32=1,2.5,3,5"), Parse("2x2xf32=1,2,3,4"), {0.01, 0.01});
  EXPECT_EQ(c.Describe(), "2 of 4 wrong, worst at (1, 1): got 5, expected 4");
  EXPECT_EQ(Compare(Parse("2xf32=nan,9"), Parse("2xf32=1,1"), {}).Describe(),
            "2 of 2 wrong, worst at (0): got nan, expected 1");
}

TEST(Format, CountsNansAndInfinities) {
  EXPECT_EQ(Summarize(Parse("4xf32=1,nan,3,-inf"), 2),
            "f32[4] {1, nan, ...} min 1 max 3 mean 2 nan 1 inf 1");
}

TEST(Manifest, GivesShapesDistributionsAndTolerances) {
  const absl::StatusOr<Manifest> m = ParseManifest(
      R"({"name": "x", "inputs": [{"shape": [2, 3], "dtype": "bfloat16", "dist": "fan"}],
          "outputs": [{"shape": [], "dtype": "int32", "rtol": 1e-3}]})");
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(m->inputs[0].shape.ToString(false), "bf16[2,3]");
  EXPECT_EQ(m->inputs[0].distribution.kind, Distribution::Kind::kFan);
  EXPECT_EQ(m->outputs[0].tolerance, (Tolerance{1e-3, 0}));
}

TEST(Manifest, BadOnesAreErrors) {
  for (const char* json :
       {"", "[", "[]", R"({"inputs": 3})", R"({"inputs": [3]})", R"({"inputs": [{}]})",
        R"({"inputs": [{"shape": [1]}]})", R"({"inputs": [{"shape": [-1], "dtype": "float32"}]})",
        R"({"inputs": [{"shape": [1.5], "dtype": "float32"}]})",
        R"({"inputs": [{"shape": [1], "dtype": "quux"}]})",
        R"({"inputs": [{"shape": [9223372036854775807, 9], "dtype": "float32"}]})",
        R"({"inputs": [{"shape": [1], "dtype": "float32", "dist": "quux"}]})",
        R"({"outputs": [{"shape": [1], "dtype": "float32", "rtol": "x"}]})"}) {
    EXPECT_FALSE(ParseManifest(json).ok()) << json;
  }
}

TEST(Load, SpecsFillSlotsInOrderAndRandomFillsTheRest) {
  const std::vector<Shape> wanted = {F32({2}), F32({}), Shape::Array(ElementType::kS32, {3})};
  const absl::StatusOr<std::vector<Literal>> got =
      LoadInputs({"2xf32=1,2", "random:5"}, wanted, nullptr);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0], Parse("2xf32=1,2"));
  EXPECT_EQ((*got)[2], DrawLiteral(wanted[2], DefaultDistribution(ElementType::kS32), 5, 2));
}

TEST(Load, ArchivesFillByName) {
  const std::string path = std::string("@") + ASTITCH_TEST_DATA + "/tensor_io/stored.npz";
  const std::vector<Shape> wanted = {F32({2, 3}), Shape::Array(ElementType::kS32, {2}), F32({})};
  const absl::StatusOr<std::vector<Literal>> got = LoadInputs({path, "f32=9"}, wanted, nullptr);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[1], Parse("2xs32=1,2"));
  EXPECT_EQ((*got)[2], Parse("f32=9"));
  EXPECT_THAT(std::string(LoadExpected({path}, wanted).status().message()),
              HasSubstr("expected arrays out0, out1, ..., got arg0.npy, arg1.npy"));
}

TEST(Load, MissingAndExcessValuesAreErrorsByName) {
  EXPECT_THAT(std::string(LoadInputs({}, {F32({2})}, nullptr).status().message()),
              HasSubstr("no value for arg0 f32[2]"));
  EXPECT_THAT(std::string(LoadInputs({"f32=1", "f32=2"}, {F32({})}, nullptr).status().message()),
              HasSubstr("more values than the graph's 1"));
  EXPECT_THAT(std::string(LoadInputs({"2xf32=1"}, {F32({3})}, nullptr).status().message()),
              HasSubstr("arg0: expected f32[3], got f32[2]"));
  EXPECT_THAT(std::string(LoadInputs({"@/nowhere.npy"}, {F32({3})}, nullptr).status().message()),
              HasSubstr("/nowhere.npy"));
}

TEST(Load, SavedOutputsAreReadBack) {
  const std::vector<Literal> values = {Parse("2xf32=1,2"), Parse("bf16=3"), Parse("pred=1")};
  const std::vector<Shape> shapes = {values[0].shape(), values[1].shape(), values[2].shape()};
  const std::string path = FreshFolder() + "/values.npz";
  ASSERT_TRUE(SaveOutputs("@" + path, values).ok());
  const auto got = LoadExpected({"@" + path}, shapes);
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(*(*got)[i], values[i]);
  EXPECT_FALSE(SaveOutputs(FreshFolder() + "/three.npy", values).ok());
}

}  // namespace
}  // namespace astitch
