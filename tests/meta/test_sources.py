"""Words that must not stand in the sources, and what the compiler said about them."""

import re

import pytest
from sources import CSRC, ROOT, c_files, files, without_comments

pytestmark = pytest.mark.null

FORBIDDEN_CALLS = {
    # pattern: (what to use instead, files that may)
    r"\bgetenv\s*\(": ("gnp_env()", {"base/env.c"}),
    r"\b(?:f|v|vf)?printf\s*\(": ("gnp_log()", {"base/log.c"}),
    r"\bputs\s*\(": ("gnp_log()", {"base/log.c"}),
    r"\b(?:strcpy|strcat|sprintf|gets)\s*\(": ("snprintf or memcpy", set()),
    r"\balloca\s*\(": ("a fixed array or malloc", set()),
    r"\b(?:abort|exit)\s*\(": ("an exception", {"rt/exit.c"}),
    r"\bPyArg_ParseTuple": ("gnp_args_bind()", set()),
    # Objects at file scope and static ones in functions, arrays of them too.
    r"(?:\bstatic\b[^=;(]*|^)\bPyObject\s*\*[^=;(]*[=;]": ("a row in tables/state.def", set()),
}
# The emulated device stands outside the library: it has its own environment and its own output
# (printf of kernels, traces), each in one file.
EMU_OUTPUT = re.compile(r"\b(?:getenv|printf|fprintf|vfprintf|vprintf|puts)\b")

MACHINE_PATHS = re.compile(r"(?<![\w./])/(?:work|home|root|tmp/bt|opt/wheels)/\w")


@pytest.mark.parametrize("path", c_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_forbidden_calls(path):
    name = path.relative_to(CSRC).as_posix()
    for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
        for pattern, (instead, allowed) in FORBIDDEN_CALLS.items():
            if name in allowed or (name.startswith("emu/") and EMU_OUTPUT.search(line)):
                continue
            assert not re.search(pattern, line), f"{name}:{number}: use {instead}"


@pytest.mark.parametrize(
    "line, is_object",
    [
        ("static PyObject *one;", True),
        ("static PyObject *one = NULL;", True),
        ("    static PyObject *const many[3] = {0};", True),
        ("static PyObject *many[COUNT];", True),
        ("static _Thread_local PyObject *one, *two;", True),
        ("PyObject *shared;", True),
        ("    PyObject *local = NULL;", False),
        ("static PyObject *function(PyObject *argument);", False),
    ],
)
def test_pattern_of_static_objects(line, is_object):
    (pattern,) = (pattern for pattern in FORBIDDEN_CALLS if "PyObject" in pattern)
    assert bool(re.search(pattern, line)) == is_object


def test_emulator_speaks_in_few_places():
    users = {
        path.name
        for path in (CSRC / "emu").rglob("*.c")
        if re.search(r"\bgetenv\s*\(", without_comments(path.read_text()))
    }
    assert len(users) <= 2, f"the emulated device reads its environment in {sorted(users)}"


def test_no_machine_paths():
    for path in files():
        if path.suffix in {".png", ".jpg", ".npy", ".ptx"} or path.samefile(__file__):
            continue
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path.relative_to(ROOT)}:{number}"
            assert not MACHINE_PATHS.search(line), f"{where}: {line.strip()}"


def test_no_tabs_or_trailing_blanks():
    for path in files("*.c", "*.h", "*.def", "*.cu", "*.cuh", "*.py", "*.pyi", "*.md", "*.toml"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert "\t" not in line, f"{path.relative_to(ROOT)}:{number}: a tab"
            assert line == line.rstrip(), f"{path.relative_to(ROOT)}:{number}: a trailing blank"


def test_todo_has_an_issue():
    for path in files("csrc/*", "kernels/*", "gpunp/*"):
        if path.suffix in {".c", ".h", ".cu", ".cuh", ".py"}:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r"\b(?:TODO|FIXME|XXX)\b", line):
                    assert re.search(r"#\d+", line), f"{path.name}:{number}: {line.strip()}"


def test_compiler_had_nothing_to_say():
    logs = [log for log in (ROOT / "build").glob("release-*/*/*.log") if log.stat().st_size]
    alive = [log for log in logs if log.with_suffix("").exists()]
    assert not alive, "\n".join(log.read_text()[:2000] for log in alive)
