// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What is the same for all elements is computed on scalars. An element computes all words of its
// block and takes its own: no element is made of the results of another.
#include "passes/random_bits.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/checked_math.h"
#include "ir/number.h"
#include "passes/constants.h"

namespace astitch {
namespace {

int64_t Product(absl::Span<const int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

// Arithmetic on behalf of one generator: values are arrays of the result's dimensions, or scalars.
class Arithmetic {
 public:
  Arithmetic(Rewriter& rewriter, const Instruction& origin, std::vector<int64_t> dims)
      : rewriter_(rewriter), origin_(origin), dims_(std::move(dims)) {}

  Instruction* Scalar(ElementType type, uint64_t bits) {
    return AddSplat(rewriter_, origin_, Shape::Scalar(type), bits);
  }
  // A and B of one type; a scalar is spread where the other is none.
  Instruction* Do(Opcode opcode, Instruction* a, Instruction* b) {
    if (a->shape().rank() != b->shape().rank()) {
      a = Spread(a);
      b = Spread(b);
    }
    return rewriter_.Add(origin_, opcode, a->shape(), {a, b});
  }
  Instruction* Do(Opcode opcode, Instruction* a, uint64_t b) {
    return Do(opcode, a, Scalar(a->shape().element_type(), b));
  }
  Instruction* Add(Instruction* a, Instruction* b) { return Do(Opcode::kAdd, a, b); }
  Instruction* Xor(Instruction* a, Instruction* b) { return Do(Opcode::kXor, a, b); }
  Instruction* Convert(Instruction* a, ElementType type) {
    if (a->shape().element_type() == type) return a;
    return rewriter_.Add(origin_, Opcode::kConvert, Shape::Array(type, a->shape().dims()), {a});
  }
  Instruction* Rotate(Instruction* a, int by) {
    return Do(Opcode::kOr, Do(Opcode::kShiftLeft, a, by),
              Do(Opcode::kShiftRightLogical, a, 32 - by));
  }
  Instruction* Low(Instruction* wide) { return Convert(wide, ElementType::kU32); }
  Instruction* High(Instruction* wide) {
    return Low(Do(Opcode::kShiftRightLogical, wide, uint64_t{32}));
  }
  Instruction* Wide(Instruction* low, Instruction* high) {
    return Do(Opcode::kOr, Convert(low, ElementType::kU64),
              Do(Opcode::kShiftLeft, Convert(high, ElementType::kU64), uint64_t{32}));
  }
  Instruction* Less(Instruction* a, Instruction* b) {
    return Compare(a, b, ComparisonDirection::kLt);
  }
  Instruction* Equal(Instruction* a, uint64_t b) {
    return Compare(a, Scalar(a->shape().element_type(), b), ComparisonDirection::kEq);
  }
  Instruction* Select(Instruction* condition, Instruction* a, Instruction* b) {
    return rewriter_.Add(origin_, Opcode::kSelect, a->shape(), {condition, a, b});
  }
  // The coordinate along DIM.
  Instruction* Coordinate(int64_t dim) {
    return rewriter_.Add(origin_, Opcode::kIota, Shape::Array(ElementType::kU64, dims_), {},
                         DimensionsAttributes{{dim}});
  }
  Instruction* Spread(Instruction* a) {
    if (a->shape().rank() == static_cast<int64_t>(dims_.size())) return a;
    return rewriter_.Add(origin_, Opcode::kBroadcast,
                         Shape::Array(a->shape().element_type(), dims_), {a},
                         DimensionsAttributes{});
  }
  // Word K of the state.
  Instruction* WordOf(Instruction* state, int64_t k) {
    Instruction* piece =
        rewriter_.Add(origin_, Opcode::kSlice, Shape::Array(ElementType::kU64, {1}), {state},
                      SliceAttributes{{k}, {k + 1}, {1}});
    return rewriter_.Add(origin_, Opcode::kReshape, Shape::Scalar(ElementType::kU64), {piece},
                         ReshapeAttributes{});
  }
  Instruction* StateOf(const std::vector<Instruction*>& words) {
    std::vector<Instruction*> pieces;
    for (Instruction* word : words) {
      pieces.push_back(rewriter_.Add(origin_, Opcode::kReshape,
                                     Shape::Array(ElementType::kU64, {1}), {word},
                                     ReshapeAttributes{}));
    }
    const auto size = static_cast<int64_t>(words.size());
    return rewriter_.Add(origin_, Opcode::kConcatenate, Shape::Array(ElementType::kU64, {size}),
                         pieces, DimensionsAttributes{{0}});
  }
  Instruction* Pair(Instruction* a, Instruction* b) {
    return rewriter_.Add(origin_, Opcode::kTuple, Shape::Tuple({a->shape(), b->shape()}), {a, b});
  }
  const std::vector<int64_t>& dims() const { return dims_; }

 private:
  Instruction* Compare(Instruction* a, Instruction* b, ComparisonDirection direction) {
    if (a->shape().rank() != b->shape().rank()) {
      a = Spread(a);
      b = Spread(b);
    }
    return rewriter_.Add(origin_, Opcode::kCompare,
                         Shape::Array(ElementType::kPred, a->shape().dims()), {a, b},
                         CompareAttributes{direction, ComparisonType::kUnsigned});
  }

  Rewriter& rewriter_;
  const Instruction& origin_;
  const std::vector<int64_t> dims_;
};

using Words = std::vector<Instruction*>;

// Threefry-2x32 of 20 rounds.
Words ThreeFry(Arithmetic& do_, Instruction* key, Instruction* counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  std::array<Instruction*, 3> schedule = {do_.Low(key), do_.High(key), nullptr};
  schedule[2] = do_.Do(Opcode::kXor, do_.Xor(schedule[0], schedule[1]), uint64_t{0x1BD11BDA});
  Instruction* x0 = do_.Add(do_.Low(counter), schedule[0]);
  Instruction* x1 = do_.Add(do_.High(counter), schedule[1]);
  for (uint64_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 = do_.Add(x0, x1);
      x1 = do_.Xor(do_.Rotate(x1, rotation), x0);
    }
    x0 = do_.Add(x0, schedule[(group + 1) % 3]);
    x1 = do_.Add(x1, do_.Do(Opcode::kAdd, schedule[(group + 2) % 3], group + 1));
  }
  return {x0, x1};
}

// Philox-4x32 of 10 rounds; the counter in two halves.
Words Philox(Arithmetic& do_, Instruction* key, Instruction* low, Instruction* high) {
  std::array<Instruction*, 2> keys = {do_.Low(key), do_.High(key)};
  std::array<Instruction*, 4> x = {do_.Low(low), do_.High(low), do_.Low(high), do_.High(high)};
  for (int round = 0; round < 10; ++round) {
    const auto times = [&](Instruction* word, uint64_t factor) {
      return do_.Do(Opcode::kMultiply, do_.Convert(word, ElementType::kU64), factor);
    };
    Instruction* a = times(x[0], 0xD2511F53);
    Instruction* b = times(x[2], 0xCD9E8D57);
    x = {do_.Xor(do_.Xor(do_.High(b), x[1]), keys[0]), do_.Low(b),
         do_.Xor(do_.Xor(do_.High(a), x[3]), keys[1]), do_.Low(a)};
    keys = {do_.Do(Opcode::kAdd, keys[0], uint64_t{0x9E3779B9}),
            do_.Do(Opcode::kAdd, keys[1], uint64_t{0xBB67AE85})};
  }
  return {x.begin(), x.end()};
}

// Which block and which word of it an element has; WORD null: the block's first, or all.
struct Position {
  Instruction* block = nullptr;
  Instruction* word = nullptr;
  int64_t blocks = 0;  // in all
};

// The row-major number of an element among EXTENTS, of COORDINATES.
Instruction* Linear(Arithmetic& do_, const Words& coordinates,
                    const std::vector<int64_t>& extents) {
  Instruction* linear = nullptr;
  for (size_t d = 0; d < coordinates.size(); ++d) {
    if (linear != nullptr)
      linear = do_.Do(Opcode::kMultiply, linear, static_cast<uint64_t>(extents[d]));
    linear = linear == nullptr ? coordinates[d] : do_.Add(linear, coordinates[d]);
  }
  return linear != nullptr ? linear : do_.Scalar(ElementType::kU64, 0);
}

// Blocks of so many elements, in the order of the result.
Position InOrder(Arithmetic& do_, uint64_t per_block) {
  Words coordinates;
  for (size_t d = 0; d < do_.dims().size(); ++d)
    coordinates.push_back(do_.Coordinate(static_cast<int64_t>(d)));
  Position at;
  at.block = Linear(do_, coordinates, do_.dims());
  const int64_t elements = Product(do_.dims());
  at.blocks = CeilDiv(elements, static_cast<int64_t>(per_block));
  if (per_block == 1) return at;
  at.word = do_.Do(Opcode::kRemainder, at.block, per_block);
  at.block = do_.Do(Opcode::kDivide, at.block, per_block);
  return at;
}

// The two words of a block are neighbours along the first dimension of an even extent, or else along
// the first of the largest: blocks are numbered as the array with that dimension halved.
Position InHalves(Arithmetic& do_) {
  std::vector<int64_t> extents = do_.dims();
  if (extents.empty()) return {do_.Scalar(ElementType::kU64, 0), nullptr, 1};
  auto split = std::find_if(extents.begin(), extents.end(), [](int64_t d) { return d % 2 == 0; });
  if (split == extents.end()) split = std::max_element(extents.begin(), extents.end());
  *split = CeilDiv(*split, int64_t{2});
  Position at;
  Words coordinates;
  for (size_t d = 0; d < extents.size(); ++d) {
    Instruction* coordinate = do_.Coordinate(static_cast<int64_t>(d));
    if (d == static_cast<size_t>(split - extents.begin())) {
      at.word = do_.Do(Opcode::kAnd, coordinate, uint64_t{1});
      coordinate = do_.Do(Opcode::kShiftRightLogical, coordinate, uint64_t{1});
    }
    coordinates.push_back(coordinate);
  }
  at.block = Linear(do_, coordinates, extents);
  at.blocks = Product(extents);
  return at;
}

// An element's own among the words of its block.
Instruction* Own(Arithmetic& do_, const Words& words, Instruction* number) {
  Instruction* own = words[0];
  for (size_t w = 1; number != nullptr && w < words.size(); ++w)
    own = do_.Select(do_.Equal(number, w), words[w], own);
  return own;
}

struct Drawn {
  Instruction* bits = nullptr;
  std::vector<Instruction*> state;  // afterwards
};

Drawn DrawThreeFry(Arithmetic& do_, std::vector<Instruction*> state, bool wide) {
  const Position at = wide ? InOrder(do_, 1) : InHalves(do_);
  const Words words = ThreeFry(do_, state[0], do_.Add(state[1], at.block));
  state[1] = do_.Do(Opcode::kAdd, state[1], static_cast<uint64_t>(at.blocks));
  return {wide ? do_.Wide(words[0], words[1]) : Own(do_, words, at.word), std::move(state)};
}

// The counter has 128 bits; a state of two words keeps its upper half in the key's place.
Drawn DrawPhilox(Arithmetic& do_, std::vector<Instruction*> state, bool wide) {
  const Position at = InOrder(do_, wide ? 2 : 4);
  Instruction* high = state.size() == 3 ? state[2] : state[0];
  const auto advance = [&](Instruction* by) {
    Instruction* low = do_.Add(state[1], by);
    Instruction* carry = do_.Convert(do_.Less(low, by), ElementType::kU64);
    return std::pair{low, do_.Add(carry, high)};
  };
  const auto [low, upper] = advance(at.block);
  Words words = Philox(do_, state[0], low, upper);
  if (wide) words = {do_.Wide(words[0], words[1]), do_.Wide(words[2], words[3])};
  const auto [next, next_upper] =
      advance(do_.Scalar(ElementType::kU64, static_cast<uint64_t>(at.blocks)));
  state[1] = next;
  if (state.size() == 3) state[2] = next_upper;
  return {Own(do_, words, at.word), std::move(state)};
}

}  // namespace

absl::StatusOr<Instruction*> ExpandRandomBits(Rewriter& rewriter, Instruction& generator) {
  const bool is_tuple = generator.shape().IsTuple();
  const Shape& shape = is_tuple ? generator.shape().elements()[1] : generator.shape();
  Instruction* state = generator.operand(0);
  if (!IsStaticArray(shape) || !IsInteger(shape.element_type()) || !IsStaticArray(state->shape()) ||
      state->shape().element_type() != ElementType::kU64)
    return nullptr;
  const int64_t size = state->shape().num_elements();
  if (state->shape().rank() != 1 || size < 2 || size > 3) return nullptr;
  Arithmetic arithmetic(rewriter, generator, shape.dims());
  std::vector<Instruction*> words;
  for (int64_t k = 0; k < size; ++k) words.push_back(arithmetic.WordOf(state, k));
  const bool wide = BitWidth(shape.element_type()) == 64;
  const bool three_fry =
      generator.as<RngBitGeneratorAttributes>().algorithm == RngAlgorithm::kThreeFry;
  const Drawn drawn =
      three_fry ? DrawThreeFry(arithmetic, words, wide) : DrawPhilox(arithmetic, words, wide);
  Instruction* bits = arithmetic.Convert(arithmetic.Spread(drawn.bits), shape.element_type());
  return is_tuple ? arithmetic.Pair(arithmetic.StateOf(drawn.state), bits) : bits;
}

}  // namespace astitch
