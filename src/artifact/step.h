// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The steps of an executable, in the order in which they run: kernels of ours, library calls with
// their epilogue as data, copies, and what only the interpreter can evaluate. Each step sees all writes of the steps before it.
//
// Splits are part of the plan: a library step is divided into the same parts whatever the number of
// workers, so that its bits do not depend on it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "artifact/buffer_ref.h"

namespace astitch {

// A kernel of ours in one of the image's objects; see artifact/host_kernel_abi.h.
struct HostKernelStep {
  std::string name;
  std::string symbol;
  int32_t object = 0;  // index into ExecutableImage::objects
  std::vector<BufferRef> buffers;
  int64_t tile_bytes = 0;   // private memory of a worker
  int32_t max_workers = 1;  // 1: serial, for kernels that touch too little to be worth a hand-over
  friend bool operator==(const HostKernelStep&, const HostKernelStep&) = default;
};

//   enumerator  HLO word  bytes
#define ASTITCH_LIBRARY_TYPES(X) \
  X(kF32, "f32", 4)              \
  X(kF16, "f16", 2)              \
  X(kBF16, "bf16", 2)            \
  X(kS8, "s8", 1)                \
  X(kU8, "u8", 1)                \
  X(kS32, "s32", 4)

// The element types that library steps can be written with; what a library really takes is asked
// with CanRunMatmul and CanRunConvolution of the runtime.
enum class DataType : uint8_t {
#define ASTITCH_X(enumerator, word, bytes) enumerator,
  ASTITCH_LIBRARY_TYPES(ASTITCH_X)
#undef ASTITCH_X
};
absl::string_view ToString(DataType type);
int64_t ByteWidth(DataType type);

// An array as a library step sees it. Its dimensions are those the step states; strides are in
// elements, 0 broadcasts (never in an output).
struct TensorView {
  BufferRef buffer;
  DataType type = DataType::kF32;
  std::vector<int64_t> strides;
  friend bool operator==(const TensorView&, const TensorView&) = default;
};

// What follows a product before it is stored, computed in f32 and rounded to the output's type once
// at the end; a list is applied first to last.
struct Epilogue {
  enum class Kind : uint8_t {
    kAdd,       // + view: strides as the output's, so a bias is all 0 but in its dimension
    kScale,     // * scale
    kRelu,      // max(x, 0), and 0 of a NaN
    kGeluTanh,  // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    kGeluErf,   // x/2 (1 + erf(x / sqrt 2))
  };
  Kind kind = Kind::kAdd;
  TensorView view = {};  // kAdd
  float scale = 1.0f;    // kScale
  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};

// out[b..., i, j] = epilogue(sum over l of lhs[b..., i, l] * rhs[b..., l, j])
struct MatmulStep {
  std::string name;
  std::vector<int64_t> batch;  // dimensions that all three share
  int64_t m = 1, n = 1, k = 1;
  TensorView lhs;  // strides: batch..., m, k
  TensorView rhs;  // strides: batch..., k, n
  TensorView out;  // strides: batch..., m, n
  std::vector<Epilogue> epilogue;
  // The plan's split: batch_parts * m_parts * n_parts independent products, handed to the workers.
  int32_t batch_parts = 1, m_parts = 1, n_parts = 1;
  friend bool operator==(const MatmulStep&, const MatmulStep&) = default;
};

// One spatial dimension of a window.
struct ConvolutionWindowDim {
  int64_t stride = 1;
  int64_t pad_low = 0, pad_high = 0;
  int64_t dilation = 1;  // of the kernel: 1 is dense
  friend bool operator==(const ConvolutionWindowDim&, const ConvolutionWindowDim&) = default;
};

// Cross-correlation as HLO's convolution, without dilation of the input or reversal of the kernel.
struct ConvolutionStep {
  std::string name;
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::vector<int64_t> in_spatial, kernel_spatial, out_spatial;  // 1 to 3 dimensions
  std::vector<ConvolutionWindowDim> window;
  TensorView in;      // strides: batch, in_channels, spatial...
  TensorView kernel;  // strides: out_channels, in_channels / groups, spatial...
  TensorView out;     // strides: batch, out_channels, spatial...
  std::vector<Epilogue> epilogue;
  // The plan's split: of the images, and of the rows (first spatial dimension) of each.
  int32_t batch_parts = 1, row_parts = 1;
  friend bool operator==(const ConvolutionStep&, const ConvolutionStep&) = default;
};

// The ranges have equal length and do not overlap.
struct CopyStep {
  std::string name;
  BufferRef from, to;
  friend bool operator==(const CopyStep&, const CopyStep&) = default;
};

// What the interpreter evaluates on the host: HLO_TEXT is a module whose parameters are INPUTS, each a
// row-major array, and whose root is a tuple of OUTPUTS.
struct ReferenceStep {
  std::string name;
  std::string hlo_text;
  std::vector<BufferRef> inputs, outputs;
  // Where the module's random numbers begin: how many blocks the steps before it have drawn.
  int64_t random_start = 0;
  friend bool operator==(const ReferenceStep&, const ReferenceStep&) = default;
};

// A parameter of a GPU kernel: the address of a range.
struct KernelArgument {
  BufferRef buffer;
  std::string name;        // the graph's word for the value, for people
  bool read_only = false;  // the kernel only reads it
  bool scratch = false;    // the kernel's own: nothing of it is read after the kernel
  friend bool operator==(const KernelArgument&, const KernelArgument&) = default;
};

// A kernel of ours as PTX text, and its launch.
struct PtxKernelStep {
  std::string name;
  std::string entry;   // name of the function
  int32_t module = 0;  // index into ExecutableImage::ptx
  std::vector<KernelArgument> arguments;
  bool pointer_table = false;  // the one parameter is a table of the arguments, in device memory
  int64_t grid = 1;            // blocks, a multiple of the cluster
  int32_t block = 1;           // threads
  int32_t cluster = 1;         // blocks
  // Every device with clusters launches those of 8 blocks; larger ones, up to 16, only kernels for which
  // cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) was called.
  static constexpr int32_t kPortableCluster = 8;
  bool non_portable_cluster() const { return cluster > kPortableCluster; }
  int64_t shared_bytes = 0;  // dynamic shared memory of a block
  int32_t registers = 0;     // of a thread, at most; 0: as the assembler likes
  // All blocks of the grid wait for each other. The last parameter is then the barrier's state,
  // which follows the arguments: the device zeroes it once, when it loads the kernel, and the
  // kernel leaves it fit for the next launch.
  bool cooperative = false;
  int64_t barrier_bytes = 0;
  int64_t resident_blocks = 1;  // as many as the device holds at a time
  int64_t points = 0;           // of its sweeps, for estimates of time
  // DRAM traffic that the plan states.
  int64_t planned_read_bytes = 0, planned_write_bytes = 0;
  friend bool operator==(const PtxKernelStep&, const PtxKernelStep&) = default;
};

using Step = std::variant<HostKernelStep, PtxKernelStep, MatmulStep, ConvolutionStep, CopyStep,
                          ReferenceStep>;

const std::string& StepName(const Step& step);
std::string ToString(const Step& step);  // one line

// A split that keeps a few workers busy without slowing one: parts of at least a few million
// multiplications, of the batch first, then of rows, then of columns. A function of the sizes only.
void ChooseSplit(MatmulStep& step);
void ChooseSplit(ConvolutionStep& step);

}  // namespace astitch
