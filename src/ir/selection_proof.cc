// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates the body on every order of a few telling elements and compares the outcomes.
#include "ir/selection_proof.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "ir/comparison.h"

namespace astitch {
namespace {

using Element = std::vector<double>;  // one number a result

double Extreme(double a, double b, bool maximum) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return maximum ? std::max(a, b) : std::min(a, b);
}

bool IsSelectionOp(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kSelect:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kTuple:
      return true;
    case Opcode::kCompare:
      return instruction.as<CompareAttributes>().type != ComparisonType::kTotalOrder;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kNot:
      return instruction.shape().IsArray() && IsPred(instruction.shape().element_type());
    default:  // whatever computes new values
      return false;
  }
}

class Trial {
 public:
  explicit Trial(const Computation& computation)
      : computation_(computation), values_(computation.id_bound()) {}

  Element Run(const Element& a, const Element& b) {
    const size_t width = a.size();
    for (const auto& instruction : computation_.instructions()) {
      if (instruction->opcode() == Opcode::kParameter) {
        const size_t number = instruction->parameter_number();
        values_[instruction->id()] = number < width ? a[number] : b[number - width];
      } else if (instruction->opcode() != Opcode::kTuple) {
        values_[instruction->id()] = Step(*instruction);
      }
    }
    const Instruction* root = computation_.root();
    if (root->opcode() != Opcode::kTuple) return {values_[root->id()]};
    Element result;
    for (const Instruction* operand : root->operands()) result.push_back(values_[operand->id()]);
    return result;
  }

 private:
  double Of(const Instruction& instruction, int64_t operand) const {
    return values_[instruction.operand(operand)->id()];
  }
  double Step(const Instruction& i) const {
    switch (i.opcode()) {
      case Opcode::kSelect:
        return Of(i, 0) != 0 ? Of(i, 1) : Of(i, 2);
      case Opcode::kCompare:
        return Holds(i.as<CompareAttributes>().direction, Of(i, 0), Of(i, 1));
      case Opcode::kAnd:
        return Of(i, 0) != 0 && Of(i, 1) != 0;
      case Opcode::kOr:
        return Of(i, 0) != 0 || Of(i, 1) != 0;
      case Opcode::kNot:
        return Of(i, 0) == 0;
      default:  // the two left by IsSelectionOp
        return Extreme(Of(i, 0), Of(i, 1), i.opcode() == Opcode::kMaximum);
    }
  }

  const Computation& computation_;
  std::vector<double> values_;
};

bool Same(const Element& a, const Element& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  }
  return true;
}

// Every element over {1, 2, 3, NaN for floats}: enough for any order of three.
std::vector<Element> Domain(const Computation& computation, size_t width) {
  std::vector<Element> domain = {{}};
  for (size_t i = 0; i < width; ++i) {
    std::vector<double> numbers = {1, 2, 3};
    const ElementType type = computation.parameters()[i]->shape().element_type();
    if (IsFloat(type)) numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    std::vector<Element> longer;
    for (const Element& element : domain) {
      for (double number : numbers) {
        longer.push_back(element);
        longer.back().push_back(number);
      }
    }
    domain = std::move(longer);
  }
  return domain;
}

}  // namespace

bool IsOrderFreeSelection(const Computation& computation) {
  const size_t width = computation.parameters().size() / 2;
  if (width < 1 || width > 2 || computation.size() > 64) return false;
  for (const auto& instruction : computation.instructions()) {
    if (!IsSelectionOp(*instruction)) return false;
  }
  const bool is_tuple = computation.root()->opcode() == Opcode::kTuple;
  if (width != (is_tuple ? computation.root()->operands().size() : 1)) return false;
  Trial trial(computation);
  const std::vector<Element> domain = Domain(computation, width);
  for (const Element& a : domain) {
    if (!Same(trial.Run(a, a), a)) return false;
    for (const Element& b : domain) {
      const Element ab = trial.Run(a, b);
      if (!Same(ab, trial.Run(b, a))) return false;
      for (const Element& c : domain) {
        if (!Same(trial.Run(ab, c), trial.Run(a, trial.Run(b, c)))) return false;
      }
    }
  }
  return true;
}

}  // namespace astitch
