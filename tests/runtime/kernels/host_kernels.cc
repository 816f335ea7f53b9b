// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels as the code generator would emit them, by the system's compiler. The sizes come in a
// constant buffer, the last one of each.
#include "artifact/host_kernel_abi.h"

using astitch::HostKernelArgs;

namespace {

template <typename T>
T* Buffer(const HostKernelArgs* args, int i) {
  return static_cast<T*>(args->buffers[i]);
}

}  // namespace

extern "C" {

// out = a + b, elements divided among the workers.
void add(const HostKernelArgs* args) {
  const float *a = Buffer<float>(args, 0), *b = Buffer<float>(args, 1);
  float* out = Buffer<float>(args, 2);
  const int64_t n = *Buffer<int64_t>(args, 3);
  const int64_t begin = n * args->worker / args->num_workers;
  const int64_t end = n * (args->worker + 1) / args->num_workers;
  for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
}

// out = x / sum(x): partial sums of 16 fixed segments, a barrier, and the same sum of partials in
// every worker. Buffers: x, partials, out, n.
void normalize(const HostKernelArgs* args) {
  const float* x = Buffer<float>(args, 0);
  float *partials = Buffer<float>(args, 1), *out = Buffer<float>(args, 2);
  const int64_t n = *Buffer<int64_t>(args, 3);
  for (int64_t segment = args->worker; segment < 16; segment += args->num_workers) {
    float sum = 0;
    for (int64_t i = n * segment / 16; i < n * (segment + 1) / 16; ++i) sum += x[i];
    partials[segment] = sum;
  }
  args->barrier(args->team);
  float total = 0;
  for (int i = 0; i < 16; ++i) total += partials[i];
  for (int64_t segment = args->worker; segment < 16; segment += args->num_workers) {
    for (int64_t i = n * segment / 16; i < n * (segment + 1) / 16; ++i) out[i] = x[i] / total;
  }
}

// out[worker] = the sum of what this worker wrote to its own tile; the tile is 64 KiB.
void use_tile(const HostKernelArgs* args) {
  volatile int64_t* tile = reinterpret_cast<volatile int64_t*>(args->tile);
  int64_t* out = Buffer<int64_t>(args, 0);
  for (int64_t i = 0; i < 8192; ++i) tile[i] = args->worker + 1;
  args->barrier(args->team);
  int64_t sum = 0;
  for (int64_t i = 0; i < 8192; ++i) sum += tile[i];
  out[args->worker] = sum;
}

// Writes num_workers, each worker in its own place, in several phases that check each other.
// Buffers: out[workers], errors.
void phases(const HostKernelArgs* args) {
  volatile int64_t* out = Buffer<volatile int64_t>(args, 0);
  volatile int64_t* errors = Buffer<volatile int64_t>(args, 1);
  for (int64_t phase = 1; phase <= 20; ++phase) {
    out[args->worker] = phase;
    args->barrier(args->team);
    for (int64_t w = 0; w < args->num_workers; ++w) {
      if (out[w] != phase) errors[args->worker] = 1;
    }
    args->barrier(args->team);
  }
}

}  // extern "C"
