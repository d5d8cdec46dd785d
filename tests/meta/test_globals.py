"""Variables of file scope that change: those of the extension stand in docs/globals.md."""

import re

import pytest
from sources import CSRC, ROOT, newest_build, writable_variables

pytestmark = pytest.mark.null

PAGE = (ROOT / "docs" / "globals.md").read_text()


def kinds():
    """The types of the table "By type"."""
    table = PAGE[PAGE.index("## By type") : PAGE.index("## By file")]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def listed():
    """{file below csrc/: names} of the table "By file"."""
    table = PAGE[PAGE.index("## By file") :]
    rows = re.findall(r"^\| `([\w/]+\.c)` \| ([^|]*) \|", table, re.MULTILINE)
    return {file: set(re.findall(r"`(\w+)`", names)) for file, names in rows}


def has_kind(name, text):
    """Whether a text declares the variable with one of the types of the table."""
    types = "|".join(kinds())
    return re.search(rf"^[^\n;(=]*\b(?:{types})\b[^\n;(=]*\b{name}\b", text, re.MULTILINE)


def test_global_state_is_listed():
    build = newest_build()
    if build is None:
        pytest.skip("nothing is built")
    found = {}
    for source in sorted(CSRC.rglob("*.c")):
        name = source.relative_to(CSRC)
        obj = build / "ext" / ("-".join(name.with_suffix("").parts) + ".o")
        if name.parts[0] == "emu" or not obj.exists():
            continue
        text = source.read_text()
        if len(name.parts) > 1:  # macros of the folder's headers declare some
            text += "".join(path.read_text() for path in sorted(source.parent.glob("*.h")))
        names = {n for n in writable_variables(obj) if not has_kind(n, text)}
        if names:
            found[name.as_posix()] = names
    assert found == listed()
