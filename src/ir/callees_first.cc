// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// By a stack: calls are nested deeply.
#include "ir/callees_first.h"

#include <utility>

#include "absl/container/flat_hash_set.h"

namespace astitch {

std::vector<Computation*> CalleesFirstFrom(absl::Span<Computation* const> starts) {
  std::vector<Computation*> order;
  absl::flat_hash_set<const Computation*> seen;
  struct Open {
    Computation* computation;
    std::vector<Computation*> callees;
    size_t next;
  };
  std::vector<Open> stack;
  const auto open = [&](Computation* computation) {
    if (!seen.insert(computation).second) return;
    std::vector<Computation*> callees;
    for (const auto& instruction : computation->instructions()) {
      for (Computation* callee : instruction->called()) callees.push_back(callee);
    }
    stack.push_back({computation, std::move(callees), 0});
  };
  for (Computation* start : starts) {
    open(start);
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next == top.callees.size()) {
        order.push_back(top.computation);
        stack.pop_back();
      } else {
        open(top.callees[top.next++]);
      }
    }
  }
  return order;
}

}  // namespace astitch
