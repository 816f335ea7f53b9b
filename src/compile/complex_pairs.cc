// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One sweep over the entry. A complex value that comes from memory is put together from its parts,
// and it is remembered which pairs it came from; where one goes to memory those pairs are taken, or
// made. What is put together and never needed whole goes away at the end.
#include "compile/complex_pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compile/reference_copy.h"
#include "passes/complex_parts.h"
#include "passes/rewriter.h"
#include "plan/reference_call.h"

namespace astitch {
namespace {

bool IsComplexArray(const Shape& shape) {
  return shape.IsArray() && IsComplex(shape.element_type());
}

bool HasComplex(const Shape& shape) {
  const std::vector<const Shape*> leaves = shape.Leaves();
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Shape* leaf) { return IsComplexArray(*leaf); });
}

Shape PairsOf(const Shape& shape) {
  if (!IsComplexArray(shape)) return shape;
  std::vector<int64_t> dims = shape.dims();
  dims.push_back(2);
  return Shape::Array(PartType(shape.element_type()), std::move(dims));
}

// One computation whose complex values come and go as pairs.
class Pairing {
 public:
  explicit Pairing(Computation& computation) : rewriter_(computation) {}

  Rewriter& rewriter() { return rewriter_; }

  // The complex value that PAIRS hold; PAIRS itself where it stands for a real one.
  Instruction* FromPairs(const Shape& shape, Instruction* pairs) {
    if (!IsComplexArray(shape)) return pairs;
    Instruction* value = Join(rewriter_, *pairs, {Part(shape, pairs, 0), Part(shape, pairs, 1)});
    pairs_[value] = pairs;
    rewriter_.Drop(value);
    return value;
  }
  // VALUE in memory.
  Instruction* ToPairs(Instruction* value) {
    if (!IsComplexArray(value->shape())) return value;
    Instruction*& pairs = pairs_[value];
    if (pairs == nullptr) pairs = MakePairs(value);
    return pairs;
  }

 private:
  Instruction* Part(const Shape& shape, Instruction* pairs, int64_t part) {
    const Shape& whole = pairs->shape();
    const int64_t last = whole.rank() - 1;
    SliceAttributes slice{std::vector<int64_t>(whole.rank(), 0), whole.dims(),
                          std::vector<int64_t>(whole.rank(), 1)};
    slice.starts[last] = part;
    slice.limits[last] = part + 1;
    std::vector<int64_t> dims = whole.dims();
    dims[last] = 1;
    Instruction* thin =
        rewriter_.Add(*pairs, Opcode::kSlice, Shape::Array(whole.element_type(), std::move(dims)),
                      {pairs}, std::move(slice));
    return rewriter_.Add(*pairs, Opcode::kReshape, Shape::Array(whole.element_type(), shape.dims()),
                         {thin}, ReshapeAttributes{});
  }

  Instruction* MakePairs(Instruction* value) {
    const Shape shape = PairsOf(value->shape());
    if (value->opcode() == Opcode::kConstant) {
      const Literal& literal = value->literal();
      return rewriter_.Add(*value, Opcode::kConstant, shape, {},
                           ConstantAttributes{literal.is_elided() ? Literal::Elided(shape)
                                                                  : literal.WithShape(shape)});
    }
    std::vector<int64_t> thin = shape.dims();
    thin.back() = 1;
    const ComplexParts parts = PartsOf(rewriter_, *value, value);
    const auto column = [&](Instruction* part) {
      return rewriter_.Add(*value, Opcode::kReshape, Shape::Array(shape.element_type(), thin),
                           {part}, ReshapeAttributes{});
    };
    return rewriter_.Add(*value, Opcode::kConcatenate, shape, {column(parts.re), column(parts.im)},
                         DimensionsAttributes{{shape.rank() - 1}});
  }

  Rewriter rewriter_;
  absl::flat_hash_map<const Instruction*, Instruction*> pairs_;
};

// A computation that evaluates one instruction of the entry, complex numbers and all.
class Outline {
 public:
  explicit Outline(const Instruction& instruction)
      : instruction_(instruction),
        inputs_(ReferenceInputs(instruction)),
        outputs_(ReferenceOutputs(instruction)),
        body_(instruction.parent()->graph()->AddComputation(ToString(instruction.opcode()))),
        pairing_(*body_) {}

  const std::vector<const Instruction*>& inputs() const { return inputs_; }

  // Takes the inputs as pairs; gives the outputs as pairs, in a tuple where they are several.
  Computation* Make() {
    for (const Instruction* input : inputs_) {
      Instruction* parameter =
          Add(*input, Opcode::kParameter, PairsOf(input->shape()), {},
              ParameterAttributes{static_cast<int64_t>(body_->parameters().size())});
      values_[input] = pairing_.FromPairs(input->shape(), parameter);
    }
    const auto copy = [&](const Instruction& value, std::vector<Instruction*> operands) {
      return pairing_.rewriter().CloneAs(value, value.shape(), std::move(operands));
    };
    CopyReferenceCall(instruction_, copy, values_);
    std::vector<Instruction*> results;
    std::vector<Shape> shapes;
    for (const Instruction* output : outputs_) {
      results.push_back(pairing_.ToPairs(CopyReferenceOutput(output, copy, values_)));
      shapes.push_back(results.back()->shape());
    }
    body_->set_root(results.size() == 1 ? results[0]
                                        : Add(instruction_, Opcode::kTuple,
                                              Shape::Tuple(std::move(shapes)), std::move(results)));
    pairing_.rewriter().Finish();
    return body_;
  }

 private:
  Instruction* Add(const Instruction& origin, Opcode opcode, Shape shape,
                   std::vector<Instruction*> operands, Attributes attributes = {}) {
    return pairing_.rewriter().Add(origin, opcode, std::move(shape), std::move(operands),
                                   std::move(attributes));
  }

  const Instruction& instruction_;
  const std::vector<const Instruction*> inputs_, outputs_;
  Computation* body_;
  Pairing pairing_;
  Copies values_;
};

class EntryRewriter {
 public:
  explicit EntryRewriter(Graph& graph) : entry_(*graph.entry()), pairing_(entry_) {}

  void Run() {
    std::vector<Instruction*> order;
    for (const auto& instruction : entry_.instructions()) order.push_back(instruction.get());
    for (Instruction* instruction : order) Visit(instruction);
    ReplaceRoot();
    pairing_.rewriter().Finish();
  }

 private:
  void Visit(Instruction* instruction) {
    switch (instruction->opcode()) {
      case Opcode::kParameter:
        if (IsComplexArray(instruction->shape())) PairParameter(instruction);
        return;
      case Opcode::kComplex:
      case Opcode::kConstant:
        if (IsComplexArray(instruction->shape())) pairing_.rewriter().Drop(instruction);
        return;
      case Opcode::kReal:
      case Opcode::kImag: {
        const bool real = instruction->opcode() == Opcode::kReal;
        const ComplexParts parts =
            PartsOf(pairing_.rewriter(), *instruction, instruction->operand(0));
        pairing_.rewriter().Replace(instruction, real ? parts.re : parts.im);
        return;
      }
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
        return;
      default:
        if (TouchesComplex(*instruction)) Call(instruction);
    }
  }

  static bool TouchesComplex(const Instruction& instruction) {
    return HasComplex(instruction.shape()) ||
           std::any_of(instruction.operands().begin(), instruction.operands().end(),
                       [](const Instruction* operand) { return HasComplex(operand->shape()); });
  }

  void PairParameter(Instruction* parameter) {
    const Shape shape = parameter->shape();
    const std::vector<Instruction*> readers(parameter->users().begin(), parameter->users().end());
    parameter->set_shape(PairsOf(shape));
    Instruction* value = pairing_.FromPairs(shape, parameter);
    for (Instruction* reader : readers) {
      for (int64_t i = 0; i < reader->num_operands(); ++i) {
        if (reader->operand(i) == parameter) reader->ReplaceOperand(i, value);
      }
    }
    if (entry_.root() == parameter) entry_.set_root(value);
  }

  void Call(Instruction* instruction) {
    const std::vector<const Instruction*> outputs = ReferenceOutputs(*instruction);
    if (outputs.empty()) return;
    Outline outline(*instruction);
    std::vector<Instruction*> arguments;
    for (const Instruction* input : outline.inputs())
      arguments.push_back(pairing_.ToPairs(const_cast<Instruction*>(input)));
    Computation* body = outline.Make();
    Instruction* call = pairing_.rewriter().Add(*instruction, Opcode::kCall, body->root()->shape(),
                                                std::move(arguments), CallAttributes{});
    call->set_called({body});
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto* output = const_cast<Instruction*>(outputs[i]);
      Instruction* pairs = call;
      if (call->shape().IsTuple()) {
        const auto index = static_cast<int64_t>(i);
        pairs =
            pairing_.rewriter().Add(*output, Opcode::kGetTupleElement, call->shape().elements()[i],
                                    {call}, TupleIndexAttributes{index});
      }
      pairing_.rewriter().Replace(output, pairing_.FromPairs(output->shape(), pairs));
    }
  }

  void ReplaceRoot() {
    Instruction* root = entry_.root();
    if (!root->shape().IsTuple()) {
      entry_.set_root(pairing_.ToPairs(root));
      return;
    }
    if (!HasComplex(root->shape())) return;
    std::vector<Instruction*> values;
    std::vector<Shape> shapes;
    for (Instruction* value : root->operands()) {
      values.push_back(pairing_.ToPairs(value));
      shapes.push_back(values.back()->shape());
    }
    entry_.set_root(pairing_.rewriter().Add(*root, Opcode::kTuple, Shape::Tuple(std::move(shapes)),
                                            std::move(values)));
    pairing_.rewriter().Drop(root);
  }

  Computation& entry_;
  Pairing pairing_;
};

}  // namespace

bool PairComplex(Graph& graph) {
  const auto& instructions = graph.entry()->instructions();
  const bool found =
      std::any_of(instructions.begin(), instructions.end(),
                  [](const auto& instruction) { return HasComplex(instruction->shape()); });
  if (!found) return false;
  EntryRewriter(graph).Run();
  graph.SortCalleesFirst();
  return true;
}

}  // namespace astitch
