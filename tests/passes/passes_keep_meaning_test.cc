// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The whole pipeline, and each pass alone, against the interpreter: the same inputs give the same
// outputs before and after, bit for bit, except where a pass states that it rounds elsewhere.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "interp/interpreter.h"
#include "ir/number.h"
#include "tensor_io/compare.h"
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

// Numbers of every kind that a rule could get wrong, among ordinary ones.
Literal MakeInput(const Shape& shape, uint32_t seed) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) elements.push_back(MakeInput(element, ++seed));
    return Literal::Tuple(std::move(elements));
  }
  Literal literal(shape);
  const ElementType type = shape.element_type();
  std::byte* at = literal.mutable_bytes().data();
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < shape.num_elements(); ++i, at += ByteWidth(type)) {
    state = state * 1664525u + 1013904223u;
    const double unit = (state >> 8) / 16777216.0;
    if (IsFloat(type)) {
      const bool zero = (state >> 4) % 37 == 0;
      StoreFromDouble(type, at, zero ? (unit < 0.5 ? -0.0 : 0.0) : 4 * unit - 2);
    } else if (IsPred(type)) {
      StoreBits(type, at, unit < 0.5 ? 0 : 1);
    } else {
      StoreFromDouble(type, at, std::floor(unit * 7));
    }
  }
  return literal;
}

void ExpectSame(const Literal& got, const Literal& expected, const Tolerance& tolerance) {
  if (expected.shape().IsTuple()) {
    ASSERT_EQ(got.elements().size(), expected.elements().size());
    for (size_t i = 0; i < expected.elements().size(); ++i) {
      SCOPED_TRACE(absl::StrCat("element ", i));
      ExpectSame(got.elements()[i], expected.elements()[i], tolerance);
    }
    return;
  }
  if (tolerance == Tolerance{} && got == expected) return;
  const Comparison comparison = Compare(got, expected, tolerance);
  EXPECT_TRUE(comparison.ok()) << comparison.Describe();
}

// Bits agree, NaNs apart: the sign of a zero counts.
bool SameZeros(const Literal& got, const Literal& expected) {
  if (expected.shape().IsTuple()) {
    for (size_t i = 0; i < expected.elements().size(); ++i) {
      if (!SameZeros(got.elements()[i], expected.elements()[i])) return false;
    }
    return true;
  }
  const ElementType type = expected.shape().element_type();
  if (!IsFloat(type)) return true;
  for (int64_t i = 0; i < expected.shape().num_elements(); ++i) {
    const int64_t offset = i * ByteWidth(type);
    const double a = LoadAsDouble(type, got.bytes().data() + offset);
    const double b = LoadAsDouble(type, expected.bytes().data() + offset);
    if (a == 0 && b == 0 && std::signbit(a) != std::signbit(b)) return false;
  }
  return true;
}

class PassesKeepMeaningTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/passes/", GetParam(), ".hlo"));
    ASSERT_TRUE(text.ok()) << text.status();
    graph_ = ParseModule(*text);
    ASSERT_TRUE(graph_ != nullptr);
    uint32_t seed = 1;
    for (const Instruction* parameter : graph_->entry()->parameters())
      arguments_.push_back(MakeInput(parameter->shape(), seed++));
    auto expected = Evaluate(*graph_, arguments_);
    ASSERT_TRUE(expected.ok()) << expected.status();
    expected_ = *std::move(expected);
  }

  void ExpectSameAfter(const std::vector<std::string>& passes, const Tolerance& tolerance) {
    const std::unique_ptr<Graph> graph = graph_->Clone();
    const auto changed = RunPasses(*graph, passes);
    ASSERT_TRUE(changed.ok()) << changed.status();
    const auto got = Evaluate(*graph, arguments_);
    ASSERT_TRUE(got.ok()) << got.status() << ToHloText(*graph);
    ExpectSame(*got, expected_, tolerance);
    if (tolerance == Tolerance{}) {
      EXPECT_TRUE(SameZeros(*got, expected_));
    }
  }

  // Batch normalization is expanded, and each operation of the expansion rounds.
  Tolerance tolerance() const {
    return GetParam() == "batch_norm" ? Tolerance{1e-2, 1e-5} : Tolerance{};
  }

  std::unique_ptr<Graph> graph_;
  std::vector<Literal> arguments_;
  Literal expected_;
};

TEST_P(PassesKeepMeaningTest, StandardPipeline) {
  ExpectSameAfter(StandardPipeline(), tolerance());
}

TEST_P(PassesKeepMeaningTest, EachPassAlone) {
  for (const PassInfo& info : ListPasses()) {
    SCOPED_TRACE(std::string(info.name));
    ExpectSameAfter({std::string(info.name)}, tolerance());
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(ASTITCH_TEST_DATA, "/passes")))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Graphs, PassesKeepMeaningTest, testing::ValuesIn(Names()), TestName);

}  // namespace
}  // namespace astitch
