"""Series of Chebyshev polynomials, lowest degree first."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array
from .._core.function_base import linspace
from .._core.multiarray import arange, ndarray
from .._core.numeric import full
from . import _orthogonal as orthogonal
from . import _series as series
from ._basis import Basis
from ._polybase import ABCPolyBase
from ._series import Recurrence
from .polyutils import mapdomain, trimcoef

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
    "chebvalnd",
    "chebvander",
    "chebvander2d",
    "chebvander3d",
    "chebweight",
    "poly2cheb",
]

_numbers = Recurrence(
    x=(0, 1),
    up=lambda k: np.where(k == 0, 1.0, 0.5),
    stay=0,
    down=0.5,
    before=lambda k: 2 * k,
    after=lambda k: np.where(k == 0, 0.5, 1.0),
    step=2,
    ratio=lambda k: np.where(k == 0, 0.5, 1.0),
    integral=np.pi,
)
_basis = Basis("cheb", __name__, "Chebyshev", _numbers)
__getattr__ = _basis.constant

chebline = _basis.line
chebfromroots = _basis.fromroots
cheb2poly = _basis.to_poly
poly2cheb = _basis.from_poly
chebadd = _basis.add
chebsub = _basis.sub
chebmulx = _basis.mulx
chebmul = _basis.mul
chebdiv = _basis.div
chebpow = _basis.pow
chebder = _basis.der
chebint = _basis.integ
chebval = _basis.val
chebval2d = _basis.val2d
chebval3d = _basis.val3d
chebvalnd = _basis.valnd
chebgrid2d = _basis.grid2d
chebgrid3d = _basis.grid3d
chebvander = _basis.vander
chebvander2d = _basis.vander2d
chebvander3d = _basis.vander3d
chebcompanion = _basis.companion
chebroots = _basis.roots
chebfit = _basis.fit
chebtrim = trimcoef


def chebweight(x) -> Any:
    """Return the weight function 1 / sqrt(1 - x**2) on [-1, 1] of the orthogonal basis.

    Parameters
    ----------
    x : array_like
        Points at which to evaluate.

    Returns
    -------
    ndarray
        Weights at `x`.

    Examples
    --------
    >>> from gpunp.polynomial.chebyshev import chebweight
    >>> chebweight(0.0)
    array(1.)
    """
    x = as_array(x)
    return 1 / (um.sqrt(1 + x) * um.sqrt(1 - x))


def chebgauss(deg) -> tuple[ndarray, ndarray]:
    """Compute points and weights of Gauss quadrature on [-1, 1] with weight 1 / sqrt(1 - x**2).

    Polynomials up to degree 2 * deg - 1 are integrated exactly.

    Parameters
    ----------
    deg : int
        Number of points, a positive integer.

    Returns
    -------
    x, w : ndarray
        Points in ascending order, and their weights.

    Examples
    --------
    >>> from gpunp.polynomial.chebyshev import chebgauss
    >>> x, w = chebgauss(3)
    >>> round(float((w * x**2).sum()), 6)  # pi / 2
    1.570796
    """
    n = series.degree(deg, "deg")
    if n <= 0:
        raise ValueError("deg must be a positive integer")
    return um.cos(np.pi * arange(1, 2 * n, 2) / (2.0 * n)), full(n, np.pi / n)


def chebpts1(npts) -> ndarray:
    """Return the Chebyshev points of the first kind: the roots of T_npts.

    Parameters
    ----------
    npts : int
        Number of points, at least 1; others raise ValueError.

    Returns
    -------
    ndarray
        Points in ascending order, of shape (npts,).

    Examples
    --------
    >>> from gpunp.polynomial.chebyshev import chebpts1
    >>> chebpts1(2).round(6)
    array([-0.707107,  0.707107])
    """
    n = orthogonal.points(npts, "npts")
    if n < 1:
        raise ValueError("npts must be >= 1")
    return um.sin(0.5 * np.pi / n * arange(-n + 1, n + 1, 2))


def chebpts2(npts) -> ndarray:
    """Return the Chebyshev points of the second kind: the extrema of T_(npts - 1).

    Parameters
    ----------
    npts : int
        Number of points, at least 2; others raise ValueError.

    Returns
    -------
    ndarray
        Points in ascending order, of shape (npts,).

    Examples
    --------
    >>> from gpunp.polynomial.chebyshev import chebpts2
    >>> chebpts2(3).round(6) + 0
    array([-1.,  0.,  1.])
    """
    n = orthogonal.points(npts, "npts")
    if n < 2:
        raise ValueError("npts must be >= 2")
    return um.cos(linspace(-np.pi, 0, n))


def chebinterpolate(func, deg, args=()) -> ndarray:
    """Interpolate a function by a Chebyshev series at the points of the first kind.

    Parameters
    ----------
    func : callable
        Function of an array of points, and of `args`.
    deg : int
        Degree of the series.
    args : tuple, optional
        Further arguments of the function.

    Returns
    -------
    ndarray
        deg + 1 coefficients.

    Examples
    --------
    >>> from gpunp.polynomial.chebyshev import chebinterpolate
    >>> chebinterpolate(lambda x: 2 * x**2, 2).round(6) + 0  # T0 + T2
    array([1., 0., 1.])
    """
    n = series.degree(deg, "deg")
    if n < 0:
        raise ValueError("expected deg >= 0")
    x = chebpts1(n + 1)
    y = func(x, *args)
    c = chebvander(x, n).T @ y
    c[0] /= n + 1
    c[1:] /= 0.5 * (n + 1)
    return c


class Chebyshev(ABCPolyBase, functions=_basis):
    basis_name = "T"

    @classmethod
    def interpolate(cls, func, deg, domain=None, args=()):
        """Interpolate a function at the Chebyshev points of the domain.

        Parameters
        ----------
        func : callable
            Function of an array of points, and of `args`.
        deg : int
            Degree of the series.
        domain : pair of numbers, optional
            Domain of the series. By default that of the class.
        args : tuple, optional
            Further arguments of the function.

        Returns
        -------
        Chebyshev
            Series of degree `deg`.

        Examples
        --------
        >>> from gpunp.polynomial import Chebyshev
        >>> float(Chebyshev.interpolate(lambda x: x**2, 2, [0, 4])(3.0).round(6))
        9.0
        """
        domain = cls.domain if domain is None else domain
        c = chebinterpolate(lambda x: func(mapdomain(x, cls.window, domain), *args), deg)
        return cls(c, domain=domain)
