// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Attributes as HLO text: the value forms that the printer writes and the parser keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/graph.h"

namespace astitch {

std::string IntListText(absl::Span<const int64_t> values);       // {0,2}
std::string WordListText(absl::Span<const std::string> values);  // {highest,default}
std::string WindowText(const Window& window);  // {size=3x3 pad=1_1x1_1}; empty for rank 0
std::string PaddingText(const PadAttributes& attributes);  // 0_0x2_-1
std::string SliceText(const SliceAttributes& attributes);  // {[0:2], [1:4]}

absl::string_view ToString(ComparisonDirection direction);
absl::string_view ToString(ComparisonType type);
absl::string_view ToString(RngAlgorithm algorithm);
absl::string_view ToString(FftType type);
absl::string_view ToString(TransposeA transpose);
absl::string_view ToString(FusionKind kind);

// What belongs to the opcode, each preceded by ", "; neither called computations nor annotations.
std::string OpcodeAttributesText(const Instruction& instruction);
// What any instruction may carry, in HLO's order; CONTROLS is the ready text of the control
// predecessors.
std::string AnnotationsText(const Instruction& instruction, absl::string_view controls,
                            bool with_metadata);

}  // namespace astitch
