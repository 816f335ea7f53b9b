// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a stage may read a value where an earlier root has put it, and behind which barrier.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "plan/verify_index.h"
#include "plan/verify_kernel.h"
#include "plan/verify_operands.h"

namespace astitch::plan_check {

// A root that has stored a value.
struct Writer {
  PlanPlace place;
  const Root* root = nullptr;
};

// How a value is read.
enum class Reading : uint8_t {
  kHome,    // from where it was stored
  kAgain,   // not from there: it is evaluated once more
  kEither,  // some elements so, some so
};

class HomeReader {
 public:
  // Of the stage at PLACE; INDICES are over its axes.
  HomeReader(const KernelView& view, PlanPlace place, AxisIndices& indices)
      : view_(view), at_(place), indices_(indices) {}

  // ELEMENT, which WRITER has stored in HOME. Error: it would be read from there, and what is there
  // is not, or not yet, this element.
  absl::StatusOr<Reading> Read(const Element& element, const Writer& writer, const Placement& home);

 private:
  // Where the element lies from the point of view of the point under way.
  struct Position {
    bool own_row = true;
    bool own_slice = false;  // the same index of the first row axis
    bool own_columns = true;
    int64_t columns = 1;  // that the value has
  };
  Position Locate(const Element& element, const Writer& writer);
  const Phase& phase() const { return view_.kernel().phases[at_.phase]; }
  const Stage& stage() const { return phase().stages[at_.stage]; }
  const Stage& StageOf(const Writer& writer) const {
    return view_.kernel().phases[writer.place.phase].stages[writer.place.stage];
  }
  bool SameThreadsARow(const Writer& writer) const;
  bool SameThread(const Writer& writer, const Position& position) const;
  absl::StatusOr<Reading> ReadSlot(const Element& element, const Writer& writer,
                                   const Placement& home);
  absl::StatusOr<Reading> ReadMemoryHere(const Element& element, const Writer& writer);
  absl::Status CheckPhaseBarrier(const Element& element, const Writer& writer);
  absl::Status CheckBlockBarrier(const Element& element, const Writer& writer) const;
  // The barrier between WRITER's stage and this one; GLOBAL: the value lies in memory, not in a slot.
  absl::Status CheckStageBarrier(const Element& element, const Writer& writer,
                                 const Position& position, bool global) const;
  absl::Status OtherRow(const Element& element, absl::string_view where) const;

  const KernelView& view_;
  const PlanPlace at_;
  AxisIndices& indices_;
};

}  // namespace astitch::plan_check
