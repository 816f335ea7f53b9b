// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A matmul step in the form in which it is computed: rows contiguous in the output, and for each
// operand whether the library reads it in place or from a packed f32 copy.
//
//   kDirect   f32 with one unit stride, row-major or column-major: read in place
//   kShared   packed once for all parts, by all workers together, before the products
//   kPrivate  packed by the worker for the part at hand
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/step.h"

namespace astitch {

struct MatmulOperand {
  enum class Form : uint8_t { kDirect, kShared, kPrivate };
  int32_t buffer = 0;  // its number among the call's buffers
  DataType type = DataType::kF32;
  int64_t row_stride = 0, column_stride = 0;
  std::vector<int64_t> batch_strides;
  Form form = Form::kDirect;
  bool column_major = false;  // of the packed copy: the order in which the source lies
};

struct MatmulAdd {
  MatmulOperand operand;
  bool is_bias = false;  // one row for all rows, right after the product: the library's own bias
};

// A sub-range of each dimension of one product.
struct MatmulPart {
  int64_t batch_begin = 0, batch_end = 0;
  int64_t row = 0, rows = 0;
  int64_t column = 0, columns = 0;
};

struct MatmulProblem {
  std::vector<int64_t> batch_dims;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  MatmulOperand lhs, rhs, out;  // out: kDirect, or kPrivate and stored after the product
  std::vector<Epilogue> epilogue;
  std::vector<MatmulAdd> adds;  // the kAdd members of the epilogue, in order
  int64_t k_chunk = 0;          // integers: as long as an f32 sum stays exact; floats: k
  int32_t batch_parts = 1, m_parts = 1, n_parts = 1;
  std::vector<BufferRef> buffers;

  int64_t num_parts() const { return int64_t{batch_parts} * m_parts * n_parts; }
  MatmulPart Part(int64_t index) const;  // may be empty
  // Elements from the operand's start to its matrix number BATCH_INDEX.
  int64_t BatchOffset(const MatmulOperand& operand, int64_t batch_index) const;
};

// REQUIRES: ValidateStep(step). Unimplemented for types and sizes that no library here takes.
absl::StatusOr<MatmulProblem> NormalizeMatmul(const MatmulStep& step);

}  // namespace astitch
