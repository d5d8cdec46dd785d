"""Functions that take the same arguments are described once."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_TAKEN = ("Parameters", "Returns", "Raises")


def _sections(text: str) -> dict[str, str]:
    """A numpydoc docstring by its headings; what comes before the first is at ''."""
    lines = text.splitlines()
    heads = [0] + [i for i, line in enumerate(lines[1:]) if line.strip("-") == "" != line]
    pieces = [lines[a:b] for a, b in zip(heads, [*heads[1:], len(lines)], strict=True)]
    head, *rest = ["\n".join(piece).strip("\n") for piece in pieces]
    return {"": head} | {piece.splitlines()[0]: piece for piece in rest}


def documented_as(other: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """A decorator: the docstring gets the parameters, result and errors of another function's.

    What the function's own docstring has of these stays; what else it has comes behind them.

    Examples
    --------
    >>> import gpunp as cp
    >>> "axis : int or tuple of int, optional" in cp.prod.__doc__
    True
    """
    given = _sections(inspect.getdoc(other) or "")

    def describe(function: _Function) -> _Function:
        own = _sections(inspect.getdoc(function) or "")
        taken = {name: given[name] for name in _TAKEN if name in given}
        function.__doc__ = "\n\n".join({"": own.pop("", ""), **taken, **own}.values())
        return function

    return describe
