"""Findings that are agreed upon: the rows of agreed.txt."""

import ast
import fnmatch
import functools
import re
from pathlib import Path

FILE = Path(__file__).resolve().parent / "agreed.txt"


@functools.cache
def rows():
    """Rows of agreed.txt: kind, whether a target is meant, whether a detail is.

    A target with the name of an argument, as in `f(*maxpts=*)`, is that of whole calls.
    """
    found = []
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, target, detail, _ = (part.strip() for part in line.split("|"))
            patterns = (re.compile(fnmatch.translate(text)).match for text in (target, detail))
            found.append((kind, "=" in target, *patterns))
    return found


def rows_about(call):
    """(kind, whether a detail is meant) of the rows about what a call calls, or about the call itself."""
    texts = getattr(call, "target", None) or target_of(call), call
    return [
        (kind, is_detail) for kind, whole, is_meant, is_detail in rows() if is_meant(texts[whole])
    ]


def target_of(text):
    """What is called: `a.b([1]).c` of `a.b([1]).c(d)`."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # a crash's text is cut off where it is long
        return text.partition("(")[0]
    return ast.unparse(call.func) if isinstance(call, ast.Call) else text


def is_agreed(finding):
    return any(
        finding["kind"] == kind and is_detail(finding["detail"])
        for kind, is_detail in rows_about(finding["call"])
    )


def may_hang(call):
    """Whether a call may go on as long as it likes."""
    return any(kind == "hang" for kind, _ in rows_about(call))
