"""Polynomials of a Hermitian matrix whose largest eigenvalues are the matrix's at one end.

A step of a Lanczos process reads the basis; products with a sparse matrix read much less. A
polynomial of degree d that is at most one in magnitude on the eigenvalues that are not sought, and
grows beyond them, needs about d times fewer steps (H. Fang and Y. Saad, "A filtered Lanczos
procedure for extreme and interior eigenvalue problems", SIAM J. Sci. Comput. 34, 2012).
"""

from typing import Any

import numpy as np

from ...._core.multiarray import empty_like, ndarray
from ...._core.raw import ElementwiseKernel
from ....cuda.graph import Replayed  # type: ignore[attr-defined]

DEGREE = 9  # odd: eigenvalues beyond the other end become negative
MOST = 100  # the polynomial's largest value: rounding errors are relative to it

_STEP = ElementwiseKernel(
    "T product, T y, T before, T center, T factor",
    "T next",
    "next = factor * (product - center * y) - before",
    "chebyshev_step",
)
_FIRST_STEP = ElementwiseKernel(
    "T product, T y, T center, T factor",
    "T next",
    "next = factor * (product - center * y)",
    "chebyshev_first_step",
)


class ChebyshevFilter:
    """T_d((A - center) / half) of a matrix A.

    Parameters
    ----------
    matvec : callable
        Product of the matrix with a vector.
    center, half : float
        Centre and half the length of the interval on which the polynomial is small; a negative
        length where it grows below the interval.
    degree : int
        Degree of the polynomial.
    is_fixed : bool
        Whether products are the same launches every time: they are replayed as a graph then.
    """

    def __init__(
        self, matvec: Any, center: float, half: float, degree: int, is_fixed: bool
    ) -> None:
        self.matvec, self._center, self._half, self._degree = matvec, center, half, degree
        self._replayed = Replayed(is_fixed)
        self._given: Any = None  # the arrays that the graph reads and writes
        self._result: Any = None

    def __call__(self, v: ndarray) -> ndarray:
        """The product of the polynomial with a vector. The next call writes the same array."""
        if self._given is None:
            self._given, self._result = empty_like(v), empty_like(v)
        self._given[...] = v
        self._replayed(self._apply)
        return self._result

    def _apply(self) -> None:
        """The recurrence of degrees."""
        v = self._given
        numbers = [v.dtype.type(x) for x in (self._center, 1 / self._half, 2 / self._half)]
        center, first, factor = numbers
        before, y = v, _FIRST_STEP(self.matvec(v), v, center, first)
        for _ in range(self._degree - 2):
            before, y = y, _STEP(self.matvec(y), y, before, center, factor)
        _STEP(self.matvec(y), y, before, center, factor, self._result)

    def arguments(self, values: Any) -> Any:
        """Where the polynomial has values beyond one."""
        at = np.cosh(np.arccosh(np.maximum(values, 1.0)) / self._degree)
        return self._center + self._half * at

    def slopes(self, arguments: Any) -> Any:
        """Magnitudes of the derivative beyond the interval."""
        angles = np.arccosh(np.maximum((arguments - self._center) / self._half, 1 + 1e-12))
        d = self._degree
        return d * np.sinh(d * angles) / (np.sinh(angles) * abs(self._half))


def chebyshev_filter(matvec: Any, values: Any, keep: Any, margin: float, is_fixed: bool) -> Any:
    """A filter for the eigenvalues at one end of the spectrum.

    Parameters
    ----------
    matvec : callable
        Product of the matrix with a vector.
    values : numpy.ndarray
        Ritz values, in ascending order.
    keep : numpy.ndarray
        Places of those nearest to what is sought. Eigenvalues interlace with Ritz values, so that
        no fewer eigenvalues than these are outside of the others' interval.
    margin : float
        Largest error of the Ritz values at the ends.
    is_fixed : bool
        Whether products are the same launches every time.

    Returns
    -------
    ChebyshevFilter or None
        None where values at both ends are sought, or a few are far from the others.
    """
    is_above = keep.min() == values.size - keep.size
    if not is_above and keep.max() != keep.size - 1:
        return None
    if is_above:
        far, near, end = values[0] - margin, values[-keep.size], values[-1]
    else:
        far, near, end = values[-1] + margin, values[keep.size - 1], values[0]
    center, half = float(far + near) / 2, float(near - far) / 2
    if not abs(half) > 0:
        return None
    angle = np.arccosh(max((float(end) - center) / half, 1.0))
    degree = next((d for d in range(DEGREE, 1, -2) if np.cosh(d * angle) <= MOST), None)
    return None if degree is None else ChebyshevFilter(matvec, center, half, degree, is_fixed)
