// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Choices among what is there, values made to order, and the loop of steps.
#include "tests/random/graph_grower.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "ir/number.h"
#include "ir/shape_inference.h"

namespace astitch::testing {

std::unique_ptr<Graph> MakeRandomGraph(const RandomGraphOptions& options) {
  return GraphGrower(options).Grow();
}

GraphGrower::GraphGrower(const RandomGraphOptions& options)
    : options_(options), random_(options.seed), graph_(std::make_unique<Graph>("random")) {
  main_ = graph_->AddComputation("main");
  graph_->set_entry(main_);
  // Powers of two, odd sizes around vectors and tiles, primes, one, and rarely nothing at all.
  static constexpr int64_t kExtents[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 13,  15,  16, 17,
                                         24, 31, 32, 33, 48, 60, 63, 64, 65, 96, 100, 127, 128};
  for (int64_t n = 2 + Below(3); n > 0; --n) extents_.push_back(kExtents[Below(27)]);
  if (Chance(20)) extents_.push_back(129 + Below(1000));
  if (Chance(3)) extents_.push_back(0);
  static constexpr ElementType kTypes[] = {
      ElementType::kBF16,     ElementType::kF16,   ElementType::kF64, ElementType::kS32,
      ElementType::kS8,       ElementType::kU8,    ElementType::kS64, ElementType::kU32,
      ElementType::kS16,      ElementType::kU16,   ElementType::kU64, ElementType::kPred,
      ElementType::kF8E4M3FN, ElementType::kF8E5M2};
  types_ = {ElementType::kF32, ElementType::kF32};
  if (options.focus) {
    types_ = {options.focus->type, options.focus->type, options.focus->type, kTypes[Below(14)]};
  } else if (!options.only_f32) {
    for (int64_t n = Below(4); n > 0; --n) types_.push_back(kTypes[Below(Chance(50) ? 6 : 14)]);
  }
}

std::unique_ptr<Graph> GraphGrower::Grow() {
  if (options_.focus) {
    Parameter(options_.focus->type, FocusDims());
    for (int i = 0; i < options_.operations; ++i) FocusStep();
  } else {
    AddParameters();
    for (int i = 0; i < options_.operations; ++i) Step();
  }
  SetRoot();
  graph_->SortCalleesFirst();
  return std::move(graph_);
}

void GraphGrower::AddParameters() {
  for (int64_t n = 1 + Below(4); n > 0; --n)
    Parameter(RandomType(), RandomDims(Chance(10) ? 0 : 1 + Below(3)));
}

// The last values and some others, so that everything lives and some values have readers and are
// results as well.
void GraphGrower::SetRoot() {
  std::vector<Instruction*> results;
  for (Instruction* value : values_) {
    const bool dead = value->users().empty() && value->opcode() != Opcode::kParameter;
    if (dead || (Chance(options_.focus ? 35 : 6) && value->opcode() != Opcode::kConstant))
      results.push_back(value);
  }
  if (results.empty()) results.push_back(values_.back());
  if (results.size() == 1 && Chance(50)) return main_->set_root(results[0]);
  std::vector<Shape> shapes;
  for (const Instruction* value : results) shapes.push_back(value->shape());
  main_->set_root(main_->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), results));
}

void GraphGrower::Step() {
  const int64_t kind = Below(10);
  if (kind < 4) return AddElementwise();
  if (kind < 7) return AddMovement();
  AddReduction();
}

// ---- choices

int64_t GraphGrower::Extent() {
  return Chance(10) ? 1 + Below(9) : extents_[Below(static_cast<int64_t>(extents_.size()))];
}

GraphGrower::Dims GraphGrower::RandomDims(int64_t rank) {
  Dims dims;
  int64_t elements = 1;
  for (; rank > 0; --rank) {
    int64_t extent = Extent();
    if (elements * extent > options_.max_elements) extent = 1 + Below(3);
    if (elements * extent > options_.max_elements) extent = 1;
    elements *= extent;
    dims.push_back(extent);
  }
  return dims;
}

ElementType GraphGrower::RandomType() { return types_[Below(static_cast<int64_t>(types_.size()))]; }

// Recent values more often: chains grow long.
Instruction* GraphGrower::Pick() {
  const int64_t n = static_cast<int64_t>(values_.size());
  return Chance(40) ? values_[Below(n)] : values_[n - 1 - Below(std::min<int64_t>(n, 5))];
}

Instruction* GraphGrower::PickFloat() {
  for (int tries = 0; tries < 8; ++tries) {
    Instruction* value = Pick();
    if (IsFloat(value->shape().element_type())) return value;
  }
  return Partner(Pick()->shape().dims(), ElementType::kF32);
}

Instruction* GraphGrower::PickWithRank(int64_t least) {
  for (int tries = 0; tries < 8; ++tries) {
    Instruction* value = Pick();
    if (value->shape().rank() >= least) return value;
  }
  return Parameter(RandomType(), RandomDims(least));
}

// ---- values

Instruction* GraphGrower::PushShaped(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                                     Attributes attributes, std::vector<Computation*> called) {
  for (const Instruction* operand : operands) {
    if (operand == nullptr) return nullptr;
  }
  const bool array = shape.IsArray();
  if (array && shape.num_elements() > options_.max_elements) return nullptr;
  std::vector<ErrorBound> bounds;
  for (const Instruction* operand : operands) bounds.push_back(BoundAt(operand));
  Instruction* value =
      main_->Add(opcode, std::move(shape), std::move(operands), std::move(attributes));
  value->set_called(std::move(called));
  const ErrorBound bound = BoundOf(*value, bounds);
  if (bound.unknown || (!options_.approximate && !bound.exact)) {
    main_->Remove(value);
    return nullptr;
  }
  bounds_.resize(main_->id_bound());
  bounds_[value->id()] = bound;
  if (array) values_.push_back(value);
  return value;
}

Instruction* GraphGrower::Push(Opcode opcode, std::vector<Instruction*> operands,
                               Attributes attributes, std::vector<Computation*> called) {
  for (const Instruction* operand : operands) {
    if (operand == nullptr) return nullptr;
  }
  const absl::StatusOr<Shape> shape = InferShape(opcode, operands, attributes, called);
  ASTITCH_CHECK(shape.ok()) << ToString(opcode) << ": " << shape.status();
  return PushShaped(opcode, *shape, std::move(operands), std::move(attributes), std::move(called));
}

Instruction* GraphGrower::Constant(ElementType type, double value) {
  Literal literal(Shape::Scalar(type));
  StoreFromDouble(type, literal.mutable_bytes().data(), value);
  Instruction* constant =
      main_->Add(Opcode::kConstant, literal.shape(), {}, ConstantAttributes{literal});
  bounds_.resize(main_->id_bound());
  bounds_[constant->id()] = BoundOf(*constant, {});
  return constant;
}

Instruction* GraphGrower::Splat(ElementType type, const Dims& dims, double value) {
  Instruction* constant = Constant(type, value);
  if (dims.empty()) return constant;
  return PushShaped(Opcode::kBroadcast, Shape::Array(type, dims), {constant},
                    DimensionsAttributes{});
}

// Few different numbers, drawn once each: literals are large and many.
Instruction* GraphGrower::ArrayConstant(ElementType type, const Dims& dims) {
  Literal literal(Shape::Array(type, dims));
  if (literal.shape().num_elements() > 4096) return nullptr;
  const bool small = IsUnsigned(type) || IsPred(type);
  const int64_t width = ByteWidth(type), count = small ? 2 : 9;
  std::byte numbers[9 * 8];
  for (int64_t n = 0; n < count; ++n) {
    const auto number = static_cast<double>(small ? n : n - 4);
    StoreFromDouble(type, &numbers[n * width], IsFloat(type) ? number / 2 : number);
  }
  const absl::Span<std::byte> bytes = literal.mutable_bytes();
  for (size_t at = 0; at < bytes.size(); at += width)
    std::memcpy(&bytes[at], &numbers[Below(count) * width], width);
  return PushShaped(Opcode::kConstant, literal.shape(), {}, ConstantAttributes{literal});
}

Instruction* GraphGrower::Parameter(ElementType type, const Dims& dims) {
  Instruction* parameter = PushShaped(Opcode::kParameter, Shape::Array(type, dims), {},
                                      ParameterAttributes{parameters_});
  if (parameter != nullptr) ++parameters_;
  return parameter;
}

Instruction* GraphGrower::ConvertTo(Instruction* x, ElementType type) {
  if (x == nullptr || x->shape().element_type() == type) return x;
  return PushShaped(Opcode::kConvert, Shape::Array(type, x->shape().dims()), {x});
}

Instruction* GraphGrower::Tame(Instruction* x, double limit) {
  const ElementType type = x->shape().element_type();
  const ErrorBound& bound = BoundAt(x);
  if (!IsFloat(type) || (bound.lo >= -limit && bound.hi <= limit)) return x;
  return Push(Opcode::kClamp, {Constant(type, -limit), x, Constant(type, limit)});
}

Instruction* GraphGrower::Partner(const Dims& dims, ElementType type) {
  Instruction* broadcast = nullptr;
  for (int tries = 0; tries < 12; ++tries) {
    Instruction* value = values_[Below(static_cast<int64_t>(values_.size()))];
    if (value->shape().dims() == dims) {
      if (Instruction* converted = ConvertTo(value, type)) return converted;
    } else if (broadcast == nullptr && !value->shape().dims().empty()) {
      broadcast = value;
    }
  }
  if (broadcast != nullptr && Chance(80)) {
    Instruction* wide = ConvertTo(BroadcastTo(broadcast, dims), type);
    if (wide != nullptr) return wide;
  }
  if (Chance(15)) {
    if (Instruction* constant = ArrayConstant(type, dims)) return constant;
  }
  static constexpr double kValues[] = {0, -0.0, 1, 2, -1, 0.25, 3};
  const double value = kValues[Below(7)];
  return Splat(type, dims, IsFloat(type) ? value : std::fabs(std::trunc(value)));
}

// X's dimensions in ascending places of DIMS with the same extents, or null.
Instruction* GraphGrower::BroadcastTo(Instruction* x, const Dims& dims) {
  const Dims& from = x->shape().dims();
  Dims places;
  const bool from_back = Chance(50);
  const int64_t rank = static_cast<int64_t>(dims.size());
  int64_t next = from_back ? static_cast<int64_t>(from.size()) - 1 : 0;
  for (int64_t n = 0; n < rank; ++n) {
    const int64_t d = from_back ? rank - 1 - n : n;
    if (next < 0 || next >= static_cast<int64_t>(from.size())) break;
    if (dims[d] != from[next]) continue;
    places.push_back(d);
    next += from_back ? -1 : 1;
  }
  if (places.size() != from.size()) return nullptr;
  if (from_back) std::reverse(places.begin(), places.end());
  return PushShaped(Opcode::kBroadcast, Shape::Array(x->shape().element_type(), dims), {x},
                    DimensionsAttributes{std::move(places)});
}

// ---- bodies

Computation* GraphGrower::Body(ElementType type, Opcode opcode) {
  Computation*& body = bodies_[absl::StrCat(ToString(opcode), "_", ToString(type))];
  if (body != nullptr) return body;
  body = graph_->AddComputation(absl::StrCat(ToString(opcode), "_", ToString(type)));
  const Shape scalar = Shape::Scalar(type);
  Instruction* a = body->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
  Instruction* b = body->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
  body->set_root(opcode == Opcode::kParameter ? b : body->Add(opcode, scalar, {a, b}));
  return body;
}

// (value, index) of the greater value, of the smaller index among equal ones.
Computation* GraphGrower::ArgMaxBody(ElementType type, ElementType index) {
  Computation*& body = bodies_[absl::StrCat("argmax_", ToString(type), "_", ToString(index))];
  if (body != nullptr) return body;
  body = graph_->AddComputation(absl::StrCat("argmax_", ToString(type), "_", ToString(index)));
  const Shape v = Shape::Scalar(type), i = Shape::Scalar(index);
  const Shape p = Shape::Scalar(ElementType::kPred);
  const auto parameter = [&](int64_t number, const Shape& shape, const char* name) {
    return body->Add(Opcode::kParameter, shape, {}, ParameterAttributes{number}, name);
  };
  Instruction *a = parameter(0, v, "a"), *ai = parameter(1, i, "ai"), *b = parameter(2, v, "b"),
              *bi = parameter(3, i, "bi");
  const auto compare = [&](Instruction* x, Instruction* y, ComparisonDirection direction) {
    const ComparisonType kind = DefaultComparisonType(x->shape().element_type());
    return body->Add(Opcode::kCompare, p, {x, y}, CompareAttributes{direction, kind});
  };
  Instruction* greater = compare(a, b, ComparisonDirection::kGt);
  Instruction* equal = compare(a, b, ComparisonDirection::kEq);
  Instruction* before = compare(ai, bi, ComparisonDirection::kLt);
  Instruction* tie = body->Add(Opcode::kAnd, p, {equal, before});
  Instruction* first = body->Add(Opcode::kOr, p, {greater, tie});
  Instruction* value = body->Add(Opcode::kSelect, v, {first, a, b});
  Instruction* place = body->Add(Opcode::kSelect, i, {first, ai, bi});
  body->set_root(body->Add(Opcode::kTuple, Shape::Tuple({v, i}), {value, place}));
  return body;
}

}  // namespace astitch::testing
