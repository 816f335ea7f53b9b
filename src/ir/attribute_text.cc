// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One overload a family of attributes. Values that equal HLO's defaults are left out where HLO
// leaves them out.
#include "ir/attribute_text.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/hlo_words.h"
#include "ir/literal_text.h"

namespace astitch {
namespace {

using Extra = std::vector<std::pair<std::string, std::string>>;

// Appends ", key=value" parts.
class AttributeWriter {
 public:
  AttributeWriter(const Instruction& instruction, std::string* out)
      : instruction_(instruction), out_(*out) {}

  void operator()(const std::monostate&) {}
  void operator()(const ParameterAttributes&) {}
  void operator()(const ConstantAttributes&) {}
  void operator()(const DimensionsAttributes& a) {
    if (instruction_.opcode() == Opcode::kIota) {
      Add("iota_dimension", absl::StrJoin(a.dimensions, ","));
    } else {
      List("dimensions", a.dimensions);
    }
  }
  void operator()(const CompareAttributes& a) {
    Add("direction", ToString(a.direction));
    const Shape& shape = instruction_.operand(0)->shape();
    if (!shape.IsArray() || a.type != DefaultComparisonType(shape.element_type()))
      Add("type", ToString(a.type));
  }
  void operator()(const SliceAttributes& a) { Add("slice", SliceText(a)); }
  void operator()(const DynamicSliceAttributes& a) { List("dynamic_slice_sizes", a.sizes); }
  void operator()(const PadAttributes& a) { Add("padding", PaddingText(a)); }
  void operator()(const ReshapeAttributes& a) {
    if (a.inferred_dimension >= 0) Add("inferred_dimension", absl::StrCat(a.inferred_dimension));
  }
  void operator()(const TupleIndexAttributes& a) { Add("index", absl::StrCat(a.index)); }
  void operator()(const ReducePrecisionAttributes& a) {
    Add("exponent_bits", absl::StrCat(a.exponent_bits));
    Add("mantissa_bits", absl::StrCat(a.mantissa_bits));
  }
  void operator()(const GatherAttributes& a) {
    List("offset_dims", a.offset_dims);
    List("collapsed_slice_dims", a.collapsed_slice_dims);
    List("start_index_map", a.start_index_map);
    NonEmptyList("operand_batching_dims", a.operand_batching_dims);
    NonEmptyList("start_indices_batching_dims", a.start_indices_batching_dims);
    Add("index_vector_dim", absl::StrCat(a.index_vector_dim));
    List("slice_sizes", a.slice_sizes);
    Flag("indices_are_sorted", a.indices_are_sorted);
  }
  void operator()(const ScatterAttributes& a) {
    List("update_window_dims", a.update_window_dims);
    List("inserted_window_dims", a.inserted_window_dims);
    List("scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims);
    NonEmptyList("input_batching_dims", a.input_batching_dims);
    NonEmptyList("scatter_indices_batching_dims", a.scatter_indices_batching_dims);
    Add("index_vector_dim", absl::StrCat(a.index_vector_dim));
    Flag("indices_are_sorted", a.indices_are_sorted);
    Flag("unique_indices", a.unique_indices);
  }
  void operator()(const WindowAttributes& a) { NonEmpty("window", WindowText(a.window)); }
  void operator()(const DotAttributes& a) {
    NonEmptyList("lhs_batch_dims", a.lhs_batch);
    List("lhs_contracting_dims", a.lhs_contracting);
    NonEmptyList("rhs_batch_dims", a.rhs_batch);
    List("rhs_contracting_dims", a.rhs_contracting);
    if (instruction_.opcode() == Opcode::kRaggedDot) {
      List("lhs_ragged_dims", a.lhs_ragged);
      List("rhs_group_dims", a.rhs_group);
    }
    Precision(a.operand_precision);
    NonEmpty("algorithm", a.algorithm);
  }
  void operator()(const ConvolutionAttributes& a) {
    NonEmpty("window", WindowText(a.window));
    Add("dim_labels", a.dim_labels);
    if (a.feature_group_count != 1) Add("feature_group_count", absl::StrCat(a.feature_group_count));
    if (a.batch_group_count != 1) Add("batch_group_count", absl::StrCat(a.batch_group_count));
    Precision(a.operand_precision);
    All(a.extra);
  }
  void operator()(const BatchNormAttributes& a) {
    Add("epsilon", FloatText(a.epsilon));
    Add("feature_index", absl::StrCat(a.feature_index));
  }
  void operator()(const SortAttributes& a) {
    List("dimensions", {a.dimension});
    Flag("is_stable", a.is_stable);
  }
  void operator()(const TopKAttributes& a) {
    Add("k", absl::StrCat(a.k));
    Add("largest", a.largest ? "true" : "false");
  }
  void operator()(const ScanAttributes& a) {
    List("dimensions", {a.dimension});
    Add("num_carries", absl::StrCat(a.num_carries));
    Flag("is_reverse", a.is_reverse);
    Add("is_associative", a.is_associative ? "true" : "false");
  }
  void operator()(const RngBitGeneratorAttributes& a) { Add("algorithm", ToString(a.algorithm)); }
  void operator()(const RngAttributes& a) {
    Add("distribution", a.normal ? "rng_normal" : "rng_uniform");
  }
  void operator()(const RngStateAttributes& a) { Add("delta", absl::StrCat(a.delta)); }
  void operator()(const FftAttributes& a) {
    Add("fft_type", ToString(a.type));
    List("fft_length", a.lengths);
  }
  void operator()(const CholeskyAttributes& a) { Flag("lower", a.lower); }
  void operator()(const TriangularSolveAttributes& a) {
    Flag("left_side", a.left_side);
    Flag("lower", a.lower);
    Flag("unit_diagonal", a.unit_diagonal);
    Add("transpose_a", ToString(a.transpose_a));
  }
  void operator()(const FusionAttributes& a) {
    Add("kind", ToString(a.kind));
    NonEmpty("output_to_operand_aliasing", a.output_to_operand_aliasing);
  }
  void operator()(const CallAttributes&) {}  // is_composite stands after to_apply
  void operator()(const CustomCallAttributes& a) {
    // HLO prints the target after what describes a convolution and before the rest.
    static constexpr absl::string_view kBeforeTarget[] = {"window",
                                                          "dim_labels",
                                                          "feature_group_count",
                                                          "batch_group_count",
                                                          "operand_precision",
                                                          "padding_type"};
    Extra before, after;
    for (const auto& entry : a.extra) {
      const bool first = std::find(std::begin(kBeforeTarget), std::end(kBeforeTarget),
                                   entry.first) != std::end(kBeforeTarget);
      (first ? before : after).push_back(entry);
    }
    All(before);
    Add("custom_call_target", QuoteHloString(a.target));
    All(after);
  }
  void operator()(const RawAttributes& a) { All(a.values); }

 private:
  void Add(absl::string_view key, absl::string_view value) {
    absl::StrAppend(&out_, ", ", key, "=", value);
  }
  void NonEmpty(absl::string_view key, absl::string_view value) {
    if (!value.empty()) Add(key, value);
  }
  void List(absl::string_view key, absl::Span<const int64_t> values) {
    Add(key, IntListText(values));
  }
  void NonEmptyList(absl::string_view key, absl::Span<const int64_t> values) {
    if (!values.empty()) List(key, values);
  }
  void Flag(absl::string_view key, bool value) {
    if (value) Add(key, "true");
  }
  void Precision(absl::Span<const std::string> words) {
    if (!words.empty()) Add("operand_precision", WordListText(words));
  }
  void All(const Extra& entries) {
    for (const auto& [key, value] : entries) Add(key, value);
  }

  const Instruction& instruction_;
  std::string& out_;
};

template <typename Get>
std::string PerDim(const Window& window, Get get) {
  return absl::StrJoin(
      window, "x", [&](std::string* out, const WindowDim& dim) { absl::StrAppend(out, get(dim)); });
}

}  // namespace

std::string IntListText(absl::Span<const int64_t> values) {
  return absl::StrCat("{", absl::StrJoin(values, ","), "}");
}

std::string WordListText(absl::Span<const std::string> values) {
  return absl::StrCat("{", absl::StrJoin(values, ","), "}");
}

std::string WindowText(const Window& window) {
  if (window.empty()) return "";
  std::string out = absl::StrCat("{size=", PerDim(window, [](const auto& d) { return d.size; }));
  const auto add_unless = [&](absl::string_view key, int64_t fallback, auto get) {
    for (const WindowDim& dim : window) {
      if (get(dim) == fallback) continue;
      absl::StrAppend(&out, " ", key, "=", PerDim(window, get));
      return;
    }
  };
  add_unless("stride", 1, [](const WindowDim& d) { return d.stride; });
  const bool padded = std::any_of(window.begin(), window.end(), [](const WindowDim& d) {
    return d.pad_low != 0 || d.pad_high != 0;
  });
  if (padded) {
    absl::StrAppend(&out, " pad=", PerDim(window, [](const WindowDim& d) {
      return absl::StrCat(d.pad_low, "_", d.pad_high);
    }));
  }
  add_unless("lhs_dilate", 1, [](const WindowDim& d) { return d.base_dilation; });
  add_unless("rhs_dilate", 1, [](const WindowDim& d) { return d.window_dilation; });
  add_unless("rhs_reversal", 0, [](const WindowDim& d) { return int64_t{d.reversal}; });
  return out + "}";
}

std::string PaddingText(const PadAttributes& attributes) {
  if (attributes.dims.empty()) return "{}";
  const bool interior = std::any_of(attributes.dims.begin(), attributes.dims.end(),
                                    [](const auto& dim) { return dim.interior != 0; });
  return absl::StrJoin(attributes.dims, "x", [&](std::string* out, const PadAttributes::Dim& dim) {
    absl::StrAppend(out, dim.low, "_", dim.high);
    if (interior) absl::StrAppend(out, "_", dim.interior);
  });
}

std::string SliceText(const SliceAttributes& attributes) {
  const bool strided = std::any_of(attributes.strides.begin(), attributes.strides.end(),
                                   [](int64_t stride) { return stride != 1; });
  std::string out = "{";
  for (size_t i = 0; i < attributes.starts.size(); ++i) {
    absl::StrAppend(&out, i > 0 ? ", " : "", "[", attributes.starts[i], ":", attributes.limits[i]);
    if (strided) absl::StrAppend(&out, ":", attributes.strides[i]);
    out += "]";
  }
  return out + "}";
}

absl::string_view ToString(ComparisonDirection direction) {
  static constexpr absl::string_view kWords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  return kWords[static_cast<int>(direction)];
}

absl::string_view ToString(ComparisonType type) {
  static constexpr absl::string_view kWords[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  return kWords[static_cast<int>(type)];
}

absl::string_view ToString(RngAlgorithm algorithm) {
  static constexpr absl::string_view kWords[] = {"rng_default", "rng_three_fry", "rng_philox"};
  return kWords[static_cast<int>(algorithm)];
}

absl::string_view ToString(FftType type) {
  static constexpr absl::string_view kWords[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  return kWords[static_cast<int>(type)];
}

absl::string_view ToString(TransposeA transpose) {
  static constexpr absl::string_view kWords[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  return kWords[static_cast<int>(transpose)];
}

absl::string_view ToString(FusionKind kind) {
  static constexpr absl::string_view kWords[] = {"kLoop", "kInput", "kOutput", "kCustom"};
  return kWords[static_cast<int>(kind)];
}

std::string OpcodeAttributesText(const Instruction& instruction) {
  std::string out;
  std::visit(AttributeWriter(instruction, &out), instruction.attributes());
  const Annotations& annotations = instruction.annotations();
  if (!annotations.parameter_replication.empty())
    absl::StrAppend(&out, ", parameter_replication=", annotations.parameter_replication);
  if (!annotations.result_accuracy.empty())
    absl::StrAppend(&out, ", result_accuracy=", annotations.result_accuracy);
  return out;
}

std::string AnnotationsText(const Instruction& instruction, absl::string_view controls,
                            bool with_metadata) {
  std::string out;
  const Annotations& a = instruction.annotations();
  const auto add = [&](absl::string_view key, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&out, ", ", key, "=", value);
  };
  add("sharding", a.sharding);
  add("frontend_attributes", a.frontend_attributes);
  add("control-predecessors", controls);
  add("statistics", a.statistics);
  add("origin", a.origin);
  if (with_metadata && (!a.metadata.empty() || a.stack_frame > 0)) {
    std::string metadata = absl::StrJoin(a.metadata, " ", absl::PairFormatter("="));
    if (a.stack_frame > 0) {
      absl::StrAppend(&metadata, metadata.empty() ? "" : " ", "stack_frame_id=", a.stack_frame);
    }
    add("metadata", absl::StrCat("{", metadata, "}"));
  }
  if (BraceBlobLength(a.backend_config) == a.backend_config.size()) {
    add("backend_config", a.backend_config);
  } else if (!a.backend_config.empty()) {
    add("backend_config", QuoteHloString(a.backend_config));
  }
  for (const auto& [key, value] : a.unknown) add(key, value);
  return out;
}

}  // namespace astitch
