// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Each operand by itself; what two instructions read is taken apart once.
#include "stitch/open_tuples.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace astitch {
namespace {

class Opener {
 public:
  explicit Opener(Computation& entry) : entry_(entry) {}

  void Run() {
    for (Instruction* reader : entry_.post_order()) {
      if (KindOf(reader->opcode()) == OpKind::kTuple && reader->opcode() != Opcode::kTuple)
        continue;
      for (int64_t k = 0; k < reader->num_operands(); ++k) {
        Instruction* operand = reader->operand(k);
        if (operand->shape().IsTuple() && operand->opcode() != Opcode::kTuple)
          reader->ReplaceOperand(k, Opened(operand));
      }
    }
    if (!opened_.empty()) entry_.SortProgramOrder();
  }

 private:
  Instruction* Part(Instruction* tuple, int64_t index) {
    const Shape& shape = tuple->shape().elements()[index];
    if (tuple->opcode() != Opcode::kConstant || tuple->literal().is_elided())
      return entry_.Add(Opcode::kGetTupleElement, shape, {tuple}, TupleIndexAttributes{index});
    return entry_.Add(Opcode::kConstant, shape, {},
                      ConstantAttributes{tuple->literal().elements()[index]});
  }

  // A tuple instruction over the parts of TUPLE.
  Instruction* Opened(Instruction* tuple) {
    if (const auto it = opened_.find(tuple); it != opened_.end()) return it->second;
    struct Open {
      Instruction* tuple;
      std::vector<Instruction*> parts;
    };
    std::vector<Open> stack = {{tuple, {}}};
    Instruction* done = nullptr;
    while (true) {
      Open& top = stack.back();
      if (done != nullptr) top.parts.push_back(std::exchange(done, nullptr));
      const std::vector<Shape>& elements = top.tuple->shape().elements();
      if (top.parts.size() == elements.size()) {
        done = entry_.Add(Opcode::kTuple, top.tuple->shape(), top.parts);
        stack.pop_back();
        if (!stack.empty()) continue;
        opened_.emplace(tuple, done);
        return done;
      }
      Instruction* part = Part(top.tuple, static_cast<int64_t>(top.parts.size()));
      if (part->shape().IsTuple()) {
        stack.push_back({part, {}});
      } else {
        top.parts.push_back(part);
      }
    }
  }

  Computation& entry_;
  absl::flat_hash_map<const Instruction*, Instruction*> opened_;
};

}  // namespace

void OpenTuples(Graph& graph) { Opener(*graph.entry()).Run(); }

}  // namespace astitch
