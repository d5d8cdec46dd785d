"""Variables of file scope that change: those of the emulated device stand in docs/emulator.md."""

import re
import subprocess

import pytest
from sources import CSRC, ROOT

pytestmark = pytest.mark.null

EMU = CSRC / "emu"
WRITABLE = re.compile(r"\.(data|bss|tdata|tbss)(\.|$)|\*COM\*")


def listed():
    """{file below csrc/emu: names} of the table in docs/emulator.md."""
    text = (ROOT / "docs" / "emulator.md").read_text()
    table = text[text.index("## Global state") :]
    rows = re.findall(r"^\| `([\w/]+\.c)` \| ([^|]*) \|", table, re.MULTILINE)
    return {file: set(re.findall(r"`(\w+)`", names)) for file, names in rows}


def variables(obj):
    """Names of an object's symbols in writable sections; constant tables with relocations are not."""
    found = set()
    done = subprocess.run(["objdump", "-t", str(obj)], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        match = re.match(
            r"[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?([^.\s][^\s]*)$", line
        )
        if match and WRITABLE.match(match[2]) and "rel.ro" not in match[2] and "d" not in match[1]:
            found.add(match[3].split(".")[0])  # a static of a function has a number behind it
    return found


def test_global_state_is_listed():
    built = sorted((ROOT / "build").glob("release-*"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.skip("nothing is built")
    found = {}
    for source in EMU.glob("*/*.c"):
        folder = "emu_libs" if source.parent.name == "libs" else "emu"
        obj = built[-1] / folder / f"{source.stem}.o"
        names = variables(obj) if obj.exists() else set()
        if names:
            found[source.relative_to(EMU).as_posix()] = names
    assert found == listed()
