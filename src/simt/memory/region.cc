// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Addresses to regions and back; every access is checked against the bounds of just one region.
#include "simt/memory/region.h"

namespace astitch::simt {

Buffer Buffer::Of(std::string name, absl::Span<const uint8_t> bytes) {
  Buffer out;
  out.name = std::move(name);
  out.bytes.assign(bytes.begin(), bytes.end());
  out.valid.assign(bytes.size(), 1);
  return out;
}

Buffer Buffer::Unwritten(std::string name, int64_t bytes) {
  Buffer out;
  out.name = std::move(name);
  out.bytes.assign(bytes, kUnwrittenByte);
  out.valid.assign(bytes, 0);
  return out;
}

}  // namespace astitch::simt
