// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Indices as mixed-radix digits, so that moving data around costs no arithmetic until an address is
// needed.
//
//   f32[32,64] at row r, column c        dims: (r:32) (c:64)
//   transpose {1,0}                      dims: (c:64) (r:32)
//   reshape to f32[2048]                 dim:  (r:32 c:64)          two digits, nothing computed
//   reshape to f32[8,4,64]               dims: (r/4:8) (r%4:4) (c:64)
//   row-major address                    digits joined from the left: r*64 + c
//
// Digits that were split from one number join back to that number, so a flat loop over a dense
// array addresses it with its own counter. A digit may differ from lane to lane: by a constant
// stride (contiguous vectors), or as a vector of its own (the general case, which loads lane by
// lane).
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/types/span.h"
#include "codegen/common/scopes.h"

namespace astitch::codegen {

struct Digit {
  Value base = nullptr;  // of lane 0; of every lane when per_lane (then a vector)
  int64_t extent = 1;    // values are in [0, extent)
  int64_t stride = 0;    // lane l has base + l * stride; 0 when per_lane
  int64_t multiple = 1;  // base is known to be a multiple of this; 0 means base is 0
  int32_t lanes = 1;     // 1: the same in every lane
  bool per_lane = false;
  // Every lane's number is known to lie in [least, most]; most < 0: in [0, extent).
  int64_t least = 0, most = -1;

  bool uniform() const { return lanes == 1; }
  void ForgetBounds() {
    least = 0;
    most = -1;
  }
  friend bool operator==(const Digit&, const Digit&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Digit& d) {
    return H::combine(std::move(h), d.base, d.extent, d.stride, d.lanes, d.per_lane);
  }
};

// A digit as one number and what its lanes add to it.
struct LaneOffsets {
  Value origin = nullptr;
  int64_t multiple = 1;  // of origin
  std::vector<int64_t> offsets;
};

using Digits = std::vector<Digit>;  // outermost first; empty is 0 of extent 1

// The index of one element (or of one in each lane) of an array: digits per dimension.
struct Index {
  std::vector<Digits> dims;
  friend bool operator==(const Index&, const Index&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Index& index) {
    return H::combine(std::move(h), index.dims);
  }
};
// Interned: equal indices are one object.
using IndexRef = const Index*;

// Emits index arithmetic, each operation once a scope. Not for use across functions.
class IndexBuilder {
 public:
  // TYPE: the integer type of indices.
  IndexBuilder(Scopes& scopes, llvm::IntegerType* type);

  llvm::IntegerType* type() const { return type_; }
  Value Constant(int64_t value) const { return llvm::ConstantInt::getSigned(type_, value); }
  IndexRef Intern(Index index) { return &*indices_.insert(std::move(index)).first; }
  IndexRef Scalar() { return Intern(Index{}); }

  // ---- scalars and vectors of indices
  Value Add(Value a, Value b) { return Op(llvm::Instruction::Add, a, b); }
  Value Sub(Value a, Value b) { return Op(llvm::Instruction::Sub, a, b); }
  Value Mul(Value a, int64_t b) { return Op(llvm::Instruction::Mul, a, Constant(b)); }
  Value Div(Value a, int64_t b) { return Op(llvm::Instruction::UDiv, a, Constant(b)); }
  Value Rem(Value a, int64_t b) { return Op(llvm::Instruction::URem, a, Constant(b)); }
  Value Min(Value a, Value b);  // signed
  Value Max(Value a, Value b);
  // One bit (a lane).
  Value Compare(llvm::CmpInst::Predicate predicate, Value a, Value b);
  Value And(Value a, Value b);
  Value Splat(Value scalar, int lanes);
  int DepthOf(Value value) const { return scopes_.DepthOf(value); }
  int DepthOf(const Index& index) const;

  // ---- digits
  Digit ConstantDigit(int64_t value, int64_t extent) const;
  // Every lane's number: a scalar when uniform, else a vector.
  Value Materialize(const Digit& digit);
  // Nothing where lanes have numbers of their own that are known at run time only. LANES: how many, of a
  // uniform digit.
  std::optional<LaneOffsets> OffsetsOf(const Digit& digit, int32_t lanes) const;
  // LANES with the least offset in [0, extent). So an origin that is a multiple of EXTENT is not negative, since no
  // lane is.
  LaneOffsets Rebased(LaneOffsets lanes, int64_t extent);
  // scale * digit + offset.
  Digit Affine(const Digit& digit, int64_t scale, int64_t offset, int64_t extent);
  // A digit of another value (clamped, read from memory): uniform or per lane by its type.
  Digit FromValue(Value value, int64_t extent) const;
  // The number that HI and LO make: hi * lo.extent + lo.
  Digit Join(const Digit& hi, const Digit& lo);
  // From now on HI and LO join to JOINED, of which more is known than of them.
  void Declare(Digit hi, const Digit& lo, const Digit& joined);
  // All of DIGITS as one; ConstantDigit(0, 1) when there are none.
  Digit JoinAll(absl::Span<const Digit> digits);
  // {digit / extent, digit % extent}. REQUIRES: extent divides digit.extent.
  std::pair<Digit, Digit> Split(const Digit& digit, int64_t extent);
  // DIGITS as digits of the given EXTENTS: the reshape of indices. REQUIRES: equal products, none
  // of them 0.
  std::vector<Digits> Regroup(absl::Span<const Digit> digits, absl::Span<const int64_t> extents);
  // The position in a dense row-major array of INDEX's dimensions.
  Digit Linear(const Index& index);

  // Forgets what was computed in scope DEPTH, which has closed.
  void Forget(int depth);

 private:
  using OpKey = std::tuple<unsigned, Value, Value>;
  Value Op(llvm::Instruction::BinaryOps op, Value a, Value b);
  // Null where A and B are no constant vectors.
  Value FoldLanes(Value a, Value b, absl::FunctionRef<int64_t(int64_t, int64_t)> fold) const;
  Value Cached(unsigned tag, Value a, Value b, absl::FunctionRef<Value()> emit);
  std::pair<Digit, Digit> SplitLanes(const Digit& digit, int64_t extent);
  Digit FromOffsets(LaneOffsets lanes, int64_t extent);
  // ORIGIN + OFFSET, of which it is remembered that ORIGIN is a multiple of MULTIPLE.
  Value Shifted(Value origin, int64_t multiple, int64_t offset);
  void Match(Value& a, Value& b);  // both scalars or both vectors
  // Joins without arithmetic when HI and LO came from one number.
  bool Rejoin(const Digit& hi, const Digit& lo, Digit* joined) const;

  struct SplitKey {
    Digit digit;
    int64_t extent;
    friend bool operator==(const SplitKey&, const SplitKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const SplitKey& k) {
      return H::combine(std::move(h), k.digit, k.extent);
    }
  };
  Scopes& scopes_;
  llvm::IntegerType* type_;
  absl::node_hash_set<Index> indices_;
  absl::flat_hash_map<OpKey, Value> ops_;
  std::vector<std::vector<OpKey>> ops_by_depth_;
  // Splits and joins name values, so entries of closed scopes are never found again.
  absl::flat_hash_map<SplitKey, std::pair<Digit, Digit>> splits_;
  absl::flat_hash_map<std::pair<Digit, Digit>, Digit> joins_;
  // Of vectors that were made from offsets, and of numbers a known way from what is a multiple.
  absl::flat_hash_map<Value, LaneOffsets> offsets_;
};

}  // namespace astitch::codegen
