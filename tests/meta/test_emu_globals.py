"""Variables of file scope that change: those of the emulated device stand in docs/emulator.md."""

import re

import pytest
from sources import CSRC, ROOT, newest_build, writable_variables

pytestmark = pytest.mark.null

EMU = CSRC / "emu"


def listed():
    """{file below csrc/emu: names} of the table in docs/emulator.md."""
    text = (ROOT / "docs" / "emulator.md").read_text()
    table = text[text.index("## Global state") :]
    rows = re.findall(r"^\| `([\w/]+\.c)` \| ([^|]*) \|", table, re.MULTILINE)
    return {file: set(re.findall(r"`(\w+)`", names)) for file, names in rows}


def test_global_state_is_listed():
    build = newest_build()
    if build is None:
        pytest.skip("nothing is built")
    found = {}
    for source in EMU.glob("*/*.c"):
        folder = "emu_libs" if source.parent.name == "libs" else "emu"
        obj = build / folder / f"{source.stem}.o"
        names = writable_variables(obj) if obj.exists() else set()
        if names:
            found[source.relative_to(EMU).as_posix()] = names
    assert found == listed()
