"""Banded systems on the device, by orthogonal transformations in log2(n) steps.

Neighbouring blocks of equations have an unknown in common, which reflections eliminate (structured
orthogonal factorisation, S. J. Wright, SIAM J. Sci. Stat. Comput. 13, 1992); this is as stable as a
QR factorisation, of any nonsingular matrix. Factors take ten times the memory of the diagonals.
"""

from typing import Any

import numpy as np

from ..._core._sparse import BANDED_MOST_WIDTH, banded_back, banded_factor, banded_sides
from ..._core.multiarray import ascontiguousarray, empty, ndarray, strided_view, zeros

MOST_DIAGONALS = BANDED_MOST_WIDTH + 1


class BandedFactors:
    """Factors of a banded matrix, with which systems are solved. Nothing waits for the device; of a
    singular matrix solutions are not finite, or as large as rounding makes them.

    Parameters
    ----------
    blocks : ndarray
        Equations as `empty_blocks` describes them.
    n : int
        Number of equations.
    below : int
        Number of diagonals below the main one.
    """

    def __init__(self, blocks: ndarray, n: int, below: int) -> None:
        self._n, self._below, self._width = n, below, blocks.shape[1]
        self._levels = []
        while blocks.shape[0] > 1:
            kept, blocks = self._step(blocks)
            self._levels.append(kept)
        w, above = self._width, self._width - below
        # The first and the last unknown have, between them, w numbers that are not out of bounds.
        last = zeros((2, w, 2 * w), blocks.dtype)
        last[0, :, w : w + above] = blocks[0, :, below:w]
        last[0, :, w + above :] = blocks[0, :, w : w + below]
        self._last, _ = self._step(last)

    def _step(self, blocks: ndarray) -> tuple[ndarray, ndarray]:
        count, w = blocks.shape[:2]
        kept = empty((count // 2, (4 * w + 1) * w), blocks.dtype)
        after = empty(((count + 1) // 2, w, 2 * w), blocks.dtype)
        banded_factor(blocks, kept, after, count, w)
        return kept, after

    def solve(self, sides: ndarray) -> ndarray:
        """Solutions for a matrix of right-hand sides, of the factors' type or its complex one."""
        dtype = self._last.dtype
        if sides.dtype.kind == "c" and dtype.kind != "c":
            parts = ascontiguousarray(sides).view(dtype)
            return self.solve(parts).view(sides.dtype)
        columns, w, blocks = sides.shape[1], self._width, -(-self._n // self._width)
        rows = zeros((blocks * w, columns), dtype)
        rows[: self._n] = sides
        if not columns:
            return rows[: self._n]
        stays, count = [], blocks
        for kept in self._levels:
            stay, after = self._sides(kept, rows, count, columns)
            stays.append((kept, stay, count))
            rows, count = after, (count + 1) // 2
        both = zeros((2 * w, columns), dtype)
        both[:w] = rows
        stay, _ = self._sides(self._last, both, 2, columns)
        ends = zeros((3 * w, columns), dtype)
        banded_back(self._last, stay, ends, 2, w, columns, 1, 2)
        above = w - self._below
        found = zeros(((blocks + 1) * w, columns), dtype)
        found[self._below : w] = ends[w : w + above]
        found[blocks * w : blocks * w + self._below] = ends[w + above : 2 * w]
        for level, (kept, stay, count) in reversed(list(enumerate(stays))):
            banded_back(kept, stay, found, count, w, columns, 1 << level, blocks)
        return found[self._below : self._below + self._n]

    def _sides(self, kept: ndarray, rows: ndarray, count: int, columns: int) -> tuple:
        w = self._width
        stay = empty((max(count // 2, 1) * w, columns), rows.dtype)
        after = empty(((count + 1) // 2 * w, columns), rows.dtype)
        banded_sides(kept, rows, stay, after, count, w, columns)
        return stay, after


def empty_blocks(n: int, below: int, above: int, dtype: Any) -> ndarray:
    """Equations without elements, in blocks of ``below + above`` rows, of shape (blocks, rows, 2
    rows): the element in row i and column j has the place ``j + below - i // rows * rows`` of its
    row. Rows beyond `n` say that their unknowns are zero."""
    w = max(below + above, 1)
    made = zeros((-(-n // w), w, 2 * w), dtype)
    for row in range(n % w or w, w):
        made[-1, row, row + below] = 1
    return made


def factors_of_diagonals(diagonals: Any, below: int, dtype: Any) -> BandedFactors:
    """The factors of the matrix whose row i has ``diagonals[d][i]`` in column ``i + d - below``.

    Elements outside of the matrix are not used.
    """
    n, above = diagonals[0].size, len(diagonals) - 1 - below
    blocks = empty_blocks(n, below, above, dtype)
    w, step = blocks.shape[1], blocks.itemsize
    for d, diagonal in enumerate(diagonals):
        begin, end = max(below - d, 0), min(n, n + below - d)
        if begin > 0 or end < n:
            diagonal = diagonal.copy()
            diagonal[:begin], diagonal[end:] = 0, 0
        whole = n // w * w  # elements of one place in a block are one strided view
        shape, strides = (whole // w, w), (2 * w * w * step, (2 * w + 1) * step)
        if whole:
            strided_view(blocks[:, :, d:], shape, strides)[...] = diagonal[:whole].reshape(shape)
        if whole < n:
            rest = strided_view(blocks[-1, :, d:], (n - whole,), strides[1:])
            rest[...] = diagonal[whole:]
    return BandedFactors(blocks, n, below)


def factors_of_elements(
    rows: ndarray, columns: ndarray, values: ndarray, n: int, below: int, above: int
) -> BandedFactors:
    """The factors of the matrix with these elements, which are no duplicates."""
    blocks = empty_blocks(n, below, above, values.dtype)
    w = blocks.shape[1]
    rows = rows.astype(np.int64)
    blocks.reshape(-1)[rows * (2 * w) + columns + below - rows // w * w] = values
    return BandedFactors(blocks, n, below)
