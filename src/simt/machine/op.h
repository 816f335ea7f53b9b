// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A decoded instruction: a function picked once, and what it works on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/count/counts.h"
#include "simt/ptx/types.h"
#include "simt/race/shadow.h"

namespace astitch::simt {

struct Warp;
struct Op;

// Computes for the lanes of MASK, which is not empty; leaves program counters alone.
using ExecFn = void (*)(Warp& warp, const Op& op, uint32_t mask);
// Decides where the lanes of GROUP go on or wait. ACTIVE are those whose guard holds.
using FlowFn = void (*)(Warp& warp, const Op& op, uint32_t group, uint32_t active);

enum class AtomicOp : uint8_t {
  kAdd,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kMin,
  kMax,
  kInc,
  kDec,
};

struct MemoryForm {
  Space space = Space::kGeneric;
  uint8_t width = 4;  // bytes of one element
  uint8_t count = 1;  // elements of a vector
  bool is_signed = false;
  bool non_coherent = false;
  bool evict_first = false;     // leaves L2 before all else
  bool narrow_address = false;  // a 32-bit base register: addresses wrap
  bool acquire = false, release = false;
  Strength strength = Strength::kWeak;
  AtomicOp atomic = AtomicOp::kAdd;
};

struct Op {
  ExecFn run = nullptr;  // exactly one of run and flow
  FlowFn flow = nullptr;
  ExecFn inner = nullptr;  // what run wraps in a rounding mode, a saturation, a relu
  // Registers of the warp; below 0, ~i is constant i.
  std::array<int32_t, 8> dst = {};
  std::array<int32_t, 9> src = {};
  uint8_t num_dst = 0, num_src = 0;
  uint16_t negated = 0;  // sources that are !p
  int32_t guard = -1;
  bool guard_negated = false;
  bool branch = false;  // bra: the scheduler takes it by itself where lanes agree
  bool meets = false;   // a collective of the lanes that the last source names: likewise
  OpClass op_class = OpClass::kInteger;
  Type type = Type::kB32, from = Type::kB32;  // of the result, of the source where they differ
  uint8_t mode = 0;                           // of an operation with variants
  bool saturate = false, relu = false;
  int32_t line = 0, stage = 0;
  int64_t imm = 0;  // address offset, jump target, table
  MemoryForm memory;
};

// The special registers.
#define ASTITCH_SPECIAL_REGISTERS(X)            \
  X(kTidX, "%tid.x")                            \
  X(kTidY, "%tid.y")                            \
  X(kTidZ, "%tid.z")                            \
  X(kNtidX, "%ntid.x")                          \
  X(kNtidY, "%ntid.y")                          \
  X(kNtidZ, "%ntid.z")                          \
  X(kCtaidX, "%ctaid.x")                        \
  X(kCtaidY, "%ctaid.y")                        \
  X(kCtaidZ, "%ctaid.z")                        \
  X(kNctaidX, "%nctaid.x")                      \
  X(kNctaidY, "%nctaid.y")                      \
  X(kNctaidZ, "%nctaid.z")                      \
  X(kLaneid, "%laneid")                         \
  X(kWarpid, "%warpid")                         \
  X(kNwarpid, "%nwarpid")                       \
  X(kWarpSize, "WARP_SZ")                       \
  X(kSmid, "%smid")                             \
  X(kNsmid, "%nsmid")                           \
  X(kGridid, "%gridid")                         \
  X(kLanemaskEq, "%lanemask_eq")                \
  X(kLanemaskLe, "%lanemask_le")                \
  X(kLanemaskLt, "%lanemask_lt")                \
  X(kLanemaskGe, "%lanemask_ge")                \
  X(kLanemaskGt, "%lanemask_gt")                \
  X(kClusteridX, "%clusterid.x")                \
  X(kClusteridY, "%clusterid.y")                \
  X(kClusteridZ, "%clusterid.z")                \
  X(kNclusteridX, "%nclusterid.x")              \
  X(kNclusteridY, "%nclusterid.y")              \
  X(kNclusteridZ, "%nclusterid.z")              \
  X(kClusterCtaidX, "%cluster_ctaid.x")         \
  X(kClusterCtaidY, "%cluster_ctaid.y")         \
  X(kClusterCtaidZ, "%cluster_ctaid.z")         \
  X(kClusterNctaidX, "%cluster_nctaid.x")       \
  X(kClusterNctaidY, "%cluster_nctaid.y")       \
  X(kClusterNctaidZ, "%cluster_nctaid.z")       \
  X(kClusterCtarank, "%cluster_ctarank")        \
  X(kClusterNctarank, "%cluster_nctarank")      \
  X(kIsExplicitCluster, "%is_explicit_cluster") \
  X(kDynamicSmemSize, "%dynamic_smem_size")     \
  X(kTotalSmemSize, "%total_smem_size")         \
  X(kClock, "%clock")                           \
  X(kClockHi, "%clock_hi")                      \
  X(kClock64, "%clock64")                       \
  X(kGlobaltimer, "%globaltimer")               \
  X(kGlobaltimerLo, "%globaltimer_lo") X(kGlobaltimerHi, "%globaltimer_hi")

enum class Special : uint8_t {
#define X(enumerator, name) enumerator,
  ASTITCH_SPECIAL_REGISTERS(X)
#undef X
};

// A kernel ready to run, with the functions it calls.
struct Program {
  struct SpecialRegister {
    int32_t reg;
    Special special;
  };
  struct Parameter {
    int64_t offset, bytes;
    std::string name;
  };
  std::vector<Op> code;
  std::vector<std::vector<int32_t>> tables;  // of brx.idx
  int32_t entry = 0;
  int32_t num_registers = 0;
  std::vector<uint64_t> constants;        // 32 of each
  std::vector<SpecialRegister> specials;  // filled when a warp starts
  std::vector<Parameter> parameters;      // of the kernel
  int64_t parameter_bytes = 0;
  int64_t local_bytes = 0;          // of a thread
  int64_t static_shared_bytes = 0;  // the dynamic part follows
  std::vector<uint8_t> const_bytes;
  std::vector<int32_t> module_buffers;  // variables of the module, addressed as buffers
};

inline constexpr int32_t kFirstModuleBuffer = 1 << 16;
// In a parameter address: of a function's own parameters, which live in local memory.
inline constexpr uint64_t kParamIsLocal = uint64_t{1} << 40;

}  // namespace astitch::simt
