// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The table of passes.
#include "passes/registry.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "passes/algebraic_simplify.h"
#include "passes/canonicalize_constants.h"
#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/decompose.h"
#include "passes/fold_broadcast.h"
#include "passes/fold_constants.h"
#include "passes/fold_reshape.h"
#include "passes/fold_slice.h"
#include "passes/fold_transpose.h"
#include "passes/hoist_broadcast.h"
#include "passes/inline_calls.h"
#include "passes/join_updates.h"
#include "passes/nest_reductions.h"
#include "passes/normalize_layouts.h"
#include "passes/order_ties.h"
#include "passes/remove_identities.h"
#include "passes/scatter_to_gather.h"
#include "passes/scatter_to_reduce.h"
#include "passes/scatter_to_select.h"
#include "passes/select_branches.h"
#include "passes/simplify_reduce.h"
#include "passes/simplify_tuples.h"
#include "passes/sink_gather.h"
#include "passes/sort_to_reduce.h"
#include "passes/split_complex.h"
#include "passes/topk_to_reduce.h"
#include "passes/unroll_loops.h"

namespace astitch {
namespace {

struct Entry {
  PassInfo info;
  std::unique_ptr<Pass> (*make)();
};

template <typename T>
std::unique_ptr<Pass> Make() {
  return std::make_unique<T>();
}

constexpr Entry kPasses[] = {
    {{"algebraic-simplify", "apply arithmetic rules that hold bit for bit"},
     Make<AlgebraicSimplify>},
    {{"canonicalize-constants", "make constants of equal elements a broadcast scalar"},
     Make<CanonicalizeConstants>},
    {{"cse", "merge equal instructions and equal computations"}, Make<Cse>},
    {{"dce", "remove unused instructions and computations"}, Make<Dce>},
    {{"decompose", "expand batch-norm, rng-bit-generator and legacy index vectors"},
     Make<Decompose>},
    {{"fold-broadcast", "merge broadcasts with the shape changes around them"},
     Make<FoldBroadcast>},
    {{"fold-constants", "evaluate small instructions on constants"}, Make<FoldConstants>},
    {{"fold-reshape", "merge reshapes, drop those that change nothing"}, Make<FoldReshape>},
    {{"fold-slice", "simplify slices, concatenations, pads and static dynamic-slices"},
     Make<FoldSlice>},
    {{"fold-transpose", "merge transposes, drop those that move nothing"}, Make<FoldTranspose>},
    {{"hoist-broadcast", "do elementwise work before a broadcast, not after it"},
     Make<HoistBroadcast>},
    {{"inline-calls", "inline calls, fusions, maps and asynchronous wrappers"}, Make<InlineCalls>},
    {{"join-updates", "make arrays that are filled piece by piece concatenations"},
     Make<JoinUpdates>},
    {{"nest-reductions", "fold first what several reductions of the same data fold"},
     Make<NestReductions>},
    {{"normalize-layouts", "make inner shapes row-major, expand bitcasts"}, Make<NormalizeLayouts>},
    {{"order-ties", "let selections by value and index fold in any order"}, Make<OrderTies>},
    {{"remove-identities", "remove copies, barriers and custom calls that change nothing"},
     Make<RemoveIdentities>},
    {{"scatter-to-gather",
      "make scatters into few slices of a large equal array a gather of those"},
     Make<ScatterToGather>},
    {{"scatter-to-reduce", "make scatters into a few equal rows a reduction"},
     Make<ScatterToReduce>},
    {{"scatter-to-select", "make scatters of a few elements a batch elementwise"},
     Make<ScatterToSelect>},
    {{"select-branches", "make choices between small computations selections"},
     Make<SelectBranches>},
    {{"simplify-reduce", "make reductions of at most one element elementwise"},
     Make<SimplifyReduce>},
    {{"sink-gather", "gather few elements before elementwise operations, not behind them"},
     Make<SinkGather>},
    {{"simplify-tuples", "read elements of tuples directly"}, Make<SimplifyTuples>},
    {{"sort-to-reduce", "make sorts of short rows reductions"}, Make<SortToReduce>},
    {{"split-complex", "compute with complex numbers as pairs of real ones"}, Make<SplitComplex>},
    {{"topk-to-reduce", "make the choice of a few elements of a row reductions"},
     Make<TopkToReduce>},
    {{"unroll-loops", "write out loops that turn a known number of times"}, Make<UnrollLoops>},
};

// Insertions, deletions and changes of one letter.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

std::vector<PassInfo> ListPasses() {
  std::vector<PassInfo> infos;
  for (const Entry& entry : kPasses) infos.push_back(entry.info);
  return infos;
}

absl::StatusOr<std::unique_ptr<Pass>> MakePass(absl::string_view name) {
  const Entry* nearest = std::begin(kPasses);
  for (const Entry& entry : kPasses) {
    if (entry.info.name == name) return entry.make();
    if (EditDistance(name, entry.info.name) < EditDistance(name, nearest->info.name))
      nearest = &entry;
  }
  return absl::NotFoundError(
      absl::StrCat("no pass is called ", name, "; the nearest is ", nearest->info.name));
}

}  // namespace astitch
