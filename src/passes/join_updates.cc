// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From the last update down to the first that somebody else reads, too.
#include "passes/join_updates.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "passes/constants.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// What an update with constant places writes: positions [begin, end) of one dimension.
struct Slab {
  int64_t dim = 0, begin = 0, end = 0;
};

std::optional<Slab> SlabOf(const Instruction& update) {
  if (update.opcode() != Opcode::kDynamicUpdateSlice || !IsStatic(update) ||
      update.num_operands() != update.shape().rank() + 2)
    return std::nullopt;
  std::optional<Slab> slab;
  for (int64_t d = 0; d < update.shape().rank(); ++d) {
    const int64_t size = update.shape().dim(d), window = update.operand(1)->shape().dim(d);
    if (window == size) continue;
    const std::optional<int64_t> start = ConstantStart(*update.operand(d + 2), size, window);
    if (slab.has_value() || !start.has_value()) return std::nullopt;
    slab = Slab{d, *start, *start + window};
  }
  return slab;
}

// Positions [begin, begin + length) along DIM of SOURCE.
Instruction* Part(Rewriter& rewriter, const Instruction& origin, Instruction* source, int64_t dim,
                  int64_t begin, int64_t length) {
  if (length == source->shape().dim(dim)) return source;
  SliceAttributes slice;
  std::vector<int64_t> dims = source->shape().dims();
  for (int64_t size : dims) {
    slice.starts.push_back(0);
    slice.limits.push_back(size);
    slice.strides.push_back(1);
  }
  slice.starts[dim] = begin;
  slice.limits[dim] = begin + length;
  dims[dim] = length;
  return rewriter.Add(origin, Opcode::kSlice,
                      Shape::Array(source->shape().element_type(), std::move(dims)), {source},
                      std::move(slice));
}

class Joining {
 public:
  Joining(Rewriter& rewriter, const Instruction& last, int64_t dim)
      : rewriter_(rewriter), last_(last), dim_(dim) {}

  Instruction* Run() {
    Instruction* below = last_.operand(0);
    AddPiece(*SlabOf(last_), last_.operand(1));
    int64_t updates = 1;
    while (below->users().size() == 1 && below->parent()->root() != below) {
      const std::optional<Slab> slab = SlabOf(*below);
      if (!slab.has_value() || slab->dim != dim_) break;
      AddPiece(*slab, below->operand(1));
      below = below->operand(0);
      ++updates;
    }
    if (updates < 2) return nullptr;
    AddPiece({dim_, 0, last_.shape().dim(dim_)}, below);
    std::vector<Instruction*> parts;
    for (const auto& [begin, piece] : pieces_)
      parts.push_back(Part(rewriter_, last_, piece.source, dim_, piece.from, piece.end - begin));
    if (parts.size() == 1) return parts[0];
    return rewriter_.Add(last_, Opcode::kConcatenate,
                         Shape::Array(last_.shape().element_type(), last_.shape().dims()),
                         std::move(parts), DimensionsAttributes{{dim_}});
  }

 private:
  struct Piece {
    int64_t end;
    Instruction* source;
    int64_t from;  // where it begins in the source
  };

  // As much of SOURCE, which lies at SLAB, as nothing covers yet.
  void AddPiece(const Slab& slab, Instruction* source) {
    int64_t at = slab.begin;
    auto next = pieces_.upper_bound(at);
    if (next != pieces_.begin()) at = std::max(at, std::prev(next)->second.end);
    while (at < slab.end) {
      const int64_t end = next == pieces_.end() ? slab.end : std::min(slab.end, next->first);
      if (end > at) pieces_.emplace_hint(next, at, Piece{end, source, at - slab.begin});
      if (next == pieces_.end()) break;
      at = next->second.end;
      ++next;
    }
  }

  Rewriter& rewriter_;
  const Instruction& last_;
  const int64_t dim_;
  std::map<int64_t, Piece> pieces_;  // by where it begins in the result
};

// SLICE of what an update leaves alone, or of the update by itself.
Instruction* SliceBelow(Rewriter& rewriter, Instruction& slice) {
  Instruction* source = slice.operand(0);
  SliceAttributes place = slice.as<SliceAttributes>();
  while (true) {
    const std::optional<Slab> slab = SlabOf(*source);
    if (!slab.has_value() || slice.shape().dim(slab->dim) == 0) break;
    const int64_t begin = place.starts[slab->dim], end = place.limits[slab->dim];
    if (end <= slab->begin || begin >= slab->end) {
      source = source->operand(0);
      continue;
    }
    if (begin < slab->begin || end > slab->end) break;
    place.starts[slab->dim] -= slab->begin;
    place.limits[slab->dim] -= slab->begin;
    source = source->operand(1);
  }
  if (source == slice.operand(0)) return nullptr;
  if (source->shape().dims() == slice.shape().dims()) return source;
  return rewriter.Add(slice, Opcode::kSlice, slice.shape(), {source}, std::move(place));
}

// Another update of the same dimension goes on from UPDATE, and nobody else reads it.
bool GoesOn(const Instruction& update, int64_t dim) {
  if (update.users().size() != 1 || update.parent()->root() == &update) return false;
  const Instruction& user = *update.users()[0];
  const std::optional<Slab> slab = SlabOf(user);
  return slab.has_value() && slab->dim == dim && user.operand(0) == &update &&
         user.operand(1) != &update;
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (instruction.opcode() == Opcode::kSlice && IsStatic(instruction))
    return SliceBelow(rewriter, instruction);
  const std::optional<Slab> slab = SlabOf(instruction);
  if (!slab.has_value() || GoesOn(instruction, slab->dim)) return nullptr;
  return Joining(rewriter, instruction, slab->dim).Run();
}

}  // namespace

absl::StatusOr<bool> JoinUpdates::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
