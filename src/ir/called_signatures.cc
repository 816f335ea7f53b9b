// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One function a calling convention.
#include "ir/called_signatures.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

std::string BodyText(const Computation& body, const Instruction& caller) {
  return absl::StrCat("%", body.name(), ", called by ", ToString(caller.opcode()));
}

std::string ParametersText(const Computation& body) {
  std::vector<Shape> shapes;
  for (const Instruction* parameter : body.parameters()) shapes.push_back(parameter->shape());
  return Shape::Tuple(std::move(shapes)).ToString(false);
}

bool TakesExactly(const Computation& body, const std::vector<Shape>& shapes) {
  if (body.parameters().size() != shapes.size()) return false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!body.parameters()[i]->shape().CompatibleWith(shapes[i])) return false;
  }
  return true;
}

absl::Status ExpectParameters(const Instruction& caller, const Computation& body,
                              std::vector<Shape> shapes) {
  if (TakesExactly(body, shapes)) return absl::OkStatus();
  return Expected(absl::StrCat("parameters ", Shape::Tuple(std::move(shapes)).ToString(false),
                               " of ", BodyText(body, caller)),
                  ParametersText(body));
}

absl::Status ExpectReturns(const Instruction& caller, const Computation& body, const Shape& shape) {
  if (body.root()->shape().CompatibleWith(shape)) return absl::OkStatus();
  return Expected(absl::StrCat(shape.ToString(false), " from ", BodyText(body, caller)),
                  body.root()->shape().ToString(false));
}

Shape ElementOf(const Instruction& instruction, int64_t operand) {
  return Shape::Scalar(instruction.operand(operand)->shape().element_type());
}

Shape Predicate() { return Shape::Scalar(ElementType::kPred); }

std::vector<Shape> OperandShapes(const Instruction& instruction, int64_t from) {
  std::vector<Shape> shapes;
  for (int64_t i = from; i < instruction.num_operands(); ++i)
    shapes.push_back(instruction.operand(i)->shape());
  return shapes;
}

// N accumulators, then N values. A value may come in its array's type or widened to the
// accumulator's.
absl::Status CheckReducer(const Instruction& reduce) {
  const int64_t n = reduce.num_operands() / 2;
  const Computation& body = *reduce.called()[0];
  std::vector<Shape> widened, plain;
  for (int64_t i = 0; i < n; ++i) widened.push_back(ElementOf(reduce, n + i));
  plain = widened;
  for (int64_t i = 0; i < n; ++i) {
    widened.push_back(ElementOf(reduce, n + i));
    plain.push_back(ElementOf(reduce, i));
  }
  if (TakesExactly(body, plain)) return absl::OkStatus();
  return ExpectParameters(reduce, body, std::move(widened));
}

absl::Status CheckScatterCombiner(const Instruction& scatter) {
  const int64_t n = scatter.num_operands() / 2;
  ASTITCH_RETURN_IF_ERROR(ExpectLength("called computations of scatter",
                                       static_cast<int64_t>(scatter.called().size()), 1));
  std::vector<Shape> elements;
  for (int64_t i = 0; i < n; ++i) elements.push_back(ElementOf(scatter, i));
  const Shape result = n == 1 ? elements[0] : Shape::Tuple(elements);
  for (int64_t i = 0; i < n; ++i) elements.push_back(ElementOf(scatter, i));
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(scatter, *scatter.called()[0], std::move(elements)));
  return ExpectReturns(scatter, *scatter.called()[0], result);
}

absl::Status CheckComparator(const Instruction& sort) {
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("called computations of sort", static_cast<int64_t>(sort.called().size()), 1));
  std::vector<Shape> elements;
  for (int64_t i = 0; i < sort.num_operands(); ++i)
    elements.insert(elements.end(), 2, ElementOf(sort, i));
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(sort, *sort.called()[0], std::move(elements)));
  return ExpectReturns(sort, *sort.called()[0], Predicate());
}

absl::Status CheckSelectAndScatter(const Instruction& instruction) {
  const Shape element = ElementOf(instruction, 0);
  const Computation &select = *instruction.called()[0], &scatter = *instruction.called()[1];
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(instruction, select, {element, element}));
  ASTITCH_RETURN_IF_ERROR(ExpectReturns(instruction, select, Predicate()));
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(instruction, scatter, {element, element}));
  return ExpectReturns(instruction, scatter, element);
}

absl::Status CheckMapped(const Instruction& map) {
  std::vector<Shape> elements;
  for (int64_t i = 0; i < map.num_operands(); ++i) elements.push_back(ElementOf(map, i));
  return ExpectParameters(map, *map.called()[0], std::move(elements));
}

// Slices of the inputs, then carries; returns slices of the outputs, then the new carries.
absl::Status CheckScanned(const Instruction& scan) {
  const ScanAttributes& attributes = scan.as<ScanAttributes>();
  const int64_t num_inputs = scan.num_operands() - attributes.num_carries;
  std::vector<Shape> shapes = OperandShapes(scan, 0);
  for (int64_t i = 0; i < num_inputs; ++i) {
    std::vector<int64_t> dims = shapes[i].dims();
    dims.erase(dims.begin() + attributes.dimension);
    shapes[i] = Shape::Array(shapes[i].element_type(), std::move(dims));
  }
  const Computation& body = *scan.called()[0];
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(scan, body, shapes));
  const std::vector<Shape>& results = body.root()->shape().elements();
  const size_t num_outputs = results.size() - attributes.num_carries;
  for (int64_t i = 0; i < attributes.num_carries; ++i) {
    if (!results[num_outputs + i].CompatibleWith(shapes[num_inputs + i]))
      return Expected(absl::StrCat(shapes[num_inputs + i].ToString(false), " for carry ", i,
                                   " from ", BodyText(body, scan)),
                      results[num_outputs + i].ToString(false));
  }
  return absl::OkStatus();
}

absl::Status CheckLoop(const Instruction& loop) {
  const Shape& state = loop.operand(0)->shape();
  const Computation &condition = *loop.called()[0], &body = *loop.called()[1];
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(loop, condition, {state}));
  ASTITCH_RETURN_IF_ERROR(ExpectReturns(loop, condition, Predicate()));
  ASTITCH_RETURN_IF_ERROR(ExpectParameters(loop, body, {state}));
  return ExpectReturns(loop, body, state);
}

absl::Status CheckBranches(const Instruction& conditional) {
  const Shape& result = conditional.called()[0]->root()->shape();
  for (size_t i = 0; i < conditional.called().size(); ++i) {
    const Computation& branch = *conditional.called()[i];
    ASTITCH_RETURN_IF_ERROR(
        ExpectParameters(conditional, branch, {conditional.operand(i + 1)->shape()}));
    ASTITCH_RETURN_IF_ERROR(ExpectReturns(conditional, branch, result));
  }
  return absl::OkStatus();
}

absl::Status CheckCallee(const Instruction& call) {
  return ExpectParameters(call, *call.called()[0], OperandShapes(call, 0));
}

// A collective combines elements of any of its operands, so only scalars are asked for.
absl::Status CheckCollectiveReducer(const Instruction& instruction) {
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength(absl::StrCat("called computations of ", ToString(instruction.opcode())),
                   static_cast<int64_t>(instruction.called().size()), 1));
  const Computation& body = *instruction.called()[0];
  bool scalars = body.parameters().size() >= 2 && body.parameters().size() % 2 == 0;
  for (const Instruction* parameter : body.parameters()) scalars &= parameter->shape().IsScalar();
  if (scalars) return absl::OkStatus();
  return Expected(absl::StrCat("pairs of scalars for ", BodyText(body, instruction)),
                  ParametersText(body));
}

}  // namespace

absl::Status CheckCalledSignatures(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return CheckReducer(instruction);
    case Opcode::kScatter:
      return CheckScatterCombiner(instruction);
    case Opcode::kSort:
      return CheckComparator(instruction);
    case Opcode::kSelectAndScatter:
      return CheckSelectAndScatter(instruction);
    case Opcode::kMap:
      return CheckMapped(instruction);
    case Opcode::kScan:
      return CheckScanned(instruction);
    case Opcode::kWhile:
      return CheckLoop(instruction);
    case Opcode::kConditional:
      return CheckBranches(instruction);
    case Opcode::kCall:
    case Opcode::kFusion:
      return CheckCallee(instruction);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return CheckCollectiveReducer(instruction);
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCollectiveReduce:
    case Opcode::kCustomCall:
      return absl::OkStatus();  // their bodies are opaque here
    default:
      break;
  }
  if (instruction.called().empty()) return absl::OkStatus();
  return Expected(absl::StrCat("no called computations of ", ToString(instruction.opcode())),
                  absl::StrCat(instruction.called().size()));
}

}  // namespace astitch
