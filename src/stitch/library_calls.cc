// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Collapses groups of dimensions into one extent and one stride where memory allows; walks up from
// operands and down from results as far as strides and epilogues go.
#include "stitch/library_calls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/number.h"
#include "stitch/dim_atoms.h"
#include "stitch/gelu.h"
#include "stitch/op_class.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

std::vector<int64_t> FreeDims(const Shape& shape, const std::vector<int64_t>& batch,
                              const std::vector<int64_t>& contracting) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool taken = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                       std::find(contracting.begin(), contracting.end(), d) != contracting.end();
    if (!taken) free.push_back(d);
  }
  return free;
}

// An array in memory, with a stride for each dimension of what the dot reads or writes.
struct View {
  const Instruction* value = nullptr;
  std::vector<int64_t> strides;
};
View Dense(const Instruction* value) { return {value, RowMajorStrides(value->shape())}; }

int64_t Product(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= shape.dim(d);
  return product;
}

// Appends the stride of DIMS as one dimension; false when they have none.
bool AppendStride(const Shape& shape, const std::vector<int64_t>& dims,
                  const std::vector<int64_t>& strides, std::vector<int64_t>& out) {
  std::vector<int64_t> extents, theirs;
  for (int64_t d : dims) {
    extents.push_back(shape.dim(d));
    theirs.push_back(strides[d]);
  }
  const std::optional<int64_t> one = OneStride(extents, theirs);
  if (one.has_value()) out.push_back(*one);
  return one.has_value();
}

// The dimensions of a dot by their roles.
struct DotDims {
  explicit DotDims(const Instruction& dot)
      : attributes(dot.as<DotAttributes>()),
        lhs_free(
            FreeDims(dot.operand(0)->shape(), attributes.lhs_batch, attributes.lhs_contracting)),
        rhs_free(
            FreeDims(dot.operand(1)->shape(), attributes.rhs_batch, attributes.rhs_contracting)) {
    int64_t d = 0;
    while (d < static_cast<int64_t>(attributes.lhs_batch.size())) out_batch.push_back(d++);
    for (size_t i = 0; i < lhs_free.size(); ++i) out_m.push_back(d++);
    for (size_t i = 0; i < rhs_free.size(); ++i) out_n.push_back(d++);
  }
  const DotAttributes& attributes;
  std::vector<int64_t> lhs_free, rhs_free, out_batch, out_m, out_n;
};

// VIEW of an array of SHAPE as batch..., one, two; false when some dimensions have no single stride.
bool AsMatrix(const Shape& shape, const View& view, const std::vector<int64_t>& batch,
              const std::vector<int64_t>& one, const std::vector<int64_t>& two,
              StridedOperand& out) {
  out = {view.value, {}};
  for (int64_t d : batch) out.strides.push_back(view.strides[d]);
  return AppendStride(shape, one, view.strides, out.strides) &&
         AppendStride(shape, two, view.strides, out.strides);
}

bool SetLhs(const Instruction& dot, const DotDims& dims, const View& view, DotCall& call) {
  return AsMatrix(dot.operand(0)->shape(), view, dims.attributes.lhs_batch, dims.lhs_free,
                  dims.attributes.lhs_contracting, call.lhs);
}
bool SetRhs(const Instruction& dot, const DotDims& dims, const View& view, DotCall& call) {
  return AsMatrix(dot.operand(1)->shape(), view, dims.attributes.rhs_batch,
                  dims.attributes.rhs_contracting, dims.rhs_free, call.rhs);
}
bool SetOut(const Instruction& dot, const DotDims& dims, const View& view, StridedOperand& out) {
  return AsMatrix(dot.shape(), view, dims.out_batch, dims.out_m, dims.out_n, out);
}

bool IsTurn(const Instruction* i) {
  return i->opcode() == Opcode::kTranspose || i->opcode() == Opcode::kReshape;
}

}  // namespace

absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot) {
  const DotDims dims(dot);
  const Shape &lhs = dot.operand(0)->shape(), &rhs = dot.operand(1)->shape();
  DotCall call;
  call.dot = &dot;
  for (int64_t d : dims.out_batch) call.batch.push_back(dot.shape().dim(d));
  call.m = Product(lhs, dims.lhs_free);
  call.n = Product(rhs, dims.rhs_free);
  call.k = Product(lhs, dims.attributes.lhs_contracting);
  if (!SetLhs(dot, dims, Dense(dot.operand(0)), call) ||
      !SetRhs(dot, dims, Dense(dot.operand(1)), call) ||
      !SetOut(dot, dims, Dense(&dot), call.out)) {
    return ErrorAt(dot, "the dimensions of an operand do not collapse into a strided matrix");
  }
  return call;
}

namespace {

class CallFinder {
 public:
  CallFinder(const Graph& graph, bool gelu) : gelu_(gelu) {
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
        const bool call = ClassOf(*operand) == StitchClass::kLibrary;
        depth = std::max(depth, depth_.at(operand) + call);
      }
      depth_[i] = depth;
      if (i->opcode() == Opcode::kConvolution) {
        memory_.insert(i);
        ready_[i] = depth + 1;
      }
      if (i->opcode() != Opcode::kDot) continue;
      ASTITCH_ASSIGN_OR_RETURN(DotCall call, MakeDotCall(*i));
      const DotDims dims(*i);
      ReadThrough(*i, dims, 0, call);
      ReadThrough(*i, dims, 1, call);
      Absorb(*i, dims, call);
      memory_.insert(call.out.value);
      ready_[call.out.value] = depth_.at(i) + 1;
      found_.calls.emplace(i, std::move(call));
    }
    DropViewsThatOthersNeed();
    return std::move(found_);
  }

 private:
  // Replaces operand K by the array in memory that it is a turned form of.
  void ReadThrough(const Instruction& dot, const DotDims& dims, int64_t k, DotCall& call) {
    std::vector<const Instruction*> turns;
    const Instruction* base = dot.operand(k);
    while (IsTurn(base) && !memory_.contains(base) && !results_.contains(base)) {
      turns.push_back(base);
      base = base->operand(0);
    }
    if (turns.empty() || !memory_.contains(base)) return;
    DimAtoms atoms(base->shape());
    for (size_t t = turns.size(); t-- > 0;) {
      if (!atoms.Follow(*turns[t])) return;
    }
    const auto strides = atoms.AlongCurrent(RowMajorStrides(base->shape()));
    if (!strides.has_value()) return;
    const View view{base, *strides};
    DotCall through = call;
    if (!(k == 0 ? SetLhs(dot, dims, view, through) : SetRhs(dot, dims, view, through))) return;
    call = std::move(through);
    found_.views.insert(turns.begin(), turns.end());
    through_[&dot].insert(turns.begin(), turns.end());
  }

  // Goes down from the dot while one operation, or GELU, which a call can do, is all that reads.
  void Absorb(const Instruction& dot, const DotDims& dims, DotCall& call) {
    DimAtoms atoms(dot.shape());
    DotCall draft = call;
    const Instruction* at = &dot;
    std::vector<const Instruction*> pending, addends;
    while (Step(dot, dims, atoms, at, draft, pending, addends)) {
      at = pending.back();
      const auto strides = atoms.AlongOrigin(RowMajorStrides(at->shape()));
      if (!strides.has_value() || !SetOut(dot, dims, {at, *strides}, draft.out)) continue;
      call = draft;
      for (const Instruction* i : pending) found_.absorbed.emplace(i, &dot);
      for (const Instruction* i : addends) {
        found_.views.insert(i);
        through_[&dot].insert(i);
      }
      pending = {};
      addends.clear();
    }
  }

  // One step down from AT: operations to PENDING, the broadcasts that they read to ADDENDS.
  bool Step(const Instruction& dot, const DotDims& dims, DimAtoms& atoms, const Instruction* at,
            DotCall& draft, std::vector<const Instruction*>& pending,
            std::vector<const Instruction*>& addends) const {
    const Instruction* next = OnlyReader(at);
    if (next == nullptr) {
      if (!gelu_ || dot.shape().element_type() != ElementType::kF32) return false;
      const std::optional<Gelu> gelu = RecognizeGelu(at, [this](const Instruction* i) {
        const auto it = readers_.find(i);
        return it == readers_.end() || results_.contains(i) ? nullptr : &it->second;
      });
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
      if (!op.has_value()) return false;
      draft.epilogue.push_back(*op);
    }
    pending.push_back(next);
    return true;
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
    if (!along.has_value() || !SetOut(dot, dims, {value, *along}, op.addend)) return std::nullopt;
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

  const bool gelu_;
  std::vector<const Instruction*> order_;
  absl::flat_hash_set<const Instruction*> results_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> readers_;
  absl::flat_hash_map<const Instruction*, absl::flat_hash_set<const Instruction*>> through_;
  absl::flat_hash_set<const Instruction*> memory_;
  // Library calls on the longest path to a value, and to a product's result when it is there.
  absl::flat_hash_map<const Instruction*, int64_t> depth_, ready_;
  LibraryCalls found_;
};

}  // namespace

absl::StatusOr<LibraryCalls> FindLibraryCalls(const Graph& graph, bool gelu) {
  return CallFinder(graph, gelu).Run();
}

}  // namespace astitch
