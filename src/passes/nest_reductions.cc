// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// "The same data": values that elementwise operations and reshapes connect, so that equal positions
// in memory are the same element. "At the same time": with equally many reductions and library calls
// on the longest way to them, so that neither needs the other.
#include "passes/nest_reductions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"
#include "ir/fold_order.h"
#include "ir/opcode.h"
#include "passes/combiner.h"
#include "passes/constants.h"
#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// What is left to fold after the common dimensions is at most one in so many.
constexpr int64_t kLeastFolded = 32;
// Reductions of the same data that are compared with each; a graph has two or three kinds.
constexpr size_t kMostKinds = 8;

// Folding a part of the elements first, both times from the start value, changes the order only.
bool FoldsInParts(const Instruction& reduce) {
  if (reduce.opcode() != Opcode::kReduce || reduce.num_operands() != 2 || !IsStatic(reduce))
    return false;
  const ElementType type = reduce.shape().element_type();
  const Shape& operand = reduce.operand(0)->shape();
  if (operand.element_type() != type || operand.num_elements() == 0) return false;
  const std::optional<double> identity = IdentityOf(*reduce.called()[0], type);
  if (!identity.has_value()) return false;
  const Opcode fold = FoldOperation(*reduce.called()[0], 0)->opcode();
  if (fold == Opcode::kMaximum || fold == Opcode::kMinimum) return true;
  const Instruction& init = *reduce.operand(1);
  return IsSplatOf(init, *identity) || (fold == Opcode::kAdd && IsSplatOf(init, 0.0));
}

// A dimension of both operands, or the part of one that is a part of one of the other.
struct Atom {
  int64_t extent;
  int64_t dim_here;
  bool folded_here, folded_there;
  bool common() const { return folded_here && folded_there; }
};

bool Folds(const Instruction& reduce, int64_t dim) {
  const std::vector<int64_t>& dims = reduce.dimensions();
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// The dimensions of the operands of HERE and THERE cut where either is, outermost first; nothing
// where no cut divides both.
std::optional<std::vector<Atom>> CommonAtoms(const Instruction& here, const Instruction& there) {
  const std::vector<int64_t>&a = here.operand(0)->shape().dims(),
        &b = there.operand(0)->shape().dims();
  std::vector<Atom> atoms;
  size_t i = 0, j = 0;
  int64_t rest_a = 1, rest_b = 1;  // of dimension i - 1 of A, j - 1 of B
  while (true) {
    while (rest_a == 1 && i < a.size()) rest_a = a[i++];
    while (rest_b == 1 && j < b.size()) rest_b = b[j++];
    if (rest_a == 1 && rest_b == 1) return atoms;
    // The outer parts of both are divided by what is common to them.
    const int64_t extent = std::gcd(rest_a, rest_b);
    if (extent != std::min(rest_a, rest_b) || extent == 1) return std::nullopt;
    const int64_t dim = static_cast<int64_t>(i) - 1;
    atoms.push_back({extent, dim, Folds(here, dim), Folds(there, static_cast<int64_t>(j) - 1)});
    rest_a /= extent;
    rest_b /= extent;
  }
}

// What ends a sweep over data.
bool IsStep(OpKind kind) {
  switch (kind) {
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kDynamicMap:
    case OpKind::kSource:
    case OpKind::kTuple:
      return false;
    case OpKind::kReduction:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return true;
  }
  ASTITCH_UNREACHABLE();
}

// Whether HERE should fold first what it and the other have in common.
bool Nests(absl::Span<const Atom> atoms) {
  bool whole_here = true, whole_there = true, more = false;
  int64_t common = 1;
  for (const Atom& atom : atoms) {
    whole_here &= atom.folded_here;
    whole_there &= atom.folded_there;
    if (atom.common()) common *= atom.extent;
    more |= atom.folded_here && !atom.folded_there;
  }
  return more && !whole_here && !whole_there && common >= kLeastFolded;
}

class Nesting {
 public:
  explicit Nesting(Computation& computation) : rewriter_(computation) {}

  bool Run() {
    Group();
    for (const auto& [key, reductions] : groups_) {
      // One of each kind to compare with.
      std::vector<Instruction*> kinds;
      for (Instruction* reduce : reductions) {
        const bool known = std::any_of(kinds.begin(), kinds.end(), [&](const Instruction* kind) {
          return kind->dimensions() == reduce->dimensions() &&
                 kind->operand(0)->shape().dims() == reduce->operand(0)->shape().dims();
        });
        if (!known && kinds.size() < kMostKinds) kinds.push_back(reduce);
      }
      for (Instruction* reduce : reductions) NestWith(*reduce, kinds);
    }
    return rewriter_.Finish();
  }

 private:
  using Key = std::pair<int64_t, int64_t>;  // the data; reductions and calls before

  int64_t DataOf(int64_t i) {
    while (same_[i] != i) i = same_[i] = same_[same_[i]];
    return i;
  }

  void Group() {
    absl::flat_hash_map<const Instruction*, int64_t> number;
    std::vector<int64_t> level;
    std::vector<std::pair<Instruction*, int64_t>> found;
    for (const auto& owned : rewriter_.computation().instructions()) {
      Instruction& i = *owned;
      const int64_t n = static_cast<int64_t>(same_.size());
      number[&i] = n;
      same_.push_back(n);
      const OpKind kind = KindOf(i.opcode());
      const bool keeps_place = kind == OpKind::kElementwise || i.opcode() == Opcode::kReshape;
      level.push_back(0);
      for (const Instruction* operand : i.operands()) {
        const int64_t of = number[operand];
        level[n] = std::max(level[n], level[of]);
        if (keeps_place && i.shape().IsArray() && operand->shape().IsArray() &&
            operand->shape().num_elements() == i.shape().num_elements())
          same_[DataOf(of)] = DataOf(n);
      }
      if (FoldsInParts(i)) found.push_back({&i, level[n]});
      if (IsStep(kind)) ++level[n];
    }
    for (const auto& [reduce, before] : found)
      groups_[{DataOf(number[reduce->operand(0)]), before}].push_back(reduce);
  }

  void NestWith(Instruction& reduce, absl::Span<Instruction* const> kinds) {
    for (const Instruction* other : kinds) {
      const std::optional<std::vector<Atom>> atoms = CommonAtoms(reduce, *other);
      if (!atoms.has_value() || !Nests(*atoms)) continue;
      rewriter_.Replace(&reduce, Nested(reduce, *atoms));
      return;
    }
  }

  Instruction* Nested(Instruction& reduce, absl::Span<const Atom> atoms) {
    std::vector<int64_t> all, left;
    // What the dimensions of the operand are without the common ones.
    std::vector<int64_t> rest(reduce.operand(0)->shape().rank(), 1);
    DimensionsAttributes common;
    for (const Atom& atom : atoms) {
      if (atom.common()) {
        common.dimensions.push_back(static_cast<int64_t>(all.size()));
      } else {
        left.push_back(atom.extent);
        rest[atom.dim_here] *= atom.extent;
      }
      all.push_back(atom.extent);
    }
    Instruction* operand = AddReshape(rewriter_, reduce, all, reduce.operand(0));
    Instruction* part = AddReduce(reduce, operand, left, std::move(common));
    std::vector<int64_t> dims;
    DimensionsAttributes outer;
    for (size_t d = 0; d < rest.size(); ++d) {
      const bool folded = Folds(reduce, static_cast<int64_t>(d));
      if (folded && rest[d] == 1) continue;
      if (folded) outer.dimensions.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(rest[d]);
    }
    part = AddReshape(rewriter_, reduce, dims, part);
    return AddReduce(reduce, part, reduce.shape().dims(), std::move(outer));
  }

  Instruction* AddReduce(const Instruction& like, Instruction* operand, std::vector<int64_t> dims,
                         DimensionsAttributes folded) {
    Instruction* reduce =
        rewriter_.Add(like, Opcode::kReduce, ArrayLike(like.shape(), std::move(dims)),
                      {operand, like.operands()[1]}, std::move(folded));
    reduce->set_called({like.called()[0]});
    return reduce;
  }

  Rewriter rewriter_;
  std::vector<int64_t> same_;  // a forest; the root names the data
  std::map<Key, std::vector<Instruction*>> groups_;
};

}  // namespace

absl::StatusOr<bool> NestReductions::Run(Graph& graph) {
  bool changed = false;
  for (const auto& computation : graph.computations()) changed |= Nesting(*computation).Run();
  return changed;
}

}  // namespace astitch
