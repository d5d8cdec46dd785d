"""Random numbers that are equal in every run of a test."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["fix_random", "generate_seed"]

_fixed: list[np.random.RandomState] = []  # states of the running tests, the innermost last


def generate_seed() -> int:
    """Return a seed for a generator: equal in every run within `fix_random`.

    Returns
    -------
    int
        Integer below 2**32.
    """
    state = _fixed[-1] if _fixed else np.random.mtrand._rand
    return int(state.randint(0x7FFFFFFF))


def _seeded(test: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(test)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        before = np.random.get_state()
        np.random.seed(100)
        _seed_device()
        _fixed.append(np.random.RandomState(101))
        try:
            return test(*args, **kwargs)
        finally:
            _fixed.pop()
            np.random.set_state(before)

    return wrapper


def _seed_device() -> None:
    import gpunp

    random = getattr(gpunp, "random", None)
    if random is not None:
        random.seed(102)


def fix_random() -> Callable[[Any], Any]:
    """Return a decorator of tests, or of test classes, that fixes all random seeds.

    Returns
    -------
    callable
        Decorator of a test.

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> @cp.testing.fix_random()
    ... def draw():
    ...     return np.random.rand()
    >>> draw() == draw()
    True
    """

    def decorator(target: Any) -> Any:
        if not inspect.isclass(target):
            return _seeded(target)
        for name, value in list(vars(target).items()):
            if name.startswith("test") and callable(value):
                setattr(target, name, _seeded(value))
        return target

    return decorator
