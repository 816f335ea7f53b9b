// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which other rows of a scatter go to the place of a row that a warp has. The lanes look at rows side
// by side, 256 of them in a round; a vote says whether any matches, and most rounds end there. Where
// one does, ballots name the lanes that match, and their rows are taken lowest first.
//
//   row 300, others in rounds      [256 .. 300)  [0 ........ 256)   a vote a round, until one says yes
//                                   (300 .. 512) [512 ........ 768) ...
//                                      lanes 3, 9 of 32 match: their rows, in this order
#include "base/checked_math.h"
#include "codegen/nvptx/nvptx_target.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

constexpr int64_t kWarp = 32;
constexpr int64_t kRound = 256;  // rows that a vote is for: eight of each lane
constexpr int64_t kVector = 4;   // of these side by side, so that an access brings several

// Rows that a round looks at; where there are fewer, some of them twice.
int64_t RoundOf(int64_t rows) { return std::min(kRound, RoundUp(rows, kWarp)); }

}  // namespace

Value NvptxTarget::Vote(llvm::Intrinsic::ID mode, Value condition) {
  llvm::IRBuilder<>& b = builder();
  return b.CreateIntrinsic(mode, {b.getInt32(0xFFFFFFFFu), condition});
}

llvm::AllocaInst* NvptxTarget::Variable(Value first) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  llvm::AllocaInst* variable = top.CreateAlloca(first->getType());
  builder().CreateStore(first, variable);
  return variable;
}

// Whether any of the round's rows from FIRST on matches, of those below BOUND (null: of all).
Value NvptxTarget::AnyInRound(Value first, int64_t rows, Value bound, MatchFn matches) {
  IndexBuilder& indices = emission_->indices;
  llvm::IRBuilder<>& b = builder();
  const int64_t width = rows >= kRound && rows % kVector == 0 ? kVector : 1;
  Value mine = indices.Add(first, indices.Mul(indices.Rem(thread_, kWarp), width));
  Value any = b.getFalse();
  for (int64_t at = 0; at < RoundOf(rows); at += kWarp * width) {
    Value row = indices.Add(mine, indices.Constant(at));
    if (rows < kRound) row = indices.Min(row, indices.Constant(rows - 1));
    const Digit others = {.base = row,
                          .extent = rows,
                          .stride = width > 1 ? 1 : 0,
                          .multiple = width,
                          .lanes = static_cast<int32_t>(width)};
    Value match = matches(others);
    if (bound != nullptr) {
      Value before = b.CreateICmpSLT(
          indices.Materialize(others),
          width > 1 ? b.CreateVectorSplat(static_cast<unsigned>(width), bound) : bound);
      match = b.CreateAnd(match, before);
    }
    // One by one: a reduction of predicates would be packed into bits.
    for (int64_t lane = 0; lane < width; ++lane)
      any = b.CreateOr(any, width > 1 ? b.CreateExtractElement(match, lane) : match);
  }
  return Vote(llvm::Intrinsic::nvvm_vote_any_sync, any);
}

// From ROW downwards: where indices are sorted, the row before is the one.
Value NvptxTarget::AnyRowBefore(Value row, int64_t rows, MatchFn matches) {
  IndexBuilder& indices = emission_->indices;
  llvm::IRBuilder<>& b = builder();
  Value first = indices.Mul(indices.Div(row, kRound), kRound);
  if (rows > kRound) first = indices.Min(first, indices.Constant(rows - kRound));
  if (rows <= kRound) first = indices.Constant(0);
  llvm::AllocaInst* found = Variable(AnyInRound(first, rows, row, matches));
  if (rows > kRound) {
    llvm::AllocaInst* until = Variable(first);
    Value goes_on = b.CreateAnd(b.CreateNot(b.CreateLoad(b.getInt1Ty(), found)),
                                b.CreateICmpNE(first, indices.Constant(0)));
    emission_->scopes.If(goes_on, [&] {
      emission_->scopes.Repeat([&] {
        Value end = b.CreateLoad(indices.type(), until);
        emission_->scopes.NoteDepth(end);
        // The rows below 256 are all before ROW, or this is not reached.
        Value begin = indices.Max(indices.Sub(end, indices.Constant(kRound)), indices.Constant(0));
        Value any = AnyInRound(begin, rows, nullptr, matches);
        b.CreateStore(any, found);
        b.CreateStore(begin, until);
        return b.CreateAnd(b.CreateNot(any), b.CreateICmpNE(begin, indices.Constant(0)));
      });
    });
  }
  Value result = b.CreateLoad(b.getInt1Ty(), found);
  emission_->scopes.NoteDepth(result);
  return result;
}

// The row under way is in the first round, which always has a match therefore: better than to ask
// every lane in every round.
void NvptxTarget::ForEachRowAfter(Value row, int64_t rows, MatchFn matches,
                                  absl::FunctionRef<void(Value row)> body) {
  IndexBuilder& indices = emission_->indices;
  Scopes& scopes = emission_->scopes;
  llvm::IRBuilder<>& b = builder();
  if (rows <= 1) return;
  llvm::AllocaInst* from = Variable(indices.Mul(indices.Div(row, kRound), kRound));
  scopes.Repeat([&] {
    Value begin = b.CreateLoad(indices.type(), from);
    scopes.NoteDepth(begin);
    // Rows that were looked at before, rather than rows that are none.
    Value first =
        rows <= kRound ? indices.Constant(0) : indices.Min(begin, indices.Constant(rows - kRound));
    scopes.If(AnyInRound(first, rows, nullptr, matches), [&] {
      const auto take = [&](Value offset) {
        Value base = indices.Add(first, offset);
        TakeMatches(base, rows, indices.Max(row, indices.Sub(begin, indices.Constant(1))), matches,
                    body);
      };
      scopes.Loop(indices.Constant(0), indices.Constant(RoundOf(rows)), indices.Constant(kWarp),
                  true, take, true);
    });
    Value next = b.CreateAdd(begin, indices.Constant(kRound));
    b.CreateStore(next, from);
    return b.CreateICmpSLT(next, indices.Constant(rows));
  });
}

// BODY for those of the 32 rows from BASE on that match and come after AFTER.
void NvptxTarget::TakeMatches(Value base, int64_t rows, Value after, MatchFn matches,
                              absl::FunctionRef<void(Value row)> body) {
  IndexBuilder& indices = emission_->indices;
  Scopes& scopes = emission_->scopes;
  llvm::IRBuilder<>& b = builder();
  Value mine = indices.Add(base, indices.Rem(thread_, kWarp));
  Value later = indices.Compare(Predicate::ICMP_SGT, mine, after);
  Value other = mine;
  if (rows < kRound) {
    Value last = indices.Constant(rows - 1);
    later = indices.And(later, indices.Compare(Predicate::ICMP_SLE, mine, last));
    other = indices.Min(mine, last);
  }
  Value match = b.CreateAnd(later, matches(indices.FromValue(other, rows)));
  llvm::AllocaInst* lanes = Variable(Vote(llvm::Intrinsic::nvvm_vote_ballot_sync, match));
  Value some = b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), lanes), b.getInt32(0));
  scopes.If(some, [&] {
    scopes.Repeat([&] {
      Value left = b.CreateLoad(b.getInt32Ty(), lanes);
      Value lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue());
      Value chosen = b.CreateAdd(base, b.CreateZExtOrTrunc(lane, indices.type()));
      scopes.NoteDepth(chosen);
      body(chosen);
      Value rest = b.CreateAnd(left, b.CreateSub(left, b.getInt32(1)));
      b.CreateStore(rest, lanes);
      return b.CreateICmpNE(rest, b.getInt32(0));
    });
  });
}

}  // namespace astitch::codegen
