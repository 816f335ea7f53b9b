// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Values of attributes, by form: read, and written again as canonical text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "frontend/hlo_text/attribute_table.h"
#include "frontend/hlo_text/reader.h"
#include "ir/graph.h"

namespace astitch::hlo_text {

// Forms that nothing looks into hold their canonical text; strings are unescaped.
using AttributeValue =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<std::string>,
                 std::vector<std::pair<std::string, std::string>>, Window, SliceAttributes,
                 PadAttributes, std::vector<Computation*>, std::vector<Instruction*>>;

// How names inside a value are looked up. Both report what they do not find.
struct AttributeScope {
  absl::FunctionRef<bool(Computation**)> read_computation;  // a name, or a body in braces
  absl::FunctionRef<bool(Instruction**)> read_instruction;  // a name
};

bool ReadAttributeValue(Reader& reader, AttributeForm form, const AttributeScope& scope,
                        AttributeValue* value);

// As it prints behind '='.
std::string ValueText(AttributeForm form, const AttributeValue& value);

// {key="text",key2={blob}}, also a module's; "" for {}.
bool ReadFrontendAttributes(Reader& reader, std::string* out);
// {0,1} as inside an alias.
bool ReadIndexPath(Reader& reader, std::vector<int64_t>* out);
// {true,false}.
bool ReadBoolList(Reader& reader, std::string* out);

// The text of an attribute whose word is not known, up to a ',' or '}' or line end outside
// brackets.
bool ReadUnknownValue(Reader& reader, std::string* out);

}  // namespace astitch::hlo_text
