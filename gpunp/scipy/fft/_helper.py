"""Lengths that transform fast."""

import operator

from ..._core.transforms import fft_length
from ...fft._helper import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fftfreq",
    "fftshift",
    "ifftshift",
    "next_fast_len",
    "prev_fast_len",
    "rfftfreq",
]


def next_fast_len(target, real=False) -> int:
    """Return the next length that cuFFT transforms fast: one with no prime factor above 7.

    Parameters
    ----------
    target : int
        Where to begin.
    real : bool, optional
        Ignored: what is fast does not depend on it. SciPy's answers may differ.

    Returns
    -------
    int

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
    """Return the length before `target`, or itself, that cuFFT transforms fast.

    Parameters
    ----------
    target : int
        Where to begin.
    real : bool, optional
        Ignored.

    Returns
    -------
    int

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
