// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random operations: which counter feeds which element, for both algorithms and all widths.
//
// `rng` draws from the same Philox with the evaluation's own counter, so that a graph gives the
// same numbers every time; HLO leaves its values open.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/checked_math.h"
#include "interp/lanes.h"
#include "interp/ops.h"
#include "interp/random_bits.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

using Counter = unsigned __int128;

std::array<uint32_t, 2> Words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

std::array<uint32_t, 4> PhiloxBlock(uint64_t key, Counter counter) {
  const auto low = Words(static_cast<uint64_t>(counter));
  const auto high = Words(static_cast<uint64_t>(counter >> 64));
  return Philox4x32(Words(key), {low[0], low[1], high[0], high[1]});
}

int64_t CountOf(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// 32-bit words of the Threefry variant: the shape is halved along its first even dimension (else
// the first largest), and the two words of a block are neighbours along it. Returns the number of
// counters used.
int64_t ThreeFryWords(uint64_t key, uint64_t counter, const std::vector<int64_t>& dims,
                      std::vector<uint64_t>& out) {
  if (dims.empty()) {
    out[0] = ThreeFry2x32(Words(key), Words(counter))[0];
    return 1;
  }
  auto split = std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d % 2 == 0; });
  if (split == dims.end()) split = std::max_element(dims.begin(), dims.end());
  const int64_t length = *split;
  const int64_t half = (length + 1) / 2;
  const int64_t inner = CountOf({split + 1, dims.end()});
  const int64_t outer = CountOf({dims.begin(), split});
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t h = 0; h < half; ++h) {
      for (int64_t i = 0; i < inner; ++i) {
        const uint64_t block = static_cast<uint64_t>((o * half + h) * inner + i);
        const auto words = ThreeFry2x32(Words(key), Words(counter + block));
        for (int64_t w = 0; w < 2 && 2 * h + w < length; ++w) {
          out[(o * length + 2 * h + w) * inner + i] = words[w];
        }
      }
    }
  }
  return outer * half * inner;
}

int64_t ThreeFryDoubleWords(uint64_t key, uint64_t counter, std::vector<uint64_t>& out) {
  for (size_t p = 0; p < out.size(); ++p) {
    const auto words = ThreeFry2x32(Words(key), Words(counter + p));
    out[p] = words[0] | uint64_t{words[1]} << 32;
  }
  return static_cast<int64_t>(out.size());
}

int64_t PhiloxWords(uint64_t key, Counter counter, bool double_words, std::vector<uint64_t>& out) {
  const size_t per_block = double_words ? 2 : 4;
  const size_t blocks = (out.size() + per_block - 1) / per_block;
  for (size_t b = 0; b < blocks; ++b) {
    const auto words = PhiloxBlock(key, counter + b);
    for (size_t j = 0; j < per_block && b * per_block + j < out.size(); ++j) {
      out[b * per_block + j] =
          double_words ? words[2 * j] | uint64_t{words[2 * j + 1]} << 32 : words[j];
    }
  }
  return static_cast<int64_t>(blocks);
}

// Uniform in [0, 1) with 53 bits, two an evaluation of Philox.
class UniformStream {
 public:
  explicit UniformStream(Context& context) : context_(context) {}
  double Next() {
    if (used_ == 2) {
      block_ = PhiloxBlock(0, context_.AdvanceRandomState(1));
      used_ = 0;
    }
    const uint64_t bits = block_[2 * used_] | uint64_t{block_[2 * used_ + 1]} << 32;
    ++used_;
    return std::ldexp(static_cast<double>(bits >> 11), -53);
  }

 private:
  Context& context_;
  std::array<uint32_t, 4> block_ = {};
  int used_ = 2;
};

double ScalarAsDouble(const Literal& literal) {
  return LoadAsDouble(literal.shape().element_type(), literal.bytes().data());
}

}  // namespace

Result EvalRngBitGenerator(const Instruction& instruction, Operands operands) {
  const bool is_tuple = instruction.shape().IsTuple();
  const Shape& shape = is_tuple ? instruction.shape().elements()[1] : instruction.shape();
  const ElementType type = shape.element_type();
  const auto algorithm = instruction.as<RngBitGeneratorAttributes>().algorithm;
  if (IsFloat(type))
    return ErrorAt(instruction, "an integer type for the bits", shape.ToString(false));
  Literal state = std::move(operands[0]);
  if (state.shape().element_type() != ElementType::kU64 || state.shape().num_elements() < 2 ||
      state.shape().num_elements() > 3) {
    return ErrorAt(instruction, "u64[2] or u64[3] for the state", state.shape().ToString(false));
  }
  const absl::Span<uint64_t> words = state.mutable_data<uint64_t>();
  const uint64_t key = words[0];
  const bool double_words = BitWidth(type) == 64;
  std::vector<uint64_t> bits(shape.num_elements());
  if (algorithm == RngAlgorithm::kThreeFry) {
    const int64_t used = double_words ? ThreeFryDoubleWords(key, words[1], bits)
                                      : ThreeFryWords(key, words[1], shape.dims(), bits);
    words[1] += static_cast<uint64_t>(used);
  } else {
    // The 128-bit counter; a state of two words keeps its upper half in the key's place.
    const Counter high = words.size() == 3 ? words[2] : words[0];
    const Counter counter = high << 64 | words[1];
    const Counter next = counter + PhiloxWords(key, counter, double_words, bits);
    words[1] = static_cast<uint64_t>(next);
    if (words.size() == 3) words[2] = static_cast<uint64_t>(next >> 64);
  }
  Literal result(shape);
  const int width = ByteWidth(type);
  std::byte* to = result.mutable_bytes().data();
  for (size_t k = 0; k < bits.size(); ++k) {
    StoreBits(type, to + k * width,
              static_cast<uint64_t>(WrapInteger(type, static_cast<int64_t>(bits[k]))));
  }
  if (!is_tuple) return result;
  return Literal::Tuple({std::move(state), std::move(result)});
}

Result EvalRngGetAndUpdateState(Context& context, const Instruction& instruction) {
  const Counter before = context.AdvanceRandomState(instruction.as<RngStateAttributes>().delta);
  Literal state(instruction.shape());
  state.mutable_data<uint64_t>()[0] = static_cast<uint64_t>(before);
  state.mutable_data<uint64_t>()[1] = static_cast<uint64_t>(before >> 64);
  return state;
}

Result EvalRng(Context& context, const Instruction& instruction, Operands operands) {
  const bool normal = instruction.as<RngAttributes>().normal;
  const ElementType type = instruction.shape().element_type();
  if (IsComplex(type)) {
    return ErrorAt(instruction, "real numbers from rng", instruction.shape().ToString(false));
  }
  const double a = ScalarAsDouble(operands[0]);
  const double b = ScalarAsDouble(operands[1]);
  UniformStream uniform(context);
  Literal result(instruction.shape());
  const int64_t n = result.shape().num_elements();
  const int width = ByteWidth(type);
  std::byte* to = result.mutable_bytes().data();
  for (int64_t k = 0; k < n; ++k) {
    double value;
    if (normal) {  // Box-Muller; 1 - u is never zero
      const double radius = std::sqrt(-2 * std::log(1 - uniform.Next()));
      value = a + b * radius * std::cos(2 * std::numbers::pi * uniform.Next());
    } else {
      value = a + (b - a) * uniform.Next();
      if (!IsFloat(type)) value = std::floor(value);
    }
    StoreFromDouble(type, to + k * width, value);
    // Rounding may reach the open end of the range.
    if (!normal && LoadAsDouble(type, to + k * width) >= b)
      StoreFromDouble(type, to + k * width, a);
  }
  return result;
}

}  // namespace astitch::interp

namespace astitch {
namespace {

constexpr int64_t kMoreThanAny = int64_t{1} << 40;

bool Draws(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kRng ||
         instruction.opcode() == Opcode::kRngGetAndUpdateState;
}

bool DrawsInside(const Instruction& instruction) {
  absl::flat_hash_set<const Computation*> seen;
  std::vector<const Computation*> open(instruction.called().begin(), instruction.called().end());
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    if (!seen.insert(computation).second) continue;
    for (const auto& inner : computation->instructions()) {
      if (Draws(*inner)) return true;
      open.insert(open.end(), inner->called().begin(), inner->called().end());
    }
  }
  return false;
}

}  // namespace

int64_t RandomBlocks(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kRng: {
      const int64_t elements = instruction.shape().num_elements();
      return instruction.as<RngAttributes>().normal ? elements : CeilDiv(elements, int64_t{2});
    }
    case Opcode::kRngGetAndUpdateState:
      return instruction.as<RngStateAttributes>().delta;
    default:  // draws only by what it calls
      return DrawsInside(instruction) ? kMoreThanAny : 0;
  }
}

}  // namespace astitch
