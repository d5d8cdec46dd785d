"""Orthonormal bases of Krylov spaces: classical Gram-Schmidt, twice for each vector."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._sparse import (
    KRYLOV_MOST_ROWS,
    KRYLOV_MOST_SUMS,
    krylov_project,
    krylov_put,
)
from ...._core.multiarray import ascontiguousarray, empty, empty_like, ndarray, zeros
from ...._core.norms import norm_two
from ...._core.products import vdot
from ...._core.umath import vecdot

PRODUCTS, AGAIN, LENGTH = range(3)  # passes of krylov_project


class Basis:
    """Up to `steps` + 1 vectors as contiguous rows, and the coefficients that made them orthogonal.

    After a vector of length zero the following ones are NaN, as are their coefficients.

    Parameters
    ----------
    steps : int
        Number of steps, each of which adds a vector.
    n : int
        Length of the vectors.
    dtype : dtype
        Type of the vectors.
    metric : callable, optional
        Product of a vector with the matrix that defines the inner product.
    slack : float, optional
        The second pass of `extend` is left out where the products of the basis with what the first
        one left are less than this many times its length.
    """

    def __init__(
        self, steps: int, n: int, dtype: Any, metric: Any = None, slack: float = 0.0
    ) -> None:
        self._slack = float(slack)
        self.vectors, self._metric, self._steps = empty((steps + 1, n), dtype), metric, steps
        self._numbers = zeros((2 * steps + 1, steps + 1), dtype)
        real = np.dtype(dtype.char.lower())
        self._lengths = self._numbers[-1].view(real)[: steps + 1]
        self._sums: Any = None

    def put(self, k: int, w: ndarray) -> None:
        """Store `w` with length one as vector `k`."""
        length = self._lengths[k]
        if self._metric is None:
            norm_two(w, out=length)
        else:
            square = vdot(w, self._metric(w))
            umath.sqrt(umath.absolute(square), out=length)
        umath.divide(w, length, out=self.vectors[k])

    def orthogonalized(self, k: int, w: ndarray) -> ndarray:
        """`w` without its parts along the vectors up to `k`, which are kept as coefficients."""
        before = self.vectors[: k + 1]
        for row in (k, self._steps + k):  # the second pass removes what rounding left
            image = w if self._metric is None else self._metric(w)
            part = vecdot(before, image, out=self._numbers[row, : k + 1])
            w = w - part @ before
        return w

    def extend(self, k: int, w: ndarray, first: int = 0) -> None:
        """Store `w`, orthogonal to the vectors up to `k` and with length one, as vector `k` + 1.

        The products of `w` with vectors before number `first` are zero but for rounding, as in the
        Lanczos process those before the last two: the first pass leaves them out.
        """
        if self._metric is not None or k + 1 > KRYLOV_MOST_ROWS or not w.size:
            self.put(k + 1, self.orthogonalized(k, w))
            return
        if self._sums is None:
            shape = (KRYLOV_MOST_ROWS + 1, KRYLOV_MOST_SUMS)
            row = self.vectors[0]
            self._sums = empty(shape, row.dtype), empty(shape, row.dtype), empty_like(row)
        sums, more, rest = self._sums
        basis, numbers, size = self.vectors, self._numbers, (w.size, k + 1)
        slack = self._slack
        w = ascontiguousarray(w.astype(rest.dtype, copy=False))
        krylov_project(basis, w, None, None, sums, None, *size, first, PRODUCTS, slack)
        krylov_project(basis, w, rest, sums, more, numbers[k], *size, first, AGAIN, slack)
        again = numbers[self._steps + k]
        krylov_project(basis, rest, rest, more, sums, again, *size, 0, LENGTH, slack)
        krylov_put(rest, self.vectors[k + 1], sums, self._lengths[k + 1], w.size)

    def read(self) -> tuple[Any, Any]:
        """On the host: coefficients, those of a step in a column, and the lengths. Waits once."""
        numbers, steps = self._numbers.get(), self._steps
        lengths = numbers[-1].view(self._lengths.dtype)[: steps + 1]
        return (numbers[:steps] + numbers[steps:-1]).T[:-1], lengths
