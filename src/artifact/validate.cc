// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Checks of an image. Arithmetic on sizes is checked: they may come from a damaged file.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "artifact/executable_image.h"
#include "base/checked_math.h"
#include "base/status.h"

namespace astitch {
namespace {

constexpr int64_t kMaxPartsOfAStep = 1 << 16;
constexpr int32_t kMaxWorkers = 1 << 16;
constexpr int64_t kMaxTileBytes = int64_t{1} << 30;
constexpr int64_t kGpuAlignment = 32;  // the widest access of any target

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

bool Overlap(const BufferRef& a, const BufferRef& b) {
  return a.space == b.space && a.index == b.index && a.bytes > 0 && b.bytes > 0 &&
         a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

bool IsWritable(const BufferRef& ref) {
  return ref.space == BufferRef::Space::kOutput || ref.space == BufferRef::Space::kArena;
}

absl::Status CheckDims(absl::string_view what, const std::vector<int64_t>& dims) {
  for (int64_t dim : dims) {
    if (dim < 0) return Bad(absl::StrCat("expected ", what, " of 0 or more, got ", dim));
  }
  return absl::OkStatus();
}

// The bytes from the first to the last element of a view with these dimensions fit its range.
absl::Status CheckView(absl::string_view what, const TensorView& view,
                       const std::vector<int64_t>& dims) {
  if (view.strides.size() != dims.size()) {
    return Bad(absl::StrCat("expected ", dims.size(), " strides of ", what, ", got ",
                            view.strides.size()));
  }
  const int64_t width = ByteWidth(view.type);
  if (view.buffer.offset % width != 0) {
    return Bad(absl::StrCat("expected an offset of ", what, " divisible by ", width, ", got ",
                            view.buffer.offset));
  }
  std::optional<int64_t> last = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (view.strides[i] < 0) {
      return Bad(
          absl::StrCat("expected strides of 0 or more in ", what, ", got ", view.strides[i]));
    }
    if (dims[i] == 0) return absl::OkStatus();  // nothing is touched
    const std::optional<int64_t> step = CheckedMul(dims[i] - 1, view.strides[i]);
    last = step && last ? CheckedAdd(*last, *step) : std::nullopt;
  }
  if (last) last = CheckedAdd(*last, 1);
  if (last) last = CheckedMul(*last, width);
  if (!last || *last > view.buffer.bytes) {
    return Bad(absl::StrCat("expected ", what, " inside its ", view.buffer.bytes, " bytes, got ",
                            last ? absl::StrCat(*last) : "more than 2^63"));
  }
  return absl::OkStatus();
}

// No two elements of an output share their place: each stride passes all that lies below it.
absl::Status CheckDistinct(const TensorView& view, const std::vector<int64_t>& dims) {
  std::vector<std::pair<int64_t, int64_t>> order;  // stride, dim
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return absl::OkStatus();
    if (dims[i] > 1) order.emplace_back(view.strides[i], dims[i]);
  }
  std::sort(order.begin(), order.end());
  int64_t extent = 1;
  for (const auto& [stride, dim] : order) {
    if (stride < extent) {
      return Bad(absl::StrCat("expected an output stride of at least ", extent, ", got ", stride));
    }
    extent += stride * (dim - 1);  // no overflow: CheckView has seen the sum
  }
  return absl::OkStatus();
}

absl::Status CheckOutput(const TensorView& out, const std::vector<int64_t>& dims) {
  ASTITCH_RETURN_IF_ERROR(CheckView("output", out, dims));
  if (!IsWritable(out.buffer)) {
    return Bad(
        absl::StrCat("expected an output in an output or the arena, got ", ToString(out.buffer)));
  }
  return CheckDistinct(out, dims);
}

absl::Status CheckApart(absl::string_view what, const TensorView& view, const TensorView& out) {
  if (!Overlap(view.buffer, out.buffer)) return absl::OkStatus();
  return Bad(absl::StrCat(what, " ", ToString(view.buffer), " overlaps the output ",
                          ToString(out.buffer)));
}

absl::Status CheckEpilogue(const std::vector<Epilogue>& epilogue, const TensorView& out,
                           const std::vector<int64_t>& dims) {
  for (const Epilogue& e : epilogue) {
    if (e.kind != Epilogue::Kind::kAdd) continue;
    ASTITCH_RETURN_IF_ERROR(CheckView("epilogue operand", e.view, dims));
    ASTITCH_RETURN_IF_ERROR(CheckApart("epilogue operand", e.view, out));
  }
  return absl::OkStatus();
}

absl::Status CheckParts(std::initializer_list<std::pair<int64_t, int64_t>> parts_of_dim) {
  int64_t product = 1;
  for (const auto& [parts, dim] : parts_of_dim) {
    if (parts < 1 || parts > std::max<int64_t>(dim, 1) || parts > kMaxPartsOfAStep) {
      return Bad(absl::StrCat("expected 1 to ", std::max<int64_t>(dim, 1), " parts, got ", parts));
    }
    product *= parts;
    if (product > kMaxPartsOfAStep) return Bad("expected at most 65536 parts");
  }
  return absl::OkStatus();
}

// What no device launches, whatever its size.
absl::Status CheckLaunch(const PtxKernelStep& step) {
  constexpr int64_t kMaxGrid = (int64_t{1} << 31) - 1;
  constexpr int32_t kMaxBlock = 1024, kMaxCluster = 16;
  constexpr int64_t kMaxShared = 1 << 30, kMaxBarrier = 1 << 30;
  if (step.grid < 1 || step.grid > kMaxGrid || step.block < 1 || step.block > kMaxBlock ||
      step.cluster < 1 || step.cluster > kMaxCluster || step.grid % step.cluster != 0) {
    return Bad(
        absl::StrCat("expected 1 to 2^31-1 blocks of 1 to 1024 threads in clusters of 1 to "
                     "16, got ",
                     step.grid, ", ", step.block, " and ", step.cluster));
  }
  if (step.shared_bytes < 0 || step.shared_bytes > kMaxShared || step.barrier_bytes < 0 ||
      step.barrier_bytes > kMaxBarrier || step.cooperative != (step.barrier_bytes > 0)) {
    return Bad(
        absl::StrCat("expected 0 to 2^30 bytes of shared memory and, of a cooperative "
                     "kernel, of barrier state, got ",
                     step.shared_bytes, " and ", step.barrier_bytes));
  }
  if (step.resident_blocks < 1) return Bad("expected at least 1 resident block");
  return absl::OkStatus();
}

absl::Status CheckSpatial(const ConvolutionStep& step) {
  const size_t rank = step.in_spatial.size();
  if (rank < 1 || rank > 3 || step.kernel_spatial.size() != rank ||
      step.out_spatial.size() != rank || step.window.size() != rank) {
    return Bad(absl::StrCat("expected 1 to 3 spatial dimensions, alike in all, got ", rank, ", ",
                            step.kernel_spatial.size(), ", ", step.out_spatial.size(), " and ",
                            step.window.size()));
  }
  constexpr int64_t kMax = int64_t{1} << 31;
  for (size_t i = 0; i < rank; ++i) {
    const ConvolutionWindowDim& w = step.window[i];
    const int64_t in = step.in_spatial[i], kernel = step.kernel_spatial[i];
    if (in > kMax || kernel < 1 || kernel > kMax || w.stride < 1 || w.dilation < 1 ||
        w.dilation > kMax || std::abs(w.pad_low) > kMax || std::abs(w.pad_high) > kMax) {
      return Bad(absl::StrCat("window dimension ", i, " is out of range"));
    }
    const int64_t room = in + w.pad_low + w.pad_high - ((kernel - 1) * w.dilation + 1);
    const int64_t out = room < 0 ? 0 : room / w.stride + 1;
    if (out != step.out_spatial[i]) {
      return Bad(absl::StrCat("expected output size ", out, " in spatial dimension ", i, ", got ",
                              step.out_spatial[i]));
    }
  }
  return absl::OkStatus();
}

// Ranges of a step against the image that holds it.
class ImageChecker {
 public:
  explicit ImageChecker(const ExecutableImage& image) : image_(image) {}

  absl::Status Check(const BufferRef& ref) const {
    int64_t count = 1, size = image_.arena_bytes;
    switch (ref.space) {
      case BufferRef::Space::kInput:
        count = static_cast<int64_t>(image_.inputs.size());
        if (ref.index >= 0 && ref.index < count) size = image_.inputs[ref.index].bytes;
        break;
      case BufferRef::Space::kOutput:
        count = static_cast<int64_t>(image_.outputs.size());
        if (ref.index >= 0 && ref.index < count) size = image_.outputs[ref.index].bytes;
        break;
      case BufferRef::Space::kConstant:
        count = static_cast<int64_t>(image_.constants.size());
        if (ref.index >= 0 && ref.index < count) {
          size = static_cast<int64_t>(image_.constants[ref.index].size());
        }
        break;
      case BufferRef::Space::kArena:
        break;
      default:
        return Bad(absl::StrCat("unknown buffer space ", static_cast<int>(ref.space)));
    }
    if (ref.index < 0 || ref.index >= count) {
      return Bad(absl::StrCat("expected an index below ", count, ", got ", ToString(ref)));
    }
    if (ref.offset < 0 || ref.bytes < 0 || ref.offset > size || ref.bytes > size - ref.offset) {
      return Bad(absl::StrCat("expected a range within ", size, " bytes, got ", ToString(ref)));
    }
    return absl::OkStatus();
  }

  absl::Status operator()(const HostKernelStep& step) const {
    if (step.object < 0 || step.object >= static_cast<int64_t>(image_.objects.size())) {
      return Bad(
          absl::StrCat("expected an object below ", image_.objects.size(), ", got ", step.object));
    }
    if (step.symbol.empty()) return Bad("expected a symbol, got none");
    if (step.tile_bytes < 0 || step.tile_bytes > kMaxTileBytes) {
      return Bad(absl::StrCat("expected a tile of 0 to 2^30 bytes, got ", step.tile_bytes));
    }
    if (step.max_workers < 1 || step.max_workers > kMaxWorkers) {
      return Bad(absl::StrCat("expected 1 to 65536 workers, got ", step.max_workers));
    }
    for (const BufferRef& ref : step.buffers) ASTITCH_RETURN_IF_ERROR(Check(ref));
    return absl::OkStatus();
  }

  absl::Status operator()(const PtxKernelStep& step) const {
    if (step.module < 0 || step.module >= static_cast<int64_t>(image_.ptx.size())) {
      return Bad(
          absl::StrCat("expected a module below ", image_.ptx.size(), ", got ", step.module));
    }
    if (step.entry.empty()) return Bad("expected an entry, got none");
    ASTITCH_RETURN_IF_ERROR(CheckLaunch(step));
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const KernelArgument& argument = step.arguments[i];
      ASTITCH_RETURN_IF_ERROR(Check(argument.buffer));
      if (argument.buffer.offset % kGpuAlignment != 0) {
        return Bad(absl::StrCat("expected an offset divisible by ", kGpuAlignment, ", got ",
                                ToString(argument.buffer)));
      }
      if (!argument.read_only && !IsWritable(argument.buffer)) {
        return Bad(
            absl::StrCat("expected a range that may be written, got ", ToString(argument.buffer)));
      }
      for (size_t j = 0; j < i; ++j) {
        const KernelArgument& other = step.arguments[j];
        if ((argument.read_only && other.read_only) || !Overlap(argument.buffer, other.buffer))
          continue;
        return Bad(absl::StrCat(ToString(argument.buffer), " overlaps ", ToString(other.buffer)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status operator()(const MatmulStep& step) const {
    for (const TensorView* view : {&step.lhs, &step.rhs, &step.out}) {
      ASTITCH_RETURN_IF_ERROR(Check(view->buffer));
    }
    ASTITCH_RETURN_IF_ERROR(CheckAll(step.epilogue));
    return ValidateStep(step);
  }

  absl::Status operator()(const ConvolutionStep& step) const {
    for (const TensorView* view : {&step.in, &step.kernel, &step.out}) {
      ASTITCH_RETURN_IF_ERROR(Check(view->buffer));
    }
    ASTITCH_RETURN_IF_ERROR(CheckAll(step.epilogue));
    return ValidateStep(step);
  }

  absl::Status operator()(const CopyStep& step) const {
    ASTITCH_RETURN_IF_ERROR(Check(step.from));
    ASTITCH_RETURN_IF_ERROR(Check(step.to));
    if (step.from.bytes != step.to.bytes) {
      return Bad(absl::StrCat("expected ranges of one length, got ", step.from.bytes, " and ",
                              step.to.bytes));
    }
    if (!IsWritable(step.to)) {
      return Bad(
          absl::StrCat("expected a copy to an output or the arena, got ", ToString(step.to)));
    }
    if (Overlap(step.from, step.to)) return Bad("expected ranges that do not overlap");
    return absl::OkStatus();
  }

  // What the text says is the loader's to check.
  absl::Status operator()(const ReferenceStep& step) const {
    if (step.hlo_text.empty()) return Bad("expected a module to evaluate, got no text");
    if (step.random_start < 0)
      return Bad(absl::StrCat("expected a random start of 0 or more, got ", step.random_start));
    for (const BufferRef& ref : step.inputs) ASTITCH_RETURN_IF_ERROR(Check(ref));
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      const BufferRef& out = step.outputs[i];
      ASTITCH_RETURN_IF_ERROR(Check(out));
      if (!IsWritable(out))
        return Bad(
            absl::StrCat("expected an output in an output or the arena, got ", ToString(out)));
      for (size_t k = 0; k < i; ++k) {
        if (Overlap(out, step.outputs[k]))
          return Bad(absl::StrCat(ToString(out), " overlaps ", ToString(step.outputs[k])));
      }
      for (const BufferRef& in : step.inputs) {
        if (Overlap(out, in)) return Bad(absl::StrCat(ToString(out), " overlaps ", ToString(in)));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckAll(const std::vector<Epilogue>& epilogue) const {
    for (const Epilogue& e : epilogue) {
      if (e.kind != Epilogue::Kind::kAdd) continue;
      ASTITCH_RETURN_IF_ERROR(Check(e.view.buffer));
    }
    return absl::OkStatus();
  }

  const ExecutableImage& image_;
};

absl::Status CheckSpec(const TensorSpec& spec) {
  ASTITCH_RETURN_IF_ERROR(CheckDims("dimensions", spec.dims));
  if (spec.bytes < 0) return Bad(absl::StrCat("expected 0 bytes or more, got ", spec.bytes));
  std::vector<int64_t> order = spec.minor_to_major;
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return Bad("expected a permutation as layout");
  }
  if (order.size() != spec.dims.size()) return Bad("expected a layout of all dimensions");
  return absl::OkStatus();
}

absl::Status CheckAliases(const ExecutableImage& image) {
  std::vector<bool> input_used(image.inputs.size()), output_used(image.outputs.size());
  for (const AliasedPair& alias : image.aliases) {
    const std::string text =
        absl::StrCat("alias of output ", alias.output, " and input ", alias.input);
    if (alias.output < 0 || alias.output >= static_cast<int64_t>(image.outputs.size()) ||
        alias.input < 0 || alias.input >= static_cast<int64_t>(image.inputs.size())) {
      return Bad(absl::StrCat(text, ": no such tensor"));
    }
    if (input_used[alias.input] || output_used[alias.output]) {
      return Bad(absl::StrCat(text, ": a tensor is in two aliases"));
    }
    input_used[alias.input] = output_used[alias.output] = true;
    if (image.inputs[alias.input].bytes != image.outputs[alias.output].bytes) {
      return Bad(absl::StrCat(text, ": sizes differ"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateStep(const MatmulStep& step) {
  std::vector<int64_t> lhs = step.batch, rhs = step.batch, out = step.batch;
  lhs.insert(lhs.end(), {step.m, step.k});
  rhs.insert(rhs.end(), {step.k, step.n});
  out.insert(out.end(), {step.m, step.n});
  ASTITCH_RETURN_IF_ERROR(CheckDims("sizes", lhs));
  ASTITCH_RETURN_IF_ERROR(CheckDims("sizes", rhs));
  ASTITCH_RETURN_IF_ERROR(CheckView("lhs", step.lhs, lhs));
  ASTITCH_RETURN_IF_ERROR(CheckView("rhs", step.rhs, rhs));
  ASTITCH_RETURN_IF_ERROR(CheckOutput(step.out, out));
  ASTITCH_RETURN_IF_ERROR(CheckApart("lhs", step.lhs, step.out));
  ASTITCH_RETURN_IF_ERROR(CheckApart("rhs", step.rhs, step.out));
  ASTITCH_RETURN_IF_ERROR(CheckEpilogue(step.epilogue, step.out, out));
  std::optional<int64_t> batch = 1;
  for (int64_t dim : step.batch) batch = batch ? CheckedMul(*batch, dim) : batch;
  if (!batch) return Bad("expected fewer than 2^63 products in the batch");
  return CheckParts({{step.batch_parts, *batch}, {step.m_parts, step.m}, {step.n_parts, step.n}});
}

absl::Status ValidateStep(const ConvolutionStep& step) {
  if (step.groups < 1 || step.in_channels < 0 || step.out_channels < 0 ||
      step.in_channels % step.groups != 0 || step.out_channels % step.groups != 0) {
    return Bad(absl::StrCat("expected groups that divide ", step.in_channels, " and ",
                            step.out_channels, " channels, got ", step.groups));
  }
  ASTITCH_RETURN_IF_ERROR(CheckDims("spatial sizes", step.in_spatial));
  ASTITCH_RETURN_IF_ERROR(CheckSpatial(step));
  const auto dims = [](int64_t a, int64_t b, const std::vector<int64_t>& spatial) {
    std::vector<int64_t> out = {a, b};
    out.insert(out.end(), spatial.begin(), spatial.end());
    return out;
  };
  const std::vector<int64_t> out = dims(step.batch, step.out_channels, step.out_spatial);
  ASTITCH_RETURN_IF_ERROR(CheckDims("sizes", out));
  ASTITCH_RETURN_IF_ERROR(
      CheckView("input", step.in, dims(step.batch, step.in_channels, step.in_spatial)));
  ASTITCH_RETURN_IF_ERROR(
      CheckView("kernel", step.kernel,
                dims(step.out_channels, step.in_channels / step.groups, step.kernel_spatial)));
  ASTITCH_RETURN_IF_ERROR(CheckOutput(step.out, out));
  ASTITCH_RETURN_IF_ERROR(CheckApart("input", step.in, step.out));
  ASTITCH_RETURN_IF_ERROR(CheckApart("kernel", step.kernel, step.out));
  ASTITCH_RETURN_IF_ERROR(CheckEpilogue(step.epilogue, step.out, out));
  return CheckParts({{step.batch_parts, step.batch}, {step.row_parts, step.out_spatial[0]}});
}

absl::Status ValidateImage(const ExecutableImage& image) {
  if (image.arena_bytes < 0) {
    return Bad(absl::StrCat("expected an arena of 0 bytes or more, got ", image.arena_bytes));
  }
  const auto check_specs = [](absl::string_view word, const std::vector<TensorSpec>& specs) {
    for (size_t i = 0; i < specs.size(); ++i) {
      ASTITCH_RETURN_IF_ERROR(Annotate(CheckSpec(specs[i]), absl::StrCat(word, " ", i)));
    }
    return absl::OkStatus();
  };
  ASTITCH_RETURN_IF_ERROR(check_specs("input", image.inputs));
  ASTITCH_RETURN_IF_ERROR(check_specs("output", image.outputs));
  ASTITCH_RETURN_IF_ERROR(CheckAliases(image));
  const ImageChecker checker(image);
  for (size_t i = 0; i < image.steps.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(Annotate(std::visit(checker, image.steps[i]),
                                     absl::StrCat("step ", i, " ", StepName(image.steps[i]))));
  }
  return absl::OkStatus();
}

}  // namespace astitch
