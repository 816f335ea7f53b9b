// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An output whose columns are contiguous is the transposed product: out' = rhs' lhs'. What remains
// is decided operand by operand.
#include "runtime/library/matmul_problem.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"

namespace astitch {
namespace {

constexpr int64_t kExactF32 = int64_t{1} << 24;  // integers up to here are exact in f32

bool IsFloat(DataType type) {
  return type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16;
}
bool IsByte(DataType type) { return type == DataType::kS8 || type == DataType::kU8; }
int64_t MaxMagnitude(DataType type) { return type == DataType::kS8 ? 128 : 255; }

absl::Status CheckTypes(const MatmulStep& step) {
  const DataType l = step.lhs.type, r = step.rhs.type, o = step.out.type;
  if (IsFloat(l) && IsFloat(r) && IsFloat(o)) {
    for (const Epilogue& e : step.epilogue) {
      if (e.kind == Epilogue::Kind::kAdd && !IsFloat(e.view.type)) {
        return absl::UnimplementedError(
            absl::StrCat("matmul epilogue operand of type ", ToString(e.view.type)));
      }
    }
    return absl::OkStatus();
  }
  if (IsByte(l) && IsByte(r) && o == DataType::kS32) {
    if (step.epilogue.empty()) return absl::OkStatus();
    return absl::UnimplementedError("epilogue of an integer matmul");
  }
  return absl::UnimplementedError(
      absl::StrCat("matmul of ", ToString(l), " and ", ToString(r), " to ", ToString(o)));
}

MatmulOperand MakeOperand(const TensorView& view, size_t batch_rank, std::vector<BufferRef>& refs) {
  MatmulOperand out;
  out.buffer = static_cast<int32_t>(refs.size());
  refs.push_back(view.buffer);
  out.type = view.type;
  out.batch_strides.assign(view.strides.begin(), view.strides.begin() + batch_rank);
  out.row_stride = view.strides[batch_rank];
  out.column_stride = view.strides[batch_rank + 1];
  return out;
}

// Strides of dimensions of size 1 say nothing: give them those of a dense matrix.
void Canonicalize(MatmulOperand& x, int64_t rows, int64_t columns) {
  if (columns == 1) x.column_stride = 1;
  if (rows == 1) x.row_stride = x.column_stride == 1 ? columns : 1;
}

bool IsRowMajor(const MatmulOperand& x, int64_t columns) {
  return x.column_stride == 1 && x.row_stride >= columns;
}
bool IsColumnMajor(const MatmulOperand& x, int64_t rows) {
  return x.row_stride == 1 && x.column_stride >= rows;
}

void ChooseForm(MatmulOperand& x, int64_t rows, int64_t columns) {
  x.column_major = x.row_stride < x.column_stride;
  const bool readable = IsRowMajor(x, columns) || IsColumnMajor(x, rows);
  x.form = x.type == DataType::kF32 && readable ? MatmulOperand::Form::kDirect
                                                : MatmulOperand::Form::kPrivate;
}

bool SameForAllOfBatch(const MatmulOperand& x, const std::vector<int64_t>& batch_dims) {
  for (size_t i = 0; i < batch_dims.size(); ++i) {
    if (batch_dims[i] > 1 && x.batch_strides[i] != 0) return false;
  }
  return true;
}

void Transpose(MatmulOperand& x) { std::swap(x.row_stride, x.column_stride); }

void TransposeProblem(MatmulProblem& p) {
  std::swap(p.m, p.n);
  std::swap(p.lhs, p.rhs);
  std::swap(p.m_parts, p.n_parts);
  Transpose(p.lhs);
  Transpose(p.rhs);
  Transpose(p.out);
  for (MatmulAdd& add : p.adds) Transpose(add.operand);
}

// oneDNN 2.6 multiplies by the first of several factors wherever there is one.
absl::Status CheckOneScale(const std::vector<Epilogue>& epilogue) {
  const int64_t scales = std::count_if(epilogue.begin(), epilogue.end(), [](const Epilogue& e) {
    return e.kind == Epilogue::Kind::kScale;
  });
  if (scales <= 1) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("expected one scale in the epilogue of a matmul, got ", scales));
}

void ChooseAdds(MatmulProblem& p) {
  using Form = MatmulOperand::Form;
  for (MatmulAdd& add : p.adds) Canonicalize(add.operand, p.m, p.n);
  for (size_t i = 0; i < p.adds.size(); ++i) {
    MatmulOperand& x = p.adds[i].operand;
    const bool one_row = x.row_stride == 0 || p.m == 1;
    p.adds[i].is_bias = i == 0 && p.epilogue[0].kind == Epilogue::Kind::kAdd && one_row &&
                        x.column_stride == 1 && x.type == DataType::kF32;
    // The library adds arrays that lie exactly as its output does. If one does not, the output and
    // all of them are made dense.
    const bool in_place = x.type == DataType::kF32 && x.row_stride == p.out.row_stride &&
                          x.column_stride == p.out.column_stride;
    if (!p.adds[i].is_bias && !in_place) p.out.form = Form::kPrivate;
  }
  for (MatmulAdd& add : p.adds) {
    add.operand.form = add.is_bias ? Form::kDirect : p.out.form;
    add.operand.column_major = false;
  }
}

// Pieces of whole register tiles where the dimension is long enough.
std::pair<int64_t, int64_t> Piece(int64_t size, int64_t parts, int64_t index) {
  constexpr int64_t kTile = 16;
  int64_t each = CeilDiv(size, parts);
  if (each >= 4 * kTile) each = RoundUp(each, kTile);
  const int64_t begin = std::min(index * each, size);
  return {begin, std::min(begin + each, size)};
}

}  // namespace

MatmulPart MatmulProblem::Part(int64_t index) const {
  MatmulPart part;
  const auto [row, row_end] = Piece(m, m_parts, index / n_parts % m_parts);
  const auto [column, column_end] = Piece(n, n_parts, index % n_parts);
  const int64_t b = index / n_parts / m_parts;
  const int64_t each = batch / batch_parts, more = batch % batch_parts;
  part.batch_begin = b * each + std::min(b, more);
  part.batch_end = part.batch_begin + each + (b < more ? 1 : 0);
  part.row = row, part.rows = row_end - row;
  part.column = column, part.columns = column_end - column;
  return part;
}

int64_t MatmulProblem::BatchOffset(const MatmulOperand& operand, int64_t batch_index) const {
  int64_t offset = 0;
  for (size_t i = batch_dims.size(); i-- > 0;) {
    offset += batch_index % batch_dims[i] * operand.batch_strides[i];
    batch_index /= batch_dims[i];
  }
  return offset;
}

absl::StatusOr<MatmulProblem> NormalizeMatmul(const MatmulStep& step) {
  ASTITCH_RETURN_IF_ERROR(CheckTypes(step));
  ASTITCH_RETURN_IF_ERROR(CheckOneScale(step.epilogue));
  MatmulProblem p;
  p.batch_dims = step.batch;
  for (int64_t dim : step.batch) p.batch *= dim;
  p.m = step.m, p.n = step.n, p.k = step.k;
  if (p.batch == 0 || p.m == 0 || p.n == 0 || p.k == 0) {
    return absl::UnimplementedError("a matmul without elements");
  }
  p.batch_parts = step.batch_parts, p.m_parts = step.m_parts, p.n_parts = step.n_parts;
  const size_t rank = step.batch.size();
  p.lhs = MakeOperand(step.lhs, rank, p.buffers);
  p.rhs = MakeOperand(step.rhs, rank, p.buffers);
  p.out = MakeOperand(step.out, rank, p.buffers);
  p.epilogue = step.epilogue;
  for (const Epilogue& e : step.epilogue) {
    if (e.kind == Epilogue::Kind::kAdd) p.adds.push_back({MakeOperand(e.view, rank, p.buffers)});
  }
  Canonicalize(p.out, p.m, p.n);
  if (p.out.column_stride != 1 && p.out.row_stride == 1) TransposeProblem(p);
  Canonicalize(p.lhs, p.m, p.k);
  Canonicalize(p.rhs, p.k, p.n);
  Canonicalize(p.out, p.m, p.n);
  ChooseForm(p.lhs, p.m, p.k);
  ChooseForm(p.rhs, p.k, p.n);
  p.out.form = p.out.type == DataType::kF32 && IsRowMajor(p.out, p.n)
                   ? MatmulOperand::Form::kDirect
                   : MatmulOperand::Form::kPrivate;
  ChooseAdds(p);
  if (p.rhs.form == MatmulOperand::Form::kPrivate && p.num_parts() / p.n_parts > 1 &&
      SameForAllOfBatch(p.rhs, p.batch_dims)) {
    p.rhs.form = MatmulOperand::Form::kShared;
  }
  p.k_chunk =
      IsFloat(step.out.type)
          ? p.k
          : std::min(p.k, kExactF32 / (MaxMagnitude(p.lhs.type) * MaxMagnitude(p.rhs.type)));
  return p;
}

}  // namespace astitch
