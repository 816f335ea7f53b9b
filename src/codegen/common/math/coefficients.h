// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Polynomial coefficients of the vector math, lowest order first. Written by
// tools/math/generate_coefficients.py; what each fits is said there. The number beside an array is
// log2 of the fit's largest relative error.
#pragma once

namespace astitch::codegen::coefficients {

inline constexpr double kLn2F32[] = {0x1.62e4000000000p-1, 0x1.7f7d1c0000000p-20};
inline constexpr double kLn2F64[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
inline constexpr double kLog2eF32[] = {0x1.7154760000000p+0, 0x1.4ae0c00000000p-26};
inline constexpr double kLog2eF64[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
inline constexpr double kTwoOverPiF32[] = {0x1.45f3060000000p-1};
inline constexpr double kTwoOverPiF64[] = {0x1.45f306dc9c883p-1};
inline constexpr double kPiOver2F32[] = {0x1.921fb60000000p+0, -0x1.777a5c0000000p-25,
                                         -0x1.ee59da0000000p-50};
inline constexpr double kPiOver2F64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                         -0x1.f1976b7ed8fbcp-110};
inline constexpr double kTwoThirdsF32[] = {0x1.5555560000000p-1, -0x1.5555560000000p-26};
inline constexpr double kTwoThirdsF64[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
inline constexpr unsigned kTwoOverPiDigits[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};
inline constexpr double kExpF32[] = {  // 2^-26.0
    0x1.00000c0000000p-1, 0x1.5555120000000p-3,  0x1.5549cc0000000p-5,
    0x1.1126bc0000000p-7, 0x1.71cb340000000p-10, 0x1.9c01220000000p-13};
inline constexpr double kExpF64[] = {  // 2^-54.5
    0x1.ffffffffffff3p-2,  0x1.55555555555c1p-3,  0x1.555555555696bp-5,  0x1.1111111107233p-7,
    0x1.6c16c169bbcbbp-10, 0x1.a01a01b46263ap-13, 0x1.a01a058868f03p-16, 0x1.71de27e9d22e5p-19,
    0x1.27e1c612bac32p-22, 0x1.ae730e9db7a8ep-26, 0x1.217c6a035a675p-29, 0x1.5dd09f4938830p-33};
inline constexpr double kExpm1F32[] = {  // 2^-26.1
    0x1.fffffe0000000p-2, 0x1.5554aa0000000p-3, 0x1.5557980000000p-5, 0x1.122c240000000p-7,
    0x1.6ac5680000000p-10};
inline constexpr double kExpm1F64[] = {  // 2^-58.7
    0x1p-1,
    0x1.5555555555559p-3,
    0x1.5555555555558p-5,
    0x1.111111110f730p-7,
    0x1.6c16c16c17943p-10,
    0x1.a01a01af8709bp-13,
    0x1.a01a01960d41fp-16,
    0x1.71ddf9667dbdfp-19,
    0x1.27e50dfa356f3p-22,
    0x1.af5d1e7f2626fp-26,
    0x1.1f1ae45e961a3p-29};
inline constexpr double kLogTailF32[] = {  // 2^-26.9
    0x1.5555540000000p-2, -0x1.0002280000000p-2, 0x1.99a0360000000p-3, -0x1.5472200000000p-3,
    0x1.22d5be0000000p-3, -0x1.0d7f880000000p-3, 0x1.056c260000000p-3, -0x1.38f00e0000000p-4};
inline constexpr double kLogSeriesF64[] = {  // 2^-59.5
    0x1.5555555555592p-1, 0x1.999999997ff6bp-2, 0x1.24924941daa4ep-2, 0x1.c71c521abbb00p-3,
    0x1.74663b7d3d57cp-3, 0x1.39a20fdf7146ap-3, 0x1.2f0223aa7e826p-3};
inline constexpr double kLogPowTailF32[] = {  // 2^-36.8
    0x1.999a000000000p-2, 0x1.2452780000000p-2, 0x1.dfa3b60000000p-3};
inline constexpr double kLogPowTailF64[] = {  // 2^-73.5
    0x1.9999999999996p-2, 0x1.2492492492f4fp-2, 0x1.c71c71c596eb3p-3, 0x1.745d182923033p-3,
    0x1.3b1364d802b74p-3, 0x1.11206ce75e4c2p-3, 0x1.de3dcd82bd17dp-4, 0x1.eac2be21ca2aap-4};
inline constexpr double kSinF32[] = {  // 2^-32.5
    -0x1.5555560000000p-3, 0x1.1111740000000p-7, -0x1.a0594a0000000p-13, 0x1.7c27440000000p-19};
inline constexpr double kSinF64[] = {  // 2^-63.2
    -0x1.5555555555555p-3,  0x1.1111111111069p-7,  -0x1.a01a019ffe51ep-13, 0x1.71de3a33a49c0p-19,
    -0x1.ae642c4ff3bd6p-26, 0x1.6109bc0fd53f8p-33, -0x1.9ffcad47c1f97p-41};
inline constexpr double kCosF32[] = {  // 2^-33.0
    0x1.55554a0000000p-5, -0x1.6c0c280000000p-10, 0x1.99e80a0000000p-16};
inline constexpr double kCosF64[] = {  // 2^-63.9
    0x1.555555555554bp-5,   -0x1.6c16c16c15005p-10, 0x1.a01a019c8c7e0p-16,
    -0x1.27e4f7ef0e70ap-22, 0x1.1ee9d9c7c3df7p-29,  -0x1.8fa5546e8111ep-37};
inline constexpr double kAtanF32[] = {  // 2^-30.4
    -0x1.55554a0000000p-2, 0x1.9991e00000000p-3, -0x1.23b9640000000p-3, 0x1.b21fb60000000p-4,
    -0x1.f2c9e40000000p-5};
inline constexpr double kAtanF64[] = {  // 2^-59.4
    -0x1.555555555553cp-2, 0x1.999999999564ep-3, -0x1.24924922a0683p-3, 0x1.c71c70e107487p-4,
    -0x1.745cf84b8fdbbp-4, 0x1.3b110eff81f41p-4, -0x1.10eb4496401a5p-4, 0x1.df08ab35fda50p-5,
    -0x1.9cb4a6c6b3239p-5, 0x1.3788948ae9bc5p-5, -0x1.24c02d378043bp-6};
inline constexpr double kAsinF32[] = {  // 2^-27.6
    0x1.5555c80000000p-3, 0x1.3301fc0000000p-4, 0x1.747d060000000p-5, 0x1.8c2d880000000p-6,
    0x1.596d500000000p-5};
inline constexpr double kAsinF64[] = {  // 2^-55.9
    0x1.555555555538dp-3, 0x1.333333336ede1p-4, 0x1.6db6db423bebcp-5,  0x1.f1c72c4dc089fp-6,
    0x1.6e89f23fa31f1p-6, 0x1.1c6c009d0b319p-6, 0x1.c6fb4fc66deacp-7,  0x1.8ed3622359d60p-7,
    0x1.ab3eb3c3c4ae3p-8, 0x1.40597eed97672p-6, -0x1.0a7434b1464b9p-6, 0x1.05a58e3a8b07ap-5};
inline constexpr double kSinhF32[] = {  // 2^-31.6
    0x1.5555560000000p-3, 0x1.1110e00000000p-7, 0x1.a022bc0000000p-13, 0x1.756c120000000p-19};
inline constexpr double kSinhF64[] = {  // 2^-63.0
    0x1.5555555555555p-3,  0x1.111111111119bp-7,  0x1.a01a01a007361p-13, 0x1.71de3a68cf64dp-19,
    0x1.ae644123e8052p-26, 0x1.61314c48e127cp-33, 0x1.a66620017b140p-41, 0x1.d27e547c16c32p-48};
inline constexpr double kErfSmallF32[] = {  // 2^-26.1
    0x1.06eba60000000p-3, -0x1.8127020000000p-2,  0x1.ce23780000000p-4, -0x1.b76b5c0000000p-6,
    0x1.5045d60000000p-8, -0x1.8c6e980000000p-11, 0x1.11b4720000000p-14};
inline constexpr double kErfSmallF64[] = {  // 2^-55.8
    0x1.06eba8214db69p-3,  -0x1.812746b037a25p-2,  0x1.ce2f21a04590fp-4,  -0x1.b82ce31356daap-6,
    0x1.565bcd2c90f6dp-8,  -0x1.c02db92ad2293p-11, 0x1.f9a3b5bf28ad1p-14, -0x1.f4dc71f784e3ap-17,
    0x1.ba5f92f437198p-20, -0x1.63254c3718296p-23, 0x1.104fdb3366ad3p-26, -0x1.affacb2a5eb3fp-30,
    0x1.1b3cd6cdf9ec6p-33};
inline constexpr double kErfcRootF32[] = {  // 2^-28.0
    0x1.00590e0000000p+0, -0x1.2cf6040000000p-3, -0x1.e044c00000000p-5, -0x1.bbc0760000000p-7,
    0x1.c5eeb80000000p-7, -0x1.5edf520000000p-9, 0x1.61e87a0000000p-13};
inline constexpr double kErfcScaledF64[] = {  // 2^-63.2
    0x1.afbb3f3b7343dp-3,  -0x1.7ca88dec21847p-2,  0x1.01c11a735b69fp-2,   -0x1.00115437256afp-3,
    0x1.470ba1fd2aba7p-5,  -0x1.05bb2cc81f222p-8,  -0x1.5a56fd1280ac1p-9,  0x1.cb39e780346edp-11,
    0x1.de984c123552cp-13, -0x1.0feb29dd314dep-13, -0x1.2e7b92b8e2716p-15, 0x1.13fd006661d5dp-16,
    0x1.f0aef3d52bc91p-18};
inline constexpr double kTanhF32[] = {  // 2^-29.7
    -0x1.55554a0000000p-2, 0x1.110cee0000000p-3, -0x1.b91e7e0000000p-5, 0x1.58e5180000000p-6,
    -0x1.99219e0000000p-8};

}  // namespace astitch::codegen::coefficients
