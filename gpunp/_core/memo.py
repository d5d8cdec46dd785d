"""memoize: results of a function cached by its arguments, as CuPy offers it for kernels."""

import functools
from collections.abc import Callable
from typing import Any

from .._C import Device

__all__ = ["clear_memo", "memoize"]

_memos: list[dict[Any, Any]] = []


def memoize(for_each_device=False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that caches the results of a function by its (hashable) arguments.

    Parameters
    ----------
    for_each_device : bool
        If True, results are cached for each device separately.

    Returns
    -------
    callable
        The decorator to apply to a function.

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
    """Clear the caches of all memoized functions.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.clear_memo()
    """
    for memo in _memos:
        memo.clear()
