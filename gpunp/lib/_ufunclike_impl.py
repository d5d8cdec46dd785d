"""Functions that behave much like ufuncs."""

from .._core import umath as um
from .._core._convert import as_array
from .._core._docstrings import documented_as
from .._core.multiarray import ndarray

__all__ = ["fix", "isneginf", "isposinf", "rsqrt"]


def fix(x, out=None) -> ndarray:
    """Round towards zero; integers and booleans are returned unchanged.

    Parameters
    ----------
    x : array_like
        Array of real numbers.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.

    Returns
    -------
    ndarray
        Rounded values, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fix(cp.array([2.7, -2.7]))
    array([ 2., -2.])
    """
    return um.trunc(as_array(x), out)


def isposinf(x, out=None) -> ndarray:
    """Test, element-wise, for positive infinity; the input is real.

    Parameters
    ----------
    x : array_like
        Array of real numbers.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.

    Returns
    -------
    ndarray
        Array of bool, or of the dtype of `out`.

    Raises
    ------
    TypeError
        If `x` is complex.
    """
    return _infinite(x, out, um.logical_not)


@documented_as(isposinf)
def isneginf(x, out=None) -> ndarray:
    """Test, element-wise, for negative infinity; the input is real."""
    return _infinite(x, out, None)


def _infinite(x, out, flip) -> ndarray:
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {x.dtype} values because it would be ambiguous."
        )
    sign = um.signbit(x)
    return um.logical_and(um.isinf(x), flip(sign, out=sign) if flip else sign, out)


def rsqrt(x, /, out=None, **options) -> ndarray:
    """Compute the reciprocal of the square root, element-wise.

    Parameters
    ----------
    x : array_like
        Input array of any shape.
    out : ndarray, optional
        Array into which the result is written.
    **options
        Other keyword arguments of ufuncs: `where`, `dtype`, `casting`, `order`.

    Returns
    -------
    ndarray
        1 / sqrt(x): infinity for 0, NaN for negative numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.rsqrt(cp.array([1.0, 4.0]))
    array([1. , 0.5])
    """
    roots = um.sqrt(x, out, **options)
    where = {"where": options["where"]} if "where" in options else {}
    return um.reciprocal(roots, out=roots, **where)
