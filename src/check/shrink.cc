// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Greedy: each change is tried on a copy and kept when the copy still fails; passes repeat until
// none helps.
#include "check/shrink.h"

#include <functional>
#include <vector>

#include "ir/verifier.h"

namespace astitch {
namespace {

constexpr int kMaxTries = 1500;

// A change to a copy, by instruction ids of the copy; false when it does not apply.
using Change = std::function<bool(Graph&)>;

Instruction* ById(Graph& graph, int64_t id) {
  for (const auto& i : graph.entry()->instructions()) {
    if (i->id() == id) return i.get();
  }
  return nullptr;
}

// Removes what the root does not need, parameters too, and numbers those that are left. A copy: the
// entry's parameters cannot be taken out of a computation.
std::unique_ptr<Graph> Compact(const Graph& graph) {
  auto out = std::make_unique<Graph>(graph.name());
  std::vector<bool> needed(graph.entry()->id_bound(), false);
  needed[graph.entry()->root()->id()] = true;
  const std::vector<Instruction*> order = graph.entry()->post_order();
  for (size_t n = order.size(); n-- > 0;) {
    if (!needed[order[n]->id()]) continue;
    for (const Instruction* operand : order[n]->operands()) needed[operand->id()] = true;
  }
  absl::flat_hash_map<const Computation*, Computation*> bodies;
  for (const Computation* computation : graph.CalleesFirst()) {
    if (computation == graph.entry()) continue;
    Computation* copy = bodies[computation] = out->AddComputation(computation->name());
    absl::flat_hash_map<const Instruction*, Instruction*> map;
    for (const auto& i : computation->instructions()) {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : i->operands()) operands.push_back(map.at(operand));
      map[i.get()] = copy->Add(i->opcode(), i->shape(), operands, i->attributes(), i->name());
    }
    copy->set_root(map.at(computation->root()));
  }
  Computation* entry = out->AddComputation(graph.entry()->name());
  absl::flat_hash_map<const Instruction*, Instruction*> map;
  int64_t parameters = 0;
  for (const Instruction* i : order) {
    if (!needed[i->id()]) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(map.at(operand));
    Attributes attributes = i->attributes();
    if (i->opcode() == Opcode::kParameter) attributes = ParameterAttributes{parameters++};
    Instruction* copy = entry->Add(i->opcode(), i->shape(), operands, attributes, i->name());
    std::vector<Computation*> called;
    for (const Computation* c : i->called()) called.push_back(bodies.at(c));
    copy->set_called(called);
    map[i] = copy;
  }
  entry->set_root(map.at(graph.entry()->root()));
  out->set_entry(entry);
  out->RemoveUnreachedComputations();
  return out;
}

bool RootBecomes(Graph& graph, int64_t operand) {
  Instruction* root = graph.entry()->root();
  if (operand >= root->num_operands() || root->operand(operand)->shape().IsTuple()) return false;
  graph.entry()->set_root(root->operand(operand));
  return true;
}

// Leaves result NUMBER out of the root tuple.
bool DropResult(Graph& graph, int64_t number) {
  Instruction* root = graph.entry()->root();
  if (root->opcode() != Opcode::kTuple || root->num_operands() < 2 ||
      number >= root->num_operands())
    return false;
  std::vector<Instruction*> kept;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < root->num_operands(); ++i) {
    if (i == number) continue;
    kept.push_back(root->operand(i));
    shapes.push_back(root->operand(i)->shape());
  }
  graph.entry()->set_root(graph.entry()->Add(Opcode::kTuple, Shape::Tuple(shapes), kept));
  return true;
}

bool BecomesParameter(Graph& graph, int64_t id) {
  Instruction* value = ById(graph, id);
  if (value == nullptr || !value->shape().IsArray() || value->opcode() == Opcode::kParameter ||
      value == graph.entry()->root())
    return false;
  const auto number = static_cast<int64_t>(graph.entry()->parameters().size());
  Instruction* parameter = graph.entry()->AddBefore(value, Opcode::kParameter, value->shape(), {},
                                                    ParameterAttributes{number});
  graph.entry()->ReplaceUses(value, parameter);
  return true;
}

bool BecomesOperand(Graph& graph, int64_t id, int64_t operand) {
  Instruction* value = ById(graph, id);
  if (value == nullptr || operand >= value->num_operands() || !value->shape().IsArray())
    return false;
  if (!value->operand(operand)->shape().CompatibleWith(value->shape())) return false;
  graph.entry()->ReplaceUses(value, value->operand(operand));
  return true;
}

class Shrinker {
 public:
  Shrinker(const Graph& graph, absl::FunctionRef<bool(const Graph&)> fails)
      : graph_(graph.Clone()), fails_(fails) {}

  std::unique_ptr<Graph> Run() {
    bool changed = true;
    while (changed && tries_ < kMaxTries) {
      changed = false;
      for (const Change& change : Changes()) {
        if (tries_ >= kMaxTries) break;
        if (!Try(change)) continue;
        changed = true;  // ids are new: list the changes again
        break;
      }
    }
    return std::move(graph_);
  }

 private:
  std::vector<Change> Changes() const {
    std::vector<Change> out;
    const Instruction* root = graph_->entry()->root();
    for (int64_t i = 0; i < root->num_operands(); ++i)
      out.push_back([i](Graph& g) { return RootBecomes(g, i); });
    for (int64_t i = 0; i < root->num_operands(); ++i)
      out.push_back([i](Graph& g) { return DropResult(g, i); });
    // Close to the results first: a cut there leaves the least.
    const std::vector<Instruction*> order = graph_->entry()->post_order();
    for (size_t n = order.size(); n-- > 0;) {
      const int64_t id = order[n]->id();
      out.push_back([id](Graph& g) { return BecomesParameter(g, id); });
    }
    for (size_t n = order.size(); n-- > 0;) {
      const int64_t id = order[n]->id();
      for (int64_t i = 0; i < order[n]->num_operands(); ++i)
        out.push_back([id, i](Graph& g) { return BecomesOperand(g, id, i); });
    }
    return out;
  }

  bool Try(const Change& change) {
    std::unique_ptr<Graph> copy = graph_->Clone();
    // A copy numbers its instructions anew, in program order.
    if (!change(*copy)) return false;
    copy = Compact(*copy);
    if (copy->entry()->size() > graph_->entry()->size() || !VerifyGraph(*copy).ok()) return false;
    ++tries_;
    if (!fails_(*copy)) return false;
    graph_ = std::move(copy);
    return true;
  }

  std::unique_ptr<Graph> graph_;
  absl::FunctionRef<bool(const Graph&)> fails_;
  int tries_ = 0;
};

}  // namespace

std::unique_ptr<Graph> Shrink(const Graph& graph, absl::FunctionRef<bool(const Graph&)> fails) {
  // Ids that are program order, as those of each copy will be.
  return Shrinker(*Compact(graph), fails).Run();
}

}  // namespace astitch
