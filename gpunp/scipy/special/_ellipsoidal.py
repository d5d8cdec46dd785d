"""Ellipsoidal harmonics and the constants that normalise them."""

from typing import Any

from ..._core._convert import as_array, host_ndim
from ..._core.multiarray import ndarray
from . import _ufuncs as ufuncs

__all__ = ["ellip_harm", "ellip_harm_2", "ellip_normal"]


def _operands(*values: Any) -> list[Any]:
    """Arrays of the device; numbers stay as they are."""
    return [v if isinstance(v, ndarray) or host_ndim(v) == 0 else as_array(v) for v in values]


def _plain(sign: Any) -> bool:
    """Whether a sign is the number 1."""
    return not isinstance(sign, ndarray) and host_ndim(sign) == 0 and sign == 1


def ellip_harm(h2, k2, n, p, s, signm=1, signn=1) -> ndarray:
    """Evaluate ellipsoidal harmonics of the first kind, Lame functions.

    Parameters
    ----------
    h2 : array_like
        Squares of the smaller focal length, zero or more.
    k2 : array_like
        Squares of the larger focal length, not below `h2`.
    n : array_like
        Degrees, zero to 2000; only the whole part counts.
    p : array_like
        Orders from 1 to ``2 n + 1``; only the whole part counts.
    s : array_like
        Coordinates, which are real numbers.
    signm : {1, -1} or array_like, optional
        Sign of functions with ``sqrt(abs(s**2 - h2))``.
    signn : {1, -1} or array_like, optional
        Sign of functions with ``sqrt(abs(s**2 - k2))``.

    Returns
    -------
    ndarray
        Values, broadcast over the arguments; float32 where all arguments are, float64 otherwise.
        They are NaN outside of the ranges above.

    See Also
    --------
    scipy.special.ellip_harm
    ellip_harm_2 : Functions of the second kind.
    ellip_normal : Constants of normalisation.

    Notes
    -----
    The function divided by ``s**n`` is 1 at infinity. Every element finds the coefficients anew.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.ellip_harm(5, 8, 2, 2, cp.array([1.0, 2.5, 4.0]))
    array([-1.  ,  4.25, 14.  ])
    """
    values = ufuncs._ellipsoidal_first(*_operands(h2, k2, n, p, s))
    if _plain(signm) and _plain(signn):
        return values
    return values * ufuncs._ellipsoidal_sign(*_operands(n, p, signm, signn)).astype(values.dtype)


def ellip_harm_2(h2, k2, n, p, s) -> ndarray:
    """Evaluate ellipsoidal harmonics of the second kind.

    Parameters
    ----------
    h2 : array_like
        Squares of the smaller focal length, zero or more.
    k2 : array_like
        Squares of the larger focal length, above 0 and not below `h2`.
    n : array_like
        Degrees, zero to 2000; only the whole part counts.
    p : array_like
        Orders from 1 to ``2 n + 1``; only the whole part counts.
    s : array_like
        Coordinates with ``s**2 >= k2``.

    Returns
    -------
    ndarray
        Values of float64, broadcast over the arguments; NaN outside of the ranges above.

    See Also
    --------
    scipy.special.ellip_harm_2
    ellip_harm : Functions of the first kind.

    Notes
    -----
    It is ``(2 n + 1) * E(s)`` times the integral from 0 to ``1 / s`` of
    ``1 / (E(1 / u)**2 * sqrt((1 - u**2 * k2) * (1 - u**2 * h2)))``, by Gauss's rule.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.ellip_harm_2(5, 8, 2, 1, cp.array([10.0]))
    array([0.00108057])
    """
    return ufuncs._ellipsoidal_second(*_operands(h2, k2, n, p, s))


def ellip_normal(h2, k2, n, p) -> ndarray:
    """Compute the constants that normalise ellipsoidal harmonics.

    Parameters
    ----------
    h2 : array_like
        Squares of the smaller focal length, above zero.
    k2 : array_like
        Squares of the larger focal length, above `h2`.
    n : array_like
        Degrees, zero to 2000; only the whole part counts.
    p : array_like
        Orders from 1 to ``2 n + 1``; only the whole part counts.

    Returns
    -------
    ndarray
        Constants of float64, broadcast over the arguments; NaN outside of the ranges above.

    See Also
    --------
    scipy.special.ellip_normal
    ellip_harm : The functions themselves.

    Notes
    -----
    The double integral is a difference of products of single ones, by the midpoint rule.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.ellip_normal(5, 8, 3, cp.array([7]))
    array([1723.38796997])
    """
    return ufuncs._ellipsoidal_norm(*_operands(h2, k2, n, p))
