"""NumPy's assertions, for arrays of the device and of the host."""

from typing import Any

import numpy as np

from .._core._docstrings import documented_as

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
]


def _host(x: Any) -> Any:
    return x.get() if hasattr(x, "get") and hasattr(x, "dtype") else x


def assert_allclose(
    actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays are equal within a tolerance.

    Parameters
    ----------
    actual : array_like
        What there is.
    desired : array_like
        What there shall be.
    rtol : float, optional
        Relative to `desired`.
    atol : float, optional
        Absolute.
    equal_nan : bool, optional
        NaN equals NaN.
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Show the values that differ.
    strict : bool, optional
        Shapes and dtypes must be equal too: nothing is broadcast.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.assert_allclose(cp.ones(2), [1.0, 1.0 + 1e-9])
    """
    np.testing.assert_allclose(
        _host(actual), _host(desired), rtol, atol, equal_nan, err_msg, verbose, strict=strict
    )


@documented_as(assert_allclose)
def assert_array_equal(
    actual, desired, err_msg="", verbose=True, *, strict=False, strides_check=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays are equal (and, if asked, have equal strides).

    Parameters
    ----------
    strides_check : bool, optional
        Compare strides too.
    """
    np.testing.assert_array_equal(_host(actual), _host(desired), err_msg, verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(f"strides {actual.strides} and {desired.strides} differ\n{err_msg}")


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two arrays are equal to so many decimals.

    Parameters
    ----------
    actual : array_like
        What there is.
    desired : array_like
        What there shall be.
    decimal : int, optional
        Decimals.
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Show the values that differ.
    """
    np.testing.assert_array_almost_equal(_host(actual), _host(desired), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x, y, nulp=1) -> None:
    """Raise AssertionError unless two arrays are at most `nulp` units in the last place apart.

    Parameters
    ----------
    x : array_like
        What there is.
    y : array_like
        What there shall be.
    nulp : int, optional
        Units in the last place.
    """
    np.testing.assert_array_almost_equal_nulp(_host(x), _host(y), nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Return the distances in units in the last place, or raise when one is above `maxulp`.

    Parameters
    ----------
    a : array_like
        What there is.
    b : array_like
        What there shall be.
    maxulp : int, optional
        Units in the last place.
    dtype : dtype, optional
        Of the comparison.

    Returns
    -------
    numpy.ndarray
        The distances.
    """
    return np.testing.assert_array_max_ulp(_host(a), _host(b), maxulp, dtype)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False) -> None:
    """Raise AssertionError unless every element of `x` is less than that of `y`.

    Parameters
    ----------
    x : array_like
        The smaller one.
    y : array_like
        The larger one.
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Show the values that differ.
    strict : bool, optional
        Shapes and dtypes must be equal too: nothing is broadcast.
    """
    np.testing.assert_array_less(_host(x), _host(y), err_msg, verbose, strict=strict)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two lists hold equal arrays.

    Parameters
    ----------
    xlist : list of array_like
        What there is.
    ylist : list of array_like
        What there shall be.
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Show the values that differ.
    """
    if type(xlist) is not type(ylist) or len(xlist) != len(ylist):
        raise AssertionError(f"lists of different types or lengths\n{err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)
