// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Polynomials with a handful of terms; operations are taken as their operands become known.
#include "stitch/gelu.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/number.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

constexpr size_t kMostOperations = 16;
constexpr size_t kMostTerms = 8;

// Coefficients by powers of x and of t, the one function of x.
using Polynomial = std::map<std::pair<int, int>, double>;

Polynomial Scaled(const Polynomial& p, double by) {
  Polynomial out = p;
  for (auto& [powers, coefficient] : out) coefficient *= by;
  return out;
}

Polynomial Sum(const Polynomial& a, const Polynomial& b) {
  Polynomial out = a;
  for (const auto& [powers, coefficient] : b) out[powers] += coefficient;
  return out;
}

Polynomial Product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [p, x] : a) {
    for (const auto& [q, y] : b) out[{p.first + q.first, p.second + q.second}] += x * y;
  }
  return out;
}

// Constants in a graph are rounded to f32, or written with a few digits.
bool Close(const Polynomial& got, const Polynomial& wanted) {
  constexpr double kRelative = 1e-5;
  Polynomial difference = Sum(got, Scaled(wanted, -1));
  return std::all_of(difference.begin(), difference.end(), [&](const auto& term) {
    const auto it = wanted.find(term.first);
    return std::abs(term.second) <= kRelative * (it == wanted.end() ? 1 : std::abs(it->second));
  });
}

bool IsConstant(const Instruction* i) {
  return i->opcode() == Opcode::kBroadcast && IsImmediate(*i->operand(0));
}

class Recognizer {
 public:
  Recognizer(const Instruction* x, const ReadersOf& readers) : readers_(readers) {
    known_[x] = {{{1, 0}, 1.0}};
    AddReaders(x);
  }

  std::optional<Gelu> Run() {
    while (!waiting_.empty() && gelu_.operations.size() < kMostOperations) {
      const Instruction* next = Ready();
      if (next == nullptr || !Take(next)) return std::nullopt;
      if (waiting_.empty() && IsGelu(known_.at(next))) return gelu_;
      if (!AddReaders(next)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // False when the value is needed in memory, so that more is made of it than operations tell.
  bool AddReaders(const Instruction* of) {
    const std::vector<const Instruction*>* readers = readers_(of);
    if (readers == nullptr) return false;
    for (const Instruction* reader : *readers) {
      if (std::find(waiting_.begin(), waiting_.end(), reader) == waiting_.end())
        waiting_.push_back(reader);
    }
    return true;
  }

  const Instruction* Ready() {
    const auto ready = std::find_if(waiting_.begin(), waiting_.end(), [&](const Instruction* i) {
      return std::all_of(i->operands().begin(), i->operands().end(),
                         [&](const Instruction* o) { return known_.contains(o) || IsConstant(o); });
    });
    if (ready == waiting_.end()) return nullptr;
    const Instruction* next = *ready;
    waiting_.erase(ready);
    return next;
  }

  Polynomial Of(const Instruction* i) {
    const auto it = known_.find(i);
    if (it != known_.end()) return it->second;
    if (std::find(gelu_.constants.begin(), gelu_.constants.end(), i) == gelu_.constants.end())
      gelu_.constants.push_back(i);
    const Literal& literal = i->operand(0)->literal();
    return {{{0, 0}, LoadAsDouble(i->shape().element_type(), literal.bytes().data())}};
  }

  bool Take(const Instruction* i) {
    const Polynomial a = Of(i->operand(0));
    const Polynomial b = i->num_operands() > 1 ? Of(i->operand(1)) : Polynomial();
    Polynomial& out = known_[i];
    switch (i->opcode()) {
      case Opcode::kAdd:
        out = Sum(a, b);
        break;
      case Opcode::kSubtract:
        out = Sum(a, Scaled(b, -1));
        break;
      case Opcode::kNegate:
        out = Scaled(a, -1);
        break;
      case Opcode::kMultiply:
        out = Product(a, b);
        break;
      case Opcode::kDivide:
        if (b.size() != 1 || b.begin()->first != std::pair(0, 0)) return false;
        out = Scaled(a, 1 / b.begin()->second);
        break;
      case Opcode::kTanh:
      case Opcode::kErf:
        if (function_.has_value()) return false;
        function_ = i->opcode();
        argument_ = a;
        out = {{{0, 1}, 1.0}};
        break;
      default:
        return false;
    }
    gelu_.operations.push_back(i);
    return out.size() <= kMostTerms;
  }

  bool IsGelu(const Polynomial& p) {
    const double root = std::sqrt(2 / M_PI);
    if (!function_.has_value() || !Close(p, {{{1, 0}, 0.5}, {{1, 1}, 0.5}})) return false;
    if (*function_ == Opcode::kErf) {
      gelu_.kind = EpilogueKind::kGeluErf;
      return Close(argument_, {{{1, 0}, std::sqrt(0.5)}});
    }
    gelu_.kind = EpilogueKind::kGeluTanh;
    return Close(argument_, {{{1, 0}, root}, {{3, 0}, 0.044715 * root}});
  }

  const ReadersOf& readers_;
  absl::flat_hash_map<const Instruction*, Polynomial> known_;
  std::vector<const Instruction*> waiting_;  // readers of what is known, in order of discovery
  std::optional<Opcode> function_;
  Polynomial argument_;
  Gelu gelu_;
};

}  // namespace

std::optional<Gelu> RecognizeGelu(const Instruction* x, const ReadersOf& readers) {
  return Recognizer(x, readers).Run();
}

}  // namespace astitch
