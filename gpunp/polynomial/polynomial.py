"""Power series, lowest degree first."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array
from .._core.multiarray import arange, array, concatenate, ndarray, zeros
from .._core.numeric import convolve
from .._core.reductions import prod
from . import _orthogonal as orthogonal
from . import polyutils as pu
from ._polybase import ABCPolyBase

__all__ = [
    "Polynomial",
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvalfromroots",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
]

polytrim = pu.trimcoef


def polyline(off, scl) -> ndarray:
    """The series of the line off + scl * x."""
    return array([off, scl]) if scl != 0 else array([off])


def polyfromroots(roots) -> ndarray:
    """The series with the given roots and the highest coefficient 1."""
    return pu.series_from_roots(roots, (0, 1), convolve)


def polyadd(c1, c2) -> ndarray:
    """Sum of two series; trailing zeros are dropped, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyadd(cp.array([1, 2, 3]), cp.array([3, 2, -3]))
    array([4., 4.])
    """
    return pu.combine(c1, c2, um.add)


def polysub(c1, c2) -> ndarray:
    """Difference of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.subtract)


def polymulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    if c.size == 1 and bool(c[0] == 0):
        return c
    return concatenate((zeros(1, c.dtype), c))


def polymul(c1, c2) -> ndarray:
    """Product of two series; trailing zeros are dropped, which waits for the device."""
    c1, c2 = pu.as_series([c1, c2])
    return pu.trimseq(convolve(c1, c2))


def polydiv(c1, c2) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of a division of series. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polydiv(cp.array([1, 2, 3]), cp.array([3, 2, 1]))
    (array([3.]), array([-8., -4.]))
    """
    c1, c2 = pu.as_series([c1, c2])
    if bool(c2[-1] == 0):
        raise ZeroDivisionError
    m, n = c1.size, c2.size
    if m < n:
        return c1[:1] * 0, c1
    if n == 1:
        return c1 / c2[-1], c1[:1] * 0
    divisor = c2[:-1] / c2[-1]
    rest = c1.copy()
    for top in range(m - 1, n - 2, -1):
        rest[top - n + 1 : top] -= divisor * rest[top]
    return rest[n - 1 :] / c2[-1], pu.trimseq(rest[: n - 1])


def polypow(c, pow, maxpower=None) -> ndarray:
    """A series raised to a whole power."""
    return pu.raise_series(c, pow, maxpower, convolve)


def _powers(n: int, c: ndarray) -> ndarray:
    """1 to n along c's first axis."""
    return arange(1, n + 1).reshape((n,) + (1,) * (c.ndim - 1))


def polyder(c, m=1, scl=1, axis=0) -> ndarray:
    """Derivative of a series, `m` times, each multiplied by `scl`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyder(cp.array([1, 2, 3, 4]))
    array([ 2.,  6., 12.])
    """
    return pu.derive_series(c, m, scl, axis, lambda c: c[1:] * _powers(c.shape[0] - 1, c))


def _integral(c: ndarray) -> ndarray:
    n = c.shape[0]
    out = zeros((n + 1, *c.shape[1:]), c.dtype)
    out[1:] = c / _powers(n, c)
    return out


def polyint(c, m=1, k=[], lbnd=0, scl=1, axis=0) -> ndarray:  # noqa: B006
    """Antiderivative of a series, `m` times, with the values `k` at `lbnd`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyint(cp.array([1.0, 2.0, 3.0]))
    array([0., 1., 1., 1.])
    """
    return pu.integrate_series(c, pu.Integration(m, k, lbnd, scl, axis), _integral, polyval)


def polyval(x, c, tensor=True) -> Any:
    """A series at x, by Horner's rule.

    With `tensor` every coefficient along c's other axes is evaluated at every x.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyval(cp.array([0.0, 2.0]), cp.array([1.0, 2.0, 3.0]))
    array([ 1., 17.])
    """
    x, c = pu.for_values(x, c, tensor)
    value = c[-1] + x * 0
    for i in range(2, c.shape[0] + 1):
        value = c[-i] + value * x
    return value


def polyvalfromroots(x, r, tensor=True) -> Any:
    """The polynomial with the given roots and the highest coefficient 1, at x.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyvalfromroots(1.0, cp.array([2.0, 3.0]))
    array(2.)
    """
    r = array(r, ndmin=1, copy=None)
    if r.dtype.kind in "biu":
        r = r.astype(float)
    if isinstance(x, (tuple, list)):
        x = as_array(x)
    if isinstance(x, ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return prod(x - r, axis=0)


def polyval2d(x, y, c) -> Any:
    """A series in two variables at points (x, y)."""
    return pu.values_nd(polyval, c, x, y)


def polyval3d(x, y, z, c) -> Any:
    """A series in three variables at points (x, y, z)."""
    return pu.values_nd(polyval, c, x, y, z)


def polygrid2d(x, y, c) -> Any:
    """A series in two variables on the grid of x and y."""
    return pu.grid_nd(polyval, c, x, y)


def polygrid3d(x, y, z, c) -> Any:
    """A series in three variables on the grid of x, y and z."""
    return pu.grid_nd(polyval, c, x, y, z)


def polyvander(x, deg) -> ndarray:
    """Powers of x from 0 to `deg`, along a new last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyvander(cp.array([1.0, 2.0]), 2)
    array([[1., 1., 1.],
           [1., 2., 4.]])
    """
    return pu.basis_matrix(x, deg, lambda x: x, lambda i, x, before, earlier: before * x)


def polyvander2d(x, y, deg) -> ndarray:
    """Products of powers of x and y, up to deg[0] and deg[1]."""
    return pu.basis_matrix_nd(polyvander, (x, y), deg)


def polyvander3d(x, y, z, deg) -> ndarray:
    """Products of powers of x, y and z, up to those of deg."""
    return pu.basis_matrix_nd(polyvander, (x, y, z), deg)


def polycompanion(c) -> ndarray:
    """The matrix whose eigenvalues are the roots of a series.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polycompanion(cp.array([1, 2, 4]))
    array([[ 0.  , -0.25],
           [ 1.  , -0.5 ]])
    """
    (c,) = pu.as_series([c])
    if c.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = c.size - 1
    matrix = zeros((n, n), c.dtype)
    if n == 1:
        matrix[0, 0] = -c[0] / c[1]
        return matrix
    matrix.reshape(-1)[n :: n + 1] = 1
    matrix[:, -1] -= c[:-1] / c[-1]
    return matrix


__getattr__ = orthogonal.constants((0, 1), (-1, 1), "poly")


def polyroots(c) -> ndarray:
    """The roots of a series, sorted. Waits for the device.

    Parameters
    ----------
    c : array_like
        The series.

    Returns
    -------
    ndarray
        Real where all of them are.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyroots(cp.array([2.0, -3.0, 1.0])).real.round(6)
    array([1., 2.])
    """
    return orthogonal.roots(c, polycompanion, lambda c: -c[:1] / c[1])


def polyfit(x, y, deg, rcond=None, full=False, w=None) -> Any:
    """Fit a series to points by least squares.

    Parameters
    ----------
    x : array_like
        Where, of shape (M,).
    y : array_like
        What, of shape (M,) or (M, K) for K fits at once.
    deg : int or list of int
        The highest degree, or all degrees that the series shall have.
    rcond : float, optional
        Singular values below this share of the largest count as zero.
    full : bool, optional
        Also return [residuals, rank, singular values, rcond].
    w : array_like, optional
        A weight for each point, which multiplies the residual.

    Returns
    -------
    ndarray, or (ndarray, list)
        Coefficients, lowest degree first. Unless `full`, the rank is looked at, which waits for the
        device: RankWarning where it is too small.
    """
    return orthogonal.fit(polyvander, x, y, deg, (rcond, full, w))


class Polynomial(ABCPolyBase):
    """A power series as an object: arithmetic, values, roots, fits.

    Parameters
    ----------
    coef : array_like
        Coefficients, lowest degree first.
    domain, window : pair of numbers, optional
        The interval `domain` is moved to the interval `window` before the series is evaluated.
    symbol : str, optional
        The variable's name.

    Examples
    --------
    >>> import gpunp as cp
    >>> p = cp.polynomial.Polynomial(cp.array([1.0, 2.0, 3.0]))
    >>> p(cp.array([0.0, 1.0])), p.deriv().coef
    (array([1., 6.]), array([2., 6.]))
    """

    _add = staticmethod(polyadd)
    _sub = staticmethod(polysub)
    _mul = staticmethod(polymul)
    _div = staticmethod(polydiv)
    _pow = staticmethod(polypow)
    _val = staticmethod(polyval)
    _int = staticmethod(polyint)
    _der = staticmethod(polyder)
    _fit = staticmethod(polyfit)
    _line = staticmethod(polyline)
    _roots = staticmethod(polyroots)
    _fromroots = staticmethod(polyfromroots)
    domain = np.array([-1.0, 1.0])
    window = np.array([-1.0, 1.0])
    basis_name: str | None = None
