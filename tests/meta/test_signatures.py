"""inspect.signature of everything public: it works, and methods take what NumPy's take."""

import inspect
import types

import numpy as np
import pytest

import gpunp as cp

pytestmark = pytest.mark.null

# Made by gpunp alone: the class has no constructor to describe.
NO_CONSTRUCTOR = {
    "gpunp.ufunc",
    "gpunp.cuda.memory.BaseMemory",
    "gpunp.cuda.memory.PooledMemory",
}

# Methods whose parameters are not NumPy's, and why.
DIFFERENT = {
    "ndarray.argsort": "descending, as the array API's",
    "ndarray.sort": "descending, as the array API's",
    "ndarray.conj": "out",
    "ndarray.conjugate": "out",
    "ndarray.dot": "b, as the function's",
    "ndarray.put": "ind and v, as the function's",
    "RandomState.rand": "size as a tuple too, and dtype",
    "RandomState.randn": "size as a tuple too, and dtype",
    "ndarray.view": "NumPy's names none; its documentation has dtype and type",
}


def members(module, path, seen):
    """(path, callable) of the public names of a module and of its modules."""
    for name in getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]:
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith("gpunp") and value.__name__ not in seen:
                seen.add(value.__name__)
                yield from members(value, f"{path}.{name}", seen)
        elif callable(value) and id(value) not in seen:
            seen.add(id(value))
            yield f"{path}.{name}", value


def methods(cls):
    for name in dir(cls):
        value = getattr(cls, name, None)
        if name[0] != "_" and callable(value) and not inspect.isclass(value):
            yield name, value


def is_ours(cls):
    return cls.__module__.partition(".")[0] == "gpunp" and not issubclass(cls, BaseException)


def public():
    for path, value in members(cp, "gpunp", set()):
        if not inspect.isclass(value):
            yield path, value
        elif is_ours(value):
            if path not in NO_CONSTRUCTOR:
                yield path, value
            yield from ((f"{path}.{name}", method) for name, method in methods(value))


def test_everything_public_has_a_signature():
    without, count = [], 0
    for path, value in public():
        count += 1
        try:
            inspect.signature(value)
        except (TypeError, ValueError):
            without.append(path)
    assert not without, without
    assert count > 450


def parameters(function):
    return list(inspect.signature(function).parameters)


def test_parameters_of_methods_are_numpys():
    found = {}
    for cls in (cp.ndarray, cp.ufunc, cp.random.Generator, cp.random.RandomState):
        theirs = getattr(np, cls.__name__, None) or getattr(np.random, cls.__name__)
        for name, method in methods(cls):
            if f"{cls.__name__}.{name}" in DIFFERENT or not hasattr(theirs, name):
                continue
            try:
                expected = parameters(getattr(theirs, name))
            except ValueError:
                continue
            ours = parameters(method)
            if expected[-1:] == ["kwargs"]:  # what it passes on is not named
                ours, expected = ours[: len(expected) - 1], expected[:-1]
            if ours != expected and ours[: len(expected)] != expected:
                found[f"{cls.__name__}.{name}"] = ours, expected
    assert not found, found


def test_signatures_bind_what_methods_take():
    x = cp.arange(6.0).reshape(2, 3)
    calls = {
        "sum": {"axis": 0, "dtype": "f4", "keepdims": True},
        "argmax": {"axis": 1, "keepdims": True},
        "std": {"axis": 0, "ddof": 1},
        "cumsum": {"axis": 0},
        "take": {"indices": [0], "axis": 1},
        "clip": {"min": 1, "max": 2},
        "repeat": {"repeats": 2, "axis": 0},
        "round": {"decimals": 1},
        "trace": {"offset": 1},
        "argpartition": {"kth": 1, "axis": 1},
        "compress": {"condition": [True, False], "axis": 0},
        "searchsorted": {"v": 1.0, "side": "right"},
    }
    for name, given in calls.items():
        array = x if name != "searchsorted" else x[0]
        inspect.signature(getattr(array, name)).bind(**given)
        getattr(array, name)(**given)
