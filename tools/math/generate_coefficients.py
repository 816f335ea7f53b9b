# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes src/codegen/common/math/coefficients.h: every polynomial of the vector math, f32 and f64.

    python3 -m venv venv && venv/bin/pip install mpmath
    venv/bin/python tools/math/generate_coefficients.py | clang-format-22 > coefficients.h

Each entry states the function that is fitted, the interval, and the weight that turns the fit's
error into relative error of the function it serves. log2 of the remaining error stands beside each
array (-24 is half a ULP of f32, -53 of f64).
"""
from mpmath import asin, atan, atanh, cos, erf, erfc, exp, expm1, log, log1p, mp, mpf, pi, sin
from mpmath import sinh, sqrt, tan, tanh

from minimax import F32, F64, polynomial, round_to

LN2 = log(mpf(2))
TINY = mpf("1e-12")  # low end of intervals at 0, where the fitted quotients are 0/0
mp.dps = 60

HEAD = """// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Polynomial coefficients of the vector math, lowest order first. Written by
// tools/math/generate_coefficients.py; what each fits is said there. The number beside an array is
// log2 of the fit's largest relative error.
#pragma once

namespace astitch::codegen::coefficients {
"""


def literal(value):
    return float(value).hex().replace("0x1.0000000000000p", "0x1p") if value else "0"


def emit(name, values, error=None):
    note = "" if error is None else "  // 2^%.1f" % error
    body = ",\n    ".join(literal(v) for v in values)
    print("inline constexpr double k%s[] = {%s\n    %s};" % (name, note, body))


def fit(name, function, weight, low, high, degree32, degree64, exact=()):
    for suffix, degree, bits in (("F32", degree32, F32), ("F64", degree64, F64)):
        if degree is not None:
            lead = [round_to(c, bits) for c in exact]
            emit(name + suffix, *polynomial(function, weight, low, high, degree, bits, lead))


def odd_tail(f):
    """P of f(x) = x + x^3 P(x^2), as a function of z = x^2, and its weight."""
    return (lambda z: (f(sqrt(z)) / sqrt(z) - 1) / z), (lambda z: z * sqrt(z) / f(sqrt(z)))


def constant(name, value, count, first32=F32, first64=F64):
    """VALUE as a sum of COUNT words, each what rounding left over. FIRST: bits of the first word."""
    for suffix, first, bits in (("F32", first32, F32), ("F64", first64, F64)):
        parts = [round_to(value, first)]
        while len(parts) < count:
            parts.append(round_to(mpf(value) - mp.fsum(parts), bits))
        emit(name + suffix, parts)


def main():
    print(HEAD)
    constant("Ln2", LN2, 2, 16, 42)  # the product of the first word and an exponent is exact
    constant("Log2e", 1 / LN2, 2)
    constant("TwoOverPi", 2 / pi, 1)
    constant("PiOver2", pi / 2, 3)
    constant("TwoThirds", mpf(2) / 3, 2)
    emit_two_over_pi_digits(40)
    # e^r = 1 + r + r^2 Q(r), |r| <= ln2: the scale is the square of a power of two.
    end = LN2 * mpf("1.001")
    fit("Exp", lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / exp(r), -end, end, 5, 11)
    # e^r - 1 = r + r^2 Q(r), |r| <= ln2 / 2.
    half = LN2 / 2 * mpf("1.001")
    fit("Expm1", lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / expm1(r), -half, half, 4, 10)
    # log(1+f) = f - f^2/2 + f^3 P(f) over [sqrt(1/2), sqrt(2)].
    low, high = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    fit("LogTail", lambda f: (log1p(f) - f + f * f / 2) / f**3, lambda f: f**3 / log1p(f), low,
        high, 7, None)
    # 2 atanh(s) = 2 s + s z P(z), z = s^2, s = f / (2 + f).
    z_max = (high / (2 + high)) ** 2
    series = lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z
    weight = lambda z: z * sqrt(z) / (2 * atanh(sqrt(z)))
    fit("LogSeries", series, weight, TINY, z_max, None, 6)
    # The same with its first coefficient 2/3 kept apart, as two words: the logarithm of power.
    tail = lambda z: (series(z) - mpf(2) / 3) / z
    fit("LogPowTail", tail, lambda z: z * weight(z), mpf("1e-9"), z_max, 2, 7)
    f, w = odd_tail(sin)
    fit("Sin", f, w, TINY, (pi / 4 * mpf("1.001")) ** 2, 3, 6)
    # cos(x) = 1 - z/2 + z^2 Q(z).
    fit("Cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)),
        mpf("1e-9"), (pi / 4 * mpf("1.001")) ** 2, 2, 5)
    f, w = odd_tail(atan)
    fit("Atan", f, w, TINY, tan(pi / 8) ** 2 * mpf("1.001"), 4, 10)
    f, w = odd_tail(asin)
    fit("Asin", f, w, TINY, mpf("0.2501"), 4, 11)
    f, w = odd_tail(sinh)
    fit("Sinh", f, w, TINY, mpf(1), 3, 7)
    emit_erf()
    # tanh(x) = x + x^3 P(x^2) on [0, 0.55].
    f, w = odd_tail(tanh)
    fit("Tanh", f, w, TINY, mpf("0.55") ** 2, 4, None)
    print("\n}  // namespace astitch::codegen::coefficients")


def emit_two_over_pi_digits(count):
    """2/pi in digits of 32 bits, the first the whole part, 0: enough for the largest double."""
    with mp.workdps(450):
        two_over_pi = 2 / mp.pi
        shifted = [mp.floor(two_over_pi * mpf(2) ** (32 * i)) for i in range(count)]
        digits = [int(s) & 0xffffffff for s in shifted]
    rows = [", ".join("0x%08x" % d for d in digits[i:i + 8]) for i in range(0, count, 8)]
    print("inline constexpr unsigned kTwoOverPiDigits[] = {\n    %s};" % ",\n    ".join(rows))


def emit_erf():
    # erf(x) = x + x P(x^2) on [0, split]; the weight is that of the whole.
    small = lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z))
    emit("ErfSmallF32", *polynomial(*small, TINY, mpf("1.2") ** 2, 6, F32))
    emit("ErfSmallF64", *polynomial(*small, TINY, mpf(1), 12, F64))
    # f32: erfc(x) = P(x)^8 on [1.2, 3.925]; the eighth root is nearly straight. The error of P
    # shows in erfc 8 P^7 times.
    root = lambda x: erfc(x) ** (mpf(1) / 8), lambda x: 8 * erfc(x) ** (mpf(7) / 8)
    emit("ErfcRootF32", *polynomial(*root, mpf("1.2"), mpf("3.925"), 6, F32))
    # f64: erfc(x) e^(x^2) on [1, 6] in t = (x - 2.5) / (x + 2.5), which spreads it evenly.
    to_x = lambda t: mpf("2.5") * (1 + t) / (1 - t)
    scaled = lambda t: erfc(to_x(t)) * exp(to_x(t) ** 2)
    weight = lambda t: erfc(to_x(t))
    emit("ErfcScaledF64", *polynomial(scaled, weight, mpf(-3) / 7, mpf(7) / 17, 12, F64))


if __name__ == "__main__":
    main()
