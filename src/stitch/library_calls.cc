// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks up from operands and down from results as far as strides and epilogues go.
#include "stitch/library_calls.h"

#include <algorithm>

#include "ir/number.h"
#include "plan/reference_call.h"
#include "stitch/dim_atoms.h"
#include "stitch/dot_call.h"
#include "stitch/gelu.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

// Rows, or columns, of each of several products that are computed instead of one: fewer do not fill the
// tiles of matrix libraries.
constexpr int64_t kLeastApart = 64;

class CallFinder {
 public:
  CallFinder(const Graph& graph, bool gelu, const absl::flat_hash_set<const Instruction*>& stacks)
      : gelu_(gelu), stacks_(stacks) {
    for (const Instruction* i : graph.entry()->post_order()) order_.push_back(i);
    for (const Instruction* result : GraphResults(graph)) results_.insert(result);
    for (const Instruction* i : order_) {
      for (const Instruction* operand : i->operands()) readers_[operand].push_back(i);
      if (i->opcode() == Opcode::kParameter || i->opcode() == Opcode::kConstant) memory_.insert(i);
    }
  }

  absl::StatusOr<LibraryCalls> Run() {
    for (const Instruction* i : order_) {
      int64_t depth = 0;
      for (const Instruction* operand : i->operands()) {
        const StitchClass c = ClassOf(*operand);
        const bool call = c == StitchClass::kLibrary || c == StitchClass::kReference;
        depth = std::max(depth, depth_.at(operand) + call);
      }
      depth_[i] = depth;
      const Instruction* whole = WholeOf(i);
      if (i->opcode() == Opcode::kConvolution || ClassOf(*whole) == StitchClass::kReference) {
        memory_.insert(i);
        ready_[i] = depth_.at(whole) + 1;
      }
      if (stacks_.contains(i)) memory_.insert(i);
      if (i->opcode() != Opcode::kDot) continue;
      Reading reading{DotDims(*i), {Dense(i->operand(0)), Dense(i->operand(1))}, {}};
      ASTITCH_ASSIGN_OR_RETURN(reading.call, reading.dims.DenseCall());
      for (int64_t k : {0, 1}) ReadThrough(*i, k, reading);
      DotCall call = std::move(reading.call);
      Absorb(*i, reading.dims, call);
      memory_.insert(call.out.value);
      ready_[call.out.value] = depth_.at(i) + 1;
      found_.calls.emplace(i, std::move(call));
    }
    DropViewsThatOthersNeed();
    FindPieces();
    return std::move(found_);
  }

  // The stacks that some reader does not read through: they have to be made.
  const std::vector<const Instruction*>& stacks_to_make() const { return to_make_; }

 private:
  // How a dot reads its operands.
  struct Reading {
    DotDims dims;
    DotView views[2];
    DotCall call;
  };

  // Replaces operand K by the array in memory that it is a turned form of.
  void ReadThrough(const Instruction& dot, int64_t k, Reading& reading) {
    std::vector<const Instruction*> views;
    const Instruction* base = dot.operand(k);
    while (IsTurn(base) && !IsStored(base)) {
      views.push_back(base);
      base = base->operand(0);
    }
    if (!memory_.contains(base) || (views.empty() && !stacks_.contains(base))) return;
    DimAtoms atoms(base->shape());
    for (size_t t = views.size(); t-- > 0;) {
      if (!atoms.Follow(*views[t])) return;
    }
    const auto strides = atoms.AlongCurrent(RowMajorStrides(base->shape()));
    if (!strides.has_value() || !Read(dot, k, {base, *strides}, reading)) return;
    if (stacks_.contains(base)) {
      views.push_back(base);
      for (const Instruction* piece : base->operands()) {
        for (; piece->opcode() == Opcode::kReshape && !IsStored(piece); piece = piece->operand(0))
          views.push_back(piece);
      }
    }
    found_.views.insert(views.begin(), views.end());
    through_[&dot].insert(views.begin(), views.end());
  }

  // Whether VIEW can be what DOT reads for operand K: READING then is that. Of free dimensions that lie
  // apart in it the outermost is one more of the batch, if enough is left to fill a matrix.
  bool Read(const Instruction& dot, int64_t k, const DotView& view, Reading& reading) const {
    Reading draft = reading;
    draft.views[k] = view;
    bool fits = Fits(draft);
    if (!fits) {
      const DotDims dims(dot);
      const Shape& shape = dot.operand(k)->shape();
      int64_t outermost = -1, rest = 1;
      for (int64_t d : dims.free_dims(k)) {
        rest *= shape.dim(d);
        if (shape.dim(d) > 1 && (outermost < 0 || view.strides[d] > view.strides[outermost]))
          outermost = d;
      }
      if (outermost < 0 || rest / shape.dim(outermost) < kLeastApart) return false;
      draft.dims = DotDims(dot, k, outermost);
      fits = Fits(draft);
    }
    if (fits) reading = std::move(draft);
    return fits;
  }

  static bool Fits(Reading& reading) {
    absl::StatusOr<DotCall> call = reading.dims.DenseCall();
    if (!call.ok()) return false;
    reading.call = *std::move(call);
    return reading.dims.SetOperand(0, reading.views[0], reading.call.lhs) &&
           reading.dims.SetOperand(1, reading.views[1], reading.call.rhs);
  }

  bool IsStored(const Instruction* i) const { return memory_.contains(i) || results_.contains(i); }

  // Goes down from the dot while one operation, or GELU, which a call can do, is all that reads.
  void Absorb(const Instruction& dot, const DotDims& dims, DotCall& call) {
    DimAtoms atoms(dot.shape());
    DotCall draft = call;
    const Instruction* at = &dot;
    std::vector<const Instruction*> pending, addends;
    while (Step(dot, dims, atoms, at, draft, pending, addends)) {
      at = pending.back();
      const auto strides = atoms.AlongOrigin(RowMajorStrides(at->shape()));
      if (!strides.has_value() || !dims.SetOut({at, *strides}, draft.out)) continue;
      call = draft;
      for (const Instruction* i : pending) found_.absorbed.emplace(i, &dot);
      for (const Instruction* i : addends) {
        found_.views.insert(i);
        through_[&dot].insert(i);
      }
      pending = {};
      addends.clear();
    }
    const std::optional<Gelu> gelu = gelu_ ? std::nullopt : GeluOf(dot, call.out.value);
    if (gelu.has_value()) found_.declined.push_back({call.out.value, gelu->kind});
  }

  // GELU of AT, a product that is in f32.
  std::optional<Gelu> GeluOf(const Instruction& dot, const Instruction* at) const {
    if (dot.shape().element_type() != ElementType::kF32 || OnlyReader(at) != nullptr)
      return std::nullopt;
    return RecognizeGelu(at, [this](const Instruction* i) {
      const auto it = readers_.find(i);
      return it == readers_.end() || results_.contains(i) ? nullptr : &it->second;
    });
  }

  // One step down from AT: operations to PENDING, the broadcasts that they read to ADDENDS.
  bool Step(const Instruction& dot, const DotDims& dims, DimAtoms& atoms, const Instruction* at,
            DotCall& draft, std::vector<const Instruction*>& pending,
            std::vector<const Instruction*>& addends) const {
    const Instruction* next = OnlyReader(at);
    if (next == nullptr) {
      const std::optional<Gelu> gelu = gelu_ ? GeluOf(dot, at) : std::nullopt;
      if (!gelu.has_value()) return false;
      draft.epilogue.push_back({gelu->kind, {}, 1});
      pending.insert(pending.end(), gelu->operations.begin(), gelu->operations.end());
      addends.insert(addends.end(), gelu->constants.begin(), gelu->constants.end());
      return true;
    }
    if (IsTurn(next)) {
      if (!atoms.Follow(*next)) return false;
    } else {
      const std::optional<EpilogueOp> op = EpilogueOf(dot, dims, atoms, *next, at, addends);
      if (!op.has_value() || (op->kind == EpilogueKind::kScale && HasScale(draft))) return false;
      draft.epilogue.push_back(*op);
    }
    pending.push_back(next);
    return true;
  }

  // Libraries know one factor: cuBLAS its alpha, and oneDNN 2.6 takes the first of several for all.
  static bool HasScale(const DotCall& call) {
    return std::any_of(call.epilogue.begin(), call.epilogue.end(),
                       [](const EpilogueOp& op) { return op.kind == EpilogueKind::kScale; });
  }

  // NEXT, which reads AT, as an epilogue. Rounding in between is the product's own, so that only f32
  // is what it was.
  std::optional<EpilogueOp> EpilogueOf(const Instruction& dot, const DotDims& dims,
                                       const DimAtoms& atoms, const Instruction& next,
                                       const Instruction* at,
                                       std::vector<const Instruction*>& addends) const {
    if (next.shape().element_type() != ElementType::kF32 ||
        dot.shape().element_type() != ElementType::kF32 || next.num_operands() != 2)
      return std::nullopt;
    const Instruction* other = next.operand(next.operand(0) == at ? 1 : 0);
    if (other == at) return std::nullopt;
    const bool spread = other->opcode() == Opcode::kBroadcast;
    EpilogueOp op;
    if (next.opcode() == Opcode::kMultiply) {
      if (!spread || !IsImmediate(*other->operand(0))) return std::nullopt;
      op.kind = EpilogueKind::kScale;
      op.scale = LoadAsDouble(ElementType::kF32, other->operand(0)->literal().bytes().data());
      addends.push_back(other);
      return op;
    }
    if (next.opcode() != Opcode::kAdd) return std::nullopt;
    const Instruction* value = spread ? other->operand(0) : other;
    if (!memory_.contains(value) || value->shape().rank() == 0) return std::nullopt;
    // To wait for another product would put off all that waits for this one.
    if (ready_.contains(value) && ready_.at(value) > depth_.at(&dot)) return std::nullopt;
    std::vector<int64_t> strides = RowMajorStrides(value->shape());
    if (spread) {
      const std::vector<int64_t> of_value = strides;
      strides.assign(other->shape().rank(), 0);
      for (size_t d = 0; d < of_value.size(); ++d) strides[other->dimensions()[d]] = of_value[d];
      addends.push_back(other);
    }
    const auto along = atoms.AlongOrigin(strides);
    if (!along.has_value() || !dims.SetOut({value, *along}, op.addend)) return std::nullopt;
    return op;
  }

  const Instruction* OnlyReader(const Instruction* i) const {
    const auto it = readers_.find(i);
    if (it == readers_.end() || it->second.size() != 1 || results_.contains(i)) return nullptr;
    return it->second[0];
  }

  // A view stays one only if all calls that read it read through it, and nobody needs it in memory.
  void DropViewsThatOthersNeed() {
    std::vector<const Instruction*> drop;
    for (const Instruction* view : found_.views) {
      bool needed = results_.contains(view);
      for (const Instruction* reader : readers_[view]) {
        const auto absorbed = found_.absorbed.find(reader);
        const Instruction* call = absorbed == found_.absorbed.end() ? reader : absorbed->second;
        const StitchClass c = ClassOf(*call);
        const bool stitched = c == StitchClass::kStitch || c == StitchClass::kReduce;
        needed |= stitched ? reader->opcode() == Opcode::kGather && reader->operand(0) == view
                           : !through_[call].contains(view);
      }
      if (needed) drop.push_back(view);
    }
    for (const Instruction* view : drop) found_.views.erase(view);
  }

  bool IsReadThrough(const Instruction* stack) const {
    std::vector<const Instruction*> views = {stack};
    while (!views.empty()) {
      const Instruction* view = views.back();
      views.pop_back();
      if (!found_.views.contains(view)) return false;
      for (const Instruction* reader : readers_.at(view)) {
        if (IsTurn(reader)) {
          views.push_back(reader);
        } else if (const auto it = through_.find(reader);
                   it == through_.end() || !it->second.contains(stack)) {
          return false;
        }
      }
    }
    return true;
  }

  void FindPieces() {
    for (const Instruction* stack : stacks_) {
      if (!IsReadThrough(stack)) {
        to_make_.push_back(stack);
        continue;
      }
      found_.stacked.insert(stack);
      for (const Instruction* piece : stack->operands()) {
        for (; found_.views.contains(piece); piece = piece->operand(0))
          found_.stacked.insert(piece);
        found_.pieces.insert(piece);
      }
    }
  }

  const bool gelu_;
  const absl::flat_hash_set<const Instruction*>& stacks_;
  std::vector<const Instruction*> order_;
  absl::flat_hash_set<const Instruction*> results_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> readers_;
  absl::flat_hash_map<const Instruction*, absl::flat_hash_set<const Instruction*>> through_;
  absl::flat_hash_set<const Instruction*> memory_;
  // Library calls on the longest path to a value, and to a product's result when it is there.
  absl::flat_hash_map<const Instruction*, int64_t> depth_, ready_;
  LibraryCalls found_;
  std::vector<const Instruction*> to_make_;
};

}  // namespace

absl::StatusOr<LibraryCalls> FindLibraryCalls(
    const Graph& graph, bool gelu, const absl::flat_hash_set<const Instruction*>& stacks) {
  absl::flat_hash_set<const Instruction*> left = stacks;
  while (true) {
    CallFinder finder(graph, gelu, left);
    ASTITCH_ASSIGN_OR_RETURN(LibraryCalls found, finder.Run());
    const std::vector<const Instruction*>& to_make = finder.stacks_to_make();
    if (to_make.empty()) return found;
    for (const Instruction* stack : to_make) left.erase(stack);
  }
}

}  // namespace astitch
