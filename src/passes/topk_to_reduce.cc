// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elements to numbers, a reduction an element, numbers back to elements.
#include "passes/topk_to_reduce.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "passes/constants.h"
#include "passes/rewriter.h"
#include "passes/sort_key.h"

namespace astitch {
namespace {

// Each is a sweep over the row.
constexpr int64_t kMostElements = 16;

struct Choice {
  int64_t k = 0;
  bool largest = true;
};

// What INSTRUCTION chooses of the last dimension of its operand; nothing when it does not choose.
std::optional<Choice> ChoiceOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kTopK) {
    const auto& topk = instruction.as<TopKAttributes>();
    return Choice{topk.k, topk.largest};
  }
  if (instruction.opcode() != Opcode::kCustomCall ||
      instruction.as<CustomCallAttributes>().target != "TopK")
    return std::nullopt;
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.elements().size() != 2 || !shape.elements()[0].IsArray() ||
      shape.elements()[0].rank() == 0)
    return std::nullopt;
  Choice choice{shape.elements()[0].dims().back(), true};
  if (instruction.called().empty()) return choice;
  const Instruction* root = instruction.called()[0]->root();
  if (root->opcode() != Opcode::kCompare) return std::nullopt;
  const ComparisonDirection direction = root->as<CompareAttributes>().direction;
  choice.largest = direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
  return choice;
}

class Expansion {
 public:
  Expansion(Rewriter& rewriter, const Instruction& topk, Choice choice, SortKey key,
            Computation* maximum)
      : rewriter_(rewriter), topk_(topk), choice_(choice), key_(key), maximum_(maximum) {
    const Shape& shape = topk.operand(0)->shape();
    dims_ = shape.dims();
    rows_.assign(dims_.begin(), dims_.end() - 1);
  }

  Instruction* Run() {
    Instruction* packed = Packed();
    Instruction* lowest = Splat(dims_, uint64_t{1} << 63);
    std::vector<Instruction*> values, indices;
    Instruction* left = packed;
    for (int64_t n = 0; n < choice_.k; ++n) {
      Instruction* chosen = Largest(left);
      values.push_back(Column(Value(chosen)));
      indices.push_back(Column(Index(chosen)));
      if (n + 1 == choice_.k) break;
      DimensionsAttributes to_rows;
      for (size_t d = 0; d < rows_.size(); ++d) to_rows.dimensions.push_back(d);
      Instruction* last = Add(Opcode::kBroadcast, kNumber, dims_, {chosen}, std::move(to_rows));
      Instruction* less = Add(Opcode::kCompare, ElementType::kPred, dims_, {packed, last},
                              CompareAttributes{ComparisonDirection::kLt, ComparisonType::kSigned});
      left = Add(Opcode::kSelect, kNumber, dims_, {less, packed, lowest});
    }
    return rewriter_.Add(topk_, Opcode::kTuple, topk_.shape(),
                         {SideBySide(std::move(values)), SideBySide(std::move(indices))});
  }

 private:
  static constexpr ElementType kNumber = ElementType::kS64;
  static constexpr uint64_t kIndexBits = 32, kIndexMask = 0xffffffff;

  Instruction* Add(Opcode opcode, ElementType type, std::vector<int64_t> dims,
                   std::vector<Instruction*> operands, Attributes attributes = {}) {
    return rewriter_.Add(topk_, opcode, Shape::Array(type, std::move(dims)), std::move(operands),
                         std::move(attributes));
  }
  Instruction* Splat(const std::vector<int64_t>& dims, uint64_t bits) {
    return AddSplat(rewriter_, topk_, Shape::Array(kNumber, dims), bits);
  }
  Instruction* With(Opcode opcode, Instruction* number, uint64_t bits) {
    const std::vector<int64_t> dims = number->shape().dims();
    return Add(opcode, kNumber, dims, {number, Splat(dims, bits)});
  }

  Instruction* Packed() {
    Instruction* number =
        AddSortNumbers(rewriter_, topk_, key_, !choice_.largest, topk_.operand(0));
    Instruction* above = With(Opcode::kShiftLeft, number, kIndexBits);
    Instruction* index = Add(Opcode::kIota, kNumber, dims_, {},
                             DimensionsAttributes{{static_cast<int64_t>(dims_.size()) - 1}});
    Instruction* from_behind =
        Add(Opcode::kSubtract, kNumber, dims_, {Splat(dims_, kIndexMask), index});
    return Add(Opcode::kOr, kNumber, dims_, {above, from_behind});
  }

  Instruction* Largest(Instruction* numbers) {
    Instruction* init = Splat({}, uint64_t{1} << 63);
    Instruction* reduce = Add(Opcode::kReduce, kNumber, rows_, {numbers, init},
                              DimensionsAttributes{{static_cast<int64_t>(dims_.size()) - 1}});
    reduce->set_called({maximum_});
    return reduce;
  }

  Instruction* Value(Instruction* chosen) {
    return AddElementsOfNumbers(rewriter_, topk_, key_, !choice_.largest,
                                With(Opcode::kShiftRightArithmetic, chosen, kIndexBits));
  }
  Instruction* Index(Instruction* chosen) {
    Instruction* from_behind = With(Opcode::kAnd, chosen, kIndexMask);
    Instruction* index =
        Add(Opcode::kSubtract, kNumber, rows_, {Splat(rows_, kIndexMask), from_behind});
    return Add(Opcode::kConvert, ElementType::kS32, rows_, {index});
  }

  Instruction* Column(Instruction* value) {
    std::vector<int64_t> dims = rows_;
    dims.push_back(1);
    return Add(Opcode::kReshape, value->shape().element_type(), std::move(dims), {value},
               ReshapeAttributes{});
  }
  Instruction* SideBySide(std::vector<Instruction*> columns) {
    if (columns.size() == 1) return columns[0];
    std::vector<int64_t> dims = rows_;
    dims.push_back(choice_.k);
    const ElementType type = columns[0]->shape().element_type();
    return Add(Opcode::kConcatenate, type, std::move(dims), std::move(columns),
               DimensionsAttributes{{static_cast<int64_t>(rows_.size())}});
  }

  Rewriter& rewriter_;
  const Instruction& topk_;
  const Choice choice_;
  const SortKey key_;
  Computation* const maximum_;
  std::vector<int64_t> dims_, rows_;
};

// Shapes as the interpreter wants them, and a choice that is worth it.
bool Fits(const Instruction& topk, const Choice& choice) {
  if (topk.num_operands() != 1 || !IsStaticArray(topk.operand(0)->shape())) return false;
  const Shape& shape = topk.operand(0)->shape();
  if (shape.rank() == 0 || choice.k < 1 || choice.k > kMostElements) return false;
  constexpr int64_t kMostIndex = (int64_t{1} << 31) - 1;
  const int64_t length = shape.dims().back();
  std::vector<int64_t> dims = shape.dims();
  dims.back() = choice.k;
  const Shape expected = Shape::Tuple(
      {Shape::Array(shape.element_type(), dims), Shape::Array(ElementType::kS32, dims)});
  return choice.k <= length && length <= kMostIndex && topk.shape().CompatibleWith(expected);
}

struct State {
  Graph& graph;
  Computation* maximum = nullptr;

  Computation* Maximum() {
    if (maximum != nullptr) return maximum;
    maximum = graph.AddComputation("topk_max");
    const Shape scalar = Shape::Scalar(ElementType::kS64);
    Instruction* a = maximum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
    Instruction* b = maximum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
    maximum->set_root(maximum->Add(Opcode::kMaximum, scalar, {a, b}));
    return maximum;
  }

  Instruction* Visit(Rewriter& rewriter, const Instruction& instruction) {
    const std::optional<Choice> choice = ChoiceOf(instruction);
    if (!choice.has_value() || !Fits(instruction, *choice)) return nullptr;
    const std::optional<SortKey> key = SortKeyOf(instruction.operand(0)->shape().element_type());
    if (!key.has_value()) return nullptr;
    return Expansion(rewriter, instruction, *choice, *key, Maximum()).Run();
  }
};

}  // namespace

absl::StatusOr<bool> TopkToReduce::Run(Graph& graph) {
  State state{graph};
  const auto visit = [&state](Rewriter& rewriter,
                              Instruction& instruction) -> absl::StatusOr<Instruction*> {
    return state.Visit(rewriter, instruction);
  };
  ASTITCH_ASSIGN_OR_RETURN(const bool changed, RewriteEach(graph, visit));
  if (state.maximum != nullptr) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
