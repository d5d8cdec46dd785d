"""Rooms and doors: who may include and import whom."""

import ast

import pytest
from sources import CSRC, EXTRA_DOORS, MAY_INCLUDE, ROOT, c_files, files, includes, room_of

pytestmark = pytest.mark.null

# Python: a module may import from levels below its own. Only these import the extension.
LEVELS = {
    "_version": 0,
    "_C": 0,
    "cuda": 1,
    "_core": 2,
    "kernels": 2,
    "jit": 2.5,
    "_tables": 2,
    "linalg": 2.5,
    "lapack": 3,
    "lib": 3,
    "fft": 3,
    "polynomial": 3,
    "random": 4,
    "testing": 10,
    "profiler": 10,
    "time": 11,
    "ma": 3,
    "dtypes": 3,
    "exceptions": 0,
    "typing": 3,
    "scipy": 5,
    "__main__": 9,
    "__init__": 9,
}
IMPORT_EXTENSION = {"cuda", "_core", "exceptions", "jit", "kernels", "__init__", "__main__"}


@pytest.mark.parametrize("path", c_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_c_includes_go_through_doors(path):
    room = room_of(path)
    for number, name in includes(path):
        where = f'{path.relative_to(ROOT)}:{number}: #include "{name}"'
        target = name.removeprefix("../").split("/")[0]
        if target == "tables":
            continue
        if "/" not in name:
            assert (path.parent / name).exists(), f"{where}: name the room"
            continue
        assert (CSRC / name).exists(), f"{where}: no such file"
        if room == "module" or target == room or room in EXTRA_DOORS.get(name, ()):
            continue
        assert target in MAY_INCLUDE[room], f"{where}: {room} may not look into {target}"
        assert name == f"{target}/{target}.h", f"{where}: a window; the door is {target}/{target}.h"


def test_every_room_is_known():
    rooms = {room_of(path) for path in c_files()} - {"module", "tables"}
    assert rooms <= set(MAY_INCLUDE)


def test_only_npy_includes_numpy():
    for path in c_files():
        if "numpy/" in path.read_text() and path.relative_to(CSRC).as_posix() != "core/npy.c":
            assert "#include <numpy/" not in path.read_text(), path


def test_emulator_knows_no_python():
    for path in (CSRC / "emu").rglob("*.[ch]"):
        assert "Python.h" not in path.read_text(), path


def test_kernels_include_kernels_only():
    kernels = ROOT / "kernels"
    for path in kernels.rglob("*.cu*"):
        if path.parent.name == "std":  # for programs; they name each other, and the toolkit's
            continue
        assert "#include <" not in path.read_text(), f"{path.name} includes a toolkit header"
        for number, name in includes(path):
            assert (kernels / name).exists() or (path.parent / name).exists(), (path, number, name)
            assert not name.endswith(".cu"), f"{path.name}:{number}: a .cu is no header"


def python_room(path):
    """The part of the package a file belongs to: its folder, or its own name at the top."""
    parts = path.relative_to(ROOT / "gpunp").parts
    return parts[0] if len(parts) > 1 else path.stem


def imports(path):
    """(line, room) of each import of gpunp's own modules, inside functions too."""
    package = path.relative_to(ROOT).with_suffix("").parts
    package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = list(package[: len(package) - node.level + 1])
                full = base + (node.module.split(".") if node.module else [])
            else:
                full = node.module.split(".")
            if full[0] != "gpunp":
                continue
            names = [full[1]] if len(full) > 1 else [alias.name for alias in node.names]
            for name in names:
                yield node.lineno, name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name.split(".")
                if full[0] == "gpunp":
                    yield node.lineno, full[1] if len(full) > 1 else "__init__"


@pytest.mark.parametrize("path", files("gpunp/*.py"), ids=lambda path: str(path.relative_to(ROOT)))
def test_python_imports_go_down(path):
    room = python_room(path)
    level = LEVELS.get(room)
    assert level is not None, f"{path.relative_to(ROOT)}: a new room; give it a level here"
    for line, name in imports(path):
        where = f"{path.relative_to(ROOT)}:{line} imports gpunp.{name}"
        if name == "_C":
            assert room in IMPORT_EXTENSION, f"{where}: only {sorted(IMPORT_EXTENSION)} may"
            continue
        if name == room or room == "__init__":
            continue
        assert LEVELS.get(name, 99) < level, f"{where}: {room} stands below it"
