// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A relocatable x86-64 ELF object, read with every offset and size checked. Knows the format and
// nothing of memory mappings; object_loader.h does the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace astitch {

struct ElfSection {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t size = 0;
  uint64_t align = 1;                // a power of two of at most a page
  absl::Span<const std::byte> data;  // empty where the section has no bytes in the file
  bool loaded = false;               // takes part in execution
};

struct ElfSymbol {
  std::string name;
  uint8_t type = 0;
  uint8_t binding = 0;
  uint16_t section = 0;  // index, or SHN_UNDEF, SHN_ABS
  uint64_t value = 0;    // offset in the section; at most its size when that is loaded
};

struct ElfRelocation {
  uint32_t section = 0;  // where it applies; loaded and with bytes
  uint64_t offset = 0;   // at most the section's size
  uint32_t type = 0;
  uint32_t symbol = 0;  // index into symbols
  int64_t addend = 0;
};

struct ElfObject {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  std::vector<ElfRelocation> relocations;  // of loaded sections only
};

// BYTES must outlive the result. Errors: InvalidArgument for what is damaged, Unimplemented for
// what is well-formed but not for us: another machine, thread-local data, static constructors.
absl::StatusOr<ElfObject> ParseElfObject(absl::Span<const std::byte> bytes);

}  // namespace astitch
