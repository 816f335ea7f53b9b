// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Most operations do the same to each part. Products of matrices are four real ones. A fold goes
// part by part where its combiner does; else it folds pairs, with a combiner that is split in the
// same way. Callers are visited first, so that they see their combiners as they were written.
#include "passes/split_complex.h"

#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "passes/complex_functions.h"
#include "passes/complex_parts.h"
#include "passes/constants.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

bool IsComplexArray(const Shape& shape) {
  return IsStaticArray(shape) && IsComplex(shape.element_type());
}

Shape PartOf(const Shape& shape) {
  return Shape::Array(PartType(shape.element_type()), shape.dims());
}

// The real parts of ARRAY's elements, or with PART 1 the imaginary ones.
Literal PartOf(const Literal& array, int part) {
  const Shape shape = PartOf(array.shape());
  if (array.is_elided()) return Literal::Elided(shape);
  Literal result(shape);
  const int64_t width = ByteWidth(shape.element_type());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    std::memcpy(result.mutable_bytes().data() + i * width,
                array.bytes().data() + (2 * i + part) * width, width);
  }
  return result;
}

class Splitter {
 public:
  explicit Splitter(Graph& graph) : graph_(graph) {}

  bool added_computations() const { return added_computations_; }

  // Null where INSTRUCTION stays as it is.
  Instruction* Visit(Rewriter& rewriter, Instruction& instruction) {
    if (Instruction* real = RealOfComplex(rewriter, instruction); real != nullptr) return real;
    if (Instruction* element = ElementOfTuple(instruction); element != nullptr) return element;
    std::optional<ComplexParts> parts = ComplexFunction(rewriter, instruction);
    if (!parts.has_value() && IsComplexArray(instruction.shape()))
      parts = PartsByOpcode(rewriter, instruction);
    if (parts.has_value()) return Join(rewriter, instruction, *parts);
    return SplitPairs(rewriter, instruction);
  }

 private:
  std::optional<ComplexParts> PartsByOpcode(Rewriter& rewriter, Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kAdd:
      case Opcode::kBroadcast:
      case Opcode::kConcatenate:
      case Opcode::kCopy:
      case Opcode::kDynamicSlice:
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kGather:
      case Opcode::kNegate:
      case Opcode::kPad:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSelect:
      case Opcode::kSlice:
      case Opcode::kSubtract:
      case Opcode::kTranspose:
        return EachPart(rewriter, instruction);
      case Opcode::kReduce:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
        if (!FoldsEachPart(instruction)) return std::nullopt;
        return EachPart(rewriter, instruction);
      case Opcode::kConvert:
        if (IsComplexArray(instruction.operand(0)->shape())) return EachPart(rewriter, instruction);
        return FromReal(rewriter, instruction);
      case Opcode::kIota:
        return FromReal(rewriter, instruction);
      case Opcode::kConstant:
        return ComplexParts{Constant(rewriter, instruction, 0), Constant(rewriter, instruction, 1)};
      case Opcode::kConvolution:
      case Opcode::kDot:
        return Products(rewriter, instruction);
      default:  // left alone
        return std::nullopt;
    }
  }

  // INSTRUCTION with operands of PART, wherever they are complex.
  Instruction* OnPart(Rewriter& rewriter, const Instruction& instruction, int part) {
    std::vector<Instruction*> operands;
    for (Instruction* operand : instruction.operands()) {
      if (IsComplexArray(operand->shape())) {
        const ComplexParts parts = PartsOf(rewriter, instruction, operand);
        operand = part == 0 ? parts.re : parts.im;
      }
      operands.push_back(operand);
    }
    Instruction* result =
        rewriter.CloneAs(instruction, PartOf(instruction.shape()), std::move(operands));
    if (!result->called().empty()) result->set_called({CombinerOnParts(*instruction.called()[0])});
    return result;
  }
  ComplexParts EachPart(Rewriter& rewriter, const Instruction& instruction) {
    return {OnPart(rewriter, instruction, 0), OnPart(rewriter, instruction, 1)};
  }

  ComplexParts FromReal(Rewriter& rewriter, const Instruction& instruction) {
    const Shape part = PartOf(instruction.shape());
    return {OnPart(rewriter, instruction, 0), AddSplat(rewriter, instruction, part, 0)};
  }

  static Instruction* Constant(Rewriter& rewriter, const Instruction& constant, int part) {
    return rewriter.Add(constant, Opcode::kConstant, PartOf(constant.shape()), {},
                        ConstantAttributes{PartOf(constant.literal(), part)});
  }

  static ComplexParts Products(Rewriter& rewriter, const Instruction& product) {
    const ComplexParts a = PartsOf(rewriter, product, product.operand(0)),
                       b = PartsOf(rewriter, product, product.operand(1));
    const Shape part = PartOf(product.shape());
    const auto times = [&](Instruction* x, Instruction* y) {
      return rewriter.CloneAs(product, part, {x, y});
    };
    return {rewriter.Add(product, Opcode::kSubtract, part, {times(a.re, b.re), times(a.im, b.im)}),
            rewriter.Add(product, Opcode::kAdd, part, {times(a.re, b.im), times(a.im, b.re)})};
  }

  // ---- folds

  // The combiner adds, or takes one of its two.
  static bool FoldsEachPart(const Instruction& fold) {
    const Computation& combiner = *fold.called()[0];
    const Instruction& root = *combiner.root();
    if (combiner.parameters().size() != 2) return false;
    const auto is_parameter = [](const Instruction* value) {
      return value->opcode() == Opcode::kParameter;
    };
    if (is_parameter(&root)) return true;
    return root.opcode() == Opcode::kAdd && is_parameter(root.operand(0)) &&
           is_parameter(root.operand(1));
  }

  // REQUIRES: COMBINER is of a fold for which FoldsEachPart holds.
  Computation* CombinerOnParts(const Computation& combiner) {
    Computation*& on_parts = combiners_on_parts_[&combiner];
    if (on_parts != nullptr) return on_parts;
    on_parts = AddComputation(combiner);
    Rewriter rewriter(*on_parts);
    std::vector<Instruction*> parameters;
    for (const Instruction* parameter : combiner.parameters())
      parameters.push_back(rewriter.CloneAs(*parameter, PartOf(parameter->shape()), {}));
    const Instruction& root = *combiner.root();
    std::vector<Instruction*> operands;
    for (const Instruction* operand : root.operands())
      operands.push_back(parameters[operand->parameter_number()]);
    on_parts->set_root(root.opcode() == Opcode::kParameter
                           ? parameters[root.parameter_number()]
                           : rewriter.CloneAs(root, PartOf(root.shape()), std::move(operands)));
    return on_parts;
  }

  // A fold or a sort of several arrays, the parts of complex ones each by itself.
  Instruction* SplitPairs(Rewriter& rewriter, const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kReduce:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
      case Opcode::kSort:
        break;
      default:  // left alone
        return nullptr;
    }
    bool has_complex = false;
    std::vector<Instruction*> operands;
    for (Instruction* operand : instruction.operands()) {
      if (!IsStaticArray(operand->shape())) return nullptr;
      if (!IsComplexArray(operand->shape())) {
        operands.push_back(operand);
        continue;
      }
      has_complex = true;
      const ComplexParts parts = PartsOf(rewriter, instruction, operand);
      operands.insert(operands.end(), {parts.re, parts.im});
    }
    if (!has_complex) return nullptr;
    std::vector<Shape> shapes;
    for (const Shape* leaf : instruction.shape().Leaves()) {
      shapes.insert(shapes.end(), IsComplex(leaf->element_type()) ? 2 : 1, PartOf(*leaf));
    }
    const bool sorts = instruction.opcode() == Opcode::kSort;
    Instruction* pairs =
        rewriter.CloneAs(instruction, Shape::Tuple(std::move(shapes)), std::move(operands));
    pairs->set_called({CombinerOfPairs(*instruction.called()[0], sorts)});
    return Results(rewriter, instruction, pairs);
  }

  // A complex element of such a fold, which is put together in a tuple.
  static Instruction* ElementOfTuple(const Instruction& instruction) {
    if (instruction.opcode() != Opcode::kGetTupleElement || !IsComplexArray(instruction.shape()))
      return nullptr;
    const Instruction* tuple = instruction.operand(0);
    if (tuple->opcode() != Opcode::kTuple) return nullptr;
    return tuple->operand(instruction.as<TupleIndexAttributes>().index);
  }

  // What INSTRUCTION gives, of the elements of PAIRS.
  static Instruction* Results(Rewriter& rewriter, const Instruction& instruction,
                              Instruction* pairs) {
    int64_t next = 0;
    const auto take = [&] {
      const Shape shape = pairs->shape().elements()[next];
      return rewriter.Add(instruction, Opcode::kGetTupleElement, shape, {pairs},
                          TupleIndexAttributes{next++});
    };
    std::vector<Instruction*> results;
    for (const Shape* leaf : instruction.shape().Leaves()) {
      Instruction* first = take();
      results.push_back(
          IsComplex(leaf->element_type()) ? Join(rewriter, instruction, {first, take()}) : first);
    }
    if (!instruction.shape().IsTuple()) return results[0];
    return rewriter.Add(instruction, Opcode::kTuple, instruction.shape(), std::move(results));
  }

  // COMBINER with two parameters for a complex one; its root has two results for a complex one. A
  // comparator of a sort has its parameters in twos, of the same array.
  Computation* CombinerOfPairs(const Computation& combiner, bool in_twos) {
    Computation* split = AddComputation(combiner);
    Rewriter rewriter(*split);
    std::vector<Instruction*> value(combiner.id_bound(), nullptr);
    int64_t number = 0;
    const int64_t at_a_time = in_twos ? 2 : 1;
    const auto count = static_cast<int64_t>(combiner.parameters().size());
    for (int64_t first = 0; first < count; first += at_a_time) {
      std::vector<ComplexParts> parts(at_a_time);
      const auto add = [&](int64_t k, Instruction* ComplexParts::* part) {
        const Instruction& parameter = *combiner.parameters()[first + k];
        parts[k].*part = rewriter.Add(parameter, Opcode::kParameter, PartOf(parameter.shape()), {},
                                      ParameterAttributes{number++});
      };
      const bool is_complex = IsComplexArray(combiner.parameters()[first]->shape());
      for (int64_t k = 0; k < at_a_time; ++k) add(k, &ComplexParts::re);
      for (int64_t k = 0; is_complex && k < at_a_time; ++k) add(k, &ComplexParts::im);
      for (int64_t k = 0; k < at_a_time; ++k) {
        const Instruction& parameter = *combiner.parameters()[first + k];
        value[parameter.id()] = is_complex ? Join(rewriter, parameter, parts[k]) : parts[k].re;
      }
    }
    for (const auto& instruction : combiner.instructions()) {
      if (instruction->opcode() == Opcode::kParameter) continue;
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands())
        operands.push_back(value[operand->id()]);
      Instruction* clone =
          rewriter.CloneAs(*instruction, instruction->shape(), std::move(operands));
      Instruction* with = Visit(rewriter, *clone);
      if (with != nullptr) rewriter.Replace(clone, with);
      value[instruction->id()] = with != nullptr ? with : clone;
    }
    split->set_root(RootOfParts(rewriter, value[combiner.root()->id()]));
    rewriter.Finish();
    return split;
  }

  static Instruction* RootOfParts(Rewriter& rewriter, Instruction* root) {
    if (!root->shape().IsTuple() && !IsComplexArray(root->shape())) return root;
    std::vector<Instruction*> leaves = {root};
    if (root->opcode() == Opcode::kTuple)
      leaves.assign(root->operands().begin(), root->operands().end());
    std::vector<Instruction*> results;
    for (Instruction* leaf : leaves) {
      if (!IsComplexArray(leaf->shape())) {
        results.push_back(leaf);
        continue;
      }
      const ComplexParts parts = PartsOf(rewriter, *root, leaf);
      results.insert(results.end(), {parts.re, parts.im});
    }
    std::vector<Shape> shapes;
    for (const Instruction* result : results) shapes.push_back(result->shape());
    return rewriter.Add(*root, Opcode::kTuple, Shape::Tuple(std::move(shapes)), std::move(results));
  }

  Computation* AddComputation(const Computation& like) {
    added_computations_ = true;
    return graph_.AddComputation(like.name());
  }

  Graph& graph_;
  std::map<const Computation*, Computation*> combiners_on_parts_;
  bool added_computations_ = false;
};

}  // namespace

absl::StatusOr<bool> SplitComplex::Run(Graph& graph) {
  Splitter splitter(graph);
  const auto visit = [&](Rewriter& rewriter, Instruction& instruction) {
    return splitter.Visit(rewriter, instruction);
  };
  bool changed = false;
  const std::vector<Computation*> callees_first = graph.CalleesFirst();
  for (size_t i = callees_first.size(); i-- > 0;) {
    ASTITCH_ASSIGN_OR_RETURN(const bool here, RewriteComputation(*callees_first[i], visit));
    changed |= here;
  }
  if (splitter.added_computations()) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
