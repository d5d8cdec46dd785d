"""memoize: results of a function kept by its arguments, as CuPy offers it for kernels."""

import functools
from collections.abc import Callable
from typing import Any

from .._C import Device

__all__ = ["clear_memo", "memoize"]

_memos: list[dict[Any, Any]] = []


def memoize(for_each_device=False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator that keeps a function's results by its (hashable) arguments.

    Parameters
    ----------
    for_each_device : bool
        Keep a result for each device: the current device's number counts as an argument.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.memoize()
    ... def square(x):
    ...     print("computing")
    ...     return x * x
    >>> square(3), square(3)
    computing
    (9, 9)
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        memo: dict[Any, Any] = {}
        _memos.append(memo)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            device = Device().id if for_each_device else -1
            key = (device, args, frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = function(*args, **kwargs)
            return memo[key]

        return wrapper

    return decorator


def clear_memo() -> None:
    """Forget the results of every memoized function.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.clear_memo()
    """
    for memo in _memos:
        memo.clear()
