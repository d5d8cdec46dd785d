"""Finds the integer pieces of an approximate function (csrc/emu/exec/approx.def) from a dump of mufu.py.

    fit.py FOLDER_OF_DUMPS rcp|ex2|sqrt

On each piece a <= result * 2^scale - b k - c s(k) < a + 1 unit must hold for every k, where s(k) is
the square of k without its partial products below 2^cut. Least squares gives b and c to within one
unit; the first pair of integers that leaves room for an integer a is the answer.
"""

import itertools
import lzma
import sys
from pathlib import Path

import mufu
import numpy as np

SHAPES = {"rcp": (7, 17, 16), "ex2": (6, 19, 15), "sqrt": (6, 19, 17)}  # piece bits, cut, scale


def square(bits, cut):
    """Truncated squares of 0 .. 2^bits - 1 in units of 2^cut."""
    k = np.arange(1 << bits, dtype=np.int64)
    total = np.zeros(1 << bits, np.int64)
    for i in range(bits):
        own = 1 << (2 * i) if 2 * i >= cut else 0
        above = (k >> (i + 1) << (2 * i + 2)) & ~((1 << cut) - 1)
        total += (k >> i & 1) * (own + above)
    return total >> cut


def piece(low, high, s, scale):
    """(least a, greatest a, b, c), or None."""
    n = len(low)
    k = np.arange(n, dtype=np.float64)
    columns = np.stack([np.ones(n), k / n, s / s.max()], 1)
    solution = np.linalg.lstsq(columns, (low + high) / 2, rcond=None)[0]
    near = np.rint([solution[1] / n * 2.0**scale, solution[2] / s.max() * 2.0**scale])
    low, high = low * 2.0**scale, high * 2.0**scale
    around = sorted(itertools.product(range(-2, 3), repeat=2), key=lambda d: abs(d[0]) + abs(d[1]))
    for db, dc in around:
        rest = (near[0] + db) * k + (near[1] + dc) * s
        least, limit = (low - rest).max(), (high - rest).min()
        if least < limit:
            return int(least), int(limit) - 1, int(near[0] + db), int(near[1] + dc)
    return None


def main():
    """See the top of the file."""
    folder, name = Path(sys.argv[1]), sys.argv[2]
    piece_bits, cut, scale = SHAPES[name]
    sweep = next(s for s in mufu.sweeps() if s.name == name)
    step = np.frombuffer(lzma.decompress((folder / f"{name}.npy.xz").read_bytes()), np.int8)
    bits = mufu.expected(sweep) + step
    power = (bits >> 23) - 150
    unit = np.ldexp(1.0, (power - power.max()).astype(int))
    low = ((bits & 0x7FFFFF) | 0x800000) * unit
    n = 1 << (23 - piece_bits)
    s = square(23 - piece_bits, cut).astype(np.float64)
    for i in range(len(bits) // n):
        part = slice(i * n, (i + 1) * n)
        print(i, piece(low[part], (low + unit)[part], s, scale))


if __name__ == "__main__":
    main()
