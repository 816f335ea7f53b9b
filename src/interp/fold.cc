// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folds. A reducer that is one operation has a loop of its own when a single accumulator takes a
// run of values; every other one runs its program once an element.
#include "interp/fold.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interp/complex.h"

namespace astitch::interp {
namespace {

// Folds VALUES into ACC where OPCODE has a loop; false where it has none.
bool FoldFloats(Opcode opcode, double& acc, const Lane* values, int64_t n) {
  switch (opcode) {
    case Opcode::kAdd:
      for (int64_t k = 0; k < n; ++k) acc += values[k].f;
      return true;
    case Opcode::kMultiply:
      for (int64_t k = 0; k < n; ++k) acc *= values[k].f;
      return true;
    case Opcode::kMaximum:
      for (int64_t k = 0; k < n; ++k) acc = FloatMaximum(acc, values[k].f);
      return true;
    case Opcode::kMinimum:
      for (int64_t k = 0; k < n; ++k) acc = FloatMinimum(acc, values[k].f);
      return true;
    default:
      return false;
  }
}

bool FoldComplex(Opcode opcode, Lane& acc, const Lane* values, int64_t n) {
  Complex folded = acc.z();
  switch (opcode) {
    case Opcode::kAdd:
      for (int64_t k = 0; k < n; ++k) folded += values[k].z();
      break;
    case Opcode::kMultiply:
      for (int64_t k = 0; k < n; ++k) folded = Multiply(folded, values[k].z());
      break;
    default:
      return false;
  }
  acc = {.f = folded.real(), .im = folded.imag()};
  return true;
}

bool FoldIntegers(Opcode opcode, ElementType type, int64_t& acc, const Lane* values, int64_t n) {
  switch (opcode) {
    case Opcode::kMaximum:
      if (type == ElementType::kU64) return false;  // every other type's lanes order as signed
      for (int64_t k = 0; k < n; ++k) acc = std::max(acc, values[k].i);
      return true;
    case Opcode::kMinimum:
      if (type == ElementType::kU64) return false;
      for (int64_t k = 0; k < n; ++k) acc = std::min(acc, values[k].i);
      return true;
    case Opcode::kAdd:
      for (int64_t k = 0; k < n; ++k) {
        acc = static_cast<int64_t>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(values[k].i));
      }
      return true;
    case Opcode::kAnd:
      for (int64_t k = 0; k < n; ++k) acc &= values[k].i;
      return true;
    case Opcode::kOr:
      for (int64_t k = 0; k < n; ++k) acc |= values[k].i;
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<Fold> Fold::Make(Context& context, const Computation& reducer) {
  ASTITCH_ASSIGN_OR_RETURN(ScalarProgram program,
                           ScalarProgram::Compile(context, reducer, Rounding::kWide));
  if (program.num_params() != 2 * program.num_results()) {
    return ErrorAt(*reducer.root(),
                   absl::StrCat(program.num_params() / 2, " results of reducer ", reducer.name()),
                   absl::StrCat(program.num_results()));
  }
  Fold fold(std::move(program));
  fold.single_ = fold.program_.single_binary();
  fold.swap_.resize(fold.width() * kLanes);
  return fold;
}

bool Fold::commutes() const {
  if (!single_) return false;
  switch (*single_) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

absl::Status Fold::Combine(int64_t n) {
  ASTITCH_RETURN_IF_ERROR(program_.Run(n));
  if (width() == 1) {
    const Lane* result = program_.result(0);
    if (result != accumulator(0)) std::copy_n(result, n, accumulator(0));
    return absl::OkStatus();
  }
  // A result may be another accumulator, so all are read before any is written.
  for (int64_t i = 0; i < width(); ++i) {
    std::copy_n(program_.result(i), n, swap_.data() + i * kLanes);
  }
  for (int64_t i = 0; i < width(); ++i) {
    std::copy_n(swap_.data() + i * kLanes, n, accumulator(i));
  }
  return absl::OkStatus();
}

absl::Status Fold::CombineAll(int64_t n) {
  Lane& acc = *accumulator(0);
  if (single_ && width() == 1) {
    const ElementType type = program_.result_type(0);
    if (IsFloat(type) && FoldFloats(*single_, acc.f, value(0), n)) return absl::OkStatus();
    if (IsComplex(type) && FoldComplex(*single_, acc, value(0), n)) return absl::OkStatus();
    const bool integers = !IsFloat(type) && !IsComplex(type);
    if (integers && FoldIntegers(*single_, type, acc.i, value(0), n)) {
      Round(type, &acc, 1);
      return absl::OkStatus();
    }
  }
  std::vector<std::vector<Lane>> values(width());
  for (int64_t i = 0; i < width(); ++i) values[i].assign(value(i), value(i) + n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = 0; i < width(); ++i) *value(i) = values[i][k];
    ASTITCH_RETURN_IF_ERROR(Combine(1));
  }
  return absl::OkStatus();
}

}  // namespace astitch::interp
