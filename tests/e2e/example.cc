// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// case.json and manifest.json by nlohmann's parser; these files are ours, so a missing key ends the
// test.
#include "tests/e2e/example.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "ir/number.h"
#include "nlohmann/json.hpp"
#include "tensor_io/layout.h"
#include "tensor_io/load.h"
#include "tensor_io/manifest.h"

namespace astitch::testing {
namespace {

using Json = nlohmann::json;

absl::StatusOr<Json> ReadJson(const std::string& path) {
  ASTITCH_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(path, " is no JSON"));
  return json;
}

// value(i) = ((i * mul + add) mod mod) * scale + offset, rounded once to the type.
Literal Generate(const Json& rule, const Shape& shape) {
  Literal out(Shape::Array(shape.element_type(), shape.dims()));
  const auto mul = rule["mul"].get<uint64_t>(), add = rule["add"].get<uint64_t>(),
             mod = rule["mod"].get<uint64_t>();
  const auto scale = rule["scale"].get<double>(), offset = rule["offset"].get<double>();
  const int width = ByteWidth(shape.element_type());
  for (int64_t i = 0; i < out.shape().num_elements(); ++i) {
    const auto number = static_cast<double>((static_cast<uint64_t>(i) * mul + add) % mod);
    StoreFromDouble(shape.element_type(), &out.mutable_bytes()[i * width], number * scale + offset);
  }
  return out;
}

absl::StatusOr<std::vector<Literal>> CaseInputs(const Json& json, const std::string& folder,
                                                const std::vector<Shape>& shapes) {
  if (json["inputs"].is_string()) {
    ASTITCH_ASSIGN_OR_RETURN(const Json rules,
                             ReadJson(absl::StrCat(folder, json["inputs"].get<std::string>())));
    std::vector<Literal> out;
    for (size_t i = 0; i < shapes.size(); ++i)
      out.push_back(Generate(rules["inputs"][i], shapes[i]));
    return out;
  }
  std::vector<std::string> files;
  for (size_t i = 0; i < shapes.size(); ++i)
    files.push_back(absl::StrCat("@", folder, "input", i, ".npy"));
  return LoadInputs(files, shapes, nullptr);
}

double NumberOr(const Json& json, const char* key, double otherwise) {
  const auto found = json.find(key);
  return found == json.end() ? otherwise : found->get<double>();
}

}  // namespace

std::vector<std::string> ExampleNames(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ExamplePath(folder, "")))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string ExamplePath(const std::string& folder, const std::string& name) {
  return absl::StrCat(ASTITCH_TEST_DATA, "/", folder, "/", name, "/");
}

absl::StatusOr<std::unique_ptr<Graph>> LoadGraph(const std::string& path) {
  ASTITCH_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseHloText(text);
}

absl::StatusOr<Example> LoadCase(const std::string& name) {
  const std::string folder = ExamplePath("cases", name);
  ASTITCH_ASSIGN_OR_RETURN(const Json json, ReadJson(folder + "case.json"));
  Example out;
  out.name = name;
  ASTITCH_ASSIGN_OR_RETURN(out.graph, LoadGraph(folder + "graph.hlo"));
  ASTITCH_ASSIGN_OR_RETURN(out.inputs, CaseInputs(json, folder, EntryInputShapes(*out.graph)));
  const std::vector<Shape> shapes = EntryOutputShapes(*out.graph);
  std::vector<std::string> files;
  for (size_t i = 0; i < shapes.size(); ++i)
    files.push_back(absl::StrCat("@", folder, "expect", i, ".npy"));
  ASTITCH_ASSIGN_OR_RETURN(const auto expected, LoadExpected(files, shapes));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Json& output = json["outputs"][i];
    ExpectedOutput& judged = out.outputs.emplace_back();
    judged.value = *expected[i];
    judged.tolerance.rtol = NumberOr(output, "rtol", NumberOr(json, "rtol", 0));
    judged.tolerance.atol = NumberOr(output, "atol", NumberOr(json, "atol", 0));
    judged.signed_zero = output.value("signed_zero", json.value("signed_zero", false));
  }
  out.may_be_refused = json.value("allow", "") == "reject-with-clear-error";
  out.heavy = json.contains("heavy");
  if (json.contains("property")) {
    for (const auto& [key, value] : json["property"].items()) {
      if (value.is_number()) out.limits[key] = value.get<double>();
    }
  }
  return out;
}

absl::StatusOr<Example> LoadEntry(const std::string& name) {
  const std::string folder = ExamplePath("corpus", name);
  ASTITCH_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "manifest.json"));
  ASTITCH_ASSIGN_OR_RETURN(const Manifest manifest, ParseManifest(text));
  ASTITCH_ASSIGN_OR_RETURN(const Json json, ReadJson(folder + "manifest.json"));
  Example out;
  out.name = name;
  out.all_targets = json.value("tier", 1) == 1;
  ASTITCH_ASSIGN_OR_RETURN(out.graph, LoadGraph(folder + "module.hlo"));
  ASTITCH_ASSIGN_OR_RETURN(out.inputs, LoadInputs({absl::StrCat("@", folder, "inputs.npz")},
                                                  EntryInputShapes(*out.graph), nullptr));
  ASTITCH_ASSIGN_OR_RETURN(
      const auto expected,
      LoadExpected({absl::StrCat("@", folder, "expected.npz")}, EntryOutputShapes(*out.graph)));
  for (size_t i = 0; i < expected.size(); ++i)
    out.outputs.push_back({*expected[i], *manifest.outputs[i].tolerance});
  return out;
}

std::string Judge(const std::vector<Literal>& got, const std::vector<ExpectedOutput>& expected) {
  if (got.size() != expected.size())
    return absl::StrCat(got.size(), " outputs, expected ", expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const Comparison comparison = Compare(got[i], expected[i].value, expected[i].tolerance);
    if (!comparison.ok()) return absl::StrCat("output ", i, ": ", comparison.Describe());
    if (!expected[i].signed_zero) continue;
    const ElementType type = got[i].shape().element_type();
    const int width = ByteWidth(type);
    for (int64_t n = 0; n < got[i].shape().num_elements(); ++n) {
      const double a = LoadAsDouble(type, &got[i].bytes()[n * width]);
      const double b = LoadAsDouble(type, &expected[i].value.bytes()[n * width]);
      if (b == 0 && std::signbit(a) != std::signbit(b))
        return absl::StrCat("output ", i, ": the zero at ", n, " has the wrong sign");
    }
  }
  return "";
}

}  // namespace astitch::testing
