"""Sharing of parameter descriptions among functions with equal arguments."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_TAKEN = ("Parameters", "Returns", "Raises")


def _sections(text: str) -> dict[str, str]:
    """Sections of a numpydoc docstring by heading; the part before the first one is at ''."""
    lines = text.splitlines()
    heads = [0] + [i for i, line in enumerate(lines[1:]) if line.strip("-") == "" != line]
    pieces = [lines[a:b] for a, b in zip(heads, [*heads[1:], len(lines)], strict=True)]
    head, *rest = ["\n".join(piece).strip("\n") for piece in pieces]
    return {"": head} | {piece.splitlines()[0]: piece for piece in rest}


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Entries of a Parameters section by name: the text after the names, and the names."""
    entries: list[str] = []
    for line in section.splitlines()[2:]:
        if line and line[0] != " ":
            entries.append(line)
        elif entries:
            entries[-1] += "\n" + line
    found = {}
    for entry in entries:
        names, colon, words = entry.partition(" : ")
        if not colon:  # such as **kwargs
            names, colon, words = entry.partition("\n")
        for name in names.split(","):
            found[name.strip().lstrip("*")] = (colon + words, names)
    return found


def _parameters(function: Callable[..., Any], own: str, given: str) -> str:
    """Parameters section in the order of the signature, from the function's own entries where
    present, otherwise from those given. Parameters described together stay together."""
    words = {**_entries(given), **_entries(own)}
    written: list[tuple[list[str], tuple[str, str]]] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in words:
            continue
        star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        if written and written[-1][1] == words[name] and "," in words[name][1]:
            written[-1][0].append(star + name)
        else:
            written.append(([star + name], words[name]))
    lines = [", ".join(names) + text for names, (text, _) in written]
    return "\n".join(["Parameters", "----------", *lines])


def documented_as(other: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Return a decorator that completes a docstring from that of another function.

    Examples
    --------
    >>> import gpunp as cp
    >>> "axis : int or tuple of int, optional" in cp.prod.__doc__
    True
    """
    given = _sections(inspect.getdoc(other) or "")

    def describe(function: _Function) -> _Function:
        own = _sections(inspect.getdoc(function) or "")
        taken = {name: own.pop(name, given.get(name, "")) for name in _TAKEN}
        if "Parameters" in given:
            taken["Parameters"] = _parameters(function, taken["Parameters"], given["Parameters"])
        text = {"": own.pop("", ""), **taken, **own}
        function.__doc__ = "\n\n".join(part for part in text.values() if part)
        return function

    return describe
