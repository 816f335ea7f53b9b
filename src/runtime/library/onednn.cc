// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// OpenMP is looked up in the process and not linked: which one oneDNN brings is its own matter.
#include "runtime/library/onednn.h"

#include <dlfcn.h>

namespace astitch {
namespace {

// Whatever OpenMP oneDNN was linked with is in the process; none means a build without.
struct OpenMp {
  using Get = int (*)();
  using Set = void (*)(int);
  Get get_max_threads = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  Set set_num_threads = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  bool found() const { return get_max_threads != nullptr && set_num_threads != nullptr; }
};

const OpenMp& TheOpenMp() {
  static const OpenMp open_mp;
  return open_mp;
}

}  // namespace

SequentialOpenMp::SequentialOpenMp() : threads_before_(1) {
  if (!TheOpenMp().found()) return;
  threads_before_ = TheOpenMp().get_max_threads();
  if (threads_before_ != 1) TheOpenMp().set_num_threads(1);
}

SequentialOpenMp::~SequentialOpenMp() {
  if (threads_before_ != 1) TheOpenMp().set_num_threads(threads_before_);
}

OneDnnArguments::OneDnnArguments(const OneDnnPrimitive& primitive, const dnnl::engine& engine) {
  for (const auto& [number, form] : primitive.arguments) {
    memories_.push_back(dnnl::memory(form, engine, DNNL_MEMORY_NONE));
    arguments_.push_back({number, memories_.back().get()});
  }
}

absl::Status OneDnnArguments::Execute(const OneDnnPrimitive& primitive, const dnnl::stream& stream,
                                      absl::Span<void* const> pointers) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (dnnl_memory_set_data_handle(arguments_[i].memory, pointers[i]) != dnnl_success) {
      return absl::InternalError("oneDNN, setting a pointer");
    }
  }
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.primitive.get(), stream.get(),
                             static_cast<int>(arguments_.size()), arguments_.data());
  if (status == dnnl_success) return absl::OkStatus();
  if (status == dnnl_out_of_memory) return absl::ResourceExhaustedError("oneDNN, out of memory");
  return absl::InternalError("oneDNN, running a primitive");
}

void AppendPostOp(const Epilogue& epilogue, const dnnl::memory::desc& dst, dnnl::post_ops& ops) {
  using dnnl::algorithm;
  switch (epilogue.kind) {
    case Epilogue::Kind::kAdd:
      return ops.append_binary(algorithm::binary_add, dst);
    case Epilogue::Kind::kScale:
      return ops.append_eltwise(1.0f, algorithm::eltwise_linear, epilogue.scale, 0.0f);
    case Epilogue::Kind::kRelu:
      return ops.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
    case Epilogue::Kind::kGeluTanh:
      return ops.append_eltwise(1.0f, algorithm::eltwise_gelu_tanh, 0.0f, 0.0f);
    case Epilogue::Kind::kGeluErf:
      return ops.append_eltwise(1.0f, algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
  }
}

}  // namespace astitch
