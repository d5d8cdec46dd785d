"""SciPy's own functions that compute on gpunp's arrays, re-exported from one table of names.

Parts of SciPy are written for the arrays of any library. They take ours when SCIPY_ARRAY_API was
set in the environment before SciPy was first imported; nothing here sets it. A name is in the table
when a call gives NumPy's result (tests/scipy/borrowed_calls.py has the calls).
"""

import functools
import importlib
import inspect
import sys

import numpy as np

from .._core._convert import without_cycles
from .._core.multiarray import asarray, ndarray
from ..random import Generator, RandomState
from ._borrowed_names import NAMES, WITHOUT_MODE
from ._host import to_host

__all__ = ["array_api_mode", "borrow"]

SWITCH = "SCIPY_ARRAY_API"


def array_api_mode():
    """Return whether SciPy, which is imported for this, was imported with its array API mode on."""
    for module in ("scipy._lib._array_api_override", "scipy._lib._array_api"):
        try:
            return bool(importlib.import_module(module).SCIPY_ARRAY_API)
        except (ImportError, AttributeError):  # an older or newer SciPy keeps it elsewhere
            continue
    return False


def refusal(module, name):
    """The error of a borrowed name that is used while SciPy's array API mode is off."""
    return RuntimeError(
        f"scipy.{module}.{name} takes gpunp's arrays only in SciPy's array API mode:"
        f" set {SWITCH}=1 in the environment before scipy is first imported"
    )


def has_device_array(value):
    """Whether a device array is among the arguments or in their lists, tuples and dicts."""
    seen: set[int] = set()  # a list may contain itself
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, ndarray):
            return True
        if isinstance(one, (list, tuple, dict)) and id(one) not in seen:
            seen.add(id(one))
            left += one.values() if isinstance(one, dict) else one
    return False


def takes_namespace(function):
    """Whether a function makes arrays of the namespace it is given as `xp`."""
    try:
        return "xp" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _of_scipy(value):
    """SciPy's object for one of ours: an engine of `stats.qmc`, a generator of the host."""
    if hasattr(type(value), "_of_scipy"):
        return value._of_scipy()
    return to_host(value) if isinstance(value, (Generator, RandomState)) else value


# Parameters behind a function of the user's whose values say where SciPy computes.
_STARTS = {
    "bracket_minimum": "xm0",
    "bracket_root": "xl0 xr0",
    "cubature": "a b",
    "derivative": "x",
    "find_minimum": "init",
    "find_root": "init",
    "hessian": "x",
    "jacobian": "x",
    "nsum": "a b",
    "qmc_quad": "a b",
    "tanhsinh": "a b",
}


def _start_on_device(value):
    """Numbers and lists of them as device arrays, those of a tuple each for itself."""
    if isinstance(value, tuple):
        return tuple(_start_on_device(one) for one in value)
    if value is None or isinstance(value, (np.ndarray, ndarray)):
        return value
    return asarray(value)


def _started(name, args, kwargs):
    """The arguments with the places where a function is called on the device, if none is a host
    array's."""
    names = _STARTS.get(name, "").split()
    count = len(names) + 1
    given = [*args[1:count], *(kwargs[key] for key in names if key in kwargs)]
    if any(isinstance(value, np.ndarray) for value in given):
        return args, kwargs
    args = (*args[:1], *map(_start_on_device, args[1:count]), *args[count:])
    moved = {key: _start_on_device(kwargs[key]) for key in names if key in kwargs}
    return args, {**kwargs, **moved}


def borrowed_function(module, name, function):
    """SciPy's function, which says what is missing when it cannot work on gpunp's arrays."""
    makes_arrays = takes_namespace(function)
    needs_mode = name not in WITHOUT_MODE.get(module, "").split()

    @functools.wraps(function)
    def borrowed(*args, **kwargs):
        makes_ours = makes_arrays and kwargs.get("xp") is None
        ours = makes_ours or has_device_array(args) or has_device_array(kwargs)
        if ours and needs_mode and not array_api_mode():
            raise refusal(module, name)
        if makes_ours:
            kwargs["xp"] = sys.modules["gpunp"]
        args = tuple(map(without_cycles, args))
        kwargs = {key: without_cycles(value) for key, value in kwargs.items()}
        if name in _STARTS and array_api_mode():
            args, kwargs = _started(name, args, kwargs)
        values = [_of_scipy(value) for value in args]
        return function(*values, **{key: _of_scipy(v) for key, v in kwargs.items()})

    borrowed.__module__ = f"gpunp.scipy.{module}"  # where a pickle finds it
    return borrowed


def unusable_class(module, name):
    """The class that stands for SciPy's while its array API mode is off: every use raises."""

    class Refusing(type):
        def __call__(cls, *args, **kwargs):
            raise refusal(module, name)

        def __getattr__(cls, attribute):
            if attribute.startswith("_"):  # what inspection asks for
                raise AttributeError(attribute)
            raise refusal(module, name)

    text = f"""Stand for SciPy's class of this name: {refusal(module, name)}.

    Parameters
    ----------
    *args : object
        Arguments of SciPy's class.
    **kwargs : object
        Keyword arguments of SciPy's class.
    """
    return Refusing(name, (), {"__module__": f"gpunp.scipy.{module}", "__doc__": text})


def borrow(module, own=(), same=(), derived=None):
    """Return `__all__`, `__getattr__` and `__dir__` of a module from the table.

    Parameters
    ----------
    module : str
        Name of the module below `scipy`.
    own : sequence of str, optional
        Names that the module defines itself, which come before SciPy's.
    same : sequence of str, optional
        Names of SciPy's that make and hold no arrays: classes of results and warnings.
    derived : dict, optional
        Functions by the names of SciPy's classes, each of which makes of SciPy's class the one that
        is borrowed.

    Returns
    -------
    names : list of str
        The module's own names and those it borrows.
    get : callable
        The module's `__getattr__`: imports SciPy at the first use of a name.
    list_names : callable
        The module's `__dir__`, which imports nothing.
    """
    borrowed = [name for name in NAMES.get(module, "").split() if name not in own]
    below = {name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == module}
    names = sorted({*own, *borrowed, *same})

    def get(name):
        package = f"gpunp.scipy.{module}"
        if name in below:
            return importlib.import_module(f"{package}.{name}")
        if name not in borrowed and name not in same:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"scipy.{module}"), name)
        if name in same:
            pass
        elif not inspect.isclass(value):
            value = borrowed_function(module, name, value)
        elif not array_api_mode():
            value = unusable_class(module, name)
        elif derived and name in derived:
            value = derived[name](value)
        setattr(sys.modules[package], name, value)
        return value

    def list_names():
        return sorted({*vars(sys.modules[f"gpunp.scipy.{module}"]), *names, *below})

    return names, get, list_names
