"""Further support for tests: settings, requirements, marks, and tests that compare signatures."""

import contextlib
import importlib.metadata
import inspect
import os
import unittest.mock
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = [
    "AssertFunctionIsCalled",
    "NumpyAliasBasicTestBase",
    "NumpyAliasValuesTestBase",
    "assert_warns",
    "env",
    "installed",
    "multi_gpu",
    "numpy_satisfies",
    "slow",
    "with_requires",
]


@contextlib.contextmanager
def env(**settings: Any) -> Iterator[None]:
    """Context manager that sets GPUNP_* variables: ``with env(DEBUG=2): ...``.

    Only settings that are read again while running take effect; `python -m gpunp` lists them all.

    Parameters
    ----------
    **settings : object
        Values by name, without the prefix GPUNP_.

    Returns
    -------
    context manager
        Context manager that restores the previous settings.
    """
    names = {f"GPUNP_{key}": str(value) for key, value in settings.items()}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


# ---- requirements ------------------------------------------------------------------------------


def _satisfied(specifier: str) -> bool:
    """Whether a requirement such as "scipy>=1.10" or "numpy" is met by what is installed."""
    from packaging.requirements import Requirement

    requirement = Requirement(specifier)
    try:
        found = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return requirement.specifier.contains(found, prereleases=True)


def installed(*specifiers) -> bool:
    """Return whether packages are installed in versions that satisfy requirements.

    Parameters
    ----------
    *specifiers : str
        Requirements in pip's format, such as ``"scipy>=1.10"``.

    Returns
    -------
    bool
        True if all requirements are met.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.installed("numpy>=1.0"), cp.testing.installed("no-such-package")
    (True, False)
    """
    return all(_satisfied(s) for s in specifiers)


def numpy_satisfies(version_range) -> bool:
    """Return whether NumPy's version is in a range such as ``">=2.0,<3"``.

    Parameters
    ----------
    version_range : str
        Version conditions, separated by commas.

    Returns
    -------
    bool
        True if all conditions are met.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.numpy_satisfies(">=1.0")
    True
    """
    return _satisfied(f"numpy{version_range}")


def with_requires(*requirements) -> Callable[[Any], Any]:
    """Return a decorator that skips a test unless requirements are installed.

    Parameters
    ----------
    *requirements : str
        Requirements in pip's format, as for `installed`.

    Returns
    -------
    callable
        Decorator of a test.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.testing.with_requires("numpy>=1.0")
    ... def test_it():
    ...     pass
    """
    missing = [r for r in requirements if not _satisfied(r)]
    return unittest.skipIf(bool(missing), f"requires: {', '.join(missing)}")


# ---- marks -------------------------------------------------------------------------------------


def _device_count() -> int:
    from ..cuda import runtime

    try:
        return runtime.getDeviceCount()
    except Exception:  # no driver, no device
        return 0


def multi_gpu(gpu_num) -> Callable[[Any], Any]:
    """Return a decorator that skips a test if there are too few devices.

    Parameters
    ----------
    gpu_num : int
        Number of devices that the test needs.

    Returns
    -------
    callable
        Decorator of a test.
    """
    have = _device_count()
    return unittest.skipIf(have < gpu_num, f"needs {gpu_num} devices, there are {have}")


def slow(*args, **kwargs) -> Any:
    """Mark a test as slow: ``pytest.mark.slow``.

    Parameters
    ----------
    *args : object
        Positional arguments of the mark.
    **kwargs : object
        Keyword arguments of the mark.

    Returns
    -------
    pytest mark
        Decorator of a test.
    """
    import pytest

    return pytest.mark.slow(*args, **kwargs)


# ---- expectations ------------------------------------------------------------------------------


@contextlib.contextmanager
def assert_warns(expected) -> Iterator[None]:
    """Raise AssertionError unless a block emits a warning of a class.

    Parameters
    ----------
    expected : type
        Class of the expected warning.

    Returns
    -------
    context manager
        Context manager of the block.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(w.category, expected) for w in caught):
        names = getattr(expected, "__name__", expected)
        raise AssertionError(f"{names} was not given; given were {[str(w) for w in caught]}")


class AssertFunctionIsCalled:
    """Context manager that replaces a function by a mock, and asserts the number of its calls.

    Parameters
    ----------
    *args, **kwargs
        Arguments of the function unittest.mock.patch.
    times_called : int
        Expected number of calls; AssertionError is raised otherwise.

    Examples
    --------
    >>> import gpunp as cp, os
    >>> with cp.testing.AssertFunctionIsCalled("os.getpid"):
    ...     _ = os.getpid()
    """

    def __init__(self, *args, times_called=1, **kwargs):
        self._patch = unittest.mock.patch(*args, **kwargs)
        self._expected = times_called

    def __enter__(self):
        self._mock = self._patch.__enter__()
        return self._mock

    def __exit__(self, kind, value, trace):
        self._patch.__exit__(kind, value, trace)
        if kind is None and self._mock.call_count != self._expected:
            raise AssertionError(f"called {self._mock.call_count} times, expected {self._expected}")


class NumpyAliasBasicTestBase:
    """Base class of tests of a function, named by `func`, that has the signature of NumPy's.

    A subclass sets `func`; its tests compare the parameters and ask for a docstring.
    """

    func: str = ""

    @property
    def cupy_func(self) -> Any:
        """The function of gpunp."""
        import gpunp

        return getattr(gpunp, self.func)

    @property
    def numpy_func(self) -> Any:
        """The function of NumPy."""
        return getattr(np, self.func)

    def test_argspec(self) -> None:
        """Parameters have NumPy's names, kinds and defaults."""
        ours, theirs = (inspect.signature(f) for f in (self.cupy_func, self.numpy_func))
        assert list(ours.parameters.values()) == list(theirs.parameters.values()), (ours, theirs)

    def test_docstring(self) -> None:
        """There is a docstring."""
        assert self.cupy_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasBasicTestBase):
    """Base class of tests that compare the results for the arguments `args` as well."""

    args: tuple[Any, ...] = ()

    def test_values(self) -> None:
        """The result for `args` is NumPy's."""
        ours, theirs = self.cupy_func(*self.args), self.numpy_func(*self.args)
        np.testing.assert_array_equal(getattr(ours, "get", lambda: ours)(), theirs)
