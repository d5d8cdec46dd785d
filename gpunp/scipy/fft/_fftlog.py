"""The fast Hankel transform: FFTLog.

A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum", MNRAS 312 (2000),
appendix B.
"""

import cmath
import math
from typing import Any
from warnings import warn

from ..._core._convert import as_array
from ..._core.multiarray import arange, empty, ndarray
from ..._core.transforms import irfft, rfft
from ..._core.umath import exp, log

__all__ = ["fht", "fhtoffset", "ifht"]

_LN2 = math.log(2)
# Stirling's series: B(2k) / (2k (2k - 1)), k = 1, 2, ... (Abramowitz and Stegun, 6.1.40)
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_STEPS = 10  # the series is used from there on


def _loggamma(z: Any, ln: Any) -> Any:
    """A logarithm of the gamma function, up to multiples of 2 pi i; `ln` is the logarithm."""
    far = z + _STEPS
    inverse = 1 / far
    square = inverse * inverse
    series = _STIRLING[-1] * square
    for term in reversed(_STIRLING[1:-1]):
        series = (series + term) * square
    series = (series + _STIRLING[0]) * inverse
    result = (far - 0.5) * ln(far) - far + (0.5 * math.log(2 * math.pi)) + series
    for k in range(_STEPS):
        result = result - ln(z + k)
    return result


def _scaled_gamma_quotient(bias: float, a: float, b: float) -> float:
    """2**bias Gamma(a) / Gamma(b) away from the poles, by logarithms: each may leave the range."""

    def is_negative(x: float) -> bool:
        return -math.inf < x < 0 and math.floor(x) % 2 == 1

    try:
        size = math.exp(bias * _LN2 + math.lgamma(a) - math.lgamma(b))
    except OverflowError:
        size = math.inf
    return -size if is_negative(a) != is_negative(b) else size


def _first_coefficient(plus: float, minus: float, bias: float) -> float:
    """2**bias Gamma(plus) / Gamma(minus): 0 or infinite where one of the two has a pole."""

    def has_pole(x: float) -> bool:
        return -math.inf < x <= 0 and x == math.floor(x)

    if has_pole(minus) and not has_pole(plus):
        return 0.0
    if has_pole(plus) and not has_pole(minus):
        return math.inf
    if has_pole(plus):  # the quotient of two poles
        a, b = round(-plus), round(-minus)
        sign = -1 if (a - b) % 2 else 1
        return sign * _scaled_gamma_quotient(bias, b + 1, a + 1)
    if max(abs(plus), abs(minus), abs(bias)) < 100:
        return 2.0**bias * math.gamma(plus) / math.gamma(minus)
    return _scaled_gamma_quotient(bias, plus, minus)


def _coefficients(n: int, dln: float, mu: float, offset: float, bias: float) -> ndarray:
    """The factors of the spectrum of a sequence of `n` points."""
    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = arange(n // 2 + 1) * (math.pi / (n * dln))
    high, low = _loggamma(plus + 1j * y, log), _loggamma(minus + 1j * y, log)
    u = empty(n // 2 + 1, complex)
    size = exp(high.real - low.real + _LN2 * bias)
    phase = 2 * (_LN2 - offset) * y + high.imag + low.imag
    u[...] = size * exp(1j * phase)
    u[0] = _first_coefficient(plus, minus, bias)
    if n % 2 == 0:
        u.imag[-1] = 0
    return u


def _transform(a: ndarray, u: ndarray, inverse: bool) -> ndarray:
    n = a.shape[-1]
    spectrum = rfft(a)
    spectrum = spectrum / u.conj() if inverse else spectrum * u
    return irfft(spectrum, n)[..., ::-1]


def _is_singular(mu: float, bias: float, inverse: bool) -> bool:
    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    first = _first_coefficient(plus, minus, bias)
    return first == 0 if inverse else math.isinf(first)


def fht(a, dln, mu, offset=0.0, bias=0.0) -> ndarray:
    """Compute the discrete Hankel transform of a periodic sequence with logarithmic spacing.

    Parameters
    ----------
    a : array_like
        Real input array; the transform is over the last axis.
    dln : float
        Logarithm of the ratio of adjacent points.
    mu : float
        Order of the Bessel function.
    offset : float, optional
        Logarithm of the product of the central points of input and output.
    bias : float, optional
        Exponent of the power law bias.

    Returns
    -------
    ndarray
        Transform, with the shape of `a`.

    See Also
    --------
    fhtoffset : an offset that makes the transform better behaved.
    """
    a = as_array(a)
    n = a.shape[-1]
    if _is_singular(mu, bias, False):
        warn("singular transform; consider changing the bias", stacklevel=2)
    steps = (arange(n) - (n - 1) / 2) * dln
    if bias != 0:
        a = a * exp(-bias * steps)
    u = _coefficients(n, dln, mu, offset, bias)
    if _is_singular(mu, bias, False):
        u[0] = 0
    result = _transform(a, u, False)
    return result * exp(-bias * (steps + offset)) if bias != 0 else result


def ifht(A, dln, mu, offset=0.0, bias=0.0) -> ndarray:
    """Compute the inverse of `fht`.

    Parameters
    ----------
    A : array_like
        Real input array; the transform is over the last axis.
    dln, mu, offset, bias
        Parameters of the transform, as for `fht`.

    Returns
    -------
    ndarray
        Inverse transform, with the shape of `A`.
    """
    a = as_array(A)
    n = a.shape[-1]
    if _is_singular(mu, bias, True):
        warn("singular inverse transform; consider changing the bias", stacklevel=2)
    steps = (arange(n) - (n - 1) / 2) * dln
    if bias != 0:
        a = a * exp(bias * (steps + offset))
    u = _coefficients(n, dln, mu, offset, bias)
    if _is_singular(mu, bias, True):
        u[0] = math.inf
    result = _transform(a, u, True)
    return result * exp(bias * steps) if bias != 0 else result


def fhtoffset(dln, mu, initial=0.0, bias=0.0) -> float:
    """Return an offset near `initial` for which `fht` has low ringing.

    Parameters
    ----------
    dln, mu, bias
        Parameters of the transform, as for `fht`.
    initial : float, optional
        Initial value of the offset.

    Returns
    -------
    float
        Offset of the transform.

    Examples
    --------
    >>> from gpunp.scipy import fft
    >>> round(fft.fhtoffset(0.01, 0.5), 9)
    0.002400494
    """
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = math.pi / (2 * dln)
    high = _loggamma(complex(above, y), cmath.log)
    low = _loggamma(complex(below, y), cmath.log)
    turns = (_LN2 - initial) / dln + (high.imag + low.imag) / math.pi
    return initial + (turns - round(turns)) * dln
