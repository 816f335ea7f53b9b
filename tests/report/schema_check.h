// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A validator of the part of JSON Schema that docs/ledger.schema.json uses: type, const, enum,
// minimum, minLength, items, properties, required, additionalProperties: false, anyOf, $ref into
// $defs. A keyword that it does not know is an error, not a pass.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace astitch {

// The first fault, with its path; empty: VALUE is as SCHEMA says.
std::string SchemaFault(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace astitch
