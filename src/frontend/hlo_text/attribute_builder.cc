// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One method a family of attributes; what no stage acts on becomes text in print order.
#include "frontend/hlo_text/attribute_builder.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/attribute_text.h"

namespace astitch::hlo_text {
namespace {

using A = AttributeId;
using Ints = std::vector<int64_t>;
using Words = std::vector<std::string>;

bool NamesComputations(A id) { return id >= A::kCondition && id <= A::kCalls; }

// The words of an attribute that stays text; DROPPED is the one that says nothing.
struct WordSet {
  A id;
  absl::string_view dropped;
  std::vector<absl::string_view> kept;
};

const WordSet* FindWordSet(A id) {
  static const auto* const kSets = new std::vector<WordSet>{
      {A::kConvolutionKind, "unset", {"fprop", "wgrad", "dgrad"}},
      {A::kPaddingType, "PADDING_INVALID", {"PADDING_VALID", "PADDING_SAME"}},
      {A::kSchedule, "SCHEDULE_NONE", {"SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}},
      {A::kApiVersion,
       "API_VERSION_ORIGINAL",
       {"API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
        "API_VERSION_TYPED_FFI", "API_VERSION_UNSPECIFIED"}}};
  for (const WordSet& set : *kSets) {
    if (set.id == id) return &set;
  }
  return nullptr;
}

bool IsDotAlgorithm(absl::string_view word) {
  static constexpr absl::string_view kWords[] = {
      "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
      "dot_f16_f16_f16",       "dot_f16_f16_f32",
      "dot_bf16_bf16_bf16",    "dot_bf16_bf16_f32",
      "dot_bf16_bf16_f32_x3",  "dot_bf16_bf16_f32_x6",
      "dot_bf16_bf16_f32_x9",  "dot_tf32_tf32_f32",
      "dot_tf32_tf32_f32_x3",  "dot_f32_f32_f32",
      "dot_f64_f64_f64"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool AllDefault(const Words& precision) {
  return std::all_of(precision.begin(), precision.end(),
                     [](const std::string& word) { return word == "default"; });
}

class Builder {
 public:
  Builder(Reader& reader, const AttributeOwner& owner, const AttributeSet& set)
      : reader_(reader), owner_(owner), set_(set) {}

  bool Build(Attributes* out) {
    *out = Typed();
    return ok_;
  }

 private:
  Attributes Typed();

  // ---- one attribute

  bool Missing(A id) {
    if (ok_) {
      reader_.FailAt(owner_.at, absl::StrCat("expected attribute ", WordOf(id), " of ",
                                             ToString(owner_.opcode), ", got none"));
    }
    return ok_ = false;
  }
  bool Wrong(const AttributeEntry& entry, absl::string_view expected) {
    if (ok_) {
      reader_.FailAt(entry.at, absl::StrCat("expected ", expected, " for ", entry.at.text, ", got ",
                                            ValueText(FormOf(entry.id), entry.value)));
    }
    return ok_ = false;
  }
  template <typename T>
  T Get(A id, T fallback = {}) {
    const AttributeEntry* entry = set_.Find(id);
    return entry == nullptr ? std::move(fallback) : std::get<T>(entry->value);
  }
  template <typename T>
  T Require(A id) {
    if (set_.Find(id) == nullptr) Missing(id);
    return Get<T>(id);
  }
  int64_t RequireOneDimension() {
    const Ints dimensions = Require<Ints>(A::kDimensions);
    if (ok_ && dimensions.size() != 1) Wrong(*set_.Find(A::kDimensions), "one dimension");
    return dimensions.size() == 1 ? dimensions[0] : 0;
  }
  // The enumerator of type E that prints as the word; LAST is the type's last one.
  template <typename E>
  E Word(A id, E last, E fallback) {
    const AttributeEntry* entry = set_.Find(id);
    if (entry == nullptr) return fallback;
    const std::string& word = std::get<std::string>(entry->value);
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (ToString(static_cast<E>(i)) == word) return static_cast<E>(i);
    }
    Wrong(*entry, "a word of this attribute");
    return fallback;
  }
  template <typename E>
  E RequireWord(A id, E last) {
    if (set_.Find(id) == nullptr) Missing(id);
    return Word(id, last, E{});
  }

  // ---- a family

  Attributes Dimensions();
  Attributes Compare();
  Attributes Gather();
  Attributes Scatter();
  Attributes Dot();
  Attributes Convolution();
  Attributes Library();
  Attributes CustomCall();
  Words Precision();
  std::string DotAlgorithm();
  // Entries as text, without defaults, called computations, annotations and what SKIP names.
  std::vector<std::pair<std::string, std::string>> Texts(std::initializer_list<A> skip);
  Attributes Raw();
  bool IsDropped(const AttributeEntry& entry);
  void RequireForRaw();

  Reader& reader_;
  const AttributeOwner& owner_;
  const AttributeSet& set_;
  bool ok_ = true;
};

Attributes Builder::Dimensions() {
  const bool has_list = set_.Find(A::kDimensions) != nullptr;
  switch (owner_.opcode) {
    case Opcode::kIota:
      return DimensionsAttributes{{Require<int64_t>(A::kIotaDimension)}};
    case Opcode::kConcatenate:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
      return DimensionsAttributes{{RequireOneDimension()}};
    case Opcode::kBroadcast:
      if (!has_list && owner_.operands[0]->shape().IsScalar()) return DimensionsAttributes{};
      break;
    case Opcode::kMap:
      if (!has_list && !owner_.operands.empty()) {
        Ints all(owner_.operands[0]->shape().rank());
        std::iota(all.begin(), all.end(), 0);
        return DimensionsAttributes{std::move(all)};
      }
      break;
    default:
      break;
  }
  return DimensionsAttributes{Require<Ints>(A::kDimensions)};
}

Attributes Builder::Compare() {
  CompareAttributes out;
  out.direction = RequireWord(A::kDirection, ComparisonDirection::kGe);
  const Shape& shape = owner_.operands[0]->shape();
  if (shape.IsArray()) out.type = DefaultComparisonType(shape.element_type());
  out.type = Word(A::kType, ComparisonType::kUnsigned, out.type);
  return out;
}

Attributes Builder::Gather() {
  GatherAttributes out;
  out.offset_dims = Require<Ints>(A::kOffsetDims);
  out.collapsed_slice_dims = Require<Ints>(A::kCollapsedSliceDims);
  out.start_index_map = Require<Ints>(A::kStartIndexMap);
  out.operand_batching_dims = Get<Ints>(A::kOperandBatchingDims);
  out.start_indices_batching_dims = Get<Ints>(A::kStartIndicesBatchingDims);
  out.index_vector_dim = Require<int64_t>(A::kIndexVectorDim);
  out.slice_sizes = Require<Ints>(A::kSliceSizes);
  out.indices_are_sorted = Get<bool>(A::kIndicesAreSorted);
  return out;
}

Attributes Builder::Scatter() {
  ScatterAttributes out;
  out.update_window_dims = Require<Ints>(A::kUpdateWindowDims);
  out.inserted_window_dims = Require<Ints>(A::kInsertedWindowDims);
  out.scatter_dims_to_operand_dims = Require<Ints>(A::kScatterDimsToOperandDims);
  out.input_batching_dims = Get<Ints>(A::kInputBatchingDims);
  out.scatter_indices_batching_dims = Get<Ints>(A::kScatterIndicesBatchingDims);
  out.index_vector_dim = Require<int64_t>(A::kIndexVectorDim);
  out.indices_are_sorted = Get<bool>(A::kIndicesAreSorted);
  out.unique_indices = Get<bool>(A::kUniqueIndices);
  return out;
}

Words Builder::Precision() {
  Words words = Get<Words>(A::kOperandPrecision);
  return AllDefault(words) ? Words() : words;
}

std::string Builder::DotAlgorithm() {
  const AttributeEntry* entry = set_.Find(A::kAlgorithm);
  const std::string word = Get<std::string>(A::kAlgorithm);
  if (entry == nullptr || word == "unset") return "";
  if (!IsDotAlgorithm(word)) Wrong(*entry, "a dot algorithm");
  return word;
}

Attributes Builder::Dot() {
  DotAttributes out;
  out.lhs_batch = Get<Ints>(A::kLhsBatchDims);
  out.lhs_contracting = Get<Ints>(A::kLhsContractingDims);
  out.rhs_batch = Get<Ints>(A::kRhsBatchDims);
  out.rhs_contracting = Get<Ints>(A::kRhsContractingDims);
  out.lhs_ragged = Get<Ints>(A::kLhsRaggedDims);
  out.rhs_group = Get<Ints>(A::kRhsGroupDims);
  out.operand_precision = Precision();
  out.algorithm = DotAlgorithm();
  return out;
}

Attributes Builder::Convolution() {
  ConvolutionAttributes out;
  out.window = Get<Window>(A::kWindow);
  out.dim_labels = Require<std::string>(A::kDimLabels);
  out.feature_group_count = Get<int64_t>(A::kFeatureGroupCount, 1);
  out.batch_group_count = Get<int64_t>(A::kBatchGroupCount, 1);
  out.operand_precision = Precision();
  out.extra = Texts({A::kWindow, A::kDimLabels, A::kFeatureGroupCount, A::kBatchGroupCount,
                     A::kOperandPrecision});
  for (auto& [key, value] : out.extra) {
    if (key == "conv_kind") key = "convolution_kind";  // its name in other versions
  }
  return out;
}

Attributes Builder::CustomCall() {
  CustomCallAttributes out;
  out.target = Require<std::string>(A::kCustomCallTarget);
  out.extra = Texts({A::kCustomCallTarget});
  return out;
}

// Sorting, random numbers, linear algebra.
Attributes Builder::Library() {
  switch (owner_.opcode) {
    case Opcode::kSort:
      return SortAttributes{RequireOneDimension(), Get<bool>(A::kIsStable)};
    case Opcode::kTopK:
      return TopKAttributes{Require<int64_t>(A::kK), Get<bool>(A::kLargest, true)};
    case Opcode::kScan:
      return ScanAttributes{RequireOneDimension(), Get<int64_t>(A::kNumCarries),
                            Get<bool>(A::kIsReverse), Get<bool>(A::kIsAssociative)};
    case Opcode::kRngBitGenerator:
      return RngBitGeneratorAttributes{RequireWord(A::kAlgorithm, RngAlgorithm::kPhilox)};
    case Opcode::kRng: {
      const std::string word = Require<std::string>(A::kDistribution);
      if (ok_ && word != "rng_normal" && word != "rng_uniform")
        Wrong(*set_.Find(A::kDistribution), "rng_uniform or rng_normal");
      return RngAttributes{word == "rng_normal"};
    }
    case Opcode::kRngGetAndUpdateState:
      return RngStateAttributes{Require<int64_t>(A::kDelta)};
    case Opcode::kFft:
      return FftAttributes{RequireWord(A::kFftType, FftType::kIrfft), Require<Ints>(A::kFftLength)};
    case Opcode::kCholesky:
      return CholeskyAttributes{Get<bool>(A::kLower)};
    case Opcode::kTriangularSolve:
      return TriangularSolveAttributes{
          Get<bool>(A::kLeftSide), Get<bool>(A::kLower), Get<bool>(A::kUnitDiagonal),
          Word(A::kTransposeA, TransposeA::kAdjoint, TransposeA::kNone)};
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return BatchNormAttributes{static_cast<float>(Require<double>(A::kEpsilon)),
                                 Require<int64_t>(A::kFeatureIndex)};
    default:
      return std::monostate();
  }
}

bool Builder::IsDropped(const AttributeEntry& entry) {
  if (IsAnnotation(entry.id) || NamesComputations(entry.id) || entry.id == A::kMode) return true;
  if (const bool* flag = std::get_if<bool>(&entry.value)) return !*flag;
  if (entry.id == A::kFeatureGroupCount || entry.id == A::kBatchGroupCount)
    return std::get<int64_t>(entry.value) == 1;
  if (entry.id == A::kOperandPrecision) return AllDefault(std::get<Words>(entry.value));
  if (entry.id == A::kDimensions) return owner_.opcode == Opcode::kRaggedAllToAll;
  if (entry.id == A::kWindow) return std::get<Window>(entry.value).empty();
  const WordSet* words = FindWordSet(entry.id == A::kConvKind ? A::kConvolutionKind : entry.id);
  if (words == nullptr) return false;
  const std::string& word = std::get<std::string>(entry.value);
  if (word != words->dropped &&
      std::find(words->kept.begin(), words->kept.end(), word) == words->kept.end())
    Wrong(entry, "a word of this attribute");
  return word == words->dropped;
}

std::vector<std::pair<std::string, std::string>> Builder::Texts(std::initializer_list<A> skip) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const AttributeEntry& entry : set_.entries()) {
    if (std::find(skip.begin(), skip.end(), entry.id) != skip.end() || IsDropped(entry)) continue;
    out.emplace_back(std::string(WordOf(entry.id)), ValueText(FormOf(entry.id), entry.value));
  }
  return out;
}

void Builder::RequireForRaw() {
  const auto require = [&](A id) {
    if (set_.Find(id) == nullptr) Missing(id);
  };
  switch (owner_.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
      return require(A::kDimensions);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return require(A::kSourceTargetPairs);
    case Opcode::kDomain:
      return require(A::kDomain);
    default:
      return;
  }
}

Attributes Builder::Raw() {
  RequireForRaw();
  RawAttributes out{Texts({})};
  const auto add_default = [&](A id, std::string text) {
    if (set_.Find(id) != nullptr || !Accepts(owner_.opcode, id)) return;
    const auto after = std::find_if(out.values.begin(), out.values.end(), [&](const auto& entry) {
      const std::optional<A> other = FindAttribute(owner_.opcode, entry.first);
      return other && *other > id;
    });
    out.values.emplace(after, std::string(WordOf(id)), std::move(text));
  };
  // All devices in one group; the shape of the data.
  add_default(A::kReplicaGroups, "{}");
  if (owner_.opcode == Opcode::kOutfeed)
    add_default(A::kOutfeedShape, owner_.operands[0]->shape().ToString());
  return out;
}

Attributes Builder::Typed() {
  switch (owner_.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kSetDimensionSize:
    case Opcode::kTranspose:
      return Dimensions();
    case Opcode::kCompare:
      return Compare();
    case Opcode::kSlice:
      return Require<SliceAttributes>(A::kSlice);
    case Opcode::kDynamicSlice:
      return DynamicSliceAttributes{Require<Ints>(A::kDynamicSliceSizes)};
    case Opcode::kPad:
      return Require<PadAttributes>(A::kPadding);
    case Opcode::kReshape:
      return ReshapeAttributes{Get<int64_t>(A::kInferredDimension, -1)};
    case Opcode::kGetTupleElement:
      return TupleIndexAttributes{Require<int64_t>(A::kIndex)};
    case Opcode::kReducePrecision:
      return ReducePrecisionAttributes{Require<int64_t>(A::kExponentBits),
                                       Require<int64_t>(A::kMantissaBits)};
    case Opcode::kGather:
      return Gather();
    case Opcode::kScatter:
      return Scatter();
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
      return WindowAttributes{Get<Window>(A::kWindow)};
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return Dot();
    case Opcode::kConvolution:
      return Convolution();
    case Opcode::kFusion:
      return FusionAttributes{RequireWord(A::kKind, FusionKind::kCustom),
                              Get<std::string>(A::kOutputToOperandAliasing)};
    case Opcode::kCall:
      return CallAttributes{Get<bool>(A::kIsComposite)};
    case Opcode::kCustomCall:
      return CustomCall();
    default:
      break;
  }
  switch (KindOf(owner_.opcode)) {
    case OpKind::kLibrary:
    case OpKind::kReduction:
      return Library();
    case OpKind::kCollective:
    case OpKind::kOther:
      return Raw();
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kDynamicMap:
    case OpKind::kSource:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kTuple:
      break;
  }
  return std::monostate();
}

// Which computations OPCODE must name; the conditional's depend on its index.
std::vector<A> RequiredComputations(const AttributeOwner& owner) {
  switch (owner.opcode) {
    case Opcode::kWhile:
      return {A::kCondition, A::kBody};
    case Opcode::kSelectAndScatter:
      return {A::kSelect, A::kScatter};
    case Opcode::kConditional:
      if (IsPred(owner.operands[0]->shape().element_type()))
        return {A::kTrueComputation, A::kFalseComputation};
      return {A::kBranchComputations};
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return {A::kCalls};
    case Opcode::kCustomCall:
    case Opcode::kCollectiveReduce:
      return {};
    default:
      return Accepts(owner.opcode, A::kToApply) ? std::vector<A>{A::kToApply} : std::vector<A>{};
  }
}

}  // namespace

bool BuildAttributes(Reader& reader, const AttributeOwner& owner, const AttributeSet& set,
                     Attributes* out) {
  return Builder(reader, owner, set).Build(out);
}

bool BuildCalled(Reader& reader, const AttributeOwner& owner, const AttributeSet& set,
                 std::vector<Computation*>* out) {
  // The start of an asynchronous pair names the body; what the others repeat is not kept.
  if (owner.opcode == Opcode::kAsyncUpdate || owner.opcode == Opcode::kAsyncDone) return true;
  const std::vector<A> required = RequiredComputations(owner);
  for (A id : required) {
    if (set.Find(id) != nullptr) continue;
    return reader.FailAt(owner.at, absl::StrCat("expected attribute ", WordOf(id), " of ",
                                                ToString(owner.opcode), ", got none"));
  }
  const AttributeEntry* first = nullptr;
  for (const AttributeEntry& entry : set.entries()) {
    if (!NamesComputations(entry.id) || entry.id == A::kIsComposite) continue;
    const bool is_expected =
        required.empty() ? first == nullptr
                         : std::find(required.begin(), required.end(), entry.id) != required.end();
    if (!is_expected)
      return reader.FailAt(entry.at, absl::StrCat("expected no ", entry.at.text, " here"));
    first = &entry;
    const auto& computations = std::get<std::vector<Computation*>>(entry.value);
    out->insert(out->end(), computations.begin(), computations.end());
  }
  return true;
}

Annotations BuildAnnotations(const AttributeSet& set, absl::Span<const int64_t> frame_of_id) {
  Annotations out;
  const auto text = [&](A id, std::string* to) {
    if (const AttributeEntry* entry = set.Find(id)) *to = std::get<std::string>(entry->value);
  };
  text(A::kSharding, &out.sharding);
  text(A::kFrontendAttributes, &out.frontend_attributes);
  text(A::kStatistics, &out.statistics);
  text(A::kOrigin, &out.origin);
  text(A::kResultAccuracy, &out.result_accuracy);
  text(A::kParameterReplication, &out.parameter_replication);
  text(A::kBackendConfig, &out.backend_config);
  out.unknown = set.unknown();
  const AttributeEntry* metadata = set.Find(A::kMetadata);
  if (metadata == nullptr) return out;
  for (const auto& [key, value] :
       std::get<std::vector<std::pair<std::string, std::string>>>(metadata->value)) {
    size_t id = 0;
    if (key != "stack_frame_id") {
      out.metadata.emplace_back(key, value);
    } else if (absl::SimpleAtoi(value, &id) && id < frame_of_id.size()) {
      out.stack_frame = frame_of_id[id];
    }
  }
  return out;
}

}  // namespace astitch::hlo_text
