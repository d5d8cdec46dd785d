"""Orthogonal polynomials as objects: coefficients and weights by SciPy, values on the device."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from ...lib._polynomial_impl import poly1d
from . import _ufuncs as ufuncs

__all__ = [
    "chebyc",
    "chebys",
    "chebyt",
    "chebyu",
    "gegenbauer",
    "genlaguerre",
    "hermite",
    "hermitenorm",
    "jacobi",
    "laguerre",
    "legendre",
    "sh_chebyt",
    "sh_chebyu",
    "sh_jacobi",
    "sh_legendre",
]

# Coefficients take time by the square of the degree, and have long left the range of floats there.
_LARGEST_DEGREE = 10_000


class orthopoly1d:
    """Orthogonal polynomial whose values are computed on the device.

    Parameters
    ----------
    polynomial : scipy.special.orthopoly1d
        Polynomial with roots and weights on the host.
    function : callable
        Function of gpunp arrays that gives the values.
    coefficients : numpy.ndarray
        Coefficients, the highest power first.

    Attributes
    ----------
    order : int
        Degree.
    weights : numpy.ndarray
        Roots, weights and total weights of Gauss quadrature, one row per root.
    weight_func : callable
        Weight function on the host.
    limits : tuple of float
        Ends of the interval of orthogonality.
    normcoef : float
        Norm of the polynomial.

    Notes
    -----
    Values are those of `eval_legendre` and its like, which keep their digits at high degrees where
    sums of powers lose them. Sums, products and derivatives are polynomials of NumPy
    (`numpy.poly1d`), as in SciPy.

    See Also
    --------
    scipy.special.legendre

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.legendre(2)(cp.array([0., 1.]))
    array([-0.5,  1. ])
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, polynomial: Any, function: Callable, coefficients: np.ndarray) -> None:
        self._function = function
        self._host = np.poly1d(coefficients)
        self.weights = polynomial.weights
        self.weight_func = polynomial.weight_func
        self.limits = polynomial.limits
        self.normcoef = polynomial.normcoef

    @property
    def coef(self) -> np.ndarray:
        """Coefficients, the highest power first, on the host."""
        return self._host.coeffs

    c = coefficients = coeffs = coef

    @property
    def order(self) -> int:
        """Degree."""
        return self._host.order

    o = order

    @property
    def roots(self) -> np.ndarray:
        """Roots on the host, from the coefficients; `weights` has more accurate ones."""
        return self._host.roots

    r = roots

    def __call__(self, x: Any) -> Any:
        if isinstance(x, (np.poly1d, poly1d, orthopoly1d)):
            return self._host(_host(x))
        return self._function(as_array(x))

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.coef, dtype=dtype)

    def __len__(self) -> int:
        return self.order

    def __getitem__(self, power: int) -> Any:
        return self._host[power]

    def __eq__(self, other: Any) -> Any:
        return self._host == _host(other)

    def __neg__(self) -> np.poly1d:
        return -self._host

    def __add__(self, other: Any) -> np.poly1d:
        return self._host + _host(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> np.poly1d:
        return self._host - _host(other)

    def __rsub__(self, other: Any) -> np.poly1d:
        return _host(other) - self._host

    def __mul__(self, other: Any) -> np.poly1d:
        return self._host * _host(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._host / _host(other)

    def __pow__(self, power: int) -> np.poly1d:
        return self._host**power

    def deriv(self, m: int = 1) -> np.poly1d:
        """Derivative of order `m`, a polynomial of NumPy."""
        return self._host.deriv(m)

    def integ(self, m: int = 1, k: Any = 0) -> np.poly1d:
        """Integral of order `m` with constants `k`, a polynomial of NumPy."""
        return self._host.integ(m, k)

    def __str__(self) -> str:
        return str(self._host)

    def __repr__(self) -> str:
        return repr(self._host)


def _host(value: Any) -> Any:
    if isinstance(value, poly1d):
        return np.poly1d(value.coeffs.get())
    return value._host if isinstance(value, orthopoly1d) else value


def _product(factor: Callable, n: int) -> float:
    product = 1.0
    for k in range(1, n + 1):
        product *= factor(k)
    return product


def _degree(n: Any) -> int:
    if n < 0:  # text is a TypeError here, and several numbers have no truth value
        raise ValueError("n must be nonnegative.")
    try:
        degree = operator.index(n)
    except TypeError:
        if n != int(n):
            raise ValueError("n must be a positive integer.") from None
        degree = int(n)
    if degree > _LARGEST_DEGREE:
        raise ValueError(
            f"n is {degree}: polynomials as objects have degrees up to {_LARGEST_DEGREE}"
        )
    return degree


def _make(name: str, n: int, parameters: tuple, monic: bool, lead: float) -> orthopoly1d:
    """SciPy's polynomial with values of our own; `lead` is the coefficient of ``x**n``."""
    import scipy.special

    evaluate = getattr(ufuncs, f"eval_{name}")
    make = getattr(scipy.special, name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        polynomial = make(n, *parameters, monic=monic)
        coefficients = polynomial.coeffs
        if not np.isfinite(coefficients).all():  # its leading coefficient has overflown
            coefficients = lead * make(n, *parameters, monic=True).coeffs

    def values(x: ndarray) -> ndarray:
        found = evaluate(n, *parameters, x)
        return um.divide(found, lead) if monic else found

    return orthopoly1d(polynomial, values, coefficients)


def chebyc(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the first kind on [-2, 2] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.chebyc

    Notes
    -----
    Values are by the recurrence of ``eval_chebyc`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("chebyc", n, (), monic, 1.0 if n else 2.0)


def chebys(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the second kind on [-2, 2] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.chebys

    Notes
    -----
    Values are by the recurrence of ``eval_chebys`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("chebys", n, (), monic, 1.0)


def chebyt(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the first kind of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.chebyt

    Notes
    -----
    Values are by the recurrence of ``eval_chebyt`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("chebyt", n, (), monic, 2.0 ** max(n - 1, 0))


def chebyu(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the second kind of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.chebyu

    Notes
    -----
    Values are by the recurrence of ``eval_chebyu`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("chebyu", n, (), monic, 2.0**n)


def gegenbauer(n, alpha, monic=False) -> orthopoly1d:
    """Return the Gegenbauer polynomial of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    alpha : float
        Parameters of the weight function.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative or no whole number or parameters are outside of their domain.

    See Also
    --------
    scipy.special.gegenbauer

    Notes
    -----
    Values are by the recurrence of ``eval_gegenbauer`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("gegenbauer", n, (alpha,), monic, _product(lambda k: 2 * (alpha + k - 1) / k, n))


def genlaguerre(n, alpha, monic=False) -> orthopoly1d:
    """Return the generalized Laguerre polynomial of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    alpha : float
        Parameters of the weight function.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative or no whole number or parameters are outside of their domain.

    See Also
    --------
    scipy.special.genlaguerre

    Notes
    -----
    Values are by the recurrence of ``eval_genlaguerre`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("genlaguerre", n, (alpha,), monic, _product(lambda k: -1 / k, n))


def hermite(n, monic=False) -> orthopoly1d:
    """Return the Hermite polynomial of the physicists of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.hermite

    Notes
    -----
    Values are by the recurrence of ``eval_hermite`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("hermite", n, (), monic, 2.0**n)


def hermitenorm(n, monic=False) -> orthopoly1d:
    """Return the Hermite polynomial of the probabilists of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.hermitenorm

    Notes
    -----
    Values are by the recurrence of ``eval_hermitenorm`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("hermitenorm", n, (), monic, 1.0)


def jacobi(n, alpha, beta, monic=False) -> orthopoly1d:
    """Return the Jacobi polynomial of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    alpha, beta : float
        Parameters of the weight function.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative or no whole number or parameters are outside of their domain.

    See Also
    --------
    scipy.special.jacobi

    Notes
    -----
    Values are by the recurrence of ``eval_jacobi`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make(
        "jacobi", n, (alpha, beta), monic, _product(lambda k: (n + alpha + beta + k) / (2 * k), n)
    )


def laguerre(n, monic=False) -> orthopoly1d:
    """Return the Laguerre polynomial of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.laguerre

    Notes
    -----
    Values are by the recurrence of ``eval_laguerre`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("laguerre", n, (), monic, _product(lambda k: -1 / k, n))


def legendre(n, monic=False) -> orthopoly1d:
    """Return the Legendre polynomial of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.legendre

    Notes
    -----
    Values are by the recurrence of ``eval_legendre`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("legendre", n, (), monic, _product(lambda k: (2 * k - 1) / k, n))


def sh_chebyt(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the first kind on [0, 1] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.sh_chebyt

    Notes
    -----
    Values are by the recurrence of ``eval_sh_chebyt`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("sh_chebyt", n, (), monic, 2.0 ** max(2 * n - 1, 0))


def sh_chebyu(n, monic=False) -> orthopoly1d:
    """Return the Chebyshev polynomial of the second kind on [0, 1] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.sh_chebyu

    Notes
    -----
    Values are by the recurrence of ``eval_sh_chebyu`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("sh_chebyu", n, (), monic, 4.0**n)


def sh_jacobi(n, p, q, monic=False) -> orthopoly1d:
    """Return the Jacobi polynomial on [0, 1] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    p, q : float
        Parameters of the weight function.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative or no whole number or parameters are outside of their domain.

    See Also
    --------
    scipy.special.sh_jacobi

    Notes
    -----
    Values are by the recurrence of ``eval_sh_jacobi`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("sh_jacobi", n, (p, q), monic, 1.0)


def sh_legendre(n, monic=False) -> orthopoly1d:
    """Return the Legendre polynomial on [0, 1] of a degree as an object.

    Parameters
    ----------
    n : int
        Degree, zero or more.
    monic : bool, optional
        Whether to divide by the leading coefficient.

    Returns
    -------
    orthopoly1d
        The polynomial: ``p(x)`` gives values as arrays of float64 on the device, of real arguments;
        coefficients, roots and weights are on the host.

    Raises
    ------
    ValueError
        Where `n` is negative, no whole number or beyond 10,000.

    See Also
    --------
    scipy.special.sh_legendre

    Notes
    -----
    Values are by the recurrence of ``eval_sh_legendre`` (DLMF 18.9), leading coefficients by
    table 18.3.1.
    """
    n = _degree(n)
    return _make("sh_legendre", n, (), monic, _product(lambda k: 2 * (2 * k - 1) / k, n))
