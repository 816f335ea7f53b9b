// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The Graph: a typed SSA program in HLO's operations. A Graph owns computations, a computation owns
// instructions.
//
//   Graph ── computations (callees before callers, the entry among them)
//     └─ Computation ── instructions in program order: every operand stands before its user
//          └─ Instruction: opcode, shape, operands, called computations, attributes, annotations,
//          position in the text
//
// Pointers to instructions stay valid until the instruction is removed; users are kept up to date.
// Walk with program order or post_order(); never by recursion, since inputs nest a hundred thousand
// deep. Not thread-safe while changed; reading from several threads is fine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "astitch/shape.h"
#include "base/check.h"
#include "base/status.h"
#include "ir/attributes.h"
#include "ir/opcode.h"

namespace astitch {

class Computation;
class Graph;

class Instruction {
 public:
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  // Unique in its computation; without '%'.
  const std::string& name() const { return name_; }
  Opcode opcode() const { return opcode_; }
  const Shape& shape() const { return shape_; }
  void set_shape(Shape shape) { shape_ = std::move(shape); }
  Computation* parent() const { return parent_; }
  // Unique in the computation and growing with creation; a stable key for side tables.
  int64_t id() const { return id_; }

  absl::Span<Instruction* const> operands() const { return operands_; }
  Instruction* operand(int64_t i) const { return operands_[i]; }
  int64_t num_operands() const { return static_cast<int64_t>(operands_.size()); }
  // Each user once, in no particular order after changes; sort by id where order matters.
  absl::Span<Instruction* const> users() const { return users_; }
  void ReplaceOperand(int64_t i, Instruction* with);

  // Bodies this instruction runs, in the order of hlo-text 3.2 (condition, body / select, scatter /
  // branches / to_apply).
  absl::Span<Computation* const> called() const { return called_; }
  void set_called(std::vector<Computation*> called) { called_ = std::move(called); }

  // Must stand earlier in program order; ordering only.
  absl::Span<Instruction* const> control_predecessors() const { return control_predecessors_; }
  void AddControlPredecessor(Instruction* predecessor) {
    control_predecessors_.push_back(predecessor);
  }
  void ClearControlPredecessors() { control_predecessors_.clear(); }

  const Attributes& attributes() const { return attributes_; }
  Attributes& mutable_attributes() { return attributes_; }
  // REQUIRES: the opcode's family is T.
  template <typename T>
  const T& as() const {
    const T* value = std::get_if<T>(&attributes_);
    ASTITCH_CHECK(value != nullptr) << ToString(opcode_) << " " << name_ << " has other attributes";
    return *value;
  }
  // Shorthands for the commonest families.
  const std::vector<int64_t>& dimensions() const { return as<DimensionsAttributes>().dimensions; }
  int64_t parameter_number() const { return as<ParameterAttributes>().number; }
  const Literal& literal() const { return as<ConstantAttributes>().value; }

  const Annotations& annotations() const;  // the empty one when there is none
  Annotations& mutable_annotations();
  void set_annotations(Annotations annotations);

  TextPosition position() const { return position_; }
  void set_position(TextPosition position) { position_ = position; }

 private:
  friend class Computation;
  friend class Graph;
  Instruction() = default;
  void RemoveUser(Instruction* user);

  std::string name_;
  Opcode opcode_ = Opcode::kTuple;
  Shape shape_;
  Computation* parent_ = nullptr;
  int64_t id_ = 0;
  std::vector<Instruction*> operands_, users_, control_predecessors_;
  std::vector<Computation*> called_;
  Attributes attributes_;
  std::unique_ptr<Annotations> annotations_;
  TextPosition position_;
};

class Computation {
 public:
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  const std::string& name() const { return name_; }
  Graph* graph() const { return graph_; }
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) { execution_thread_ = std::move(thread); }

  // In program order.
  const std::vector<std::unique_ptr<Instruction>>& instructions() const { return instructions_; }
  int64_t size() const { return static_cast<int64_t>(instructions_.size()); }
  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  // By number; slots are null until the parameter exists.
  absl::Span<Instruction* const> parameters() const { return parameters_; }
  // Null when there is none.
  Instruction* Find(absl::string_view name) const;

  // Appends. NAME is made unique by a suffix .1, .2, ... when taken; empty means the opcode's word.
  // REQUIRES: operands belong to this computation.
  Instruction* Add(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                   Attributes attributes = {}, absl::string_view name = "");
  // The same, placed just before BEFORE in program order.
  Instruction* AddBefore(Instruction* before, Opcode opcode, Shape shape,
                         std::vector<Instruction*> operands, Attributes attributes = {},
                         absl::string_view name = "");

  // Every user of OLD reads WITH from now on; the root moves too. OLD stays, without users.
  void ReplaceUses(Instruction* old, Instruction* with);
  // REQUIRES: no users, not the root, not a parameter.
  void Remove(Instruction* instruction);
  // Removes all instructions for which DEAD[id] holds; they may use each other. Linear.
  void RemoveAll(const std::vector<bool>& dead_by_id);
  // Ids are below this.
  int64_t id_bound() const { return next_id_; }

  // Operands before users, reached from the root first, then what nothing reaches; a valid program
  // order.
  std::vector<Instruction*> post_order() const;
  // Keeps the program order, except that an operand moves to just before the first that needs it;
  // call after inserting out of order.
  void SortProgramOrder();

 private:
  friend class Graph;
  Computation() = default;
  Instruction* Create(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                      Attributes attributes, absl::string_view name);
  std::string UniqueName(absl::string_view wanted);
  // What START reaches, then the rest in program order; operands before users. START may be null.
  std::vector<Instruction*> OperandsFirst(Instruction* start) const;

  std::string name_;
  Graph* graph_ = nullptr;
  std::string execution_thread_;
  std::vector<std::unique_ptr<Instruction>> instructions_;
  std::vector<Instruction*> parameters_;
  Instruction* root_ = nullptr;
  int64_t next_id_ = 0;
  absl::flat_hash_map<std::string, Instruction*> by_name_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;
};

// One donation of an argument to (a part of) the result.
struct InputOutputAlias {
  std::vector<int64_t> output_index;
  int64_t parameter = 0;
  std::vector<int64_t> parameter_index;
  bool must_alias = false;
  friend bool operator==(const InputOutputAlias&, const InputOutputAlias&) = default;
};

struct BufferDonor {
  int64_t parameter = 0;
  std::vector<int64_t> parameter_index;
  friend bool operator==(const BufferDonor&, const BufferDonor&) = default;
};

// The entry's physical form: layouts of arguments and result in the caller's memory.
struct EntryLayout {
  std::vector<Shape> parameters;
  Shape result;
  friend bool operator==(const EntryLayout&, const EntryLayout&) = default;
};

// Source positions of a dump: FileNames, FunctionNames, FileLocations, StackFrames. Indices are
// 1-based as in the text, and 0 means none; parent is the true parent (one less than the printed
// one).
struct StackFrames {
  struct Location {
    int64_t file = 0, function = 0, line = 0, end_line = 0, column = 0, end_column = 0;
    friend bool operator==(const Location&, const Location&) = default;
  };
  struct Frame {
    int64_t location = 0, parent = 0;
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  std::vector<std::string> files, functions;
  std::vector<Location> locations;
  std::vector<Frame> frames;
  bool empty() const {
    return files.empty() && functions.empty() && locations.empty() && frames.empty();
  }
  friend bool operator==(const StackFrames&, const StackFrames&) = default;
};

// What the HloModule line says besides the name.
struct ModuleHeader {
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  bool alias_passthrough_params = false;
  bool has_entry_layout = false;
  EntryLayout entry_layout;
  std::string allow_spmd_to_parameters,
      allow_spmd_to_output;  // "{true,false}", empty when not written
  int64_t replica_count = 1, num_partitions = 1;
  std::string frontend_attributes;  // brace blob
  friend bool operator==(const ModuleHeader&, const ModuleHeader&) = default;
};

class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ModuleHeader& header() { return header_; }
  const ModuleHeader& header() const { return header_; }
  StackFrames& stack_frames() { return stack_frames_; }
  const StackFrames& stack_frames() const { return stack_frames_; }

  const std::vector<std::unique_ptr<Computation>>& computations() const { return computations_; }
  Computation* entry() const { return entry_; }
  void set_entry(Computation* entry) { entry_ = entry; }

  // Appends an empty computation; NAME is made unique by a suffix when taken.
  Computation* AddComputation(absl::string_view name);
  // REQUIRES: nothing calls it and it is not the entry.
  void RemoveComputation(Computation* computation);
  // Removes every computation that the entry does not reach through calls. Linear.
  void RemoveUnreachedComputations();
  // Null when there is none.
  Computation* FindComputation(absl::string_view name) const;

  // Callees before callers, the entry last among what it reaches; unreached ones follow.
  std::vector<Computation*> CalleesFirst() const;
  // The stored order, except that a callee moves to just before the first that needs it.
  std::vector<Computation*> StableCalleesFirst() const;
  // Puts the computations into that order; call after adding a callee behind its caller.
  void SortCalleesFirst();

  // A deep copy: same names, ids renumbered in program order, positions kept.
  std::unique_ptr<Graph> Clone() const;

 private:
  std::string name_;
  ModuleHeader header_;
  StackFrames stack_frames_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
  absl::flat_hash_map<std::string, Computation*> by_name_;
};

// Copies INSTRUCTION into COMPUTATION (of the same graph) with other operands, keeping attributes,
// annotations, called computations and position. Control predecessors are dropped.
Instruction* CloneWithOperands(const Instruction& instruction, Computation* computation,
                               std::vector<Instruction*> operands, absl::string_view name = "");

// "expected EXPECTED, got GOT in instruction %name": an InvalidArgument diagnostic at the
// instruction's position.
absl::Status ErrorAt(const Instruction& instruction, absl::string_view expected,
                     absl::string_view got);
// A free-worded diagnostic at the instruction's position, for refusals: "OP %name: MESSAGE".
absl::Status ErrorAt(const Instruction& instruction, absl::string_view message);

}  // namespace astitch
