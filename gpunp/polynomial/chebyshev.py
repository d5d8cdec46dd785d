"""Series of Chebyshev polynomials, lowest degree first."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core.function_base import linspace
from .._core.multiarray import arange, array, empty, ndarray, zeros
from .._core.numeric import full
from . import _orthogonal as orthogonal
from . import polyutils as pu
from ._orthogonal import Recurrence
from ._polybase import ABCPolyBase

__all__ = [
    "Chebyshev",
    "cheb2poly",
    "chebadd",
    "chebcompanion",
    "chebder",
    "chebdiv",
    "chebfit",
    "chebfromroots",
    "chebgauss",
    "chebgrid2d",
    "chebgrid3d",
    "chebint",
    "chebinterpolate",
    "chebline",
    "chebmul",
    "chebmulx",
    "chebpow",
    "chebpts1",
    "chebpts2",
    "chebroots",
    "chebsub",
    "chebtrim",
    "chebval",
    "chebval2d",
    "chebval3d",
    "chebvander",
    "chebvander2d",
    "chebvander3d",
    "chebweight",
    "poly2cheb",
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


def _times_x(c: ndarray) -> ndarray:
    """A series times x, by the recurrence of the basis."""
    out = empty(c.size + 1, c.dtype)
    out[0] = 0
    out[1] = c[0]
    if c.size > 1:
        half = c[1:] / 2
        out[2:] = half
        out[:-2] += half
    return out


def _step(n: int, c: Any, c0: Any, c1: Any, a: pu.Algebra) -> tuple[Any, Any]:
    """Clenshaw's recurrence from degree n + 1 to n."""
    return a.sub(c, c1), a.add(c0, a.x(c1) * 2)


def _last(c0: Any, c1: Any, a: pu.Algebra) -> Any:
    return a.add(c0, a.x(c1))


def chebmulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    return c if c.size == 1 and bool(c[0] == 0) else _times_x(c)


def chebmul(c1, c2) -> ndarray:
    """Product of two series; trailing zeros are dropped, which waits for the device."""
    return pu.multiply_series(c1, c2, _step, _last, _times_x)


def chebdiv(c1, c2) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of a division of series. Waits for the device."""
    return pu.divide_series(c1, c2, chebmul)


def chebpow(c, pow, maxpower=16) -> ndarray:
    """A series raised to a whole power."""
    return pu.raise_series(c, pow, maxpower, chebmul)


def chebfromroots(roots) -> ndarray:
    """The series of the polynomial with the given roots and the highest power's coefficient 1."""
    return pu.series_from_roots(roots, (0, 1), chebmul)


def cheb2poly(c) -> ndarray:
    """A series as a power series."""
    return pu.to_powers(c, _step, _last)


def poly2cheb(pol) -> ndarray:
    """A power series as a series of Chebyshev polynomials."""
    return pu.from_powers(pol, _times_x)


def _derivative(c: ndarray) -> ndarray:
    n = c.shape[0] - 1
    out = empty((n, *c.shape[1:]), c.dtype)
    for j in range(n, 2, -1):
        out[j - 1] = 2 * j * c[j]
        c[j - 2] += j * c[j] / (j - 2)
    if n > 1:
        out[1] = 4 * c[2]
    out[0] = c[1]
    return out


def chebder(c, m=1, scl=1, axis=0) -> ndarray:
    """Derivative of a series, `m` times, each multiplied by `scl`."""
    return pu.derive_series(c, m, scl, axis, _derivative)


def _integral(c: ndarray) -> ndarray:
    n = c.shape[0]
    out = zeros((n + 1, *c.shape[1:]), c.dtype)
    out[1] = c[0]
    if n > 1:
        out[2] = c[1] / 4
    for j in range(2, n):
        out[j + 1] = c[j] / (2 * (j + 1))
        out[j - 1] -= c[j] / (2 * (j - 1))
    return out


def chebint(c, m=1, k=[], lbnd=0, scl=1, axis=0) -> ndarray:  # noqa: B006
    """Antiderivative of a series, `m` times, with the values `k` at `lbnd`."""
    return pu.integrate_series(c, pu.Integration(m, k, lbnd, scl, axis), _integral, chebval)


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


# ---- what needs linear algebra -----------------------------------------------------------------

_BASIS = Recurrence(
    up=lambda k: np.where(k == 0, 1.0, 0.5),
    stay=lambda k: k * 0,
    down=lambda k: k * 0 + 0.5,
    ratio=lambda k: np.where(k == 0, 0.5, 1.0),
    integral=np.pi,
)
__getattr__ = orthogonal.constants((0, 1), (-1, 1), "cheb")


def chebcompanion(c) -> ndarray:
    """The matrix whose eigenvalues are the roots of a series; symmetric for one term alone.

    Parameters
    ----------
    c : array_like
        The series, of degree 1 at least.

    Returns
    -------
    ndarray
        Of shape (degree, degree).
    """
    return orthogonal.companion(c, _BASIS)


def chebroots(c) -> ndarray:
    """The roots of a series, sorted. Waits for the device.

    Parameters
    ----------
    c : array_like
        The series.

    Returns
    -------
    ndarray
        Real where all of them are.
    """
    return orthogonal.roots(c, chebcompanion, lambda c: -c[:1] / c[1])


def chebgauss(deg) -> tuple[ndarray, ndarray]:
    """Points and weights of Gauss quadrature from -1 to 1 with the weight 1 / sqrt(1 - x**2).

    Polynomials up to degree 2 * deg - 1 are integrated exactly.

    Parameters
    ----------
    deg : int
        The number of points.

    Returns
    -------
    x, w : ndarray
        The points, ascending, and their weights.
    """
    n = pu.degree(deg, "deg")
    if n <= 0:
        raise ValueError("deg must be a positive integer")
    return um.cos(np.pi * arange(1, 2 * n, 2) / (2.0 * n)), full(n, np.pi / n)


def chebweight(x) -> Any:
    """The weight 1 / sqrt(1 - x**2), under which the polynomials are orthogonal.

    Parameters
    ----------
    x : ndarray
        Where.

    Returns
    -------
    ndarray
    """
    x = pu.as_array(x)
    return 1 / (um.sqrt(1 + x) * um.sqrt(1 - x))


def chebfit(x, y, deg, rcond=None, full=False, w=None) -> Any:
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
    return orthogonal.fit(chebvander, x, y, deg, (rcond, full, w))


def chebpts1(npts) -> ndarray:
    """The roots of T_npts: Chebyshev points of the first kind."""
    n = orthogonal.points(npts, "npts")
    if n < 1:
        raise ValueError("npts must be >= 1")
    return um.sin(0.5 * np.pi / n * arange(-n + 1, n + 1, 2))


def chebpts2(npts) -> ndarray:
    """The extremes of T_(npts - 1): Chebyshev points of the second kind."""
    n = orthogonal.points(npts, "npts")
    if n < 2:
        raise ValueError("npts must be >= 2")
    return um.cos(linspace(-np.pi, 0, n))


def chebinterpolate(func, deg, args=()) -> ndarray:
    """The series that agrees with a function at the Chebyshev points of the first kind.

    Parameters
    ----------
    func : callable
        Takes an array of points, and `args`.
    deg : int
        Degree of the series.
    args : tuple, optional

    Returns
    -------
    ndarray
        deg + 1 coefficients.
    """
    n = pu.degree(deg, "deg")
    if n < 0:
        raise ValueError("expected deg >= 0")
    x = chebpts1(n + 1)
    y = func(x, *args)
    c = chebvander(x, n).T @ y
    c[0] /= n + 1
    c[1:] /= 0.5 * (n + 1)
    return c


class Chebyshev(ABCPolyBase):
    """A series of Chebyshev polynomials as an object: arithmetic, values, roots, fits.

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
    >>> p = cp.polynomial.Chebyshev(cp.array([1.0, 2.0, 3.0]))
    >>> p.degree(), p.deriv().coef.size
    (2, 2)
    """

    _add = staticmethod(chebadd)
    _sub = staticmethod(chebsub)
    _mul = staticmethod(chebmul)
    _div = staticmethod(chebdiv)
    _pow = staticmethod(chebpow)
    _val = staticmethod(chebval)
    _int = staticmethod(chebint)
    _der = staticmethod(chebder)
    _fit = staticmethod(chebfit)
    _line = staticmethod(chebline)
    _roots = staticmethod(chebroots)
    _fromroots = staticmethod(chebfromroots)
    domain = np.array([-1.0, 1.0])
    window = np.array([-1.0, 1.0])
    basis_name = "T"

    @classmethod
    def interpolate(cls, func, deg, domain=None, args=()):
        """The series that agrees with a function at the Chebyshev points of the domain."""
        domain = cls.domain if domain is None else domain
        c = chebinterpolate(lambda x: func(pu.mapdomain(x, cls.window, domain), *args), deg)
        return cls(c, domain=domain)
