// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations that run other computations.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interp/ops.h"
#include "interp/scalar_program.h"
#include "interp/strides.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

std::vector<Literal> Take(Operands operands, size_t first = 0) {
  std::vector<Literal> taken;
  for (size_t i = first; i < operands.size(); ++i) taken.push_back(std::move(operands[i]));
  return taken;
}

bool IsTrue(const Literal& pred) {
  return LoadAsInteger(ElementType::kPred, pred.bytes().data()) != 0;
}

// Slice INDEX of an array along DIMENSION, that dimension dropped.
Literal TakeSlice(const Literal& array, int64_t dimension, int64_t index) {
  std::vector<int64_t> dims = array.shape().dims();
  Strided from{0, RowMajorStrides(dims)};
  from.start = index * from.strides[dimension];
  dims.erase(dims.begin() + dimension);
  from.strides.erase(from.strides.begin() + dimension);
  Literal slice(Shape::Array(array.shape().element_type(), dims));
  CopyBox(dims, ByteWidth(array.shape().element_type()), array.bytes().data(), from,
          slice.mutable_bytes().data(), {0, RowMajorStrides(dims)});
  return slice;
}

void PutSlice(const Literal& slice, int64_t dimension, int64_t index, Literal& array) {
  Strided to{0, RowMajorStrides(array.shape().dims())};
  to.start = index * to.strides[dimension];
  to.strides.erase(to.strides.begin() + dimension);
  CopyBox(slice.shape().dims(), ByteWidth(slice.shape().element_type()), slice.bytes().data(),
          {0, RowMajorStrides(slice.shape().dims())}, array.mutable_bytes().data(), to);
}

}  // namespace

Result EvalCall(Context& context, const Instruction& instruction, Operands operands) {
  return context.Run(*instruction.called()[0], Take(operands));
}

// A pred chooses true (branch 0) or false (branch 1); an index outside the list the last branch.
Result EvalConditional(Context& context, const Instruction& instruction, Operands operands) {
  const int64_t branches = static_cast<int64_t>(instruction.called().size());
  const ElementType type = operands[0].shape().element_type();
  int64_t branch = LoadAsInteger(type, operands[0].bytes().data());
  if (IsPred(type)) {
    branch = branch != 0 ? 0 : 1;
  } else if (branch < 0 || branch >= branches) {
    branch = branches - 1;
  }
  std::vector<Literal> arguments;
  arguments.push_back(std::move(operands[branch + 1]));
  return context.Run(*instruction.called()[branch], std::move(arguments));
}

Result EvalWhile(Context& context, const Instruction& instruction, Operands operands) {
  const Computation& condition = *instruction.called()[0];
  const Computation& body = *instruction.called()[1];
  const int64_t limit = context.options().max_loop_iterations;
  Literal state = std::move(operands[0]);
  for (int64_t iteration = 0;; ++iteration) {
    ASTITCH_ASSIGN_OR_RETURN(const Literal goes_on, context.Run(condition, {state}));
    if (!IsTrue(goes_on)) return state;
    if (limit > 0 && iteration >= limit) {
      return ErrorAt(instruction, absl::StrCat("still runs after ", limit, " iterations"));
    }
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    ASTITCH_ASSIGN_OR_RETURN(state, context.Run(body, std::move(arguments)));
  }
}

Result EvalMap(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(
      ScalarProgram program,
      ScalarProgram::Compile(context, *instruction.called()[0], Rounding::kEach));
  Literal result(instruction.shape());
  const ElementType type = result.shape().element_type();
  const int64_t n = result.shape().num_elements();
  std::byte* to = result.mutable_bytes().data();
  for (int64_t start = 0; start < n; start += kLanes) {
    const int64_t count = std::min(kLanes, n - start);
    for (size_t i = 0; i < operands.size(); ++i) {
      const ElementType operand_type = operands[i].shape().element_type();
      Decode(operand_type, operands[i].bytes().data() + start * ByteWidth(operand_type), count,
             program.param(static_cast<int64_t>(i)));
    }
    ASTITCH_RETURN_IF_ERROR(program.Run(count));
    Encode(type, program.result(0), count, to + start * ByteWidth(type));
  }
  return result;
}

// (slices of the inputs, carries) -> (slices of the outputs, carries), slice by slice.
Result EvalScan(Context& context, const Instruction& instruction, Operands operands) {
  const auto& scan = instruction.as<ScanAttributes>();
  const int64_t inputs = static_cast<int64_t>(operands.size()) - scan.num_carries;
  const std::vector<Shape>& shapes = instruction.shape().elements();
  const int64_t outputs = static_cast<int64_t>(shapes.size()) - scan.num_carries;
  if (inputs < 1 || outputs < 0) {
    return ErrorAt(instruction, "at least one input before the carries",
                   absl::StrCat(operands.size(), " operands and ", scan.num_carries, " carries"));
  }
  std::vector<Literal> results;
  for (int64_t i = 0; i < outputs; ++i) results.emplace_back(shapes[i]);
  std::vector<Literal> carries = Take(operands, inputs);
  const int64_t length = operands[0].shape().dim(scan.dimension);
  for (int64_t step = 0; step < length; ++step) {
    const int64_t index = scan.is_reverse ? length - 1 - step : step;
    std::vector<Literal> arguments;
    for (int64_t i = 0; i < inputs; ++i) {
      arguments.push_back(TakeSlice(operands[i], scan.dimension, index));
    }
    for (Literal& carry : carries) arguments.push_back(std::move(carry));
    ASTITCH_ASSIGN_OR_RETURN(Literal made,
                             context.Run(*instruction.called()[0], std::move(arguments)));
    if (!made.shape().IsTuple()) made = Literal::Tuple({std::move(made)});
    std::vector<Literal>& elements = made.mutable_elements();
    for (int64_t i = 0; i < outputs; ++i) {
      PutSlice(elements[i], scan.dimension, index, results[i]);
    }
    for (int64_t i = 0; i < scan.num_carries; ++i) carries[i] = std::move(elements[outputs + i]);
  }
  for (Literal& carry : carries) results.push_back(std::move(carry));
  return Literal::Tuple(std::move(results));
}

}  // namespace astitch::interp
