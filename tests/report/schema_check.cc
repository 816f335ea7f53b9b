// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One function a keyword, as deep as the schema nests.
#include "tests/report/schema_check.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

using Json = nlohmann::json;

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::string Fault(const Json& schema, const Json& value, const std::string& at) const {
    static const std::set<std::string> kKnown = {"$schema",     "title",
                                                 "description", "type",
                                                 "const",       "enum",
                                                 "minimum",     "minLength",
                                                 "items",       "$defs",
                                                 "anyOf",       "properties",
                                                 "required",    "additionalProperties",
                                                 "$ref"};
    for (const auto& [keyword, unused] : schema.items()) {
      if (!kKnown.contains(keyword)) return absl::StrCat(at, ": unknown keyword ", keyword);
    }
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return Fault(root_.at(Json::json_pointer(pointer)), value, at);
    }
    if (schema.contains("anyOf")) return AnyOf(schema["anyOf"], value, at);
    if (const std::string fault = Scalar(schema, value); !fault.empty())
      return absl::StrCat(at, ": ", fault);
    if (value.is_object()) return Object(schema, value, at);
    if (!value.is_array() || !schema.contains("items")) return "";
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string fault = Fault(schema["items"], value[i], absl::StrCat(at, "/", i));
      if (!fault.empty()) return fault;
    }
    return "";
  }

 private:
  static bool IsOfType(const std::string& type, const Json& value) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }

  static std::string Scalar(const Json& schema, const Json& value) {
    if (schema.contains("type") && !IsOfType(schema["type"], value))
      return absl::StrCat("expected ", schema["type"].dump(), ", got ", value.dump());
    if (schema.contains("const") && schema["const"] != value)
      return absl::StrCat("expected ", schema["const"].dump(), ", got ", value.dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return absl::StrCat("expected one of ", schema["enum"].dump(), ", got ", value.dump());
    if (schema.contains("minimum") && value < schema["minimum"])
      return absl::StrCat("expected at least ", schema["minimum"].dump(), ", got ", value.dump());
    if (schema.contains("minLength") &&
        value.get<std::string>().size() < schema["minLength"].get<size_t>())
      return "expected a longer string";
    return "";
  }

  std::string AnyOf(const Json& options, const Json& value, const std::string& at) const {
    std::string faults;
    for (const Json& option : options) {
      const std::string fault = Fault(option, value, at);
      if (fault.empty()) return "";
      absl::StrAppend(&faults, "\n  ", fault);
    }
    return absl::StrCat(at, ": none of", faults);
  }

  std::string Object(const Json& schema, const Json& value, const std::string& at) const {
    if (schema.contains("required")) {
      for (const Json& key : schema["required"]) {
        if (!value.contains(key.get<std::string>()))
          return absl::StrCat(at, ": expected ", key.dump());
      }
    }
    for (const auto& [key, element] : value.items()) {
      if (!schema.contains("properties") || !schema["properties"].contains(key)) {
        if (schema.value("additionalProperties", true)) continue;
        return absl::StrCat(at, ": unknown key ", key);
      }
      const std::string fault =
          Fault(schema["properties"][key], element, absl::StrCat(at, "/", key));
      if (!fault.empty()) return fault;
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string SchemaFault(const nlohmann::json& schema, const nlohmann::json& value) {
  return Checker(schema).Fault(schema, value, "");
}

}  // namespace astitch
