// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From the attributes written behind an instruction to what the Graph stores: typed attributes,
// called computations, annotations.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "frontend/hlo_text/attribute_set.h"
#include "frontend/hlo_text/reader.h"
#include "ir/graph.h"

namespace astitch::hlo_text {

// What the attributes are read against.
struct AttributeOwner {
  Opcode opcode;
  const Token& at;  // the opcode in the text
  absl::Span<Instruction* const> operands;
};

// Faults: a required attribute that is missing, a word that the attribute does not know. Fills in
// what HLO lets a text leave out. REQUIRES: SET is sorted.
bool BuildAttributes(Reader& reader, const AttributeOwner& owner, const AttributeSet& set,
                     Attributes* out);
// In the order of Instruction::called(). REQUIRES: SET is sorted.
bool BuildCalled(Reader& reader, const AttributeOwner& owner, const AttributeSet& set,
                 std::vector<Computation*>* out);
// FRAME_OF_ID maps the text's stack_frame_id to the graph's frames, 0 for what has none.
Annotations BuildAnnotations(const AttributeSet& set, absl::Span<const int64_t> frame_of_id);

}  // namespace astitch::hlo_text
