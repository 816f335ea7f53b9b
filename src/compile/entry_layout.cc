// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One transpose for each parameter or result whose layout is not row-major; tuple parameters become
// one a leaf.
#include "compile/entry_layout.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

absl::StatusOr<TensorSpec> SpecOf(const Instruction& at, const Shape& shape,
                                  absl::string_view name) {
  if (!shape.IsArray())
    return ErrorAt(at, "expected arrays for arguments and results, got " + shape.ToString());
  if (shape.has_dynamic_dims())
    return ErrorAt(at, "dynamic dimensions are not supported: " + shape.ToString());
  TensorSpec spec;
  spec.name = std::string(name);
  spec.element_type = std::string(ToString(shape.element_type()));
  spec.dims = shape.dims();
  spec.minor_to_major = shape.layout().minor_to_major;
  spec.bytes = shape.byte_size();
  return spec;
}

// Dimensions as they lie, outermost first.
std::vector<int64_t> PhysicalOrder(const Layout& layout) {
  return {layout.minor_to_major.rbegin(), layout.minor_to_major.rend()};
}

Shape Permuted(const Shape& shape, const std::vector<int64_t>& order) {
  std::vector<int64_t> dims;
  for (int64_t d : order) dims.push_back(shape.dim(d));
  return Shape::Array(shape.element_type(), std::move(dims));
}

std::vector<int64_t> Inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return inverse;
}

absl::Status LayParameter(Computation& entry, Instruction* parameter, const Shape& outside) {
  if (outside.layout().IsRowMajor()) return absl::OkStatus();
  const Shape logical = Shape::Array(outside.element_type(), outside.dims());
  const std::vector<int64_t> order = PhysicalOrder(outside.layout());
  const std::vector<Instruction*> readers(parameter->users().begin(), parameter->users().end());
  parameter->set_shape(Permuted(outside, order));
  Instruction* transpose =
      entry.Add(Opcode::kTranspose, logical, {parameter}, DimensionsAttributes{Inverse(order)},
                absl::StrCat(parameter->name(), ".logical"));
  for (Instruction* reader : readers) {
    for (int64_t i = 0; i < reader->num_operands(); ++i) {
      if (reader->operand(i) == parameter) reader->ReplaceOperand(i, transpose);
    }
  }
  if (entry.root() == parameter) entry.set_root(transpose);
  return absl::OkStatus();
}

Instruction* LayResult(Computation& entry, Instruction* value, const Shape& outside) {
  if (outside.layout().IsRowMajor()) return value;
  const std::vector<int64_t> order = PhysicalOrder(outside.layout());
  return entry.Add(Opcode::kTranspose, Permuted(outside, order), {value},
                   DimensionsAttributes{order}, absl::StrCat(value->name(), ".physical"));
}

// Parameters of COMPUTATION for the leaves of SHAPE, numbered from NUMBER on, and the tuples over them.
Instruction* AddLeaves(Computation& computation, const Shape& shape, absl::string_view name,
                       int64_t& number) {
  struct Open {
    const Shape* shape;
    std::vector<Instruction*> elements;
  };
  std::vector<Open> stack = {{&shape, {}}};
  Instruction* done = nullptr;
  while (true) {
    Open& top = stack.back();
    if (done != nullptr) top.elements.push_back(std::exchange(done, nullptr));
    if (!top.shape->IsTuple()) {
      done =
          computation.Add(Opcode::kParameter, *top.shape, {}, ParameterAttributes{number++}, name);
    } else if (top.elements.size() == top.shape->elements().size()) {
      done = computation.Add(Opcode::kTuple, *top.shape, top.elements);
    } else {
      stack.push_back({&top.shape->elements()[top.elements.size()], {}});
      continue;
    }
    stack.pop_back();
    if (stack.empty()) return done;
  }
}

// Which leaf of SHAPE the tuple index INDEX names, counted in order.
int64_t LeafNumber(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t number = 0;
  const Shape* at = &shape;
  for (int64_t i : index) {
    for (int64_t before = 0; before < i; ++before)
      number += static_cast<int64_t>(at->elements()[before].Leaves().size());
    at = &at->elements()[i];
  }
  return number;
}

Instruction* ElementOf(Computation& entry, Instruction* tuple, int64_t i) {
  const Shape& shape = tuple->shape().elements()[i];
  if (tuple->opcode() != Opcode::kConstant || tuple->literal().is_elided())
    return entry.Add(Opcode::kGetTupleElement, shape, {tuple}, TupleIndexAttributes{i});
  return entry.Add(Opcode::kConstant, shape, {},
                   ConstantAttributes{tuple->literal().elements()[i]});
}

// One flat tuple of VALUES in place of the root, which may be a tuple of tuples.
void ReplaceRoot(Computation& entry, const std::vector<Instruction*>& values) {
  Instruction* old = entry.root();
  if (std::equal(values.begin(), values.end(), old->operands().begin(), old->operands().end()))
    return;
  std::vector<Shape> shapes;
  for (const Instruction* value : values) shapes.push_back(value->shape());
  entry.set_root(
      entry.Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), values, {}, old->name()));
  if (old->opcode() != Opcode::kTuple) return;  // the values read it
  std::vector<bool> dead(entry.id_bound(), false);
  std::vector<Instruction*> stack = {old};
  while (!stack.empty()) {
    Instruction* tuple = stack.back();
    stack.pop_back();
    dead[tuple->id()] = true;
    for (Instruction* operand : tuple->operands()) {
      if (operand->opcode() == Opcode::kTuple) stack.push_back(operand);
    }
  }
  entry.RemoveAll(dead);
}

}  // namespace

void FlattenParameters(Graph& graph) {
  Computation* inner = graph.entry();
  const auto is_tuple = [](const Instruction* parameter) { return parameter->shape().IsTuple(); };
  if (std::none_of(inner->parameters().begin(), inner->parameters().end(), is_tuple)) return;
  ModuleHeader& header = graph.header();
  Computation* outer = graph.AddComputation(absl::StrCat(inner->name(), ".flat"));
  std::vector<Instruction*> arguments;
  std::vector<Shape> flat_shapes;
  std::vector<int64_t> first_leaf;
  int64_t number = 0;
  for (const Instruction* parameter : inner->parameters()) {
    const Shape& outside = header.has_entry_layout
                               ? header.entry_layout.parameters[parameter->parameter_number()]
                               : parameter->shape();
    for (const Shape* leaf : outside.Leaves()) flat_shapes.push_back(*leaf);
    first_leaf.push_back(number);
    arguments.push_back(AddLeaves(*outer, parameter->shape(), parameter->name(), number));
  }
  Instruction* call =
      outer->Add(Opcode::kCall, inner->root()->shape(), std::move(arguments), CallAttributes{});
  call->set_called({inner});
  outer->set_root(call);
  graph.set_entry(outer);
  if (header.has_entry_layout) header.entry_layout.parameters = std::move(flat_shapes);
  for (InputOutputAlias& alias : header.input_output_alias) {
    alias.parameter =
        first_leaf[alias.parameter] +
        LeafNumber(inner->parameters()[alias.parameter]->shape(), alias.parameter_index);
    alias.parameter_index.clear();
  }
  header.buffer_donor.clear();
}

absl::StatusOr<EntrySpecs> ApplyEntryLayout(Graph& graph) {
  Computation& entry = *graph.entry();
  const ModuleHeader& header = graph.header();
  EntrySpecs specs;
  for (Instruction* parameter : entry.parameters()) {
    const int64_t number = parameter->parameter_number();
    const Shape outside =
        header.has_entry_layout ? header.entry_layout.parameters[number] : parameter->shape();
    ASTITCH_ASSIGN_OR_RETURN(TensorSpec spec, SpecOf(*parameter, outside, parameter->name()));
    specs.inputs.push_back(std::move(spec));
    ASTITCH_RETURN_IF_ERROR(LayParameter(entry, parameter, outside));
  }
  Instruction* root = entry.root();
  const Shape result = header.has_entry_layout ? header.entry_layout.result : root->shape();
  const std::vector<const Shape*> leaves = result.Leaves();
  if (!root->shape().IsTuple()) {
    ASTITCH_ASSIGN_OR_RETURN(TensorSpec spec, SpecOf(*root, *leaves[0], root->name()));
    specs.outputs.push_back(std::move(spec));
    entry.set_root(LayResult(entry, root, *leaves[0]));
  } else {
    std::vector<Instruction*> values;
    std::vector<Instruction*> stack = {root};
    while (!stack.empty()) {
      Instruction* value = stack.back();
      stack.pop_back();
      if (value->opcode() == Opcode::kTuple) {
        for (int64_t i = value->num_operands(); i-- > 0;) stack.push_back(value->operand(i));
      } else if (value->shape().IsTuple()) {
        // An operation of several results at the root: each by itself.
        const std::vector<Shape> elements = value->shape().elements();
        for (int64_t i = static_cast<int64_t>(elements.size()); i-- > 0;) {
          stack.push_back(ElementOf(entry, value, i));
        }
      } else {
        values.push_back(value);
      }
    }
    for (size_t k = 0; k < values.size(); ++k) {
      ASTITCH_ASSIGN_OR_RETURN(TensorSpec spec, SpecOf(*values[k], *leaves[k], values[k]->name()));
      specs.outputs.push_back(std::move(spec));
      values[k] = LayResult(entry, values[k], *leaves[k]);
    }
    ReplaceRoot(entry, values);
  }
  entry.SortProgramOrder();
  specs.aliases = header.input_output_alias;
  graph.header().input_output_alias.clear();
  graph.header().buffer_donor.clear();
  graph.header().has_entry_layout = false;
  return specs;
}

}  // namespace astitch
