"""Legendre functions of whole degree and order, and spherical harmonics, with derivatives."""

import numbers
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import MAX_DIMS, as_array, number_on_host, shown
from ..._core.multiarray import arange, ndarray, where
from ..._core.shape_base import stack
from . import _ufuncs as ufuncs

__all__ = [
    "assoc_legendre_p",
    "assoc_legendre_p_all",
    "legendre_p",
    "legendre_p_all",
    "sph_harm_y",
    "sph_harm_y_all",
    "sph_legendre_p",
    "sph_legendre_p_all",
]

NORMALISED, THIRD_TYPE = 1, 2  # bits of `kind` in kernels/special/legendre.cuh


def _order_of_derivative(diff_n: Any, error: type = ValueError) -> int:
    diff_n = number_on_host(diff_n)
    if not isinstance(diff_n, numbers.Integral) or isinstance(diff_n, np.timedelta64):
        raise TypeError(f"diff_n must be an integer, not {shown(diff_n)}")
    if isinstance(diff_n, bool) or diff_n < 0:  # type: ignore[operator]
        raise ValueError(f"diff_n must be a non-negative integer, received: {diff_n}.")
    if diff_n > 2:  # type: ignore[operator]  # Integral declares `<` alone
        raise error(
            f"diff_n is currently only implemented for orders 0, 1, and 2, received: {diff_n}."
        )
    return int(diff_n)


def _integers(n: Any, name: str) -> ndarray:
    n = as_array(n)
    if n.dtype.kind not in "iub":
        raise TypeError(f"{name} must be of whole numbers, not {n.dtype}")
    return n.astype("int64", copy=False)


def _numbers(z: Any, name: str, complex_too: bool = False) -> ndarray:
    z = as_array(z)
    if z.dtype.kind == "c" and complex_too:
        return z.astype("complex128", copy=False)
    if z.dtype.kind not in "iubf":
        raise TypeError(f"{name} must be of real numbers, not {z.dtype}")
    return z.astype("float64", copy=False)


def _degree(n: Any) -> int:
    if not isinstance(n, numbers.Number):
        raise TypeError("n must be a non-negative integer")
    if not isinstance(n, numbers.Integral) or n < 0:
        raise ValueError("n must be a non-negative integer")
    return int(n)


def _grid(n: int, m: int | None, *arguments: ndarray) -> tuple[ndarray, Any]:
    """Degrees and orders as axes before those of the arguments; orders as SciPy stores them."""
    ndim = max(a.ndim for a in arguments)
    if m is None:
        return arange(n + 1).reshape((n + 1, *[1] * ndim)), None
    orders = arange(2 * m + 1)
    orders = where(orders > m, orders - (2 * m + 1), orders)  # 0 ... m, -m ... -1
    return (
        arange(n + 1).reshape((n + 1, 1, *[1] * ndim)),
        orders.reshape((2 * m + 1, *[1] * ndim)),
    )


def _stacked(values: Any) -> ndarray:
    """Values and derivatives along a first axis."""
    if values[0].ndim >= MAX_DIMS:
        raise ValueError(f"arguments of {values[0].ndim} axes leave none for the derivatives")
    return stack(values, axis=0)


def _same_type(values: ndarray, *arguments: Any) -> ndarray:
    """Float32 and complex64 arguments keep their precision in the functions of all degrees."""
    if all(as_array(a).dtype.char in "efF" for a in arguments):
        return values.astype("complex64" if values.dtype.kind == "c" else "float32")
    return values


def _legendre(n: ndarray, z: ndarray, diff_n: int) -> list[ndarray]:
    if diff_n == 0:
        return [ufuncs.eval_legendre(n, z)]
    values = ufuncs._assoc_legendre_p_d(um.maximum(n, -1 - n), 0, z, 0)
    return [ufuncs.eval_legendre(n, z), *values[1 : diff_n + 1]]


def _associated(n: ndarray, m: ndarray, z: ndarray, kind: Any, diff_n: int) -> list[ndarray]:
    if diff_n == 0:
        return [ufuncs._assoc_legendre_p(n, m, z, kind)]
    return list(ufuncs._assoc_legendre_p_d(n, m, z, kind)[: diff_n + 1])


def _spherical(n: ndarray, m: ndarray, theta: ndarray, diff_n: int) -> list[ndarray]:
    if diff_n == 0:
        return [ufuncs._sph_legendre_p(n, m, theta)]
    return list(ufuncs._sph_legendre_p_d(n, m, theta)[: diff_n + 1])


def _kind(branch_cut: Any, norm: Any) -> ndarray:
    cut = _integers(branch_cut, "branch_cut")
    return where(cut == 3, THIRD_TYPE, 0) + (NORMALISED if norm else 0)


def _harmonics(n: ndarray, m: ndarray, theta: ndarray, phi: ndarray, diff_n: int) -> Any:
    """SciPy's value, or tuple of value, gradient and Hessian, whose axes are the last ones."""
    parts = _spherical(n, m, theta, diff_n)
    turn = um.exp(1j * (m * phi))
    along = 1j * m
    value = parts[0] * turn
    if diff_n == 0:
        return value
    by_theta, by_phi = parts[1] * turn, along * value
    results = [value, stack([by_theta, by_phi], axis=-1)]
    if diff_n == 2:
        mixed = along * by_theta
        rows = [stack([parts[2] * turn, mixed], axis=-1), stack([mixed, along * by_phi], axis=-1)]
        results.append(stack(rows, axis=-2))
    return tuple(results)


def legendre_p(n, z, *, diff_n=0) -> ndarray:
    """Compute Legendre polynomials and their derivatives.

    Parameters
    ----------
    n : array_like of int
        Degrees, zero or more; the polynomial of degree -n - 1 is that of degree n.
    z : array_like
        Real arguments, broadcast against `n`.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of float64 whose first axis, of length ``diff_n + 1``, is the order of the
        derivative.

    Raises
    ------
    ValueError
        Where `diff_n` is negative or no whole number.
    NotImplementedError
        Where `diff_n` is above two, as in SciPy.
    TypeError
        Where degrees are not whole numbers, or arguments are complex.

    See Also
    --------
    scipy.special.legendre_p

    Notes
    -----
    The recurrence of DLMF 18.9.1, upwards in degree.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.legendre_p(2, cp.array([0.5, 1.0]), diff_n=1)
    array([[-0.125,  1.   ],
           [ 1.5  ,  3.   ]])
    """
    diff_n = _order_of_derivative(diff_n, NotImplementedError)
    return _stacked(_legendre(_integers(n, "n"), _numbers(z, "z"), diff_n))


def legendre_p_all(n, z, *, diff_n=0) -> ndarray:
    """Compute Legendre polynomials of all degrees up to one, and their derivatives.

    Parameters
    ----------
    n : int
        Highest degree, zero or more.
    z : array_like
        Real or complex arguments.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of shape ``(diff_n + 1, n + 1, *z.shape)``. Float32 and complex64 arguments give
        results of their type.

    Raises
    ------
    ValueError
        Where `n` or `diff_n` is negative or no whole number, or `diff_n` is above two.
    TypeError
        Where `n` is no number.

    See Also
    --------
    scipy.special.legendre_p_all

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.legendre_p_all(2, 0.5)
    array([[ 1.   ,  0.5  , -0.125]])
    """
    diff_n = _order_of_derivative(diff_n)
    argument = _numbers(z, "z", complex_too=True)
    degrees, _ = _grid(_degree(n), None, argument)
    if argument.dtype.kind == "c":
        values = _associated(degrees, as_array(0), argument, 0, diff_n)
    else:
        values = _legendre(degrees, argument, diff_n)
    return _same_type(stack(values, axis=0), z)


def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """Compute associated Legendre functions of whole degree and order, and their derivatives.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders. The function is 0 where the degree is below zero or below ``abs(m)``.
    z : array_like
        Real or complex arguments, broadcast against `n` and `m`.
    branch_cut : array_like of int, optional
        2 for the function that is cut beyond -1 and 1, 3 for that cut between them, without the
        sign ``(-1)**m``. Where a real argument lies on the cut the value is NaN.
    norm : bool, optional
        Whether to multiply by ``sqrt((2n + 1) (n - m)! / (2 (n + m)!))``.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of float64 or complex128 whose first axis, of length ``diff_n + 1``, is the order of
        the derivative.

    Raises
    ------
    ValueError
        Where `diff_n` is negative or no whole number, or above two.
    TypeError
        Where degrees, orders or `branch_cut` are not whole numbers.

    See Also
    --------
    scipy.special.assoc_legendre_p

    Notes
    -----
    The recurrence of DLMF 14.10.3 without the power of ``sqrt(1 - z**2)``, which is multiplied in
    at the end (Holmes & Featherstone, 2002). At -1 and 1 derivatives are the limits from within,
    normalised where `norm` says so, while SciPy ignores `norm` there. The values of degrees beyond
    2**30 are NaN, since each degree takes a step.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.assoc_legendre_p(3, 1, cp.array([0.0, 0.5]))
    array([[ 1.5       , -0.32475953]])
    """
    diff_n = _order_of_derivative(diff_n)
    argument = _numbers(z, "z", complex_too=True)
    degrees, orders = _integers(n, "n"), _integers(m, "m")
    return _stacked(_associated(degrees, orders, argument, _kind(branch_cut, norm), diff_n))


def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """Compute associated Legendre functions of all degrees and orders up to some.

    Parameters
    ----------
    n, m : int
        Highest degree and order.
    z : array_like
        Real or complex arguments.
    branch_cut : array_like of int, optional
        2 or 3, as for `assoc_legendre_p`; broadcast against `z`.
    norm : bool, optional
        Whether to normalise, as for `assoc_legendre_p`.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of shape ``(diff_n + 1, n + 1, 2 m + 1, ...)``, where the last axes are those of `z`
        and `branch_cut`; the axis of orders holds 0 to m and then -m to -1, so that indices are
        orders. Float32 and complex64 arguments give results of their type.

    Raises
    ------
    ValueError
        Where `n`, `m` or `diff_n` is negative or no whole number, or `diff_n` is above two.
    TypeError
        Where `n` is no number.

    See Also
    --------
    scipy.special.assoc_legendre_p_all

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.assoc_legendre_p_all(1, 1, 0.5)
    array([[[ 1.       ,  0.       ,  0.       ],
            [ 0.5      , -0.8660254,  0.4330127]]])
    """
    diff_n = _order_of_derivative(diff_n)
    if not isinstance(m, numbers.Integral) or m < 0:
        raise ValueError("m must be a non-negative integer.")
    argument, kind = _numbers(z, "z", complex_too=True), _kind(branch_cut, norm)
    degrees, orders = _grid(_degree(n), int(m), argument, kind)
    return _same_type(stack(_associated(degrees, orders, argument, kind, diff_n), axis=0), z)


def sph_legendre_p(n, m, theta, *, diff_n=0) -> ndarray:
    """Compute the Legendre functions of spherical harmonics, and their derivatives by the angle.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders. The function is 0 where the degree is below zero or below ``abs(m)``.
    theta : array_like
        Angles from the pole, broadcast against `n` and `m`.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of float64 whose first axis, of length ``diff_n + 1``, is the order of the
        derivative.

    Raises
    ------
    ValueError
        Where `diff_n` is negative or no whole number, or above two.
    TypeError
        Where degrees or orders are not whole numbers, or angles are complex.

    See Also
    --------
    scipy.special.sph_legendre_p

    Notes
    -----
    It is the spherical harmonic at longitude 0. Orders in the thousands do not underflow on the way
    (Holmes & Featherstone, 2002). The values of degrees beyond 2**30 are NaN, since each degree
    takes a step.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.sph_legendre_p(1, 1, cp.array([0.5, 1.0]))
    array([[-0.16563872, -0.29072291]])
    """
    diff_n = _order_of_derivative(diff_n)
    angle = _numbers(theta, "theta")
    return _stacked(_spherical(_integers(n, "n"), _integers(m, "m"), angle, diff_n))


def sph_legendre_p_all(n, m, theta, *, diff_n=0) -> ndarray:
    """Compute the Legendre functions of spherical harmonics of all degrees and orders up to some.

    Parameters
    ----------
    n, m : int
        Highest degree and order; the sign of the order is ignored, as in SciPy.
    theta : array_like
        Angles from the pole.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray
        Array of shape ``(diff_n + 1, n + 1, 2 abs(m) + 1, *theta.shape)``; the axis of orders holds
        0 to m and then -m to -1, so that indices are orders. Float32 angles give float32.

    Raises
    ------
    ValueError
        Where `n` or `diff_n` is negative or no whole number, or `diff_n` is above two.
    TypeError
        Where `n` is no number.

    See Also
    --------
    scipy.special.sph_legendre_p_all

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.sph_legendre_p_all(1, 1, 0.5)
    array([[[ 0.28209479,  0.        ,  0.        ],
            [ 0.42878904, -0.16563872,  0.16563872]]])
    """
    diff_n = _order_of_derivative(diff_n)
    angle = _numbers(theta, "theta")
    degrees, orders = _grid(_degree(n), abs(int(m)), angle)
    return _same_type(stack(_spherical(degrees, orders, angle, diff_n), axis=0), theta)


def sph_harm_y(n, m, theta, phi, *, diff_n=0) -> Any:
    """Compute spherical harmonics, and their derivatives by the angles.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders. The function is 0 where the degree is below zero or below ``abs(m)``.
    theta : array_like
        Angles from the pole.
    phi : array_like
        Longitudes, broadcast against the others.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray or tuple of ndarray
        Values, of complex128. With derivatives a tuple: values, gradients with a last axis for
        `theta` and `phi`, and Hessians with two last axes.

    Raises
    ------
    ValueError
        Where `diff_n` is negative or no whole number, or above two.
    TypeError
        Where degrees or orders are not whole numbers, or angles are complex.

    See Also
    --------
    scipy.special.sph_harm_y

    Notes
    -----
    DLMF 14.30.1, with the sign ``(-1)**m`` of orders above zero. The values of degrees beyond
    2**30 are NaN, since each degree takes a step.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.sph_harm_y(1, 0, cp.array([0.0]), 0.5)
    array([0.48860251+0.j])
    """
    diff_n = _order_of_derivative(diff_n)
    degrees, orders = _integers(n, "n"), _integers(m, "m")
    return _harmonics(degrees, orders, _numbers(theta, "theta"), _numbers(phi, "phi"), diff_n)


def sph_harm_y_all(n, m, theta, phi, *, diff_n=0) -> Any:
    """Compute spherical harmonics of all degrees and orders up to some, and their derivatives.

    Parameters
    ----------
    n, m : int
        Highest degree and order; the sign of the order is ignored, as in SciPy.
    theta : array_like
        Angles from the pole.
    phi : array_like
        Longitudes, broadcast against the others.
    diff_n : int, optional
        Order of the highest derivative: zero, one or two.

    Returns
    -------
    ndarray or tuple of ndarray
        Values of shape ``(n + 1, 2 abs(m) + 1, ...)``, where the last axes are those of the angles;
        the axis of orders holds 0 to m and then -m to -1, so that indices are orders. With
        derivatives a tuple as of `sph_harm_y`. Float32 angles give complex64.

    Raises
    ------
    ValueError
        Where `n` or `diff_n` is negative or no whole number, or `diff_n` is above two.
    TypeError
        Where `n` is no number.

    See Also
    --------
    scipy.special.sph_harm_y_all

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.sph_harm_y_all(1, 1, 0.5, 0.7).shape
    (2, 3)
    """
    diff_n = _order_of_derivative(diff_n)
    angles = _numbers(theta, "theta"), _numbers(phi, "phi")
    degrees, orders = _grid(_degree(n), abs(int(m)), *angles)
    results = _harmonics(degrees, orders, *angles, diff_n)
    if diff_n == 0:
        return _same_type(results, theta, phi)
    return tuple(_same_type(part, theta, phi) for part in results)
