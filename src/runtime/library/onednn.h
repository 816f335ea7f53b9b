// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How this runtime talks to oneDNN: exceptions become statuses while a call is prepared, and the C
// interface with argument lists made beforehand runs it.
//
// oneDNN has threads of its own (OpenMP in most builds). They would fight with the team for cores,
// so every call into it happens under SequentialOpenMp: it then computes in the calling thread, and
// the team is what is parallel.
#pragma once

#include <dnnl.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "artifact/step.h"

namespace astitch {

// Makes OpenMP regions of this thread run in this thread alone, until it goes out of scope.
class SequentialOpenMp {
 public:
  SequentialOpenMp();
  ~SequentialOpenMp();
  SequentialOpenMp(const SequentialOpenMp&) = delete;
  SequentialOpenMp& operator=(const SequentialOpenMp&) = delete;

 private:
  int threads_before_;
};

// Calls F, which may throw what oneDNN throws. "oneDNN cannot do" is Unimplemented, so that the
// compiler plans something else.
template <typename F>
absl::Status WithOneDnn(absl::string_view doing, const F& f) {
  const SequentialOpenMp sequential;
  try {
    f();
    return absl::OkStatus();
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(absl::StrCat("oneDNN, ", doing, ": ", error.what()));
  } catch (const std::exception& error) {
    return absl::ResourceExhaustedError(absl::StrCat("oneDNN, ", doing, ": ", error.what()));
  }
}

// A primitive of oneDNN with the arguments it takes. Shared by all workers, never changed.
struct OneDnnPrimitive {
  dnnl::primitive primitive;
  std::vector<std::pair<int, dnnl::memory::desc>> arguments;  // number and form, scratchpad last
  int64_t scratchpad_bytes = 0;
};

// The same for one worker: memory handles whose pointers are set before each call.
class OneDnnArguments {
 public:
  OneDnnArguments(const OneDnnPrimitive& primitive, const dnnl::engine& engine);
  // Pointers in the order of OneDnnPrimitive::arguments.
  absl::Status Execute(const OneDnnPrimitive& primitive, const dnnl::stream& stream,
                       absl::Span<void* const> pointers);

 private:
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

// One member of an epilogue as a post-op; kAdd becomes the addition of an array of the form DST.
void AppendPostOp(const Epilogue& epilogue, const dnnl::memory::desc& dst, dnnl::post_ops& ops);

}  // namespace astitch
