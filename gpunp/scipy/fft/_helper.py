"""Lengths that transform fast, and sample frequencies."""

import operator
from typing import Any

from ..._core._convert import shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray
from ..._core.transforms import fft_length
from ...fft import _helper
from ...fft._helper import fftshift, ifftshift

__all__ = [
    "fftfreq",
    "fftshift",
    "ifftshift",
    "next_fast_len",
    "prev_fast_len",
    "rfftfreq",
]


def _check_namespace(xp: Any) -> None:
    """Results are device arrays, so that only a namespace that has them may be named."""
    if xp is not None and getattr(xp, "ndarray", None) is not ndarray:
        raise ValueError(f"xp must be gpunp or None, not {shown(xp)}")


@documented_as(_helper.fftfreq)
def fftfreq(n, d=1.0, *, xp=None, device=None) -> ndarray:
    """Return the sample frequencies of the result of `fft`, in cycles per unit of the spacing.

    Parameters
    ----------
    xp : module, optional
        Accepted for compatibility: gpunp, whose arrays results are.

    Examples
    --------
    >>> from gpunp.scipy import fft
    >>> fft.fftfreq(5, 0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    _check_namespace(xp)
    return _helper.fftfreq(n, d, device)


@documented_as(_helper.rfftfreq)
def rfftfreq(n, d=1.0, *, xp=None, device=None) -> ndarray:
    """Return the sample frequencies of the result of `rfft`: n // 2 + 1 nonnegative numbers.

    Parameters
    ----------
    xp : module, optional
        Accepted for compatibility: gpunp, whose arrays results are.

    Examples
    --------
    >>> from gpunp.scipy import fft
    >>> fft.rfftfreq(5, 0.1)
    array([0., 2., 4.])
    """
    _check_namespace(xp)
    return _helper.rfftfreq(n, d, device)


def next_fast_len(target, real=False) -> int:
    """Return the next length that cuFFT transforms fast: one without prime factors above 7.

    Parameters
    ----------
    target : int
        Least length to consider.
    real : bool, optional
        Accepted for compatibility; fast lengths do not depend on it. SciPy's answers may differ.

    Returns
    -------
    int
        Length of at least `target`.

    Examples
    --------
    >>> from gpunp.scipy import fft
    >>> fft.next_fast_len(10007)
    10080
    """
    n = operator.index(target)
    if n < 0:
        raise ValueError("Target length must be positive")
    return fft_length(n) if n > 0 else 0


def prev_fast_len(target, real=False) -> int:
    """Return the largest length up to `target` that cuFFT transforms fast.

    Parameters
    ----------
    target : int
        Largest length to consider.
    real : bool, optional
        Accepted for compatibility and ignored.

    Returns
    -------
    int
        Length of at most `target`.

    Examples
    --------
    >>> from gpunp.scipy import fft
    >>> fft.prev_fast_len(10007)
    10000
    """
    n = operator.index(target)
    if n < 1:
        raise ValueError("Target length must be positive")
    while fft_length(n) != n:
        n -= 1
    return n
