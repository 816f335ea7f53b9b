// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The opcodes that are known, and who decodes each.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "simt/exec/form.h"

namespace astitch::simt {

using DecodeFn = absl::Status (*)(Form&);

// Integer arithmetic; what has float forms too goes by its type first.
absl::Status DecodeArithmetic(Form& form);  // add sub mul mad div rem abs neg min max
absl::Status DecodeInteger(Form& form);
absl::Status DecodeCount(Form& form);     // popc clz bfind brev
absl::Status DecodeBitField(Form& form);  // bfe bfi
absl::Status DecodeDotProduct(Form& form);
absl::Status DecodeSad(Form& form);
// Floats.
absl::Status DecodeFloat(Form& form);  // add sub mul fma min max abs neg
absl::Status DecodeDivide(Form& form);
absl::Status DecodeSpecial(Form& form);  // rcp sqrt rsqrt sin cos lg2 ex2 tanh
absl::Status DecodeCopysign(Form& form);
absl::Status DecodeTestp(Form& form);
// Comparison, selection, bits, moves.
absl::Status DecodeSetp(Form& form);
absl::Status DecodeSet(Form& form);
absl::Status DecodeSelp(Form& form);
absl::Status DecodeLogic(Form& form);  // and or xor not cnot
absl::Status DecodeLop3(Form& form);
absl::Status DecodeShift(Form& form);
absl::Status DecodeFunnelShift(Form& form);
absl::Status DecodePermute(Form& form);
absl::Status DecodeMove(Form& form);
absl::Status DecodeConvert(Form& form);
absl::Status DecodeAddressConvert(Form& form);  // cvta
absl::Status DecodeIsSpace(Form& form);
absl::Status DecodeMapa(Form& form);  // mapa getctarank
// Memory.
absl::Status DecodeLoad(Form& form);
absl::Status DecodeStore(Form& form);
absl::Status DecodeAtomic(Form& form);  // atom red
absl::Status DecodeAsyncCopy(Form& form);
absl::Status DecodeBulkCopy(Form& form);  // cp.async.bulk
absl::Status DecodeMbarrier(Form& form);
absl::Status DecodePrefetch(Form& form);
absl::Status DecodeFence(Form& form);
// Between threads.
absl::Status DecodeShuffle(Form& form);
absl::Status DecodeVote(Form& form);
absl::Status DecodeMatch(Form& form);
absl::Status DecodeRedux(Form& form);
absl::Status DecodeElect(Form& form);
absl::Status DecodeActiveMask(Form& form);
absl::Status DecodeBarrier(Form& form);  // bar barrier
absl::Status DecodeWarpBarrier(Form& form);
// After lanes have exited: collectives that waited for them.
void SettleCollectives(Warp& warp);
// Control flow that needs no targets; bra, brx and call are the decoder's own.
absl::Status DecodeExit(Form& form);
absl::Status DecodeTrap(Form& form);
absl::Status DecodeNanosleep(Form& form);

// Null: not known.
DecodeFn FindFamily(absl::string_view opcode);

}  // namespace astitch::simt
