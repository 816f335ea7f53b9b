// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// JSON by nlohmann's parser with exceptions off: every access is preceded by a type check.
#include "tensor_io/manifest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "nlohmann/json.hpp"

namespace astitch {
namespace {

using Json = nlohmann::json;

absl::Status Bad(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("manifest: ", where, " ", what));
}

absl::StatusOr<Shape> ParseShape(const Json& entry, absl::string_view where) {
  const auto dtype = entry.find("dtype"), dims = entry.find("shape");
  if (dtype == entry.end() || !dtype->is_string()) return Bad(where, "lacks a dtype");
  if (dims == entry.end() || !dims->is_array()) return Bad(where, "lacks a shape");
  const std::string word = dtype->get<std::string>();
  const std::optional<ElementType> type = ElementTypeFromNumpyWord(word);
  if (!type) return Bad(where, absl::StrCat("has the unknown dtype ", word));
  std::vector<int64_t> out;
  for (const Json& dim : *dims) {
    const bool fits = dim.is_number_unsigned() &&
                      dim.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
    if (!fits) return Bad(where, "has a dimension that is not a whole number below 2^63");
    out.push_back(dim.get<int64_t>());
  }
  Shape shape = Shape::Array(*type, std::move(out));
  if (!shape.CheckedByteSize().ok()) return Bad(where, "is too large");
  return shape;
}

absl::StatusOr<Manifest::Input> ParseInput(const Json& entry, absl::string_view where) {
  Manifest::Input out;
  ASTITCH_ASSIGN_OR_RETURN(out.shape, ParseShape(entry, where));
  out.distribution = DefaultDistribution(out.shape.element_type());
  const auto dist = entry.find("dist");
  if (dist == entry.end()) return out;
  if (!dist->is_string()) return Bad(where, "has a dist that is not a string");
  absl::StatusOr<Distribution> parsed = ParseDistribution(dist->get<std::string>());
  if (!parsed.ok()) return Annotate(parsed.status(), absl::StrCat("manifest: ", where));
  out.distribution = *parsed;
  return out;
}

absl::StatusOr<Manifest::Output> ParseOutput(const Json& entry, absl::string_view where) {
  Manifest::Output out;
  ASTITCH_ASSIGN_OR_RETURN(out.shape, ParseShape(entry, where));
  const std::pair<const char*, double Tolerance::*> fields[] = {{"rtol", &Tolerance::rtol},
                                                                {"atol", &Tolerance::atol}};
  for (const auto& [key, member] : fields) {
    const auto value = entry.find(key);
    if (value == entry.end()) continue;
    if (!value->is_number()) return Bad(where, absl::StrCat("has a ", key, " that is no number"));
    if (!out.tolerance) out.tolerance = Tolerance();
    (*out.tolerance).*member = value->get<double>();
  }
  return out;
}

// Accepts any JSON; notes where the first fault is, which the parser without exceptions keeps to
// itself.
struct FaultFinder : nlohmann::json_sax<Json> {
  size_t fault_at = 0;  // one past the byte that is wrong

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    fault_at = position;
    return false;
  }
};

absl::Status SyntaxError(absl::string_view json) {
  FaultFinder finder;
  Json::sax_parse(json.begin(), json.end(), &finder);
  const absl::string_view before =
      json.substr(0, std::min(json.size(), finder.fault_at > 0 ? finder.fault_at - 1 : 0));
  const size_t line_start =
      before.rfind('\n') == absl::string_view::npos ? 0 : before.rfind('\n') + 1;
  Diagnostic diagnostic;
  diagnostic.position.line =
      1 + static_cast<int32_t>(std::count(before.begin(), before.end(), '\n'));
  diagnostic.position.column = 1 + static_cast<int32_t>(before.size() - line_start);
  diagnostic.message = "not valid JSON";
  return DiagnosticsError({diagnostic});
}

// The list KEY of ROOT, each entry by PARSE; absent means empty.
template <typename T>
absl::Status ParseList(const Json& root, const char* key,
                       absl::StatusOr<T> (*parse)(const Json&, absl::string_view),
                       std::vector<T>& out) {
  const auto list = root.find(key);
  if (list == root.end()) return absl::OkStatus();
  if (!list->is_array()) return Bad(key, "is not a list");
  for (const Json& entry : *list) {
    const std::string where = absl::StrCat(key, "[", out.size(), "]");
    if (!entry.is_object()) return Bad(where, "is not an object");
    ASTITCH_ASSIGN_OR_RETURN(T value, parse(entry, where));
    out.push_back(std::move(value));
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<ElementType> ElementTypeFromNumpyWord(absl::string_view word) {
  struct Row {
    absl::string_view word;
    ElementType type;
  };
  static constexpr Row kRows[] = {
      {"bool", ElementType::kPred},
      {"int4", ElementType::kS4},
      {"int8", ElementType::kS8},
      {"int16", ElementType::kS16},
      {"int32", ElementType::kS32},
      {"int64", ElementType::kS64},
      {"uint4", ElementType::kU4},
      {"uint8", ElementType::kU8},
      {"uint16", ElementType::kU16},
      {"uint32", ElementType::kU32},
      {"uint64", ElementType::kU64},
      {"float16", ElementType::kF16},
      {"bfloat16", ElementType::kBF16},
      {"float32", ElementType::kF32},
      {"float64", ElementType::kF64},
      {"float8_e4m3fn", ElementType::kF8E4M3FN},
      {"float8_e5m2", ElementType::kF8E5M2},
      {"complex64", ElementType::kC64},
      {"complex128", ElementType::kC128},
  };
  for (const Row& row : kRows) {
    if (row.word == word) return row.type;
  }
  return ElementTypeFromString(word);
}

absl::StatusOr<Manifest> ParseManifest(absl::string_view json) {
  const Json root = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return SyntaxError(json);
  if (!root.is_object()) return absl::InvalidArgumentError("manifest: not a JSON object");
  Manifest out;
  const auto name = root.find("name");
  if (name != root.end() && name->is_string()) out.name = name->get<std::string>();
  ASTITCH_RETURN_IF_ERROR(ParseList(root, "inputs", ParseInput, out.inputs));
  ASTITCH_RETURN_IF_ERROR(ParseList(root, "outputs", ParseOutput, out.outputs));
  return out;
}

}  // namespace astitch
