// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What stands before the first computation: the HloModule line and the stack-frame tables.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/hlo_text/reader.h"
#include "ir/graph.h"

namespace astitch::hlo_text {

// From behind the module's name to the first token that is no attribute.
bool ReadModuleHeader(Reader& reader, bool allow_unknown, ModuleHeader* header);

// FileNames ... StackFrames. FRAME_OF_ID[id] is the graph's frame for the text's id, 0 for what
// names no file location; entry 0 is 0.
bool ReadStackFrames(Reader& reader, StackFrames* frames, std::vector<int64_t>* frame_of_id);

}  // namespace astitch::hlo_text
