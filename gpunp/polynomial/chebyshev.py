"""Series of Chebyshev polynomials, lowest degree first: what needs arithmetic only."""

from typing import Any

from .._core import umath as um
from .._core.multiarray import array, empty, ndarray
from . import polyutils as pu

__all__ = [
    "chebadd",
    "chebgrid2d",
    "chebgrid3d",
    "chebline",
    "chebmulx",
    "chebsub",
    "chebtrim",
    "chebval",
    "chebval2d",
    "chebval3d",
    "chebvander",
    "chebvander2d",
    "chebvander3d",
]

chebtrim = pu.trimcoef


def chebline(off, scl) -> ndarray:
    """The series of the line off + scl * x."""
    return array([off, scl]) if scl != 0 else array([off])


def chebadd(c1, c2) -> ndarray:
    """Sum of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.add)


def chebsub(c1, c2) -> ndarray:
    """Difference of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.subtract)


def chebmulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    if c.size == 1 and bool(c[0] == 0):
        return c
    out = empty(c.size + 1, c.dtype)
    out[0] = 0
    out[1] = c[0]
    if c.size > 1:
        half = c[1:] / 2
        out[2:] = half
        out[:-2] += half
    return out


def chebval(x, c, tensor=True) -> Any:
    """A series at x, by Clenshaw's recurrence (C. W. Clenshaw, Math. Comp. 9, 1955).

    With `tensor` every coefficient along c's other axes is evaluated at every x.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.chebyshev.chebval(cp.array([0.0, 1.0]), cp.array([1.0, 2.0, 3.0]))
    array([-2.,  6.])
    """
    x, c = pu.for_values(x, c, tensor)
    x2 = 2 * x
    if c.shape[0] == 1:
        return c[0] + 0 * x
    c0, c1 = c[-2], c[-1]
    for i in range(3, c.shape[0] + 1):
        c0, c1 = c[-i] - c1, c0 + c1 * x2
    return c0 + c1 * x


def chebval2d(x, y, c) -> Any:
    """A series in two variables at points (x, y)."""
    return pu.values_nd(chebval, c, x, y)


def chebval3d(x, y, z, c) -> Any:
    """A series in three variables at points (x, y, z)."""
    return pu.values_nd(chebval, c, x, y, z)


def chebgrid2d(x, y, c) -> Any:
    """A series in two variables on the grid of x and y."""
    return pu.grid_nd(chebval, c, x, y)


def chebgrid3d(x, y, z, c) -> Any:
    """A series in three variables on the grid of x, y and z."""
    return pu.grid_nd(chebval, c, x, y, z)


def chebvander(x, deg) -> ndarray:
    """The polynomials T0 to Tdeg at x, along a new last axis."""
    return pu.basis_matrix(
        x, deg, lambda x: x, lambda i, x, before, earlier: 2 * x * before - earlier
    )


def chebvander2d(x, y, deg) -> ndarray:
    """Products of polynomials in x and y, of degrees up to deg[0] and deg[1]."""
    return pu.basis_matrix_nd(chebvander, (x, y), deg)


def chebvander3d(x, y, z, deg) -> ndarray:
    """Products of polynomials in x, y and z, of degrees up to those of deg."""
    return pu.basis_matrix_nd(chebvander, (x, y, z), deg)
