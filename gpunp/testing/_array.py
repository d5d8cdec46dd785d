"""NumPy's assertions, for arrays of the device and of the host."""

from typing import Any

import numpy as np
from numpy.testing import assert_, assert_no_warnings, assert_raises, assert_raises_regex

from .._core._docstrings import documented_as

__all__ = [
    "assert_",
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "assert_equal",
    "assert_no_warnings",
    "assert_raises",
    "assert_raises_regex",
]


def _host(x: Any) -> Any:
    return x.get() if hasattr(x, "get") and hasattr(x, "dtype") else x


def _all_on_host(x: Any) -> Any:
    """Also of arrays in lists, tuples and the values of dictionaries."""
    if isinstance(x, dict):
        return {key: _all_on_host(value) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(map(_all_on_host, x))
    return _host(x)


def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False) -> None:
    """Raise AssertionError unless two objects are equal; NaNs compare equal.

    Parameters
    ----------
    actual : array_like
        Actual value: an array, a number, or a list, tuple or dict that contains them.
    desired : array_like
        Desired value, of the same structure.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    strict : bool, optional
        If True, shapes and dtypes have to be equal as well, and scalars are not broadcast.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.assert_equal({"x": cp.ones(2)}, {"x": [1, 1]})
    """
    actual, desired = _all_on_host(actual), _all_on_host(desired)
    np.testing.assert_equal(actual, desired, err_msg, verbose, strict=strict)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two numbers or arrays are equal to a number of decimals.

    Parameters
    ----------
    actual : array_like
        Actual value.
    desired : array_like
        Desired value.
    decimal : int, optional
        Number of decimals to compare.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    """
    np.testing.assert_almost_equal(_host(actual), _host(desired), decimal, err_msg, verbose)


def assert_approx_equal(actual, desired, significant=7, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two numbers are equal to a number of significant digits.

    Parameters
    ----------
    actual : scalar
        Actual value.
    desired : scalar
        Desired value.
    significant : int, optional
        Number of digits to compare.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    """
    np.testing.assert_approx_equal(_host(actual), _host(desired), significant, err_msg, verbose)


def assert_allclose(
    actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays are equal within a tolerance.

    Parameters
    ----------
    actual : array_like
        Array of actual values.
    desired : array_like
        Array of desired values.
    rtol : float, optional
        Tolerance relative to `desired`.
    atol : float, optional
        Absolute tolerance, added to the relative one.
    equal_nan : bool, optional
        If True, NaNs in the same position compare equal.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    strict : bool, optional
        If True, shapes and dtypes have to be equal as well, and scalars are not broadcast.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.assert_allclose(cp.ones(2), [1.0, 1.0 + 1e-9])
    """
    arguments = map(_host, (actual, desired, rtol, atol))
    np.testing.assert_allclose(  # type: ignore[call-overload]  # four arguments, then others
        *arguments, equal_nan, err_msg, verbose, strict=strict
    )


@documented_as(assert_allclose)
def assert_array_equal(
    actual, desired, err_msg="", verbose=True, *, strict=False, strides_check=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays (and, optionally, their strides) are equal.

    Parameters
    ----------
    strides_check : bool, optional
        If True, the strides have to be equal as well.
    """
    np.testing.assert_array_equal(_host(actual), _host(desired), err_msg, verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(f"strides {actual.strides} and {desired.strides} differ\n{err_msg}")


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two arrays are equal to a number of decimals.

    Parameters
    ----------
    actual : array_like
        Array of actual values.
    desired : array_like
        Array of desired values.
    decimal : int, optional
        Number of decimals to compare.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    """
    np.testing.assert_array_almost_equal(_host(actual), _host(desired), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x, y, nulp=1) -> None:
    """Raise AssertionError unless two arrays are at most `nulp` units in the last place apart.

    Parameters
    ----------
    x : array_like
        Array of actual values.
    y : array_like
        Array of desired values.
    nulp : int, optional
        Largest allowed number of units in the last place.
    """
    np.testing.assert_array_almost_equal_nulp(_host(x), _host(y), nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Return the distances in units in the last place, which must not exceed `maxulp`.

    Parameters
    ----------
    a : array_like
        Array of actual values.
    b : array_like
        Array of desired values.
    maxulp : int, optional
        Largest allowed number of units in the last place.
    dtype : dtype, optional
        Type in which to compare.

    Returns
    -------
    numpy.ndarray
        Distances in units in the last place.
    """
    return np.testing.assert_array_max_ulp(_host(a), _host(b), maxulp, dtype)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False) -> None:
    """Raise AssertionError unless every element of `x` is less than that of `y`.

    Parameters
    ----------
    x : array_like
        Array with the smaller elements.
    y : array_like
        Array with the larger elements.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    strict : bool, optional
        If True, shapes and dtypes have to be equal as well, and scalars are not broadcast.
    """
    np.testing.assert_array_less(_host(x), _host(y), err_msg, verbose, strict=strict)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two lists contain equal arrays.

    Parameters
    ----------
    xlist : list of array_like
        List of actual arrays.
    ylist : list of array_like
        List of desired arrays.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    """
    if type(xlist) is not type(ylist) or len(xlist) != len(ylist):
        raise AssertionError(f"lists of different types or lengths\n{err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)
