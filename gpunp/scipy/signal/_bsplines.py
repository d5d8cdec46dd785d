"""B-splines with equidistant knots: coefficients by convolution, values by one launch.

The recursive filters that give the coefficients have short responses. These are taken from SciPy,
on the host, once for each smoothness, and signals are convolved with them, reflected at their ends.
"""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, asarray, empty, ndarray
from ..._core.raw import ElementwiseKernel
from ..ndimage import convolve1d, correlate1d
from ._host import host_coefficients, scipy_signal
from ._spline_filters import symiirorder2

__all__ = [
    "cspline1d",
    "cspline1d_eval",
    "cspline2d",
    "gauss_spline",
    "qspline1d",
    "qspline1d_eval",
    "qspline2d",
    "sepfir2d",
    "spline_filter",
]

_SHORT = 64  # shorter signals reach both ends: they are multiplied with a matrix
_EVALUATE = ElementwiseKernel(
    "float64 x, raw T c, int64 n, int32 degree",
    "R y",
    """
    const double period = 2.0 * (n - 1);
    double at = fabs(x);
    if (n > 1 && at > n - 1) {
        at -= period * floor(at / period);
        at = at > n - 1 ? period - at : at;
    }
    const double half = 0.5 * (degree + 1);
    const long long first = (long long)floor(at - half) + 1;
    y = 0;
    for (int k = 0; k <= degree; k++) {
        const double d = fabs(at - (first + k));
        double w;
        const double rest = 2 - d;
        if (degree == 3) w = d < 1 ? 2.0 / 3 - 0.5 * d * d * rest : rest * rest * rest / 6;
        else w = d < 0.5 ? 0.75 - d * d : 0.5 * (d - 1.5) * (d - 1.5);
        const long long j = min(max(first + k, 0ll), (long long)n - 1);
        y += R(c[j]) * R(d < half ? w : 0);
    }
    """,
    "spline_values",
)


@functools.cache
def _response(name: str, lamb: float) -> np.ndarray:
    """The response of a coefficient filter to an impulse, as far as it is not negligible."""
    function, reach = getattr(scipy_signal(), name), 32
    while True:
        impulse = np.zeros(4 * reach + 1)
        impulse[2 * reach] = 1
        whole = function(impulse, lamb)
        if abs(whole[reach]) < 1e-17 * abs(whole).max() or reach > 1 << 16:
            return whole[reach : 3 * reach + 1]
        reach *= 2


@functools.cache
def _matrix(name: str, lamb: float, n: int) -> np.ndarray:
    """The linear map from n samples to the coefficients."""
    function = getattr(scipy_signal(), name)
    return np.stack([function(row, lamb) for row in np.eye(n)], axis=1)


def _real_or_complex(x: ndarray) -> ndarray:
    return x.astype("D" if x.dtype.kind == "c" else "d", copy=False)


@functools.cache
def _start(lamb: float) -> np.ndarray:
    """How the first coefficients of SciPy's smoothing spline differ from those of the reflected
    signal: a matrix, to be multiplied with the first samples."""
    taps = _response("cspline1d", lamb)
    reach = taps.size // 2
    start = np.eye(2 * reach, 4 * reach)
    exact = np.stack([scipy_signal().cspline1d(row, lamb)[:reach] for row in start])
    reflected = np.concatenate((start[:, :reach][:, ::-1], start[:, : 2 * reach]), axis=1)
    plain = [np.convolve(row, taps, "valid")[:reach] for row in reflected]
    return (exact - np.stack(plain)).T


def _coefficients(x: ndarray, name: str, lamb: Any, axis: int) -> ndarray:
    """The coefficients of lines along the first or the last axis."""
    lamb = float(lamb)
    taps, n = _response(name, lamb), x.shape[axis]
    if n <= max(_SHORT, taps.size):
        map_ = array(_matrix(name, lamb, n)).astype(x.dtype)
        return map_ @ x if axis == 0 else x @ map_.T
    c = correlate1d(x, taps, axis=axis, mode="reflect")
    if lamb > 0:
        start = array(_start(lamb)).astype(x.dtype)
        first, count = start.shape
        if axis == 0:
            c[:first] += start @ x[:count]
        else:
            c[..., :first] += x[..., :count] @ start.T
    return c


def _line(signal: Any) -> ndarray:
    x = as_array(signal)
    if x.ndim != 1:
        raise ValueError(f"signal must be 1-D, not of shape {x.shape}")
    if x.size == 0:
        raise IndexError("signal must not be empty")
    return _real_or_complex(x)


def cspline1d(signal, lamb=0.0) -> ndarray:
    """Compute the coefficients of a cubic spline through equidistant samples.

    Parameters
    ----------
    signal : array_like
        Samples along one axis.
    lamb : float, optional
        Weight of the smoothness; zero interpolates.

    Returns
    -------
    ndarray
        Coefficients in float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> c = signal.cspline1d(cp.sin(cp.arange(100.0)))
    >>> bool(cp.allclose(signal.cspline1d_eval(c, cp.array([3.0])), cp.sin(3.0)))
    True
    """
    return _coefficients(_line(signal), "cspline1d", lamb, 0)


@documented_as(cspline1d)
def qspline1d(signal, lamb=0.0) -> ndarray:
    """Compute the coefficients of a quadratic spline through equidistant samples.

    Parameters
    ----------
    lamb : float, optional
        Has to be zero: there are no smoothing splines of this degree.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.qspline1d(cp.ones(100))[50].round(6)
    array(1.)
    """
    if lamb != 0.0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    return _coefficients(_line(signal), "qspline1d", lamb, 0)


def _values(cj: Any, newx: Any, dx: float, x0: float, degree: int) -> ndarray:
    c = _real_or_complex(asarray(cj))
    if c.size == 0:
        raise ValueError("cj must hold at least one coefficient, not none")
    at = (asarray(newx) - x0) / float(dx)
    if at.size == 0:
        return empty(at.shape, c.dtype)
    return _EVALUATE(at.astype(float), c, c.size, degree, empty(at.shape, c.dtype))


def cspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Evaluate a cubic spline with equidistant knots.

    Parameters
    ----------
    cj : array_like
        Coefficients, as `cspline1d` or `qspline1d` returns them.
    newx : array_like
        Places at which the spline is evaluated; beyond the ends it is mirrored.
    dx : float, optional
        Distance between two knots.
    x0 : float, optional
        Place of the first knot.

    Returns
    -------
    ndarray
        Values in float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.cspline1d_eval(cp.ones(9), cp.array([0.5, 20.0]))
    array([1., 1.])
    """
    return _values(cj, newx, dx, x0, 3)


@documented_as(cspline1d_eval)
def qspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Evaluate a quadratic spline with equidistant knots.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.qspline1d_eval(cp.ones(9), cp.array([0.5, 20.0]))
    array([1., 1.])
    """
    return _values(cj, newx, dx, x0, 2)


def _plane(image: Any, integers: type = np.float64) -> ndarray:
    """A copy of an image as floats, integers in at least the type for them."""
    x = as_array(image)
    if x.ndim != 2:
        raise ValueError(f"input must be 2-D, not of shape {x.shape}")
    if x.dtype.kind in "biu":
        return x.astype(np.result_type(x.dtype, integers))
    single = x.dtype.char in "efF"
    return x.astype(("F" if single else "D") if x.dtype.kind == "c" else "f" if single else "d")


def _smoothing_pole(lamb: float) -> tuple[float, float]:
    """Absolute value and angle of the poles of a smoothing cubic spline.

    M. Unser, A. Aldroubi and M. Eden, "B-Spline Signal Processing: Part II", IEEE Transactions on
    Signal Processing 41 (1993).
    """
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    size = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb)
    r = size * math.sqrt((48 * lamb + 24 * lamb * root) / xi)
    return r, math.atan(math.sqrt((144 * lamb - 1) / xi))


def cspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Compute the coefficients of a cubic spline through an image.

    Parameters
    ----------
    signal : array_like
        Image of two dimensions.
    lamb : float, optional
        Weight of the smoothness; up to 1/144 the spline interpolates.
    precision : float, optional
        Size below which terms of a smoothing spline's sums for the mirrored ends may be left out:
        by default 1e-3 in single and 1e-6 in double precision. More terms than SciPy's are added.

    Returns
    -------
    ndarray
        Coefficients in float32, float64 or the complex type.

    Raises
    ------
    ValueError
        If the sums of a smoothing spline need more samples than there are.
    TypeError
        If a smoothing spline of a complex image is wanted.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.cspline2d(cp.ones((70, 70)))[0, 0].round(6)
    array(1.)
    """
    x = _plane(signal)
    if lamb <= 1 / 144.0:
        return _coefficients(_coefficients(x, "cspline1d", 0.0, 1), "cspline1d", 0.0, 0)
    if not 0 < precision < 1:
        precision = 1e-3 if x.dtype.char == "f" else 1e-6
    r, omega = _smoothing_pole(float(lamb))
    for _ in range(2):
        x = symiirorder2(x, r, omega, precision).T
    return x


@documented_as(cspline2d)
def qspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Compute the coefficients of a quadratic spline through an image.

    Parameters
    ----------
    lamb : float, optional
        Has to be zero: there are no smoothing splines of this degree.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.qspline2d(cp.ones((70, 70)))[0, 0].round(6)
    array(1.)
    """
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    x = _plane(signal)
    return _coefficients(_coefficients(x, "qspline1d", 0.0, 1), "qspline1d", 0.0, 0)


def sepfir2d(input, hrow, hcol) -> ndarray:
    """Convolve an image with a filter along its rows and one along its columns.

    Parameters
    ----------
    input : array_like
        Image of two dimensions; beyond its ends it is reflected.
    hrow : array_like
        Filter along the rows, with an odd number of coefficients.
    hcol : array_like
        Filter along the columns, with an odd number of coefficients.

    Returns
    -------
    ndarray
        Image in float32, float64 or the complex type; integers of up to 16 bits give float32.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.sepfir2d(cp.eye(3), [1.0], [0.0, 1.0, 0.0])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    x = _plane(input, integers=np.float32)
    rows, columns = (host_coefficients(h) for h in (hrow, hcol))
    if rows.ndim != 1 or columns.ndim != 1:
        raise ValueError("hrow and hcol must be 1-D")
    if rows.size % 2 == 0 or columns.size % 2 == 0:
        raise ValueError("hrow and hcol must be odd length")
    return convolve1d(convolve1d(x, rows, axis=1, mode="reflect"), columns, axis=0, mode="reflect")


def spline_filter(Iin, lmbda=5.0) -> ndarray:
    """Smooth an image by the values of a smoothing cubic spline at its elements.

    Parameters
    ----------
    Iin : array_like
        Image of two dimensions; beyond its ends it is mirrored.
    lmbda : float, optional
        Weight of the smoothness, as `lamb` of `cspline2d`.

    Returns
    -------
    ndarray
        Smoothed image, of the type of `Iin`.

    Raises
    ------
    TypeError
        If the image is not of a floating type of 32 or 64 bits, or a complex one is smoothed.
    ValueError
        If the image is smaller than what the mirrored ends need.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.spline_filter(cp.ones((70, 70)))[0, 0].round(6)
    array(1.)
    """
    x = as_array(Iin)
    if x.dtype.char not in "fdFD":
        raise TypeError(f"Iin must be of a floating type of 32 or 64 bits, not {x.dtype}")
    knots = np.array([1.0, 4.0, 1.0]) / 6
    return sepfir2d(cspline2d(x, lmbda), knots, knots)


def gauss_spline(x, n) -> ndarray:
    """Compute the bell curve that a B-spline comes near to.

    Parameters
    ----------
    x : array_like
        Places at which the curve is computed, in units of the knots.
    n : int
        Degree of the spline.

    Returns
    -------
    ndarray
        Values of the curve.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.gauss_spline(cp.array([0.0]), 3).round(3)
    array([0.691])
    """
    x = asarray(x)
    variance = (n + 1) / 12.0
    return um.exp(-(x * x) / 2.0 / variance) * (1 / math.sqrt(2 * math.pi * variance))
