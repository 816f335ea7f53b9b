// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// NumPy's .npy files, versions 1 to 3: one dense array behind a header that is a Python dict.
//
//   \x93NUMPY | major minor | header length | {'descr': '<f4', 'fortran_order': False,
//                                              'shape': (2, 3), } | data
//
// Types that NumPy does not know travel as bit patterns: bf16 as uint16 or '<V2' (what ml_dtypes
// writes), the 8-bit floats as uint8 or '|V1', the integers narrower than a byte in one byte an
// element. A file is hostile input: every size is checked before it is believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/literal.h"

namespace astitch {

struct NpyHeader {
  std::string descr;                     // as written: "<f4"
  ElementType type = ElementType::kF32;  // NumPy's own type; unsigned for raw bits
  bool raw_bits = false;                 // 'V': bits of a type that NumPy has no name for
  bool big_endian = false;               // swapped while reading
  bool fortran_order = false;            // dimension 0 is minor in the file
  std::vector<int64_t> dims;
  size_t data_offset = 0;
};

// REQUIRES nothing: any bytes give a header or an error.
absl::StatusOr<NpyHeader> ReadNpyHeader(absl::string_view file);

// The array in NumPy's own type ('V' gives unsigned integers).
absl::StatusOr<Literal> DecodeNpy(absl::string_view file);

// The array as a value of WANTED's type and dimensions; bit patterns are taken where WANTED is a
// type that NumPy lacks. Anything else that differs is an error.
absl::StatusOr<Literal> DecodeNpyAs(absl::string_view file, const Shape& wanted);

// Version 1, C order, little-endian. REQUIRES: an array, not elided.
std::string EncodeNpy(const Literal& value);

}  // namespace astitch
