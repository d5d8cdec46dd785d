"""Findings that are agreed upon: the rows of agreed.txt."""

import ast
import fnmatch
import functools
import re
from pathlib import Path

FILE = Path(__file__).resolve().parent / "agreed.txt"


@functools.cache
def rows():
    """Rows of agreed.txt: kind, whether a target is meant, whether a detail is."""
    found = []
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, target, detail, _ = (part.strip() for part in line.split("|"))
            patterns = (re.compile(fnmatch.translate(text)).match for text in (target, detail))
            found.append((kind, *patterns))
    return found


def target_of(text):
    """What is called: `a.b([1]).c` of `a.b([1]).c(d)`."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # a crash's text is cut off where it is long
        return text.partition("(")[0]
    return ast.unparse(call.func) if isinstance(call, ast.Call) else text


def is_agreed(finding):
    target = target_of(finding["call"])
    return any(
        finding["kind"] == kind and is_target(target) and is_detail(finding["detail"])
        for kind, is_target, is_detail in rows()
    )


@functools.cache
def may_hang(target):
    """Whether calls of a target may go on as long as they like."""
    return any(kind == "hang" and is_target(target) for kind, is_target, _ in rows())
