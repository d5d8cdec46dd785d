"""Names that SciPy has removed and CuPy keeps."""

from ..._core.multiarray import ndarray
from . import _ufuncs as ufuncs

__all__ = ["btdtr", "btdtri"]


def btdtr(a, b, x, out=None) -> ndarray:
    """Compute the distribution function of the beta distribution, which is `betainc`.

    Parameters
    ----------
    a, b : ndarray or float
        Shapes of the distribution, positive.
    x : ndarray or float
        Arguments between zero and one.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        Probabilities, or `out`.
    """
    return ufuncs.betainc(a, b, x, out=out)


def btdtri(a, b, p, out=None) -> ndarray:
    """Compute quantiles of the beta distribution, which is `betaincinv`.

    Parameters
    ----------
    a, b : ndarray or float
        Shapes of the distribution, positive.
    p : ndarray or float
        Probabilities between zero and one.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        Quantiles, or `out`.
    """
    return ufuncs.betaincinv(a, b, p, out=out)
