// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One pass backward for what is needed, one forward for last readers.
#include "interp/schedule.h"

#include <map>
#include <utility>

namespace astitch::interp {
namespace {

bool SpeaksToHost(Opcode opcode) {
  return opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend ||
         opcode == Opcode::kRecv;
}

// By id. Operands stand before their users, so one backward pass reaches everything.
std::vector<bool> Needed(const Computation& computation) {
  std::vector<bool> needed(computation.id_bound());
  needed[computation.root()->id()] = true;
  const auto& instructions = computation.instructions();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    if (SpeaksToHost((*it)->opcode())) needed[(*it)->id()] = true;
    if (!needed[(*it)->id()]) continue;
    for (const Instruction* operand : (*it)->operands()) needed[operand->id()] = true;
  }
  return needed;
}

struct Reader {
  int64_t step = -1, operand = 0;
};

}  // namespace

Schedule MakeSchedule(const Computation& computation) {
  const std::vector<bool> needed = Needed(computation);
  Schedule schedule;
  std::vector<Reader> last(computation.id_bound());
  std::vector<bool> read_whole(computation.id_bound());  // by something but get-tuple-element
  std::map<std::pair<int64_t, int64_t>, int64_t> last_of_element;  // (tuple id, index) -> step
  for (const auto& owned : computation.instructions()) {
    if (!needed[owned->id()]) continue;
    const int64_t position = static_cast<int64_t>(schedule.steps.size());
    Schedule::Step& step = schedule.steps.emplace_back();
    step.instruction = owned.get();
    step.takes.resize(owned->num_operands());
    const bool opens_tuple = owned->opcode() == Opcode::kGetTupleElement;
    for (int64_t i = 0; i < owned->num_operands(); ++i) {
      const int64_t id = owned->operand(i)->id();
      last[id] = {position, i};
      if (!opens_tuple) read_whole[id] = true;
    }
    if (opens_tuple) {
      const int64_t index = owned->as<TupleIndexAttributes>().index;
      last_of_element[{owned->operand(0)->id(), index}] = position;
    }
  }
  const int64_t root = computation.root()->id();  // read once more, at the end
  for (int64_t id = 0; id < computation.id_bound(); ++id) {
    if (last[id].step >= 0 && id != root) {
      schedule.steps[last[id].step].takes[last[id].operand] = true;
    }
  }
  for (const auto& [tuple_and_index, step] : last_of_element) {
    const int64_t id = tuple_and_index.first;
    schedule.steps[step].takes_element = id != root && !read_whole[id];
  }
  return schedule;
}

}  // namespace astitch::interp
