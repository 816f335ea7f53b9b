// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tools/simt_arguments.h"

#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status.h"
#include "tensor_io/npy.h"
#include "tensor_io/spec.h"

namespace astitch {
namespace {

absl::StatusOr<Literal> LoadSpec(absl::string_view text) {
  ASTITCH_ASSIGN_OR_RETURN(const InputSpec spec, ParseInputSpec(text));
  switch (spec.kind) {
    case InputSpec::Kind::kInline:
      return ParseValues(spec.shape, spec.values);
    case InputSpec::Kind::kNpy: {
      ASTITCH_ASSIGN_OR_RETURN(const std::string file, ReadFile(spec.path));
      return DecodeNpy(file);
    }
    case InputSpec::Kind::kRawFile: {
      ASTITCH_ASSIGN_OR_RETURN(const std::string file, ReadFile(spec.path));
      Literal out(spec.shape);
      if (file.size() != out.bytes().size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected ", out.bytes().size(), " bytes, got ", file.size()));
      }
      std::memcpy(out.mutable_bytes().data(), file.data(), file.size());
      return out;
    }
    case InputSpec::Kind::kNpz:
    case InputSpec::Kind::kRandom:
      break;
  }
  return absl::InvalidArgumentError("a parameter takes one array of a known shape");
}

absl::Span<const uint8_t> BytesOf(const Literal& value) {
  return {reinterpret_cast<const uint8_t*>(value.bytes().data()), value.bytes().size()};
}

void AddBuffer(simt::Buffer buffer, Shape shape, SimtArguments& out) {
  simt::Argument argument;
  argument.buffer = static_cast<int32_t>(out.buffers.size());
  out.values.push_back(argument);
  out.buffers.push_back(std::move(buffer));
  out.shapes.push_back(std::move(shape));
}

// "out:4096" bytes, or "out:32x32xf32".
absl::Status AddOutput(absl::string_view size, const std::string& name, SimtArguments& out) {
  Shape shape;
  if (int64_t bytes; absl::SimpleAtoi(size, &bytes) && bytes >= 0) {
    shape = Shape::Array(ElementType::kU8, {bytes});
  } else {
    ASTITCH_ASSIGN_OR_RETURN(shape, ParseShapeWord(size));
  }
  constexpr int64_t kMostBytes = int64_t{1} << 34;
  const Literal zeros(shape);
  if (static_cast<int64_t>(zeros.bytes().size()) > kMostBytes) {
    return absl::InvalidArgumentError("more than 16 GiB");
  }
  AddBuffer(simt::Buffer::Unwritten(name, zeros.bytes().size()), shape, out);
  return absl::OkStatus();
}

absl::Status AddArgument(absl::string_view text, SimtArguments& out) {
  const std::string name = absl::StrCat("arg", out.values.size());
  if (absl::ConsumePrefix(&text, "out:")) return AddOutput(text, name, out);
  const bool inout = absl::ConsumePrefix(&text, "inout:");
  ASTITCH_ASSIGN_OR_RETURN(const Literal value, LoadSpec(text));
  if (!inout && value.shape().rank() == 0) {
    simt::Argument argument;
    const auto bytes = BytesOf(value);
    argument.scalar.assign(bytes.begin(), bytes.end());
    out.values.push_back(std::move(argument));
    return absl::OkStatus();
  }
  simt::Buffer buffer = simt::Buffer::Of(name, BytesOf(value));
  buffer.read_only = !inout;
  AddBuffer(std::move(buffer), value.shape(), out);
  return absl::OkStatus();
}

}  // namespace

std::vector<Literal> SimtArguments::Outputs() const {
  std::vector<Literal> out;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].read_only) continue;
    Literal value(shapes[i]);
    std::memcpy(value.mutable_bytes().data(), buffers[i].bytes.data(), buffers[i].bytes.size());
    out.push_back(std::move(value));
  }
  return out;
}

absl::StatusOr<SimtArguments> LoadSimtArguments(absl::Span<const std::string> args) {
  SimtArguments out;
  for (const std::string& arg : args) {
    if (absl::Status s = AddArgument(arg, out); !s.ok()) {
      return Annotate(s, absl::StrCat("--arg=", arg));
    }
  }
  return out;
}

}  // namespace astitch
