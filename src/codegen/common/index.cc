// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic on digits. What is known of a digit (its multiple, its lane stride) is carried along,
// because a vector load needs contiguous lanes and a known alignment.
#include "codegen/common/index.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace astitch::codegen {
namespace {

// Tags of cached operations that are no LLVM binary operator.
enum : unsigned { kMin = 1000, kMax, kAnd, kSplat, kMaterialize, kCompare = 2000 };

int LanesOf(Value value) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

bool IsZero(Value value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->isNullValue();
}

bool IsOne(Value value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->isOneValue();
}

// The lanes of a constant vector; none where it is no such.
std::vector<int64_t> ConstantLanes(Value value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  std::vector<int64_t> numbers;
  if (constant == nullptr || !constant->getType()->isVectorTy()) return numbers;
  for (int lane = 0; lane < LanesOf(value); ++lane) {
    auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (number == nullptr) return {};
    numbers.push_back(number->getSExtValue());
  }
  return numbers;
}

int64_t MultipleOf(Value base) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(base);
  return constant == nullptr ? 1 : std::abs(constant->getSExtValue());
}

}  // namespace

IndexBuilder::IndexBuilder(Scopes& scopes, llvm::IntegerType* type)
    : scopes_(scopes), type_(type) {}

int IndexBuilder::DepthOf(const Index& index) const {
  int depth = 0;
  for (const Digits& digits : index.dims) {
    for (const Digit& digit : digits) depth = std::max(depth, scopes_.DepthOf(digit.base));
  }
  return depth;
}

Value IndexBuilder::Cached(unsigned tag, Value a, Value b, absl::FunctionRef<Value()> emit) {
  const OpKey key(tag, a, b);
  const auto it = ops_.find(key);
  if (it != ops_.end()) return it->second;
  const int depth = std::max(DepthOf(a), b == nullptr ? 0 : DepthOf(b));
  Value value = scopes_.At(depth, emit);
  if (llvm::isa<llvm::Constant>(value)) scopes_.SetDepth(value, 0);
  ops_.emplace(key, value);
  if (ops_by_depth_.size() <= static_cast<size_t>(depth)) ops_by_depth_.resize(depth + 1);
  ops_by_depth_[depth].push_back(key);
  return value;
}

void IndexBuilder::Forget(int depth) {
  if (ops_by_depth_.size() <= static_cast<size_t>(depth)) return;
  for (const OpKey& key : ops_by_depth_[depth]) ops_.erase(key);
  ops_by_depth_[depth].clear();
}

void IndexBuilder::Match(Value& a, Value& b) {
  const int lanes = std::max(LanesOf(a), LanesOf(b));
  if (LanesOf(a) != lanes) a = Splat(a, lanes);
  if (LanesOf(b) != lanes) b = Splat(b, lanes);
}

Value IndexBuilder::Op(llvm::Instruction::BinaryOps op, Value a, Value b) {
  Match(a, b);  // first: a vector of zeros plus a number is that number in every lane
  const bool additive = op == llvm::Instruction::Add;
  if (additive && IsZero(a)) return b;
  if ((additive || op == llvm::Instruction::Sub) && IsZero(b)) return a;
  if ((op == llvm::Instruction::Mul || op == llvm::Instruction::UDiv) && IsOne(b)) return a;
  return Cached(op, a, b, [&] { return scopes_.builder().CreateBinOp(op, a, b); });
}

// The builder does not fold these.
Value IndexBuilder::FoldLanes(Value a, Value b,
                              absl::FunctionRef<int64_t(int64_t, int64_t)> fold) const {
  const std::vector<int64_t> of_a = ConstantLanes(a), of_b = ConstantLanes(b);
  if (of_a.empty() || of_b.empty()) return nullptr;
  std::vector<llvm::Constant*> lanes;
  for (size_t lane = 0; lane < of_a.size(); ++lane) {
    lanes.push_back(llvm::ConstantInt::getSigned(type_, fold(of_a[lane], of_b[lane])));
  }
  return llvm::ConstantVector::get(lanes);
}

Value IndexBuilder::Min(Value a, Value b) {
  Match(a, b);
  const auto least = [](int64_t x, int64_t y) { return std::min(x, y); };
  if (Value folded = FoldLanes(a, b, least); folded != nullptr) return folded;
  return Cached(kMin, a, b, [&] {
    return scopes_.builder().CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  });
}

Value IndexBuilder::Max(Value a, Value b) {
  Match(a, b);
  const auto most = [](int64_t x, int64_t y) { return std::max(x, y); };
  if (Value folded = FoldLanes(a, b, most); folded != nullptr) return folded;
  return Cached(kMax, a, b, [&] {
    return scopes_.builder().CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  });
}

Value IndexBuilder::Compare(llvm::CmpInst::Predicate predicate, Value a, Value b) {
  Match(a, b);
  return Cached(static_cast<unsigned>(kCompare) + static_cast<unsigned>(predicate), a, b,
                [&] { return scopes_.builder().CreateICmp(predicate, a, b); });
}

Value IndexBuilder::And(Value a, Value b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  Match(a, b);
  return Cached(kAnd, a, b, [&] { return scopes_.builder().CreateAnd(a, b); });
}

Value IndexBuilder::Splat(Value scalar, int lanes) {
  if (lanes == 1) return scalar;
  return Cached(kSplat + (static_cast<unsigned>(lanes) << 16), scalar, nullptr,
                [&] { return scopes_.builder().CreateVectorSplat(lanes, scalar); });
}

Digit IndexBuilder::ConstantDigit(int64_t value, int64_t extent) const {
  return {.base = Constant(value), .extent = extent, .multiple = value};
}

Value IndexBuilder::Materialize(const Digit& digit) {
  if (digit.uniform() || digit.per_lane) return digit.base;
  std::vector<llvm::Constant*> steps;
  for (int64_t lane = 0; lane < digit.lanes; ++lane) {
    steps.push_back(llvm::ConstantInt::getSigned(type_, lane * digit.stride));
  }
  return Add(Splat(digit.base, digit.lanes), llvm::ConstantVector::get(steps));
}

std::optional<LaneOffsets> IndexBuilder::OffsetsOf(const Digit& digit, int32_t lanes) const {
  const auto known = offsets_.find(digit.base);
  if (digit.per_lane) {
    if (known != offsets_.end()) return known->second;
    std::vector<int64_t> numbers = ConstantLanes(digit.base);
    if (numbers.empty()) return std::nullopt;
    return LaneOffsets{Constant(0), 0, std::move(numbers)};
  }
  LaneOffsets out{digit.base, digit.multiple, {}};
  int64_t first = 0;
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(digit.base)) {
    first = constant->getSExtValue();
    out.origin = Constant(0);
    out.multiple = 0;
  } else if (known != offsets_.end() && known->second.multiple > digit.multiple) {
    first = known->second.offsets[0];
    out.origin = known->second.origin;
    out.multiple = known->second.multiple;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) out.offsets.push_back(first + lane * digit.stride);
  return out;
}

Value IndexBuilder::Shifted(Value origin, int64_t multiple, int64_t offset) {
  if (LanesOf(origin) > 1 || offset == 0 || multiple == 0) return Add(origin, Constant(offset));
  Value shifted = Add(origin, Constant(offset));
  offsets_.insert_or_assign(shifted, LaneOffsets{origin, std::abs(multiple), {offset}});
  return shifted;
}

LaneOffsets IndexBuilder::Rebased(LaneOffsets lanes, int64_t extent) {
  const int64_t least = *std::min_element(lanes.offsets.begin(), lanes.offsets.end());
  const int64_t whole = least - (least % extent + extent) % extent;
  lanes.origin = Add(lanes.origin, Constant(whole));
  lanes.multiple = std::gcd(lanes.multiple, whole);
  for (int64_t& offset : lanes.offsets) offset -= whole;
  return lanes;
}

Digit IndexBuilder::FromOffsets(LaneOffsets lanes, int64_t extent) {
  const auto count = static_cast<int32_t>(lanes.offsets.size());
  const int64_t first = lanes.offsets[0], stride = lanes.offsets[1] - first;
  bool evenly = true;
  for (int64_t lane = 0; lane < count; ++lane)
    evenly &= lanes.offsets[lane] == first + lane * stride;
  Digit out{.extent = extent, .lanes = count};
  if (evenly) {
    out.base = Shifted(lanes.origin, lanes.multiple, first);
    out.stride = stride;
    out.multiple = std::gcd(lanes.multiple, first);
    if (stride == 0) out.lanes = 1;
    return out;
  }
  std::vector<llvm::Constant*> steps;
  for (int64_t offset : lanes.offsets) steps.push_back(llvm::ConstantInt::getSigned(type_, offset));
  out.base = Add(Splat(lanes.origin, count), llvm::ConstantVector::get(steps));
  out.per_lane = true;
  offsets_.insert_or_assign(out.base, std::move(lanes));
  return out;
}

Digit IndexBuilder::Affine(const Digit& digit, int64_t scale, int64_t offset, int64_t extent) {
  if (auto known = OffsetsOf(digit, digit.lanes); digit.per_lane && known.has_value()) {
    LaneOffsets lanes = *std::move(known);
    lanes.origin = Mul(lanes.origin, scale);
    lanes.multiple *= std::abs(scale);
    for (int64_t& each : lanes.offsets) each = each * scale + offset;
    return FromOffsets(std::move(lanes), extent);
  }
  Digit out = digit;
  out.base = Shifted(Mul(digit.base, scale), digit.multiple * scale, offset);
  out.stride = digit.stride * scale;
  out.ForgetBounds();
  if (scale == 1 && digit.most >= 0 && digit.most + offset >= 0) {
    out.least = digit.least + offset;
    out.most = digit.most + offset;
  }
  out.multiple = std::gcd(digit.multiple * scale, offset);
  out.extent = extent;
  return out;
}

Digit IndexBuilder::FromValue(Value value, int64_t extent) const {
  const int lanes = LanesOf(value);
  return {.base = value,
          .extent = extent,
          .multiple = lanes == 1 ? MultipleOf(value) : 1,
          .lanes = lanes,
          .per_lane = lanes > 1};
}

bool IndexBuilder::Rejoin(const Digit& hi, const Digit& lo, Digit* joined) const {
  if (hi.uniform() && IsZero(hi.base)) {
    *joined = lo;
  } else {
    Digit key = hi;
    key.extent = 0;  // a prefix of the split number joins all the same
    const auto it = joins_.find({key, lo});
    if (it == joins_.end()) return false;
    *joined = it->second;
  }
  joined->extent = hi.extent * lo.extent;
  return true;
}

void IndexBuilder::Declare(Digit hi, const Digit& lo, const Digit& joined) {
  splits_.emplace(SplitKey{joined, lo.extent}, std::pair(hi, lo));
  hi.extent = 0;
  joins_.emplace(std::pair(hi, lo), joined);
}

Digit IndexBuilder::Join(const Digit& hi, const Digit& lo) {
  Digit joined;
  if (Rejoin(hi, lo, &joined)) return joined;
  const bool per_lane = hi.per_lane || lo.per_lane;
  const int64_t radix = lo.extent;
  joined.extent = hi.extent * radix;
  joined.lanes = std::max(hi.lanes, lo.lanes);
  const std::optional<LaneOffsets> above = OffsetsOf(hi, joined.lanes),
                                   below = OffsetsOf(lo, joined.lanes);
  if (per_lane && above.has_value() && below.has_value()) {
    LaneOffsets lanes{Add(Mul(above->origin, radix), below->origin),
                      std::gcd(above->multiple * radix, below->multiple), below->offsets};
    for (size_t i = 0; i < lanes.offsets.size(); ++i) lanes.offsets[i] += above->offsets[i] * radix;
    joined = FromOffsets(std::move(lanes), joined.extent);
  } else if (per_lane) {
    joined.base = Add(Mul(Materialize(hi), radix), Materialize(lo));
    joined.per_lane = true;
  } else {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(lo.base);
    joined.base = constant == nullptr
                      ? Add(Mul(hi.base, radix), lo.base)
                      : Shifted(Mul(hi.base, radix), hi.multiple * radix, constant->getSExtValue());
    joined.stride = hi.stride * radix + lo.stride;
    joined.multiple = std::gcd(hi.multiple * radix, lo.multiple);
    if (joined.stride == 0) joined.lanes = 1;
  }
  splits_.emplace(SplitKey{joined, radix}, std::pair(hi, lo));
  return joined;
}

Digit IndexBuilder::JoinAll(absl::Span<const Digit> digits) {
  Digits stack;
  for (const Digit& digit : digits) {
    stack.push_back(digit);
    Digit joined;
    while (stack.size() > 1 && Rejoin(stack[stack.size() - 2], stack.back(), &joined)) {
      stack.pop_back();
      stack.back() = joined;
    }
  }
  if (stack.empty()) return ConstantDigit(0, 1);
  Digit all = stack[0];
  for (size_t i = 1; i < stack.size(); ++i) all = Join(all, stack[i]);
  return all;
}

std::pair<Digit, Digit> IndexBuilder::Split(const Digit& digit, int64_t extent) {
  if (extent == 1) return {digit, ConstantDigit(0, 1)};
  if (extent == digit.extent) return {ConstantDigit(0, 1), digit};
  const SplitKey key{digit, extent};
  const auto it = splits_.find(key);
  if (it != splits_.end()) return it->second;
  std::pair<Digit, Digit> parts;
  if (digit.uniform()) {
    parts.first = parts.second = digit;
    parts.first.ForgetBounds();
    parts.second.ForgetBounds();
    parts.first.base = Div(digit.base, extent);
    parts.second.base = Rem(digit.base, extent);
    parts.first.multiple = digit.multiple % extent == 0 ? digit.multiple / extent : 1;
    parts.second.multiple = std::gcd(digit.multiple, extent);
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(parts.second.base)) {
      parts.second.multiple = c->getSExtValue();
    }
  } else {
    parts = SplitLanes(digit, extent);
  }
  parts.first.extent = digit.extent / extent;
  parts.second.extent = extent;
  splits_.emplace(key, parts);
  Digit hi = parts.first;
  hi.extent = 0;
  joins_.emplace(std::pair(hi, parts.second), digit);
  return parts;
}

// Lanes that never cross a boundary of EXTENT stay contiguous. Of lanes whose origin is on such a boundary, the
// offsets are divided; else every lane is.
std::pair<Digit, Digit> IndexBuilder::SplitLanes(const Digit& digit, int64_t extent) {
  Digit hi = digit, lo = digit;
  hi.ForgetBounds();
  lo.ForgetBounds();
  const int64_t reach = (digit.lanes - 1) * digit.stride;
  const int64_t boundary = std::gcd(digit.multiple, extent);
  if (!digit.per_lane && digit.stride > 0 && reach < boundary) {
    hi.base = Div(digit.base, extent);
    lo.base = Rem(digit.base, extent);
    hi.stride = 0;
    hi.lanes = 1;
    hi.multiple = digit.multiple % extent == 0 ? digit.multiple / extent : 1;
    lo.multiple = boundary;
  } else if (!digit.per_lane && digit.stride % extent == 0) {
    hi.base = Div(digit.base, extent);
    lo.base = Rem(digit.base, extent);
    hi.stride = digit.stride / extent;
    hi.multiple = digit.multiple % extent == 0 ? digit.multiple / extent : 1;
    lo.stride = 0;
    lo.lanes = 1;
    lo.multiple = boundary;
  } else if (const auto known = OffsetsOf(digit, digit.lanes);
             known.has_value() && known->multiple % extent == 0) {
    const LaneOffsets lanes = Rebased(*known, extent);
    LaneOffsets above{Div(lanes.origin, extent), lanes.multiple / extent, {}};
    LaneOffsets below{Constant(0), 0, {}};
    for (int64_t offset : lanes.offsets) {
      above.offsets.push_back(offset / extent);
      below.offsets.push_back(offset % extent);
    }
    hi = FromOffsets(std::move(above), 1);
    lo = FromOffsets(std::move(below), 1);
  } else {
    Value lanes = Materialize(digit);
    hi = FromValue(Div(lanes, extent), 1);
    lo = FromValue(Rem(lanes, extent), 1);
  }
  return {hi, lo};
}

std::vector<Digits> IndexBuilder::Regroup(absl::Span<const Digit> digits,
                                          absl::Span<const int64_t> extents) {
  std::vector<Digits> out(extents.size());
  Digits rest(digits.begin(), digits.end());
  for (size_t i = extents.size(); i-- > 0;) {
    int64_t need = extents[i];
    while (need > 1) {
      while (!rest.empty() && rest.back().extent == 1) rest.pop_back();
      ASTITCH_CHECK(!rest.empty()) << "digits end before the extents do";
      const Digit digit = rest.back();
      rest.pop_back();
      if (need % digit.extent == 0) {
        out[i].push_back(digit);
        need /= digit.extent;
      } else if (digit.extent % need == 0) {
        const auto [hi, lo] = Split(digit, need);
        rest.push_back(hi);
        out[i].push_back(lo);
        need = 1;
      } else {
        while (!rest.empty() && rest.back().extent == 1) rest.pop_back();
        ASTITCH_CHECK(!rest.empty()) << "digits end before the extents do";
        rest.back() = Join(rest.back(), digit);
      }
    }
    std::reverse(out[i].begin(), out[i].end());
  }
  return out;
}

Digit IndexBuilder::Linear(const Index& index) {
  Digits all;
  for (const Digits& digits : index.dims) all.insert(all.end(), digits.begin(), digits.end());
  return JoinAll(all);
}

}  // namespace astitch::codegen
