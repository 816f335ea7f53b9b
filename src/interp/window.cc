// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// reduce-window and select-and-scatter: windows that slide over padded, dilated bases. Positions
// that hold no element are skipped, never read as zero.
#include "ir/window.h"

#include <algorithm>
#include <vector>

#include "interp/fold.h"
#include "interp/prefix_window.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

// For every dimension, output coordinate and window offset: the element covered times its stride,
// or -1.
class WindowMap {
 public:
  WindowMap(const Window& window, const std::vector<int64_t>& base,
            const std::vector<int64_t>& outputs)
      : outputs_(outputs) {
    const std::vector<int64_t> strides = RowMajorStrides(base);
    for (size_t d = 0; d < base.size(); ++d) {
      sizes_.push_back(window[d].size);
      std::vector<int64_t>& elements = elements_.emplace_back();
      for (int64_t o = 0; o < outputs[d]; ++o) {
        for (int64_t k = 0; k < window[d].size; ++k) {
          const int64_t element = WindowElement(base[d], window[d], o, k);
          elements.push_back(element < 0 ? -1 : element * strides[d]);
        }
      }
    }
  }

  const std::vector<int64_t>& sizes() const { return sizes_; }
  // The element that window offset K of output OUT covers, or -1.
  int64_t Element(const int64_t* out, const std::vector<int64_t>& k) const {
    int64_t sum = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const int64_t element = elements_[d][out[d] * sizes_[d] + k[d]];
      if (element < 0) return -1;
      sum += element;
    }
    return sum;
  }
  // Row-major successor in a box; false after the last one.
  static bool Next(const std::vector<int64_t>& dims, int64_t* at) {
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) return true;
      at[d] = 0;
    }
    return false;
  }
  const std::vector<int64_t>& outputs() const { return outputs_; }

 private:
  std::vector<int64_t> outputs_, sizes_;
  std::vector<std::vector<int64_t>> elements_;
};

// A scalar without a window attribute has a window of rank 0; an array always has one.
const Window& WindowOf(const Instruction& instruction) {
  return instruction.as<WindowAttributes>().window;
}

// The coordinates of a block of outputs, COUNT of them from where AT stands, one after the other.
std::vector<int64_t> TakeCoordinates(const WindowMap& map, int64_t count,
                                     std::vector<int64_t>& at) {
  std::vector<int64_t> coordinates;
  coordinates.reserve(count * at.size());
  for (int64_t k = 0; k < count; ++k) {
    coordinates.insert(coordinates.end(), at.begin(), at.end());
    WindowMap::Next(map.outputs(), at.data());
  }
  return coordinates;
}

Literal OneOrTuple(const Instruction& instruction, std::vector<Literal> results) {
  return instruction.shape().IsTuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

struct WindowFold {
  Fold fold;
  Operands arrays;
  std::vector<std::vector<Lane>> sums;  // by result, a lane an output of the block

  // Folds what window offset K covers into the outputs of the block that have an element there.
  absl::Status FoldOffset(const WindowMap& map, const std::vector<int64_t>& coordinates,
                          int64_t count, const std::vector<int64_t>& k) {
    const int64_t rank = static_cast<int64_t>(k.size());
    std::vector<int64_t> covering, elements;
    for (int64_t lane = 0; lane < count; ++lane) {
      const int64_t element = map.Element(coordinates.data() + lane * rank, k);
      if (element < 0) continue;
      covering.push_back(lane);
      elements.push_back(element);
    }
    const int64_t n = static_cast<int64_t>(covering.size());
    for (int64_t i = 0; i < fold.width(); ++i) {
      for (int64_t j = 0; j < n; ++j) fold.accumulator(i)[j] = sums[i][covering[j]];
      DecodeAt(arrays[i].shape().element_type(), arrays[i].bytes().data(), 0, elements.data(), n,
               fold.value(i));
    }
    ASTITCH_RETURN_IF_ERROR(fold.Combine(n));
    for (int64_t i = 0; i < fold.width(); ++i) {
      for (int64_t j = 0; j < n; ++j) sums[i][covering[j]] = fold.accumulator(i)[j];
    }
    return absl::OkStatus();
  }
};

}  // namespace

Result EvalReduceWindow(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(Fold fold, Fold::Make(context, *instruction.called()[0]));
  const int64_t width = fold.width();
  WindowFold windows{std::move(fold), operands, {}};
  std::vector<Literal> results;
  std::vector<Lane> inits;
  for (const Shape* shape : instruction.shape().Leaves()) results.emplace_back(*shape);
  for (int64_t i = 0; i < width; ++i) {
    const Literal& init = operands[width + i];
    inits.push_back(DecodeOne(init.shape().element_type(), init.bytes().data()));
  }
  const std::optional<PrefixWindow> prefix =
      FindPrefixWindow(WindowOf(instruction), operands[0].shape().dims());
  if (prefix && (!prefix->from_end || windows.fold.commutes())) {
    ASTITCH_RETURN_IF_ERROR(FoldPrefixes(*prefix, windows.fold, operands.subspan(0, width), inits,
                                         absl::MakeSpan(results)));
    return OneOrTuple(instruction, std::move(results));
  }
  const WindowMap map(WindowOf(instruction), operands[0].shape().dims(), results[0].shape().dims());
  const int64_t total = results[0].shape().num_elements();
  std::vector<int64_t> at(map.outputs().size());
  for (int64_t start = 0; start < total; start += kLanes) {
    const int64_t count = std::min(kLanes, total - start);
    const std::vector<int64_t> coordinates = TakeCoordinates(map, count, at);
    windows.sums.clear();
    for (int64_t i = 0; i < width; ++i) windows.sums.emplace_back(count, inits[i]);
    std::vector<int64_t> k(map.sizes().size());
    do {
      ASTITCH_RETURN_IF_ERROR(windows.FoldOffset(map, coordinates, count, k));
    } while (WindowMap::Next(map.sizes(), k.data()));
    for (int64_t i = 0; i < width; ++i) {
      const ElementType type = results[i].shape().element_type();
      Encode(type, windows.sums[i].data(), count,
             results[i].mutable_bytes().data() + start * ByteWidth(type));
    }
  }
  return OneOrTuple(instruction, std::move(results));
}

// Each source element goes to the element that its window selects: the first valid one, replaced by
// a later one whenever select(candidate, later) is false.
Result EvalSelectAndScatter(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(
      ScalarProgram select,
      ScalarProgram::Compile(context, *instruction.called()[0], Rounding::kEach));
  ASTITCH_ASSIGN_OR_RETURN(Fold scatter, Fold::Make(context, *instruction.called()[1]));
  const Literal& operand = operands[0];
  const Literal& source = operands[1];
  const ElementType operand_type = operand.shape().element_type();
  const ElementType type = instruction.shape().element_type();
  const WindowMap map(WindowOf(instruction), operand.shape().dims(), source.shape().dims());
  std::vector<Lane> sums(operand.shape().num_elements(),
                         DecodeOne(type, operands[2].bytes().data()));
  std::vector<int64_t> at(map.outputs().size());
  const int64_t total = source.shape().num_elements();
  for (int64_t s = 0; s < total; ++s, WindowMap::Next(map.outputs(), at.data())) {
    int64_t chosen = -1;
    std::vector<int64_t> k(map.sizes().size());
    do {
      const int64_t element = map.Element(at.data(), k);
      if (element < 0) continue;
      *select.param(1) =
          DecodeOne(operand_type, operand.bytes().data() + element * ByteWidth(operand_type));
      if (chosen >= 0) {
        ASTITCH_RETURN_IF_ERROR(select.Run(1));
        if (select.result(0)->i != 0) continue;
      }
      chosen = element;
      *select.param(0) = *select.param(1);
    } while (WindowMap::Next(map.sizes(), k.data()));
    if (chosen < 0) continue;
    *scatter.accumulator(0) = sums[chosen];
    *scatter.value(0) = DecodeOne(type, source.bytes().data() + s * ByteWidth(type));
    ASTITCH_RETURN_IF_ERROR(scatter.Combine(1));
    sums[chosen] = *scatter.accumulator(0);
  }
  Literal result(instruction.shape());
  Encode(type, sums.data(), static_cast<int64_t>(sums.size()), result.mutable_bytes().data());
  return result;
}

}  // namespace astitch::interp
