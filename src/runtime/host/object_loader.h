// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Puts a relocatable x86-64 ELF object into memory and makes its functions callable, without a
// linker and without LLVM: just in time and ahead of time use the same few hundred lines.
//
//   one mapping   [ code R+X | read-only data and offset table R | data R+W ]
//
// No page is ever writable and executable at once. The object must be complete: a reference to a
// symbol that it does not define is an error that names the symbol.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace astitch {

class LoadedObject {
 public:
  LoadedObject(void* base, size_t bytes, std::map<std::string, void*, std::less<>> functions);
  ~LoadedObject();  // unmaps: no function of the object may be running
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  // The global function of that name, or null.
  void* Find(absl::string_view symbol) const;

 private:
  void* base_;
  size_t bytes_;
  std::map<std::string, void*, std::less<>> functions_;
};

// Errors as ParseElfObject's, and: InvalidArgument for undefined symbols and relocations out of
// range, Unimplemented for unknown relocations, Internal when the system refuses memory.
absl::StatusOr<std::unique_ptr<LoadedObject>> LoadObject(absl::Span<const std::byte> bytes);

}  // namespace astitch
