"""Polynomials by their coefficients, highest power first: NumPy's `poly1d` and its functions.

Coefficients are device arrays. Where trailing or leading zeros decide a length, the length is read
back, which waits for the device; the docstrings say so.
"""

import operator
from typing import Any

import numpy as np
from numpy.exceptions import RankWarning

from .._core import umath as um
from .._core._convert import as_array, as_numbers
from .._core._docstrings import documented_as
from .._core._warnings import warn
from .._core.fromnumeric import sort
from .._core.multiarray import arange, array, concatenate, ndarray, result_type, zeros
from .._core.numeric import allclose, convolve, isscalar, ones, zeros_like
from .._core.shape_base import atleast_1d
from ._function_base_impl import trim_zeros
from ._twodim_base_impl import vander

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def _linalg() -> Any:
    """gpunp.linalg, which opens cuSOLVER when first used."""
    from .. import linalg

    return linalg


#: No finite number but zero is left after as many divisions by 1, 2, 3 and so on.
_DIVISIONS = 320


def _coefficients(p: Any) -> ndarray:
    return p.coeffs if isinstance(p, poly1d) else as_numbers(p, "a polynomial")


def _like(result: ndarray, *operands: Any) -> Any:
    """Return a poly1d if one of the operands is one."""
    return poly1d(result) if any(isinstance(p, poly1d) for p in operands) else result


def poly(seq_of_zeros) -> ndarray:
    """Return the coefficients of the polynomial with given roots; the first one is 1.

    Parameters
    ----------
    seq_of_zeros : array_like
        Roots of the polynomial, or a square matrix whose eigenvalues are the roots.

    Returns
    -------
    ndarray
        Coefficients, highest power first. For a matrix those of its characteristic polynomial.

    Notes
    -----
    Complex roots are checked for conjugate pairs, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.poly(cp.array([1.0, 2.0]))
    array([ 1., -3.,  2.])
    """
    roots = atleast_1d(_coefficients(seq_of_zeros))
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] != 0:
        roots = _linalg()._decomposition.eigenvalues_of_companion(roots)
    elif roots.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    kind = roots.dtype if roots.dtype.kind in "fc" else np.dtype(np.float64)
    if roots.size == 0:
        return array(1.0)
    roots = roots.astype(kind, copy=False)
    a = ones(1, kind)
    factor = ones((roots.size, 2), kind)
    factor[:, 1] = -roots
    for i in range(roots.size):
        a = convolve(a, factor[i])
    if kind.kind == "c":
        given = sort(roots)
        if bool((given == sort(um.conjugate(roots))).all()):
            a = a.real.copy()
    return a


def roots(p) -> ndarray:
    """Return the roots of a polynomial, as eigenvalues of its companion matrix.

    Parameters
    ----------
    p : array_like
        Coefficients, highest power first; leading zeros are dropped.

    Returns
    -------
    ndarray
        The roots, in no particular order.

    Notes
    -----
    Waits for the device: zeros at the ends determine the number of roots.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sort(cp.roots(cp.array([1.0, -3.0, 2.0])).real).round(6)
    array([1., 2.])
    """
    p = atleast_1d(_coefficients(p))
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = np.flatnonzero((p != 0).get())
    if places.size == 0:
        return zeros(0)
    at_zero = p.size - int(places[-1]) - 1
    p = p[int(places[0]) : int(places[-1]) + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    n = p.size - 1
    found = zeros(0)
    if n > 0:
        companion = zeros((n, n), p.dtype)
        companion.reshape(-1)[n :: n + 1] = 1
        companion[0] = -p[1:] / p[0]
        found = _linalg()._decomposition.eigenvalues_of_companion(companion)
    return concatenate((found, zeros(at_zero, found.dtype)))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False) -> Any:
    """Fit a polynomial to points by least squares.

    Parameters
    ----------
    x : array_like
        Positions of the points, of shape (M,).
    y : array_like
        Values at the points, of shape (M,), or (M, K) for K fits at once.
    deg : int
        Degree of the fitted polynomial.
    rcond : float, optional
        Relative cutoff for small singular values. By default M times the precision of `x`.
    full : bool, optional
        If True, also return residuals, rank, singular values and rcond.
    w : array_like, optional
        Weights, one for each point, that multiply the residuals.
    cov : bool or 'unscaled', optional
        If not False, also return the covariance of the coefficients, scaled unless 'unscaled'.

    Returns
    -------
    p : ndarray
        Coefficients, highest power first, of shape (deg + 1,) or (deg + 1, K).
    residuals, rank, singular_values, rcond
        Diagnostics, if `full` is True.
    V : ndarray
        Covariance of the coefficients, if `cov` is given.

    Notes
    -----
    The rank is checked unless `full` is True, which waits for the device; RankWarning is emitted if
    it is deficient.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.arange(5.0)
    >>> cp.polyfit(x, 2 * x + 1, 1).round(6)
    array([2., 1.])
    """
    order = operator.index(deg) + 1
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = x.size * np.finfo(x.dtype).eps
    left, right = vander(x, order), y
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    scale = um.sqrt((left * left).sum(axis=0))
    left = left / scale
    linalg = _linalg()
    c, residuals, rank, singular_values = linalg.lstsq(left, right, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, singular_values, rcond
    if int(rank) != order:
        warn("Polyfit may be poorly conditioned", RankWarning)
    if not cov:
        return c
    inverse = linalg.inv(left.T @ left) / um.multiply.outer(scale, scale)
    share: Any = 1
    if not (isinstance(cov, str) and cov == "unscaled"):
        if x.size <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        share = residuals / (x.size - order)
    return (c, inverse * share) if y.ndim == 1 else (c, inverse[:, :, None] * share)


def polyval(p, x) -> Any:
    """Evaluate a polynomial at the values `x` by Horner's rule; a poly1d gives their composition.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients of the polynomial, highest power first.
    x : array_like or poly1d
        Values, or a polynomial, at which to evaluate.

    Returns
    -------
    ndarray or poly1d
        Values with the shape of `x`. One launch for each coefficient.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polyval(cp.array([3, 0, 1]), cp.array([5, 6]))
    array([ 76, 109])
    """
    p = _coefficients(p)
    if p.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if isinstance(x, poly1d):
        y: Any = poly1d(zeros(1, int))
        for i in range(len(p)):
            y = y * x + p[i]
        return y
    x = as_array(x)
    y = zeros_like(x)
    for i in range(len(p)):  # from 0, as NumPy: where x is infinite the result is NaN
        product = um.multiply(y, x, out=y if i > 0 else None)
        y = um.add(product, p[i], out=y if i > 0 else None)
    return y


def _sum(a1: Any, a2: Any, operation: Any) -> Any:
    x, y = (atleast_1d(_coefficients(a)) for a in (a1, a2))
    size = max(x.size, y.size)
    x, y = (
        a if a.size == size else concatenate((zeros(size - a.size, a.dtype), a)) for a in (x, y)
    )
    return _like(operation(x, y), a1, a2)


def polyadd(a1, a2) -> Any:
    """Add two polynomials.

    Parameters
    ----------
    a1, a2 : array_like or poly1d
        Coefficients of the polynomial, highest power first.

    Returns
    -------
    ndarray or poly1d
        Polynomial of the result; a poly1d if one of the operands is.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polyadd(cp.array([1, 2]), cp.array([9, 5, 4]))
    array([9, 6, 6])
    """
    return _sum(a1, a2, um.add)


@documented_as(polyadd)
def polysub(a1, a2) -> Any:
    """Subtract two polynomials.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polysub(cp.array([2, 10]), cp.array([1, 1]))
    array([1, 9])
    """
    return _sum(a1, a2, um.subtract)


@documented_as(polyadd)
def polymul(a1, a2) -> Any:
    """Multiply two polynomials; leading zeros are dropped, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polymul(cp.array([1, 2]), cp.array([1, 3]))
    array([1, 5, 6])
    """
    x, y = poly1d(a1), poly1d(a2)
    return _like(convolve(x.coeffs, y.coeffs), a1, a2)


def polydiv(u, v) -> Any:
    """Divide two polynomials and return quotient and remainder.

    Leading zeros of the remainder are dropped, which waits for the device.

    Parameters
    ----------
    u, v : array_like or poly1d
        Coefficients of the polynomial, highest power first.

    Returns
    -------
    quotient, remainder : ndarray or poly1d
        Coefficients of quotient and remainder, highest power first.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polydiv(cp.array([3.0, 5.0, 2.0]), cp.array([2.0, 1.0]))
    (array([1.5 , 1.75]), array([0.25]))
    """
    dividend, divisor = (atleast_1d(_coefficients(a)) for a in (u, v))
    dtype = result_type(dividend[:1] / divisor[:1])
    m, n = dividend.size - 1, divisor.size - 1
    scale = 1.0 / divisor[0]
    quotient = zeros(max(m - n + 1, 1), dtype)
    rest = dividend.astype(dtype)
    for k in range(m - n + 1):
        factor = scale * rest[k]
        quotient[k] = factor
        rest[k : k + n + 1] -= factor * divisor
    while rest.size > 1 and allclose(rest[0], 0, rtol=1e-14):
        rest = rest[1:]
    return _like(quotient, u, v), _like(rest, u, v)


def polyder(p, m=1) -> Any:
    """Return the derivative of order `m` of a polynomial.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients of the polynomial, highest power first.
    m : int, optional
        Order of the derivative, a nonnegative integer.

    Returns
    -------
    ndarray or poly1d
        Coefficients of the derivative, highest power first.

    Raises
    ------
    ValueError
        If `m` is negative.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polyder(cp.array([1, 1, 1, 1]))
    array([3, 2, 1])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    c = _coefficients(p)
    if c.ndim == 0:
        raise TypeError("a polynomial has an array of coefficients, not a number")
    for _ in range(min(m, len(c))):
        c = _derivative(c)
    if c.ndim > 1:
        _derivative(c)  # raises where NumPy does, which differentiates once more than needed
    return _like(c, p)


def _derivative(c: ndarray) -> ndarray:
    """Coefficients of the derivative, the highest power's first."""
    return c[:-1] * array(range(len(c) - 1, 0, -1), int)


def polyint(p, m=1, k=None) -> Any:
    """Return the antiderivative of order `m` of a polynomial, with integration constants `k`.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients of the polynomial, highest power first.
    m : int, optional
        Order of the antiderivative, a nonnegative integer.
    k : array_like, optional
        Integration constants, in the order of integration; one number is used for all. By default
        0.

    Returns
    -------
    ndarray or poly1d
        Coefficients of the antiderivative, highest power first.

    Raises
    ------
    ValueError
        If `m` is negative, or there are too few constants.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polyint(cp.array([6.0, 2.0]), k=5)
    array([3., 2., 5.])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = atleast_1d(zeros(m) if k is None else as_array(k))
    if k.size == 1 and m > 1:
        k = k * ones(m)
    if k.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    c = _coefficients(p)
    if c.ndim == 0:
        raise TypeError("a polynomial has an array of coefficients, not a number")
    if m == 0:
        return _like(c, p)
    # The last constants are divided least often; by n! in the end, as what is before them.
    powers = arange(c.size, 0, -1)
    result = concatenate((c / powers, k[:m]))
    powers = concatenate((powers, zeros(m, int)))
    for i in range(1, min(m, _DIVISIONS)):
        n = result.size - i
        result[:n] /= powers[:n] + i
    return _like(result, p)


class poly1d:
    """Polynomial of one variable, with arithmetic.

    `poly1d([1, 2, 3])` is x**2 + 2 x + 3. Coefficients are a device array.

    Parameters
    ----------
    c_or_r : array_like, poly1d or numpy.poly1d
        Coefficients, highest power first, or roots. Leading zeros are dropped, which waits for the
        device.
    r : bool, optional
        If True, `c_or_r` are the roots of the polynomial.
    variable : str, optional
        Name of the variable. By default 'x'.

    Differences
    -----------
    `get` gives the numpy.poly1d, `set` takes one.

    Examples
    --------
    >>> import gpunp as cp
    >>> p = cp.poly1d(cp.array([1, 2, 3]))
    >>> p
    poly1d([1, 2, 3])
    >>> p(cp.array([0, 1]))
    array([3, 6])
    >>> (p * p).deriv()
    poly1d([ 4, 12, 20, 12])
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # operators of arrays defer to this class

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, (poly1d, np.poly1d)):
            given, name = c_or_r.coeffs, c_or_r.variable
            c = array(given) if isinstance(given, np.ndarray) else given
        else:
            c, name = as_array(c_or_r), "x"
            if r:
                c = poly(c)
            c = atleast_1d(c)
            if c.ndim > 1:
                raise ValueError("Polynomial must be 1d only.")
            c = trim_zeros(c, trim="f")
            if c.size == 0:
                c = zeros(1, c.dtype)
        self._coeffs = c
        self._variable = name if variable is None else variable

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: Any) -> None:
        if value is not self._coeffs:  # `p.coeffs *= 2` assigns the same array
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def roots(self) -> ndarray:
        """The roots; see `gpunp.roots`."""
        return roots(self._coeffs)

    r = roots

    @property
    def variable(self) -> str:
        """The name of the variable."""
        return self._variable

    @property
    def order(self) -> int:
        """The highest power."""
        return self._coeffs.size - 1

    o = order

    def get(self, stream=None):
        """Return the polynomial as a numpy.poly1d.

        Parameters
        ----------
        stream : Stream, optional
            Stream in which the copy is queued; it is synchronized.

        Returns
        -------
        numpy.poly1d
            The polynomial.
        """
        return np.poly1d(self._coeffs.get(stream=stream), variable=self._variable)

    def set(self, polyin, stream=None) -> None:
        """Set the coefficients and the variable to those of a numpy.poly1d.

        Parameters
        ----------
        polyin : numpy.poly1d
            NumPy polynomial to copy from.
        stream : Stream, optional
            Stream in which the copy is queued.
        """
        if not isinstance(polyin, np.poly1d):
            raise TypeError("set() only accepts numpy.poly1d objects")
        self._variable = polyin.variable
        self._coeffs.set(polyin.coeffs, stream)

    def __cupy_get_ndarray__(self) -> ndarray:
        """The coefficients, where a library asks for a device array."""
        return self._coeffs

    def __array__(self, dtype=None, copy=None):
        """As the array of the coefficients: host copies are made explicitly, by `get`."""
        return self._coeffs.__array__(dtype, copy=copy)

    def __repr__(self) -> str:
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __str__(self) -> str:
        return str(self.get())

    def __len__(self) -> int:
        return self.order

    def __call__(self, val):
        return polyval(self._coeffs, val)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __mul__(self, other):
        if isscalar(other):
            return poly1d(self._coeffs * other)
        return polymul(self, poly1d(other))

    def __rmul__(self, other):
        return poly1d(other * self._coeffs) if isscalar(other) else polymul(poly1d(other), self)

    def __add__(self, other):
        return polyadd(self, poly1d(other))

    __radd__ = __add__

    def __sub__(self, other):
        return polysub(self, poly1d(other))

    def __rsub__(self, other):
        return polysub(poly1d(other), self)

    def __pow__(self, val, modulo=None):
        if not isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(int(val)):
            result = polymul(self, result)
        return result

    def __truediv__(self, other):
        if isscalar(other):
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        if isscalar(other):
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        if self._coeffs.shape != other._coeffs.shape:
            return False
        return (self._coeffs == other._coeffs).all()

    def __ne__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return not self.__eq__(other)

    def __getitem__(self, val):
        index = self.order - val
        if val > self.order or val < 0:
            return zeros((), self._coeffs.dtype)
        return self._coeffs[index]

    def __setitem__(self, key, val):
        index = self.order - key
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            longer = zeros(key + 1, self._coeffs.dtype)
            longer[-self._coeffs.size :] = self._coeffs
            self._coeffs, index = longer, 0
        self._coeffs[index] = val

    def __iter__(self):
        return iter(self._coeffs)

    def integ(self, m=1, k=0):
        """Return the antiderivative; see `gpunp.polyint`.

        Parameters
        ----------
        m : int, optional
            Order of the antiderivative, a nonnegative integer.
        k : scalar or list, optional
            Integration constants, in the order of integration.

        Returns
        -------
        poly1d
            The antiderivative.
        """
        return poly1d(polyint(self._coeffs, m=m, k=k))

    def deriv(self, m=1):
        """Return the derivative; see `gpunp.polyder`.

        Parameters
        ----------
        m : int, optional
            Order of the derivative, a nonnegative integer.

        Returns
        -------
        poly1d
            The derivative.
        """
        return poly1d(polyder(self._coeffs, m=m))
