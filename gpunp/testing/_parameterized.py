"""Test classes that run once for each set of parameters."""

import itertools
import sys
import unittest
from collections.abc import Callable
from typing import Any

__all__ = ["parameterize", "product", "product_dict"]


def product_dict(*parameters) -> list[dict[str, Any]]:
    """Return all combinations of dictionaries, one from each list, merged.

    Parameters
    ----------
    *parameters : list of dict
        Lists of dictionaries to combine.

    Returns
    -------
    list of dict
        One dictionary for each combination.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [
        {key: value for one in chosen for key, value in one.items()}
        for chosen in itertools.product(*parameters)
    ]


def product(parameter) -> list[dict[str, Any]]:
    """Return all combinations of values by name, of a dict of lists or of several lists of dicts.

    Parameters
    ----------
    parameter : dict or list
        Lists of values by name, or lists of dictionaries.

    Returns
    -------
    list of dict
        One dictionary for each combination.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    if not isinstance(parameter, dict):
        return product_dict(*parameter)
    names = sorted(parameter)
    return [
        dict(zip(names, values, strict=True))
        for values in itertools.product(*(parameter[name] for name in names))
    ]


def _words(params: dict[str, Any]) -> str:
    """Parameters as part of a name: short, and the same in every run."""
    said = []
    for name, value in params.items():
        words = getattr(value, "__name__", None) or repr(value)
        said.append(f"{name}={words if len(words) <= 40 and ' at 0x' not in words else '...'}")
    return ", ".join(said)


def parameterize(*params, **kwargs) -> Callable[[type], type]:
    """Return a decorator that makes a test class for each dict, whose items are attributes.

    The classes stand in the module of the decorated one, which itself is collected no more.

    Parameters
    ----------
    *params : dict
        Attributes by name; see `product`.
    **kwargs
        Accepted for compatibility with CuPy and ignored.

    Returns
    -------
    callable
        Decorator of a test class.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.testing.parameterize({"n": 1}, {"n": 2})
    ... class TestSquare:
    ...     def test_it(self):
    ...         assert cp.square(self.n) == self.n * self.n
    """

    def decorator(cls: type) -> type:
        module = sys.modules.get(cls.__module__)
        for i, chosen in enumerate(params):
            name = f"{cls.__name__}_param_{i}_{{{_words(chosen)}}}"
            own = {"__module__": cls.__module__, "__test__": True, "__unittest_skip__": False}
            made = type(name, (cls,), {**chosen, **own})
            if module is not None:
                setattr(module, name, made)
        cls.__test__ = False  # type: ignore[attr-defined]
        if issubclass(cls, unittest.TestCase):
            cls.__unittest_skip__ = True  # type: ignore[attr-defined]
            cls.__unittest_skip_why__ = "it is parameterized"  # type: ignore[attr-defined]
        return cls

    return decorator
