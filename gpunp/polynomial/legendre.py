"""Series of Legendre polynomials, lowest degree first: what needs arithmetic only."""

from typing import Any

from .._core import umath as um
from .._core.multiarray import arange, array, empty, ndarray
from . import polyutils as pu

__all__ = [
    "legadd",
    "leggrid2d",
    "leggrid3d",
    "legline",
    "legmulx",
    "legsub",
    "legtrim",
    "legval",
    "legval2d",
    "legval3d",
    "legvander",
    "legvander2d",
    "legvander3d",
]

legtrim = pu.trimcoef


def legline(off, scl) -> ndarray:
    """The series of the line off + scl * x."""
    return array([off, scl]) if scl != 0 else array([off])


def legadd(c1, c2) -> ndarray:
    """Sum of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.add)


def legsub(c1, c2) -> ndarray:
    """Difference of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.subtract)


def legmulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    if c.size == 1 and bool(c[0] == 0):
        return c
    out = empty(c.size + 1, c.dtype)
    out[0] = 0
    out[1] = c[0]
    i = arange(1, c.size)
    out[2:] = c[1:] * (i + 1) / (2 * i + 1)
    out[:-2] += c[1:] * i / (2 * i + 1)
    return out


def legval(x, c, tensor=True) -> Any:
    """A series at x, by Clenshaw's recurrence (C. W. Clenshaw, Math. Comp. 9, 1955).

    With `tensor` every coefficient along c's other axes is evaluated at every x.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.legendre.legval(cp.array([0.0, 1.0]), cp.array([1.0, 2.0, 3.0]))
    array([-0.5,  6. ])
    """
    x, c = pu.for_values(x, c, tensor)
    if c.shape[0] == 1:
        return c[0] + 0 * x
    c0, c1 = c[-2], c[-1]
    n = c.shape[0]
    for i in range(3, c.shape[0] + 1):
        n -= 1
        c0, c1 = c[-i] - c1 * ((n - 1) / n), c0 + c1 * x * ((2 * n - 1) / n)
    return c0 + c1 * x


def legval2d(x, y, c) -> Any:
    """A series in two variables at points (x, y)."""
    return pu.values_nd(legval, c, x, y)


def legval3d(x, y, z, c) -> Any:
    """A series in three variables at points (x, y, z)."""
    return pu.values_nd(legval, c, x, y, z)


def leggrid2d(x, y, c) -> Any:
    """A series in two variables on the grid of x and y."""
    return pu.grid_nd(legval, c, x, y)


def leggrid3d(x, y, z, c) -> Any:
    """A series in three variables on the grid of x, y and z."""
    return pu.grid_nd(legval, c, x, y, z)


def legvander(x, deg) -> ndarray:
    """The polynomials P0 to Pdeg at x, along a new last axis."""
    return pu.basis_matrix(
        x,
        deg,
        lambda x: x,
        lambda i, x, before, earlier: (before * x * (2 * i - 1) - earlier * (i - 1)) / i,
    )


def legvander2d(x, y, deg) -> ndarray:
    """Products of polynomials in x and y, of degrees up to deg[0] and deg[1]."""
    return pu.basis_matrix_nd(legvander, (x, y), deg)


def legvander3d(x, y, z, deg) -> ndarray:
    """Products of polynomials in x, y and z, of degrees up to those of deg."""
    return pu.basis_matrix_nd(legvander, (x, y, z), deg)
