"""Series of Legendre polynomials, lowest degree first."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core.multiarray import arange, array, empty, ndarray, zeros
from . import _orthogonal as orthogonal
from . import polyutils as pu
from ._orthogonal import Recurrence
from ._polybase import ABCPolyBase

__all__ = [
    "Legendre",
    "leg2poly",
    "legadd",
    "legcompanion",
    "legder",
    "legdiv",
    "legfit",
    "legfromroots",
    "leggauss",
    "leggrid2d",
    "leggrid3d",
    "legint",
    "legline",
    "legmul",
    "legmulx",
    "legpow",
    "legroots",
    "legsub",
    "legtrim",
    "legval",
    "legval2d",
    "legval3d",
    "legvander",
    "legvander2d",
    "legvander3d",
    "legweight",
    "poly2leg",
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


def _times_x(c: ndarray) -> ndarray:
    """A series times x, by the recurrence of the basis."""
    out = empty(c.size + 1, c.dtype)
    out[0] = 0
    out[1] = c[0]
    i = arange(1, c.size)
    out[2:] = c[1:] * (i + 1) / (2 * i + 1)
    out[:-2] += c[1:] * i / (2 * i + 1)
    return out


def _step(n: int, c: Any, c0: Any, c1: Any, a: pu.Algebra) -> tuple[Any, Any]:
    """Clenshaw's recurrence from degree n + 1 to n."""
    return a.sub(c, c1 * ((n - 1) / n)), a.add(c0, a.x(c1) * ((2 * n - 1) / n))


def _last(c0: Any, c1: Any, a: pu.Algebra) -> Any:
    return a.add(c0, a.x(c1))


def legmulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    return c if c.size == 1 and bool(c[0] == 0) else _times_x(c)


def legmul(c1, c2) -> ndarray:
    """Product of two series; trailing zeros are dropped, which waits for the device."""
    return pu.multiply_series(c1, c2, _step, _last, _times_x)


def legdiv(c1, c2) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of a division of series. Waits for the device."""
    return pu.divide_series(c1, c2, legmul)


def legpow(c, pow, maxpower=16) -> ndarray:
    """A series raised to a whole power."""
    return pu.raise_series(c, pow, maxpower, legmul)


def legfromroots(roots) -> ndarray:
    """The series of the polynomial with the given roots and the highest power's coefficient 1."""
    return pu.series_from_roots(roots, (0, 1), legmul)


def leg2poly(c) -> ndarray:
    """A series as a power series."""
    return pu.to_powers(c, _step, _last)


def poly2leg(pol) -> ndarray:
    """A power series as a series of Legendre polynomials."""
    return pu.from_powers(pol, _times_x)


def _derivative(c: ndarray) -> ndarray:
    n = c.shape[0] - 1
    out = empty((n, *c.shape[1:]), c.dtype)
    for j in range(n, 2, -1):
        out[j - 1] = (2 * j - 1) * c[j]
        c[j - 2] += c[j]
    if n > 1:
        out[1] = 3 * c[2]
    out[0] = c[1]
    return out


def legder(c, m=1, scl=1, axis=0) -> ndarray:
    """Derivative of a series, `m` times, each multiplied by `scl`."""
    return pu.derive_series(c, m, scl, axis, _derivative)


def _integral(c: ndarray) -> ndarray:
    n = c.shape[0]
    out = zeros((n + 1, *c.shape[1:]), c.dtype)
    out[1] = c[0]
    if n > 1:
        out[2] = c[1] / 3
    for j in range(2, n):
        part = c[j] / (2 * j + 1)
        out[j + 1] = part
        out[j - 1] -= part
    return out


def legint(c, m=1, k=[], lbnd=0, scl=1, axis=0) -> ndarray:  # noqa: B006
    """Antiderivative of a series, `m` times, with the values `k` at `lbnd`."""
    return pu.integrate_series(c, pu.Integration(m, k, lbnd, scl, axis), _integral, legval)


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


# ---- what needs linear algebra -----------------------------------------------------------------

_BASIS = Recurrence(
    up=lambda k: (k + 1) / (2 * k + 1),
    stay=lambda k: k * 0,
    down=lambda k: k / (2 * k + 1),
    ratio=lambda k: (2 * k + 1) / (2 * k + 3),
    integral=2.0,
)
__getattr__ = orthogonal.constants((0, 1), (-1, 1), "leg")


def legcompanion(c) -> ndarray:
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


def legroots(c) -> ndarray:
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
    return orthogonal.roots(c, legcompanion, lambda c: -c[:1] / c[1])


def leggauss(deg) -> tuple[ndarray, ndarray]:
    """Points and weights of Gauss quadrature from -1 to 1 with the weight 1.

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
    return orthogonal.gauss(deg, _BASIS)


def legweight(x) -> Any:
    """The weight 1, under which the polynomials are orthogonal.

    Parameters
    ----------
    x : ndarray
        Where.

    Returns
    -------
    ndarray
    """
    x = pu.as_array(x)
    return x * 0.0 + 1.0


def legfit(x, y, deg, rcond=None, full=False, w=None) -> Any:
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
    return orthogonal.fit(legvander, x, y, deg, (rcond, full, w))


class Legendre(ABCPolyBase):
    """A series of Legendre polynomials as an object: arithmetic, values, roots, fits.

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
    >>> p = cp.polynomial.Legendre(cp.array([1.0, 2.0, 3.0]))
    >>> p.degree(), p.deriv().coef.size
    (2, 2)
    """

    _add = staticmethod(legadd)
    _sub = staticmethod(legsub)
    _mul = staticmethod(legmul)
    _div = staticmethod(legdiv)
    _pow = staticmethod(legpow)
    _val = staticmethod(legval)
    _int = staticmethod(legint)
    _der = staticmethod(legder)
    _fit = staticmethod(legfit)
    _line = staticmethod(legline)
    _roots = staticmethod(legroots)
    _fromroots = staticmethod(legfromroots)
    domain = np.array([-1.0, 1.0])
    window = np.array([-1.0, 1.0])
    basis_name = "P"
