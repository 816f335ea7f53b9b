// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which operand the comparator looks at, and how; then ranks, and elements by rank.
#include "passes/sort_to_reduce.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "passes/constants.h"
#include "passes/rewriter.h"
#include "passes/scalar_computation.h"
#include "passes/sort_key.h"

namespace astitch {
namespace {

// Elements of a row. On the host ranks take less time than the interpreter up to about 700.
constexpr int64_t kLongestRow = 512;
// Comparisons of all rows: what 32 bits count.
constexpr int64_t kMostPairs = (int64_t{1} << 31) - 1;

// What a comparator compares.
struct Order {
  int64_t operand = 0;  // of the sort
  bool reversed = false;
  SortKey key;
};

// Y is what X is with parameter B in place of A, and neither reads another parameter.
bool IsSameOf(const Instruction* x, const Instruction* a, const Instruction* y,
              const Instruction* b) {
  std::vector<std::pair<const Instruction*, const Instruction*>> stack = {{x, y}};
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> seen;
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    if (!seen.insert({i, j}).second) continue;
    if (i->opcode() == Opcode::kParameter || j->opcode() == Opcode::kParameter) {
      if (i != a || j != b) return false;
      continue;
    }
    if (i->opcode() != j->opcode() || i->shape() != j->shape() ||
        i->attributes() != j->attributes() || i->num_operands() != j->num_operands())
      return false;
    for (int64_t k = 0; k < i->num_operands(); ++k)
      stack.emplace_back(i->operand(k), j->operand(k));
  }
  return true;
}

std::optional<Order> OrderOf(const Instruction& sort) {
  const Computation& comparator = *sort.called()[0];
  const Instruction* root = comparator.root();
  if (!IsElementwiseOnScalars(comparator) || root->opcode() != Opcode::kCompare)
    return std::nullopt;
  const auto& compare = root->as<CompareAttributes>();
  const bool less = compare.direction == ComparisonDirection::kLt;
  if (!less && compare.direction != ComparisonDirection::kGt) return std::nullopt;
  const ElementType type = root->operand(0)->shape().element_type();
  if (IsFloat(type) && compare.type != ComparisonType::kTotalOrder) return std::nullopt;
  const std::optional<SortKey> key = SortKeyOf(type);
  if (!key.has_value()) return std::nullopt;
  for (int64_t n = 0; n < sort.num_operands(); ++n) {
    const Instruction *a = comparator.parameters()[2 * n], *b = comparator.parameters()[2 * n + 1];
    if (IsSameOf(root->operand(0), a, root->operand(1), b)) return Order{n, !less, *key};
    if (IsSameOf(root->operand(1), a, root->operand(0), b)) return Order{n, less, *key};
  }
  return std::nullopt;
}

// The integer that has the bits of TYPE; nothing for types whose bits no kernel moves alone.
std::optional<ElementType> BitsOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBF16:
      return ElementType::kU16;
    case ElementType::kF32:
      return ElementType::kU32;
    case ElementType::kF64:
      return ElementType::kU64;
    case ElementType::kPred:
      return ElementType::kU8;
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return type;
    default:
      return std::nullopt;
  }
}

bool Fits(const Instruction& sort) {
  const Shape& shape = sort.operand(0)->shape();
  if (!IsStaticArray(shape) || shape.rank() == 0 || shape.num_elements() == 0) return false;
  for (const Instruction* operand : sort.operands()) {
    if (!IsStaticArray(operand->shape()) || operand->shape().dims() != shape.dims() ||
        !BitsOf(operand->shape().element_type()).has_value())
      return false;
  }
  const int64_t length = shape.dim(sort.as<SortAttributes>().dimension);
  const std::optional<int64_t> pairs = CheckedMul(shape.num_elements(), length);
  return length >= 2 && length <= kLongestRow && pairs.has_value() && *pairs <= kMostPairs;
}

class State {
 public:
  explicit State(Graph& graph) : graph_(graph) {}

  Computation* SumOf(ElementType type) {
    Computation*& sum = sums_[type];
    if (sum != nullptr) return sum;
    sum = graph_.AddComputation(absl::StrCat("sort_sum_", ToString(type)));
    const Shape scalar = Shape::Scalar(type);
    Instruction* a = sum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
    Instruction* b = sum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
    sum->set_root(sum->Add(Opcode::kAdd, scalar, {a, b}));
    return sum;
  }

 private:
  Graph& graph_;
  std::map<ElementType, Computation*> sums_;
};

class Expansion {
 public:
  Expansion(Rewriter& rewriter, const Instruction& sort, const Order& order, State& state)
      : rewriter_(rewriter), sort_(sort), order_(order), state_(state) {
    dims_ = sort.operand(0)->shape().dims();
    dim_ = sort.as<SortAttributes>().dimension;
    pairs_ = dims_;
    pairs_.push_back(dims_[dim_]);
  }

  Instruction* Run() {
    // Whether the element at this place and of this rank is the one of the last dimension.
    Instruction* is = Add(Opcode::kCompare, ElementType::kPred, pairs_,
                          {OfOthers(Rank()), Iota(ElementType::kS32, pairs_)},
                          CompareAttributes{ComparisonDirection::kEq, ComparisonType::kSigned});
    std::vector<Instruction*> results;
    for (Instruction* operand : sort_.operands()) results.push_back(Moved(operand, is));
    if (sort_.shape().IsArray()) return results[0];
    return rewriter_.Add(sort_, Opcode::kTuple, sort_.shape(), std::move(results));
  }

 private:
  static constexpr ElementType kNumber = ElementType::kS64;

  Instruction* Add(Opcode opcode, ElementType type, const std::vector<int64_t>& dims,
                   std::vector<Instruction*> operands, Attributes attributes = {}) {
    return rewriter_.Add(sort_, opcode, Shape::Array(type, dims), std::move(operands),
                         std::move(attributes));
  }
  Instruction* Iota(ElementType type, const std::vector<int64_t>& dims) {
    return Add(Opcode::kIota, type, dims, {}, DimensionsAttributes{{dim_}});
  }

  // ARRAY for each pair of an element and another of its row: the element's own, or the other's.
  Instruction* OfElements(Instruction* array) { return Spread(array, dim_); }
  Instruction* OfOthers(Instruction* array) {
    return Spread(array, static_cast<int64_t>(dims_.size()));
  }
  Instruction* Spread(Instruction* array, int64_t along) {
    DimensionsAttributes to;
    for (size_t d = 0; d < dims_.size(); ++d) to.dimensions.push_back(static_cast<int64_t>(d));
    to.dimensions[dim_] = along;
    return Add(Opcode::kBroadcast, array->shape().element_type(), pairs_, {array}, std::move(to));
  }

  Instruction* Sum(Instruction* of_pairs) {
    const ElementType type = of_pairs->shape().element_type();
    Instruction* zero = AddSplat(rewriter_, sort_, Shape::Scalar(type), 0);
    Instruction* sum = Add(Opcode::kReduce, type, dims_, {of_pairs, zero},
                           DimensionsAttributes{{static_cast<int64_t>(dims_.size())}});
    sum->set_called({state_.SumOf(type)});
    return sum;
  }

  // What the comparator compares, of all elements.
  Instruction* Compared() {
    std::vector<Instruction*> arguments;
    for (Instruction* operand : sort_.operands()) arguments.insert(arguments.end(), 2, operand);
    return ApplyToArrays(rewriter_, sort_, *sort_.called()[0], dims_, arguments)[0]->operand(0);
  }

  Instruction* Rank() {
    Instruction* number = AddSortNumbers(rewriter_, sort_, order_.key, order_.reversed, Compared());
    Instruction* bits = AddSplat(rewriter_, sort_, Shape::Array(kNumber, dims_), 32);
    Instruction* above = Add(Opcode::kShiftLeft, kNumber, dims_, {number, bits});
    Instruction* place = Add(Opcode::kOr, kNumber, dims_, {above, Iota(kNumber, dims_)});
    Instruction* before =
        Add(Opcode::kCompare, ElementType::kPred, pairs_, {OfOthers(place), OfElements(place)},
            CompareAttributes{ComparisonDirection::kLt, ComparisonType::kSigned});
    return Sum(Add(Opcode::kConvert, ElementType::kS32, pairs_, {before}));
  }

  Instruction* Moved(Instruction* operand, Instruction* is) {
    const ElementType type = operand->shape().element_type(), bits = *BitsOf(type);
    const bool cast = IsFloat(type);
    Instruction* value = operand;
    if (cast) value = Add(Opcode::kBitcastConvert, bits, dims_, {value});
    if (IsPred(type)) value = Add(Opcode::kConvert, bits, dims_, {value});
    Instruction* nothing = AddSplat(rewriter_, sort_, Shape::Array(bits, pairs_), 0);
    Instruction* moved = Sum(Add(Opcode::kSelect, bits, pairs_, {is, OfOthers(value), nothing}));
    if (cast) return Add(Opcode::kBitcastConvert, type, dims_, {moved});
    return IsPred(type) ? Add(Opcode::kConvert, type, dims_, {moved}) : moved;
  }

  Rewriter& rewriter_;
  const Instruction& sort_;
  const Order& order_;
  State& state_;
  std::vector<int64_t> dims_, pairs_;
  int64_t dim_ = 0;
};

}  // namespace

// Of the entry alone: what a loop calls is evaluated by the interpreter, to which a number for each
// pair of elements is memory.
absl::StatusOr<bool> SortToReduce::Run(Graph& graph) {
  State state(graph);
  Rewriter rewriter(*graph.entry());
  const int64_t size = graph.entry()->size();
  for (int64_t i = 0; i < size; ++i) {
    Instruction* sort = graph.entry()->instructions()[i].get();
    if (sort->opcode() != Opcode::kSort || !Fits(*sort)) continue;
    const std::optional<Order> order = OrderOf(*sort);
    if (order.has_value()) rewriter.Replace(sort, Expansion(rewriter, *sort, *order, state).Run());
  }
  const bool changed = rewriter.Finish();
  if (changed) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
