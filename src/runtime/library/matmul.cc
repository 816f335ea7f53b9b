// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Matrix products through oneDNN, one 2-D product at a time. Batches and splits are loops of ours:
// then any strides will do, and the arithmetic of a part depends on the part alone.
//
// Types that oneDNN's CPU kernels lack on this machine are packed into f32 on the way in and
// rounded once on the way out. Products of bytes are exact in f32 as long as sums stay below 2^24,
// so they run in chunks of k whose results are added up in s32.
#include <algorithm>
#include <map>
#include <tuple>

#include "artifact/executable_image.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "runtime/library/convert.h"
#include "runtime/library/library_call.h"
#include "runtime/library/matmul_problem.h"
#include "runtime/library/onednn.h"
#include "runtime/library/support.h"

namespace astitch {
namespace {

using Form = MatmulOperand::Form;
using dnnl::memory;

constexpr int64_t kAlign = 64;

struct PartShape {
  int64_t rows, columns, depth;
  friend auto operator<=>(const PartShape&, const PartShape&) = default;
};

const std::byte* At(const void* base, const MatmulOperand& x, int64_t elements) {
  return static_cast<const std::byte*>(base) + elements * ByteWidth(x.type);
}

// Where a worker's tile keeps what; offsets in bytes.
struct TileLayout {
  int64_t lhs = 0, rhs = 0, out = 0;
  std::vector<int64_t> adds;
  int64_t scratchpad = 0;
  int64_t bytes = 0;
  int64_t Reserve(int64_t size) {
    const int64_t at = bytes;
    bytes = RoundUp(at + size, kAlign);
    return at;
  }
};

class MatmulState final : public LibraryCall::State {
 public:
  explicit MatmulState(const dnnl::engine& engine) : stream(engine) {}
  dnnl::stream stream;
  std::map<PartShape, OneDnnArguments> arguments;
  std::vector<void*> pointers;
};

class MatmulCall final : public LibraryCall {
 public:
  explicit MatmulCall(MatmulProblem problem) : p_(std::move(problem)) {
    buffers_ = p_.buffers;
    max_workers_ = static_cast<int32_t>(p_.num_parts());
  }

  absl::Status Prepare() {
    for (int64_t i = 0; i < p_.num_parts(); ++i) {
      const MatmulPart part = p_.Part(i);
      if (part.rows == 0 || part.columns == 0) continue;
      for (int64_t k = 0; k < p_.k; k += p_.k_chunk) {
        const PartShape shape = {part.rows, part.columns, std::min(p_.k_chunk, p_.k - k)};
        if (primitives_.count(shape) != 0) continue;
        ASTITCH_RETURN_IF_ERROR(
            WithOneDnn("preparing a matmul", [&] { primitives_.emplace(shape, Build(shape)); }));
      }
    }
    ASTITCH_RETURN_IF_ERROR(RefuseReference());
    LayOutTile();
    if (p_.rhs.form == Form::kShared) shared_bytes_ = p_.k * p_.n * int64_t{sizeof(float)};
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<State>> NewState() const override {
    std::unique_ptr<MatmulState> state;
    ASTITCH_RETURN_IF_ERROR(WithOneDnn("preparing a run", [&] {
      state = std::make_unique<MatmulState>(engine_);
      for (const auto& [shape, primitive] : primitives_) {
        state->arguments.emplace(shape, OneDnnArguments(primitive, engine_));
        state->pointers.resize(primitive.arguments.size());
      }
    }));
    return state;
  }

  absl::Status Run(const HostKernelArgs& args, std::byte* shared, State& state) const override {
    if (p_.rhs.form == Form::kShared) {
      PackShared(args, reinterpret_cast<float*>(shared));
      args.barrier(args.team);
    }
    const SequentialOpenMp sequential;
    const Share share = ShareOf(p_.num_parts(), args.worker, args.num_workers);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const MatmulPart part = p_.Part(i);
      if (part.rows == 0 || part.columns == 0) continue;
      for (int64_t b = part.batch_begin; b < part.batch_end; ++b) {
        for (int64_t k = 0; k < p_.k; k += p_.k_chunk) {
          ASTITCH_RETURN_IF_ERROR(
              RunProduct(args, shared, part, b, k, static_cast<MatmulState&>(state)));
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  // The form of an operand in one product of R rows and C columns.
  static memory::desc FormOf(const MatmulOperand& x, int64_t r, int64_t c) {
    if (x.form == Form::kDirect) return Strided(r, c, x.row_stride, x.column_stride);
    return x.column_major ? Strided(r, c, 1, r) : Strided(r, c, c, 1);
  }
  static memory::desc Strided(int64_t r, int64_t c, int64_t row_stride, int64_t column_stride) {
    return memory::desc({r, c}, memory::data_type::f32, {row_stride, column_stride});
  }
  memory::desc RhsForm(const PartShape& s) const {
    if (p_.rhs.form != Form::kShared) return FormOf(p_.rhs, s.depth, s.columns);
    return p_.rhs.column_major ? Strided(s.depth, s.columns, 1, p_.k)
                               : Strided(s.depth, s.columns, p_.n, 1);
  }

  OneDnnPrimitive Build(const PartShape& s) {
    const memory::desc lhs = FormOf(p_.lhs, s.rows, s.depth), rhs = RhsForm(s),
                       out = FormOf(p_.out, s.rows, s.columns),
                       bias = Strided(1, s.columns, s.columns, 1);
    const bool has_bias = !p_.adds.empty() && p_.adds[0].is_bias;
    OneDnnPrimitive result;
    result.arguments = {{DNNL_ARG_SRC, lhs}, {DNNL_ARG_WEIGHTS, rhs}, {DNNL_ARG_DST, out}};
    dnnl::post_ops ops;
    for (size_t i = 0; i < p_.epilogue.size(); ++i) {
      const bool is_bias = i == 0 && has_bias;
      if (!is_bias) AppendPostOp(p_.epilogue[i], out, ops);
      if (p_.epilogue[i].kind != Epilogue::Kind::kAdd) continue;
      result.arguments.emplace_back(
          is_bias ? DNNL_ARG_BIAS : DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops.len() - 1) | DNNL_ARG_SRC_1,
          is_bias ? bias : out);
    }
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::desc desc =
        has_bias ? dnnl::matmul::desc(lhs, rhs, bias, out) : dnnl::matmul::desc(lhs, rhs, out);
    const dnnl::matmul::primitive_desc chosen(desc, attr, engine_);
    implementation_ = chosen.impl_info_str();
    result.primitive = dnnl::matmul(chosen);
    result.arguments.emplace_back(DNNL_ARG_SCRATCHPAD, chosen.scratchpad_desc());
    result.scratchpad_bytes = static_cast<int64_t>(chosen.scratchpad_desc().get_size());
    return result;
  }

  absl::Status RefuseReference() const {
    if (implementation_.rfind("ref", 0) != 0) return absl::OkStatus();
    return absl::UnimplementedError("oneDNN has only its slow reference for this matmul");
  }

  void LayOutTile() {
    int64_t lhs = 0, rhs = 0, out = 0, scratchpad = 0;
    for (const auto& [s, primitive] : primitives_) {
      lhs = std::max(lhs, s.rows * s.depth * 4);
      rhs = std::max(rhs, s.depth * s.columns * 4);
      out = std::max(out, s.rows * s.columns * 4);
      scratchpad = std::max(scratchpad, primitive.scratchpad_bytes);
    }
    tile_.lhs = tile_.Reserve(p_.lhs.form == Form::kPrivate ? lhs : 0);
    tile_.rhs = tile_.Reserve(p_.rhs.form == Form::kPrivate ? rhs : 0);
    tile_.out = tile_.Reserve(p_.out.form == Form::kPrivate ? out : 0);
    for (const MatmulAdd& add : p_.adds) {
      tile_.adds.push_back(tile_.Reserve(add.operand.form == Form::kPrivate ? out : 0));
    }
    tile_.scratchpad = tile_.Reserve(scratchpad);
    tile_bytes_ = tile_.bytes;
  }

  // Packs this worker's share of the whole rhs, rows as they lie in the packed copy.
  void PackShared(const HostKernelArgs& args, float* to) const {
    const MatmulOperand& x = p_.rhs;
    Matrix m = {p_.k, p_.n, x.row_stride, x.column_stride};
    if (x.column_major) m = {m.columns, m.rows, m.column_stride, m.row_stride};
    const Share share = ShareOf(m.rows, args.worker, args.num_workers);
    m.rows = share.end - share.begin;
    LoadAsF32(x.type, At(args.buffers[x.buffer], x, share.begin * m.row_stride), m,
              to + share.begin * m.columns);
  }

  // A pointer to matrix [row.., column..] of an operand: in place, or packed into TO.
  static void* Fetch(const MatmulOperand& x, const void* base, int64_t batch_offset, int64_t row,
                     int64_t rows, int64_t column, int64_t columns, std::byte* to) {
    const std::byte* from =
        At(base, x, batch_offset + row * x.row_stride + column * x.column_stride);
    if (x.form == Form::kDirect) return const_cast<std::byte*>(from);
    Matrix m = {rows, columns, x.row_stride, x.column_stride};
    if (x.column_major) m = {columns, rows, x.column_stride, x.row_stride};
    LoadAsF32(x.type, from, m, reinterpret_cast<float*>(to));
    return to;
  }

  absl::Status RunProduct(const HostKernelArgs& args, std::byte* shared, const MatmulPart& part,
                          int64_t b, int64_t k, MatmulState& state) const {
    const PartShape shape = {part.rows, part.columns, std::min(p_.k_chunk, p_.k - k)};
    const auto fetch = [&](const MatmulOperand& x, int64_t row, int64_t rows, int64_t column,
                           int64_t columns, int64_t at) {
      return Fetch(x, args.buffers[x.buffer], p_.BatchOffset(x, b), row, rows, column, columns,
                   args.tile + at);
    };
    size_t next = 0;
    const auto pass = [&](void* pointer) { state.pointers[next++] = pointer; };
    pass(fetch(p_.lhs, part.row, part.rows, k, shape.depth, tile_.lhs));
    if (p_.rhs.form == Form::kShared) {
      const int64_t at = p_.rhs.column_major ? part.column * p_.k + k : k * p_.n + part.column;
      pass(reinterpret_cast<float*>(shared) + at);
    } else {
      pass(fetch(p_.rhs, k, shape.depth, part.column, part.columns, tile_.rhs));
    }
    std::byte* const out =
        const_cast<std::byte*>(At(args.buffers[p_.out.buffer], p_.out,
                                  p_.BatchOffset(p_.out, b) + part.row * p_.out.row_stride +
                                      part.column * p_.out.column_stride));
    pass(p_.out.form == Form::kDirect ? out : args.tile + tile_.out);
    for (size_t i = 0; i < p_.adds.size(); ++i) {
      const MatmulAdd& add = p_.adds[i];
      pass(fetch(add.operand, add.is_bias ? 0 : part.row, part.rows, part.column, part.columns,
                 tile_.adds[i]));
    }
    pass(args.tile + tile_.scratchpad);
    ASTITCH_RETURN_IF_ERROR(
        state.arguments.at(shape).Execute(primitives_.at(shape), state.stream, state.pointers));
    if (p_.out.form != Form::kDirect) StoreOut(args, part, k, out);
    return absl::OkStatus();
  }

  void StoreOut(const HostKernelArgs& args, const MatmulPart& part, int64_t k, void* out) const {
    const float* from = reinterpret_cast<const float*>(args.tile + tile_.out);
    const Matrix m = {part.rows, part.columns, p_.out.row_stride, p_.out.column_stride};
    if (k == 0) {
      StoreFromF32(p_.out.type, from, m, out);
    } else {
      AddToS32(from, m, static_cast<int32_t*>(out));
    }
  }

  const MatmulProblem p_;
  const dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::map<PartShape, OneDnnPrimitive> primitives_;
  std::string implementation_;
  TileLayout tile_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareMatmul(const MatmulStep& step) {
  ASTITCH_ASSIGN_OR_RETURN(MatmulProblem problem, NormalizeMatmul(step));
  std::unique_ptr<MatmulCall> call;
  ASTITCH_RETURN_IF_ERROR(WithOneDnn(
      "making an engine", [&] { call = std::make_unique<MatmulCall>(std::move(problem)); }));
  ASTITCH_RETURN_IF_ERROR(call->Prepare());
  return call;
}

absl::Status CanRunMatmul(const MatmulStep& step) {
  ASTITCH_RETURN_IF_ERROR(ValidateStep(step));
  return PrepareMatmul(step).status();
}

}  // namespace astitch
