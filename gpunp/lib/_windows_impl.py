"""Window functions, and the special functions that they use."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, as_host, as_numbers, shown
from .._core._docstrings import documented_as
from .._core.multiarray import arange, ndarray, where, zeros
from .._core.numeric import ones, pi

__all__ = [
    "bartlett",
    "blackman",
    "hamming",
    "hanning",
    "i0",
    "kaiser",
    "sinc",
]


def sinc(x) -> ndarray:
    """Compute the normalized sinc function: sin(pi x) / (pi x), and 1 for x = 0.

    Parameters
    ----------
    x : array_like
        Array of real or complex numbers.

    Returns
    -------
    ndarray
        Values of a floating or complex type.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sinc(cp.array([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    x = as_numbers(x, "sinc") * pi
    if x.dtype.kind not in "fcV":
        x = x.astype(np.float64)
    # In float16 a quotient near zero needs a representable step: NumPy takes the smallest one too.
    small = (
        np.finfo(x.real.dtype if x.dtype.kind == "c" else x.dtype).eps
        if x.dtype.kind != "V"
        else 0.01
    )
    y = where(um.equal(x, 0), x.dtype.type(small), x)
    return um.sin(y) / y


_I0_SMALL = [
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
]  # fmt: skip


_I0_LARGE = [
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
]  # fmt: skip


def _chebyshev(x: ndarray, coefficients: list[float]) -> ndarray:
    """Clenshaw's recurrence for a Chebyshev series (Cephes's `chbevl`)."""
    b0: Any = coefficients[0]
    b1: Any = 0.0
    b2: Any = 0.0
    for c in coefficients[1:]:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + c
    return 0.5 * (b0 - b2)


def i0(x) -> ndarray:
    """Compute the modified Bessel function of the first kind, order 0 (Cephes's Chebyshev series).

    Parameters
    ----------
    x : array_like
        Array of real numbers.

    Returns
    -------
    ndarray
        Values, with the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is complex.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.i0(cp.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    x = um.absolute(x)
    small = um.exp(x) * _chebyshev(x / 2.0 - 2, _I0_SMALL)
    large = um.exp(x) * _chebyshev(32.0 / um.maximum(x, 8.0) - 2.0, _I0_LARGE) / um.sqrt(x)
    return where(um.less_equal(x, 8.0), small, large)


def _number(value: Any, name: str = "M") -> Any:
    """A real number on the host. An array of one element waits: the result's shape needs it."""
    dtype = value.dtype if isinstance(value, ndarray) else as_host(value).dtype
    if dtype.kind not in "biufcO":
        raise TypeError(f"{name} must be a number, not {shown(value)}")
    return value.item() if isinstance(value, ndarray) else value


def _window_points(M: Any) -> tuple[ndarray, float] | None:
    """The points 1 - M, 3 - M, ... M - 1 and M; None for windows of at most one point."""
    values = np.array([0.0, _number(M)])
    M = values[1]
    return None if M <= 1 else (arange(1 - M, M, 2, dtype=np.result_type(values.dtype, 0.0)), M)


def _short_window(M: Any) -> ndarray:
    M = _number(M)
    dtype = np.result_type(np.array([0.0, M]).dtype, 0.0)
    return zeros(0, dtype) if M < 1 else ones(1, dtype)


def blackman(M) -> ndarray:
    """Return the Blackman window with M points.

    Parameters
    ----------
    M : int
        Number of points; the window is empty if it is less than 1.

    Returns
    -------
    ndarray
        Window of type float64.
    """
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.42 + 0.5 * um.cos(pi * n / (M - 1)) + 0.08 * um.cos(2.0 * pi * n / (M - 1))


@documented_as(blackman)
def bartlett(M) -> ndarray:
    """Return the Bartlett (triangular) window with M points."""
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return where(um.less_equal(n, 0), 1 + n / (M - 1), 1 - n / (M - 1))


@documented_as(blackman)
def hanning(M) -> ndarray:
    """Return the Hann window with M points.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.hanning(3)
    array([0., 1., 0.])
    """
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.5 + 0.5 * um.cos(pi * n / (M - 1))


@documented_as(blackman)
def hamming(M) -> ndarray:
    """Return the Hamming window with M points."""
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.54 + 0.46 * um.cos(pi * n / (M - 1))


def kaiser(M, beta) -> ndarray:
    """Return the Kaiser window with M points.

    Parameters
    ----------
    M : int
        Number of points; the window is empty if it is less than 1.
    beta : float
        Shape parameter: 0 is rectangular, 5 resembles the Hamming window, 8.6 the Blackman window.

    Returns
    -------
    ndarray
        Window of type float64.
    """
    values = np.array([0.0, _number(M), _number(beta, "beta")])
    M, beta = values[1], values[2]
    if M == 1:
        return ones(1, np.result_type(values.dtype, 0.0))
    n = arange(0, M)
    alpha = (M - 1) / 2.0
    return i0(beta * um.sqrt(1 - ((n - alpha) / alpha) ** 2.0)) / i0(float(beta))
