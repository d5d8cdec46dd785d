"""Decorators of tests: run with NumPy and with gpunp, and once for each dtype or order.

    class TestSin:
        @testing.for_float_dtypes()
        @testing.numpy_cupy_allclose(rtol=1e-5)
        def test_sin(self, xp, dtype):
            return xp.sin(testing.shaped_arange((2, 3), xp, dtype))

The names say "cupy", as in the test suites these decorators come from; the module is gpunp.
"""

import functools
import inspect
import itertools
import os
import traceback
import unittest
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._core._docstrings import documented_as
from . import _array

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_all_dtypes_combination",
    "for_complex_dtypes",
    "for_contiguous_axes",
    "for_dtypes",
    "for_dtypes_combination",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_int_dtypes_combination",
    "for_orders",
    "for_signed_dtypes",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes",
    "for_unsigned_dtypes_combination",
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
    "numpy_cupy_equal",
    "numpy_cupy_raises",
]

Test = Callable[..., Any]
Decorator = Callable[[Test], Test]


def _skips() -> tuple[type[BaseException], ...]:
    """Exceptions by which unittest and pytest skip a test."""
    try:
        import pytest
    except ImportError:
        return (unittest.SkipTest,)
    return (unittest.SkipTest, pytest.skip.Exception)


def _wraps(test: Test, *names: str | None) -> Decorator:
    """functools.wraps for a wrapper that gives the arguments `names` itself: pytest must not look
    for fixtures of these names."""

    def decorator(wrapper: Test) -> Test:
        wrapper = functools.wraps(test)(wrapper)
        signature = inspect.signature(test)
        rest = [p for p in signature.parameters.values() if p.name not in names]
        wrapper.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return wrapper

    return decorator


# ---- with NumPy and with gpunp -----------------------------------------------------------------


class _Modules:
    """The argument names of a test that stand for modules, and the modules of each side."""

    def __init__(self, name: Any, sp_name: Any, scipy_name: Any):
        self.names = (name, sp_name, scipy_name)

    def arguments(self, device: bool) -> dict[str, Any]:
        """The modules by argument name: the device's, or the host's."""
        import importlib

        modules = (
            ("gpunp", "gpunp.scipy.sparse", "gpunp.scipy")
            if device
            else ("numpy", "scipy.sparse", "scipy")
        )
        return {
            name: importlib.import_module(module)
            for name, module in zip(self.names, modules, strict=True)
            if name
        }


def _outcome(test: Test, args: Any, kwargs: Any) -> tuple[Any, BaseException | None]:
    """(result, None), or (None, exception)."""
    try:
        return test(*args, **kwargs), None
    except _skips():
        raise
    except Exception as error:
        return None, error


def _accepted(accept: Any) -> tuple[type[BaseException], ...]:
    if accept is True:
        return (Exception,)
    if not accept:
        return ()
    return accept if isinstance(accept, tuple) else (accept,)


def _check_errors(ours: BaseException | None, theirs: BaseException | None, accept: Any) -> None:
    """Raise AssertionError unless both sides raised errors of related, accepted types."""
    words = "".join(
        f"\n{name}: " + ("no error" if e is None else "".join(traceback.format_exception(e)))
        for name, e in [("gpunp", ours), ("numpy", theirs)]
    )
    if ours is None or theirs is None:
        raise AssertionError(f"Only one of both raised{words}") from (ours or theirs)
    if not (isinstance(ours, type(theirs)) or isinstance(theirs, type(ours))):
        raise AssertionError(f"Errors of different types{words}") from ours
    if not isinstance(ours, _accepted(accept)):
        raise AssertionError(f"Both raised, and the test accepts no such error{words}") from ours


def _both(test: Test, modules: _Modules, accept_error: Any, args: Any, kwargs: Any) -> Any:
    """(gpunp's result, NumPy's), or None if both raised an accepted error."""
    ours, error = _outcome(test, args, {**kwargs, **modules.arguments(True)})
    theirs, their_error = _outcome(test, args, {**kwargs, **modules.arguments(False)})
    if error is not None or their_error is not None:
        _check_errors(error, their_error, accept_error)
        return None
    return ours, theirs


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _dense(x: Any) -> Any:
    """Convert a sparse matrix to an array; return anything else unchanged."""
    return x.toarray() if hasattr(x, "toarray") else x


def _check_kind(ours: Any, theirs: Any, type_check: bool, contiguous_check: bool) -> None:
    """Compare dtypes and memory orders, as requested."""
    our_type = getattr(ours, "dtype", np.dtype(type(ours)) if np.isscalar(ours) else None)
    their_type = getattr(theirs, "dtype", np.dtype(type(theirs)) if np.isscalar(theirs) else None)
    if type_check and our_type != their_type:
        raise AssertionError(f"dtypes differ: gpunp {our_type}, numpy {their_type}")
    if not contiguous_check or not isinstance(theirs, np.ndarray) or not hasattr(ours, "flags"):
        return
    for flag in ("c_contiguous", "f_contiguous"):
        if getattr(theirs.flags, flag) and not getattr(ours.flags, flag):
            raise AssertionError(f"numpy's result is {flag}, gpunp's is not")


def _comparing(compare: Callable[[Any, Any], None], how: dict[str, Any]) -> Decorator:
    """Return a decorator of tests whose results (one or several arrays) are compared."""
    modules = _Modules(how.get("name"), how.get("sp_name"), how.get("scipy_name"))

    def decorator(test: Test) -> Test:
        @_wraps(test, *modules.names)
        def wrapper(*args: Any, **kwargs: Any) -> None:
            results = _both(test, modules, how.get("accept_error", False), args, kwargs)
            if results is None:
                return
            ours, theirs = (_listed(r) for r in results)
            if len(ours) != len(theirs):
                raise AssertionError(f"{len(ours)} results of gpunp, {len(theirs)} of numpy")
            for x, y in zip(ours, theirs, strict=True):
                x, y = _dense(x), _dense(y)
                _check_kind(x, y, how.get("type_check", False), how.get("contiguous_check", False))
                compare(x, y)

        return wrapper

    return decorator


def _options(
    name: Any, type_check: bool, accept_error: Any, sp_name: Any, scipy_name: Any
) -> dict[str, Any]:
    """Common arguments of the decorators, for `_comparing`."""
    return {
        "name": name,
        "type_check": type_check,
        "accept_error": accept_error,
        "sp_name": sp_name,
        "scipy_name": scipy_name,
    }


def numpy_cupy_allclose(
    rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
    sp_name=None, scipy_name=None, contiguous_check=True, *, _check_sparse_format=True,
) -> Decorator:  # fmt: skip
    """Return a decorator: results with NumPy and with gpunp are equal within a tolerance.

    Parameters
    ----------
    rtol, atol : float or dict
        Relative and absolute tolerance. A dict has them by dtype, with ``"default"`` for all
        others.
    err_msg : str
        Text to append to the message of a failure.
    verbose : bool
        If True, the message of a failure shows the values that differ.
    name : str
        Name of the test's argument that receives NumPy or gpunp.
    type_check : bool
        If True, the dtypes have to be equal as well.
    accept_error : bool, exception type or tuple of them
        Errors that both sides may raise instead of returning results.
    sp_name, scipy_name : str, optional
        Names of the arguments that receive ``scipy.sparse`` or ``scipy``, or those of gpunp.
    contiguous_check : bool
        If True, a result has the memory order (C or F) of NumPy's.
    _check_sparse_format : bool
        Accepted for compatibility with CuPy and ignored.

    Returns
    -------
    callable
        Decorator of a test that returns an array, a scalar, or a tuple or list of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.testing.numpy_cupy_allclose(rtol=1e-6)
    ... def test_exp(xp):
    ...     return xp.exp(xp.arange(3.0))
    >>> test_exp()
    """

    def tolerance(given: Any, dtype: Any) -> float:
        if not isinstance(given, dict):
            return float(given)
        for key, value in given.items():
            if not (isinstance(key, str) and key == "default") and np.dtype(key) == dtype:
                return float(value)
        return float(given["default"])

    def compare(x: Any, y: Any) -> None:
        dtype = getattr(x, "dtype", None)
        r, a = tolerance(rtol, dtype), tolerance(atol, dtype)
        _array.assert_allclose(x, y, r, a, err_msg=err_msg, verbose=verbose)

    options = _options(name, type_check, accept_error, sp_name, scipy_name)
    return _comparing(compare, {**options, "contiguous_check": contiguous_check})


def numpy_cupy_array_almost_equal(
    decimal=6, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
    sp_name=None, scipy_name=None,
) -> Decorator:  # fmt: skip
    """Return a decorator: results are equal to a number of decimals; see `numpy_cupy_allclose`.

    Parameters
    ----------
    decimal : int, optional
        Number of decimals to compare.
    err_msg : str, optional
        Text to append to the message of a failure.
    verbose : bool, optional
        If True, the message of a failure shows the values that differ.
    name : str, optional
        Name of the test's argument that receives NumPy or gpunp.
    type_check : bool, optional
        If True, the dtypes have to be equal as well.
    accept_error : bool, exception type or tuple of them, optional
        Errors that both sides may raise instead of returning results.
    sp_name : str, optional
        Name of the argument that receives scipy.sparse, or that of gpunp.
    scipy_name : str, optional
        Name of the argument that receives scipy or gpunp.scipy.

    Returns
    -------
    callable
        Decorator of a test.
    """

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_almost_equal(x, y, decimal, err_msg, verbose)

    return _comparing(compare, _options(name, type_check, accept_error, sp_name, scipy_name))


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_array_almost_equal_nulp(
    nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
) -> Decorator:
    """Return a decorator: results are at most `nulp` units in the last place apart.

    Parameters
    ----------
    nulp : int, optional
        Largest allowed number of units in the last place.
    """

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_almost_equal_nulp(x, y, nulp)

    return _comparing(compare, _options(name, type_check, accept_error, sp_name, scipy_name))


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_array_max_ulp(
    maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False, sp_name=None,
    scipy_name=None,
) -> Decorator:  # fmt: skip
    """Return a decorator: results are at most `maxulp` units in the last place apart.

    Parameters
    ----------
    maxulp : int, optional
        Largest allowed number of units in the last place.
    dtype : dtype, optional
        Type in which to compare.
    """

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_max_ulp(x, y, maxulp, dtype)

    return _comparing(compare, _options(name, type_check, accept_error, sp_name, scipy_name))


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_array_equal(
    err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None,
    scipy_name=None, strides_check=False,
) -> Decorator:  # fmt: skip
    """Return a decorator: results (and, optionally, their strides) are equal.

    Parameters
    ----------
    strides_check : bool, optional
        If True, the strides have to be equal as well.
    """

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_equal(x, y, err_msg, verbose, strides_check=strides_check)

    return _comparing(compare, _options(name, type_check, accept_error, sp_name, scipy_name))


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_array_less(
    err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None,
    scipy_name=None,
) -> Decorator:  # fmt: skip
    """Return a decorator: every element of gpunp's result is less than NumPy's."""

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_less(x, y, err_msg, verbose)

    return _comparing(compare, _options(name, type_check, accept_error, sp_name, scipy_name))


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_array_list_equal(
    err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None
) -> Decorator:
    """Return a decorator: results are lists of equal arrays."""

    def compare(x: Any, y: Any) -> None:
        _array.assert_array_equal(x, y, err_msg, verbose)

    return _comparing(compare, {"name": name, "sp_name": sp_name, "scipy_name": scipy_name})


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None) -> Decorator:
    """Return a decorator: results, which are not arrays, are equal by ``==``."""
    modules = _Modules(name, sp_name, scipy_name)

    def decorator(test: Test) -> Test:
        @_wraps(test, *modules.names)
        def wrapper(*args: Any, **kwargs: Any) -> None:
            ours, theirs = _both(test, modules, False, args, kwargs)
            if not bool(ours == theirs):
                raise AssertionError(f"results differ: gpunp {ours!r}, numpy {theirs!r}")

        return wrapper

    return decorator


@documented_as(numpy_cupy_array_almost_equal)
def numpy_cupy_raises(
    name="xp", sp_name=None, scipy_name=None, accept_error=Exception
) -> Decorator:
    """Return a decorator: both sides raise errors of related types that are accepted."""
    modules = _Modules(name, sp_name, scipy_name)

    def decorator(test: Test) -> Test:
        @_wraps(test, *modules.names)
        def wrapper(*args: Any, **kwargs: Any) -> None:
            if _both(test, modules, accept_error, args, kwargs) is not None:
                raise AssertionError("neither gpunp nor numpy raised an error")

        return wrapper

    return decorator


# ---- parametrization ---------------------------------------------------------------------------


def _for_each(sets: Iterable[dict[str, Any]]) -> Decorator:
    """Return a decorator that runs a test for each set of arguments; it is skipped if all are."""
    sets = list(sets)
    names = sorted({name for chosen in sets for name in chosen})

    def decorator(test: Test) -> Test:
        @_wraps(test, *names)
        def wrapper(*args: Any, **kwargs: Any) -> None:
            skipped: BaseException | None = None
            ran = False
            for chosen in sets:
                try:
                    test(*args, **kwargs, **chosen)
                    ran = True
                except _skips() as skip:
                    skipped = skip
                except Exception as error:
                    words = ", ".join(f"{k} is {v!r}" for k, v in chosen.items())
                    error.add_note(f"where {words}") if hasattr(error, "add_note") else None
                    raise
            if skipped is not None and not ran:
                raise skipped

        return wrapper

    return decorator


_FLOATS = (np.float64, np.float32)
_SIGNED = tuple(np.dtype(c).type for c in "bhilq")
_UNSIGNED = tuple(np.dtype(c).type for c in "BHILQ")
_COMPLEX = (np.complex64, np.complex128)


def _all_types(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[Any, ...]:
    return (
        (*_FLOATS,)
        + (() if no_float16 else (np.float16,))
        + (() if no_complex else _COMPLEX)
        + _SIGNED
        + _UNSIGNED
        + (() if no_bool else (np.bool_,))
    )


def for_dtypes(dtypes, name="dtype") -> Decorator:
    """Return a decorator that runs a test once for each dtype, passed as its argument `name`.

    Parameters
    ----------
    dtypes : sequence of dtype
        Types to run the test with.
    name : str, optional
        Name of the test's argument that receives the value.

    Returns
    -------
    callable
        Decorator of a test.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.testing.for_dtypes("ef")
    ... def test_it(dtype):
    ...     assert cp.ones(2, dtype).dtype == dtype
    >>> test_it()
    """
    return _for_each({name: np.dtype(t).type} for t in dtypes)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False) -> Decorator:
    """Return a decorator that runs a test once for each numeric dtype.

    Parameters
    ----------
    name : str
        Name of the test's argument that receives the dtype.
    no_float16, no_bool, no_complex : bool
        If True, the type or types are left out.

    Returns
    -------
    callable
        Decorator of a test.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.testing.for_all_dtypes()
    ... @cp.testing.numpy_cupy_array_equal()
    ... def test_add(xp, dtype):
    ...     return xp.ones(3, dtype) + xp.ones(3, dtype)
    >>> test_add()
    """
    return for_dtypes(_all_types(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False) -> Decorator:
    """Return a decorator that runs a test once for each real floating dtype.

    Parameters
    ----------
    name : str, optional
        Name of the test's argument that receives the value.
    no_float16 : bool, optional
        If True, float16 is left out.

    Returns
    -------
    callable
        Decorator of a test.
    """
    return for_dtypes(_FLOATS + (() if no_float16 else (np.float16,)), name)


@documented_as(for_dtypes)
def for_complex_dtypes(name="dtype") -> Decorator:
    """Return a decorator that runs a test once for each complex dtype."""
    return for_dtypes(_COMPLEX, name)


@documented_as(for_complex_dtypes)
def for_signed_dtypes(name="dtype") -> Decorator:
    """Return a decorator that runs a test once for each signed integer dtype."""
    return for_dtypes(_SIGNED, name)


@documented_as(for_complex_dtypes)
def for_unsigned_dtypes(name="dtype") -> Decorator:
    """Return a decorator that runs a test once for each unsigned integer dtype."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False) -> Decorator:
    """Return a decorator that runs a test once for each integer dtype, and bool unless left out.

    Parameters
    ----------
    name : str, optional
        Name of the test's argument that receives the value.
    no_bool : bool, optional
        If True, bool is left out.

    Returns
    -------
    callable
        Decorator of a test.
    """
    return for_dtypes(_SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,)), name)


def for_dtypes_combination(types, names=("dtype",), full=None) -> Decorator:
    """Return a decorator that runs a test for combinations of dtypes.

    Parameters
    ----------
    types : iterable of dtypes
        Types of which combinations are made.
    names : sequence of str
        Names of the test's arguments, one for each dtype.
    full : bool, optional
        If True, all combinations; if False, so many that each dtype meets a few others in every
        position. By default the environment variable CUPY_TEST_FULL_COMBINATION decides (1 means
        all).

    Returns
    -------
    callable
        Decorator of a test.
    """
    types, names = [np.dtype(t).type for t in types], list(names)
    if full is None:
        full = os.environ.get("CUPY_TEST_FULL_COMBINATION", "0") != "0"
    chosen: Iterable[tuple[Any, ...]]
    if full or len(names) == 1:
        chosen = itertools.product(types, repeat=len(names))
    else:  # every dtype in every position, with different others each time
        n = len(types)
        shifts = range(min(n, 5))
        chosen = dict.fromkeys(
            tuple(types[(i + s * k * (k + 1) // 2) % n] for k in range(len(names)))
            for s in shifts
            for i in range(n)
        )
    return _for_each(dict(zip(names, c, strict=True)) for c in chosen)


def for_all_dtypes_combination(
    names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False
) -> Decorator:
    """Return a decorator for combinations of all dtypes; see `for_dtypes_combination`.

    Parameters
    ----------
    names : sequence of str, optional
        Names of the test's arguments that receive the dtypes.
    no_float16 : bool, optional
        If True, float16 is left out.
    no_bool : bool, optional
        If True, bool is left out.
    full : bool, optional
        If True, all combinations; otherwise each dtype of each argument once. By default the
        environment variable CUPY_TEST_FULL_COMBINATION decides.
    no_complex : bool, optional
        If True, complex dtypes are left out.

    Returns
    -------
    callable
        Decorator of a test.
    """
    return for_dtypes_combination(_all_types(no_float16, no_bool, no_complex), names, full)


@documented_as(for_all_dtypes_combination)
def for_signed_dtypes_combination(names=("dtype",), full=None) -> Decorator:
    """Return a decorator for combinations of signed integers; see `for_dtypes_combination`."""
    return for_dtypes_combination(_SIGNED, names, full)


@documented_as(for_signed_dtypes_combination)
def for_unsigned_dtypes_combination(names=("dtype",), full=None) -> Decorator:
    """Return a decorator for combinations of unsigned integers; see `for_dtypes_combination`."""
    return for_dtypes_combination(_UNSIGNED, names, full)


@documented_as(for_all_dtypes_combination)
def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None) -> Decorator:
    """Return a decorator for combinations of integers; see `for_dtypes_combination`."""
    types = _SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,))
    return for_dtypes_combination(types, names, full)


def for_orders(orders, name="order") -> Decorator:
    """Return a decorator that runs a test once for each memory order.

    Parameters
    ----------
    orders : sequence of str
        Memory orders to run the test with.
    name : str, optional
        Name of the test's argument that receives the value.

    Returns
    -------
    callable
        Decorator of a test.
    """
    return _for_each({name: order} for order in orders)


@documented_as(for_complex_dtypes)
def for_CF_orders(name="order") -> Decorator:
    """Return a decorator that runs a test once for C and once for F order."""
    return for_orders([None, "C", "F", "c", "f"], name)


@documented_as(for_complex_dtypes)
def for_contiguous_axes(name="axis") -> Decorator:
    """Return a decorator that runs a test for each tuple of axes that are adjacent in memory.

    The object of the test has the `shape` and the `order` of the array: the last axes for C, the
    first ones for F.
    """

    def decorator(test: Test) -> Test:
        @_wraps(test, name)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> None:
            ndim = len(self.shape)
            in_c = self.order in ("c", "C", None)
            for count in range(1, ndim + 1):
                axes = tuple(range(ndim - count, ndim) if in_c else range(count))
                try:
                    test(self, *args, **{**kwargs, name: axes})
                except Exception:
                    print(name, "is", axes)
                    raise

        return wrapper

    return decorator
