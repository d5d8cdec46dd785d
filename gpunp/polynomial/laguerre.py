"""Series of Laguerre polynomials, lowest degree first."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core.multiarray import arange, array, empty, ndarray, zeros
from . import _orthogonal as orthogonal
from . import polyutils as pu
from ._orthogonal import Recurrence
from ._polybase import ABCPolyBase

__all__ = [
    "Laguerre",
    "lag2poly",
    "lagadd",
    "lagcompanion",
    "lagder",
    "lagdiv",
    "lagfit",
    "lagfromroots",
    "laggauss",
    "laggrid2d",
    "laggrid3d",
    "lagint",
    "lagline",
    "lagmul",
    "lagmulx",
    "lagpow",
    "lagroots",
    "lagsub",
    "lagtrim",
    "lagval",
    "lagval2d",
    "lagval3d",
    "lagvander",
    "lagvander2d",
    "lagvander3d",
    "lagweight",
    "poly2lag",
]

lagtrim = pu.trimcoef


def lagline(off, scl) -> ndarray:
    """The series of the line off + scl * x."""
    return array([off + scl, -scl]) if scl != 0 else array([off])


def lagadd(c1, c2) -> ndarray:
    """Sum of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.add)


def lagsub(c1, c2) -> ndarray:
    """Difference of two series; trailing zeros are dropped, which waits for the device."""
    return pu.combine(c1, c2, um.subtract)


def _times_x(c: ndarray) -> ndarray:
    """A series times x, by the recurrence of the basis."""
    out = empty(c.size + 1, c.dtype)
    out[0] = c[0]
    out[1] = -c[0]
    i = arange(1, c.size)
    out[2:] = -c[1:] * (i + 1)
    out[1:-1] += c[1:] * (2 * i + 1)
    out[:-2] -= c[1:] * i
    return out


def _step(n: int, c: Any, c0: Any, c1: Any, a: pu.Algebra) -> tuple[Any, Any]:
    """Clenshaw's recurrence from degree n + 1 to n."""
    above = a.sub(c1 * (2 * n - 1), a.x(c1)) / n
    return a.sub(c, c1 * ((n - 1) / n)), a.add(c0, above)


def _last(c0: Any, c1: Any, a: pu.Algebra) -> Any:
    return a.add(c0, a.sub(c1, a.x(c1)))


def lagmulx(c) -> ndarray:
    """A series times x."""
    (c,) = pu.as_series([c])
    return c if c.size == 1 and bool(c[0] == 0) else _times_x(c)


def lagmul(c1, c2) -> ndarray:
    """Product of two series; trailing zeros are dropped, which waits for the device."""
    return pu.multiply_series(c1, c2, _step, _last, _times_x)


def lagdiv(c1, c2) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of a division of series. Waits for the device."""
    return pu.divide_series(c1, c2, lagmul)


def lagpow(c, pow, maxpower=16) -> ndarray:
    """A series raised to a whole power."""
    return pu.raise_series(c, pow, maxpower, lagmul)


def lagfromroots(roots) -> ndarray:
    """The series of the polynomial with the given roots and the highest power's coefficient 1."""
    return pu.series_from_roots(roots, (1, -1), lagmul)


def lag2poly(c) -> ndarray:
    """A series as a power series."""
    return pu.to_powers(c, _step, _last)


def poly2lag(pol) -> ndarray:
    """A power series as a series of Laguerre polynomials."""
    return pu.from_powers(pol, _times_x)


def _derivative(c: ndarray) -> ndarray:
    n = c.shape[0] - 1
    out = empty((n, *c.shape[1:]), c.dtype)
    for j in range(n, 1, -1):
        out[j - 1] = -c[j]
        c[j - 1] += c[j]
    out[0] = -c[1]
    return out


def lagder(c, m=1, scl=1, axis=0) -> ndarray:
    """Derivative of a series, `m` times, each multiplied by `scl`."""
    return pu.derive_series(c, m, scl, axis, _derivative)


def _integral(c: ndarray) -> ndarray:
    n = c.shape[0]
    out = zeros((n + 1, *c.shape[1:]), c.dtype)
    out[0] = c[0]
    out[1] = -c[0]
    for j in range(1, n):
        out[j] += c[j]
        out[j + 1] = -c[j]
    return out


def lagint(c, m=1, k=[], lbnd=0, scl=1, axis=0) -> ndarray:  # noqa: B006
    """Antiderivative of a series, `m` times, with the values `k` at `lbnd`."""
    return pu.integrate_series(c, pu.Integration(m, k, lbnd, scl, axis), _integral, lagval)


def lagval(x, c, tensor=True) -> Any:
    """A series at x, by Clenshaw's recurrence (C. W. Clenshaw, Math. Comp. 9, 1955).

    With `tensor` every coefficient along c's other axes is evaluated at every x.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.laguerre.lagval(cp.array([0.0, 1.0]), cp.array([1.0, 2.0, 3.0]))
    array([ 6. , -0.5])
    """
    x, c = pu.for_values(x, c, tensor)
    if c.shape[0] == 1:
        return c[0] + 0 * x
    c0, c1 = c[-2], c[-1]
    n = c.shape[0]
    for i in range(3, c.shape[0] + 1):
        n -= 1
        c0, c1 = c[-i] - (c1 * (n - 1)) / n, c0 + (c1 * ((2 * n - 1) - x)) / n
    return c0 + c1 * (1 - x)


def lagval2d(x, y, c) -> Any:
    """A series in two variables at points (x, y)."""
    return pu.values_nd(lagval, c, x, y)


def lagval3d(x, y, z, c) -> Any:
    """A series in three variables at points (x, y, z)."""
    return pu.values_nd(lagval, c, x, y, z)


def laggrid2d(x, y, c) -> Any:
    """A series in two variables on the grid of x and y."""
    return pu.grid_nd(lagval, c, x, y)


def laggrid3d(x, y, z, c) -> Any:
    """A series in three variables on the grid of x, y and z."""
    return pu.grid_nd(lagval, c, x, y, z)


def lagvander(x, deg) -> ndarray:
    """The polynomials L0 to Ldeg at x, along a new last axis."""
    return pu.basis_matrix(
        x,
        deg,
        lambda x: 1 - x,
        lambda i, x, before, earlier: (before * (2 * i - 1 - x) - earlier * (i - 1)) / i,
    )


def lagvander2d(x, y, deg) -> ndarray:
    """Products of polynomials in x and y, of degrees up to deg[0] and deg[1]."""
    return pu.basis_matrix_nd(lagvander, (x, y), deg)


def lagvander3d(x, y, z, deg) -> ndarray:
    """Products of polynomials in x, y and z, of degrees up to those of deg."""
    return pu.basis_matrix_nd(lagvander, (x, y, z), deg)


# ---- what needs linear algebra -----------------------------------------------------------------

_BASIS = Recurrence(
    up=lambda k: -(k + 1),
    stay=lambda k: 2 * k + 1,
    down=lambda k: -k,
    ratio=lambda k: k * 0 + 1,
    integral=1.0,
)
__getattr__ = orthogonal.constants((1, -1), (0, 1), "lag")


def lagcompanion(c) -> ndarray:
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


def lagroots(c) -> ndarray:
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
    return orthogonal.roots(c, lagcompanion, lambda c: 1 + c[:1] / c[1])


def laggauss(deg) -> tuple[ndarray, ndarray]:
    """Points and weights of Gauss quadrature from 0 to infinity with the weight exp(-x).

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


def lagweight(x) -> Any:
    """The weight exp(-x), under which the polynomials are orthogonal.

    Parameters
    ----------
    x : ndarray
        Where.

    Returns
    -------
    ndarray
    """
    x = pu.as_array(x)
    return um.exp(-x)


def lagfit(x, y, deg, rcond=None, full=False, w=None) -> Any:
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
    return orthogonal.fit(lagvander, x, y, deg, (rcond, full, w))


class Laguerre(ABCPolyBase):
    """A series of Laguerre polynomials as an object: arithmetic, values, roots, fits.

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
    >>> p = cp.polynomial.Laguerre(cp.array([1.0, 2.0, 3.0]))
    >>> p.degree(), p.deriv().coef.size
    (2, 2)
    """

    _add = staticmethod(lagadd)
    _sub = staticmethod(lagsub)
    _mul = staticmethod(lagmul)
    _div = staticmethod(lagdiv)
    _pow = staticmethod(lagpow)
    _val = staticmethod(lagval)
    _int = staticmethod(lagint)
    _der = staticmethod(lagder)
    _fit = staticmethod(lagfit)
    _line = staticmethod(lagline)
    _roots = staticmethod(lagroots)
    _fromroots = staticmethod(lagfromroots)
    domain = np.array([0.0, 1.0])
    window = np.array([0.0, 1.0])
    basis_name = "L"
