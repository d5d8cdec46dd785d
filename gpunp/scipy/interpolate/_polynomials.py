"""Polynomials and quotients of them from points, series and functions."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core._convert import array_on_host, as_host, check_host_memory, number_on_host
from ..._core.multiarray import array, empty
from ...lib._polynomial_impl import poly1d
from ._polyint import KroghInterpolator

__all__ = ["approximate_taylor_polynomial", "lagrange", "pade"]


def lagrange(x: Any, w: Any) -> poly1d:
    """Return the polynomial through points by its coefficients.

    They lose their digits for more than 20 points or so; `BarycentricInterpolator` does not.

    Parameters
    ----------
    x : array_like
        Points, all different; SciPy computes on the host, to which they are copied.
    w : array_like
        Values at the points, copied to the host too.

    Returns
    -------
    poly1d
        Polynomial with coefficients on the device.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import lagrange
    >>> lagrange([0, 1, 2], [1, 2, 5])
    poly1d([1., 0., 1.])
    """
    x, w = (as_host(array_on_host(a)) for a in (x, w))  # arrays, also of None
    if w.ndim == 0:
        raise TypeError("w must be of one axis, not a number")
    made = scipy.interpolate.lagrange(x, w)
    return poly1d(array(made.coeffs))


def pade(an: Any, m: int, n: Any = None) -> tuple[poly1d, poly1d]:
    """Return the quotient of polynomials that begins with the terms of a series.

    Parameters
    ----------
    an : array_like
        Coefficients of the series, lowest power first; SciPy computes on the host, to which they
        are copied.
    m : int
        Degree of the denominator.
    n : int, optional
        Degree of the numerator, by default the largest that the series determines.

    Returns
    -------
    p : poly1d
        Numerator.
    q : poly1d
        Denominator, 1 at zero.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import pade
    >>> p, q = pade([1.0, 1.0, 0.5], 1)
    >>> p, q
    (poly1d([0.5, 1. ]), poly1d([-0.5,  1. ]))
    """
    p, q = scipy.interpolate.pade(array_on_host(an), m, n)
    return poly1d(array(p.coeffs)), poly1d(array(q.coeffs))


def approximate_taylor_polynomial(
    f: Callable, x: Any, degree: int, scale: Any, order: Any = None
) -> poly1d:
    """Estimate the Taylor polynomial of a function from its values near a point.

    Parameters
    ----------
    f : callable
        Function of a device array of points.
    x : float
        Point about which the polynomial is wanted.
    degree : int
        Degree of the Taylor polynomial.
    scale : float
        Half the width of the interval in which the function is evaluated.
    order : int, optional
        Degree of the polynomial through the values, by default `degree`.

    Returns
    -------
    poly1d
        Polynomial in the distance from `x`: its value at 0 is that of the function there.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import approximate_taylor_polynomial
    >>> approximate_taylor_polynomial(cp.exp, 0.0, 2, 0.1, order=6)(0.0).round(9)
    array(1.)
    """
    degree, x, scale = operator.index(degree), number_on_host(x), number_on_host(scale)
    count = (degree if order is None else operator.index(order)) + 1
    # Arrays of the host and of the device that the call needs: refused before any is filled.
    check_host_memory(32 * max(count, degree))
    empty(max(count, degree, 0))
    places = scale * np.cos(np.linspace(0, np.pi, count, endpoint=False)) + x
    made = KroghInterpolator(places, f(array(places)))
    slopes = made.derivatives(x, der=degree + 1)
    with np.errstate(over="ignore"):  # beyond 170! the terms are zeros
        factorials = np.cumprod(np.maximum(np.arange(degree + 1.0), 1))
    return poly1d((slopes / array(factorials))[::-1])
