// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Liveness by basic blocks, then linear scan: in order of their first use, each register takes the
// place of one whose last use is past.
#include "simt/exec/share_registers.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "simt/exec/control.h"

namespace astitch::simt {
namespace {

// A set of registers.
class Registers {
 public:
  explicit Registers(int32_t size) : words_((size + 63) / 64) {}
  void Add(int32_t r) { words_[r / 64] |= uint64_t{1} << r % 64; }
  void Remove(int32_t r) { words_[r / 64] &= ~(uint64_t{1} << r % 64); }
  bool Has(int32_t r) const { return (words_[r / 64] >> r % 64 & 1) != 0; }
  // Adds those of A that are not in EXCEPT; whether any was new.
  bool AddAll(const Registers& a, const Registers& except) {
    uint64_t added = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t more = a.words_[i] & ~except.words_[i] & ~words_[i];
      words_[i] |= more;
      added |= more;
    }
    return added != 0;
  }
  template <typename F>
  void ForEach(F fn) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        fn(static_cast<int32_t>(i * 64) + std::countr_zero(rest));
    }
  }

 private:
  std::vector<uint64_t> words_;
};

template <typename F>
void ForReads(const Op& op, F fn) {
  for (int i = 0; i < op.num_src; ++i) {
    if (op.src[i] >= 0) fn(op.src[i]);
  }
  if (op.guard >= 0) fn(op.guard);
}

template <typename F>
void ForWrites(const Op& op, F fn) {
  for (int i = 0; i < op.num_dst; ++i) fn(op.dst[i]);
}

struct BasicBlock {
  int32_t begin, end;
  std::vector<int32_t> next;
  Registers written, in, out;  // written for certain; alive at the begin and at the end
};

struct Life {
  int32_t first = INT32_MAX, last = -1;  // instructions
  void Reach(int32_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

class Sharer {
 public:
  explicit Sharer(Program& program) : program_(program), lives_(program.num_registers) {}

  void Run() {
    FindBlocks();
    FindLiveness();
    FindLives();
    Rename(Places());
  }

 private:
  bool IsIndexed(const Op& op) const { return op.flow == MakeBranchIndexed().flow; }
  bool EndsBlock(const Op& op) const {
    return op.branch || IsIndexed(op) || op.flow == MakeExit().flow;
  }

  // Where a lane may be after the instruction AT.
  std::vector<int32_t> Next(int32_t at) const {
    const Op& op = program_.code[at];
    std::vector<int32_t> out;
    if (IsIndexed(op)) out = program_.tables[op.imm];
    if (op.branch) out.push_back(static_cast<int32_t>(op.imm));
    const bool goes_on = op.guard >= 0 || (!op.branch && op.flow != MakeExit().flow);
    if (goes_on && at + 1 < static_cast<int32_t>(program_.code.size())) out.push_back(at + 1);
    return out;
  }

  void FindBlocks() {
    const auto size = static_cast<int32_t>(program_.code.size());
    std::vector<bool> leads(size + 1);
    leads[program_.entry] = leads[0] = leads[size] = true;
    for (int32_t at = 0; at < size; ++at) {
      if (!EndsBlock(program_.code[at])) continue;
      leads[at + 1] = true;
      for (const int32_t next : Next(at)) leads[next] = true;
    }
    const Registers none(program_.num_registers);
    block_of_.resize(size);
    for (int32_t at = 0; at < size; ++at) {
      if (leads[at]) blocks_.push_back({at, at, {}, none, none, none});
      block_of_[at] = static_cast<int32_t>(blocks_.size()) - 1;
      blocks_.back().end = at + 1;
    }
    for (BasicBlock& block : blocks_) {
      for (const int32_t next : Next(block.end - 1)) block.next.push_back(block_of_[next]);
      for (int32_t at = block.begin; at < block.end; ++at) {
        const Op& op = program_.code[at];
        ForReads(op, [&](int32_t r) {
          if (!block.written.Has(r)) block.in.Add(r);
        });
        if (op.guard < 0) ForWrites(op, [&](int32_t r) { block.written.Add(r); });
      }
    }
  }

  void FindLiveness() {
    const Registers none(program_.num_registers);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        BasicBlock& block = blocks_[b];
        bool grew = false;
        for (const int32_t next : block.next) grew |= block.out.AddAll(blocks_[next].in, none);
        if (grew) changed |= block.in.AddAll(block.out, block.written);
      }
    }
  }

  // From a register's first use to its last, across what branches back.
  void FindLives() {
    for (const BasicBlock& block : blocks_) {
      block.in.ForEach([&](int32_t r) { lives_[r].Reach(block.begin); });
      block.out.ForEach([&](int32_t r) { lives_[r].Reach(block.end - 1); });
      for (int32_t at = block.begin; at < block.end; ++at) {
        const auto reach = [&](int32_t r) { lives_[r].Reach(at); };
        ForReads(program_.code[at], reach);
        ForWrites(program_.code[at], reach);
      }
    }
    // What a warp starts with.
    blocks_[block_of_[program_.entry]].in.ForEach([&](int32_t r) { lives_[r].Reach(0); });
    for (const Program::SpecialRegister& special : program_.specials) lives_[special.reg].Reach(0);
  }

  // Of each register. A result never shares with a source of the same instruction.
  std::vector<int32_t> Places() {
    std::vector<int32_t> order, places(lives_.size(), -1);
    for (size_t r = 0; r < lives_.size(); ++r) {
      if (lives_[r].last >= 0) order.push_back(static_cast<int32_t>(r));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return lives_[a].first < lives_[b].first; });
    using Ending = std::pair<int32_t, int32_t>;  // last use, place
    std::priority_queue<Ending, std::vector<Ending>, std::greater<Ending>> taken;
    num_places_ = 0;
    for (const int32_t r : order) {
      int32_t place = num_places_;
      if (!taken.empty() && taken.top().first < lives_[r].first) {
        place = taken.top().second;
        taken.pop();
      } else {
        ++num_places_;
      }
      places[r] = place;
      taken.emplace(lives_[r].last, place);
    }
    return places;
  }

  void Rename(const std::vector<int32_t>& places) {
    for (Op& op : program_.code) {
      for (int i = 0; i < op.num_src; ++i) {
        if (op.src[i] >= 0) op.src[i] = places[op.src[i]];
      }
      for (int i = 0; i < op.num_dst; ++i) op.dst[i] = places[op.dst[i]];
      if (op.guard >= 0) op.guard = places[op.guard];
    }
    for (Program::SpecialRegister& special : program_.specials) special.reg = places[special.reg];
    program_.num_registers = num_places_;
  }

  Program& program_;
  std::vector<BasicBlock> blocks_;
  std::vector<int32_t> block_of_;
  std::vector<Life> lives_;
  int32_t num_places_ = 0;
};

}  // namespace

void ShareRegisters(Program& program) {
  const bool calls = std::any_of(program.code.begin(), program.code.end(),
                                 [](const Op& op) { return op.flow == MakeCall(0).flow; });
  if (!calls) Sharer(program).Run();
}

}  // namespace astitch::simt
