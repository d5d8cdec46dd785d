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
