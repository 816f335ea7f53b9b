// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the emission of arithmetic has to know of the target, and nothing more.
//
// An LLVM intrinsic the target has no instruction for becomes a call of a library that our objects
// and our PTX do not have. So each trait here says "this intrinsic is an instruction"; where it is
// not, the emission takes integer or plain arithmetic instead.
#pragma once

#include "absl/strings/string_view.h"

namespace astitch::codegen {

struct TargetTraits {
  bool is_nvptx = false;
  int sm = 0;                 // 75, 80, ...; NVPTX only
  bool has_fma = false;       // llvm.fma on f32 and f64
  bool has_f16c = false;      // fpext and fptrunc between half and float
  bool has_bf16 = false;      // the same of bfloat
  bool has_rounding = false;  // llvm.floor, ceil, trunc, roundeven (SSE4.1)
  int vector_bits = 128;      // widest vector register
  bool fast_math = false;     // opt-in: approximations beyond the stated bounds
};

TargetTraits NvptxTraits(int sm);
// FEATURES is an LLVM feature string of x86-64: "+avx2,+fma,-avx512f". A level of the psABI reads
// as what it includes only once it is spelled as features.
TargetTraits HostTraits(absl::string_view features);

}  // namespace astitch::codegen
