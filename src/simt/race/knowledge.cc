// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "simt/race/knowledge.h"

#include <algorithm>

namespace astitch::simt {
namespace {

bool Before(const Knowledge::Exception& e, ThreadId thread) { return e.thread < thread; }

// Keeps E unless the floors say as much already.
void Append(const Knowledge::Exception& e, uint32_t threads_per_block, Knowledge& out) {
  if (!out.floors.empty() && e.moment.epoch < out.floors[e.thread / threads_per_block]) return;
  out.exceptions.push_back(e);
}

void MergeExceptions(const Knowledge& a, const Knowledge& b, uint32_t threads_per_block,
                     Knowledge& out) {
  out.exceptions.reserve(std::max(a.exceptions.size(), b.exceptions.size()));
  auto i = a.exceptions.begin(), j = b.exceptions.begin();
  while (i != a.exceptions.end() || j != b.exceptions.end()) {
    if (j == b.exceptions.end() || (i != a.exceptions.end() && i->thread < j->thread)) {
      Append(*i++, threads_per_block, out);
    } else if (i == a.exceptions.end() || j->thread < i->thread) {
      Append(*j++, threads_per_block, out);
    } else {
      Append(i->moment < j->moment ? *j : *i, threads_per_block, out);
      ++i, ++j;
    }
  }
}

}  // namespace

bool Knowledge::Covers(ThreadId thread, uint32_t block, Moment moment) const {
  if (CoversBlock(block, moment.epoch)) return true;
  const auto it = std::lower_bound(exceptions.begin(), exceptions.end(), thread, Before);
  return it != exceptions.end() && it->thread == thread && moment <= it->moment;
}

KnowledgePtr Join(const KnowledgePtr& a, const KnowledgePtr& b, uint32_t threads_per_block) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (a->chain != 0 && a->chain == b->chain) return a->number > b->number ? a : b;
  auto out = std::make_shared<Knowledge>();
  out->floors = a->floors.size() < b->floors.size() ? b->floors : a->floors;
  const std::vector<uint32_t>& other = a->floors.size() < b->floors.size() ? a->floors : b->floors;
  for (size_t i = 0; i < other.size(); ++i) out->floors[i] = std::max(out->floors[i], other[i]);
  MergeExceptions(*a, *b, threads_per_block, *out);
  return out;
}

std::shared_ptr<Knowledge> Extend(const KnowledgePtr& known, uint32_t num_blocks, uint32_t block,
                                  uint32_t floor, Knowledge::Exception exception) {
  auto out = std::make_shared<Knowledge>();
  if (known) {
    out->floors = known->floors;
    out->exceptions = known->exceptions;
  }
  out->floors.resize(num_blocks);
  out->floors[block] = std::max(out->floors[block], floor);
  const auto it =
      std::lower_bound(out->exceptions.begin(), out->exceptions.end(), exception.thread, Before);
  if (it != out->exceptions.end() && it->thread == exception.thread) {
    it->moment = std::max(it->moment, exception.moment);
  } else {
    out->exceptions.insert(it, exception);
  }
  return out;
}

}  // namespace astitch::simt
