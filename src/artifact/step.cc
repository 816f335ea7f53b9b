// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps as text. One line each, so that two images can be compared with diff.
#include "artifact/step.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"

namespace astitch {
namespace {

std::string Dims(const std::vector<int64_t>& dims) { return absl::StrJoin(dims, "x"); }

std::string ViewText(const TensorView& view) {
  return absl::StrCat(ToString(view.type), " ", ToString(view.buffer), " strides ",
                      absl::StrJoin(view.strides, ","));
}

std::string EpilogueText(const std::vector<Epilogue>& epilogue) {
  std::string out;
  for (const Epilogue& e : epilogue) {
    switch (e.kind) {
      case Epilogue::Kind::kAdd:
        absl::StrAppend(&out, " add(", ViewText(e.view), ")");
        break;
      case Epilogue::Kind::kScale:
        absl::StrAppend(&out, " scale(", e.scale, ")");
        break;
      case Epilogue::Kind::kRelu:
        out += " relu";
        break;
      case Epilogue::Kind::kGeluTanh:
        out += " gelu-tanh";
        break;
      case Epilogue::Kind::kGeluErf:
        out += " gelu-erf";
        break;
    }
  }
  return out;
}

std::string WindowText(const std::vector<ConvolutionWindowDim>& window) {
  return absl::StrJoin(window, "x", [](std::string* out, const ConvolutionWindowDim& w) {
    absl::StrAppend(out, w.stride, "/", w.pad_low, "_", w.pad_high, "/", w.dilation);
  });
}

std::string RefsText(const std::vector<BufferRef>& refs) {
  return absl::StrJoin(refs, ", ", [](std::string* out, const BufferRef& ref) {
    absl::StrAppend(out, ToString(ref));
  });
}

struct TextOf {
  std::string operator()(const HostKernelStep& s) const {
    return absl::StrCat("kernel ", s.name, " symbol=", s.symbol, " object=", s.object,
                        " workers<=", s.max_workers, " tile=", s.tile_bytes, " buffers=(",
                        RefsText(s.buffers), ")");
  }
  std::string operator()(const PtxKernelStep& s) const {
    return absl::StrCat("kernel ", s.name, " entry=", s.entry, " module=", s.module,
                        " grid=", s.grid, " block=", s.block, " cluster=", s.cluster,
                        s.non_portable_cluster() ? " non-portable" : "", " shared=", s.shared_bytes,
                        " registers<=", s.registers, s.cooperative ? " cooperative" : "",
                        " resident<=", s.resident_blocks, s.pointer_table ? " table" : "",
                        " arguments=(",
                        absl::StrJoin(s.arguments, ", ",
                                      [](std::string* out, const KernelArgument& argument) {
                                        absl::StrAppend(out, ToString(argument.buffer));
                                      }),
                        ")");
  }
  std::string operator()(const MatmulStep& s) const {
    return absl::StrCat("matmul ", s.name, " batch=[", Dims(s.batch), "] m=", s.m, " n=", s.n,
                        " k=", s.k, " parts=", s.batch_parts, "x", s.m_parts, "x", s.n_parts,
                        " lhs=(", ViewText(s.lhs), ") rhs=(", ViewText(s.rhs), ") out=(",
                        ViewText(s.out), ")", EpilogueText(s.epilogue));
  }
  std::string operator()(const ConvolutionStep& s) const {
    return absl::StrCat("convolution ", s.name, " batch=", s.batch, " channels=", s.in_channels,
                        "->", s.out_channels, " groups=", s.groups, " spatial=", Dims(s.in_spatial),
                        "->", Dims(s.out_spatial), " kernel=", Dims(s.kernel_spatial),
                        " window=", WindowText(s.window), " parts=", s.batch_parts, "x",
                        s.row_parts, " in=(", ViewText(s.in), ") kernel=(", ViewText(s.kernel),
                        ") out=(", ViewText(s.out), ")", EpilogueText(s.epilogue));
  }
  std::string operator()(const CopyStep& s) const {
    return absl::StrCat("copy ", s.name, " ", ToString(s.from), " -> ", ToString(s.to));
  }
  std::string operator()(const ReferenceStep& s) const {
    return absl::StrCat("reference ", s.name, " hlo=", s.hlo_text.size(),
                        " random=", s.random_start, " (", RefsText(s.inputs), ") -> (",
                        RefsText(s.outputs), ")");
  }
};

absl::string_view SpaceWord(BufferRef::Space space) {
  switch (space) {
    case BufferRef::Space::kInput:
      return "input";
    case BufferRef::Space::kOutput:
      return "output";
    case BufferRef::Space::kArena:
      return "arena";
    case BufferRef::Space::kConstant:
      return "constant";
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace

std::string ToString(const BufferRef& ref) {
  return absl::StrCat(SpaceWord(ref.space),
                      ref.space == BufferRef::Space::kArena ? "" : absl::StrCat(" ", ref.index),
                      " [", ref.offset, ",+", ref.bytes, ")");
}

absl::string_view ToString(DataType type) {
  switch (type) {
#define ASTITCH_X(enumerator, word, bytes) \
  case DataType::enumerator:               \
    return word;
    ASTITCH_LIBRARY_TYPES(ASTITCH_X)
#undef ASTITCH_X
  }
  ASTITCH_UNREACHABLE();
}

int64_t ByteWidth(DataType type) {
  switch (type) {
#define ASTITCH_X(enumerator, word, bytes) \
  case DataType::enumerator:               \
    return bytes;
    ASTITCH_LIBRARY_TYPES(ASTITCH_X)
#undef ASTITCH_X
  }
  ASTITCH_UNREACHABLE();
}

const std::string& StepName(const Step& step) {
  return std::visit([](const auto& s) -> const std::string& { return s.name; }, step);
}

std::string ToString(const Step& step) { return std::visit(TextOf{}, step); }

}  // namespace astitch
