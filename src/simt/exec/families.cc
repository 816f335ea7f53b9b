// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The table of opcodes, sorted, with the decoder of each family; what is not in it is unknown.
#include "simt/exec/families.h"

namespace astitch::simt {
namespace {

struct Family {
  absl::string_view opcode;
  DecodeFn decode;
};

constexpr Family kFamilies[] = {
    {"abs", DecodeArithmetic},
    {"activemask", DecodeActiveMask},
    {"add", DecodeArithmetic},
    {"and", DecodeLogic},
    {"atom", DecodeAtomic},
    {"bar", DecodeBarrier},
    {"barrier", DecodeBarrier},
    {"bfe", DecodeBitField},
    {"bfi", DecodeBitField},
    {"bfind", DecodeCount},
    {"brev", DecodeCount},
    {"clz", DecodeCount},
    {"cnot", DecodeLogic},
    {"copysign", DecodeCopysign},
    {"cos", DecodeSpecial},
    {"cp", DecodeAsyncCopy},
    {"cvt", DecodeConvert},
    {"cvta", DecodeAddressConvert},
    {"div", DecodeArithmetic},
    {"dp4a", DecodeDotProduct},
    {"elect", DecodeElect},
    {"ex2", DecodeSpecial},
    {"exit", DecodeExit},
    {"fence", DecodeFence},
    {"fma", DecodeFloat},
    {"getctarank", DecodeMapa},
    {"isspacep", DecodeIsSpace},
    {"ld", DecodeLoad},
    {"ldu", DecodeLoad},
    {"lg2", DecodeSpecial},
    {"lop3", DecodeLop3},
    {"mad", DecodeArithmetic},
    {"mapa", DecodeMapa},
    {"match", DecodeMatch},
    {"max", DecodeArithmetic},
    {"mbarrier", DecodeMbarrier},
    {"membar", DecodeFence},
    {"min", DecodeArithmetic},
    {"mov", DecodeMove},
    {"mul", DecodeArithmetic},
    {"nanosleep", DecodeNanosleep},
    {"neg", DecodeArithmetic},
    {"not", DecodeLogic},
    {"or", DecodeLogic},
    {"popc", DecodeCount},
    {"prefetch", DecodePrefetch},
    {"prmt", DecodePermute},
    {"rcp", DecodeSpecial},
    {"red", DecodeAtomic},
    {"redux", DecodeRedux},
    {"rem", DecodeArithmetic},
    {"rsqrt", DecodeSpecial},
    {"sad", DecodeSad},
    {"selp", DecodeSelp},
    {"set", DecodeSet},
    {"setp", DecodeSetp},
    {"shf", DecodeFunnelShift},
    {"shfl", DecodeShuffle},
    {"shl", DecodeShift},
    {"shr", DecodeShift},
    {"sin", DecodeSpecial},
    {"sqrt", DecodeSpecial},
    {"st", DecodeStore},
    {"sub", DecodeArithmetic},
    {"tanh", DecodeSpecial},
    {"testp", DecodeTestp},
    {"trap", DecodeTrap},
    {"vote", DecodeVote},
    {"xor", DecodeLogic},
};

}  // namespace

DecodeFn FindFamily(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) return family.decode;
  }
  return nullptr;
}

}  // namespace astitch::simt
