// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The attribute values with a small language of their own: window, dim_labels, padding, slice.
#pragma once

#include <string>

#include "frontend/hlo_text/reader.h"
#include "ir/attributes.h"

namespace astitch::hlo_text {

bool ReadWindow(Reader& reader, Window* out);          // {size=3x3 stride=2x2 pad=1_1x0_0}
bool ReadDimLabels(Reader& reader, std::string* out);  // b01f_01io->b01f
bool ReadPadding(Reader& reader, PadAttributes* out);  // 0_0x2_-1_1
bool ReadSlice(Reader& reader, SliceAttributes* out);  // {[0:2], [1:4:2]}

}  // namespace astitch::hlo_text
