// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Equality of computations in structure: the same operations on the same values in the same order,
// whatever their names. JAX writes one "add" region a reduction; they are one computation.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph.h"

namespace astitch {

// Opcode, shape with layout, attributes, called computations and asked-for accuracy agree; operands
// are not compared.
bool SameOperation(const Instruction& a, const Instruction& b);
// Agrees with SameOperation.
size_t HashOperation(const Instruction& instruction);

class ComputationClasses {
 public:
  // The first computation seen that equals COMPUTATION; itself when there was none.
  Computation* Representative(Computation* computation);

 private:
  absl::flat_hash_map<size_t, std::vector<Computation*>> by_hash_;
};

}  // namespace astitch
