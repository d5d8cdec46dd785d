"""Spherical Bessel functions of whole order."""

from typing import Any

from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from . import _ufuncs as ufuncs

__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]


def _evaluate(function: Any, n: Any, z: Any, keeps_single: bool = False) -> ndarray:
    """Values of SciPy's types; orders that are not whole are cut off, as SciPy does."""
    z = as_array(z)
    if keeps_single and z.dtype.itemsize <= 4 and z.dtype.kind in "fV":  # V: bfloat16
        z = z.astype("float32", copy=False)
    elif z.dtype.kind != "c":
        z = z.astype("float64", copy=False)
    return function(as_array(n).astype("int64", copy=False), z)


def spherical_in(n, z, derivative=False) -> ndarray:
    """Compute the modified spherical Bessel function of the first kind, or its derivative.

    Parameters
    ----------
    n : array_like of int
        Orders, zero or more; others give NaN, and what follows the point is cut off.
    z : array_like
        Real or complex arguments, broadcast against `n`.
    derivative : bool, optional
        Whether to give the derivative with respect to `z`.

    Returns
    -------
    ndarray
        Values of the function or of its derivative, of float64 or of the complex type of `z`.

    See Also
    --------
    scipy.special.spherical_in

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.spherical_in(1, cp.array([1., 2.]))
    array([0.36787944, 0.97438274])
    """
    return _evaluate(ufuncs._spherical_in_d if derivative else ufuncs._spherical_in, n, z)


def spherical_jn(n, z, derivative=False) -> ndarray:
    """Compute the spherical Bessel function of the first kind, or its derivative.

    Parameters
    ----------
    n : array_like of int
        Orders, zero or more; others give NaN, and what follows the point is cut off.
    z : array_like
        Real or complex arguments, broadcast against `n`.
    derivative : bool, optional
        Whether to give the derivative with respect to `z`.

    Returns
    -------
    ndarray
        Values of the function or of its derivative, of float64 or of the complex type of `z`.

    See Also
    --------
    scipy.special.spherical_jn

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.spherical_jn(1, cp.array([1., 2.]))
    array([0.30116868, 0.43539777])
    """
    return _evaluate(ufuncs._spherical_jn_d if derivative else ufuncs._spherical_jn, n, z)


def spherical_kn(n, z, derivative=False) -> ndarray:
    """Compute the modified spherical Bessel function of the second kind, or its derivative.

    Parameters
    ----------
    n : array_like of int
        Orders, zero or more; others give NaN, and what follows the point is cut off.
    z : array_like
        Real or complex arguments, broadcast against `n`.
    derivative : bool, optional
        Whether to give the derivative with respect to `z`.

    Returns
    -------
    ndarray
        Values of the function or of its derivative, of the type of `z`; of float64 for integers.

    See Also
    --------
    scipy.special.spherical_kn

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.spherical_kn(1, cp.array([1., 2.]))
    array([1.15572735, 0.15943812])
    """
    return _evaluate(ufuncs._spherical_kn_d if derivative else ufuncs._spherical_kn, n, z, True)


def spherical_yn(n, z, derivative=False) -> ndarray:
    """Compute the spherical Bessel function of the second kind, or its derivative.

    Parameters
    ----------
    n : array_like of int
        Orders, zero or more; others give NaN, and what follows the point is cut off.
    z : array_like
        Real or complex arguments, broadcast against `n`.
    derivative : bool, optional
        Whether to give the derivative with respect to `z`.

    Returns
    -------
    ndarray
        Values of the function or of its derivative, of float64 or of the complex type of `z`.

    See Also
    --------
    scipy.special.spherical_yn

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.spherical_yn(1, cp.array([1., 2.]))
    array([-1.38177329, -0.350612  ])
    """
    return _evaluate(ufuncs._spherical_yn_d if derivative else ufuncs._spherical_yn, n, z)
