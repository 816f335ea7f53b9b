# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
"""Weighted minimax fits by the Remez exchange on a fixed grid, in high precision.

The problem is linear: choose c to minimise the maximum over the grid of
|weight * (target - sum c_j basis_j)|. At the best fit the error reaches its maximum with alternating sign at len(basis) + 1 points; the
exchange solves for equal alternating error at a guess of those points, then moves the points to the
extrema of the error found, until the extrema are level.

Coefficients are rounded to the working precision one after the other, the most significant first,
and the ones not yet rounded are refitted each time, so that they absorb the rounding of those
before them.
"""
from mpmath import mp, mpf

mp.dps = 50
F32, F64 = 24, 53


def round_to(value, bits):
    """VALUE rounded to BITS bits of significand, to nearest."""
    value = mpf(value)
    if value == 0:
        return value
    _, exponent = mp.frexp(value)
    scale = mpf(2) ** (bits - exponent)
    return mp.nint(value * scale) / scale


def chebyshev_grid(low, high, count):
    low, high = mpf(low), mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / count) for i in range(count)]


def solve(target, basis, weight, rounds=30):
    """Minimax coefficients and the error reached. BASIS is a list of columns over the grid."""
    size, count = len(basis), len(target)
    points = [int((i + mpf(1) / 2) * count / (size + 1)) for i in range(size + 1)]
    coefficients, best = None, None
    for _ in range(rounds):
        rows = mp.matrix(size + 1, size + 1)
        right = mp.matrix(size + 1, 1)
        for r, p in enumerate(points):
            for j in range(size):
                rows[r, j] = basis[j][p]
            rows[r, size] = (-1) ** r / weight[p]
            right[r] = target[p]
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[j] for j in range(size)]
        error = [weight[i] * (target[i] - mp.fsum(c * b[i] for c, b in zip(coefficients, basis)))
                 for i in range(count)]
        worst = max(abs(e) for e in error)
        if best is None or worst < best[1]:
            best = (coefficients, worst)
        level = abs(solution[size])
        if level > 0 and worst / level < mpf("1.01"):
            break
        points = exchange(error, size + 1) or points
    return best


def exchange(error, wanted):
    """The WANTED extrema of alternating sign with the largest errors."""
    extrema = []
    for i, e in enumerate(error):
        if extrema and (error[extrema[-1]] > 0) == (e > 0):
            if abs(e) > abs(error[extrema[-1]]):
                extrema[-1] = i
        else:
            extrema.append(i)
    while len(extrema) > wanted:
        drop_front = abs(error[extrema[0]]) < abs(error[extrema[-1]])
        extrema.pop(0 if drop_front else -1)
    return extrema if len(extrema) == wanted else None


def polynomial(function, weight, low, high, degree, bits, exact=()):
    """Coefficients c0..c_degree of FUNCTION on [LOW, HIGH], rounded to BITS, and log2 of
    the error.

    WEIGHT(x) * error is what is levelled. EXACT are leading coefficients that are given.
    """
    grid = chebyshev_grid(low, high, 24 * (degree + 2))
    target, weights = [mpf(function(x)) for x in grid], [abs(mpf(weight(x))) for x in grid]
    done = [mpf(c) for c in exact]
    powers = [[x ** k for x in grid] for k in range(degree + 1)]
    while len(done) <= degree:
        k = len(done)
        rest = [t - mp.fsum(c * p[i] for c, p in zip(done, powers)) for i, t in enumerate(target)]
        coefficients, _ = solve(rest, powers[k:], weights)
        done.append(round_to(coefficients[0], bits))
    worst = max(w * abs(t - mp.fsum(c * p[i] for c, p in zip(done, powers)))
                for i, (t, w) in enumerate(zip(target, weights)))
    return done, float(mp.log(worst, 2))

