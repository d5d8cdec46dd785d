"""Every header compiles alone: a file that includes only it has all it needs."""

import os
import shlex
import subprocess
import sysconfig

import pytest
from sources import CSRC, ROOT, c_files

pytestmark = pytest.mark.null

# The lane loops of the emulated device are compiled once for each instruction set: lanes_v*.c.
TEMPLATES = {"emu/exec/lanes.h", "emu/exec/lanes_memory.h"}
HEADERS = [
    path
    for path in c_files()
    if path.suffix == ".h" and path.relative_to(CSRC).as_posix() not in TEMPLATES
]


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: str(path.relative_to(CSRC)))
def test_header_compiles_alone(path, tmp_path):
    source = tmp_path / "alone.c"
    name = path.relative_to(CSRC).as_posix()
    source.write_text(f'#include "{name}"\n#include "{name}"\nextern int used;\n')
    compiler = shlex.split(os.environ.get("CC", "cc"))
    include = sysconfig.get_paths()["include"]
    done = subprocess.run(
        [
            *compiler,
            "-std=c11",
            "-D_GNU_SOURCE=",
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{CSRC}",
            "-isystem",
            include,
            str(source),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: str(path.relative_to(CSRC)))
def test_header_has_its_guard(path):
    folder, stem = path.parent.name.upper(), path.stem.upper()
    guards = {f"#ifndef {prefix}{stem}_H" for prefix in ("GNP_", f"GNP_{folder}_", "EMU_", "")}
    assert guards & set(path.read_text().splitlines()), f"no guard of {sorted(guards)}"
