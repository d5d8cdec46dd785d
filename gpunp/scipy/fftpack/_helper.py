"""Frequencies of packed real spectra."""

import operator

from ..._core.multiarray import arange, ndarray

__all__ = ["rfftfreq"]


def rfftfreq(n, d=1.0) -> ndarray:
    """Return the sample frequencies of the result of `rfft`: 0, then each frequency twice.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : float, optional
        Spacing of the samples.

    Returns
    -------
    ndarray
        The n frequencies, in cycles per unit of the spacing.

    Examples
    --------
    >>> from gpunp.scipy import fftpack
    >>> fftpack.rfftfreq(5, 0.1)
    array([0., 2., 2., 4., 4.])
    """
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n must be at least 0, not {n}")
    return (arange(1, n + 1) // 2) / float(n * d)
